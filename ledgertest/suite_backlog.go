package ledgertest

import (
	"fmt"
	"time"

	"gapless"
)

// backlogSentences are those of what a claim takes of what waits.
var backlogSentences = []sentence{
	{"joined: the author's run is one turn, up to the first of another", func(d *desk) {
		d.append(gapless.Change{Admitted: []gapless.Item{by(9, msg(1)), by(9, msg(20)), by(9, msg(99)), by(8, msg(100)), by(9, msg(101))}})
		o := d.ask(gapless.Claim{Lane: lane, Boot: "boot", Now: d.now, Backlog: gapless.BacklogJoined})
		d.members(o, 1, 20, 99)
		eq(d, "id", o.Delivery.ID, gapless.DeliveryID(msg(1).String()))
		eq(d, "text", o.Delivery.Messages[2].Message.Text, item(msg(99)).Message.Text)
		d.items("later", o.Later, 101)
		d.end(*o.Delivery, gapless.Outcome{Kind: gapless.TurnDone})
		eq(d, "messages", fmt.Sprint(d.status().Messages), "map[pending:2 settled:3]")
		eq(d, "deliveries", d.status().Deliveries[gapless.Settled], 1)
		d.members(d.ask(gapless.Claim{Lane: lane, Now: d.now, Backlog: gapless.BacklogJoined}), 100)
	}},
	{"each: one message, and its author's others are told of", func(d *desk) {
		d.append(gapless.Change{Admitted: []gapless.Item{by(9, msg(1)), by(8, msg(2)), by(9, msg(3)), by(9, msg(4))}})
		for _, b := range []gapless.Backlog{"", gapless.BacklogEach} {
			o := d.ask(gapless.Claim{Lane: lane, Boot: "boot", Now: d.now, Backlog: b})
			d.members(o, 1)
			d.items("later", o.Later, 3, 4)
			eq(d, "text", o.Later[0].Message.Text, item(msg(3)).Message.Text)
			d.end(*o.Delivery, gapless.Outcome{Kind: gapless.TurnUnavailable})
		}
		eq(d, "pending", d.status().Messages["pending"], 3)
	}},
	{"join: plain texts of one author written close to each other are one turn", func(d *desk) {
		d.append(gapless.Change{Admitted: []gapless.Item{
			plain(9, msg(1)), plain(9, msg(3)), plain(8, msg(4)), plain(9, msg(5)), by(9, msg(6)), plain(9, msg(7)), plain(9, msg(10)),
		}})
		o := d.ask(gapless.Claim{Lane: lane, Now: d.now, Join: 2 * time.Second})
		d.members(o, 1, 3, 5, 7)
		d.items("later", o.Later, 10)
		d.end(*o.Delivery, gapless.Outcome{Kind: gapless.TurnDone})
		d.members(d.ask(gapless.Claim{Lane: lane, Now: d.now, Join: 2 * time.Second}), 4)
	}},
	{"join: what is not plain, or too far, stays behind", func(d *desk) {
		d.append(gapless.Change{Admitted: []gapless.Item{by(9, msg(1)), plain(9, msg(2)), plain(9, msg(5))}})
		for _, n := range []int{1, 2, 5} {
			o := d.ask(gapless.Claim{Lane: lane, Now: d.now, Join: 2 * time.Second})
			d.members(o, n)
			d.end(*o.Delivery, gapless.Outcome{Kind: gapless.TurnDone})
		}
	}},
	{"join of zero joins nothing, not even what was written at once", func(d *desk) {
		first := msg(1)
		d.append(gapless.Change{Admitted: []gapless.Item{plain(9, first), plain(9, first+1)}})
		eq(d, "members", len(d.claim(lane).Messages), 1)
	}},
	{"a member's own instant holds back the first alone", func(d *desk) {
		first, second := plain(9, msg(1)), plain(9, msg(2))
		first.NotBefore, second.NotBefore = base.Add(time.Second), base.Add(2*time.Second)
		d.append(gapless.Change{Admitted: []gapless.Item{first, second}})
		c := gapless.Claim{Lane: lane, Now: d.now, Join: 2 * time.Second}
		d.instant("next", d.ask(c).Next, first.NotBefore)
		c.Now = first.NotBefore
		d.members(d.ask(c), 1, 2)
	}},
	{"a gap or an undecided row ends what joins", func(d *desk) {
		u := undecided(msg(5))
		u.NotBefore = base.Add(10 * time.Second)
		d.append(gapless.Change{
			Admitted:  []gapless.Item{plain(9, msg(1)), plain(9, msg(4)), plain(9, msg(6)), plain(9, msg(20))},
			Undecided: []gapless.Item{u}, Opened: []gapless.Gap{gap(msg(2), msg(3))},
		})
		c := gapless.Claim{Lane: lane, Now: d.now, Backlog: gapless.BacklogJoined, Join: time.Hour}
		turn := func(n ...int) {
			d.Helper()
			o := d.ask(c)
			d.members(o, n...)
			d.end(*o.Delivery, gapless.Outcome{Kind: gapless.TurnDone})
		}
		turn(1)
		d.instant("next", d.ask(c).Next, base.Add(30*time.Second))
		d.append(gapless.Change{Moved: []gapless.GapMove{gap(msg(2), msg(3)).Closed(gapless.EndFilled, base)}})
		turn(4)
		c.Now = u.NotBefore
		turn(6, 20)
	}},
	{"a run may be longer than a page of anything", func(d *desk) {
		var c gapless.Change
		for n := range 200 {
			c.Admitted = append(c.Admitted, plain(9, msg(n)))
		}
		d.append(c)
		o := d.ask(gapless.Claim{Lane: lane, Now: d.now, Backlog: gapless.BacklogJoined})
		eq(d, "members", len(o.Delivery.Messages), 200)
		eq(d, "claimed", d.status().Messages["claimed"], 200)
	}},
	{"a delivery that was claimed before keeps its members", func(d *desk) {
		d.append(gapless.Change{Admitted: []gapless.Item{plain(9, msg(1)), plain(9, msg(2))}})
		c := gapless.Claim{Lane: lane, Now: d.now, Backlog: gapless.BacklogJoined, Join: time.Hour}
		v := *d.ask(c).Delivery
		d.append(gapless.Change{Admitted: []gapless.Item{plain(9, msg(3)), plain(8, msg(4))}})
		d.end(v, gapless.Outcome{Kind: gapless.TurnRetryAfter})
		for _, c.Backlog = range []gapless.Backlog{gapless.BacklogLatest, gapless.BacklogJoined} {
			o := d.ask(c)
			d.members(o, 1, 2)
			d.items("later", o.Later, 3)
			eq(d, "older", len(o.Older), 0)
			d.end(*o.Delivery, gapless.Outcome{Kind: gapless.TurnUnavailable})
		}
	}},
	{"joined members drop out when they are deleted; leases name the rest", func(d *desk) {
		d.append(gapless.Change{Admitted: []gapless.Item{by(9, msg(1)), by(9, msg(2)), by(9, msg(3))}})
		v := *d.ask(gapless.Claim{Lane: lane, Now: d.now, Backlog: gapless.BacklogJoined}).Delivery
		eq(d, "leased", len(d.leases()[0].Messages), 3)
		d.end(v, gapless.Outcome{Kind: gapless.TurnRetryAfter})
		d.append(gapless.Change{Deleted: []gapless.Deletion{{Place: place, ID: msg(1)}}})
		o := d.offer(lane)
		d.members(o, 2, 3)
		eq(d, "id", o.Delivery.ID, v.ID)
		eq(d, "messages", fmt.Sprint(d.status().Messages), "map[claimed:2 deleted:1]")
	}},
	{"later and older are told of up to the limit", func(d *desk) {
		var c gapless.Change
		for n := range 2*gapless.LaterLimit + 10 {
			c.Admitted = append(c.Admitted, by(9, msg(n)))
		}
		d.append(c)
		o := d.offer(lane)
		eq(d, "later", len(o.Later), gapless.LaterLimit)
		eq(d, "first of later", o.Later[0].Message.ID, msg(1))
		d.end(*o.Delivery, gapless.Outcome{Kind: gapless.TurnDone})
		o = d.ask(gapless.Claim{Lane: lane, Now: d.now, Backlog: gapless.BacklogLatest})
		d.members(o, 2*gapless.LaterLimit+9)
		eq(d, "older", len(o.Older), gapless.LaterLimit)
		eq(d, "last of older", o.Older[gapless.LaterLimit-1].Message.ID, msg(2*gapless.LaterLimit+8))
		eq(d, "superseded", d.status().Ended[gapless.Superseded], 2*gapless.LaterLimit+8)
	}},
	{"latest: the newest is taken, those below it are superseded", takesLatest},
	{"latest waits while any gap of its place holds", func(d *desk) {
		above, elsewhere := gap(msg(50), msg(90)), gap(msg(1), msg(2))
		elsewhere.Place, elsewhere.ID = other, "701-2"
		d.append(gapless.Change{Opened: []gapless.Gap{above, elsewhere}, Admitted: []gapless.Item{item(msg(3)), item(msg(5))}})
		c := gapless.Claim{Lane: lane, Now: d.now, Backlog: gapless.BacklogLatest}
		d.instant("next", d.ask(c).Next, above.HoldTill)
		eq(d, "pending", d.status().Messages["pending"], 2)
		c.Now = above.HoldTill
		d.members(d.ask(c), 5)
	}},
	{"latest waits for what is undecided below, and not for what is above", func(d *desk) {
		below, above := undecided(msg(1)), undecided(msg(9))
		below.NotBefore, above.NotBefore = base.Add(10*time.Second), base.Add(20*time.Second)
		d.suspend(below, above)
		d.admit(msg(5))
		c := gapless.Claim{Lane: lane, Now: d.now, Backlog: gapless.BacklogLatest}
		d.instant("next", d.ask(c).Next, below.NotBefore)
		c.Now = below.NotBefore
		d.members(d.ask(c), 5)
	}},
	{"latest is paced like any other", func(d *desk) {
		d.append(gapless.Change{Admitted: []gapless.Item{recovered(msg(1), "g"), recovered(msg(2), "g")}})
		c := gapless.Claim{Lane: lane, Now: d.now, Backlog: gapless.BacklogLatest, Paced: true}
		eq(d, "paced", d.ask(c).Paced, true)
		eq(d, "superseded", d.status().Ended[gapless.Superseded], 0)
		c.Paced = false
		d.members(d.ask(c), 2)
	}},
}

// by is a message of an author.
func by(author gapless.UserID, id gapless.MessageID) gapless.Item {
	it := item(id)
	it.Message.Author.ID = author
	return it
}

// plain is a message of an author that may be joined with its neighbours.
func plain(author gapless.UserID, id gapless.MessageID) gapless.Item {
	it := by(author, id)
	it.Plain = true
	return it
}

// members compares the members of an offered delivery, written so many seconds
// after base.
func (d *desk) members(o gapless.Offer, want ...int) {
	d.Helper()
	if o.Delivery == nil {
		d.Fatalf("no delivery, next %v, paced %t", o.Next, o.Paced)
	}
	d.items("members", o.Delivery.Messages, want...)
}

func (d *desk) items(what string, got []gapless.Item, want ...int) {
	d.Helper()
	var ids, wanted []gapless.MessageID
	for _, it := range got {
		ids = append(ids, it.Message.ID)
	}
	for _, n := range want {
		wanted = append(wanted, msg(n))
	}
	eq(d, what, fmt.Sprint(ids), fmt.Sprint(wanted))
}

func takesLatest(d *desk) {
	d.append(gapless.Change{Admitted: []gapless.Item{by(9, msg(1)), by(8, msg(2)), by(9, msg(3))}})
	c := gapless.Claim{Lane: lane, Boot: "boot", Now: d.now, Backlog: gapless.BacklogLatest, Join: time.Hour}
	o := d.ask(c)
	d.members(o, 3)
	eq(d, "id", o.Delivery.ID, gapless.DeliveryID(msg(3).String()))
	d.items("older", o.Older, 1, 2)
	eq(d, "text", o.Older[1].Message.Text, item(msg(2)).Message.Text)
	eq(d, "later", len(o.Later), 0)
	s := d.status()
	eq(d, "messages", fmt.Sprint(s.Messages), "map[claimed:1 settled:2]")
	eq(d, "ended", fmt.Sprint(s.Ended), "map[superseded:2]")
	eq(d, "known", d.admit(msg(1), msg(2)).Known, 2)
	d.end(*o.Delivery, gapless.Outcome{Kind: gapless.TurnDone})
	d.append(gapless.Change{Admitted: []gapless.Item{by(9, msg(0)), by(9, msg(4))}})
	o = d.ask(c)
	d.members(o, 4)
	d.items("older", o.Older, 0)
}
