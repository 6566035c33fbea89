package ledgertest

import (
	"fmt"
	"time"

	"gapless"
)

// turnSentences are those of Settle, Leases and Ready.
var turnSentences = []sentence{
	{"done settles the delivery and its members", func(d *desk) {
		d.admit(msg(1))
		d.end(d.claim(lane), gapless.Outcome{Kind: gapless.TurnDone})
		s := d.status()
		eq(d, "messages", fmt.Sprint(s.Messages), fmt.Sprint(map[string]int{"settled": 1}))
		eq(d, "deliveries", s.Deliveries[gapless.Settled], 1)
		eq(d, "ended", s.Ended[gapless.Done], 1)
		d.none(lane)
	}},
	{"given up is dead, with its members, and the lane goes on", func(d *desk) {
		d.admit(msg(1), msg(2))
		for range 5 {
			d.end(d.claim(lane), gapless.Outcome{Kind: gapless.TurnRetryAfter})
		}
		s := d.status()
		eq(d, "dead messages", s.Messages["dead"], 1)
		eq(d, "dead", s.Deliveries[gapless.Dead], 1)
		eq(d, "ended", s.Ended[gapless.Attempts], 1)
		eq(d, "then", d.claim(lane).First().ID, msg(2))
	}},
	{"what a turn came to is stored with the delivery", func(d *desk) {
		d.admit(msg(1))
		d.end(d.claim(lane), gapless.Outcome{Kind: gapless.TurnRetryAfter, Detail: "one"})
		d.end(d.claim(lane), gapless.Outcome{Kind: gapless.TurnInterrupted, Detail: "two"})
		d.end(d.claim(lane), gapless.Outcome{Kind: gapless.TurnUnavailable, Detail: "three"})
		v := d.claim(lane)
		eq(d, "attempt", v.Attempt, 3) // an unreachable handler costs none
		eq(d, "failed", v.Failed, 1)
		eq(d, "interruptions", v.Interruptions, 1)
		eq(d, "detail", v.Detail, "three")
	}},
	{"a settlement with another fence is stale and stores nothing", func(d *desk) {
		d.admit(msg(1))
		old := d.claim(lane)
		d.end(old, gapless.Outcome{Kind: gapless.TurnInterrupted})
		now := d.claim(lane)
		try := func(fence gapless.Fence) {
			d.Helper()
			late := old
			late.Fence, late.State = fence, gapless.Answering
			d.stale(d.l.Settle(d.Context(), gapless.Settlement{Delivery: late, Replies: []gapless.Reply{reply(old, 0)}, At: d.now}))
		}
		try(old.Fence)
		try(now.Fence + 1)
		eq(d, "unsent", len(d.unsent()), 0)
		eq(d, "leased", d.leases()[0].Fence, now.Fence)
		d.end(now, gapless.Outcome{Kind: gapless.TurnDone})
		try(now.Fence)
	}},
	{"an unknown delivery is stale", func(d *desk) {
		v := gapless.Delivery{ID: "1", State: gapless.Settled, Fence: 1}
		d.stale(d.l.Settle(d.Context(), gapless.Settlement{Delivery: v, At: d.now}))
	}},
	{"what is no end of a turn is refused", func(d *desk) {
		d.admit(msg(1))
		v := d.claim(lane)
		refused := func(state gapless.DeliveryState, replies ...gapless.Reply) {
			d.Helper()
			n := v
			n.State = state
			if d.l.Settle(d.Context(), gapless.Settlement{Delivery: n, Replies: replies, At: d.now}) == nil {
				d.Errorf("%s with %d replies was stored", state, len(replies))
			}
			eq(d, "leases", len(d.leases()), 1)
			eq(d, "unsent", len(d.unsent()), 0)
		}
		refused(gapless.Leased)
		refused(gapless.Answering)
		refused(gapless.Settled, reply(v, 0))
		refused(gapless.Answering, reply(v, 0), reply(v, 0))
	}},
	{"leases are the leased ones with members, the lowest first", func(d *desk) {
		d.append(gapless.Change{Admitted: []gapless.Item{itemIn(other, msg(2)), item(msg(1)), itemIn(702, msg(3)), itemIn(703, msg(4))}})
		d.claim(gapless.LaneOf(other))
		first := d.claim(lane)
		d.end(d.claim(gapless.LaneOf(702)), gapless.Outcome{Kind: gapless.TurnUnavailable})
		got := d.leases()
		eq(d, "leases", len(got), 2)
		eq(d, "first", got[0].ID, first.ID)
		eq(d, "fence", got[0].Fence, first.Fence)
		eq(d, "boot", got[0].Boot, "boot")
		eq(d, "text", got[0].First().Text, first.First().Text)
		eq(d, "second", got[1].First().ID, msg(2))
	}},
	{"ready lanes have work and no lease, the lowest id first", func(d *desk) {
		lanes := func(want ...gapless.ChannelID) {
			d.Helper()
			var ids []gapless.LaneID
			for _, c := range want {
				ids = append(ids, gapless.LaneOf(c))
			}
			got, err := d.l.Ready(d.Context())
			if err != nil {
				d.Fatal(err)
			}
			eq(d, "ready", fmt.Sprint(got), fmt.Sprint(ids))
		}
		lanes()
		late := itemIn(703, msg(9))
		late.NotBefore = base.Add(time.Hour)
		d.append(gapless.Change{Admitted: []gapless.Item{
			itemIn(other, msg(2)), item(msg(5)), item(msg(1)), itemIn(702, msg(3)), late,
		}})
		lanes(place, other, 702, 703)
		v, silent := d.claim(lane), d.claim(gapless.LaneOf(other))
		lanes(702, 703)
		d.end(silent, gapless.Outcome{Kind: gapless.TurnDone})
		lanes(702, 703)
		d.end(v, gapless.Outcome{Kind: gapless.TurnRetryAfter, Wait: time.Hour})
		lanes(place, 702, 703)
		d.append(gapless.Change{Deleted: []gapless.Deletion{{Place: 702, ID: msg(3)}}})
		lanes(place, 703)
	}},
}

func (d *desk) unsent() []gapless.Reply {
	d.Helper()
	out, err := d.l.Unsent(d.Context())
	if err != nil {
		d.Fatalf("unsent: %v", err)
	}
	return out
}
