package discordsim

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

type reaction struct {
	emoji   string // unicode, or name:id
	users   []ID
	unnamed int // more who reacted, of whom an export tells no ids
}

func emojiBody(emoji string) object {
	if name, id, custom := strings.Cut(emoji, ":"); custom {
		return object{"id": id, "name": name}
	}
	return object{"id": nil, "name": emoji}
}

func (m *message) reaction(emoji string) *reaction {
	for _, r := range m.reactions {
		if r.emoji == emoji {
			return r
		}
	}
	return nil
}

func (m *message) reactionBodies(viewer ID) []object {
	bodies := make([]object, len(m.reactions))
	for i, r := range m.reactions {
		bodies[i] = object{"emoji": emojiBody(r.emoji), "count": len(r.users) + r.unnamed, "burst_colors": []any{},
			"count_details": object{"burst": 0, "normal": len(r.users) + r.unnamed}, "me": slices.Contains(r.users, viewer),
			"me_burst": false}
	}
	return bodies
}

// React adds a user's reaction: an emoji, or name:id of a custom one. It fails when the message is deleted.
func (s *Server) React(user, message ID, emoji string) error {
	s.lock()
	defer s.mu.Unlock()
	m := s.message(message)
	if m.gone() {
		return fmt.Errorf("react to %d: %w", message, unknownMessage())
	}
	s.react(s.user(user), m, emoji)
	return nil
}

func (s *Server) react(u *user, m *message, emoji string) {
	r := m.reaction(emoji)
	if r == nil {
		r = &reaction{emoji: emoji}
		m.reactions = append(m.reactions, r)
	}
	if slices.Contains(r.users, u.id) {
		return
	}
	r.users = append(r.users, u.id)
	s.reactionEvent("MESSAGE_REACTION_ADD", u, m, emoji)
}

// Unreact takes a reaction back; one that is not there is passed over.
func (s *Server) Unreact(user, message ID, emoji string) {
	s.lock()
	defer s.mu.Unlock()
	s.unreact(s.user(user), s.message(message), emoji)
}

func (s *Server) unreact(u *user, m *message, emoji string) {
	r := m.reaction(emoji)
	if r == nil || !slices.Contains(r.users, u.id) {
		return
	}
	r.users = slices.DeleteFunc(r.users, func(id ID) bool { return id == u.id })
	if len(r.users)+r.unnamed == 0 {
		m.reactions = slices.DeleteFunc(m.reactions, func(o *reaction) bool { return o == r })
	}
	s.reactionEvent("MESSAGE_REACTION_REMOVE", u, m, emoji)
}

// ClearReactions takes away one emoji of everybody, or with an empty one all reactions of a message.
func (s *Server) ClearReactions(message ID, emoji string) {
	s.lock()
	defer s.mu.Unlock()
	s.clearReactions(s.message(message), emoji)
}

func (s *Server) clearReactions(m *message, emoji string) {
	kind, b := "MESSAGE_REACTION_REMOVE_ALL", object{"channel_id": m.channel.id, "message_id": m.id}
	if emoji != "" {
		kind, b["emoji"] = "MESSAGE_REACTION_REMOVE_EMOJI", emojiBody(emoji)
	}
	before := len(m.reactions)
	m.reactions = slices.DeleteFunc(m.reactions, func(r *reaction) bool { return emoji == "" || r.emoji == emoji })
	if len(m.reactions) == before {
		return
	}
	c := m.channel
	s.dispatch(event{kind: kind, guild: c.guild, channel: c,
		intents: gateBy(c, intentGuildReactions, intentDirectReactions),
		sees:    func(b *bot) bool { return c.visible(b.user.id) },
		body:    func(*session) object { return withGuild(c, maps.Clone(b)) }})
}

func (s *Server) reactionEvent(kind string, u *user, m *message, emoji string) {
	c := m.channel
	s.dispatch(event{kind: kind, guild: c.guild, channel: c,
		intents: gateBy(c, intentGuildReactions, intentDirectReactions),
		sees:    func(b *bot) bool { return c.visible(b.user.id) },
		body: func(*session) object {
			b := withGuild(c, object{"user_id": u.id, "channel_id": c.id, "message_id": m.id,
				"emoji": emojiBody(emoji), "burst": false, "type": 0})
			if kind == "MESSAGE_REACTION_ADD" {
				b["message_author_id"] = m.author.id
				if c.guild != nil && c.guild.members[u.id] != nil {
					b["member"] = c.guild.members[u.id].body()
				}
			}
			return b
		}})
}
