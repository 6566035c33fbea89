package discordsim

import (
	"maps"
	"slices"
	"time"
)

type threadMember struct {
	user   ID
	joined time.Time
}

func (t *thread) joined(user ID) bool {
	return slices.ContainsFunc(t.members, func(m threadMember) bool { return m.user == user })
}

// memberBodies is the viewer's own membership as lists of threads carry it: none or one.
func (c *channel) memberBodies(viewer ID) []object {
	for _, m := range c.thread.members {
		if m.user == viewer {
			return []object{m.body(c)}
		}
	}
	return nil
}

func (m threadMember) body(c *channel) object {
	return object{"id": c.id, "user_id": m.user, "join_timestamp": stamp(m.joined), "flags": 0, "muted": false,
		"mute_config": nil}
}

// JoinThread adds a user or a bot to a thread. A bot added gets THREAD_CREATE with its membership (A19).
func (s *Server) JoinThread(thread, user ID) {
	s.lock()
	defer s.mu.Unlock()
	s.joinThread(s.channel(thread), s.user(user))
}

func (s *Server) joinThread(c *channel, u *user) {
	if c.thread.joined(u.id) {
		return
	}
	m := threadMember{user: u.id, joined: s.now()}
	c.thread.members = append(c.thread.members, m)
	s.look(c)
	s.dispatch(event{kind: "THREAD_CREATE", guild: c.guild, channel: c, intents: intentGuilds,
		sees: func(b *bot) bool { return b.user == u && c.visible(u.id) },
		body: func(*session) object { return c.threadBody(u.id) }})
	s.threadMembers(c, u.id, object{"added_members": []object{m.body(c)}})
}

// LeaveThread takes a user or a bot out of a thread.
func (s *Server) LeaveThread(thread, user ID) {
	s.lock()
	defer s.mu.Unlock()
	s.leaveThread(s.channel(thread), user)
}

func (s *Server) leaveThread(c *channel, user ID) {
	if !c.thread.joined(user) {
		return
	}
	s.threadMembers(c, user, object{"removed_member_ids": []ID{user}})
	c.thread.members = slices.DeleteFunc(c.thread.members, func(m threadMember) bool { return m.user == user })
	s.look(c)
}

// threadMembers sends THREAD_MEMBERS_UPDATE: about itself to any bot, about others with the members intent.
func (s *Server) threadMembers(c *channel, about ID, change object) {
	for _, own := range []bool{true, false} {
		intents := intentMembers
		if own {
			intents = intentGuilds
		}
		s.dispatch(event{kind: "THREAD_MEMBERS_UPDATE", guild: c.guild, channel: c, intents: intents,
			sees: func(b *bot) bool { return (b.user.id == about) == own && c.visible(b.user.id) },
			body: func(*session) object {
				b := object{"id": c.id, "guild_id": c.guild.id, "member_count": min(50, len(c.thread.members))}
				maps.Copy(b, change)
				return b
			}})
	}
}
