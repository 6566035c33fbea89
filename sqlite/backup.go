package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"gapless"
)

// Backup writes a copy of the ledger, as of one moment, to a file that does not
// exist yet, readable by its owner only. It reads beside the writer and does not
// hold it up. Nothing stands at path before the copy is whole, has been checked
// and is on the disk.
//
// The copy has the text of what is still owed, and no other: neither what was
// removed nor what has settled. It is restored by putting it in a data directory
// as gapless.db, without the -wal and -shm of another; the witness there, if it
// is this ledger's, then tells how much is missing (R15).
func (l *Ledger) Backup(ctx context.Context, path string) error {
	switch {
	case l.closing.Load():
		return gapless.ErrClosed
	case l.read == nil:
		return errors.New("back up ledger: it is open for one connection alone, which writes: open it without Exclusive")
	}
	err := l.cfg.backup(ctx, reading(), path)
	if err != nil && l.closing.Load() {
		return gapless.ErrClosed
	}
	return err
}

// Backup is [Ledger.Backup] beside a running daemon, or without one.
func (r *Reader) Backup(ctx context.Context, path string) error {
	return r.cfg.backup(ctx, r.cfg.beside(), path)
}

// backup copies the database as a connection with these parameters sees it.
func (c Config) backup(ctx context.Context, params url.Values, path string) (err error) {
	path, err = filepath.Abs(path)
	if err != nil {
		return fmt.Errorf("back up ledger: %w", err)
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		if err == nil {
			err = fmt.Errorf("%s exists: %w: name another file", path, fs.ErrExist)
		}
		return fmt.Errorf("back up ledger: %w", err)
	}
	part, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.part") // its owner's alone, as such files are
	if err != nil {
		return fmt.Errorf("back up ledger: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(part.Name()))
		}
	}()
	if err := part.Close(); err != nil {
		return fmt.Errorf("back up ledger: %w", err)
	}
	if err := c.copyTo(ctx, params, part.Name()); err != nil {
		return c.copyError(ctx, err)
	}
	if err := c.reduce(ctx, part.Name()); err != nil {
		return c.copyError(ctx, err)
	}
	if err := toDisk(part.Name()); err != nil {
		return fmt.Errorf("back up ledger: %w", err)
	}
	if err := os.Rename(part.Name(), path); err != nil {
		return fmt.Errorf("back up ledger: %w", err)
	}
	return nil
}

// copyTo writes what is live in the database to an empty file.
func (c Config) copyTo(ctx context.Context, params url.Values, path string) (err error) {
	params["_pragma"] = pragmas()["_pragma"] // SQLite takes a copy for writing, which query_only forbids
	db, err := sql.Open(c.Driver.Name, source(c.database(), params))
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "VACUUM INTO ?", path)
	return errors.Join(err, db.Close())
}

// copyError is what SQLite said while it copied, or the caller's own end.
func (c Config) copyError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return c.explain("back up ledger", err)
}

// reductions take out of a copy what nobody is owed.
var reductions = []string{
	"DELETE FROM texts WHERE id IN (SELECT m.id FROM messages m JOIN deliveries d ON d.n = m.delivery WHERE d.state = 'settled')",
	"UPDATE replies SET text = '' WHERE text <> '' AND state <> 'intended' AND state <> 'unknown'",
	"UPDATE deliveries SET stripped = 1 WHERE state = 'settled' AND " + owesNothing,
}

// reduce takes text that is not owed out of a copy, and checks it whole.
func (c Config) reduce(ctx context.Context, path string) (err error) {
	db, err := sql.Open(c.Driver.Name, source(path, pragmas("journal_mode(memory)", "synchronous(full)", "secure_delete(on)")))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	for _, query := range reductions {
		if err == nil {
			_, err = tx.ExecContext(ctx, query)
		}
	}
	if err != nil {
		return errors.Join(err, tx.Rollback())
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	var said string
	if err := db.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&said); err != nil {
		return err
	}
	if said != "ok" {
		return fmt.Errorf("the copy is damaged (%s), and so perhaps is the ledger: check the disk", said)
	}
	return nil
}

// toDisk puts a file on the disk.
func toDisk(name string) error {
	f, err := os.OpenFile(name, os.O_RDWR, fileMode)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
