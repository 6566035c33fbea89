package gapless

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// retryAt is when something that could not be read is tried again.
type retryAt struct {
	tries int
	due   time.Time
}

// owedDirects reads each remembered DM once after a discontinuity, the most
// recently active first: DMs are in no inventory (R6, C02, C50). What the
// budget leaves is named and read in the next pass.
func (w *pass) owedDirects(ctx context.Context) {
	for _, p := range w.e.directsOwed() {
		if ctx.Err() != nil {
			return
		}
		if try := w.r.directs[p.ID]; w.e.now().Before(try.due) {
			w.later(try.due)
			w.leave(Remainder{Place: p.ID, Reason: ObstacleUnavailable, DueAt: try.due})
			continue
		}
		if !w.spend.Within(w.budget) {
			w.later(w.record.StartedAt.Add(time.Minute)) // they are many, and most hold nothing new
			w.leave(Remainder{Place: p.ID, Reason: ObstacleBudget})
			continue
		}
		w.direct(ctx, p)
	}
}

// directsOwed is the DMs that were not compared since the last discontinuity.
func (e *Engine) directsOwed() []Place {
	return e.directs(func(p Place) bool { return p.Epoch < e.marks.shards[0].Epoch })
}

// directs is the DMs that are wanted, the most recently active first. want is
// called with coverage held.
func (e *Engine) directs(want func(Place) bool) []Place {
	e.coverage <- struct{}{}
	defer func() { <-e.coverage }()
	var out []Place
	d := newDraft(e.marks, e.rules, Session{}, e.now())
	for _, p := range e.marks.places {
		if p.Kind.Direct() && !p.Gone && want(p) && d.read(p) {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b Place) int { return cmp.Or(cmp.Compare(b.Head, a.Head), cmp.Compare(a.ID, b.ID)) })
	return out
}

// direct asks for the newest message of a DM, which settles it as an inventory
// would (R3).
func (w *pass) direct(ctx context.Context, p Place) {
	w.spend.Calls++
	newest, err := w.e.cfg.History.Newest(ctx, p.ID)
	switch {
	case ctx.Err() != nil:
		return
	case errors.Is(err, ErrUnknownChannel):
		w.reopen(ctx, p)
		return
	case err != nil:
		w.unread(p, err)
		return
	}
	if newest < p.Head && !w.deleted(ctx, p) {
		w.unread(p, fmt.Errorf("its history ends below what was heard: %w", ErrUnavailable))
		return
	}
	delete(w.r.directs, p.ID)
	w.keep(ctx, "store what a DM holds", func(d *draft) {
		now, _ := d.place(p.ID)
		h := d.horizon(0, true)
		h.Asked = true
		l := now.Listed(newest, h)
		l.Change.Epoch = max(l.Change.Epoch, h.Epoch) // empty or older: compared all the same
		d.learn(l)
	})
}

// deleted reports whether the newest message known of a DM is gone. While it
// exists, a history that ends below it is behind or hidden, and settles nothing
// (R9).
func (w *pass) deleted(ctx context.Context, p Place) bool {
	if p.Head <= MessageID(p.ID) { // no message was ever known
		return true
	}
	w.spend.Calls++
	_, err := w.e.cfg.History.Message(ctx, p.ID, p.Head)
	return errors.Is(err, ErrUnknownMessage)
}

// unread notes that a DM could not be read; it is tried again with back-off.
func (w *pass) unread(p Place, err error) {
	try := w.r.directs[p.ID]
	try.tries++
	base := obstacleBase
	if errors.Is(err, ErrForbidden) {
		base = refusalBase
	}
	try.due = w.e.now().Add(min(base<<min(try.tries-1, 10), obstacleCeiling))
	w.r.directs[p.ID] = try
	w.later(try.due)
	w.leave(Remainder{Place: p.ID, Reason: obstacleOf(err), DueAt: try.due})
	w.e.log.Warn("a DM could not be read; tried again later", "place", p.ID, "due", try.due, "error", err)
}

// reopen finds the DM of a recipient whose channel is gone: its numbers follow
// to the new one (R6).
func (w *pass) reopen(ctx context.Context, p Place) {
	if p.Recipient == 0 {
		w.keep(ctx, "store that a DM is gone", func(d *draft) { d.gone(p.ID) })
		return
	}
	w.spend.Calls++
	c, err := w.e.cfg.History.OpenDM(ctx, p.Recipient)
	if err != nil || c.ID == p.ID {
		w.unread(p, cmp.Or(err, ErrUnknownChannel))
		return
	}
	w.e.log.Info("a DM has a new channel", "place", p.ID, "new", c.ID)
	c.Kind, c.Recipient = DM, p.Recipient
	w.keep(ctx, "store the new channel of a DM", func(d *draft) {
		old, _ := d.place(p.ID)
		d.learn(Learnt{Change: PlaceChange{
			ID: c.ID, Describe: &c, Floor: old.Floor, Verified: old.Verified, Head: old.Head, Epoch: old.Epoch,
		}})
		d.gone(p.ID)
	})
	w.later(w.e.now()) // the new channel is still to be read
}

// keep stores a change of what the pass itself found out.
func (w *pass) keep(ctx context.Context, deed string, build func(*draft)) {
	err := w.e.change(ctx, deed, func() *draft {
		d := newDraft(w.e.marks, w.e.rules, w.e.marks.sessions[0], w.e.now())
		build(d)
		d.trigger = "" // this pass reads what it opens
		return d
	})
	if err != nil && ctx.Err() == nil {
		w.record.Error = err.Error()
	}
}
