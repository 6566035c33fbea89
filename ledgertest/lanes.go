package ledgertest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"gapless"
)

// Claim takes the next turn of a lane.
func (m *Memory) Claim(ctx context.Context, c gapless.Claim) (out gapless.Offer, err error) {
	err = m.do(ctx, "Claim", func(s *state) error {
		if s.current(c.Lane, gapless.Leased) != nil {
			return nil
		}
		for {
			d := s.waiting(c)
			if d == nil {
				out = s.begin(c)
				return nil
			}
			if c.Now.Before(d.NotBefore) {
				out.Next = earlier(d.NotBefore, s.parkedTill(c))
				return nil
			}
			if s.startable(d, c.Now) {
				out = s.lease(d, c)
				return nil
			}
			s.commits++
		}
	})
	return out, err
}

// current is the lane's delivery in the state, the one of the lowest message.
func (s *state) current(lane gapless.LaneID, in gapless.DeliveryState) *delivery {
	return s.lowest(func(d *delivery) bool { return d.Lane == lane && d.State == in })
}

// waiting is the lane's delivery that comes first: one that waits, or is parked
// and may wait no longer.
func (s *state) waiting(c gapless.Claim) *delivery {
	return s.lowest(func(d *delivery) bool {
		due := d.State == gapless.Parked && !c.Now.Before(d.NotBefore)
		return d.Lane == c.Lane && (d.State == gapless.Waiting || due)
	})
}

// lowest is, of the deliveries that are, the one of the lowest message.
func (s *state) lowest(are func(*delivery) bool) (found *delivery) {
	for _, d := range s.deliveries {
		if are(d) && (found == nil || byFirst(d, found) < 0) {
			found = d
		}
	}
	return found
}

// parkedTill is when the next parked delivery of the lane will be due; zero if
// none will.
func (s *state) parkedTill(c gapless.Claim) (till time.Time) {
	for _, d := range s.deliveries {
		if d.Lane == c.Lane && d.State == gapless.Parked && c.Now.Before(d.NotBefore) {
			till = earlier(d.NotBefore, till)
		}
	}
	return till
}

// earlier is the earlier of two instants of which either may be none.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || (!b.IsZero() && b.Before(a)) {
		return b
	}
	return a
}

// byFirst sorts deliveries by the message they are named after, and by retries.
func byFirst(a, b *delivery) int {
	return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(len(a.ID), len(b.ID)), cmp.Compare(a.ID, b.ID))
}

// startable drops deleted members and settles what needs no turn any more.
func (s *state) startable(d *delivery, now time.Time) bool {
	answered := true
	d.members = slices.DeleteFunc(d.members, func(id gapless.MessageID) bool {
		r := s.rows[id]
		if r.deleted {
			r.delivery, r.ended = "", now
			return true
		}
		answered = answered && r.answered
		return false
	})
	switch {
	case len(d.members) == 0:
		d.State, d.Reason, d.EndedAt = gapless.Settled, gapless.Deleted, now
		return false
	case answered && d.Interruptions > 0:
		d.State, d.Reason, d.EndedAt = gapless.Settled, gapless.Answered, now
		return false
	}
	return true
}

func (s *state) lease(d *delivery, c gapless.Claim) gapless.Offer {
	d.State, d.Boot, d.NotBefore, d.Deadline = gapless.Leased, c.Boot, time.Time{}, time.Time{}
	d.Attempt++
	d.Fence++
	s.commits++
	return s.tell(d, c)
}

// begin makes a delivery of the lane's lowest pending message and those that
// go with it, or says what stands in its way.
func (s *state) begin(c gapless.Claim) gapless.Offer {
	waiting := s.pending(c.Lane)
	if len(waiting) == 0 {
		return gapless.Offer{Next: s.parkedTill(c)}
	}
	next := waiting[0]
	if c.Backlog == gapless.BacklogLatest {
		next = waiting[len(waiting)-1]
	}
	at := next.item.NotBefore
	if held := s.heldTill(next, c); held.After(at) {
		at = held
	}
	if c.Now.Before(at) {
		return gapless.Offer{Next: earlier(at, s.parkedTill(c))}
	}
	heard := func(r *row) bool { return !r.item.Origin.Recovered() }
	if c.Paced && !slices.ContainsFunc(waiting, heard) {
		return gapless.Offer{Paced: true}
	}
	if c.Backlog == gapless.BacklogLatest {
		older := s.supersede(waiting[:len(waiting)-1], c.Now)
		o := s.lease(s.create([]*row{next}, c), c)
		o.Older = older
		return o
	}
	return s.lease(s.create(s.together(waiting, c), c), c)
}

// create makes the delivery of messages, not leased yet.
func (s *state) create(rows []*row, c gapless.Claim) *delivery {
	msg := rows[0].item.Message
	d := &delivery{first: msg.ID, Delivery: gapless.Delivery{
		ID: gapless.DeliveryID(msg.ID.String()), Lane: c.Lane, Place: gapless.Place{ID: msg.Place}, CreatedAt: c.Now,
	}}
	for _, r := range rows {
		r.delivery = d.ID
		d.members = append(d.members, r.item.Message.ID)
	}
	s.deliveries[d.ID] = d
	return d
}

// whole is the delivery as callers get it: with place and members.
func (s *state) whole(d *delivery) gapless.Delivery {
	out := d.Delivery
	out.Place = s.place(d.Place.ID)
	for _, id := range d.members {
		out.Messages = append(out.Messages, copyItem(s.rows[id].item))
	}
	return out
}

// Settle stores the end of a turn.
func (m *Memory) Settle(ctx context.Context, t gapless.Settlement) error {
	return m.do(ctx, "Settle", func(s *state) error {
		n := t.Delivery
		d := s.deliveries[n.ID]
		if d == nil || d.State != gapless.Leased || d.Fence != n.Fence {
			return fmt.Errorf("settle delivery %s: %w", n.ID, gapless.ErrStale)
		}
		if err := s.settleable(t); err != nil {
			return fmt.Errorf("settle delivery %s: %w", n.ID, err)
		}
		d.State, d.Attempt, d.Failed, d.Interruptions = n.State, n.Attempt, n.Failed, n.Interruptions
		d.NotBefore, d.EndedAt, d.Reason, d.Detail = n.NotBefore, n.EndedAt, n.Reason, n.Detail
		d.Deadline, d.Effect = time.Time{}, d.Effect || n.Effect
		s.replies = append(s.replies, t.Replies...)
		s.commits++
		return nil
	})
}

// settleable refuses ends that would leave a delivery without an end, and
// replies that would take over the identity of others.
func (s *state) settleable(t gapless.Settlement) error {
	for i, r := range t.Replies {
		same := func(o gapless.Reply) bool { return o.ID == r.ID }
		if slices.ContainsFunc(s.replies, same) || slices.ContainsFunc(t.Replies[:i], same) {
			return fmt.Errorf("reply %s exists", r.ID)
		}
	}
	messages := slices.ContainsFunc(t.Replies, func(r gapless.Reply) bool { return !r.Kind.Courtesy() })
	switch s := t.Delivery.State; {
	case s == gapless.Leased:
		return errors.New("it is still leased: not the end of a turn")
	case s == gapless.Answering && !messages:
		return errors.New("answering without messages would never end")
	case s != gapless.Answering && s != gapless.Parked && messages:
		return fmt.Errorf("messages belong to an answering delivery, not to a %s one", s)
	}
	return nil
}

// Mark stores what is known of a turn under way.
func (m *Memory) Mark(ctx context.Context, k gapless.Mark) error {
	return m.do(ctx, "Mark", func(s *state) error {
		d := s.deliveries[k.Delivery]
		if d == nil || d.State != gapless.Leased || d.Fence != k.Fence {
			return fmt.Errorf("mark delivery %s: %w", k.Delivery, gapless.ErrStale)
		}
		if !k.Deadline.IsZero() {
			d.Deadline = k.Deadline
		}
		d.Effect = d.Effect || k.Effect
		s.commits++
		return nil
	})
}

// Unpark lets a parked delivery wait for its turn.
func (m *Memory) Unpark(ctx context.Context, id gapless.DeliveryID, at time.Time) error {
	return m.do(ctx, "Unpark", func(s *state) error {
		d := s.deliveries[id]
		if d == nil || d.State != gapless.Parked {
			return fmt.Errorf("unpark delivery %s: %w", id, gapless.ErrStale)
		}
		d.State, d.NotBefore, d.Reason = gapless.Waiting, at, gapless.Confirmed
		s.commits++
		return nil
	})
}

// Leases gives the leased deliveries, the lowest message first.
func (m *Memory) Leases(ctx context.Context) (out []gapless.Delivery, err error) {
	err = m.do(ctx, "Leases", func(s *state) error {
		for _, d := range slices.SortedFunc(maps.Values(s.deliveries), byFirst) {
			if d.State == gapless.Leased {
				out = append(out, s.whole(d))
			}
		}
		return nil
	})
	return out, err
}

// Ready gives the lanes that have something to claim.
func (m *Memory) Ready(ctx context.Context) (out []gapless.LaneID, err error) {
	err = m.do(ctx, "Ready", func(s *state) error {
		lowest := map[gapless.LaneID]gapless.MessageID{}
		note := func(lane gapless.LaneID, id gapless.MessageID) {
			if old, ok := lowest[lane]; !ok || id < old {
				lowest[lane] = id
			}
		}
		for _, r := range s.rows {
			if r.pending() {
				note(r.lane, r.item.Message.ID)
			}
		}
		for _, d := range s.deliveries {
			if d.State == gapless.Waiting || d.State == gapless.Parked {
				note(d.Lane, d.first)
			}
		}
		for _, d := range s.deliveries {
			if d.State == gapless.Leased {
				delete(lowest, d.Lane)
			}
		}
		out = slices.SortedFunc(maps.Keys(lowest), func(a, b gapless.LaneID) int {
			return cmp.Or(cmp.Compare(lowest[a], lowest[b]), cmp.Compare(a, b))
		})
		return nil
	})
	return out, err
}
