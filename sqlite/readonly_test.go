package sqlite_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"gapless"
	"gapless/sqlite"
)

// glance reads the status of the ledger in dir from beside it.
func glance(t *testing.T, dir string) gapless.LedgerStatus {
	t.Helper()
	r, err := sqlite.OpenReadOnly(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	s, err := r.Status(t.Context())
	if err != nil {
		t.Error(err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	return s
}

func TestReaderBesideTheOwner(t *testing.T) {
	l := open(t, sqlite.Config{Dir: t.TempDir()})
	for n := range int64(20) {
		lifecycle(t, l, 1000, n)
		want, err := l.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := glance(t, l.Dir()); !reflect.DeepEqual(got, want) {
			t.Fatalf("got  %+v\nwant %+v", got, want)
		}
	}
}

func TestReaderWithoutOwnerChangesNothing(t *testing.T) {
	dir := used(t)
	before := contents(t, dir)
	if s := glance(t, dir); s.Messages["settled"] != 60 {
		t.Errorf("settled: got %d, want 60", s.Messages["settled"])
	}
	after := contents(t, dir)
	for name := range after {
		if !bytes.Equal(before[name], after[name]) || len(before) != len(after) {
			t.Errorf("%s has changed, or is new", name)
		}
	}
}

// contents is every file in dir.
func contents(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if out[f.Name()], err = os.ReadFile(filepath.Join(dir, f.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func TestReaderWithoutLedger(t *testing.T) {
	dir := t.TempDir()
	_, err := sqlite.OpenReadOnly(t.Context(), dir)
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want ErrNotExist", err)
	}
	says(t, err, dir, "has gapless run")
	if len(contents(t, dir)) != 0 {
		t.Error("looking made files")
	}
}
