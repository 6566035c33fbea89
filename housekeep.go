package gapless

import (
	"context"
	"time"
)

// pruneEvery is how often the ledger is cleaned up; pruneLimit is how many rows
// one step may take, so that it never holds up anything else (S57).
const (
	pruneEvery = time.Minute
	pruneLimit = 500
)

// clockLimit is how far the host's clock may be off before that is said: what
// is shown and logged is in its time (C100).
const clockLimit = 5 * time.Second

// watchClock says once when the host's clock is off, and once when it is right
// again.
func (e *Engine) watchClock(said bool) bool {
	if e.cfg.Clock == nil {
		return said
	}
	off := e.cfg.Clock.Offset()
	wrong := off.Abs() > clockLimit
	switch {
	case wrong && !said:
		e.log.Warn("the host's clock is off; nothing is lost by it, but what is logged is in its time: correct it", "discord_is_ahead_by", off.Round(time.Second))
	case !wrong && said:
		e.log.Info("the host's clock is right again")
	}
	return wrong
}

// housekeep removes text and rows that nobody can miss any more.
func (e *Engine) housekeep(ctx context.Context) {
	said := false
	for sleep(ctx, pruneEvery) == nil {
		said = e.watchClock(said)
		for more := true; more && ctx.Err() == nil; {
			now := e.now()
			var err error
			more, err = e.cfg.Ledger.Prune(ctx, Prune{Text: now.Add(-e.cfg.Text), Rows: now.Add(-e.cfg.Rows), Limit: pruneLimit})
			if err != nil && ctx.Err() == nil {
				e.log.Warn("the ledger could not be cleaned up; trying again later", "error", err)
				break
			}
		}
	}
}
