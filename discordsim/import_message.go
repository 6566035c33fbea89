package discordsim

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// message takes one message of an export into the channel being loaded. The caller holds s.mu.
func (l *load) message(e exportedMessage) error {
	if err := l.check(e); err != nil {
		return err
	}
	kind, err := e.Type.number()
	if err != nil {
		return err
	}
	s, c := l.s, l.channel
	m := &message{id: e.ID, channel: c, author: l.user(e.Author, e.ID.Time()), content: e.Content, kind: kind,
		attachments: fileBodies(e.Attachments), embeds: embedBodies(e.Embeds)}
	for _, u := range e.Mentions {
		if u.ID != 0 {
			l.user(u, e.ID.Time())
		}
	}
	s.resolve(m, nil)
	for _, mentioned := range e.Mentions {
		if u := s.world.users[mentioned.ID]; u != nil && !slices.Contains(m.mentions, u) {
			m.mentions = append(m.mentions, u)
		}
	}
	if e.Edited != nil {
		m.edited = *e.Edited
	}
	if e.Pinned {
		m.pinned = e.ID.Time()
		c.lastPin = laterOf(c.lastPin, m.pinned)
	}
	m.refersTo(e.Reference, e.Forwarded)
	l.reactions(m, e.Reactions)
	m.extra = e.rest()
	s.place(m)
	return nil
}

// check tells why a message cannot be taken.
func (l *load) check(e exportedMessage) error {
	there := l.s.world.messages[e.ID]
	switch {
	case e.ID == 0:
		return errors.New("no id")
	case e.Author.ID == 0:
		return errors.New("no author")
	case there != nil:
		return fmt.Errorf("already there, in channel %d", there.channel.id)
	case e.Timestamp.IsZero():
		return errors.New("no timestamp")
	case e.Timestamp.Sub(e.ID.Time()).Abs() >= time.Second:
		return fmt.Errorf("its timestamp is %s, its id of %s", e.Timestamp.UTC().Format(time.RFC3339),
			e.ID.Time().Format(time.RFC3339))
	case e.ID.Time().After(l.s.now()):
		return fmt.Errorf("of the future: %s", e.ID.Time().Format(time.RFC3339))
	}
	return nil
}

// user finds or makes somebody an export names, a member of the guild since that time at the latest.
func (l *load) user(e exportedUser, since time.Time) *user {
	u := l.s.world.users[e.ID]
	if u == nil {
		u = &user{id: e.ID, name: e.Name, bot: e.Bot, discriminator: e.Discriminator}
		if e.Nickname != e.Name {
			u.global = e.Nickname
		}
		l.s.world.users[u.id] = u
		l.done.Users++
	}
	g := l.channel.guild
	if g == nil {
		return u
	}
	m := l.s.enter(g, u)
	if since.Before(m.joined) {
		m.joined = since
	}
	if e.Nickname != u.name && e.Nickname != u.global {
		m.nick = e.Nickname
	}
	for _, r := range e.Roles {
		g.know(r)
		if r.ID != g.id && !m.has(r.ID) {
			m.roles = append(m.roles, r.ID)
		}
	}
	return u
}

// know makes a role an export names; what it allows the export does not tell.
func (g *guild) know(e exportedRole) {
	if !slices.ContainsFunc(g.roles, func(r *role) bool { return r.id == e.ID }) {
		g.roles = append(g.roles, &role{id: e.ID, name: e.Name})
	}
}

// refersTo sets what a message answers, forwards or points to.
func (m *message) refersTo(ref *exportedReference, forwarded *exportedForward) {
	if ref != nil {
		m.ref = &reference{message: ref.Message, channel: ref.Channel, guild: ref.Guild}
	}
	if forwarded == nil {
		return
	}
	if m.ref == nil {
		m.ref = &reference{}
	}
	m.ref.kind = 1
	m.flags |= flagHasSnapshot
	m.snapshot = &message{id: IDAt(forwarded.Timestamp), content: forwarded.Content,
		attachments: fileBodies(forwarded.Attachments), embeds: embedBodies(forwarded.Embeds)}
	if forwarded.Edited != nil {
		m.snapshot.edited = *forwarded.Edited
	}
}

// reactions takes over who reacted, and how many more did where the export does not name them.
func (l *load) reactions(m *message, list []exportedReaction) {
	for _, e := range list {
		r := &reaction{emoji: e.Emoji.Name}
		if e.Emoji.ID != "" {
			r.emoji += ":" + e.Emoji.ID
		}
		for _, u := range e.Users {
			if u.ID != 0 && !slices.Contains(r.users, u.ID) {
				r.users = append(r.users, l.user(u, m.id.Time()).id)
			}
		}
		r.unnamed = max(0, e.Count-len(r.users))
		m.reactions = append(m.reactions, r)
	}
}

// rest is what the message object carries besides; nil for most.
func (e exportedMessage) rest() object {
	var more object
	if len(e.Stickers) > 0 {
		more = object{"sticker_items": stickerBodies(e.Stickers)}
	}
	if i := e.Interaction; i != nil {
		if more == nil {
			more = object{}
		}
		more["interaction"] = object{"id": i.ID, "type": 2, "name": i.Name,
			"user": object{"id": i.User.ID, "username": i.User.Name}}
	}
	return more
}
