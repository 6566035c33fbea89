package sqlite_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"gapless"
	"gapless/sqlite"
)

// restored opens a backup as the ledger of a data directory of its own.
func restored(t *testing.T, backup string) *sqlite.Ledger {
	t.Helper()
	dir := t.TempDir()
	b, err := os.ReadFile(backup)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "gapless.db"), b, 0o600); err != nil {
		t.Fatal(err)
	}
	return open(t, sqlite.Config{Dir: dir})
}

func TestBackupIsTheLedgerOfOneMoment(t *testing.T) {
	l := open(t, sqlite.Config{Dir: t.TempDir()})
	for n := range int64(50) {
		lifecycle(t, l, 1000, n)
	}
	if _, err := l.Append(t.Context(), heard(1000, 60)); err != nil {
		t.Fatal(err)
	}
	want, err := l.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	reader, err := sqlite.OpenReadOnly(t.Context(), l.Dir())
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	for name, backup := range map[string]func(context.Context, string) error{"owner": l.Backup, "reader": reader.Backup} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "copy.db")
			if err := backup(t.Context(), path); err != nil {
				t.Fatal(err)
			}
			if files := contents(t, filepath.Dir(path)); len(files) != 1 {
				t.Errorf("%d files stand beside the backup", len(files)-1)
			}
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("mode %v, %v; want 0600", info.Mode(), err)
			}
			copied := restored(t, path)
			got, err := copied.Status(t.Context())
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%v\ngot  %+v\nwant %+v", err, got, want)
			}
			turn(t, copied, 1000) // what was owed still is
		})
	}
}

// Put back in place of the ledger it was made of, a backup is known for one by
// the witness (R15).
func TestBackupInPlaceOfItsLedgerIsBehind(t *testing.T) {
	l := open(t, sqlite.Config{Dir: t.TempDir()})
	lifecycle(t, l, 1000, 1)
	path := filepath.Join(t.TempDir(), "copy.db")
	if err := l.Backup(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	before := commits(t, l)
	lifecycle(t, l, 1000, 2)
	missing := commits(t, l) - before
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path, filepath.Join(l.Dir(), "gapless.db")); err != nil {
		t.Fatal(err)
	}
	if got := open(t, sqlite.Config{Dir: l.Dir()}).Behind(); got != missing || missing == 0 {
		t.Errorf("behind: got %d, want %d", got, missing)
	}
}

// A backup has the words that are owed, and none besides.
func TestBackupHoldsOnlyOwedText(t *testing.T) {
	l := open(t, sqlite.Config{Dir: t.TempDir()})
	say(t, l)
	const owed = "the-words-that-are-still-owed"
	letter := gapless.Reply{ID: "letter", Place: 1000, Text: owed, Nonce: "letter", State: gapless.ReplyIntended}
	dead := spoken(50, owed)
	dead.Message.Place = 2000
	if _, err := l.Append(t.Context(), gapless.Change{At: now, Admitted: []gapless.Item{dead}, Letters: []gapless.Reply{letter}}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "copy.db")
	if err := l.Backup(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	b := contents(t, filepath.Dir(path))["copy.db"]
	if bytes.Contains(b, []byte(secret)) {
		t.Error("the backup holds text that is not owed")
	}
	copied := restored(t, path)
	o, err := copied.Claim(t.Context(), gapless.Claim{Lane: "2000", Now: now})
	if err != nil || o.Delivery == nil || o.Delivery.First().Text != owed {
		t.Errorf("the backup lacks text that is owed: %+v, %v", o, err)
	}
	replies, err := copied.Unsent(t.Context())
	if err != nil || len(replies) != 1 || replies[0].Text != owed {
		t.Errorf("unsent: %v, %v", len(replies), err)
	}
}

func TestBackupReplacesNothing(t *testing.T) {
	l := open(t, sqlite.Config{Dir: t.TempDir()})
	path := filepath.Join(t.TempDir(), "copy.db")
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := l.Backup(t.Context(), path)
	says(t, err, path, "name another file")
	if !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %v, want ErrExist", err)
	}
	says(t, l.Backup(t.Context(), filepath.Join(filepath.Dir(path), "nowhere", "copy.db")), "nowhere")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := l.Backup(ctx, path+"2"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want Canceled", err)
	}
	if files := contents(t, filepath.Dir(path)); len(files) != 1 || string(files["copy.db"]) != "mine" {
		t.Errorf("the directory holds %d files", len(files))
	}
	alone := open(t, sqlite.Config{Dir: t.TempDir(), Exclusive: true})
	says(t, alone.Backup(t.Context(), path+"3"), "Exclusive")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := l.Backup(t.Context(), path+"4"); !errors.Is(err, gapless.ErrClosed) {
		t.Errorf("got %v, want ErrClosed", err)
	}
}
