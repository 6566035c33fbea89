package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"

	"gapless"
)

// Ledger is a gapless.Ledger in one SQLite file. Its methods may be called
// from any goroutine. It owns one goroutine from Open to Close.
type Ledger struct {
	cfg  Config
	db   *sql.DB // of the writer alone, but for Exclusive status
	read *sql.DB // nil if Exclusive
	lock *lock

	queue   chan *deed
	stop    chan struct{} // closed by Close
	stopped chan struct{} // closed by the writer once everything is released
	closing atomic.Bool
	closed  error // what closing came to; read after stopped

	behind int64
}

var _ gapless.Ledger = (*Ledger)(nil)

// Open opens the ledger in cfg.Dir, making it if it is not there, and takes
// the directory for this process. Errors name the path and the next step; one
// that wraps [gapless.ErrLocked] says which process has it.
func Open(ctx context.Context, cfg Config) (*Ledger, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := makeDir(cfg.Dir); err != nil {
		return nil, err
	}
	lock, err := takeLock(cfg.Dir)
	if err != nil {
		return nil, err
	}
	l := &Ledger{
		cfg: cfg, lock: lock,
		queue: make(chan *deed), stop: make(chan struct{}), stopped: make(chan struct{}),
	}
	w, err := l.open(ctx)
	if err != nil {
		return nil, errors.Join(cfg.explain("open ledger", err), l.release())
	}
	go w.run()
	return l, nil
}

// open opens the database and readies the writer.
func (l *Ledger) open(ctx context.Context) (*writer, error) {
	cfg := l.cfg
	if cfg.VFS == "" {
		if err := cfg.lay(ctx); err != nil {
			return nil, err
		}
	}
	var err error
	if l.db, err = sql.Open(cfg.Driver.Name, source(cfg.database(), cfg.writing())); err != nil {
		return nil, err
	}
	l.db.SetMaxOpenConns(1)
	if err := prepare(ctx, cfg, l.db); err != nil {
		return nil, err
	}
	if !cfg.Exclusive {
		params := reading()
		if cfg.VFS != "" {
			params.Set("vfs", cfg.VFS)
		}
		if l.read, err = sql.Open(cfg.Driver.Name, source(cfg.database(), params)); err != nil {
			return nil, err
		}
		l.read.SetMaxOpenConns(1)
	}
	return newWriter(ctx, l)
}

// lay makes the database and its companions. The companions come last: SQLite
// removes a log that it finds beside an empty database.
func (c Config) lay(ctx context.Context) error {
	db := c.database()
	for _, step := range []func() error{
		func() error { return makeFiles(db) },
		func() error { return headed(db) },
		func() error { return seed(ctx, c) },
		func() error { return makeFiles(db+"-wal", db+"-shm") },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// Behind is how many commits the witness knew of that the database lacked when
// it was opened, now or earlier: it was restored from a backup (R15). Zero for
// a ledger that never was.
func (l *Ledger) Behind() int64 { return l.behind }

// Dir is the data directory.
func (l *Ledger) Dir() string { return l.cfg.Dir }

// Close stores what is in work, refuses the rest with [gapless.ErrClosed] and
// gives the directory back. It may be called more than once.
func (l *Ledger) Close() error {
	if l.closing.CompareAndSwap(false, true) {
		close(l.stop)
	}
	<-l.stopped
	return l.closed
}

// release closes what has been opened.
func (l *Ledger) release() error {
	var errs []error
	if l.read != nil {
		errs = append(errs, l.read.Close())
	}
	if l.db != nil {
		errs = append(errs, l.db.Close())
	}
	return errors.Join(append(errs, l.lock.release())...)
}

// explain wraps an error with the deed and, where SQLite's code says something
// an operator can act on, with the next step.
func (c Config) explain(deed string, err error) error {
	if err == nil {
		return nil
	}
	next := ""
	switch c.Driver.Code(err) {
	case codeBusy:
		next = "another process has been writing to " + c.database() + " for seconds: end it"
	case codeReadOnly, codeCantOpen:
		next = "the user of this program must own " + c.Dir + " and be able to write there"
	case codeIO:
		next = "the disk that holds " + c.Dir + " is full or fails: look at it; what was stored is safe"
	case codeError:
		if !strings.Contains(err.Error(), "unsupported file format") { // a damaged header, in SQLite's words
			return fmt.Errorf("%s: %w", deed, err)
		}
		next = "the ledger " + c.database() + " is damaged; " + wayBack
	case codeCorrupt, codeNotADB:
		next = "the ledger " + c.database() + " is damaged; " + wayBack
	case codeFull:
		next = "the disk that holds " + c.Dir + " is full: make room; what was stored is safe"
	default:
		return fmt.Errorf("%s: %w", deed, err)
	}
	return fmt.Errorf("%s: %w: %s", deed, err, next)
}

// log writes one line about the ledger.
func (l *Ledger) log(level slog.Level, msg string, attrs ...slog.Attr) {
	l.cfg.Logger.LogAttrs(context.Background(), level, msg, append(attrs, slog.String("ledger", l.cfg.Dir))...)
}
