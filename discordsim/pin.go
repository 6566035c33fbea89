package discordsim

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// typePinned is the message Discord writes when somebody pins one.
const typePinned = 6

// Pin pins a message as a user: CHANNEL_PINS_UPDATE, MESSAGE_UPDATE and a message of type 6 that points to it.
// Pinning twice does nothing. It fails when the message is deleted.
func (s *Server) Pin(user, message ID) error {
	s.lock()
	defer s.mu.Unlock()
	m := s.message(message)
	if m.gone() {
		return fmt.Errorf("pin %d: %w", message, unknownMessage())
	}
	s.pin(s.user(user), m)
	return nil
}

func (s *Server) pin(u *user, m *message) {
	if !m.pinned.IsZero() {
		return
	}
	m.pinned = s.now()
	m.channel.lastPin = m.pinned
	s.pinsChanged(m.channel)
	s.messageEvent("MESSAGE_UPDATE", m)
	s.write(u, m.channel, "", PostOptions{Type: typePinned, Reply: m.id, system: true})
}

// Unpin takes the pin off a message; one without it is passed over.
func (s *Server) Unpin(message ID) {
	s.lock()
	defer s.mu.Unlock()
	s.unpin(s.message(message))
}

func (s *Server) unpin(m *message) {
	if m.pinned.IsZero() {
		return
	}
	m.pinned = time.Time{}
	s.pinsChanged(m.channel)
	s.messageEvent("MESSAGE_UPDATE", m)
}

// pinsChanged sends CHANNEL_PINS_UPDATE. A pinned message that is deleted sends none (A19).
func (s *Server) pinsChanged(c *channel) {
	s.dispatch(event{kind: "CHANNEL_PINS_UPDATE", guild: c.guild, channel: c,
		intents: gateBy(c, intentGuilds, intentDirectMessages),
		sees:    func(b *bot) bool { return c.visible(b.user.id) },
		body: func(*session) object {
			return withGuild(c, object{"channel_id": c.id, "last_pin_timestamp": stampOrNull(c.lastPin)})
		}})
}

// pins are a channel's pinned messages, the latest pin first.
func (c *channel) pins() []*message {
	var pinned []*message
	for _, m := range c.messages {
		if m.listable() && !m.pinned.IsZero() {
			pinned = append(pinned, m)
		}
	}
	slices.SortFunc(pinned, func(a, b *message) int {
		return cmp.Or(b.pinned.Compare(a.pinned), cmp.Compare(b.id, a.id))
	})
	return pinned
}
