package gapless

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// pass runs one pass and records it; left says that guilds are still to be
// asked for their inventory.
func (r *recovery) pass(ctx context.Context, t Trigger) (record Pass, left bool) {
	r.passes++
	r.again = time.Time{}
	w := &pass{e: r.e, r: r, budget: r.e.cfg.Budget, places: outcomes{}, pages: map[GapID]int{}, busy: map[ChannelID]bool{}}
	w.record = Pass{
		ID: fmt.Sprintf("%s-%d", r.e.cfg.Boot, r.passes), Trigger: t, StartedAt: r.e.now(), State: PassRunning,
	}
	if t != TriggerAudit { // a round that finds nothing to compare leaves no record
		w.store(ctx)
	}
	w.inventories(ctx, t)
	w.owedDirects(ctx)
	w.gaps(ctx)
	w.listings(ctx, t) // what was read may tell of threads that are in no inventory
	w.gaps(ctx)
	if t == TriggerAudit || t == TriggerResumed {
		w.audit(ctx, t)
		w.gaps(ctx) // what it found missing
	}
	w.finish(ctx)
	p := w.record
	if t == TriggerAudit && p.Calls == 0 && p.Error == "" { // what stays obstructed has its record already
		return p, w.unlisted
	}
	w.store(ctx)
	r.e.log.Info("pass ended", "pass", p.ID, "trigger", p.Trigger, "state", p.State, "calls", p.Calls,
		"examined", p.Examined, "admitted", p.Admitted, "gaps_closed", p.Closed, "remainder", len(p.Remainder))
	return p, w.unlisted
}

// pass is one run of recovery. Its fields belong to the goroutine of run;
// readers only fill the reading they return.
type pass struct {
	e      *Engine
	r      *recovery
	budget Budget
	record Pass
	spend  Spend
	places outcomes
	pages  map[GapID]int
	busy   map[ChannelID]bool // places that are being read: one gap of each at a time, so that they come in order

	unlisted bool // a guild's inventory is still owed
	auditing bool // what is read now is at the audit's expense
}

// inventories asks for what a discontinuity without GUILD_CREATE leaves
// unknown: two calls a guild (R2).
func (w *pass) inventories(ctx context.Context, t Trigger) {
	now := w.e.now()
	if t == TriggerJump { // no GUILD_CREATE follows a jump: do not wait for one
		now = now.Add(InventoryGrace)
	}
	w.e.coverage <- struct{}{}
	guilds := w.e.marks.overdue(now, w.r.listable, w.e.unwanted())
	<-w.e.coverage
	for _, id := range guilds {
		if ctx.Err() != nil || w.spend.Calls+2 > w.budget.Calls {
			w.unlisted = true
			w.leave(Remainder{Guild: id, Reason: ObstacleBudget})
			continue
		}
		w.spend.Calls += 2
		w.inventory(ctx, id)
	}
}

func (w *pass) inventory(ctx context.Context, id GuildID) {
	g, err := w.e.cfg.History.Inventory(ctx, id)
	switch {
	case errors.Is(err, ErrUnknownGuild), errors.Is(err, ErrForbidden):
		g = Guild{ID: id, Unavailable: true}
	case err != nil:
		try := w.r.unread[id]
		try.tries++
		try.due = w.e.now().Add(min(obstacleBase<<min(try.tries-1, 10), obstacleCeiling))
		w.r.unread[id] = try
		w.e.log.Warn("the inventory of a guild could not be read; asked again later", "guild", id, "due", try.due, "error", err)
		w.leave(Remainder{Guild: id, Reason: ObstacleUnavailable, DueAt: try.due})
		return
	}
	delete(w.r.unread, id)
	g.ID = id
	unripe := false
	err = w.e.change(ctx, "store an inventory", func() *draft {
		mark, known := w.e.marks.guilds[id]
		if !known {
			return nil
		}
		d := newDraft(w.e.marks, w.e.rules, w.e.marks.sessions[mark.Shard], w.e.now())
		d.shard = mark.Shard
		d.guildSeen(g, false)
		unripe = d.unripe
		d.trigger = "" // this pass reads what it opens
		return d
	})
	if err != nil && ctx.Err() == nil {
		w.record.Error = err.Error()
	}
	if unripe { // the next round will be able to tell
		w.r.asked[id] = w.e.now().Add(Overlap - w.e.cfg.Audit)
	}
}

// leave notes something that stays owed.
func (w *pass) leave(m Remainder) { w.record.Remainder = append(w.record.Remainder, m) }

// finish names what is left, lets it hold nothing any more, and ends the record.
func (w *pass) finish(ctx context.Context) {
	obstructed := len(w.record.Remainder) > 0
	spent, budget := !w.spend.Within(w.budget), false
	left := map[GapID]time.Time{}
	for _, g := range w.e.snapshot().gaps {
		m := Remainder{Place: g.Place, After: g.After, Upto: g.Upto, Reason: g.Obstacle, DueAt: g.DueAt}
		switch due := g.Due(w.e.now()); {
		case due && w.e.audited(g): // an audit's own budget left it to the next round
			m.Reason, m.DueAt = ObstacleBudget, w.r.auditAt
			left[g.ID] = w.r.auditAt
		case due && !spent:
			continue // it was opened after we looked last: the next pass's, which it has kicked
		case due:
			budget, m.Reason = true, ObstacleBudget
			left[g.ID] = g.DueAt
		case g.Obstacle != ObstacleFresh:
			obstructed = true
		}
		w.leave(m)
	}
	w.release(ctx, left)
	w.record.EndedAt = w.e.now()
	w.record.Places = w.places.list(w.record.Remainder)
	w.record.Unaudited = w.e.behind()
	w.unmatched()
	w.record.Calls, w.record.Examined = w.spend.Calls, w.spend.Examined
	switch {
	case ctx.Err() != nil:
		w.record.State = PassCancelled
	case w.record.Error != "":
		w.record.State = PassFailed
	case budget:
		w.record.State = PassPartial
	case obstructed:
		w.record.State = PassDegraded
	case w.spend.Calls == 0:
		w.record.State = PassSkipped
	default:
		w.record.State = PassSuccess
	}
}

// release lets the gaps that the budget left over hold nothing (promise 9), in
// one transaction: there may be thousands. It says when each is due again.
func (w *pass) release(ctx context.Context, left map[GapID]time.Time) {
	if len(left) == 0 || ctx.Err() != nil {
		return
	}
	err := w.e.change(ctx, "release leftover gaps", func() *draft {
		d := newDraft(w.e.marks, w.e.rules, Session{}, w.e.now())
		for _, g := range w.e.marks.openGaps() {
			due, ours := left[g.ID]
			if !ours || (g.Obstacle == ObstacleBudget && g.DueAt.Equal(due)) {
				continue
			}
			m := g.Leftover()
			m.DueAt = due
			d.move(g, m)
		}
		return d
	})
	if err != nil && ctx.Err() == nil {
		w.record.Error = err.Error()
	}
}

// store records the pass; a record that cannot be written is only a pity.
func (w *pass) store(ctx context.Context) {
	if err := w.e.cfg.Ledger.Record(context.WithoutCancel(ctx), w.record); err != nil {
		w.e.log.Warn("the record of a pass could not be stored", "pass", w.record.ID, "error", err)
	}
}

// later asks for a pass at the instant, for something that is not a gap.
func (w *pass) later(at time.Time) {
	if w.r.again.IsZero() || at.Before(w.r.again) {
		w.r.again = at
	}
}
