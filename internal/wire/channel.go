package wire

import (
	"encoding/json"
	"time"

	"gapless"
)

// rawMember is a thread member; inside a thread of GUILD_CREATE it lacks its ids.
type rawMember struct {
	thread snowflake
	joined time.Time
}

// parseMember reads a thread member; ok is false when it is no object.
func parseMember(raw []byte) (r rawMember, ok bool) {
	m := object(raw)
	for m.next() {
		switch string(m.key) {
		case "id":
			r.thread = snowflakeOf(m.value)
		case "join_timestamp":
			r.joined = instantOf(m.value)
		}
	}
	if !m.whole {
		return rawMember{}, false
	}
	return r, true
}

// parseChannel reads one channel object; ok is false when it has no readable id.
func parseChannel(raw []byte) (c gapless.Channel, ok bool) {
	c.Kind = gapless.KindUnknown
	m := object(raw)
	for m.next() {
		channelMember(&c, string(m.key), m.value)
	}
	return c, m.whole && c.ID != 0
}

func channelMember(c *gapless.Channel, key string, v []byte) {
	switch key {
	case "id":
		c.ID = gapless.ChannelID(snowflakeOf(v))
	case "type":
		if n := numberOf(v); n.known {
			c.Kind = gapless.ChannelKind(n.value)
		}
	case "guild_id":
		c.Guild = gapless.GuildID(snowflakeOf(v))
	case "parent_id":
		c.Parent = gapless.ChannelID(snowflakeOf(v))
	case "name":
		c.Name = wordOf(v)
	case "last_message_id":
		c.Last = gapless.MessageID(snowflakeOf(v))
	case "owner_id":
		c.Owner = gapless.UserID(snowflakeOf(v))
	case "permission_overwrites":
		c.Overwrites = overwrites(v)
	case "recipients":
		if ids := idsOf[gapless.UserID](v); len(ids) == 1 {
			c.Recipient = ids[0]
		}
	case "member":
		member, _ := parseMember(v)
		c.JoinedAt = member.joined
	case "thread_metadata":
		for m := object(v); m.next(); {
			switch string(m.key) {
			case "archived":
				c.Archived = yes(m.value, c.Archived)
			case "archive_timestamp":
				c.ArchiveAt = instantOf(m.value)
			}
		}
	case "newly_created":
		c.Created = yes(v, c.Created)
	}
}

// channels reads a list of channels of one guild; entries without an id are left out.
func channels(raw []byte, guild gapless.GuildID) []gapless.Channel {
	out := []gapless.Channel{}
	for e := array(raw); e.next(); {
		if c, ok := parseChannel(e.value); ok {
			if c.Guild == 0 {
				c.Guild = guild
			}
			out = append(out, c)
		}
	}
	return out
}

// rawThreads is what thread listings and THREAD_LIST_SYNC have in common.
type rawThreads struct {
	Guild   snowflake       `json:"guild_id"`
	Threads json.RawMessage `json:"threads"`
	Members json.RawMessage `json:"members"`
}

// threads are the listed threads, with our own memberships, which come in a list of their own.
func (r rawThreads) threads(guild gapless.GuildID) []gapless.Channel {
	joined := map[gapless.ChannelID]time.Time{}
	for e := array(r.Members); e.next(); {
		if m, ok := parseMember(e.value); ok && m.thread != 0 {
			joined[gapless.ChannelID(m.thread)] = m.joined
		}
	}
	out := channels(r.Threads, guild)
	for i := range out {
		if at, ok := joined[out[i].ID]; ok && out[i].JoinedAt.IsZero() {
			out[i].JoinedAt = at
		}
	}
	return out
}

// parseGuild reads a guild object with what GUILD_CREATE adds (protocol A9); ok is false when it has no readable id.
func parseGuild(raw []byte) (g gapless.Guild, ok bool) {
	var list, threads []byte
	m := object(raw)
	for m.next() {
		switch string(m.key) {
		case "id":
			g.ID = gapless.GuildID(snowflakeOf(m.value))
		case "name":
			g.Name = wordOf(m.value)
		case "unavailable":
			g.Unavailable = yes(m.value, g.Unavailable)
		case "joined_at":
			g.JoinedAt = instantOf(m.value)
		case "channels":
			list = m.value
		case "threads":
			threads = m.value
		case "owner_id":
			g.Owner = gapless.UserID(snowflakeOf(m.value))
		case "roles":
			takeRoles(&g, m.value)
		case "members":
			g.Members = guildMembers(m.value)
		}
	}
	if !m.whole || g.ID == 0 {
		return gapless.Guild{}, false
	}
	g.Channels, g.Threads = channels(list, g.ID), channels(threads, g.ID)
	return g, true
}
