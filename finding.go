package gapless

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
)

// finding is what a look-up brought.
type finding struct {
	reference *Reference
	author    *User
	whole     *Message // with its text
	member    *Membership
	channels  []Channel
	roles     *Guild
}

// find asks for what lacks: one call, or two for a thread whose parent is not
// known either.
func (l *lookups) find(ctx context.Context, q inquiry) (f finding, err error) {
	m, h := q.Message, l.e.cfg.History
	switch q.Lacks {
	case LackReference:
		ref := m.Reference
		got, err := h.Message(ctx, cmp.Or(ref.Place, m.Place), ref.Message)
		if err != nil && !errors.Is(err, ErrUnknownMessage) && !errors.Is(err, ErrUnknownChannel) {
			return f, err
		}
		ref.Known, ref.Author = true, got.Author.ID
		f.reference = &ref
	case LackName:
		got, err := h.Message(ctx, m.Place, m.ID)
		if err != nil && !errors.Is(err, ErrUnknownMessage) && !errors.Is(err, ErrUnknownChannel) {
			return f, err
		}
		f.author = &got.Author
	case LackMember:
		if known := l.e.membership(m); known.Known {
			return finding{member: &known}, nil
		}
		got, err := h.Member(ctx, l.e.guildOf(m), m.Author.ID)
		if err != nil {
			return f, err
		}
		f.member = &got
	case LackRole:
		got, err := h.Roles(ctx, l.e.guildOf(m))
		if err != nil {
			return f, err
		}
		f.roles = &got
	case LackPlace, LackParent:
		return l.findPlaces(ctx, m)
	case LackText:
		got, err := h.Message(ctx, m.Place, m.ID)
		switch {
		case errors.Is(err, ErrUnknownMessage), errors.Is(err, ErrUnknownChannel):
			f.author = &User{} // it is gone
		case err != nil:
			return f, err
		case hollow(&got):
			return f, fmt.Errorf("what it says is hidden: %w", ErrForbidden)
		default:
			f.whole = &got
		}
	case LackHistory: // nothing to ask: its gap was read on
	}
	return f, nil
}

// findPlaces reads the message's channel and what it lies in.
func (l *lookups) findPlaces(ctx context.Context, m Message) (f finding, err error) {
	id := m.Place
	for range 3 { // thread, channel, category
		c, err := l.e.cfg.History.Channel(ctx, id)
		if err != nil {
			return f, err
		}
		f.channels = append(f.channels, c)
		if c.Parent == 0 {
			break
		}
		id = c.Parent
	}
	return f, nil
}

// membership is what was found out about the author not long ago.
func (e *Engine) membership(m Message) Membership {
	e.coverage <- struct{}{}
	defer func() { <-e.coverage }()
	return e.marks.members.find(member{cmp.Or(m.Guild, e.marks.places[m.Place].Guild), m.Author.ID}, m.ID, e.now())
}

// guildOf is the guild of a message, by itself or by its place.
func (e *Engine) guildOf(m Message) GuildID {
	e.coverage <- struct{}{}
	defer func() { <-e.coverage }()
	return cmp.Or(m.Guild, e.marks.places[m.Place].Guild)
}

// found adds what a look-up brought to the message and to the directory.
func (d *draft) found(it *Item, f finding) {
	if f.reference != nil {
		it.Message.Reference = *f.reference
	}
	if f.whole != nil {
		m := it.Message
		it.Message = *f.whole
		it.Message.Place, it.Message.Guild = m.Place, cmp.Or(m.Guild, it.Message.Guild)
		if it.Message.Roles == nil {
			it.Message.Roles = m.Roles
		}
	}
	if f.author != nil {
		if it.Message.Author = *f.author; f.author.ID == 0 { // gone: it has no author that could be on a list
			d.deleted(it.Message.Place, []MessageID{it.Message.ID})
		}
	}
	for _, c := range slices.Backward(f.channels) {
		if _, known := d.place(c.ID); known {
			d.learn(Learnt{Change: PlaceChange{ID: c.ID, Describe: &c}})
		} else {
			d.learn(Discovered(c, c.Last, d.horizon(c.Guild, false)))
		}
	}
	key := member{cmp.Or(it.Message.Guild, d.guildAt(it.Message.Place)), it.Message.Author.ID}
	if f.member != nil {
		d.marks.members.keep(key, *f.member, d.now)
	}
	if f.roles != nil {
		d.learnRoles(*f.roles)
	}
}
