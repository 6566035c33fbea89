package gapless

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// auditRound is how often a part of what is due is compared: its budget is one
// of calls a minute.
const auditRound = time.Minute

// audited reports whether the gap waits for the rounds of the audit, which have
// a budget of their own.
func (e *Engine) audited(g Gap) bool { return g.Cause == CauseAudit && !e.cfg.NoAudit }

// nextAudit sets when the next round is due.
func (r *recovery) nextAudit() {
	if !r.e.cfg.NoAudit {
		r.auditAt = r.e.now().Add(min(auditRound, r.e.cfg.Audit))
	}
}

// audit compares what was heard with history (R13): the guilds' inventories and
// the newest message of recent DMs, which tell of what was lost above every
// head, and the places whose head has moved, longest uncompared first. Each
// comes round once in Config.Audit as far as Config.AuditCalls a minute go;
// RESUMED asks for all of its shard at once, but for what was refused or looked
// at a moment ago.
func (w *pass) audit(ctx context.Context, t Trigger) {
	if w.e.cfg.NoAudit {
		return
	}
	w.r.nextAudit()
	whole := w.budget.Calls
	round := min(whole, w.spend.Calls+w.e.cfg.AuditCalls)
	defer func() { w.budget.Calls = whole }()
	directs := w.directsDue()
	share := (round - w.spend.Calls) / 4 // at least, of DMs and of places: none of the three starves another
	places := w.e.uncompared(share, w.placeDue)
	w.budget.Calls = round - min(share, len(directs)) - places
	w.askInventories(ctx)
	w.budget.Calls = round - places
	w.askDirects(ctx, directs)
	w.budget.Calls = round
	w.compare(ctx, round-w.spend.Calls)
}

// compare reads what was heard in as many places as there is room for.
func (w *pass) compare(ctx context.Context, room int) {
	if room <= 0 || ctx.Err() != nil {
		return
	}
	now := w.e.now()
	w.keep(ctx, "open the ranges of an audit", func(d *draft) {
		for _, p := range d.unaudited(room, w.r.audited, w.placeDue) {
			if l, ok := p.Audit(d.horizon(p.Guild, true)); ok {
				w.r.audited[p.ID] = now
				d.learn(l)
			}
		}
	})
	w.auditing = true
	w.gaps(ctx)
	w.auditing = false
}

// placeDue reports whether it is a place's turn to be compared. It is called
// with coverage held.
func (w *pass) placeDue(p Place) bool {
	return w.due(w.r.audited[p.ID], w.e.marks.resumed[w.e.marks.guilds[p.Guild].Shard])
}

// uncompared is how many places are due to be compared, at most limit.
func (e *Engine) uncompared(limit int, due func(Place) bool) int {
	e.coverage <- struct{}{}
	defer func() { <-e.coverage }()
	return len(newDraft(e.marks, e.rules, Session{}, e.now()).unaudited(limit, e.recovery.audited, due))
}

// askInventories asks for the inventory of every guild that is here and whose
// turn it is, those first that were asked longest ago.
func (w *pass) askInventories(ctx context.Context) {
	now := w.e.now()
	guilds, resumed := w.e.presentGuilds()
	for _, id := range guilds {
		if _, met := w.r.asked[id]; !met && resumed[id].IsZero() { // it has just shown its inventory by itself
			w.r.asked[id] = now
		}
	}
	for _, id := range w.turns(guilds, (w.budget.Calls-w.spend.Calls)/2) {
		if ctx.Err() != nil || w.spend.Calls+2 > w.budget.Calls {
			return
		}
		if w.due(w.r.asked[id], resumed[id]) && !now.Before(w.r.listable(id)) {
			w.r.asked[id] = now
			w.spend.Calls += 2
			w.inventory(ctx, id)
		}
	}
}

// due reports whether the turn of something that was looked at last has come:
// after Config.Audit, or once its shard has resumed since. A connection that
// flaps asks for it once a minute.
func (w *pass) due(last, resumed time.Time) bool {
	ago := w.e.now().Sub(last)
	return ago >= w.e.cfg.Audit || (last.Before(resumed) && ago >= auditRound)
}

func (e *Engine) resumedAt(shard int) time.Time {
	e.coverage <- struct{}{}
	defer func() { <-e.coverage }()
	return e.marks.resumed[shard]
}

// turns puts guilds in the order in which they are asked. Where the round has
// not room for all of them, half of it goes to those in which most was said
// since they were asked, the latest first: there most can be missing. The rest
// goes to those that were asked longest ago, so that each has its turn.
func (w *pass) turns(guilds []GuildID, room int) []GuildID {
	slices.SortStableFunc(guilds, func(a, b GuildID) int { return w.r.asked[a].Compare(w.r.asked[b]) })
	if len(guilds) <= room {
		return guilds
	}
	active := w.e.activity()
	busy := slices.DeleteFunc(slices.Clone(guilds), func(id GuildID) bool { return !active[id].After(w.r.asked[id]) })
	slices.SortStableFunc(busy, func(a, b GuildID) int { return active[b].Compare(active[a]) })
	busy = busy[:min(len(busy), max(room/2, 0))]
	rest := slices.DeleteFunc(guilds, func(id GuildID) bool { return slices.Contains(busy, id) })
	return slices.Concat(busy, rest)
}

// activity is when the latest message known of each guild was written.
func (e *Engine) activity() map[GuildID]time.Time {
	e.coverage <- struct{}{}
	defer func() { <-e.coverage }()
	heads := map[GuildID]MessageID{}
	for _, p := range e.marks.places {
		if p.Kind.HoldsMessages() {
			heads[p.Guild] = max(heads[p.Guild], p.Head)
		}
	}
	out := make(map[GuildID]time.Time, len(heads))
	for id, head := range heads {
		out[id] = head.Time()
	}
	return out
}

// directsDue is the DMs that were active within the window and whose turn it
// is, those first that were asked longest ago, then the most recently active.
func (w *pass) directsDue() []Place {
	now, resumed := w.e.now(), w.e.resumedAt(0)
	due := w.e.directs(func(p Place) bool {
		return w.due(w.r.polled[p.ID], resumed) && !now.Before(w.r.directs[p.ID].due) && p.Head.Time().After(now.Add(-w.budget.Window))
	})
	slices.SortStableFunc(due, func(a, b Place) int { return w.r.polled[a.ID].Compare(w.r.polled[b.ID]) })
	return due
}

// askDirects asks these DMs for their newest message, as far as the budget goes.
func (w *pass) askDirects(ctx context.Context, due []Place) {
	now := w.e.now()
	for _, p := range due {
		if ctx.Err() != nil || !w.spend.Within(w.budget) {
			return
		}
		w.r.polled[p.ID] = now
		w.direct(ctx, p)
	}
}

// presentGuilds is the guilds that are to be asked, and when the shard of each
// last resumed.
func (e *Engine) presentGuilds() (out []GuildID, resumed map[GuildID]time.Time) {
	e.coverage <- struct{}{}
	defer func() { <-e.coverage }()
	resumed = map[GuildID]time.Time{}
	unwanted := e.unwanted()
	for id, g := range e.marks.guilds {
		if !g.Away && !unwanted[id] {
			out, resumed[id] = append(out, id), e.marks.resumed[g.Shard]
		}
	}
	slices.Sort(out)
	return out, resumed
}

// unaudited is the places to compare next: those that have no open gap, as its
// reading comes first, and whose head is beyond what was compared. Those come
// first whose turn was longest ago, then those that were active last.
func (d *draft) unaudited(limit int, turn map[ChannelID]time.Time, due func(Place) bool) []Place {
	k := d.marks
	open := map[ChannelID]bool{}
	for _, g := range k.gaps {
		open[g.Place] = true
	}
	var out []Place
	for _, p := range k.places {
		if p.Verified < p.Head && p.Kind.HoldsMessages() && !p.Gone && !p.Hidden && !open[p.ID] && !d.unreadable(p) && due(p) && d.read(p) {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b Place) int {
		return cmp.Or(turn[a.ID].Compare(turn[b.ID]), cmp.Compare(b.Head, a.Head), cmp.Compare(a.ID, b.ID))
	})
	return out[:min(limit, len(out))]
}

// silent counts messages that were lost on a connection that seemed healthy,
// and has it renewed: the next ones may be lost the same way (C17, C21).
func (w *pass) silent(g Gap, n int) {
	w.record.Silent += n
	w.e.log.Warn("messages were lost silently and are recovered", "place", g.Place, "messages", n)
	if deaf := w.e.cfg.Deaf; deaf != nil && w.e.now().Sub(w.r.deafAt) > deafEvery {
		w.r.deafAt = w.e.now()
		deaf("an audit found messages that the connection did not bring")
	}
}

// deafEvery is the least time between two renewals for deafness.
const deafEvery = 5 * time.Minute

// behind is how far the audit is behind now.
func (e *Engine) behind() (u Unaudited) {
	if e.cfg.NoAudit {
		return u
	}
	e.coverage <- struct{}{}
	defer func() { <-e.coverage }()
	d := newDraft(e.marks, e.rules, Session{}, e.now())
	oldest, calls := MessageID(0), 2*len(e.marks.guilds)
	for _, p := range e.marks.places {
		if p.Verified >= p.Head || !p.Kind.HoldsMessages() || p.Gone || p.Hidden || !d.read(p) {
			continue
		}
		u.Places++
		calls++
		if oldest == 0 || p.Verified < oldest {
			oldest = p.Verified
		}
	}
	if oldest != 0 {
		u.Since = oldest.Time()
	}
	u.Round = max(time.Duration(calls)*time.Minute/time.Duration(e.cfg.AuditCalls), e.cfg.Audit)
	return u
}
