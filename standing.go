package gapless

import "slices"

// left refuses who is no member any more where only a role could have let them
// pass (C60). Roles that came with the message show that its author was one.
func (s *Subject) left() (bool, Lack) {
	if s.weighs < weighRoles || !s.byRole() || s.Message.Roles != nil || !s.Member.Known || !s.Member.Left {
		return false, "" // unless a later rule refuses, the next one says that it cannot tell
	}
	listed, lack := s.Policy.listed(s.Message.Author)
	return !listed && lack == "", lack
}

// byRole reports whether the author's roles may count: in a guild, for a person.
func (s *Subject) byRole() bool {
	return len(s.Policy.Roles) > 0 && !s.Policy.Everyone && s.Message.Webhook == 0 && !s.bot() && s.guild() != 0 && !s.everybody()
}

// everybody reports whether the guild's own role is on the list: Discord gives
// @everyone the guild's id, and lists it with no member.
func (s *Subject) everybody() bool {
	return s.guild() != 0 && slices.Contains(s.Policy.Roles, RoleID(s.guild()))
}

// stranger refuses who is on no list. Bots and webhooks had their own rule.
func (s *Subject) stranger() (bool, Lack) {
	p, m := s.Policy, s.Message
	if m.Webhook != 0 || s.bot() || p.Everyone || s.everybody() {
		return false, ""
	}
	listed, lack := p.listed(m.Author)
	switch {
	case listed:
		return false, ""
	case s.byRole():
		trusted, more := s.trustedRole()
		if trusted {
			return false, ""
		}
		lack = either(lack, more)
	case s.direct():
	case s.guild() == 0 && (len(p.Roles) > 0 || !p.Allowed.Empty()):
		return false, either(lack, LackPlace)
	case !p.lists() && !p.Allowed.Empty():
		return false, "" // whoever writes in an allowed place; any other place is refused for itself (S38)
	}
	return lack == "", lack
}

// trustedRole reports whether the author has one of the roles in the guild of
// the message. What came with the message counts before what was looked up,
// which may be older than a message that is heard.
func (s *Subject) trustedRole() (yes bool, lack Lack) {
	have := s.Message.Roles
	switch {
	case s.weighs < weighRoles:
		return false, LackMember
	case have != nil:
	case s.Member.Known && s.Member.Left:
		return false, ""
	case s.Member.Known:
		have = s.Member.Roles
	default:
		s.roleless = true
		return false, LackMember
	}
	return slices.ContainsFunc(s.Policy.Roles, func(r RoleID) bool { return slices.Contains(have, r) }), ""
}
