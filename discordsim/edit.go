package discordsim

import (
	"fmt"
	"slices"
	"time"
)

// Edit changes the text of a message and announces it. It fails when the message is deleted.
func (s *Server) Edit(id ID, text string) error {
	s.lock()
	defer s.mu.Unlock()
	m := s.message(id)
	if m.gone() {
		return fmt.Errorf("edit message %d: %w", id, unknownMessage())
	}
	s.edit(m, text)
	return nil
}

func (s *Server) edit(m *message, text string) {
	m.content = text
	m.edited = s.now()
	s.resolve(m, nil)
	if target := s.world.messages[m.answers()]; m.pings && !slices.Contains(m.mentions, target.author) {
		m.mentions = append(m.mentions, target.author)
	}
	s.messageEvent("MESSAGE_UPDATE", m)
}

// answers is the message a reply refers to; zero for what is no reply.
func (m *message) answers() ID {
	if m.ref == nil || m.ref.kind != 0 {
		return 0
	}
	return m.ref.message
}

// Delete removes a message and announces it. It fails when the message is deleted already. The channel's
// last_message_id stays (F41).
func (s *Server) Delete(id ID) error {
	s.lock()
	defer s.mu.Unlock()
	m := s.message(id)
	if m.gone() {
		return fmt.Errorf("delete message %d: %w", id, unknownMessage())
	}
	s.delete(m)
	return nil
}

func (s *Server) delete(m *message) {
	s.erase(m, s.now())
	s.messageEvent("MESSAGE_DELETE", m)
}

func (s *Server) erase(m *message, at time.Time) {
	m.deleted = at
	if t := m.channel.thread; t != nil && m.id != m.channel.id {
		t.count--
	}
}

// BulkDelete removes messages of one channel with a single event (F39). Ids that are unknown, elsewhere or
// deleted already are passed over.
func (s *Server) BulkDelete(channel ID, ids ...ID) {
	s.lock()
	defer s.mu.Unlock()
	s.bulkDelete(s.channel(channel), ids)
}

func (s *Server) bulkDelete(c *channel, ids []ID) {
	var erased []ID
	for _, id := range ids {
		if m := s.world.messages[id]; m != nil && m.channel == c && !m.gone() {
			s.erase(m, s.now())
			erased = append(erased, id)
		}
	}
	if len(erased) == 0 {
		return
	}
	s.dispatch(event{kind: "MESSAGE_DELETE_BULK", guild: c.guild, channel: c,
		intents: gateBy(c, intentGuildMessages, intentDirectMessages),
		sees:    func(b *bot) bool { return c.visible(b.user.id) },
		body: func(*session) object {
			return withGuild(c, object{"ids": erased, "channel_id": c.id})
		}})
}

// gateBy picks the intent for a guild's channel or for a DM.
func gateBy(c *channel, guild, direct int) int {
	if c.guild == nil {
		return direct
	}
	return guild
}

func withGuild(c *channel, b object) object {
	if c.guild != nil {
		b["guild_id"] = c.guild.id
	}
	return b
}

// Typing shows that a user is writing (F65).
func (s *Server) Typing(user, channel ID) {
	s.lock()
	defer s.mu.Unlock()
	s.typing(s.user(user), s.channel(channel))
}

func (s *Server) typing(u *user, c *channel) {
	s.dispatch(event{kind: "TYPING_START", guild: c.guild, channel: c,
		intents: gateBy(c, intentGuildTyping, intentDirectTyping),
		sees:    func(b *bot) bool { return c.visible(b.user.id) },
		body: func(*session) object {
			b := withGuild(c, object{"channel_id": c.id, "user_id": u.id, "timestamp": s.now().Unix()})
			if c.guild != nil && c.guild.members[u.id] != nil {
				b["member"] = c.guild.members[u.id].body()
			}
			return b
		}})
}
