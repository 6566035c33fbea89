package discordsim

import (
	"fmt"
	"time"
)

type thread struct {
	owner       ID
	archived    bool
	locked      bool
	invitable   bool
	autoArchive time.Duration
	stamped     time.Time // archive_timestamp
	created     time.Time
	members     []threadMember
	tags        []ID // of a forum post
	count       int  // message_count: without the starter, less the deleted
	total       int  // total_message_sent
	timer       *time.Timer
}

// threadBody is the channel object of a thread, with the viewer's membership when it has one.
func (c *channel) threadBody(viewer ID) object {
	t := c.thread
	meta := object{"archived": t.archived, "locked": t.locked, "auto_archive_duration": int(t.autoArchive.Minutes()),
		"archive_timestamp": stamp(t.stamped), "create_timestamp": stamp(t.created)}
	if c.kind == PrivateThread {
		meta["invitable"] = t.invitable
	}
	b := object{"id": c.id, "type": c.kind, "guild_id": c.guild.id, "parent_id": c.parent.id, "name": c.name,
		"owner_id": t.owner, "last_message_id": c.last, "message_count": t.count, "total_message_sent": t.total,
		"member_count": min(50, len(t.members)), "thread_metadata": meta, "rate_limit_per_user": int(c.slow.Seconds()),
		"flags": c.flags}
	if c.parent.kind == Forum || c.parent.kind == Media {
		b["applied_tags"] = orEmpty(t.tags)
	}
	for _, m := range t.members {
		if m.user == viewer {
			b["member"] = object{"join_timestamp": stamp(m.joined), "flags": 0, "muted": false, "mute_config": nil}
		}
	}
	return b
}

// ThreadOptions are the rare wishes of a new thread.
type ThreadOptions struct {
	// From is the message the thread hangs on; the thread gets its id. If zero, the thread stands alone.
	From ID
	// Private makes it a private thread.
	Private bool
	// AutoArchive is the idle time after which it is archived: 60, 1440, 4320 or 10080 minutes. If zero, 1440.
	AutoArchive time.Duration
	// Tags are the tags of a forum post.
	Tags []ID
	// ID is the thread's id where a test needs a given one. If zero, the next.
	ID ID

	slow time.Duration
}

// StartThread opens a thread in a text or announcement channel. From a message it also marks that message
// (MESSAGE_UPDATE); standing alone and public it leaves a message of type 18 in the parent.
func (s *Server) StartThread(user, parent ID, name string, opts ThreadOptions) (ID, error) {
	s.lock()
	defer s.mu.Unlock()
	c, err := s.startThread(s.user(user), s.channel(parent), name, opts)
	if err != nil {
		return 0, fmt.Errorf("start thread in %d: %w", parent, err)
	}
	return c.id, nil
}

func (s *Server) startThread(u *user, parent *channel, name string, opts ThreadOptions) (*channel, error) {
	if parent.gone() || (parent.kind != Text && parent.kind != Announcement) {
		return nil, &apiError{status: 400, code: 50024, message: "Cannot execute action on this channel type"}
	}
	kind := PublicThread
	switch {
	case opts.Private:
		kind = PrivateThread
	case parent.kind == Announcement:
		kind = AnnouncementThread
	}
	var from *message
	if opts.From != 0 {
		from = s.world.messages[opts.From]
		if from == nil || from.channel != parent || from.gone() {
			return nil, unknownMessage()
		}
		if from.thread != nil {
			return nil, &apiError{status: 400, code: 160004, message: "A thread has already been created for this message"}
		}
		opts.ID = opts.From
	}
	c := s.newThread(u, parent, kind, name, opts)
	s.threadCreated(c)
	if from != nil {
		from.thread = c
		from.flags |= flagHasThread
		s.messageEvent("MESSAGE_UPDATE", from)
		s.write(u, c, "", PostOptions{Type: typeThreadStarter, Reply: from.id, system: true})
	} else if kind != PrivateThread {
		s.write(u, parent, name, PostOptions{Type: typeThreadCreated, system: true, thread: c})
	}
	return c, nil
}

func (s *Server) newThread(u *user, parent *channel, kind ChannelType, name string, opts ThreadOptions) *channel {
	if opts.AutoArchive == 0 {
		opts.AutoArchive = 24 * time.Hour
	}
	if opts.ID == 0 {
		opts.ID = s.newID()
	}
	now := s.now()
	c := &channel{id: opts.ID, guild: parent.guild, parent: parent, kind: kind, name: name, slow: opts.slow, thread: &thread{
		owner: u.id, invitable: true, autoArchive: opts.AutoArchive, stamped: now, created: now, tags: opts.Tags,
		members: []threadMember{{user: u.id, joined: now}}}}
	s.hold(c)
	c.guild.threads = append(c.guild.threads, c)
	s.look(c)
	s.rest(c)
	return c
}

// ForumPost opens a post in a forum or media channel: a thread whose first message has the thread's id (F42). It
// fails where the forum asks for a tag and none is given.
func (s *Server) ForumPost(user, forum ID, name, text string, opts ...ThreadOptions) (ID, error) {
	s.lock()
	defer s.mu.Unlock()
	var o ThreadOptions
	if len(opts) > 0 {
		o = opts[0]
	}
	c, _, err := s.forumPost(s.user(user), s.channel(forum), name, text, o, PostOptions{})
	if err != nil {
		return 0, fmt.Errorf("post in forum %d: %w", forum, err)
	}
	return c.id, nil
}

func (s *Server) forumPost(u *user, forum *channel, name, text string, opts ThreadOptions, post PostOptions,
) (*channel, *message, error) {
	if forum.gone() || (forum.kind != Forum && forum.kind != Media) {
		return nil, nil, &apiError{status: 400, code: 50024, message: "Cannot execute action on this channel type"}
	}
	if err := forum.checkTags(opts.Tags, !u.bot || forum.permissions(u.id).has(ManageThreads)); err != nil {
		return nil, nil, err
	}
	c := s.newThread(u, forum, PublicThread, name, opts)
	forum.last = s.latest(forum.last, c.id)
	s.threadCreated(c)
	post.ID = c.id
	return c, s.write(u, c, text, post), nil
}

// threadCreated announces a thread to the bots that may view it.
func (s *Server) threadCreated(c *channel) {
	s.dispatch(event{kind: "THREAD_CREATE", guild: c.guild, channel: c, intents: intentGuilds,
		sees: func(b *bot) bool { return c.visible(b.user.id) },
		body: func(sess *session) object {
			b := c.threadBody(sess.bot.user.id)
			b["newly_created"] = true
			return b
		}})
}

func (s *Server) threadEvent(kind string, c *channel) {
	s.dispatch(event{kind: kind, guild: c.guild, channel: c, intents: intentGuilds,
		sees: func(b *bot) bool { return c.visible(b.user.id) },
		body: func(sess *session) object { return c.threadBody(sess.bot.user.id) }})
}

// rest starts the time after which an idle thread is archived anew (F44).
func (s *Server) rest(c *channel) {
	s.cancel(c.thread.timer)
	c.thread.timer = s.after(c.thread.autoArchive, func() { s.archive(c, true) })
}

// Archive closes a thread (archived true) or opens it again, and announces it (F43).
func (s *Server) Archive(thread ID, archived bool) {
	s.lock()
	defer s.mu.Unlock()
	s.archive(s.channel(thread), archived)
}

// Lock archives a thread so that only who manages threads can open it again; with false it is unlocked and
// stays as archived as it was.
func (s *Server) Lock(thread ID, locked bool) {
	s.lock()
	defer s.mu.Unlock()
	c := s.channel(thread)
	c.thread.locked = locked
	if locked && !c.thread.archived {
		s.archive(c, true)
		return
	}
	s.threadEvent("THREAD_UPDATE", c)
}

func (s *Server) archive(c *channel, archived bool) {
	t := c.thread
	if c.gone() || t.archived == archived {
		return
	}
	t.archived, t.stamped = archived, s.now()
	s.threadEvent("THREAD_UPDATE", c)
	if archived {
		s.cancel(t.timer)
		t.timer = nil
		return
	}
	s.rest(c)
	for _, m := range t.members {
		s.dispatch(event{kind: "THREAD_MEMBER_UPDATE", guild: c.guild, channel: c, intents: intentGuilds,
			sees: func(b *bot) bool { return b.user.id == m.user },
			body: func(*session) object {
				b := m.body(c)
				b["guild_id"] = c.guild.id
				return b
			}})
	}
}
