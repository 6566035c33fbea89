package discordsim

import "slices"

type role struct {
	id          ID
	name        string
	permissions Permission
}

func (r *role) body(position int) object {
	return object{"id": r.id, "name": r.name, "color": 0, "colors": object{"primary_color": 0,
		"secondary_color": nil, "tertiary_color": nil}, "hoist": false, "icon": nil, "unicode_emoji": nil,
		"position": position, "permissions": r.permissions.String(), "managed": false, "mentionable": true, "flags": 0}
}

// AddRole makes a role with permissions of its own.
func (s *Server) AddRole(guild ID, name string, permissions Permission) ID {
	s.lock()
	defer s.mu.Unlock()
	g := s.guild(guild)
	r := &role{id: s.newID(), name: name, permissions: permissions}
	g.roles = append(g.roles, r)
	s.roleEvent("GUILD_ROLE_CREATE", g, r)
	return r.id
}

// SetRole changes what a role allows; the guild's own id names @everyone.
func (s *Server) SetRole(guild, id ID, permissions Permission) {
	s.lock()
	defer s.mu.Unlock()
	g := s.guild(guild)
	before := s.sight(g)
	for _, r := range g.roles {
		if r.id == id {
			r.permissions = permissions
			s.roleEvent("GUILD_ROLE_UPDATE", g, r)
		}
	}
	s.lookAround(g)
	s.gained(g, before)
}

func (s *Server) roleEvent(kind string, g *guild, r *role) {
	position := slices.Index(g.roles, r)
	s.dispatch(event{kind: kind, guild: g, intents: intentGuilds, body: func(*session) object {
		return object{"guild_id": g.id, "role": r.body(position)}
	}})
}

// GiveRole gives a member a role, or takes it with give false. The member gets GUILD_MEMBER_UPDATE even
// without the members intent.
func (s *Server) GiveRole(guild, user, role ID, give bool) {
	s.lock()
	defer s.mu.Unlock()
	g := s.guild(guild)
	before := s.sight(g)
	m := s.enter(g, s.user(user))
	m.roles = slices.DeleteFunc(m.roles, func(id ID) bool { return id == role })
	if give {
		m.roles = append(m.roles, role)
	}
	s.memberChanged(g, m)
	s.lookAround(g)
	s.gained(g, before)
}
