package ledgertest

import (
	"fmt"
	"reflect"
	"time"

	"gapless"
)

// undecidedSentences are those of undecided rows and of endings (R11, S56).
var undecidedSentences = []sentence{
	{"an undecided message is loaded exactly as it was given, the lowest id first", func(d *desk) {
		it := whole()
		it.Plain, it.Lacks = true, gapless.LackReference
		s := d.append(gapless.Change{Undecided: []gapless.Item{undecided(msg(3)), it}})
		eq(d, "new", len(s.New)+len(s.Lanes)+s.Known, 0)
		m := d.load()
		eq(d, "rows", len(m.Undecided), 2)
		if got := m.Undecided[0]; !reflect.DeepEqual(got, it) {
			d.Errorf("got  %+v\nwant %+v", got, it)
		}
		d.instant("first seen", m.Undecided[1].FirstSeen, d.now)
	}},
	{"it is never claimed, and its lane is not ready", func(d *desk) {
		d.suspend(undecided(msg(1)))
		o := d.none(lane)
		eq(d, "next", o.Next.IsZero(), true)
		ready, err := d.l.Ready(d.Context())
		eq(d, "ready", len(ready), 0)
		eq(d, "error", err, nil)
		eq(d, "messages", fmt.Sprint(d.status().Messages), "map[undecided:1]")
		eq(d, "lacks", fmt.Sprint(d.status().Undecided), "map[member:1]")
	}},
	{"it holds everything above it in its lane until its instant", func(d *desk) {
		u := undecided(msg(5))
		u.NotBefore = base.Add(10 * time.Second)
		d.suspend(u)
		d.append(gapless.Change{Admitted: []gapless.Item{item(msg(4)), item(msg(6)), itemIn(other, msg(7))}})
		v := d.claim(lane)
		eq(d, "below", v.First().ID, msg(4))
		d.end(v, gapless.Outcome{Kind: gapless.TurnDone})
		d.claim(gapless.LaneOf(other))
		d.instant("next", d.none(lane).Next, u.NotBefore)
		d.now = u.NotBefore
		eq(d, "then", d.claim(lane).First().ID, msg(6))
	}},
	{"it holds no delivery that was claimed before", func(d *desk) {
		d.admit(msg(5))
		d.end(d.claim(lane), gapless.Outcome{Kind: gapless.TurnUnavailable})
		u := undecided(msg(1))
		u.NotBefore = base.Add(time.Hour)
		d.suspend(u)
		d.claim(lane)
	}},
	{"admitted, it is pending with that ground, keeping origin, gap and first sight", func(d *desk) {
		u := undecided(msg(1))
		u.Origin, u.Gap, u.NotBefore = gapless.OriginHistory, "700-9", base.Add(time.Hour)
		d.suspend(u)
		d.now = d.now.Add(time.Second)
		it := item(msg(1))
		it.Ground, it.Plain, it.Message.Reference.Author = gapless.OnFree, true, 77
		s := d.append(gapless.Change{Admitted: []gapless.Item{it, it}})
		eq(d, "new", fmt.Sprint(s.New, s.Lanes), fmt.Sprint([]gapless.MessageID{msg(1)}, []gapless.LaneID{lane}))
		eq(d, "known", s.Known, 1)
		eq(d, "undecided", len(d.load().Undecided), 0)
		got := d.claim(lane).Messages[0]
		it.Origin, it.Gap, it.FirstSeen = u.Origin, u.Gap, base
		if !reflect.DeepEqual(got, it) {
			d.Errorf("got  %+v\nwant %+v", got, it)
		}
	}},
	{"the newer text counts, whether it was stored or is given", func(d *desk) {
		d.suspend(undecided(msg(1)), undecided(msg(2)))
		d.append(gapless.Change{Edited: []gapless.Message{edited(msg(1), "third", 3), edited(msg(2), "second", 2)}})
		second, third := item(msg(1)), item(msg(2))
		second.Message, third.Message = edited(msg(1), "second", 2), edited(msg(2), "third", 3)
		d.append(gapless.Change{Admitted: []gapless.Item{second, third}})
		for range 2 {
			v := d.claim(lane)
			eq(d, "text", v.First().Text, "third")
			d.end(v, gapless.Outcome{Kind: gapless.TurnDone})
		}
	}},
	{"refused, its row and text go, and the refusal stays", func(d *desk) {
		d.suspend(undecided(msg(1)))
		r := gapless.Change{Refused: []gapless.Refusal{{Place: place, ID: msg(1), Reason: "role", Addressed: true}}}
		eq(d, "known", d.append(r).Known, 0)
		eq(d, "undecided", len(d.load().Undecided), 0)
		eq(d, "messages", len(d.status().Messages), 0)
		eq(d, "refused", d.status().Refused["role"], 1)
		eq(d, "again", d.append(r).Known, 1)
		eq(d, "known", d.admit(msg(1)).Known, 1)
		s := d.append(gapless.Change{Undecided: []gapless.Item{undecided(msg(1))}})
		eq(d, "known undecided", s.Known, 1)
		eq(d, "undecided", len(d.load().Undecided), 0)
	}},
	{"undecided again, it is renewed", func(d *desk) {
		d.suspend(undecided(msg(1)))
		d.now = d.now.Add(time.Second)
		u := undecided(msg(1))
		u.Lacks, u.NotBefore, u.Ground, u.Origin = gapless.LackPlace, base.Add(time.Minute), gapless.OnFree, gapless.OriginAudit
		eq(d, "known", d.append(gapless.Change{Undecided: []gapless.Item{u}}).Known, 0)
		m := d.load()
		eq(d, "rows", len(m.Undecided), 1)
		u.Origin, u.FirstSeen = gapless.OriginLive, base
		if got := m.Undecided[0]; !reflect.DeepEqual(got, u) {
			d.Errorf("got  %+v\nwant %+v", got, u)
		}
		d.admit(msg(2))
		d.instant("holds", d.none(lane).Next, u.NotBefore)
	}},
	{"a decided id does not become undecided", func(d *desk) {
		d.admit(msg(1))
		d.append(gapless.Change{Deleted: []gapless.Deletion{{Place: place, ID: msg(2)}}})
		eq(d, "known", d.append(gapless.Change{Undecided: []gapless.Item{undecided(msg(1)), undecided(msg(2))}}).Known, 2)
		eq(d, "undecided", len(d.load().Undecided), 0)
		eq(d, "claimed", d.claim(lane).First().ID, msg(1))
	}},
	{"a change that brings an id undecided and decided decides it", func(d *desk) {
		d.append(gapless.Change{
			Undecided: []gapless.Item{undecided(msg(1)), undecided(msg(2)), undecided(msg(3))},
			Admitted:  []gapless.Item{item(msg(1))},
			Refused:   []gapless.Refusal{{Place: place, ID: msg(2), Reason: "bot"}},
			Deleted:   []gapless.Deletion{{Place: place, ID: msg(3)}},
		})
		eq(d, "undecided", len(d.load().Undecided), 0)
		eq(d, "messages", fmt.Sprint(d.status().Messages), "map[deleted:1 pending:1]")
	}},
	{"an edit renews it; one that came before is kept for it", func(d *desk) {
		d.append(gapless.Change{Edited: []gapless.Message{edited(msg(2), "early", 2)}})
		d.suspend(undecided(msg(1)), undecided(msg(2)))
		d.append(gapless.Change{Edited: []gapless.Message{edited(msg(1), "late", 2), edited(msg(1), "older", 1)}})
		m := d.load()
		eq(d, "late", m.Undecided[0].Message.Text, "late")
		eq(d, "early", m.Undecided[1].Message.Text, "early")
	}},
	{"a deletion ends it as deleted", func(d *desk) {
		u := undecided(msg(1))
		u.NotBefore = base.Add(time.Hour)
		d.suspend(u)
		d.admit(msg(2))
		d.append(gapless.Change{Deleted: []gapless.Deletion{{Place: place, ID: msg(1)}}})
		eq(d, "undecided", len(d.load().Undecided), 0)
		eq(d, "known", d.admit(msg(1)).Known, 1)
		eq(d, "holds no more", d.claim(lane).First().ID, msg(2))
		eq(d, "messages", fmt.Sprint(d.status().Messages), "map[claimed:1 deleted:1]")
	}},
	{"prune leaves it whole", func(d *desk) {
		d.suspend(undecided(msg(1)))
		d.prune(base.Add(1000*time.Hour), base.Add(1000*time.Hour))
		eq(d, "text", d.load().Undecided[0].Message.Text, item(msg(1)).Message.Text)
	}},
	{"evidence of before its decision counts after it", func(d *desk) {
		d.suspend(undecided(msg(1)))
		d.append(gapless.Change{Own: []gapless.OwnMessage{{ID: msg(50), Place: place, Reference: msg(1)}}})
		d.admit(msg(1))
		d.end(d.claim(lane), gapless.Outcome{Kind: gapless.TurnInterrupted})
		d.none(lane)
		eq(d, "ended", d.status().Ended[gapless.Answered], 1)
	}},
	{"an ended id is settled for its reason, and known from then on", endsElsewhere},
	{"what was noted of a backup is kept if it is larger", func(d *desk) {
		note := func(n int64) int64 {
			d.append(gapless.Change{Noted: n})
			return d.load().Noted
		}
		eq(d, "noted", note(5), 5)
		eq(d, "less", note(3), 5)
		eq(d, "more", note(6), 6)
		eq(d, "behind", d.load().Behind, 0)
		eq(d, "shown", d.status().Behind, 0)
	}},
}

// undecided is a message of place whose author's roles are not known.
func undecided(id gapless.MessageID) gapless.Item {
	it := item(id)
	it.Ground, it.Lacks = "", gapless.LackMember
	return it
}

func (d *desk) suspend(items ...gapless.Item) {
	d.Helper()
	d.append(gapless.Change{Undecided: items})
}

func endsElsewhere(d *desk) {
	d.admit(msg(4))
	d.append(gapless.Change{
		Undecided: []gapless.Item{undecided(msg(2))}, Edited: []gapless.Message{edited(msg(1), "early", 2)},
		Refused: []gapless.Refusal{{Place: place, ID: msg(3), Reason: "bot"}},
	})
	ended := gapless.Change{Ended: []gapless.Ending{
		{Place: place, ID: msg(1), Reason: gapless.Answered}, {Place: place, ID: msg(2), Reason: gapless.Done},
		{Place: place, ID: msg(3), Reason: gapless.Done}, {Place: place, ID: msg(4), Reason: gapless.Done},
	}}
	s := d.append(ended)
	eq(d, "known", s.Known, 2)
	eq(d, "new", len(s.New)+len(s.Lanes)+len(s.Closed), 0)
	eq(d, "again", d.append(ended).Known, 4)
	eq(d, "admitted again", d.admit(msg(1), msg(2)).Known, 2)
	d.append(gapless.Change{Edited: []gapless.Message{edited(msg(1), "late", 3)}})
	st := d.status()
	eq(d, "messages", fmt.Sprint(st.Messages), "map[pending:1 settled:2]")
	eq(d, "ended", fmt.Sprint(st.Ended), "map[answered:1 done:1]")
	eq(d, "undecided", len(d.load().Undecided), 0)
	eq(d, "claimed", d.claim(lane).First().ID, msg(4))
	d.prune(base, base.Add(time.Hour))
	eq(d, "forgotten when old", d.status().Messages["settled"], 0)
}
