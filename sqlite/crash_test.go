package sqlite_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gapless"
	"gapless/sqlite"
)

// crashDir tells the test binary that it is the one to be killed.
const crashDir = "GAPLESS_TEST_CRASH_DIR"

// TestMain lets the test binary be the process that killed kills.
func TestMain(m *testing.M) {
	if dir := os.Getenv(crashDir); dir != "" {
		panic(victim(dir))
	}
	os.Exit(m.Run())
}

// victim stores messages, and writes the number of each that was acknowledged,
// until it is killed.
func victim(dir string) error {
	l, err := sqlite.Open(context.Background(), sqlite.Config{Dir: dir})
	if err != nil {
		return err
	}
	from, err := strconv.ParseInt(os.Getenv(crashDir+"_FROM"), 10, 64)
	if err != nil {
		return err
	}
	failed := make(chan error)
	for w := range int64(8) {
		go func() {
			for n := from + w; ; n += 8 {
				if _, err := l.Append(context.Background(), heard(gapless.ChannelID(1000+w), n)); err != nil {
					failed <- err
				}
				fmt.Printf("acknowledged %d\n", n)
			}
		}()
	}
	return <-failed
}

// killed runs a child on dir until it has acknowledged some, kills it in the
// middle and gives what it had acknowledged by then.
func killed(t *testing.T, dir string, from int64, after int) (acknowledged []int64) {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), crashDir+"="+dir, crashDir+"_FROM="+fmt.Sprint(from))
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	var told bytes.Buffer
	lines := bufio.NewScanner(io.TeeReader(out, &told))
	for lines.Scan() {
		if word, n, _ := strings.Cut(lines.Text(), " "); word == "acknowledged" {
			id, err := strconv.ParseInt(n, 10, 64)
			if err != nil {
				break // cut off by the kill
			}
			acknowledged = append(acknowledged, id)
		}
		if len(acknowledged) == after {
			if err := child.Process.Kill(); err != nil {
				t.Error(err)
			}
		}
	}
	if err := child.Wait(); err == nil || len(acknowledged) < after {
		t.Fatalf("the child ended by itself (%v) and said:\n%s", err, told.String())
	}
	return acknowledged
}

// C93: what was acknowledged is there after kill -9, however often.
func TestKillLosesNothingAcknowledged(t *testing.T) {
	dir := t.TempDir()
	total := 0
	for round, after := range []int{1, 40, 333, 1000} {
		acknowledged := killed(t, dir, int64(round)*1_000_000, after)
		l := open(t, sqlite.Config{Dir: dir})
		for _, n := range acknowledged {
			s, err := l.Append(t.Context(), gapless.Change{At: now, Admitted: []gapless.Item{payload(1, n)}})
			if err != nil {
				t.Fatal(err)
			}
			if s.Known != 1 {
				t.Errorf("round %d: message %d was acknowledged and is lost", round, n)
			}
		}
		total += len(acknowledged)
		s, err := l.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Messages["pending"]; got < total {
			t.Errorf("round %d: %d messages are pending, %d were acknowledged", round, got, total)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// What a killed daemon left behind is read as it is, and stays so.
func TestReaderAfterKill(t *testing.T) {
	dir := t.TempDir()
	acknowledged := killed(t, dir, 0, 50)
	name := filepath.Join(dir, "gapless.db")
	before, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	s := glance(t, dir)
	if got := s.Messages["pending"]; got < len(acknowledged) {
		t.Errorf("%d messages are pending, %d were acknowledged", got, len(acknowledged))
	}
	after, err := os.ReadFile(name)
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("reading changed the database (%v)", err)
	}
	if running, _ := sqlite.Running(dir); running {
		t.Error("a killed process is said to run")
	}
}
