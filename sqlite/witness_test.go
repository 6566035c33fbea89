package sqlite_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gapless/sqlite"
)

// seen is what the witness file says.
func seen(t *testing.T, dir string) (ledger string, commits int64) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "gapless.witness"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscan(string(text), &ledger, &commits); err != nil {
		t.Fatal(err)
	}
	return ledger, commits
}

func commits(t *testing.T, l *sqlite.Ledger) int64 {
	t.Helper()
	s, err := l.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s.Commits
}

func TestWitnessFollowsAtMostOnceASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(now))
		dir := t.TempDir()
		l := open(t, sqlite.Config{Dir: dir})
		lifecycle(t, l, 1000, 1)
		time.Sleep(time.Millisecond)
		first, count := seen(t, dir)
		lifecycle(t, l, 1000, 2)
		time.Sleep(990 * time.Millisecond)
		if _, n := seen(t, dir); n != count {
			t.Errorf("within a second: got %d commits, want %d", n, count)
		}
		time.Sleep(20 * time.Millisecond)
		if _, n := seen(t, dir); n != commits(t, l) {
			t.Errorf("after a second: got %d commits, want %d", n, commits(t, l))
		}
		lifecycle(t, l, 1000, 3)
		want := commits(t, l)
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if ledger, n := seen(t, dir); n != want || ledger != first {
			t.Errorf("closed: got %s %d, want %s %d", ledger, n, first, want)
		}
	})
}

func TestRestoredBackupIsNoticed(t *testing.T) {
	dir := used(t)
	name := filepath.Join(dir, "gapless.db")
	backup, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	reopen := func() int64 {
		t.Helper()
		l := open(t, sqlite.Config{Dir: dir, Logger: logger(&log)})
		defer l.Close()
		lifecycle(t, l, 1000, 1000+commits(t, l))
		m, err := l.Load(t.Context())
		if err != nil || m.Behind != l.Behind() {
			t.Errorf("loaded: got %d commits behind and %v, want %d", m.Behind, err, l.Behind())
		}
		if s, err := l.Status(t.Context()); err != nil || s.Behind != l.Behind() {
			t.Errorf("shown: got %d commits behind and %v, want %d", s.Behind, err, l.Behind())
		}
		return l.Behind()
	}
	if n := reopen(); n != 0 {
		t.Errorf("untouched: %d commits behind", n)
	}
	_, before := seen(t, dir)
	write(t, name, string(backup))
	if n := reopen(); n != 3 {
		t.Errorf("restored: %d commits behind, want 3", n)
	}
	if n := reopen(); n != 3 {
		t.Errorf("later: %d commits behind, want the 3 to stay on record", n)
	}
	if _, n := seen(t, dir); n <= before {
		t.Errorf("the count fell from %d to %d", before, n)
	}
	if strings.Count(log.String(), "restored from a backup") != 1 {
		t.Errorf("log: %s", log.String())
	}
}

func TestForeignOrSpoiltWitnessIsNone(t *testing.T) {
	for name, text := range map[string]string{"foreign": "OTHERLEDGER 999999\n", "spoilt": "\x00\x00", "empty": ""} {
		t.Run(name, func(t *testing.T) {
			dir := used(t)
			write(t, filepath.Join(dir, "gapless.witness"), text)
			if n := open(t, sqlite.Config{Dir: dir}).Behind(); n != 0 {
				t.Errorf("%d commits behind, want 0", n)
			}
		})
	}
}

// A disk that stays full for hours does not fill the log as well.
func TestWitnessThatCannotBeWrittenIsReportedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(now))
		dir, said := t.TempDir(), &journal{}
		obstacle := filepath.Join(dir, "gapless.witness.new")
		if err := os.Mkdir(obstacle, 0o700); err != nil {
			t.Fatal(err)
		}
		l := open(t, sqlite.Config{Dir: dir, Logger: logger(said)})
		lifecycle(t, l, 1000, 1)
		time.Sleep(time.Minute)
		if n := strings.Count(said.String(), "cannot be written"); n != 1 {
			t.Errorf("reported %d times within a minute:\n%s", n, said)
		}
		if err := os.Remove(obstacle); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Second)
		if !strings.Contains(said.String(), "written again") {
			t.Errorf("nobody is told that it is over:\n%s", said)
		}
		if _, n := seen(t, dir); n != commits(t, l) {
			t.Errorf("the witness has %d commits, want %d", n, commits(t, l))
		}
	})
}
