package gapless

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"
)

// longOutage is the shortest time after which Discord archives a thread by
// itself: only a longer outage can have hidden one that nobody archived.
const longOutage = time.Hour

// restful is how many listings that nothing points to are paid a pass.
const restful = 5

// listings pays the debts of R7: a thread that was born, used and archived
// while we were away is in no inventory. Urgent debts are paid at once, the
// others a few a pass; what is left is named and comes later.
func (w *pass) listings(ctx context.Context, t Trigger) {
	patient := 0
	for _, p := range w.e.debtors() {
		if ctx.Err() != nil {
			return
		}
		try := w.r.listing[p.ID]
		if w.e.now().Before(try.due) {
			w.later(try.due)
			continue
		}
		urgent := w.e.urgent(p)
		if !urgent {
			if patient == restful || !w.e.atRest(t) {
				if w.e.cfg.NoAudit {
					w.later(w.record.StartedAt.Add(time.Minute))
				}
				continue // the next audit goes on
			}
			patient++
		}
		if !w.spend.Within(w.budget) {
			w.later(w.record.StartedAt.Add(w.budget.Rest))
			if urgent {
				w.leave(Remainder{Place: p.ID, Reason: ObstacleListing})
			}
			continue
		}
		w.list(ctx, p, try)
	}
}

// atRest reports whether a pass is one that has time for what can wait: an
// audit or, without audits, one that nothing happened to ask for.
func (e *Engine) atRest(t Trigger) bool {
	return t == TriggerAudit || (e.cfg.NoAudit && (t == TriggerDue || t == TriggerRest))
}

// debtors is the places that owe a listing, urgent ones first, then those that
// owe it longest.
func (e *Engine) debtors() []Place {
	e.coverage <- struct{}{}
	defer func() { <-e.coverage }()
	d := newDraft(e.marks, e.rules, Session{}, e.now())
	var out []Place
	for _, p := range e.marks.places {
		if !p.Owes.IsZero() && !p.Gone && !d.unreadable(p) && d.read(p) && !e.marks.guilds[p.Guild].Away {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b Place) int {
		if u := e.marks.urgent(a); u != e.marks.urgent(b) {
			return map[bool]int{true: -1, false: 1}[u]
		}
		return cmp.Or(a.Owes.Compare(b.Owes), cmp.Compare(a.ID, b.ID))
	})
	return out
}

func (e *Engine) urgent(p Place) bool {
	e.coverage <- struct{}{}
	defer func() { <-e.coverage }()
	return e.marks.urgent(p)
}

// urgent reports whether an unlisted thread is likely: the outage was long
// enough for Discord to archive one, or something points to one.
func (k *marks) urgent(p Place) bool {
	ended := k.shards[k.guilds[p.Guild].Shard].At
	return ended.Sub(p.Owes) > longOutage || k.pointed[p.ID]
}

// listingAt is how far the listing of a parent has come, and when it goes on.
type listingAt struct {
	list   ArchivedList
	cursor string
	retryAt
}

// list reads a parent's listings back to the beginning of its debt.
func (w *pass) list(ctx context.Context, p Place, at listingAt) {
	at.list = cmp.Or(at.list, ArchivedPublic)
	for at.list != "" {
		if ctx.Err() != nil {
			return
		}
		if !w.spend.Within(w.budget) {
			w.r.listing[p.ID] = at
			w.later(w.record.StartedAt.Add(w.budget.Rest))
			w.leave(Remainder{Place: p.ID, Reason: ObstacleListing})
			return
		}
		w.spend.Calls++
		page, err := w.e.cfg.History.Archived(ctx, p.ID, at.list, at.cursor)
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, ErrUnknownChannel):
			w.keep(ctx, "store that a place is gone", func(d *draft) { d.gone(p.ID) })
			return
		case err != nil && at.list == ArchivedPrivate && errors.Is(err, ErrForbidden):
			w.r.joined[p.ID] = true
			at.list, at.cursor = ArchivedJoined, ""
		case err != nil:
			w.unlistable(p, at, err)
			return
		default:
			w.learnThreads(ctx, p, page.Threads)
			at = at.after(page, p, w.private(p))
		}
	}
	delete(w.r.listing, p.ID)
	w.keep(ctx, "store that a listing is paid", func(d *draft) {
		d.learn(Learnt{Change: PlaceChange{ID: p.ID, Paid: p.Owes}})
		delete(d.marks.pointed, p.ID)
	})
}

// after is where the listing goes on behind a page. The time-ordered lists end
// at the beginning of the debt; a text channel has private threads too.
func (at listingAt) after(page Listing, p Place, private ArchivedList) listingAt {
	reached := at.list != ArchivedJoined && slices.ContainsFunc(page.Threads, func(c Channel) bool {
		return !c.ArchiveAt.IsZero() && c.ArchiveAt.Before(p.Owes.Add(-Overlap))
	})
	at.cursor, at.retryAt = page.Next, retryAt{}
	if page.Next != "" && !reached {
		return at
	}
	at.cursor = ""
	if at.list == ArchivedPublic && p.Kind == GuildText {
		at.list = private
	} else {
		at.list = ""
	}
	return at
}

// private is the list of private threads that the bot may read: all of them
// with MANAGE_THREADS, else those it has joined. Where that is not known it is
// tried once.
func (w *pass) private(p Place) ArchivedList {
	w.e.coverage <- struct{}{}
	defer func() { <-w.e.coverage }()
	may, known := newDraft(w.e.marks, w.e.rules, Session{}, w.e.now()).permissions(p)
	if (known && may&PermManageThreads == 0) || (!known && w.r.joined[p.ID]) {
		return ArchivedJoined
	}
	return ArchivedPrivate
}

// learnThreads settles the listed threads. One that has said nothing since the
// debt began is not worth remembering.
func (w *pass) learnThreads(ctx context.Context, p Place, threads []Channel) {
	since := At[MessageID](p.Owes.Add(-Overlap))
	w.keep(ctx, "store a listing of archived threads", func(d *draft) {
		h := d.horizon(p.Guild, true)
		h.Since = p.Owes
		for _, c := range threads {
			if _, known := d.place(c.ID); !known && c.Last <= since {
				continue
			}
			c.Guild, c.Parent = cmp.Or(c.Guild, p.Guild), cmp.Or(c.Parent, p.ID)
			d.listed(c, h)
		}
	})
}

// unlistable notes that a listing could not be read; it is tried again with
// back-off from where it was.
func (w *pass) unlistable(p Place, at listingAt, err error) {
	base := obstacleBase
	if errors.Is(err, ErrForbidden) {
		base = refusalBase
	}
	at.tries++
	at.due = w.e.now().Add(min(base<<min(at.tries-1, 10), obstacleCeiling))
	w.r.listing[p.ID] = at
	w.later(at.due)
	w.leave(Remainder{Place: p.ID, Reason: obstacleOf(err), DueAt: at.due})
	w.e.log.Warn("archived threads could not be listed; tried again later", "place", p.ID, "list", at.list, "due", at.due, "error", err)
}
