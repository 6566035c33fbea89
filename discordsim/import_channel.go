package discordsim

import (
	"cmp"
	"fmt"
	"slices"
)

// place finds or makes the guild and the channel of an export. The caller holds s.mu.
func (l *load) place(eg exportedGuild, ec exportedChannel) (*channel, error) {
	kind, known := channelKinds[ec.Type]
	switch {
	case !known:
		return nil, fmt.Errorf("channel %d: type %q is not simulated", ec.ID, string(ec.Type))
	case ec.ID == 0:
		return nil, fmt.Errorf("channel %q has no id", ec.Name)
	case kind == DM:
		return l.direct(ec)
	case eg.ID == 0:
		return nil, fmt.Errorf("channel %d: its guild has no id", ec.ID)
	}
	g := l.guild(eg)
	c := l.s.world.channels[ec.ID]
	if c == nil {
		c = l.newChannel(g, ec.ID, kind)
	}
	switch {
	case c.guild != g:
		return nil, fmt.Errorf("channel %d is in another guild already", ec.ID)
	case (c.thread != nil) != kind.isThread():
		return nil, fmt.Errorf("channel %d is of type %d already", ec.ID, c.kind)
	}
	l.guesses = slices.DeleteFunc(l.guesses, func(o *channel) bool { return o == c })
	c.name, c.topic = ec.Name, ec.Topic
	if c.thread == nil {
		c.kind = kind
	}
	if ec.CategoryID != 0 && c.parent == nil {
		c.parent = l.parent(g, ec, kind)
	}
	return c, l.adoptThread(c)
}

// adoptThread puts a new thread into its guild, now that its parent is known.
func (l *load) adoptThread(c *channel) error {
	switch {
	case c.thread == nil || slices.Contains(c.guild.threads, c):
		return nil
	case c.parent == nil:
		delete(l.s.world.channels, c.id)
		return fmt.Errorf("thread %d: the export names no channel that can hold it (categoryId)", c.id)
	}
	c.guild.threads = append(c.guild.threads, c)
	l.threads = append(l.threads, c)
	l.s.look(c)
	return nil
}

func (l *load) guild(eg exportedGuild) *guild {
	g := l.s.findGuild(eg.ID)
	if g == nil {
		g = l.s.newGuild(eg.ID, eg.Name, l.s.addUser("owner of "+eg.Name, ""))
	}
	if !slices.Contains(l.done.Guilds, g.id) {
		l.done.Guilds = append(l.done.Guilds, g.id)
	}
	return g
}

// newChannel makes a channel without telling anybody. A thread gets its place in adoptThread.
func (l *load) newChannel(g *guild, id ID, kind ChannelType) *channel {
	c := &channel{id: id, guild: g, kind: kind}
	l.s.world.channels[id] = c
	l.done.Channels++
	if kind.isThread() {
		c.thread = &thread{invitable: true, autoArchive: idle, created: id.Time(), stamped: id.Time()}
		return c
	}
	g.channels = append(g.channels, c)
	l.s.look(c)
	return c
}

// parent finds or makes the category of a channel, or the channel of a thread. What that channel is the export of
// the thread does not tell: it is taken for a text channel until settleParent knows better.
func (l *load) parent(g *guild, ec exportedChannel, kind ChannelType) *channel {
	if c := l.s.world.channels[ec.CategoryID]; c != nil {
		if c.guild == g && c.thread == nil && c.kind.holds(kind) {
			return c
		}
		return nil
	}
	of := Category
	switch kind {
	case PublicThread, PrivateThread:
		of = Text
	case AnnouncementThread:
		of = Announcement
	}
	c := l.newChannel(g, ec.CategoryID, of)
	c.name = ec.Category
	if of == Text {
		l.guesses = append(l.guesses, c)
	}
	return c
}

// direct finds or makes a direct channel. Who speaks in it shows as messages come.
func (l *load) direct(ec exportedChannel) (*channel, error) {
	c := l.s.world.channels[ec.ID]
	if c == nil {
		c = &channel{id: ec.ID, kind: DM, name: ec.Name}
		l.s.world.channels[c.id] = c
		l.done.Channels++
	}
	if c.guild != nil {
		return nil, fmt.Errorf("channel %d is in a guild already", ec.ID)
	}
	if !slices.Contains(l.dms, c) {
		l.dms = append(l.dms, c)
	}
	return c, nil
}

// settleDM gives a direct channel its two sides.
func (s *Server) settleDM(c *channel) error {
	for _, m := range c.messages {
		switch u := m.author; {
		case u.bot && c.bot == 0:
			c.bot = u.id
		case !u.bot && c.recipient == nil:
			c.recipient = u
		}
	}
	if c.recipient == nil {
		c.recipient = s.addUser(cmp.Or(c.name, "somebody"), "")
	}
	if !slices.Contains(s.world.dms, c) {
		s.world.dms = append(s.world.dms, c)
	}
	s.look(c)
	if c.bot == 0 {
		return fmt.Errorf("import channel %d: no bot wrote in this direct channel, so no bot can see it", c.id)
	}
	return nil
}

// settleParent makes a channel that only its threads tell of a forum, when they begin as forum posts do: with a
// message that has the thread's id.
func (s *Server) settleParent(c *channel) {
	for _, t := range c.guild.threads {
		if t.parent == c && len(t.messages) > 0 && t.messages[0].id == t.id {
			c.kind = Forum
			c.last = max(c.last, t.id)
		}
	}
}

// settleThread ties a thread to the message it hangs on, and closes it when nobody has written for a day.
func (s *Server) settleThread(c *channel) {
	t := c.thread
	if starter := s.world.messages[c.id]; starter != nil && starter.channel == c.parent {
		starter.thread = c
		starter.flags |= flagHasThread
		t.owner = starter.author.id
	}
	for _, m := range c.messages {
		t.owner = cmp.Or(t.owner, m.author.id)
		if !t.joined(m.author.id) {
			t.members = append(t.members, threadMember{user: m.author.id, joined: m.id.Time()})
		}
	}
	closes := max(c.id, c.last).Time().Add(idle)
	if closes.After(s.now()) {
		s.rest(c)
		return
	}
	t.archived, t.stamped = true, closes
}
