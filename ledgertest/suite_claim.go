package ledgertest

import (
	"time"

	"gapless"
)

// claimSentences are those of Claim.
var claimSentences = []sentence{
	{"an empty lane gives nothing and no instant", func(d *desk) {
		o := d.none(lane)
		eq(d, "next", o.Next.IsZero(), true)
		eq(d, "paced", o.Paced, false)
	}},
	{"the lowest pending message makes the delivery, named after it", func(d *desk) {
		d.admit(msg(3))
		d.append(gapless.Change{Admitted: []gapless.Item{recovered(msg(1), "")}})
		d.admit(msg(2))
		d.append(gapless.Change{Places: []gapless.PlaceChange{{ID: place, Head: msg(3), Describe: &gapless.Channel{Name: "talk", Guild: 5}}}})
		v := d.claim(lane)
		eq(d, "id", v.ID, gapless.DeliveryID(msg(1).String()))
		eq(d, "lane", v.Lane, lane)
		eq(d, "place", v.Place, gapless.Place{ID: place, Guild: 5, Name: "talk", Head: msg(3)})
		eq(d, "members", len(v.Messages), 1)
		d.instant("created", v.CreatedAt, d.now)
	}},
	{"the delivery is leased: attempt and fence raised, boot set", func(d *desk) {
		d.admit(msg(1))
		v := d.claim(lane)
		eq(d, "state", v.State, gapless.Leased)
		eq(d, "attempt", v.Attempt, 1)
		eq(d, "boot", v.Boot, "boot")
		d.end(v, gapless.Outcome{Kind: gapless.TurnRetryAfter})
		again := d.ask(gapless.Claim{Lane: lane, Boot: "next", Now: d.now}).Delivery
		eq(d, "id", again.ID, v.ID)
		eq(d, "attempt", again.Attempt, 2)
		eq(d, "boot", again.Boot, "next")
		eq(d, "fence rises", again.Fence > v.Fence, true)
	}},
	{"a place without marks is named by its id", func(d *desk) {
		d.admit(msg(1))
		eq(d, "place", d.claim(lane).Place, gapless.Place{ID: place})
	}},
	{"one lease per lane, others go on", func(d *desk) {
		d.admit(msg(1), msg(2))
		d.append(gapless.Change{Admitted: []gapless.Item{itemIn(other, msg(3))}})
		v := d.claim(lane)
		o := d.none(lane)
		eq(d, "next", o.Next.IsZero(), true)
		d.claim(gapless.LaneOf(other))
		d.end(v, gapless.Outcome{Kind: gapless.TurnDone})
		eq(d, "then", d.claim(lane).First().ID, msg(2))
	}},
	{"a lane goes on once the answer is stored", func(d *desk) {
		d.admit(msg(1), msg(2))
		d.answer(d.claim(lane), 1)
		eq(d, "then", d.claim(lane).First().ID, msg(2))
	}},
	{"a waiting delivery comes first, also before lower messages", func(d *desk) {
		d.admit(msg(2), msg(3))
		d.end(d.claim(lane), gapless.Outcome{Kind: gapless.TurnRetryAfter})
		d.admit(msg(1))
		eq(d, "first", d.claim(lane).First().ID, msg(2))
	}},
	{"until its instant has passed the lane waits", func(d *desk) {
		d.admit(msg(1), msg(2))
		v := d.end(d.claim(lane), gapless.Outcome{Kind: gapless.TurnRetryAfter, Wait: time.Minute})
		d.instant("next", d.none(lane).Next, v.NotBefore)
		d.now = v.NotBefore.Add(-time.Nanosecond)
		d.none(lane)
		d.now = v.NotBefore
		eq(d, "first", d.claim(lane).First().ID, msg(1))
	}},
	{"a message waits for its own instant, and the lane with it", func(d *desk) {
		it := item(msg(1))
		it.NotBefore = base.Add(time.Second)
		d.append(gapless.Change{Admitted: []gapless.Item{it}})
		d.admit(msg(2))
		d.instant("next", d.none(lane).Next, it.NotBefore)
		d.now = it.NotBefore
		eq(d, "first", d.claim(lane).First().ID, msg(1))
	}},
	{"an open gap below holds a message, up to the end of its hold", holds},
	{"the latest of several holds counts", func(d *desk) {
		first, second := gap(msg(1), msg(5)), gap(msg(6), msg(9))
		second.HoldTill = base.Add(45 * time.Second)
		it := item(msg(10))
		it.NotBefore = base.Add(40 * time.Second)
		d.append(gapless.Change{Opened: []gapless.Gap{first, second}, Admitted: []gapless.Item{it}})
		d.instant("next", d.none(lane).Next, second.HoldTill)
		d.append(gapless.Change{Moved: []gapless.GapMove{second.Closed(gapless.EndFilled, base)}})
		d.instant("next", d.none(lane).Next, it.NotBefore)
	}},
	{"a gap that closes, or moves past, holds no more", func(d *desk) {
		g := gap(msg(1), msg(9))
		d.append(gapless.Change{Opened: []gapless.Gap{g}, Admitted: []gapless.Item{item(msg(5)), item(msg(8))}})
		d.none(lane)
		move := gapless.GapMove{ID: g.ID, Was: msg(1), After: msg(5), HoldTill: g.HoldTill}
		d.append(gapless.Change{Moved: []gapless.GapMove{move}})
		d.end(d.claim(lane), gapless.Outcome{Kind: gapless.TurnDone})
		d.none(lane)
		d.append(gapless.Change{Moved: []gapless.GapMove{g.Apply(move).Closed(gapless.EndFilled, base)}})
		eq(d, "then", d.claim(lane).First().ID, msg(8))
	}},
	{"a gap elsewhere, above, or that holds nothing does not hold", func(d *desk) {
		elsewhere, above, silent := gap(msg(1), msg(9)), gap(msg(5), msg(9)), gap(msg(1), msg(8))
		elsewhere.Place, elsewhere.ID = other, "701-9"
		silent.HoldTill = time.Time{}
		d.append(gapless.Change{Opened: []gapless.Gap{elsewhere, above, silent}, Admitted: []gapless.Item{item(msg(5))}})
		d.claim(lane)
	}},
	{"a waiting delivery is not held by a gap", func(d *desk) {
		d.admit(msg(5))
		d.end(d.claim(lane), gapless.Outcome{Kind: gapless.TurnUnavailable})
		d.append(gapless.Change{Opened: []gapless.Gap{gap(msg(1), msg(9))}})
		d.claim(lane)
	}},
	{"paced: a recovered message waits unless a heard one waits behind it", func(d *desk) {
		d.append(gapless.Change{Admitted: []gapless.Item{recovered(msg(1), "g")}})
		paced := gapless.Claim{Lane: lane, Boot: "boot", Now: d.now, Paced: true}
		o := d.ask(paced)
		eq(d, "delivery", o.Delivery == nil, true)
		eq(d, "paced", o.Paced, true)
		eq(d, "next", o.Next.IsZero(), true)
		d.append(gapless.Change{Admitted: []gapless.Item{itemIn(other, msg(2))}})
		eq(d, "still paced", d.ask(paced).Paced, true)
		d.admit(msg(3))
		o = d.ask(paced)
		eq(d, "delivery", o.Delivery != nil && o.Delivery.First().ID == msg(1), true)
	}},
	{"paced: heard messages go, audited ones wait, the unpaced goes anyway", func(d *desk) {
		d.admit(msg(1))
		it := recovered(msg(2), "g")
		it.Origin = gapless.OriginAudit
		d.append(gapless.Change{Admitted: []gapless.Item{it}})
		paced := gapless.Claim{Lane: lane, Boot: "boot", Now: d.now, Paced: true}
		v := d.ask(paced).Delivery
		eq(d, "heard", v != nil, true)
		d.end(*v, gapless.Outcome{Kind: gapless.TurnDone})
		eq(d, "audited", d.ask(paced).Paced, true)
		eq(d, "unpaced", d.claim(lane).First().ID, msg(2))
	}},
	{"paced is said only when nothing else stands in the way", func(d *desk) {
		d.append(gapless.Change{Opened: []gapless.Gap{gap(msg(1), msg(9))}, Admitted: []gapless.Item{recovered(msg(5), "g")}})
		o := d.ask(gapless.Claim{Lane: lane, Boot: "boot", Now: d.now, Paced: true})
		eq(d, "paced", o.Paced, false)
		d.instant("next", o.Next, base.Add(30*time.Second))
	}},
	{"paced: a second attempt is not paced", func(d *desk) {
		d.append(gapless.Change{Admitted: []gapless.Item{recovered(msg(1), "g")}})
		d.end(d.claim(lane), gapless.Outcome{Kind: gapless.TurnUnavailable})
		o := d.ask(gapless.Claim{Lane: lane, Boot: "boot", Now: d.now, Paced: true})
		eq(d, "delivery", o.Delivery != nil, true)
	}},
	{"a deleted member drops out; none left settles as deleted, the next is taken", func(d *desk) {
		d.admit(msg(1), msg(2))
		d.end(d.claim(lane), gapless.Outcome{Kind: gapless.TurnRetryAfter})
		d.append(gapless.Change{Deleted: []gapless.Deletion{{Place: place, ID: msg(1)}}})
		eq(d, "then", d.claim(lane).First().ID, msg(2))
		s := d.status()
		eq(d, "ended deleted", s.Ended[gapless.Deleted], 1)
		eq(d, "deleted messages", s.Messages["deleted"], 1)
		eq(d, "known", d.admit(msg(1)).Known, 1)
	}},
	{"evidence: an interrupted delivery answered by an own message is settled", evidence},
}

func holds(d *desk) {
	g := gap(msg(1), msg(9))
	d.append(gapless.Change{Opened: []gapless.Gap{g}, Admitted: []gapless.Item{item(msg(1)), item(msg(10))}})
	v := d.claim(lane) // everything up to msg(1) has been read
	eq(d, "first", v.First().ID, msg(1))
	d.end(v, gapless.Outcome{Kind: gapless.TurnDone})
	d.instant("next", d.none(lane).Next, g.HoldTill)
	d.now = g.HoldTill.Add(-time.Nanosecond)
	d.none(lane)
	d.now = g.HoldTill
	eq(d, "then", d.claim(lane).First().ID, msg(10))
}

func evidence(d *desk) {
	d.admit(msg(1), msg(2), msg(3))
	own := func(id gapless.MessageID) {
		d.append(gapless.Change{Own: []gapless.OwnMessage{{ID: msg(50), Place: place, Reference: id}}})
	}
	own(msg(1))
	v := d.claim(lane) // never interrupted: evidence counts for nothing
	eq(d, "first", v.First().ID, msg(1))
	d.end(v, gapless.Outcome{Kind: gapless.TurnRetryAfter})
	v = d.claim(lane)
	eq(d, "after a failure", v.First().ID, msg(1))
	d.end(v, gapless.Outcome{Kind: gapless.TurnInterrupted})
	v = d.claim(lane)
	eq(d, "after the interruption", v.First().ID, msg(2))
	s := d.status()
	eq(d, "answered", s.Ended[gapless.Answered], 1)
	eq(d, "settled messages", s.Messages["settled"], 1)
	d.end(v, gapless.Outcome{Kind: gapless.TurnInterrupted})
	eq(d, "without evidence", d.claim(lane).First().ID, msg(2))
}
