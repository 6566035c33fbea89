//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"gapless/discordsim"
	"gapless/internal/require"
)

// keeper is another program that made an old ledger and holds it open, with
// everything in the log only.
const keeper = `
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("PRAGMA journal_mode=wal")
db.execute("CREATE TABLE discord_messages(message_id TEXT PRIMARY KEY, channel_id TEXT, thread_id TEXT, parent_channel_id TEXT, author_id TEXT, created_at TEXT, status TEXT NOT NULL, replied INTEGER, emoji_ack INTEGER, outage_response INTEGER NOT NULL DEFAULT 0, response_message_id TEXT, attempts INTEGER NOT NULL DEFAULT 0, last_attempt_at TEXT, last_error TEXT, updated_at TEXT NOT NULL)")
db.execute("CREATE TABLE discord_recovery_scans(scan_id TEXT PRIMARY KEY, started_at TEXT NOT NULL, completed_at TEXT, status TEXT NOT NULL, channels TEXT, window_seconds REAL, limit_count INTEGER, scanned INTEGER, missed INTEGER, dispatched INTEGER, error TEXT)")
db.execute("CREATE TABLE discord_recovery_cursors(channel_id TEXT PRIMARY KEY, last_message_id TEXT NOT NULL, updated_at TEXT NOT NULL)")
for line in sys.argv[2:]:
    id, channel, status, replied = line.split()
    db.execute("INSERT INTO discord_messages(message_id, channel_id, status, replied, updated_at) VALUES (?,?,?,?,'2026-01-02T00:00:00+00:00')", (id, channel, status, int(replied)))
    if replied == "1":
        db.execute("INSERT OR REPLACE INTO discord_recovery_cursors VALUES (?,?,'2026-01-02T00:00:00+00:00')", (channel, id))
print("ready", flush=True)
sys.stdin.read()
`

// hold starts the keeper with these messages and gives the path of its file.
func hold(t *testing.T, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "discord_message_recovery.db")
	p := prepared(t, "python3", append([]string{"-c", keeper, path}, lines...)...)
	in, err := p.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.start(t)
	t.Cleanup(func() { _ = in.Close() })
	eventually(t, "the old ledger", func() bool { return strings.Contains(p.out.String(), "ready") })
	if info, err := os.Stat(path + "-wal"); err != nil || info.Size() == 0 {
		t.Fatalf("nothing is in the log: %v", err)
	}
	return path
}

// Nothing that was answered there is answered again; what was written since is.
func TestImportHermes(t *testing.T) {
	require.Tool(t, "python3")
	for _, tt := range []struct {
		name  string
		args  []string
		again []string // what is answered of what the old ledger knew, beside what came later
	}{
		{"from the heads on", nil, nil},
		{"without asking Discord", []string{"--offline"}, nil},
		{"from a time on", []string{"--since", "1h"}, []string{"failed", "never seen"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, data := newWorld(t), t.TempDir()
			ids := map[string]discordsim.ID{}
			var lines []string
			for _, row := range []string{"responded 1", "processed 0", "never seen", "failed 0", "queued 1"} {
				name, replied, stored := strings.Cut(row, " ")
				if row == "never seen" {
					name, stored = row, false
				}
				ids[name] = w.say(t, "it was "+name)
				if stored {
					lines = append(lines, fmt.Sprintf("%v %v %s %s", ids[name], w.Channel, name, replied))
				}
			}
			file := hold(t, lines...)
			vars := map[string]string{"DISCORD_TOKEN": w.Token, "HOME": t.TempDir()}
			args := append([]string{"import", "hermes", file, "--data", data, "--api", w.API}, tt.args...)

			status, out, errs := call(t, vars, args...)
			if status != exitOK || !strings.Contains(out, "Nothing was written") || !strings.Contains(out, "3 messages that are settled") {
				t.Fatalf("status %d\n%s%s", status, out, errs)
			}
			if left, _ := os.ReadDir(data); len(left) > 0 {
				t.Fatalf("the dry run made %v", left)
			}
			if status, out, errs = call(t, vars, append(args, "--yes")...); status != exitOK || !strings.Contains(out, "3 messages settled (0 were known before), 1 channels begun") {
				t.Fatalf("status %d\n%s%s", status, out, errs)
			}
			if status, out, _ = call(t, vars, append(args, "--yes")...); status != exitOK || !strings.Contains(out, "0 messages settled (3 were known before), 0 channels begun (1 were known before)") {
				t.Errorf("again: status %d\n%s", status, out)
			}
			if _, out, _ := call(t, vars, "status", "--data", data, "--json"); !strings.Contains(out, `"answered": 2`) || !strings.Contains(out, `"done": 1`) {
				t.Errorf("the status does not show what was taken over:\n%s", out)
			}

			later := w.say(t, "after the old one was stopped")
			w.run(t, data, "echo answer", "--input", "text", "--allow-everyone", "--free", "*")
			eventually(t, "an answer to what came later", func() bool { return len(w.answers(later)) == 1 })
			for _, name := range tt.again {
				eventually(t, "an answer to what was "+name, func() bool { return len(w.answers(ids[name])) == 1 })
			}
			last := w.say(t, "the last one")
			eventually(t, "an answer to the last one", func() bool { return len(w.answers(last)) == 1 })
			for name, id := range ids {
				want := strings.Count(strings.Join(tt.again, ","), name)
				if got := len(w.answers(id)); got != want {
					t.Errorf("what was %s has %d answers now, want %d", name, got, want)
				}
			}
		})
	}
}

func TestImportHermesRefusals(t *testing.T) {
	require.Tool(t, "python3")
	w, data := newWorld(t), t.TempDir()
	asked := w.say(t, "hello")
	file := hold(t, fmt.Sprintf("%v %v responded 1", asked, w.Channel), fmt.Sprintf("%v 123456789012345678 responded 1", asked+1))
	vars := map[string]string{"DISCORD_TOKEN": w.Token, "HOME": t.TempDir()}
	p := w.run(t, data, "true", "--allow-everyone")
	w.connected(t)
	for _, tt := range []struct {
		name   string
		vars   map[string]string
		args   []string
		status int
		want   string
	}{
		{"no file", vars, []string{filepath.Join(data, "none.db")}, exitUsage, "no such file"},
		{"no token", nil, []string{file}, exitUsage, "one of three ways"},
		{"no time", vars, []string{file, "--since", "yesterday"}, exitUsage, "is no time in the past"},
		{"a time to come", vars, []string{file, "--since", "2126-01-02T15:04:05Z"}, exitUsage, "is no time in the past"},
		{"another token", map[string]string{"DISCORD_TOKEN": w.Token + "x"}, []string{file, "--api", w.API}, exitRefused, "Discord refuses the token"},
		{"no such bot", vars, []string{file, "--bot", "x"}, exitUsage, "--bot must name one of the bots"},
		{"a daemon at work", vars, []string{file, "--api", w.API, "--yes"}, exitLocked, "another gapless runs this bot"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, _, errs := call(t, tt.vars, append([]string{"import", "hermes", "--data", data}, tt.args...)...)
			if status != tt.status || !strings.Contains(errs, tt.want) {
				t.Errorf("status %d, %q; want %d and %q", status, errs, tt.status, tt.want)
			}
		})
	}
	if _, out, _ := call(t, vars, "import", "hermes", file, "--data", data, "--api", w.API); !strings.Contains(out, "1 channels left out: gone") {
		t.Errorf("a channel that is gone is not told of:\n%s", out)
	}
	p.signal(t, syscall.SIGTERM)
	p.wait(t)
}

func TestSince(t *testing.T) {
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	for text, ago := range map[string]time.Duration{"6h": 6 * time.Hour, "2d": 48 * time.Hour, "2026-03-04T04:06:07Z": time.Hour} {
		if got, err := since(text, now); err != nil || now.Sub(got) != ago {
			t.Errorf("%s: %v, %v; want %v ago", text, got, err, ago)
		}
	}
	for _, text := range []string{"-6h", "6", "tomorrow", strconv.Itoa(now.Year())} {
		if _, err := since(text, now); err == nil {
			t.Errorf("%s is taken", text)
		}
	}
}
