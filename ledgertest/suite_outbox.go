package ledgertest

import (
	"fmt"
	"time"

	"gapless"
)

// outboxSentences are those of Unsent and Sent, and of own messages heard.
var outboxSentences = []sentence{
	{"unsent replies come whole and in the order they were stored", func(d *desk) {
		d.append(gapless.Change{Admitted: []gapless.Item{item(msg(5)), itemIn(other, msg(1)), item(msg(6))}})
		var want []gapless.Reply
		want = append(want, d.answer(d.claim(lane), 3)...)
		want = append(want, d.answer(d.claim(gapless.LaneOf(other)), 1)...)
		want = append(want, d.answer(d.claim(lane), 2)...)
		got := d.unsent()
		eq(d, "replies", fmt.Sprint(got), fmt.Sprint(want))
		d.sent(got[1], gapless.ReplyRefused)
		d.sent(got[3], gapless.ReplySent)
		eq(d, "left", len(d.unsent()), 4)
		eq(d, "first", d.unsent()[0].ID, want[0].ID)
	}},
	{"every field of a reply is kept", func(d *desk) {
		d.admit(msg(1))
		v := d.claim(lane)
		r := gapless.Reply{
			ID: "r", Delivery: v.ID, Place: other, Ordinal: 4, Text: "answer ü", Reference: msg(1), Nonce: "n",
			State: gapless.ReplyIntended, IntentAt: base, TriedAt: base.Add(time.Second), DueAt: base.Add(time.Minute),
			Tries: 2, Message: 3, Detail: "words",
		}
		d.end(v, gapless.Outcome{Kind: gapless.TurnDone}, r)
		eq(d, "reply", d.unsent()[0], r)
	}},
	{"what became of a reply is stored", func(d *desk) {
		d.admit(msg(1))
		r := d.answer(d.claim(lane), 1)[0]
		r.TriedAt, r.DueAt, r.Tries, r.Detail = base.Add(time.Second), base.Add(time.Minute), 3, "timeout"
		eq(d, "settled", d.sent(r, gapless.ReplyUnknown), false)
		r.State = gapless.ReplyUnknown
		eq(d, "reply", d.unsent()[0], r)
	}},
	{"the last reply that becomes final settles: answered if one was sent", func(d *desk) {
		d.admit(msg(1))
		r := d.answer(d.claim(lane), 2)
		eq(d, "first", d.sent(r[0], gapless.ReplySent), false)
		eq(d, "second", d.sent(r[1], gapless.ReplyRefused), true)
		s := d.status()
		eq(d, "ended", s.Ended[gapless.Answered], 1)
		eq(d, "settled messages", s.Messages["settled"], 1)
		eq(d, "replies", fmt.Sprint(s.Replies), fmt.Sprint(map[gapless.ReplyState]int{gapless.ReplySent: 1, gapless.ReplyRefused: 1}))
	}},
	{"undeliverable if none was sent", func(d *desk) {
		d.admit(msg(1))
		r := d.answer(d.claim(lane), 1)
		eq(d, "settled", d.sent(r[0], gapless.ReplyRefused), true)
		eq(d, "ended", d.status().Ended[gapless.Undeliverable], 1)
	}},
	{"a final reply is left alone", func(d *desk) {
		d.admit(msg(1))
		r := d.answer(d.claim(lane), 2)
		d.sent(r[0], gapless.ReplySent)
		eq(d, "again", d.sent(r[0], gapless.ReplyUnknown), false)
		eq(d, "unsent", len(d.unsent()), 1)
		eq(d, "last", d.sent(r[1], gapless.ReplySent), true)
		eq(d, "again", d.sent(r[1], gapless.ReplySent), false)
	}},
	{"an unknown reply is stale", func(d *desk) {
		_, err := d.l.Sent(d.Context(), gapless.Reply{ID: "nobody's", State: gapless.ReplySent}, d.now)
		d.stale(err)
	}},
	{"an own message with the nonce is the reply, and may settle", func(d *desk) {
		d.admit(msg(1), msg(2))
		r := d.answer(d.claim(lane), 2)
		other := d.answer(d.claim(lane), 1)
		own := func(n string, id gapless.MessageID) gapless.Stored {
			return d.append(gapless.Change{Own: []gapless.OwnMessage{{ID: id, Place: place, Nonce: n}}})
		}
		eq(d, "no nonce", len(own("", msg(70)).Closed), 0)
		eq(d, "strange nonce", len(own("strange", msg(70)).Closed), 0)
		eq(d, "unsent", len(d.unsent()), 3)
		eq(d, "one left", len(own(r[0].Nonce, msg(71)).Closed), 0)
		s := own(r[1].Nonce, msg(72))
		eq(d, "closed", fmt.Sprint(s.Closed), fmt.Sprint([]gapless.DeliveryID{r[0].Delivery}))
		eq(d, "again", len(own(r[1].Nonce, msg(73)).Closed), 0)
		eq(d, "unsent", d.unsent()[0].ID, other[0].ID)
		eq(d, "ended", d.status().Ended[gapless.Answered], 1)
	}},
	{"a refused reply stays refused when its nonce is heard", func(d *desk) {
		d.admit(msg(1))
		r := d.answer(d.claim(lane), 1)
		d.sent(r[0], gapless.ReplyRefused)
		d.append(gapless.Change{Own: []gapless.OwnMessage{{ID: msg(71), Place: place, Nonce: r[0].Nonce}}})
		eq(d, "refused", d.status().Replies[gapless.ReplyRefused], 1)
		eq(d, "ended", d.status().Ended[gapless.Undeliverable], 1)
	}},
}
