package sqlite

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Every file of the ledger is its owner's alone.
const (
	dirMode  fs.FileMode = 0o700
	fileMode fs.FileMode = 0o600
)

// makeDir makes the data directory, or says why there can be none.
func makeDir(dir string) error {
	switch info, err := os.Stat(dir); {
	case err == nil && !info.IsDir():
		return fmt.Errorf("data directory %s is a file: move it away or name another directory", dir)
	case err == nil:
		return nil
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("look at data directory: %w: name a directory this user can reach", err)
	}
	if err := os.MkdirAll(dir, dirMode); err != nil {
		return fmt.Errorf("make data directory: %w: make it by hand, owned by this user, or name another one", err)
	}
	return nil
}

// makeFiles makes files that are not there yet, so that SQLite finds each with
// the right mode and never makes one of its own, by the umask.
func makeFiles(names ...string) error {
	for _, name := range names {
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, fileMode)
		if err != nil {
			return fmt.Errorf("make ledger file: %w: the user of this program must be able to write there", err)
		}
		if err := f.Close(); err != nil {
			return fmt.Errorf("make ledger file %s: %w", name, err)
		}
	}
	return nil
}

// magic is how every SQLite database begins.
const magic = "SQLite format 3\x00"

// headed looks whether the file is a database, or empty.
func headed(database string) error {
	f, err := os.Open(database)
	if err != nil {
		return fmt.Errorf("open ledger: %w", err)
	}
	defer f.Close()
	head := make([]byte, len(magic))
	n, err := io.ReadFull(f, head)
	switch {
	case n == 0 && errors.Is(err, io.EOF):
		return nil
	case err != nil && !errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("read ledger %s: %w", database, err)
	case string(head[:n]) != magic:
		return fmt.Errorf("ledger %s is damaged: it is no SQLite database; %s", database, wayBack)
	}
	return nil
}

// wayBack is what to do about a damaged ledger.
const wayBack = "stop the daemon, move " + databaseName + ", " + databaseName + "-wal and " + databaseName +
	"-shm away and restore a backup; without one start anew, and what was missed until then is not recovered"
