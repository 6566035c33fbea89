package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"gapless"
)

// reader runs a query and calls f for each row.
type reader func(query string, args []any, f func(scan func(...any) error) error) error

// view reads something of one moment. It reads beside the writer and does not
// hold it up, unless there is only one connection.
func view[T any](ctx context.Context, l *Ledger, deed string, f func(reader) (T, error)) (out T, err error) {
	if l.closing.Load() {
		return out, gapless.ErrClosed
	}
	if l.read == nil {
		return ask(ctx, l, deed, func(t *tx) (T, error) {
			if err := t.flush(); err != nil {
				return out, err
			}
			return f(t.rows)
		})
	}
	out, err = snapshot(ctx, l.read, f)
	if err != nil && l.closing.Load() {
		return out, gapless.ErrClosed
	}
	return out, l.cfg.explain(deed, err)
}

// snapshot reads something in one transaction of its own.
func snapshot[T any](ctx context.Context, db *sql.DB, f func(reader) (T, error)) (out T, err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if _, err := conn.ExecContext(ctx, "BEGIN DEFERRED"); err != nil {
		return out, err
	}
	defer func() {
		_, undone := conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
		err = errors.Join(err, undone)
	}()
	out, err = f(func(query string, args []any, f func(func(...any) error) error) error {
		rows, err := conn.QueryContext(ctx, query, args...)
		if err != nil {
			return err
		}
		return each(rows, f)
	})
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return out, err
}

// one reads the only row of a query, if there is one.
func (r reader) one(query string, args []any, dest ...any) (found bool, err error) {
	err = r(query, args, func(scan func(...any) error) error {
		found = true
		return scan(dest...)
	})
	return found, err
}
