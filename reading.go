package gapless

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"
)

// reading is one page of a gap, as read and judged.
type reading struct {
	gap      Gap
	limit    int
	move     GapMove
	messages []Message
	calls    int
	err      error // why the pass cannot go on with this gap
	stored   Stored
	known    int
	gone     bool // the place does not exist any more
}

// pageLimit is the most messages Discord gives in a page (protocol B3).
const pageLimit = 100

// gaps reads what is due, several pages side by side but never two of one
// gap, until nothing is due or the budget is spent.
func (w *pass) gaps(ctx context.Context) {
	done := make(chan reading)
	running := 0
	for {
		for running < w.e.cfg.Readers && ctx.Err() == nil && w.spend.Within(w.budget) {
			g, ok := w.next()
			if !ok {
				break
			}
			running++
			limit := min(pageLimit, w.budget.Examined-w.spend.Examined)
			w.busy[g.Place] = true
			w.pages[g.ID]++
			w.spend.Calls++
			w.spend.Examined += limit // until the page says how many they were
			go func() { done <- w.read(ctx, g, limit) }()
		}
		if running == 0 {
			return
		}
		r := <-done
		running--
		delete(w.busy, r.gap.Place)
		w.account(ctx, r)
	}
}

func (w *pass) next() (Gap, bool) {
	w.e.coverage <- struct{}{}
	defer func() { <-w.e.coverage }()
	open := func(yield func(Gap) bool) {
		for _, g := range w.e.marks.gaps {
			if !w.busy[g.Place] && (w.auditing || !w.e.audited(g)) && !yield(g) {
				return
			}
		}
	}
	return nextGap(open, w.pages, w.e.now())
}

func (w *pass) account(ctx context.Context, r reading) {
	w.spend.Calls += r.calls - 1
	w.spend.Examined += len(r.messages) - r.limit
	w.record.Known += r.known
	w.places.add(r)
	w.record.Admitted += len(r.stored.New)
	if n := len(r.stored.New); n > 0 && (r.gap.Cause == CauseAudit || r.gap.Cause == CauseSilent) {
		w.silent(r.gap, n)
	}
	if r.move.End != "" {
		w.record.Closed++
		w.e.log.Info("gap closed", "gap", r.gap.ID, "place", r.gap.Place, "reason", r.move.End)
	} else if r.move.Obstacle == ObstacleFresh {
		w.e.log.Debug("the end of a gap is read once more", "gap", r.gap.ID, "place", r.gap.Place, "due", r.move.DueAt)
	} else if r.move.Obstacle != "" {
		w.e.log.Warn("gap stays open", "gap", r.gap.ID, "place", r.gap.Place, "after", r.move.After,
			"obstacle", r.move.Obstacle, "tries", r.move.Tries, "due", r.move.DueAt)
	}
	if r.err != nil && ctx.Err() == nil && w.record.Error == "" {
		w.record.Error = r.err.Error()
	}
}

// read reads one page of a gap and stores it with everything that follows
// from it, in one transaction (R8).
func (w *pass) read(ctx context.Context, g Gap, limit int) reading {
	r := reading{gap: g, limit: limit, calls: 1}
	if w.e.blind(g.Place) { // the answer is known: it costs no call (R5)
		r.calls, r.move = 0, g.Blocked(ObstacleForbidden, w.e.now())
		return w.commit(ctx, r)
	}
	begun := w.e.now()
	page, err := w.e.cfg.History.After(ctx, g.Place, g.Cursor(), limit)
	switch {
	case ctx.Err() != nil:
		r.err = context.Cause(ctx)
		return r
	case errors.Is(err, ErrUnknownChannel):
		return w.gone(ctx, r)
	case err != nil:
		r.move = g.Blocked(obstacleOf(err), w.e.now())
		w.e.log.Warn("history could not be read", "place", g.Place, "after", g.Cursor(), "error", err)
	case blank(page.Messages):
		r.move = g.Blocked(ObstacleBlind, w.e.now())
	default:
		r.messages = slices.SortedFunc(slices.Values(page.Messages), func(a, b Message) int { return cmp.Compare(a.ID, b.ID) })
		r.move = g.Read(w.reading(ctx, g, &r, begun))
	}
	return w.commit(ctx, r)
}

// reading is what the rules need of the page; an empty one may need a question.
func (w *pass) reading(ctx context.Context, g Gap, r *reading, begun time.Time) Reading {
	out := Reading{Begun: begun}
	for _, m := range r.messages {
		out.IDs = append(out.IDs, m.ID)
	}
	if len(out.IDs) == 0 && g.Asks(begun) {
		r.calls++
		_, err := w.e.cfg.History.Message(ctx, g.Place, g.Upto)
		out.Upto = uptoAnswer(err)
	}
	return out
}

func uptoAnswer(err error) UptoAnswer {
	switch {
	case err == nil:
		return UptoThere
	case errors.Is(err, ErrUnknownMessage):
		return UptoGone
	case errors.Is(err, ErrForbidden):
		return UptoHidden
	}
	return UptoUnknown
}

func obstacleOf(err error) Reason {
	if errors.Is(err, ErrForbidden) {
		return ObstacleForbidden
	}
	return ObstacleUnavailable
}

// blank reports a page in which every message of others is empty: Discord
// hides their content, so nothing of it may count as examined (R9, C55).
func blank(page []Message) bool {
	foreign := 0
	for _, m := range page {
		if m.Type != 0 && m.Type != 19 || m.Author.Bot {
			continue
		}
		if m.Text != "" || m.Attachments > 0 {
			return false
		}
		foreign++
	}
	return foreign > 0
}

// commit stores the page, unless the gap has been changed meanwhile.
func (w *pass) commit(ctx context.Context, r reading) reading {
	err := w.e.change(ctx, "store a page of history", func() *draft {
		now, open := w.e.marks.gaps[r.gap.ID]
		if !open || now.After != r.gap.After {
			return nil
		}
		d := newDraft(w.e.marks, w.e.rules, w.session(r.gap.Place), w.e.now())
		d.page(now, r.move, r.messages)
		d.trigger = ""
		d.done = func(s Stored) { r.stored, r.known = s, s.Known+d.skipped }
		return d
	})
	r.err = err
	return r
}

// session is the session whose bot reads the place.
func (w *pass) session(place ChannelID) Session {
	shard := 0
	if p, ok := w.e.marks.places[place]; ok {
		shard = w.e.marks.guilds[p.Guild].Shard
	}
	return w.e.marks.sessions[shard]
}

// gone ends all gaps of a place that Discord says does not exist: one call,
// one warning (C54).
func (w *pass) gone(ctx context.Context, r reading) reading {
	r.gone = true
	w.e.log.Warn("place is gone; its gaps are closed", "place", r.gap.Place)
	r.err = w.e.change(ctx, "store that a place is gone", func() *draft {
		d := newDraft(w.e.marks, w.e.rules, Session{}, w.e.now())
		d.gone(r.gap.Place)
		d.trigger = ""
		return d
	})
	return r
}
