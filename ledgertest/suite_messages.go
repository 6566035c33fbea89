package ledgertest

import (
	"fmt"
	"reflect"
	"slices"
	"time"

	"gapless"
)

// messageSentences are those of the decisions, edits, deletions and evidence
// of a Change.
var messageSentences = []sentence{
	{"an admitted message is claimed exactly as it was given", func(d *desk) {
		it := whole()
		s := d.append(gapless.Change{Admitted: []gapless.Item{it}})
		eq(d, "new", len(s.New), 1)
		v := d.claim(lane)
		if got := v.Messages[0]; !reflect.DeepEqual(got, it) {
			d.Errorf("got  %+v\nwant %+v", got, it)
		}
	}},
	{"first seen is the instant of the change unless given", func(d *desk) {
		d.admit(msg(1))
		d.instant("first seen", d.claim(lane).Messages[0].FirstSeen, d.now)
	}},
	{"stored names new ids and their lanes in order", func(d *desk) {
		s := d.append(gapless.Change{Admitted: []gapless.Item{
			itemIn(other, msg(2)), item(msg(1)), itemIn(other, msg(3)), item(msg(1)),
		}})
		eq(d, "new", fmt.Sprint(s.New), fmt.Sprint([]gapless.MessageID{msg(2), msg(1), msg(3)}))
		eq(d, "lanes", fmt.Sprint(s.Lanes), fmt.Sprint([]gapless.LaneID{gapless.LaneOf(other), lane}))
		eq(d, "known", s.Known, 1)
	}},
	{"an id with a row is left as it is, whatever its origin (C05)", func(d *desk) {
		d.admit(msg(1))
		again := recovered(msg(1), "g")
		again.Message.Text = "changed"
		s := d.append(gapless.Change{Admitted: []gapless.Item{again}, Refused: []gapless.Refusal{{Place: place, ID: msg(1), Reason: "bot"}}})
		eq(d, "known", s.Known, 2)
		eq(d, "new", len(s.New)+len(s.Lanes), 0)
		got := d.claim(lane).Messages[0]
		eq(d, "text", got.Message.Text, item(msg(1)).Message.Text)
		eq(d, "origin", got.Origin, gapless.OriginLive)
		eq(d, "refused", len(d.status().Refused), 0)
	}},
	{"an id stays decided through its whole life", func(d *desk) {
		known := func() {
			d.Helper()
			eq(d, "known", d.admit(msg(1)).Known, 1)
		}
		d.admit(msg(1))
		v := d.claim(lane)
		known()
		replies := d.answer(v, 1)
		known()
		d.sent(replies[0], gapless.ReplySent)
		known()
		d.none(lane)
	}},
	{"a refused id is not decided again", refusesOnce},
	{"refusals of overlapping ranges are all remembered", func(d *desk) {
		for _, n := range []int{1, 9, 3, 7, 5} {
			d.append(gapless.Change{Refused: []gapless.Refusal{
				{Place: place, ID: msg(n), Reason: "bot"}, {Place: place, ID: msg(n + 10), Reason: "user"},
				{Place: other, ID: msg(n + 40), Reason: "bot"},
			}})
		}
		for n := range 20 {
			refused := n%10%2 == 1
			eq(d, fmt.Sprintf("known %d", n), d.admit(msg(n)).Known == 1, refused)
		}
		for n := 40; n < 50; n++ {
			got := d.append(gapless.Change{Admitted: []gapless.Item{itemIn(other, msg(n))}}).Known == 1
			eq(d, fmt.Sprintf("known %d", n), got, n%2 == 1)
		}
	}},
	{"a newer edit renews the text, an older one does not", func(d *desk) {
		d.admit(msg(1))
		d.append(gapless.Change{Edited: []gapless.Message{edited(msg(1), "second", 2)}})
		d.append(gapless.Change{Edited: []gapless.Message{edited(msg(1), "first", 1), edited(msg(1), "unedited", 0)}})
		got := d.claim(lane).Messages[0]
		eq(d, "text", got.Message.Text, "second")
		eq(d, "raw", string(got.Message.Raw), `"second"`)
		eq(d, "ground", got.Ground, gapless.OnMention)
	}},
	{"an edit reaches a message whose turn has begun", func(d *desk) {
		d.admit(msg(1))
		v := d.claim(lane)
		d.append(gapless.Change{Edited: []gapless.Message{edited(msg(1), "second", 2)}})
		d.end(v, gapless.Outcome{Kind: gapless.TurnUnavailable})
		eq(d, "text", d.claim(lane).Messages[0].Message.Text, "second")
	}},
	{"an edit that comes before its message is kept for it", func(d *desk) {
		d.append(gapless.Change{Edited: []gapless.Message{edited(msg(1), "third", 3)}})
		d.append(gapless.Change{Edited: []gapless.Message{edited(msg(1), "second", 2)}})
		d.none(lane)
		eq(d, "new", len(d.admit(msg(1)).New), 1)
		eq(d, "text", d.claim(lane).Messages[0].Message.Text, "third")
	}},
	{"a kept edit older than the message does not replace it", func(d *desk) {
		d.append(gapless.Change{Edited: []gapless.Message{edited(msg(1), "second", 2)}})
		it := item(msg(1))
		it.Message.Text, it.Message.EditedAt = "third", base.Add(3*time.Second)
		d.append(gapless.Change{Admitted: []gapless.Item{it}})
		eq(d, "text", d.claim(lane).Messages[0].Message.Text, "third")
	}},
	{"an edit changes no decision", func(d *desk) {
		d.append(gapless.Change{Refused: []gapless.Refusal{{Place: place, ID: msg(1), Reason: "mention"}}})
		d.append(gapless.Change{Edited: []gapless.Message{edited(msg(1), "now for you", 2)}})
		eq(d, "known", d.admit(msg(1)).Known, 1)
		d.none(lane)
	}},
	{"a deleted pending message ends as deleted", func(d *desk) {
		d.admit(msg(1), msg(2))
		d.append(gapless.Change{Deleted: []gapless.Deletion{{Place: place, ID: msg(1)}}})
		eq(d, "claimed", d.claim(lane).First().ID, msg(2))
		eq(d, "deleted", d.status().Messages["deleted"], 1)
		eq(d, "known", d.admit(msg(1)).Known, 1)
	}},
	{"an unknown id that is deleted enters as deleted", func(d *desk) {
		d.append(gapless.Change{Deleted: []gapless.Deletion{{Place: place, ID: msg(1)}}})
		s := d.admit(msg(1), msg(2))
		eq(d, "new", fmt.Sprint(s.New), fmt.Sprint([]gapless.MessageID{msg(2)}))
		eq(d, "known", s.Known, 1)
		d.append(gapless.Change{Edited: []gapless.Message{edited(msg(1), "back", 2)}})
		eq(d, "claimed", d.claim(lane).First().ID, msg(2))
	}},
	{"a deletion wins over a kept edit", func(d *desk) {
		d.append(gapless.Change{Edited: []gapless.Message{edited(msg(1), "second", 2)}})
		d.append(gapless.Change{Deleted: []gapless.Deletion{{Place: place, ID: msg(1)}}})
		eq(d, "new", len(d.admit(msg(1)).New), 0)
		d.none(lane)
	}},
	{"created and deleted in one change is no new row", func(d *desk) {
		s := d.append(gapless.Change{
			Admitted: []gapless.Item{item(msg(1))}, Deleted: []gapless.Deletion{{Place: place, ID: msg(1)}},
		})
		eq(d, "new", len(s.New)+len(s.Lanes), 0)
		d.none(lane)
	}},
	{"a deletion takes the text of a running turn's message", func(d *desk) {
		d.admit(msg(1))
		d.claim(lane)
		d.append(gapless.Change{Deleted: []gapless.Deletion{{Place: place, ID: msg(1)}}})
		d.append(gapless.Change{Edited: []gapless.Message{edited(msg(1), "back", 2)}})
		d.textless(d.leases()[0].Messages[0])
	}},
	{"deleting a refused id keeps the refusal", func(d *desk) {
		d.append(gapless.Change{Refused: []gapless.Refusal{{Place: place, ID: msg(1), Reason: "bot"}}})
		d.append(gapless.Change{Deleted: []gapless.Deletion{{Place: place, ID: msg(1)}}})
		eq(d, "rows", len(d.status().Messages), 0)
		eq(d, "known", d.admit(msg(1)).Known, 1)
	}},
}

// whole is a message with every field set.
func whole() gapless.Item {
	return gapless.Item{
		Message: gapless.Message{
			ID: msg(1), Place: place, Guild: 5, Author: gapless.User{ID: 9, Name: "ann", Bot: true, System: true}, Webhook: 6,
			Type: 19, Flags: 4, Text: "tschüß \x00 \U0001F600 <@1> & \"quoted\"", Attachments: 2, Mentions: []gapless.UserID{1, 2},
			Forwarded: 4, MentionBots: []gapless.UserID{2}, MentionRoles: []gapless.RoleID{3}, Roles: []gapless.RoleID{},
			Reference: gapless.Reference{Type: 1, Message: 10, Place: 11, Author: 12, Known: true},
			Nonce:     "n", EditedAt: base.Add(time.Millisecond), Raw: []byte("{ \"id\":\t1 }"),
		},
		Origin: gapless.OriginReplay, Ground: gapless.OnFree, Gap: "700-1",
		FirstSeen: base.Add(-time.Second), NotBefore: base.Add(-time.Minute),
	}
}

// edited is the message as it was changed n seconds after base; zero: never.
func edited(id gapless.MessageID, text string, n int) gapless.Message {
	m := item(id).Message
	m.Text, m.Raw = text, []byte(`"`+text+`"`)
	if n > 0 {
		m.EditedAt = base.Add(time.Duration(n) * time.Second)
	}
	return m
}

func refusesOnce(d *desk) {
	r := []gapless.Refusal{
		{Place: place, ID: msg(1), Reason: gapless.ReasonBot, Origin: gapless.OriginLive},
		{Place: place, ID: msg(3), Reason: gapless.ReasonMention, Addressed: true},
		{Place: other, ID: msg(2), Reason: gapless.ReasonBot},
	}
	eq(d, "known", d.append(gapless.Change{Refused: r}).Known, 0)
	eq(d, "known", d.append(gapless.Change{Refused: slices.Concat(r, r)}).Known, 6)
	s := d.append(gapless.Change{Admitted: []gapless.Item{item(msg(1)), itemIn(other, msg(2)), item(msg(3))}})
	eq(d, "known", s.Known, 3)
	eq(d, "new", len(s.New), 0)
	eq(d, "bots", d.status().Refused[gapless.ReasonBot], 2)
	eq(d, "mentions", d.status().Refused[gapless.ReasonMention], 1)
}

func (d *desk) leases() []gapless.Delivery {
	d.Helper()
	out, err := d.l.Leases(d.Context())
	if err != nil {
		d.Fatalf("leases: %v", err)
	}
	return out
}

// textless says that nothing of the message is left but who and where it was.
func (d *desk) textless(it gapless.Item) {
	d.Helper()
	m := it.Message
	if want := (gapless.Message{ID: m.ID, Place: m.Place}); !reflect.DeepEqual(m, want) {
		d.Errorf("text is still there: %+v", m)
	}
}
