package discordsim

import (
	"fmt"
	"slices"
	"time"
)

// ChannelType is Discord's number for what a channel is (protocol D5).
type ChannelType int

// The kinds of channels there are.
const (
	Text               ChannelType = 0
	DM                 ChannelType = 1
	Voice              ChannelType = 2
	Category           ChannelType = 4
	Announcement       ChannelType = 5
	AnnouncementThread ChannelType = 10
	PublicThread       ChannelType = 11
	PrivateThread      ChannelType = 12
	Stage              ChannelType = 13
	Forum              ChannelType = 15
	Media              ChannelType = 16
)

func (t ChannelType) holdsMessages() bool {
	return t != Category && t != Forum && t != Media
}

func (t ChannelType) isThread() bool {
	return t == AnnouncementThread || t == PublicThread || t == PrivateThread
}

// holds tells whether channels of another type stand below one of this type.
func (t ChannelType) holds(child ChannelType) bool {
	if child.isThread() {
		return t.holdsThreads()
	}
	return t == Category && child != Category
}

func (t ChannelType) holdsThreads() bool {
	return t == Text || t == Announcement || t == Forum || t == Media
}

type channel struct {
	id         ID
	guild      *guild   // nil in a DM
	parent     *channel // the category, or the channel of a thread
	kind       ChannelType
	name       string
	topic      string
	nsfw       bool
	flags      int
	slow       time.Duration    // slow mode
	spoke      map[ID]time.Time // when each user last wrote in slow mode
	tags       []tag            // of a forum
	lastPin    time.Time
	overwrites []overwrite
	last       ID         // last_message_id; never rolled back (F41)
	messages   []*message // by id; deleted ones stay in it
	deleted    time.Time
	thread     *thread // nil unless a thread
	recipient  *user   // the human of a DM
	bot        ID      // the bot of a DM
	made       int     // how many channels and threads there were with it
}

func (c *channel) gone() bool { return !c.deleted.IsZero() }

func (c *channel) body() object {
	if c.kind == DM {
		return object{"id": c.id, "type": c.kind, "last_message_id": c.last, "flags": 0,
			"recipients": []object{c.recipient.body()}}
	}
	overwrites := make([]object, len(c.overwrites))
	for i, o := range c.overwrites {
		overwrites[i] = o.body()
	}
	b := object{"id": c.id, "type": c.kind, "guild_id": c.guild.id, "name": c.name, "nsfw": c.nsfw, "flags": c.flags,
		"position": slices.Index(c.guild.channels, c), "parent_id": nil, "permission_overwrites": overwrites}
	if c.parent != nil {
		b["parent_id"] = c.parent.id
	}
	if c.kind == Category {
		return b
	}
	b["last_message_id"] = c.last
	b["topic"] = orNull(c.topic)
	b["rate_limit_per_user"] = int(c.slow.Seconds())
	switch c.kind {
	case Voice, Stage:
		b["bitrate"], b["user_limit"], b["rtc_region"] = 64000, 0, nil
	case Forum, Media:
		tags := make([]object, len(c.tags))
		for i, t := range c.tags {
			tags[i] = t.body()
		}
		b["available_tags"], b["default_reaction_emoji"], b["default_sort_order"] = tags, nil, nil
		b["default_forum_layout"] = 0
	default:
		b["last_pin_timestamp"] = stampOrNull(c.lastPin)
	}
	return b
}

// AddChannel makes a channel in a guild and announces it. For threads use StartThread or ForumPost.
func (s *Server) AddChannel(guild ID, kind ChannelType, name string) ID {
	s.lock()
	defer s.mu.Unlock()
	return s.addChannel(&channel{id: s.newID(), guild: s.guild(guild), kind: kind, name: name}).id
}

func (s *Server) addChannel(c *channel) *channel {
	s.hold(c)
	c.guild.channels = append(c.guild.channels, c)
	s.look(c)
	s.channelEvent("CHANNEL_CREATE", c)
	return c
}

// hold makes a channel or thread part of the world.
func (s *Server) hold(c *channel) {
	s.world.made++
	c.made = s.world.made
	s.world.channels[c.id] = c
}

// MoveChannel puts a channel into a category, or with zero out of it, and announces it. Permissions stay as they
// are.
func (s *Server) MoveChannel(channel, category ID) {
	s.lock()
	defer s.mu.Unlock()
	c := s.channel(channel)
	c.parent = nil
	if category != 0 {
		c.parent = s.channel(category)
	}
	s.changed(c)
}

// changed announces a channel or thread: CHANNEL_UPDATE or THREAD_UPDATE.
func (s *Server) changed(c *channel) {
	if c.thread != nil {
		s.threadEvent("THREAD_UPDATE", c)
		return
	}
	s.channelEvent("CHANNEL_UPDATE", c)
}

// channelEvent goes to every bot of the guild, whether or not it may view the channel (A9).
func (s *Server) channelEvent(kind string, c *channel) {
	s.dispatch(event{kind: kind, guild: c.guild, channel: c, intents: intentGuilds,
		body: func(*session) object { return c.body() }})
}

// DeleteChannel deletes a channel with its threads, or one thread.
func (s *Server) DeleteChannel(id ID) error {
	s.lock()
	defer s.mu.Unlock()
	return s.deleteChannel(s.channel(id))
}

func (s *Server) deleteChannel(c *channel) error {
	switch {
	case c.gone():
		return fmt.Errorf("delete channel %d: already deleted", c.id)
	case c.guild == nil:
		return fmt.Errorf("delete channel %d: it is a DM", c.id)
	}
	c.deleted = s.now()
	if c.thread != nil {
		s.cancel(c.thread.timer)
		seers := s.seers(c)
		s.look(c)
		c.guild.threads = slices.DeleteFunc(c.guild.threads, func(t *channel) bool { return t == c })
		s.dispatch(event{kind: "THREAD_DELETE", guild: c.guild, channel: c, intents: intentGuilds,
			sees: func(b *bot) bool { return slices.Contains(seers, b.user.id) },
			body: func(*session) object {
				return object{"id": c.id, "guild_id": c.guild.id, "parent_id": c.parent.id, "type": c.kind}
			}})
		return nil
	}
	for _, t := range c.guild.threads {
		if t.parent == c {
			t.deleted = c.deleted
			s.cancel(t.thread.timer)
			s.look(t)
		}
	}
	s.look(c)
	c.guild.threads = slices.DeleteFunc(c.guild.threads, func(t *channel) bool { return t.parent == c })
	s.channelEvent("CHANNEL_DELETE", c)
	c.guild.channels = slices.DeleteFunc(c.guild.channels, func(o *channel) bool { return o == c })
	for _, o := range c.guild.channels {
		if o.parent == c {
			o.parent = nil
			s.channelEvent("CHANNEL_UPDATE", o)
		}
	}
	return nil
}

// RenameChannel changes a name and announces it: CHANNEL_UPDATE or THREAD_UPDATE.
func (s *Server) RenameChannel(id ID, name string) {
	s.lock()
	defer s.mu.Unlock()
	c := s.channel(id)
	c.name = name
	s.changed(c)
}

// SetPermission sets the overwrite of a role or a user in a channel; zero and zero removes it. The guild's id
// names @everyone. CHANNEL_UPDATE tells of it; who gains sight gets THREAD_LIST_SYNC, who loses it gets
// nothing more (F45).
func (s *Server) SetPermission(channel, target ID, allow, deny Permission) {
	s.lock()
	defer s.mu.Unlock()
	s.setPermission(s.channel(channel), target, allow, deny)
}

func (s *Server) setPermission(c *channel, target ID, allow, deny Permission) {
	before := s.sight(c.guild)
	c.overwrites = slices.DeleteFunc(c.overwrites, func(o overwrite) bool { return o.target == target })
	if allow|deny != 0 {
		_, isUser := s.world.users[target]
		c.overwrites = append(c.overwrites, overwrite{target: target, member: isUser, allow: allow, deny: deny})
	}
	s.lookAround(c.guild)
	s.channelEvent("CHANNEL_UPDATE", c)
	s.gained(c.guild, before)
}

// OpenDM returns the direct channel of a user and a bot, making it when there is none. The bot is not told:
// it learns of a DM by its first message, or by opening it itself.
func (s *Server) OpenDM(user, bot ID) ID {
	s.lock()
	defer s.mu.Unlock()
	return s.openDM(s.user(user), s.bot(bot)).id
}

func (s *Server) openDM(u *user, b *bot) *channel {
	for _, c := range s.world.dms {
		if c.recipient == u && c.bot == b.user.id && !c.gone() {
			return c
		}
	}
	c := &channel{id: s.newID(), kind: DM, recipient: u, bot: b.user.id}
	s.world.channels[c.id] = c
	s.world.dms = append(s.world.dms, c)
	s.look(c)
	return c
}

// seers are the bots that may view a channel.
func (s *Server) seers(c *channel) []ID {
	var seers []ID
	for _, b := range s.world.bots {
		if !b.revoked && c.visible(b.user.id) {
			seers = append(seers, b.user.id)
		}
	}
	return seers
}

// sight is which channels of a guild each bot may view.
func (s *Server) sight(g *guild) map[ID][]*channel {
	seen := map[ID][]*channel{}
	for _, b := range s.world.bots {
		for _, c := range g.channels {
			if c.visible(b.user.id) {
				seen[b.user.id] = append(seen[b.user.id], c)
			}
		}
	}
	return seen
}

// gained sends THREAD_LIST_SYNC for the channels that bots see now and did not see before.
func (s *Server) gained(g *guild, before map[ID][]*channel) {
	for _, b := range s.world.bots {
		var parents []*channel
		ids := []ID{}
		for _, c := range g.channels {
			if c.kind.holdsThreads() && c.visible(b.user.id) && !slices.Contains(before[b.user.id], c) {
				parents = append(parents, c)
				ids = append(ids, c.id)
			}
		}
		if len(parents) == 0 {
			continue
		}
		s.dispatch(event{kind: "THREAD_LIST_SYNC", guild: g, intents: intentGuilds,
			sees: func(other *bot) bool { return other == b },
			body: func(*session) object {
				threads, members := []object{}, []object{}
				for _, t := range g.activeThreads(b.user.id) {
					if slices.Contains(parents, t.parent) {
						threads = append(threads, t.threadBody(b.user.id))
						members = append(members, t.memberBodies(b.user.id)...)
					}
				}
				return object{"guild_id": g.id, "channel_ids": ids, "threads": threads, "members": members}
			}})
	}
}
