package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"gapless"
)

// Reader reads a ledger without owning it: beside the daemon that does, or
// when there is none.
type Reader struct {
	cfg Config
	db  *sql.DB
}

// OpenReadOnly opens the ledger in dir for reading. It changes nothing in the
// database. Without a ledger there, the error wraps [fs.ErrNotExist].
func OpenReadOnly(ctx context.Context, dir string) (*Reader, error) {
	cfg, err := Config{Dir: dir}.withDefaults()
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(cfg.database()); err != nil || info.Size() == 0 {
		if err == nil {
			err = fs.ErrNotExist
		}
		return nil, fmt.Errorf("no ledger in %s: %w: has gapless run with this data directory?", cfg.Dir, err)
	}
	if err := headed(cfg.database()); err != nil {
		return nil, err
	}
	db, err := sql.Open(cfg.Driver.Name, source(cfg.database(), cfg.beside()))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	r := &Reader{cfg: cfg, db: db}
	if err := r.check(ctx); err != nil {
		return nil, errors.Join(cfg.explain("open ledger for reading", err), db.Close())
	}
	return r, nil
}

// beside are the parameters of a reading connection. What was left behind by a
// daemon that was killed is read like a running one's; after an orderly end
// there is only the database, and reading it must not make companions.
func (c Config) beside() (params map[string][]string) {
	v := reading()
	if info, err := os.Stat(c.database() + "-wal"); err == nil && info.Size() > 0 {
		return v
	}
	if running, _ := Running(c.Dir); running {
		return v
	}
	v.Set("immutable", "1")
	return v
}

func (r *Reader) check(ctx context.Context) error {
	if err := notNewer(ctx, r.cfg, r.db); err != nil {
		return err
	}
	has, err := version(ctx, r.db)
	if err == nil && has < newest() {
		err = fmt.Errorf("ledger %s has schema %d and this program reads %d: start the daemon once to bring it up to date",
			r.cfg.database(), has, newest())
	}
	return err
}

// Status gives counts and lists for a person to read, all of one moment.
func (r *Reader) Status(ctx context.Context) (gapless.LedgerStatus, error) {
	s, err := snapshot(ctx, r.db, status)
	return s, r.cfg.explain("read status", err)
}

// Story gives all that is known of one message.
func (r *Reader) Story(ctx context.Context, id gapless.MessageID) (gapless.Story, error) {
	s, err := snapshot(ctx, r.db, storyOf(id))
	return s, r.cfg.explain("read story of message "+id.String(), err)
}

// Deliveries lists the deliveries that the filter names.
func (r *Reader) Deliveries(ctx context.Context, f gapless.DeliveryFilter) ([]gapless.Delivery, error) {
	list, err := listing(f)
	if err != nil {
		return nil, err
	}
	out, err := snapshot(ctx, r.db, list)
	return out, r.cfg.explain("list deliveries", err)
}

// Close ends the reading.
func (r *Reader) Close() error { return r.db.Close() }
