package sqlite_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	"gapless/sqlite"

	"github.com/ncruces/go-sqlite3/driver"
)

// raw is the database of a ledger without the ledger.
func raw(t testing.TB, dir string) *sql.DB {
	t.Helper()
	db, err := driver.Open("file:" + filepath.Join(dir, "gapless.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func execute(t testing.TB, db *sql.DB, query string, args ...any) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), query, args...); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

// used is a directory with a ledger that has been used and closed.
func used(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	l := open(t, sqlite.Config{Dir: dir})
	for n := range int64(60) {
		lifecycle(t, l, 1000, n)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestNewerDatabaseIsRefused(t *testing.T) {
	dir := used(t)
	execute(t, raw(t, dir), "INSERT INTO goose_db_version (version_id, is_applied) VALUES (9000, 1)")
	_, err := sqlite.Open(t.Context(), sqlite.Config{Dir: dir})
	says(t, err, dir, "schema 9000", "newer gapless", "backup")
	_, err = sqlite.OpenReadOnly(t.Context(), dir)
	says(t, err, "schema 9000")
	execute(t, raw(t, dir), "DELETE FROM goose_db_version WHERE version_id = 9000")
	open(t, sqlite.Config{Dir: dir}) // the refusal left nothing behind (C125)
}

func TestForeignDatabaseIsRefused(t *testing.T) {
	dir := t.TempDir()
	db := raw(t, dir)
	execute(t, db, "CREATE TABLE recipes (name TEXT)")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := sqlite.Open(t.Context(), sqlite.Config{Dir: dir})
	says(t, err, "another program's database", "name another data directory")
}

func TestDamagedDatabaseIsRefused(t *testing.T) {
	for _, tt := range []struct {
		name   string
		damage func(t *testing.T, db *os.File, size int64)
	}{
		{"header", func(t *testing.T, db *os.File, _ int64) { scribble(t, db, 0, 16) }},
		{"schema page", func(t *testing.T, db *os.File, _ int64) { scribble(t, db, 100, 3000) }},
		{"header behind the magic", func(t *testing.T, db *os.File, _ int64) { scribble(t, db, 40, 60) }},
		{"pages behind", func(t *testing.T, db *os.File, size int64) { scribble(t, db, 8192, int(size-8192)) }},
		{"cut off", func(t *testing.T, db *os.File, size int64) {
			if err := db.Truncate(size / 2); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := used(t)
			name := filepath.Join(dir, "gapless.db")
			f, err := os.OpenFile(name, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			info, err := f.Stat()
			if err != nil {
				t.Fatal(err)
			}
			tt.damage(t, f, info.Size())
			_, err = sqlite.Open(t.Context(), sqlite.Config{Dir: dir})
			says(t, err, name, "damaged", "restore a backup", "move")
		})
	}
}

func scribble(t *testing.T, f *os.File, at int64, n int) {
	t.Helper()
	noise := make([]byte, n)
	for i := range noise {
		noise[i] = byte(i*7 + 3)
	}
	if _, err := f.WriteAt(noise, at); err != nil {
		t.Fatal(err)
	}
}

// What a deed asks for on the way of a message is answered through an index.
func TestNoDeedScansATable(t *testing.T) {
	db := raw(t, used(t))
	for _, q := range []string{
		"SELECT 1 FROM deliveries WHERE lane = '1' AND state IN ('leased', 'waiting') AND state <> 'settled' AND state <> 'dead' ORDER BY state, first",
		"SELECT 1 FROM messages WHERE lane = '1' AND state = 'pending' ORDER BY id LIMIT 1",
		"SELECT 1 FROM messages WHERE lane = '1' AND state = 'pending' AND recovered = 0",
		"SELECT n FROM deliveries WHERE state = 'settled' AND stripped = 0 AND ended_at > 0 AND ended_at < 9 ORDER BY ended_at, n",
		"SELECT id FROM messages WHERE state = 'deleted' AND ended_at < 9 ORDER BY ended_at, id",
		"SELECT ids FROM refusals WHERE place = 1 AND highest >= 2 AND lowest <= 2",
		"SELECT id FROM replies WHERE nonce = 'n' AND state IN ('intended', 'unknown')",
		"SELECT count(*) FROM replies WHERE delivery = 1 AND state = 'sent'",
	} {
		var id, parent, none int
		var plan string
		if err := db.QueryRowContext(t.Context(), "EXPLAIN QUERY PLAN "+q).Scan(&id, &parent, &none, &plan); err != nil {
			t.Fatal(err)
		}
		if plan[:4] != "SEAR" {
			t.Errorf("%s\nis answered by: %s", q, plan)
		}
	}
}
