package oldledger_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gapless"
	"gapless/internal/config/oldledger"
)

// The tables as the reference makes them (S55).
const tables = `
CREATE TABLE discord_messages(message_id TEXT PRIMARY KEY, channel_id TEXT, thread_id TEXT, parent_channel_id TEXT, author_id TEXT, created_at TEXT,
  status TEXT NOT NULL, replied INTEGER, emoji_ack INTEGER, outage_response INTEGER NOT NULL DEFAULT 0, response_message_id TEXT,
  attempts INTEGER NOT NULL DEFAULT 0, last_attempt_at TEXT, last_error TEXT, updated_at TEXT NOT NULL);
CREATE TABLE discord_recovery_scans(scan_id TEXT PRIMARY KEY, started_at TEXT NOT NULL, completed_at TEXT, status TEXT NOT NULL, channels TEXT,
  window_seconds REAL, limit_count INTEGER, scanned INTEGER, missed INTEGER, dispatched INTEGER, error TEXT);
CREATE TABLE discord_recovery_cursors(channel_id TEXT PRIMARY KEY, last_message_id TEXT NOT NULL, updated_at TEXT NOT NULL);`

// filled makes an old ledger with these statements, in write-ahead mode, and
// leaves the connection that wrote it open.
func filled(t *testing.T, statements ...string) (path string, held *sql.DB) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "discord_message_recovery.db")
	held, err := sql.Open("sqlite3", "file://"+filepath.ToSlash(path)+"?_pragma=journal_mode(wal)")
	if err != nil {
		t.Fatal(err)
	}
	held.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = held.Close() })
	for _, s := range append([]string{tables}, statements...) {
		if _, err := held.Exec(s); err != nil {
			t.Fatalf("%v in %s", err, s)
		}
	}
	return path, held
}

// row is a message of the old ledger; what is empty is null.
func row(id, channel, thread, parent, status, replied, notice string) string {
	quoted := []string{}
	for _, s := range []string{id, channel, thread, parent, status} {
		if s == "" {
			quoted = append(quoted, "NULL")
		} else {
			quoted = append(quoted, "'"+s+"'")
		}
	}
	return "INSERT INTO discord_messages(message_id, channel_id, thread_id, parent_channel_id, status, replied, outage_response, updated_at) VALUES (" +
		strings.Join(quoted, ",") + "," + replied + "," + notice + ",'2026-01-02T00:00:00+00:00')"
}

func cursor(channel, last string) string {
	return "INSERT INTO discord_recovery_cursors VALUES ('" + channel + "','" + last + "','2026-01-02T00:00:00+00:00')"
}

// S56: which of the old states are settled here, and as what.
func TestStates(t *testing.T) {
	for _, tt := range []struct {
		status, replied, notice string
		want                    gapless.Reason // empty: known, not settled
	}{
		{"responded", "1", "0", gapless.Answered}, {"responded", "NULL", "0", gapless.Answered}, {"failed", "1", "0", gapless.Answered},
		{"processing", "1", "0", gapless.Answered}, {"processed", "0", "0", gapless.Done}, {"processed", "1", "0", gapless.Answered},
		{"discovered", "0", "0", ""}, {"queued", "0", "0", ""}, {"processing", "NULL", "0", ""}, {"failed", "0", "0", ""}, {"cancelled", "0", "0", ""},
		{"something new", "0", "0", ""}, {"responded", "1", "1", ""}, // an outage notice is no answer (S27)
	} {
		path, _ := filled(t, row("1000000000000000001", "2000000000000000001", "", "", tt.status, tt.replied, tt.notice))
		l, err := oldledger.Read(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		p := l.Plan()
		var got gapless.Reason
		if len(p.Ended) == 1 {
			got = p.Ended[0].Reason
		}
		if got != tt.want || len(p.Ended)+p.Open != 1 {
			t.Errorf("%s, replied %s, notice %s: %q, want %q", tt.status, tt.replied, tt.notice, got, tt.want)
		}
	}
}

func TestHeads(t *testing.T) {
	path, _ := filled(t,
		row("1000000000000000005", "2000000000000000001", "", "", "failed", "0", "0"),
		row("1000000000000000003", "2000000000000000001", "", "", "responded", "1", "0"),
		cursor("2000000000000000001", "1000000000000000003"),
		row("1000000000000000006", "2000000000000000002", "2000000000000000002", "2000000000000000001", "queued", "0", "0"),
		cursor("2000000000000000002", "1000000000000000009"),
		cursor("2000000000000000003", "1000000000000000001"),
		row("1000000000000000007", "", "", "", "responded", "1", "0"),
		row("not an id", "2000000000000000001", "", "", "responded", "1", "0"),
		cursor("general", "1000000000000000001"),
		"INSERT INTO discord_recovery_scans(scan_id, started_at, status) VALUES ('a', 'b', 'success')",
	)
	l, err := oldledger.Read(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	p := l.Plan()
	want := []oldledger.Head{
		{Place: 2000000000000000001, ID: 1000000000000000005}, // of a row: the cursor is only the last answered one
		{Place: 2000000000000000002, ID: 1000000000000000009, Parent: 2000000000000000001, Thread: true},
		{Place: 2000000000000000003, ID: 1000000000000000001},
	}
	if !slices.Equal(p.Heads, want) {
		t.Errorf("heads %+v\nwant  %+v", p.Heads, want)
	}
	if len(p.Ended) != 2 || p.Open != 2 || l.Scans != 1 || len(l.Odd) != 2 {
		t.Errorf("%d ended, %d open, %d scans, odd %q", len(p.Ended), p.Open, l.Scans, l.Odd)
	}
}

func TestBegin(t *testing.T) {
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	id := func(ago time.Duration) gapless.MessageID { return gapless.At[gapless.MessageID](now.Add(-ago)) }
	old := gapless.Channel{ID: gapless.ChannelID(id(1000 * time.Hour))}
	young := gapless.Channel{ID: gapless.ChannelID(id(2 * time.Hour))}
	for _, tt := range []struct {
		name    string
		channel gapless.Channel
		since   time.Time
		from    gapless.MessageID
		gaps    int
	}{
		{"nothing asked for", old, time.Time{}, id(time.Hour), 0},
		{"from a time on", old, now.Add(-5 * time.Hour), id(5 * time.Hour), 1},
		{"from before its birth", young, now.Add(-5 * time.Hour), id(2*time.Hour) - 1, 1},
		{"from after its head", old, now.Add(-time.Minute), id(time.Hour), 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			change, gaps := oldledger.Head{Place: tt.channel.ID, ID: id(time.Hour)}.Begin(tt.channel, tt.since, now)
			if change.Head != id(time.Hour) || change.Floor != tt.from || change.Verified != tt.from || len(gaps) != tt.gaps {
				t.Errorf("floor %s, verified %s, head %s, %d gaps; want from %s", change.Floor, change.Verified, change.Head, len(gaps), tt.from)
			}
			if len(gaps) == 1 && (gaps[0].After != tt.from || gaps[0].Upto != change.Head || !gaps[0].Open()) {
				t.Errorf("the gap is %+v", gaps[0])
			}
		})
	}
}

// The file is left as it is, whoever holds it and however it was left.
func TestReadOnly(t *testing.T) {
	one := row("1000000000000000001", "2000000000000000001", "", "", "responded", "1", "0")
	for _, tt := range []struct {
		name string
		make func(t *testing.T) string
	}{
		{"held open, in the log only", func(t *testing.T) string { path, _ := filled(t, one); return path }},
		{"in the middle of a transaction", func(t *testing.T) string {
			path, held := filled(t, one)
			tx, err := held.Begin()
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = tx.Rollback() })
			if _, err := tx.Exec("DELETE FROM discord_messages"); err != nil {
				t.Fatal(err)
			}
			return path
		}},
		{"closed", func(t *testing.T) string {
			path, held := filled(t, one)
			if err := held.Close(); err != nil {
				t.Fatal(err)
			}
			return path
		}},
		{"without a log", func(t *testing.T) string {
			path, held := filled(t, one, "PRAGMA journal_mode=delete")
			if err := held.Close(); err != nil {
				t.Fatal(err)
			}
			return path
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := tt.make(t)
			before := contents(t, path)
			l, err := oldledger.Read(t.Context(), path)
			if err != nil || len(l.Rows) != 1 {
				t.Fatalf("%v, %+v", err, l)
			}
			if after := contents(t, path); after != before {
				t.Error("the file or what is beside it was changed")
			}
		})
	}
}

// contents is the database, its log and the names of what lies beside it.
func contents(t *testing.T, path string) string {
	t.Helper()
	var b strings.Builder
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		b.WriteString(e.Name() + "\n")
		if strings.HasSuffix(e.Name(), "-shm") {
			continue // who reads is noted there
		}
		text, err := os.ReadFile(filepath.Join(filepath.Dir(path), e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		b.Write(text)
	}
	return b.String()
}

func TestOtherFiles(t *testing.T) {
	other := filepath.Join(t.TempDir(), "other.db")
	db, err := sql.Open("sqlite3", "file://"+filepath.ToSlash(other))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("CREATE TABLE x(y)"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	text := filepath.Join(t.TempDir(), "text.db")
	if err := os.WriteFile(text, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		filepath.Join(t.TempDir(), "none.db"): "no such file", other: "no ledger of the reference", text: "is no SQLite database",
	} {
		if _, err := oldledger.Read(t.Context(), path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
