package discordsim

import "strconv"

// Permission is a set of Discord's permission bits (protocol D6).
type Permission uint64

// The permissions the simulator looks at.
const (
	Administrator        Permission = 1 << 3
	ManageChannels       Permission = 1 << 4
	AddReactions         Permission = 1 << 6
	ViewChannel          Permission = 1 << 10
	SendMessages         Permission = 1 << 11
	ManageMessages       Permission = 1 << 13
	EmbedLinks           Permission = 1 << 14
	AttachFiles          Permission = 1 << 15
	ReadMessageHistory   Permission = 1 << 16
	MentionEveryone      Permission = 1 << 17
	Connect              Permission = 1 << 20
	ManageRoles          Permission = 1 << 28
	ManageWebhooks       Permission = 1 << 29
	ManageThreads        Permission = 1 << 34
	CreatePublicThreads  Permission = 1 << 35
	CreatePrivateThreads Permission = 1 << 36
	SendInThreads        Permission = 1 << 38
	PinMessages          Permission = 1 << 51
	BypassSlowMode       Permission = 1 << 52
)

// EveryoneDefault is what the @everyone role of a new guild allows.
const EveryoneDefault = AddReactions | ViewChannel | SendMessages | EmbedLinks | AttachFiles |
	ReadMessageHistory | Connect | CreatePublicThreads | CreatePrivateThreads | SendInThreads

const allPermissions = ^Permission(0) >> 11

// String is the decimal form Discord sends.
func (p Permission) String() string { return strconv.FormatUint(uint64(p), 10) }

func (p Permission) has(all Permission) bool { return p&all == all }

// overwrite changes permissions in one channel, for a role or a member.
type overwrite struct {
	target      ID
	member      bool
	allow, deny Permission
}

func (o overwrite) body() object {
	kind := 0
	if o.member {
		kind = 1
	}
	return object{"id": o.target, "type": kind, "allow": o.allow.String(), "deny": o.deny.String()}
}

// base is what a member may do in a guild before any channel has its say.
func (g *guild) base(m *member) Permission {
	var p Permission
	for _, r := range g.roles {
		if r.id == g.id || m.has(r.id) {
			p |= r.permissions
		}
	}
	if m.user.id == g.owner || p.has(Administrator) {
		return allPermissions
	}
	return p
}

// permissions of a user in a channel, in the order of D6; none for somebody outside. In a DM the two people
// of it may do everything that makes sense there.
func (c *channel) permissions(user ID) Permission {
	if c.guild == nil {
		if user == c.bot || (c.recipient != nil && user == c.recipient.id) {
			return EveryoneDefault | PinMessages
		}
		return 0
	}
	m := c.guild.members[user]
	if m == nil {
		return 0
	}
	p := c.guild.base(m)
	if p == allPermissions {
		return p
	}
	over := c.overwrites
	if c.parent != nil && c.thread != nil {
		over = c.parent.overwrites
	}
	p = applyOverwrites(p, over, c.guild.id, m)
	if !p.has(ViewChannel) {
		return 0
	}
	if m.silenced {
		return p & timedOut
	}
	return p
}

func applyOverwrites(p Permission, over []overwrite, everyone ID, m *member) Permission {
	var allow, deny Permission
	for _, o := range over {
		if !o.member && o.target == everyone {
			p = p&^o.deny | o.allow
		}
	}
	for _, o := range over {
		if !o.member && o.target != everyone && m.has(o.target) {
			allow |= o.allow
			deny |= o.deny
		}
	}
	p = p&^deny | allow
	for _, o := range over {
		if o.member && o.target == m.user.id {
			p = p&^o.deny | o.allow
		}
	}
	return p
}

// visible tells whether a user gets the events of a channel (F36): the permission to view it, and for a
// private thread membership or the right to manage threads.
func (c *channel) visible(user ID) bool {
	p := c.permissions(user)
	if !p.has(ViewChannel) {
		return false
	}
	if c.kind == PrivateThread {
		return c.thread.joined(user) || p.has(ManageThreads)
	}
	return true
}

// enterable is visible, and for voice and stage the right to connect, which their history asks for too (F53).
func (c *channel) enterable(user ID) bool {
	if !c.visible(user) {
		return false
	}
	if c.kind == Voice || c.kind == Stage {
		return c.permissions(user).has(Connect)
	}
	return true
}

// maySend tells whether a user may post here; threads have a permission of their own.
func (c *channel) maySend(user ID) bool {
	if c.thread != nil {
		return c.permissions(user).has(SendInThreads)
	}
	return c.permissions(user).has(SendMessages)
}
