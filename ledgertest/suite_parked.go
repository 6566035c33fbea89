package ledgertest

import (
	"fmt"
	"time"

	"gapless"
)

// parkedSentences are those of parked deliveries, and of Mark.
var parkedSentences = []sentence{
	{"a parked delivery does not stop its lane", func(d *desk) {
		d.admit(msg(1), msg(2))
		d.park(d.claim(lane), base.Add(time.Hour))
		eq(d, "state", fmt.Sprint(d.status().Deliveries), "map[parked:1]")
		eq(d, "messages", fmt.Sprint(d.status().Messages), "map[claimed:1 pending:1]")
		v := d.claim(lane)
		eq(d, "then", v.First().ID, msg(2))
		eq(d, "leased before parked", d.status().Lanes[0].State, gapless.Leased)
		d.end(v, gapless.Outcome{Kind: gapless.TurnDone})
		d.instant("next", d.none(lane).Next, base.Add(time.Hour))
		eq(d, "parked alone", d.status().Lanes[0].State, gapless.Parked)
	}},
	{"once it is due it is like a waiting one", func(d *desk) {
		d.admit(msg(1), msg(2))
		v := d.claim(lane)
		d.park(v, base.Add(time.Minute))
		d.now = base.Add(time.Minute)
		again := d.claim(lane)
		eq(d, "first", again.ID, v.ID)
		eq(d, "attempt", again.Attempt, 2)
		eq(d, "fence rises", again.Fence > v.Fence, true)
	}},
	{"an earlier end of parking is when to ask again", func(d *desk) {
		late := item(msg(2))
		late.NotBefore = base.Add(2 * time.Hour)
		d.admit(msg(1))
		d.append(gapless.Change{Admitted: []gapless.Item{late}})
		d.park(d.claim(lane), base.Add(time.Hour))
		d.instant("next", d.none(lane).Next, base.Add(time.Hour))
		d.now = base.Add(time.Hour)
		d.park(d.claim(lane), base.Add(3*time.Hour))
		d.instant("next", d.none(lane).Next, late.NotBefore)
	}},
	{"a waiting one goes before, and asks again when the parked is due", func(d *desk) {
		d.admit(msg(1), msg(2))
		d.park(d.claim(lane), base.Add(time.Minute))
		d.end(d.claim(lane), gapless.Outcome{Kind: gapless.TurnRetryAfter, Wait: time.Hour})
		d.instant("next", d.none(lane).Next, base.Add(time.Minute))
		d.now = base.Add(time.Minute)
		eq(d, "lower", d.claim(lane).First().ID, msg(1))
	}},
	{"of several parked ones the first to be due says when to ask again", func(d *desk) {
		d.admit(msg(1), msg(2))
		d.park(d.claim(lane), base.Add(2*time.Hour))
		d.park(d.claim(lane), base.Add(time.Hour))
		d.instant("next", d.none(lane).Next, base.Add(time.Hour))
	}},
	{"a parked one that is due behind a waiting one waits with it", func(d *desk) {
		d.admit(msg(2))
		d.park(d.claim(lane), base.Add(time.Minute))
		d.admit(msg(1))
		v := d.end(d.claim(lane), gapless.Outcome{Kind: gapless.TurnRetryAfter, Wait: time.Hour})
		d.now = base.Add(time.Minute)
		d.instant("next", d.none(lane).Next, v.NotBefore)
	}},
	{"a parked lane is ready", func(d *desk) {
		d.admit(msg(1))
		d.park(d.claim(lane), base.Add(time.Minute))
		ready, err := d.l.Ready(d.Context())
		eq(d, "ready", fmt.Sprint(ready, err), fmt.Sprint([]gapless.LaneID{lane}, nil))
	}},
	{"unparked, it waits for the instant", func(d *desk) {
		d.admit(msg(1), msg(2))
		v := d.claim(lane)
		d.stale(d.l.Unpark(d.Context(), v.ID, base))
		d.park(v, base.Add(time.Hour))
		if err := d.l.Unpark(d.Context(), v.ID, base.Add(time.Second)); err != nil {
			d.Fatal(err)
		}
		d.instant("next", d.none(lane).Next, base.Add(time.Second))
		d.stale(d.l.Unpark(d.Context(), v.ID, base))
		d.stale(d.l.Unpark(d.Context(), "77", base))
		d.now = base.Add(time.Second)
		eq(d, "claimed", d.claim(lane).ID, v.ID)
	}},
	{"an offer names the lowest parked one of the same author", func(d *desk) {
		d.append(gapless.Change{Admitted: []gapless.Item{
			by(9, msg(1)), by(8, msg(2)), by(9, msg(3)), by(9, msg(4)), by(7, msg(5)), by(8, msg(6)),
		}})
		d.append(gapless.Change{Admitted: []gapless.Item{itemIn(other, msg(0))}})
		d.park(d.claim(gapless.LaneOf(other)), base.Add(time.Hour))
		want := func(parked gapless.DeliveryID) gapless.Delivery {
			d.Helper()
			o := d.offer(lane)
			eq(d, "parked", o.Parked, parked)
			return *o.Delivery
		}
		first := want("")
		d.park(first, base.Add(time.Hour))
		second := want("")
		d.park(second, base.Add(time.Hour))
		d.park(want(first.ID), base.Add(time.Hour))
		v := want(first.ID)
		d.end(v, gapless.Outcome{Kind: gapless.TurnUnavailable})
		d.end(want(first.ID), gapless.Outcome{Kind: gapless.TurnDone})
		d.end(want(""), gapless.Outcome{Kind: gapless.TurnDone})
		want(second.ID)
	}},
	{"a mark is kept until the turn ends: its deadline; and for good: its effect", marks},
	{"a mark with another fence, or of no turn, is stale", func(d *desk) {
		d.admit(msg(1))
		v := d.claim(lane)
		mark := func(fence gapless.Fence, id gapless.DeliveryID) error {
			return d.l.Mark(d.Context(), gapless.Mark{Delivery: id, Fence: fence, Effect: true, Deadline: base.Add(time.Hour)})
		}
		d.stale(mark(v.Fence+1, v.ID))
		d.stale(mark(v.Fence, "77"))
		eq(d, "effect", d.leases()[0].Effect, false)
		eq(d, "deadline", d.leases()[0].Deadline.IsZero(), true)
		d.end(v, gapless.Outcome{Kind: gapless.TurnRetryAfter})
		d.stale(mark(v.Fence, v.ID))
	}},
}

// park ends a turn by asking the author whether it still matters.
func (d *desk) park(v gapless.Delivery, until time.Time) {
	d.Helper()
	v.State, v.NotBefore = gapless.Parked, until
	if err := d.l.Settle(d.Context(), gapless.Settlement{Delivery: v, At: d.now}); err != nil {
		d.Fatalf("park %s: %v", v.ID, err)
	}
}

func marks(d *desk) {
	d.admit(msg(1))
	v := d.claim(lane)
	mark := func(m gapless.Mark) gapless.Delivery {
		d.Helper()
		m.Delivery, m.Fence = v.ID, v.Fence
		if err := d.l.Mark(d.Context(), m); err != nil {
			d.Fatal(err)
		}
		return d.leases()[0]
	}
	got := mark(gapless.Mark{Deadline: base.Add(time.Hour)})
	d.instant("deadline", got.Deadline, base.Add(time.Hour))
	eq(d, "effect", got.Effect, false)
	got = mark(gapless.Mark{Effect: true})
	d.instant("deadline", got.Deadline, base.Add(time.Hour))
	eq(d, "effect", got.Effect, true)
	d.instant("later deadline", mark(gapless.Mark{Deadline: base.Add(2 * time.Hour)}).Deadline, base.Add(2*time.Hour))
	d.end(v, gapless.Outcome{Kind: gapless.TurnRetryAfter}) // the value of the claim, which knows of no effect
	v = d.claim(lane)
	eq(d, "effect", v.Effect, true)
	eq(d, "deadline", v.Deadline.IsZero(), true)
	eq(d, "leased deadline", d.leases()[0].Deadline.IsZero(), true)
}
