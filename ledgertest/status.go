package ledgertest

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"gapless"
)

// Status gives counts and lists for a person to read.
func (m *Memory) Status(ctx context.Context) (out gapless.LedgerStatus, err error) {
	err = m.do(ctx, "Status", func(s *state) error {
		out = gapless.LedgerStatus{
			Sessions:   s.sessionStatus(),
			Lanes:      s.laneStatus(),
			Messages:   map[string]int{},
			Deliveries: map[gapless.DeliveryState]int{},
			Ended:      map[gapless.Reason]int{},
			Refused:    maps.Clone(s.reasons),
			Replies:    map[gapless.ReplyState]int{},
			Passes:     s.lastPasses(),
			Commits:    s.commits,
			Undecided:  map[gapless.Lack]int{},
			Behind:     s.behind,
		}
		for _, v := range sorted(s.sessions) {
			if out.Bot.ID == 0 {
				out.Bot = v.Self
			}
		}
		s.coverageStatus(&out)
		s.countInto(&out)
		return nil
	})
	return out, err
}

// countInto fills the maps of counts.
func (s *state) countInto(out *gapless.LedgerStatus) {
	for _, r := range s.rows {
		out.Messages[s.stateOf(r)]++
		if r.undecided {
			out.Undecided[r.item.Lacks]++
		}
	}
	for _, d := range s.deliveries {
		out.Deliveries[d.State]++
		if d.Final() {
			out.Ended[d.Reason]++
		}
	}
	for _, r := range s.replies {
		out.Replies[r.State]++
		if r.Delivery == "" && !final(r.State) {
			out.Letters++
		}
	}
}

// stateOf is a message's state in a word: undecided, pending, claimed, settled,
// dead or deleted.
func (s *state) stateOf(r *row) string {
	d := s.deliveries[r.delivery]
	switch {
	case r.undecided:
		return "undecided"
	case r.pending():
		return "pending"
	case d == nil:
		return "deleted"
	case d.Final():
		return string(d.State)
	}
	return "claimed"
}

// coverageStatus lists places, open gaps and closed ranges.
func (s *state) coverageStatus(out *gapless.LedgerStatus) {
	for _, p := range sorted(s.places) {
		out.Places = append(out.Places, gapless.PlaceStatus{
			ID: p.ID, Guild: p.Guild, Name: p.Name, Kind: int(p.Kind),
			Floor: p.Floor, Verified: p.Verified, Head: p.Head, Gone: p.Gone, Out: p.Out, Restored: p.Restored, Owes: p.Owes,
		})
	}
	open := s.openGaps()
	gapless.ByRecency(open)
	for _, g := range open {
		out.Gaps = append(out.Gaps, gapless.GapStatus{
			ID: g.ID, Place: g.Place, After: g.After, Upto: g.Upto, Cause: g.Cause,
			OpenedAt: g.OpenedAt, Obstacle: g.Obstacle, Tries: g.Tries, DueAt: g.DueAt,
		})
	}
	for _, r := range s.ranges {
		out.Ranges = append(out.Ranges, gapless.RangeStatus(r))
	}
	slices.SortFunc(out.Ranges, func(a, b gapless.RangeStatus) int {
		return cmp.Or(cmp.Compare(b.Upto, a.Upto), cmp.Compare(a.Place, b.Place), cmp.Compare(a.After, b.After))
	})
}

// sessionStatus joins sessions with the marks of their shards.
func (s *state) sessionStatus() (out []gapless.SessionStatus) {
	all := map[int]bool{}
	for n := range s.sessions {
		all[n] = true
	}
	for n := range s.shards {
		all[n] = true
	}
	for _, n := range slices.Sorted(maps.Keys(all)) {
		v, mark := s.sessions[n], s.shards[n]
		out = append(out, gapless.SessionStatus{
			Shard: n, Shards: v.Shards, State: v.State, Resumable: v.ID != "", Seq: v.Seq, SeenAt: v.SeenAt,
			IdentifiesLeft: v.Starts.Remaining, IdentifiesResetAt: v.Starts.ResetAt,
			Epoch: mark.Epoch, DiscontinuityAt: mark.At, DiscontinuitySince: mark.Since,
		})
	}
	return out
}

// laneStatus lists the lanes with something in them, the longest waiting first.
func (s *state) laneStatus() (out []gapless.LaneStatus) {
	lanes := map[gapless.LaneID]*gapless.LaneStatus{}
	at := func(id gapless.LaneID, oldest gapless.MessageID) *gapless.LaneStatus {
		l := lanes[id]
		if l == nil {
			l = &gapless.LaneStatus{ID: id, Oldest: oldest}
			lanes[id] = l
		}
		l.Oldest = min(l.Oldest, oldest)
		return l
	}
	for _, r := range s.rows {
		if r.pending() {
			at(r.lane, r.item.Message.ID).Pending++
		}
	}
	for _, d := range slices.SortedFunc(maps.Values(s.deliveries), byFirst) {
		if d.Final() {
			continue
		}
		l := at(d.Lane, d.first)
		if l.State == "" || urgency(d.State) < urgency(l.State) {
			l.State, l.Attempt, l.Until = d.State, d.Attempt, d.NotBefore
		}
	}
	for _, l := range lanes {
		out = append(out, *l)
	}
	slices.SortFunc(out, func(a, b gapless.LaneStatus) int {
		return cmp.Or(cmp.Compare(a.Oldest, b.Oldest), cmp.Compare(a.ID, b.ID))
	})
	return out
}

// urgency orders the states of which one is shown for a lane.
func urgency(s gapless.DeliveryState) int {
	return slices.Index([]gapless.DeliveryState{gapless.Leased, gapless.Waiting, gapless.Answering, gapless.Parked}, s)
}

// shownPasses is how many passes a status lists.
const shownPasses = 10

func (s *state) lastPasses() []gapless.Pass {
	all := slices.SortedFunc(maps.Values(s.passes), func(a, b gapless.Pass) int {
		return cmp.Or(b.StartedAt.Compare(a.StartedAt), cmp.Compare(b.ID, a.ID))
	})
	all = all[:min(len(all), shownPasses)]
	for i := range all {
		all[i].Remainder = slices.Clone(all[i].Remainder)
	}
	return all
}
