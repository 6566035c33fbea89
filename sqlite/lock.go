package sqlite

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"gapless"
)

// lock is the ownership of a data directory. The system takes it back when the
// process ends, however it ends, so nothing stale can stay (C125).
type lock struct{ file *os.File }

// errHeld is answered by tryLock when another file handle has the lock.
var errHeld = errors.New("lock is held")

// The lock is asked for a few times: somebody who only looks whether it is
// held holds it for a moment.
const (
	lockTries = 5
	lockPause = 20 * time.Millisecond
)

// takeLock takes the data directory for this process, or names the owner.
func takeLock(dir string) (*lock, error) {
	name := filepath.Join(dir, lockName)
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, fileMode)
	if err != nil {
		return nil, fmt.Errorf("lock data directory: %w: this user must be able to write there", err)
	}
	for try := range lockTries {
		if err = tryLock(f, true); !errors.Is(err, errHeld) {
			break
		}
		if try < lockTries-1 {
			time.Sleep(lockPause)
		}
	}
	if err == nil {
		err = writePID(f)
	}
	if err == nil {
		return &lock{f}, nil
	}
	defer f.Close()
	if errors.Is(err, errHeld) {
		return nil, fmt.Errorf("open ledger in %s: %w (process %d): stop that one, or name another data directory",
			dir, gapless.ErrLocked, readPID(f))
	}
	return nil, fmt.Errorf("lock data directory %s: %w", dir, err)
}

func writePID(f *os.File) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err := f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return err
}

// readPID is the process id in a lock file, zero if there is none to read.
func readPID(f *os.File) int {
	text, err := io.ReadAll(io.NewSectionReader(f, 0, 32))
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0
	}
	return pid
}

// release gives the directory back.
func (l *lock) release() error {
	return errors.Join(l.file.Truncate(0), l.file.Close())
}

// Running reports whether a process holds the ledger in dir, and which. It
// changes nothing and needs no more than to read the lock file.
func Running(dir string) (running bool, pid int) {
	f, err := os.Open(filepath.Join(dir, lockName))
	if err != nil {
		return false, 0
	}
	defer f.Close() // gives back what the question took
	if !errors.Is(tryLock(f, false), errHeld) {
		return false, 0
	}
	return true, readPID(f)
}
