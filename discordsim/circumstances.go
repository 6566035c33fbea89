package discordsim

import "slices"

// Circumstances is what stands around a message: where it was written, by whom, and what is in it beside its text. It is
// as things are now, not as they were when the message was made.
type Circumstances struct {
	Kind         ChannelType `json:"kind"`
	Name         string      `json:"name"`          // of the channel or thread
	ParentName   string      `json:"parent_name"`   // of a thread: its channel
	Category     ID          `json:"category"`      // of the channel, or of the thread's channel; zero for none
	CategoryName string      `json:"category_name"` //
	AuthorName   string      `json:"author_name"`
	Member       bool        `json:"member"` // the author is a member of the guild
	Roles        []ID        `json:"roles"`  // the author's in the guild
	MentionBots  []ID        `json:"mention_bots"`
	Forwarded    string      `json:"forwarded"` // the text a forward copied
	Extras       int         `json:"extras"`    // attachments, embeds, components, stickers, polls, those of a forward included
	Lost         bool        `json:"lost"`      // the message it replies to was deleted
}

// Around returns the circumstances of a message, deleted ones included; ok is false if there never was such a message.
func (s *Server) Around(id ID) (c Circumstances, ok bool) {
	s.lock()
	defer s.mu.Unlock()
	m := s.world.messages[id]
	if m == nil {
		return c, false
	}
	c = Circumstances{Kind: m.channel.kind, Name: m.channel.name, AuthorName: m.author.name, Roles: []ID{}, Extras: m.extras()}
	top := m.channel
	if top.thread != nil {
		top = top.parent
		c.ParentName = top.name
	}
	if category := top.parent; category != nil {
		c.Category, c.CategoryName = category.id, category.name
	}
	if g := m.guild(); g != nil && g.members[m.author.id] != nil {
		c.Member, c.Roles = true, orEmpty(slices.Clone(g.members[m.author.id].roles))
	}
	for _, u := range m.mentions {
		if u.bot {
			c.MentionBots = append(c.MentionBots, u.id)
		}
	}
	if m.snapshot != nil {
		c.Forwarded = m.snapshot.content
	}
	if target := s.world.messages[m.answers()]; target != nil {
		c.Lost = target.gone()
	}
	return c, true
}

// extras counts what is in a message beside its text.
func (m *message) extras() int {
	n := len(m.attachments) + len(m.embeds) + len(m.components)
	if m.poll != nil {
		n++
	}
	if _, ok := m.extra["sticker_items"]; ok {
		n++
	}
	if m.snapshot != nil {
		n += m.snapshot.extras()
	}
	return n
}
