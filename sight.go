package gapless

import "slices"

// Permissions is Discord's permission set (protocol D6).
type Permissions uint64

// The permissions that decide what a bot sees.
const (
	PermAdministrator Permissions = 1 << 3
	PermViewChannel   Permissions = 1 << 10
	PermReadHistory   Permissions = 1 << 16
	PermConnect       Permissions = 1 << 20
	PermManageThreads Permissions = 1 << 34
)

// Overwrite changes permissions in one channel for a role or a member.
type Overwrite struct {
	ID     uint64 // of the role or user
	Member bool
	Allow  Permissions
	Deny   Permissions
}

// Role is a guild's role as far as sight needs it.
type Role struct {
	ID          RoleID
	Permissions Permissions
}

// Member is a member's roles.
type Member struct {
	ID    UserID
	Roles []RoleID
}

// Sight is what decides what the bot sees in a guild. It is learnt from the
// guild's inventory and kept in memory only; where it is not known, a place is
// read to find out (R5).
type Sight struct {
	Guild GuildID
	Owner UserID
	Self  UserID
	Roles map[RoleID]Permissions // all of the guild, @everyone by the guild's id
	Mine  []RoleID
	Own   []RoleID // those of Roles that came with this bot and are its alone; not nil
}

// Base is what the bot may do in the guild before any channel's overwrites.
func (s *Sight) Base() Permissions {
	p := s.Roles[RoleID(s.Guild)]
	for _, r := range s.Mine {
		p |= s.Roles[r]
	}
	if p&PermAdministrator != 0 || s.Owner == s.Self {
		return ^Permissions(0)
	}
	return p
}

// In is what the bot may do in a channel with these overwrites: @everyone's
// first, then those of its roles together, then its own (protocol D6). Without
// sight of the channel nothing else counts.
func (s *Sight) In(overwrites []Overwrite) Permissions {
	p := s.Base()
	if p == ^Permissions(0) {
		return p
	}
	var allow, deny Permissions
	for _, o := range overwrites {
		if !o.Member && o.ID == uint64(s.Guild) {
			p = p&^o.Deny | o.Allow
		}
	}
	for _, o := range overwrites {
		if !o.Member && slices.Contains(s.Mine, RoleID(o.ID)) {
			allow, deny = allow|o.Allow, deny|o.Deny
		}
	}
	p = p&^deny | allow
	for _, o := range overwrites {
		if o.Member && o.ID == uint64(s.Self) {
			p = p&^o.Deny | o.Allow
		}
	}
	if p&PermViewChannel == 0 {
		return 0
	}
	return p
}

// Sees reports whether a place of the kind is in sight with these permissions;
// a voice channel needs CONNECT too (C52).
func (p Permissions) Sees(k ChannelKind) bool {
	if (k == GuildVoice || k == GuildStage) && p&PermConnect == 0 {
		return false
	}
	return p&PermViewChannel != 0
}

// Reads reports whether the place's history can be read as well (C51).
func (p Permissions) Reads(k ChannelKind) bool { return p.Sees(k) && p&PermReadHistory != 0 }
