package ledgertest

import (
	"fmt"
	"time"

	"gapless"

	"pgregory.net/rapid"
)

func (p *pair) claim(*rapid.T) {
	c := gapless.Claim{Boot: "boot", Now: p.now, Paced: p.pick("paced", 3) == 0}
	c.Lane = gapless.LaneOf(gapless.ChannelID(700 + p.pick("lane", 3)))
	c.Backlog = []gapless.Backlog{"", gapless.BacklogEach, gapless.BacklogJoined, gapless.BacklogLatest}[p.pick("backlog", 4)]
	c.Join = time.Duration(p.pick("join", 3)) * 3 * time.Second
	o, _ := both(p, "claim", func(l gapless.Ledger) (gapless.Offer, error) { return l.Claim(p.t.Context(), c) })
	if o.Delivery != nil {
		p.turns = append(p.turns, *o.Delivery)
	}
}

func (p *pair) settle(rt *rapid.T) {
	v := p.turn(rt)
	kinds := []gapless.OutcomeKind{
		gapless.TurnDone, gapless.TurnDone, gapless.TurnFailed, gapless.TurnInterrupted, gapless.TurnDiscarded, gapless.TurnUnavailable,
	}
	o := gapless.Outcome{Kind: kinds[p.pick("outcome", len(kinds))], Detail: "words"}
	replies := p.replies(v, o.Kind)
	o.Replies = messages(replies)
	next, err := v.Next(o, p.now, gapless.Retry{}, 0)
	if err != nil {
		rt.Fatal(err)
	}
	if o.Kind == gapless.TurnFailed && p.pick("park", 2) == 0 {
		next.State, next.NotBefore = gapless.Parked, p.now.Add(15*time.Second)
	}
	_, err = both(p, "settle", func(l gapless.Ledger) (int, error) {
		return 0, l.Settle(p.t.Context(), gapless.Settlement{Delivery: next, Replies: replies, At: p.now})
	})
	if err == nil {
		p.sends = append(p.sends, replies...)
	}
}

// replies are what a turn has to say: messages only if it is done.
func (p *pair) replies(v gapless.Delivery, kind gapless.OutcomeKind) (out []gapless.Reply) {
	for n := range p.pick("replies", 4) {
		r := reply(v, n)
		r.ID += gapless.ReplyID(fmt.Sprintf("-%d", len(p.sends)))
		r.Nonce = "nonce-" + string(r.ID)
		if kind != gapless.TurnDone || p.pick("courtesy", 3) == 0 {
			r.Kind, r.Target, r.Nonce = gapless.ReplyReact, v.First().ID, ""
		}
		out = append(out, r)
	}
	return out
}

// turn draws one that was claimed, over or not.
func (p *pair) turn(rt *rapid.T) gapless.Delivery {
	if len(p.turns) == 0 {
		rt.Skip("no turn yet")
	}
	return p.turns[p.pick("turn", len(p.turns))]
}

func (p *pair) markTurn(rt *rapid.T) {
	v := p.turn(rt)
	m := gapless.Mark{Delivery: v.ID, Fence: v.Fence, Effect: p.pick("effect", 2) == 0}
	if p.pick("deadline", 2) == 0 {
		m.Deadline = p.now.Add(time.Minute)
	}
	_, _ = both(p, "mark", func(l gapless.Ledger) (int, error) { return 0, l.Mark(p.t.Context(), m) })
}

func (p *pair) unpark(rt *rapid.T) {
	v := p.turn(rt)
	_, _ = both(p, "unpark", func(l gapless.Ledger) (int, error) { return 0, l.Unpark(p.t.Context(), v.ID, p.now) })
}

func (p *pair) sent(rt *rapid.T) {
	if len(p.sends) == 0 {
		rt.Skip("no reply yet")
	}
	r := p.sends[p.pick("reply", len(p.sends))]
	states := []gapless.ReplyState{gapless.ReplySent, gapless.ReplyRefused, gapless.ReplyUnknown, gapless.ReplyIntended}
	r.State, r.Tries, r.TriedAt = states[p.pick("state", len(states))], p.pick("tries", 3), p.now
	_, _ = both(p, "sent", func(l gapless.Ledger) (bool, error) { return l.Sent(p.t.Context(), r, p.now) })
}

// delivery draws the id of one that was claimed, or of a retry of it.
func (p *pair) delivery(rt *rapid.T) gapless.DeliveryID {
	first, _, err := p.turn(rt).ID.Parts()
	if err != nil {
		rt.Fatal(err)
	}
	return gapless.RetryID(first, p.pick("again", 3))
}

func (p *pair) retry(rt *rapid.T) {
	id := p.delivery(rt)
	_, _ = both(p, "retry", func(l gapless.Ledger) (gapless.DeliveryID, error) { return l.Retry(p.t.Context(), id, p.now) })
}

func (p *pair) drop(rt *rapid.T) {
	id, why := p.delivery(rt), []gapless.Reason{"", gapless.Expired}[p.pick("why", 2)]
	_, _ = both(p, "drop", func(l gapless.Ledger) (int, error) { return 0, l.Drop(p.t.Context(), id, why, p.now) })
}

// story compares what is known of a message, and a page of deliveries.
func (p *pair) story(rt *rapid.T) {
	id, where := p.id("message")
	p.tell(id)
	f := gapless.DeliveryFilter{
		State:  []gapless.DeliveryState{"", gapless.Settled, gapless.Waiting, gapless.Parked, gapless.Dead}[p.pick("state", 5)],
		Reason: []gapless.Reason{"", gapless.Superseded, gapless.Done}[p.pick("reason", 3)],
		Limit:  p.pick("limit", 4),
	}
	if p.pick("in lane", 2) == 0 {
		f.Lane = gapless.LaneOf(where)
	}
	if p.pick("before", 2) == 0 {
		f.Before = gapless.RetryID(id, 0)
	}
	_, _ = both(p, "deliveries", func(l gapless.Ledger) ([]gapless.Delivery, error) { return l.Deliveries(p.t.Context(), f) })
}

func (p *pair) tell(id gapless.MessageID) {
	_, _ = both(p, "story", func(l gapless.Ledger) (gapless.Story, error) { return l.Story(p.t.Context(), id) })
}
