package ledgertest

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"gapless"
)

// Prune removes what nobody can miss.
func (m *Memory) Prune(ctx context.Context, p gapless.Prune) (more bool, err error) {
	err = m.do(ctx, "Prune", func(s *state) error {
		left := cmp.Or(max(p.Limit, 0), pruneLimit)
		for _, step := range s.prunable(p) {
			if left == 0 {
				more = true
				return nil
			}
			step()
			s.commits++
			left--
		}
		return nil
	})
	return more, err
}

// pruneLimit is how much goes at once where the caller set no bound.
const pruneLimit = 1000

// prunable lists what may go, oldest of each kind first.
func (s *state) prunable(p gapless.Prune) (steps []func()) {
	before := func(at, limit time.Time) bool { return !at.IsZero() && at.Before(limit) }
	for _, d := range slices.SortedFunc(maps.Values(s.deliveries), byEnd) {
		switch {
		case d.State != gapless.Settled || s.owesCourtesy(d):
		case before(d.EndedAt, p.Rows):
			steps = append(steps, func() { s.forget(d) })
		case before(d.EndedAt, p.Text) && !d.stripped:
			steps = append(steps, func() { s.strip(d) })
		}
	}
	for id, r := range s.rows {
		if r.deleted && r.delivery == "" && before(r.ended, p.Rows) {
			steps = append(steps, func() { delete(s.rows, id) })
		}
	}
	steps = append(steps, s.prunableLetters(p, before)...)
	for id, e := range s.edits {
		if before(e.at, p.Rows) {
			steps = append(steps, func() { delete(s.edits, id) })
		}
	}
	for id, r := range s.refused {
		if before(r.at, p.Rows) {
			steps = append(steps, func() { delete(s.refused, id) })
		}
	}
	for id, r := range s.passes {
		if before(r.EndedAt, p.Rows) {
			steps = append(steps, func() { delete(s.passes, id) })
		}
	}
	return append(steps, s.prunableCoverage(p, before)...)
}

// owesCourtesy reports whether a reply of the delivery is still to be sent.
func (s *state) owesCourtesy(d *delivery) bool {
	return slices.ContainsFunc(s.replies, func(r gapless.Reply) bool { return r.Delivery == d.ID && !final(r.State) })
}

// prunableLetters lists letters that were sent or refused, and their text.
func (s *state) prunableLetters(p gapless.Prune, before func(at, limit time.Time) bool) (steps []func()) {
	for _, r := range s.replies {
		same := func(o gapless.Reply) bool { return o.ID == r.ID }
		switch at := s.replied[r.ID]; {
		case r.Delivery != "" || !final(r.State):
		case before(at, p.Rows):
			steps = append(steps, func() { s.replies = slices.DeleteFunc(s.replies, same) })
		case before(at, p.Text) && r.Text != "":
			steps = append(steps, func() { s.replies[slices.IndexFunc(s.replies, same)].Text = "" })
		}
	}
	return steps
}

// prunableCoverage lists closed gaps, and closed ranges that verified has passed.
func (s *state) prunableCoverage(p gapless.Prune, before func(at, limit time.Time) bool) (steps []func()) {
	for id, g := range s.gaps {
		if !g.Open() && before(g.ClosedAt, p.Rows) && g.Upto <= s.places[g.Place].Head {
			steps = append(steps, func() { delete(s.gaps, id) })
		}
	}
	for _, r := range s.ranges {
		if before(r.At, p.Rows) && r.Upto <= s.places[r.Place].Verified {
			steps = append(steps, func() {
				s.ranges = slices.DeleteFunc(s.ranges, func(o gapless.Range) bool { return o == r })
			})
		}
	}
	return steps
}

func byEnd(a, b *delivery) int {
	return cmp.Or(a.EndedAt.Compare(b.EndedAt), cmp.Compare(a.ID, b.ID))
}

// forget removes a delivery with everything that belongs to it.
func (s *state) forget(d *delivery) {
	for _, id := range d.members {
		if r := s.rows[id]; r != nil && r.delivery == d.ID {
			delete(s.rows, id)
		}
	}
	s.replies = slices.DeleteFunc(s.replies, func(r gapless.Reply) bool { return r.Delivery == d.ID })
	delete(s.deliveries, d.ID)
}

// strip takes the text of a delivery's members and replies.
func (s *state) strip(d *delivery) {
	d.stripped = true
	for _, id := range d.members {
		if r := s.rows[id]; r != nil && r.delivery == d.ID {
			r.strip()
			r.textless = true
		}
	}
	for i := range s.replies {
		if s.replies[i].Delivery == d.ID {
			s.replies[i].Text = ""
		}
	}
}
