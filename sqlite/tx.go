package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"gapless"
)

// tx is the transaction that deeds run in.
type tx struct {
	w      *writer
	writes int  // statements that may have changed something
	broken bool // a statement failed: the transaction cannot be trusted
	erased bool // text was removed

	// Marks that many deeds of a group move; the last one is written, by flush.
	sessions map[int]gapless.Session
	places   map[gapless.ChannelID]bool // those of the known ones that have changed
}

// flush writes the marks. Whatever reads them from the database comes after it.
func (t *tx) flush() error {
	for shard, s := range t.sessions {
		if err := t.putSession(s); err != nil {
			return fmt.Errorf("store session of shard %d: %w", shard, err)
		}
	}
	for id := range t.places {
		if err := t.putPlace(t.w.known.places[id]); err != nil {
			return fmt.Errorf("store marks of place %s: %w", id, err)
		}
	}
	clear(t.sessions)
	clear(t.places)
	return nil
}

// erase is exec for a statement that removes text.
func (t *tx) erase(query string, args ...any) error {
	n, err := t.exec(query, args...)
	t.erased = t.erased || n > 0
	return err
}

// exec runs a writing statement and tells how many rows it changed.
func (t *tx) exec(query string, args ...any) (changed int64, err error) {
	s, err := t.w.prepared(query)
	if err != nil {
		t.broken = true
		return 0, err
	}
	res, err := s.ExecContext(context.Background(), args...)
	if err != nil {
		t.writes++
		t.broken = true
		return 0, err
	}
	changed, err = res.RowsAffected()
	if changed > 0 {
		t.writes++
	}
	return changed, err
}

// row reads one row into dest and tells whether there is one.
func (t *tx) row(query string, args []any, dest ...any) (found bool, err error) {
	s, err := t.w.prepared(query)
	if err == nil {
		err = s.QueryRowContext(context.Background(), args...).Scan(dest...)
	}
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		t.broken = true
	}
	return err == nil, err
}

// rows calls f for each row of a query; scan reads the row's columns.
func (t *tx) rows(query string, args []any, f func(scan func(...any) error) error) error {
	s, err := t.w.prepared(query)
	if err != nil {
		t.broken = true
		return err
	}
	rows, err := s.QueryContext(context.Background(), args...)
	if err == nil {
		err = each(rows, f)
	}
	if err != nil {
		t.broken = true
	}
	return err
}

// each drains rows into f and closes them.
func each(rows *sql.Rows, f func(scan func(...any) error) error) error {
	for rows.Next() {
		if err := f(rows.Scan); err != nil {
			return errors.Join(err, rows.Close())
		}
	}
	return errors.Join(rows.Err(), rows.Close())
}
