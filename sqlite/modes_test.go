//go:build unix

package sqlite_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"gapless/sqlite"
)

// modes checks that what is in dir, and dir, is its owner's alone.
func modes(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s is %s: others can read it", filepath.Base(path), info.Mode().Perm())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestFilesAreTheOwnersAlone(t *testing.T) {
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	dir := filepath.Join(t.TempDir(), "deep", "data")
	for range 2 {
		l := open(t, sqlite.Config{Dir: dir})
		modes(t, dir)
		for n := range int64(50) {
			lifecycle(t, l, 1000, n)
			modes(t, dir)
		}
		for _, name := range []string{"gapless.db", "gapless.db-wal", "gapless.db-shm", "gapless.lock"} {
			if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
				t.Error(err)
			}
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		modes(t, dir)
		if err := os.Remove(filepath.Join(dir, "gapless.db")); err != nil { // and once more from the start
			t.Fatal(err)
		}
	}
}

func TestReadOnlyDirectory(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 { // who may write anywhere
		const nobody = 65534
		if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Seteuid(nobody); err != nil {
			t.Skipf("root cannot become another user here: %v", err)
		}
		defer func() {
			if err := syscall.Seteuid(0); err != nil {
				t.Fatal(err)
			}
		}()
	}
	_, err := sqlite.Open(t.Context(), sqlite.Config{Dir: dir})
	says(t, err, dir, "must be able to write there")
}
