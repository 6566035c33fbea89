package sqlite_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"gapless"
	"gapless/sqlite"
)

func TestSecondOwnerIsRefused(t *testing.T) {
	dir := t.TempDir()
	if running, pid := sqlite.Running(dir); running || pid != 0 {
		t.Errorf("before: running %t, process %d", running, pid)
	}
	l := open(t, sqlite.Config{Dir: dir})
	if running, pid := sqlite.Running(dir); !running || pid != os.Getpid() {
		t.Errorf("open: running %t, process %d, want ours", running, pid)
	}
	_, err := sqlite.Open(t.Context(), sqlite.Config{Dir: dir})
	if !errors.Is(err, gapless.ErrLocked) {
		t.Errorf("second: got %v, want ErrLocked", err)
	}
	says(t, err, dir, fmt.Sprint(os.Getpid()), "stop that one")
	lifecycle(t, l, 1000, 1) // the first one is unharmed
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if running, pid := sqlite.Running(dir); running || pid != 0 {
		t.Errorf("closed: running %t, process %d", running, pid)
	}
}

// C125: what failed to open holds nothing.
func TestFourthOpenAfterThreeFailures(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "gapless.db")
	write(t, name, "this is no database, and longer than sixteen bytes")
	for range 3 {
		if _, err := sqlite.Open(t.Context(), sqlite.Config{Dir: dir}); err == nil {
			t.Fatal("opened what is no database")
		}
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	open(t, sqlite.Config{Dir: dir})
}

// A lock file that a killed process left behind, with a pid in it, is no lock.
func TestStaleLockFileIsNoLock(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "gapless.lock"), fmt.Sprintln(os.Getpid()))
	if running, _ := sqlite.Running(dir); running {
		t.Error("a file alone says nothing is running")
	}
	open(t, sqlite.Config{Dir: dir})
}
