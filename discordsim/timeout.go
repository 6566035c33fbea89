package discordsim

import "time"

// timedOut is all that a member in time-out may still do (protocol D6).
const timedOut = ViewChannel | ReadMessageHistory

// TimeOut keeps a member from writing for a time; zero or less ends it early. Owners and administrators cannot
// be timed out: for them only the date shows. Nobody is told when it runs out.
func (s *Server) TimeOut(guild, user ID, length time.Duration) {
	s.lock()
	defer s.mu.Unlock()
	g := s.guild(guild)
	m := s.enter(g, s.user(user))
	s.cancel(m.release)
	m.silenced, m.until, m.release = false, time.Time{}, nil
	if length > 0 {
		m.silenced, m.until = true, s.now().Add(length)
		m.release = s.after(length, func() { m.silenced, m.release = false, nil })
	}
	s.memberChanged(g, m)
}

// memberChanged announces a member: to itself always, to others with the members intent (A7).
func (s *Server) memberChanged(g *guild, m *member) {
	body := func(*session) object {
		b := m.body()
		b["guild_id"] = g.id
		return b
	}
	s.dispatch(event{kind: "GUILD_MEMBER_UPDATE", guild: g, body: body,
		sees: func(b *bot) bool { return b.user == m.user }})
	s.dispatch(event{kind: "GUILD_MEMBER_UPDATE", guild: g, intents: intentMembers, body: body,
		sees: func(b *bot) bool { return b.user != m.user }})
}
