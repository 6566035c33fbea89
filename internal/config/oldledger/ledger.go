package oldledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	_ "github.com/ncruces/go-sqlite3/driver" // registers "sqlite3"

	"gapless"
)

// Ledger is what the file holds, as far as it means something here.
type Ledger struct {
	Rows    []Row
	Cursors map[gapless.ChannelID]gapless.MessageID
	Scans   int
	Odd     []string // rows that cannot be read, with the reason
}

// Row is one message of the file.
type Row struct {
	ID      gapless.MessageID
	Place   gapless.ChannelID // zero if the file does not say
	Parent  gapless.ChannelID // of a thread
	Thread  bool
	Status  string
	Replied bool
	Notice  bool // what was sent for it was an outage notice (S27)
}

// Reason is how the message was settled there: answered, done, or empty for
// what was not.
func (r Row) Reason() gapless.Reason {
	switch {
	case r.Notice:
		return ""
	case r.Replied, r.Status == "responded":
		return gapless.Answered
	case r.Status == "processed":
		return gapless.Done
	}
	return ""
}

// readTries is how often a file that changes under the reading is read again.
const readTries = 5

// Read reads the file and leaves it and its companions as they are.
func Read(ctx context.Context, path string) (*Ledger, error) {
	for range readTries {
		before, err := stamp(path)
		if err != nil {
			return nil, fmt.Errorf("read old ledger: %w", err)
		}
		l, err := read(ctx, path, before)
		if err != nil {
			return nil, fmt.Errorf("read old ledger %s: %w", path, err)
		}
		after, err := stamp(path)
		if err == nil && (!before.still || before == after) {
			return l, nil
		}
	}
	return nil, fmt.Errorf("read old ledger %s: it changes all the time; try again, or stop what writes to it", path)
}

// state is what can be seen of the file from outside.
type state struct {
	size    int64
	changed time.Time
	still   bool // it is in write-ahead mode without a log: all that it holds is in the file itself
}

// writeAhead is the mark of write-ahead mode in the header of a database.
const writeAhead = 2

func stamp(path string) (s state, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return s, err
	}
	s.size, s.changed = info.Size(), info.ModTime()
	f, err := os.Open(path)
	if err != nil {
		return s, err
	}
	defer f.Close()
	header := make([]byte, 20)
	if _, err := f.Read(header); err != nil || !strings.HasPrefix(string(header), "SQLite format 3\x00") {
		return s, errors.New(path + " is no SQLite database")
	}
	_, err = os.Stat(path + "-wal")
	s.still = header[18] == writeAhead && errors.Is(err, os.ErrNotExist)
	return s, nil
}

// read reads everything in one transaction, so of one moment. A database
// without a log is opened as one that nobody changes: to open it otherwise
// would make a log beside it.
func read(ctx context.Context, path string, s state) (l *Ledger, err error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	params := url.Values{"mode": {"ro"}, "_pragma": {"busy_timeout(10000)", "query_only(on)"}}
	if s.still {
		params.Set("immutable", "1")
	}
	name := filepath.ToSlash(full)
	if !strings.HasPrefix(name, "/") {
		name = "/" + name // a drive letter
	}
	db, err := sql.Open("sqlite3", "file://"+(&url.URL{Path: name}).EscapedPath()+"?"+params.Encode())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer func() { _ = tx.Rollback() }() // it only read
	l = &Ledger{Cursors: map[gapless.ChannelID]gapless.MessageID{}}
	if err := l.messages(ctx, tx); err != nil {
		return nil, err
	}
	if err := l.cursors(ctx, tx); err != nil {
		return nil, err
	}
	err = tx.QueryRowContext(ctx, "SELECT count(*) FROM discord_recovery_scans").Scan(&l.Scans)
	return l, err
}

// messages reads the rows; a thread's messages have it as their channel.
func (l *Ledger) messages(ctx context.Context, tx *sql.Tx) error {
	rows, err := tx.QueryContext(ctx, "SELECT message_id, coalesce(channel_id, ''), coalesce(thread_id, ''), coalesce(parent_channel_id, ''), "+
		"status, coalesce(replied, 0) <> 0, coalesce(outage_response, 0) <> 0 FROM discord_messages ORDER BY length(message_id), message_id")
	if err != nil {
		return notThere(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id, channel, thread, parent string
		var r Row
		if err := rows.Scan(&id, &channel, &thread, &parent, &r.Status, &r.Replied, &r.Notice); err != nil {
			return err
		}
		if r.ID, err = gapless.ParseID[gapless.MessageID](strings.TrimSpace(id)); err != nil || r.ID == 0 {
			l.Odd = append(l.Odd, fmt.Sprintf("message %q has no id of Discord's", id))
			continue
		}
		r.Place, _ = gapless.ParseID[gapless.ChannelID](first(channel, thread)) // what cannot be read is not known
		r.Parent, _ = gapless.ParseID[gapless.ChannelID](parent)
		r.Thread = thread != "" || parent != ""
		l.Rows = append(l.Rows, r)
	}
	return rows.Err()
}

// cursors reads the last answered id of each channel.
func (l *Ledger) cursors(ctx context.Context, tx *sql.Tx) error {
	rows, err := tx.QueryContext(ctx, "SELECT channel_id, last_message_id FROM discord_recovery_cursors")
	if err != nil {
		return notThere(err)
	}
	defer rows.Close()
	for rows.Next() {
		var channel, last string
		if err := rows.Scan(&channel, &last); err != nil {
			return err
		}
		place, err := gapless.ParseID[gapless.ChannelID](strings.TrimSpace(channel))
		id, err2 := gapless.ParseID[gapless.MessageID](strings.TrimSpace(last))
		if errors.Join(err, err2) != nil || place == 0 {
			l.Odd = append(l.Odd, fmt.Sprintf("cursor of channel %q at %q has no ids of Discord's", channel, last))
			continue
		}
		l.Cursors[place] = id
	}
	return rows.Err()
}

// notThere explains a table that is missing.
func notThere(err error) error {
	if strings.Contains(err.Error(), "no such table") || strings.Contains(err.Error(), "no such column") {
		return fmt.Errorf("it is no ledger of the reference: %w", err)
	}
	return err
}

func first(texts ...string) string {
	for _, s := range texts {
		if s = strings.TrimSpace(s); s != "" {
			return s
		}
	}
	return ""
}
