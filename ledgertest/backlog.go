package ledgertest

import (
	"slices"
	"time"

	"gapless"
)

// pending lists what waits in the lane for its first turn, the lowest id first.
func (s *state) pending(lane gapless.LaneID) (out []*row) {
	for _, r := range s.rows {
		if r.lane == lane && r.pending() {
			out = append(out, r)
		}
	}
	slices.SortFunc(out, laneOrder)
	return out
}

// heldTill is the end of each hold that is on the message now: of a gap, or of
// an undecided row below it. The newest of a lane is held by every gap.
func (s *state) heldTill(r *row, c gapless.Claim) (till time.Time) {
	id := r.item.Message.ID
	top := id
	if c.Backlog == gapless.BacklogLatest {
		top = ^gapless.MessageID(0)
	}
	for _, g := range s.gaps {
		if g.Place == r.item.Message.Place && g.Holds(top, c.Now) && g.HoldTill.After(till) {
			till = g.HoldTill
		}
	}
	for below, u := range s.rows {
		at := u.item.NotBefore
		if u.undecided && u.lane == c.Lane && below < id && c.Now.Before(at) && at.After(till) {
			till = at
		}
	}
	return till
}

// together is the first of what waits and all that goes into its turn.
func (s *state) together(waiting []*row, c gapless.Claim) []*row {
	first := waiting[0]
	members, run := []*row{first}, c.Backlog == gapless.BacklogJoined
	for _, r := range waiting[1:] {
		if c.Now.Before(s.heldTill(r, c)) {
			break
		}
		same := r.author == first.author
		run = run && same
		if same && (run || near(members[len(members)-1], r, c.Join)) {
			members = append(members, r)
		}
	}
	return members
}

// near reports whether the two were written within so long of each other and
// may be joined.
func near(a, b *row, join time.Duration) bool {
	apart := b.item.Message.ID.Time().Sub(a.item.Message.ID.Time())
	return join > 0 && a.item.Plain && b.item.Plain && apart <= join
}

// supersede ends what a newer message has overtaken and gives the last of it.
func (s *state) supersede(rows []*row, now time.Time) (older []gapless.Item) {
	for i, r := range rows {
		s.overtake(r, gapless.Superseded, now)
		if i >= len(rows)-gapless.LaterLimit {
			older = append(older, copyItem(r.item))
		}
	}
	return older
}

// tell is the offer of a delivery that has just been leased: with what its
// author wrote since, and what of theirs is parked.
func (s *state) tell(d *delivery, c gapless.Claim) gapless.Offer {
	o := gapless.Offer{Delivery: new(s.whole(d))}
	author, last := s.rows[d.members[0]].author, d.members[len(d.members)-1]
	for _, r := range s.pending(c.Lane) {
		if r.author == author && r.item.Message.ID > last && len(o.Later) < gapless.LaterLimit {
			o.Later = append(o.Later, copyItem(r.item))
		}
	}
	parked := s.lowest(func(p *delivery) bool {
		first := s.rows[p.first]
		return p.Lane == c.Lane && p.State == gapless.Parked && first != nil && first.author == author
	})
	if parked != nil {
		o.Parked = parked.ID
	}
	return o
}
