package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"time"

	"gapless"
)

// writer owns the writing connection: all of it belongs to its one goroutine.
type writer struct {
	l       *Ledger
	conn    *sql.Conn
	stmts   map[string]*sql.Stmt
	known   *known // nil: to be read again
	self    witness
	shown   int64     // the count the witness file has
	showDue time.Time // when it may be written next
	unshown bool      // it could not be written, and the log has it

	erased   bool      // text was removed that the write-ahead log may still hold
	cleanDue time.Time // when the log may be emptied next
}

func newWriter(ctx context.Context, l *Ledger) (*writer, error) {
	conn, err := l.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	w := &writer{l: l, conn: conn, stmts: map[string]*sql.Stmt{}, shown: -1}
	if err := w.compare(ctx); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return w, nil
}

// compare reads the ledger's own count and holds it against the witness.
func (w *writer) compare(ctx context.Context) error {
	row := w.conn.QueryRowContext(ctx, "SELECT ledger, commits, behind FROM meta")
	if err := row.Scan(&w.self.Ledger, &w.self.Commits, &w.l.behind); err != nil {
		return fmt.Errorf("read ledger's count: %w", err)
	}
	seen, ok, err := readWitness(w.l.cfg.Dir)
	if err != nil || !ok || seen.Commits <= w.self.Commits {
		return err
	}
	if seen.Ledger != w.self.Ledger {
		w.l.log(slog.LevelWarn, "the witness in the data directory is another ledger's: this one has taken its place")
		return nil
	}
	w.l.behind += seen.Commits - w.self.Commits
	w.self.Commits = seen.Commits
	_, err = w.conn.ExecContext(ctx, "UPDATE meta SET commits = ?, behind = ?", w.self.Commits, w.l.behind)
	if err != nil {
		return fmt.Errorf("note that the ledger was restored: %w", err)
	}
	w.l.log(slog.LevelWarn, "ledger is older than its witness: restored from a backup", slog.Int64("commits_behind", w.l.behind))
	return nil
}

// run takes deeds until Close, and then releases everything.
func (w *writer) run() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	<-timer.C
	for {
		select {
		case d := <-w.l.queue:
			w.commit(w.waiting(d))
		case <-timer.C:
			w.keepHouse()
		case <-w.l.stop:
			w.close()
			return
		}
		if at, ok := w.chore(); ok {
			timer.Reset(max(time.Until(at), 0))
		}
	}
}

// chore is when there is something to do beside deeds.
func (w *writer) chore() (at time.Time, ok bool) {
	if w.shown != w.self.Commits {
		at, ok = w.showDue, true
	}
	if w.erased && (!ok || w.cleanDue.Before(at)) {
		at, ok = w.cleanDue, true
	}
	return at, ok
}

// keepHouse does what is due.
func (w *writer) keepHouse() {
	now := time.Now()
	if w.shown != w.self.Commits && !now.Before(w.showDue) {
		w.show()
	}
	if w.erased && !now.Before(w.cleanDue) {
		w.clean()
	}
}

// cleanEvery is how often the write-ahead log is emptied at most.
const cleanEvery = time.Minute

// clean empties the write-ahead log, so that text which was removed is not in
// the files any more. While somebody reads it cannot be; then it is tried again.
func (w *writer) clean() {
	w.cleanDue = time.Now().Add(cleanEvery)
	ctx := context.Background()
	var busy, pages, done int
	_, err := w.conn.ExecContext(ctx, "PRAGMA busy_timeout = 0")
	if err == nil {
		err = w.conn.QueryRowContext(ctx, "PRAGMA wal_checkpoint(truncate)").Scan(&busy, &pages, &done)
		_, again := w.conn.ExecContext(ctx, fmt.Sprintf("PRAGMA busy_timeout = %d", busyWait.Milliseconds()))
		err = errors.Join(err, again)
	}
	w.erased = err != nil || busy != 0
	if err != nil && w.l.cfg.Driver.Code(err) != codeBusy {
		w.l.log(slog.LevelWarn, "the ledger's write-ahead log could not be emptied", slog.Any("error", err))
	}
}

// waiting is the deed with all others that wait for their turn now.
func (w *writer) waiting(first *deed) []*deed {
	group := []*deed{first}
	runtime.Gosched() // so that those who were just answered ask again before the group is closed
	for len(group) < w.l.cfg.Group {
		select {
		case d := <-w.l.queue:
			group = append(group, d)
		default:
			return group
		}
	}
	return group
}

func (w *writer) close() {
	if w.shown != w.self.Commits {
		w.show()
	}
	var errs []error
	for _, s := range w.stmts {
		errs = append(errs, s.Close())
	}
	errs = append(errs, w.conn.Close(), w.l.release())
	w.l.closed = errors.Join(errs...)
	close(w.l.stopped)
}

// show writes the witness. Failing to is no reason to stop: it is only older.
// It is tried every second, and a full disk stays full for hours: the log has
// only the first failure and the end of them.
func (w *writer) show() {
	w.showDue = time.Now().Add(witnessEvery)
	err := w.self.write(w.l.cfg.Dir)
	switch {
	case err != nil && !w.unshown:
		w.l.log(slog.LevelWarn, "the ledger's witness cannot be written; tried again every second", slog.Any("error", err))
	case err == nil && w.unshown:
		w.l.log(slog.LevelInfo, "the ledger's witness is written again")
	}
	if w.unshown = err != nil; err == nil {
		w.shown = w.self.Commits
	}
}

// commit stores the deeds in one transaction and answers them. A deed that was
// refused before it wrote anything costs the others nothing. One that failed
// in the middle undoes them all; then each gets a transaction of its own, so
// that it falls alone.
func (w *writer) commit(group []*deed) {
	err := w.together(group)
	if errors.Is(err, errUndone) && len(group) > 1 {
		for _, d := range group {
			w.commit([]*deed{d})
		}
		return
	}
	for _, d := range group {
		if err != nil && !errors.Is(err, errUndone) {
			d.err = err
		}
		d.err = w.named(d)
		close(d.done)
	}
}

// named is the deed's error as callers get it.
func (w *writer) named(d *deed) error {
	if d.err == nil || errors.Is(d.err, gapless.ErrStale) {
		return d.err
	}
	return w.l.cfg.explain(d.name, d.err)
}

// errUndone says that a deed failed after it had written: its transaction was
// undone, its error stands in the deed.
var errUndone = errors.New("undone")

// together runs the deeds in one transaction.
func (w *writer) together(group []*deed) (err error) {
	if err := w.bare("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	t := &tx{w: w, sessions: map[int]gapless.Session{}, places: map[gapless.ChannelID]bool{}}
	defer func() {
		if err != nil || t.writes == 0 {
			w.undo(err)
		}
	}()
	for _, d := range group {
		if d.left.Load() {
			continue
		}
		before := t.writes
		d.err = d.run(t)
		if t.broken || (d.err != nil && t.writes != before) {
			return errUndone
		}
	}
	if t.writes == 0 {
		return nil
	}
	if err := t.flush(); err != nil {
		group[0].err = err // it is alone, or each is tried alone next
		return errUndone
	}
	if _, err := t.exec("UPDATE meta SET commits = commits + 1"); err != nil {
		return err
	}
	if err := w.bare("COMMIT"); err != nil {
		return err
	}
	w.self.Commits++
	if t.erased {
		if !w.erased {
			w.cleanDue = time.Now().Add(cleanEvery)
		}
		w.erased = true
	}
	return nil
}

// undo ends the transaction without a trace. After an error nothing that is
// kept in memory can be trusted, and SQLite may have undone it already.
func (w *writer) undo(err error) {
	if err != nil {
		w.known = nil
	}
	undone := w.bare("ROLLBACK")
	if err == nil && undone != nil {
		w.known = nil
	}
}

func (w *writer) bare(query string) error {
	s, err := w.prepared(query)
	if err != nil {
		return err
	}
	_, err = s.ExecContext(context.Background())
	return err
}

// prepared is the statement of a query, made once.
func (w *writer) prepared(query string) (*sql.Stmt, error) {
	if s := w.stmts[query]; s != nil {
		return s, nil
	}
	s, err := w.conn.PrepareContext(context.Background(), query)
	if err != nil {
		return nil, fmt.Errorf("prepare %.40q: %w", query, err)
	}
	w.stmts[query] = s
	return s, nil
}
