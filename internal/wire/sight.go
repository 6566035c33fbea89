package wire

import (
	"strconv"

	"gapless"
)

// permissionsOf reads a permission set, which Discord writes as a decimal string; anything else is none.
func permissionsOf(raw []byte) gapless.Permissions {
	n, err := strconv.ParseUint(wordOf(raw), 10, 64)
	if err != nil {
		return 0
	}
	return gapless.Permissions(n)
}

// overwrites reads a channel's permission overwrites; never nil, as their absence means something else.
func overwrites(raw []byte) []gapless.Overwrite {
	out := []gapless.Overwrite{}
	for e := array(raw); e.next(); {
		var o gapless.Overwrite
		m := object(e.value)
		for m.next() {
			switch string(m.key) {
			case "id":
				o.ID = uint64(snowflakeOf(m.value))
			case "type":
				o.Member = numberOf(m.value).value == 1
			case "allow":
				o.Allow = permissionsOf(m.value)
			case "deny":
				o.Deny = permissionsOf(m.value)
			}
		}
		if m.whole && o.ID != 0 {
			out = append(out, o)
		}
	}
	return out
}

// parseRole reads a role object and whose role it is, if it came with a bot; ok is false when it has no readable id.
func parseRole(raw []byte) (r gapless.Role, bot gapless.UserID, ok bool) {
	m := object(raw)
	for m.next() {
		switch string(m.key) {
		case "id":
			r.ID = gapless.RoleID(snowflakeOf(m.value))
		case "permissions":
			r.Permissions = permissionsOf(m.value)
		case "tags":
			for t := object(m.value); t.next(); {
				if string(t.key) == "bot_id" {
					bot = gapless.UserID(snowflakeOf(t.value))
				}
			}
		}
	}
	return r, bot, m.whole && r.ID != 0
}

// takeRole adds a role to the guild.
func takeRole(g *gapless.Guild, raw []byte) bool {
	r, bot, ok := parseRole(raw)
	if !ok {
		return false
	}
	g.Roles = append(g.Roles, r)
	if bot != 0 {
		g.Bots = append(g.Bots, gapless.BotRole{Role: r.ID, Bot: bot})
	}
	return true
}

func takeRoles(g *gapless.Guild, raw []byte) {
	for e := array(raw); e.next(); {
		takeRole(g, e.value)
	}
}

// parseGuildMember reads a guild member; ok is false when it names no user.
func parseGuildMember(raw []byte) (r gapless.Member, ok bool) {
	m := object(raw)
	for m.next() {
		switch string(m.key) {
		case "user":
			r.ID = gapless.UserID(objectID(m.value))
		case "roles":
			r.Roles = idsOf[gapless.RoleID](m.value)
		}
	}
	return r, m.whole && r.ID != 0
}

func guildMembers(raw []byte) (out []gapless.Member) {
	for e := array(raw); e.next(); {
		if m, ok := parseGuildMember(e.value); ok {
			out = append(out, m)
		}
	}
	return out
}

// roleEvent is what the dispatches about roles and members have in common.
func roleEvent(f Frame) (guild gapless.GuildID, role []byte, id gapless.RoleID) {
	m := object(f.Data)
	for m.next() {
		switch string(m.key) {
		case "guild_id":
			guild = gapless.GuildID(snowflakeOf(m.value))
		case "role":
			role = m.value
		case "role_id":
			id = gapless.RoleID(snowflakeOf(m.value))
		}
	}
	return guild, role, id
}

// roleSeen is GUILD_ROLE_CREATE and GUILD_ROLE_UPDATE. One that cannot be read hides no message: it is left out.
func roleSeen(f Frame) (e gapless.Event, ok bool) {
	guild, raw, _ := roleEvent(f)
	g := gapless.Guild{ID: guild}
	ok = takeRole(&g, raw)
	return gapless.Event{Kind: gapless.RolesSeen, Guild: &g}, ok && guild != 0
}

// roleGone is GUILD_ROLE_DELETE.
func roleGone(f Frame) (e gapless.Event, ok bool) {
	guild, _, id := roleEvent(f)
	g := gapless.Guild{ID: guild, Roles: []gapless.Role{{ID: id}}}
	return gapless.Event{Kind: gapless.RolesGone, Guild: &g}, guild != 0 && id != 0
}

// memberSeen is GUILD_MEMBER_UPDATE; a bot always hears of its own (protocol A7).
func memberSeen(f Frame) (e gapless.Event, ok bool) {
	guild, _, _ := roleEvent(f)
	member, ok := parseGuildMember(f.Data)
	g := gapless.Guild{ID: guild, Members: []gapless.Member{member}}
	return gapless.Event{Kind: gapless.MembersSeen, Guild: &g}, ok && guild != 0
}
