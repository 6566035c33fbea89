package ledgertest

import (
	"fmt"
	"time"

	"gapless"
)

// courtesySentences are those of replies that no delivery depends on:
// courtesies, and letters.
var courtesySentences = []sentence{
	{"a courtesy is stored with any end of a turn, and comes whole", func(d *desk) {
		d.admit(msg(1))
		v := d.claim(lane)
		c := courtesy(v, 0, gapless.ReplyRewrite)
		c.Text, c.Tries, c.DueAt = "thinking", 2, base.Add(time.Second)
		d.end(v, gapless.Outcome{Kind: gapless.TurnRetryAfter}, c)
		eq(d, "reply", d.unsent()[0], c)
		v = d.claim(lane)
		d.end(v, gapless.Outcome{Kind: gapless.TurnDone}, courtesy(v, 1, gapless.ReplyReact))
		eq(d, "settled", d.status().Ended[gapless.Done], 1)
		eq(d, "unsent", len(d.unsent()), 2)
	}},
	{"a courtesy settles nothing and is not waited for", func(d *desk) {
		d.admit(msg(1))
		v := d.claim(lane)
		c, r := courtesy(v, 1, gapless.ReplyReact), reply(v, 0)
		d.end(v, gapless.Outcome{Kind: gapless.TurnDone}, c, r)
		eq(d, "courtesy", d.sent(c, gapless.ReplySent), false)
		eq(d, "state", d.status().Deliveries[gapless.Answering], 1)
		eq(d, "message", d.sent(r, gapless.ReplyRefused), true)
		eq(d, "ended", fmt.Sprint(d.status().Ended), "map[undeliverable:1]")
	}},
	{"the last message settles while courtesies are on their way", func(d *desk) {
		d.admit(msg(1))
		v := d.claim(lane)
		c, r := courtesy(v, 1, gapless.ReplyUnreact), reply(v, 0)
		d.end(v, gapless.Outcome{Kind: gapless.TurnDone}, r, c)
		eq(d, "message", d.sent(r, gapless.ReplySent), true)
		eq(d, "ended", fmt.Sprint(d.status().Ended), "map[answered:1]")
		eq(d, "unsent", d.unsent()[0].ID, c.ID)
		eq(d, "courtesy", d.sent(c, gapless.ReplyRefused), false)
		eq(d, "ended", fmt.Sprint(d.status().Ended), "map[answered:1]")
		eq(d, "unsent", len(d.unsent()), 0)
	}},
	{"answering needs a message, other ends have none", func(d *desk) {
		d.admit(msg(1))
		v := d.claim(lane)
		refused := func(state gapless.DeliveryState, replies ...gapless.Reply) {
			d.Helper()
			n := v
			n.State = state
			if d.l.Settle(d.Context(), gapless.Settlement{Delivery: n, Replies: replies, At: d.now}) == nil {
				d.Errorf("%s was stored", state)
			}
			eq(d, "unsent", len(d.unsent()), 0)
		}
		refused(gapless.Answering, courtesy(v, 0, gapless.ReplyReact))
		refused(gapless.Waiting, courtesy(v, 0, gapless.ReplyReact), reply(v, 1))
		refused(gapless.Leased, courtesy(v, 0, gapless.ReplyReact))
	}},
	{"a delivery whose courtesy is on its way is not pruned", func(d *desk) {
		d.admit(msg(1))
		v := d.claim(lane)
		c := courtesy(v, 0, gapless.ReplyReact)
		d.end(v, gapless.Outcome{Kind: gapless.TurnDone}, c)
		long := base.Add(1000 * time.Hour)
		d.prune(long, long)
		eq(d, "unsent", d.unsent()[0], c)
		d.sent(c, gapless.ReplySent)
		d.prune(long, long)
		eq(d, "rows", len(d.status().Messages)+len(d.status().Replies), 0)
	}},
	{"letters belong to no delivery and leave with the others, in order", func(d *desk) {
		d.admit(msg(1))
		r := d.answer(d.claim(lane), 1)[0]
		l := letter("a")
		d.append(gapless.Change{Letters: []gapless.Reply{l, letter("b")}})
		eq(d, "unsent", len(d.unsent()), 3)
		eq(d, "first", d.unsent()[0].ID, r.ID)
		eq(d, "letter", d.unsent()[1], l)
		eq(d, "shown", d.status().Letters, 2)
		eq(d, "settles nothing", d.sent(l, gapless.ReplySent), false)
		eq(d, "shown", d.status().Letters, 1)
		eq(d, "again", d.sent(l, gapless.ReplyRefused), false)
		eq(d, "replies", fmt.Sprint(d.status().Replies), "map[intended:2 sent:1]")
	}},
	{"a letter of a known id is left as it is", func(d *desk) {
		l := letter("a")
		d.append(gapless.Change{Letters: []gapless.Reply{l}})
		again := l
		again.Text = "changed"
		d.append(gapless.Change{Letters: []gapless.Reply{again, again}})
		eq(d, "unsent", len(d.unsent()), 1)
		eq(d, "letter", d.unsent()[0], l)
		d.sent(l, gapless.ReplySent)
		d.append(gapless.Change{Letters: []gapless.Reply{again}})
		eq(d, "unsent", len(d.unsent()), 0)
	}},
	{"an own message with its nonce is the letter", func(d *desk) {
		d.append(gapless.Change{Letters: []gapless.Reply{letter("a")}})
		s := d.append(gapless.Change{Own: []gapless.OwnMessage{{ID: msg(70), Place: place, Nonce: letter("a").Nonce}}})
		eq(d, "closed", len(s.Closed), 0)
		eq(d, "unsent", len(d.unsent()), 0)
	}},
	{"a letter that names a delivery is refused with its change", func(d *desk) {
		l := letter("a")
		l.Delivery = "1"
		_, err := d.l.Append(d.Context(), gapless.Change{At: d.now, Admitted: []gapless.Item{item(msg(1))}, Letters: []gapless.Reply{l}})
		eq(d, "refused", err != nil, true)
		eq(d, "rows", len(d.unsent())+len(d.status().Messages), 0)
	}},
	{"prune takes the text of old letters, then the letters", func(d *desk) {
		d.append(gapless.Change{Letters: []gapless.Reply{letter("a"), letter("b")}})
		d.sent(letter("a"), gapless.ReplySent)
		d.now = d.now.Add(time.Hour)
		d.sent(letter("b"), gapless.ReplySent)
		d.append(gapless.Change{Letters: []gapless.Reply{letter("c")}})
		long := base.Add(1000 * time.Hour)
		d.prune(base.Add(time.Minute), base)
		eq(d, "replies", d.status().Replies[gapless.ReplySent], 2)
		d.prune(base, base.Add(time.Minute))
		eq(d, "replies", d.status().Replies[gapless.ReplySent], 1)
		d.prune(long, long)
		eq(d, "replies", fmt.Sprint(d.status().Replies), "map[intended:1]")
		eq(d, "owed", d.unsent()[0], letter("c"))
	}},
}

// courtesy is the n-th reply of a delivery, one that it does not depend on.
func courtesy(v gapless.Delivery, n int, kind gapless.ReplyKind) gapless.Reply {
	r := reply(v, n)
	r.Kind, r.Target, r.Text, r.Nonce = kind, v.First().ID, "eyes", ""
	return r
}

// letter is a reply that belongs to no delivery.
func letter(id string) gapless.Reply {
	return gapless.Reply{
		ID: gapless.ReplyID("letter-" + id), Place: place, Text: "notice", Nonce: "nonce-" + id, State: gapless.ReplyIntended, IntentAt: base,
	}
}
