package conversation

import (
	"cmp"
	"context"
	"slices"

	"gapless"
)

// Hear notes what was said, so that the context of a turn need not be fetched.
// It is given the events of a batch before the engine is, in their order. After anything
// that may hide a loss the memory begins anew.
func (r *Room) Hear(events []gapless.Event) {
	if r.opt.Context == 0 {
		return
	}
	for _, e := range events {
		switch e.Kind {
		case gapless.SessionBegan, gapless.SequenceJumped, gapless.Unreadable:
			r.memory.forget()
		case gapless.MessageCreated:
			if e.Message != nil && !e.Message.Ephemeral() {
				r.memory.add(*e.Message)
			}
		case gapless.MessageEdited:
			if e.Message != nil {
				r.memory.change(*e.Message)
			}
		case gapless.MessagesDeleted:
			r.memory.remove(e.Place, e.IDs)
		}
	}
}

// before is what was said in the place before the delivery, oldest first: from
// memory, or with one call where memory does not reach back (S49). In a young
// thread the message it was made from comes first.
func (r *Room) before(ctx context.Context, d *gapless.Delivery) []gapless.Message {
	want := r.opt.Context
	if want == 0 {
		return nil
	}
	first := d.First().ID
	said, enough := r.memory.below(d.Place.ID, first, want)
	if !enough {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		fetched, err := r.discord.Before(ctx, d.Place.ID, first, want)
		if err != nil {
			r.log.Debug("context not read", "delivery", d.ID, "error", err)
			return slices.DeleteFunc(said, func(m gapless.Message) bool { return r.noise(d, m) })
		}
		slices.SortFunc(fetched, func(a, b gapless.Message) int { return cmp.Compare(a.ID, b.ID) })
		r.memory.fill(d.Place.ID, first, fetched)
		said = fetched
	}
	if len(said) < want && d.Place.Kind.Thread() {
		said = r.withStarter(ctx, d.Place, said)
	}
	return slices.DeleteFunc(said, func(m gapless.Message) bool { return r.noise(d, m) })
}

// withStarter puts the message that a thread was made from in front.
func (r *Room) withStarter(ctx context.Context, p gapless.Place, said []gapless.Message) []gapless.Message {
	starter := gapless.MessageID(p.ID)
	if p.Parent == 0 || slices.ContainsFunc(said, func(m gapless.Message) bool { return m.ID == starter }) {
		return said
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	m, err := r.discord.Message(ctx, p.Parent, starter)
	if err != nil {
		return said // a thread that was made from no message has none
	}
	return slices.Insert(said, 0, m)
}

// noise reports what says nothing: what Discord itself writes, outage notices
// and status posts of bots (C106), and what the turn is about anyway.
func (r *Room) noise(d *gapless.Delivery, m gapless.Message) bool {
	if m.Type != 0 && m.Type != 19 {
		return true
	}
	if slices.ContainsFunc(d.Brief.Older, func(it gapless.Item) bool { return it.Message.ID == m.ID }) {
		return true
	}
	return m.Author.Bot && gapless.AnyMatch(r.opt.Leave, m.Text)
}
