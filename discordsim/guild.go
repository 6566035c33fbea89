package discordsim

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

type guild struct {
	id      ID
	name    string
	owner   ID
	roles   []*role
	members map[ID]*member
	joins   []*member // in the order they joined
	// channels and threads that are not deleted, oldest first
	channels []*channel
	threads  []*channel
	away     bool // in an outage
	deleted  bool
}

type member struct {
	user   *user
	joined time.Time
	roles  []ID
	nick   string

	silenced bool // in time-out
	until    time.Time
	release  *time.Timer
}

func (m *member) has(role ID) bool { return slices.Contains(m.roles, role) }

// partial is the member that rides on a message: without its user.
func (m *member) partial() object {
	roles := m.roles
	if roles == nil {
		roles = []ID{}
	}
	return object{"roles": roles, "joined_at": stamp(m.joined), "nick": orNull(m.nick), "avatar": nil, "banner": nil,
		"premium_since": nil, "deaf": false, "mute": false, "pending": false, "flags": 0,
		"communication_disabled_until": stampOrNull(m.until)}
}

func (m *member) body() object {
	b := m.partial()
	b["user"] = m.user.body()
	return b
}

// AddGuild makes a guild owned by somebody new and joins the given bots and users to it.
func (s *Server) AddGuild(name string, members ...ID) ID {
	s.lock()
	defer s.mu.Unlock()
	owner := s.addUser("owner of "+name, "")
	g := s.newGuild(s.newID(), name, owner)
	for _, id := range members {
		s.join(g, s.user(id))
	}
	return g.id
}

func (s *Server) newGuild(id ID, name string, owner *user) *guild {
	g := &guild{id: id, name: name, owner: owner.id, members: map[ID]*member{}}
	g.roles = []*role{{id: id, name: "@everyone", permissions: EveryoneDefault}}
	s.world.guilds = append(s.world.guilds, g)
	s.enter(g, owner)
	return g
}

// Join brings a user or a bot into a guild. A connected bot gets GUILD_CREATE, others GUILD_MEMBER_ADD.
// Joining twice does nothing.
func (s *Server) Join(guild, user ID) {
	s.lock()
	defer s.mu.Unlock()
	s.join(s.guild(guild), s.user(user))
}

func (s *Server) enter(g *guild, u *user) *member {
	m := g.members[u.id]
	if m == nil {
		m = &member{user: u, joined: s.now()}
		g.members[u.id] = m
		g.joins = append(g.joins, m)
		if u.bot {
			s.lookAround(g)
		}
	}
	return m
}

func (s *Server) join(g *guild, u *user) {
	if g.members[u.id] != nil {
		return
	}
	m := s.enter(g, u)
	s.dispatch(event{kind: "GUILD_MEMBER_ADD", guild: g, intents: intentMembers,
		sees: func(b *bot) bool { return b.user != u },
		body: func(*session) object {
			b := m.body()
			b["guild_id"] = g.id
			return b
		}})
	for _, sess := range s.sessionsOf(u.id) {
		if sess.holds(g) {
			s.sendGuild(sess, g)
		}
	}
}

// Leave takes a user out of a guild; a bot gets GUILD_DELETE without `unavailable`, as when it is kicked.
func (s *Server) Leave(guild, user ID) {
	s.lock()
	defer s.mu.Unlock()
	g := s.guild(guild)
	s.forgetGuild(g, user, object{"id": g.id})
	if m := g.members[user]; m != nil {
		s.cancel(m.release)
	}
	delete(g.members, user)
	g.joins = slices.DeleteFunc(g.joins, func(m *member) bool { return m.user.id == user })
	s.lookAround(g)
	s.dispatch(event{kind: "GUILD_MEMBER_REMOVE", guild: g, intents: intentMembers,
		body: func(*session) object { return object{"guild_id": g.id, "user": s.user(user).body()} }})
}

// RemoveGuild deletes a guild; its bots get GUILD_DELETE.
func (s *Server) RemoveGuild(id ID) {
	s.lock()
	defer s.mu.Unlock()
	g := s.guild(id)
	for _, b := range s.world.bots {
		s.forgetGuild(g, b.user.id, object{"id": g.id})
	}
	g.deleted = true
	for _, c := range slices.Concat(g.channels, g.threads) {
		c.deleted = s.now()
		s.look(c)
	}
	s.world.guilds = slices.DeleteFunc(s.world.guilds, func(other *guild) bool { return other == g })
}

// forgetGuild sends GUILD_DELETE to one bot's sessions and stops the guild's events for them.
func (s *Server) forgetGuild(g *guild, bot ID, body object) {
	for _, sess := range s.sessionsOf(bot) {
		if sess.guilds[g.id] {
			e, body := event{kind: "GUILD_DELETE", guild: g}, maps.Clone(body)
			if s.strike(OutageUnmarked, e.subject(sess)) != nil {
				delete(body, "unavailable")
			}
			s.push(sess, e, body)
			delete(sess.guilds, g.id)
		}
	}
}

// GuildOutage takes a guild away (GUILD_DELETE with `unavailable`) or brings it back (GUILD_CREATE). What
// happens in between is neither sent nor kept for replay (F33, G57).
func (s *Server) GuildOutage(guild ID, away bool) {
	s.lock()
	defer s.mu.Unlock()
	g := s.guild(guild)
	if g.away == away {
		return
	}
	g.away = away
	for _, b := range s.world.bots {
		if g.members[b.user.id] == nil {
			continue
		}
		if away {
			s.forgetGuild(g, b.user.id, object{"id": g.id, "unavailable": true})
			continue
		}
		for _, sess := range s.sessionsOf(b.user.id) {
			if sess.holds(g) {
				s.sendGuild(sess, g)
			}
		}
	}
}

// body is the guild of REST; viewer may be nil.
func (g *guild) body() object {
	roles := make([]object, len(g.roles))
	for i, r := range g.roles {
		roles[i] = r.body(i)
	}
	return object{"id": g.id, "name": g.name, "icon": nil, "icon_hash": nil, "splash": nil,
		"discovery_splash": nil, "home_header": nil, "owner_id": g.owner, "region": nil, "afk_channel_id": nil,
		"afk_timeout": 300, "widget_enabled": false, "widget_channel_id": nil, "verification_level": 0,
		"default_message_notifications": 0, "explicit_content_filter": 0, "roles": roles, "emojis": []any{},
		"stickers": []any{}, "features": []any{}, "mfa_level": 0, "application_id": nil,
		"system_channel_id": nil, "system_channel_flags": 0, "rules_channel_id": nil, "max_presences": nil,
		"max_members": 500000, "vanity_url_code": nil, "description": nil, "banner": nil, "premium_tier": 0,
		"premium_subscription_count": 0, "preferred_locale": "en-US", "public_updates_channel_id": nil,
		"safety_alerts_channel_id": nil, "max_video_channel_users": 25, "max_stage_video_channel_users": 50,
		"nsfw": false, "nsfw_level": 0, "premium_progress_bar_enabled": false, "incidents_data": nil}
}

// create is the guild of GUILD_CREATE (A9): all channels, but only the active threads the bot may view (F31).
func (g *guild) create(b *bot) object {
	out := g.body()
	me := g.members[b.user.id]
	channels := make([]object, 0, len(g.channels))
	for _, c := range g.channels {
		channels = append(channels, c.body())
	}
	threads := []object{}
	for _, t := range g.activeThreads(b.user.id) {
		threads = append(threads, t.threadBody(b.user.id))
	}
	out["joined_at"] = stamp(me.joined)
	out["large"] = len(g.members) > 50
	out["unavailable"] = false
	out["member_count"] = len(g.members)
	out["members"] = []object{me.body()}
	out["channels"] = channels
	out["threads"] = threads
	for _, key := range []string{"voice_states", "presences", "stage_instances", "guild_scheduled_events",
		"soundboard_sounds", "embedded_activities"} {
		out[key] = []any{}
	}
	return out
}

// activeThreads a user may view, newest id first (F61).
func (g *guild) activeThreads(user ID) []*channel {
	var active []*channel
	for _, t := range g.threads {
		if !t.thread.archived && t.visible(user) {
			active = append(active, t)
		}
	}
	slices.SortFunc(active, func(a, b *channel) int { return cmp.Compare(b.id, a.id) })
	return active
}
