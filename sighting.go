package gapless

import (
	"cmp"
	"maps"
	"slices"
)

// sight is what decides about sight in a guild, or nil if that is not known.
func (d *draft) sight(guild GuildID) *Sight {
	if s, ok := d.sights[guild]; ok {
		return s
	}
	return d.marks.sights[guild]
}

// permissions is what the bot may do in a place, if that can be told: a thread
// has its parent's, and whether we are in a private one is not among them.
func (d *draft) permissions(p Place) (may Permissions, known bool) {
	s, channel := d.sight(p.Guild), p.ID
	if p.Kind.Thread() {
		channel = p.Parent
	}
	overwrites, told := d.overwrites[channel]
	if !told {
		overwrites, told = d.marks.overwrites[channel]
	}
	if s == nil || !told {
		return 0, false
	}
	may = s.In(overwrites)
	return may, p.Kind != PrivateThread || may&PermViewChannel == 0
}

// hidden reports whether the place is known to be out of sight.
func (d *draft) hidden(p Place) bool {
	may, known := d.permissions(p)
	return known && !may.Sees(p.Kind)
}

// unreadable reports whether the place's history is known to be closed to us.
func (d *draft) unreadable(p Place) bool {
	may, known := d.permissions(p)
	return known && !may.Reads(p.Kind)
}

// unseen takes a listed place that is out of sight: one that was never seen
// gets no numbers, one that was keeps them, and neither is settled (R5).
func (d *draft) unseen(c Channel, p Place, known bool) bool {
	q := p.Apply(PlaceChange{ID: c.ID, Describe: &c})
	if q.Kind.Direct() || !d.hidden(q) {
		return false
	}
	l := Learnt{Change: PlaceChange{ID: c.ID, Hide: !known}}
	if p != q {
		l.Change.Describe = &c
	}
	d.learn(l)
	return true
}

// learnSight takes what a guild's inventory says of roles; one that was asked
// for over REST says nothing.
func (d *draft) learnSight(g Guild) {
	i := slices.IndexFunc(g.Members, func(m Member) bool { return m.ID == d.self.ID })
	if len(g.Roles) == 0 || i < 0 {
		return
	}
	s := &Sight{Guild: g.ID, Owner: g.Owner, Self: d.self.ID, Roles: map[RoleID]Permissions{}, Mine: g.Members[i].Roles, Own: own(nil, g, d.self.ID)}
	for _, r := range g.Roles {
		s.Roles[r.ID] = r.Permissions
	}
	d.sights[g.ID] = s
}

// own is the roles that came with the bot, after more of them were seen.
func own(before []RoleID, g Guild, self UserID) []RoleID {
	out := slices.Clone(before)
	if out == nil {
		out = []RoleID{}
	}
	for _, r := range g.Bots {
		if r.Bot == self && !slices.Contains(out, r.Role) {
			out = append(out, r.Role)
		}
	}
	return out
}

// learnRoles takes roles that were asked for.
func (d *draft) learnRoles(g Guild) {
	s := Sight{Guild: g.ID, Self: d.self.ID, Roles: map[RoleID]Permissions{}}
	if old := d.sight(g.ID); old != nil {
		s = *old
		s.Roles = maps.Clone(old.Roles)
	}
	for _, r := range g.Roles {
		s.Roles[r.ID] = r.Permissions
	}
	s.Own = own(s.Own, g, d.self.ID)
	d.sights[g.ID] = &s
}

// overwritten notes a channel's overwrites; what comes into sight by them may
// be read at once.
func (d *draft) overwritten(c Channel) {
	if c.Overwrites == nil {
		return
	}
	var before []Place
	if p, known := d.place(c.ID); known && d.unreadable(p) { // threads see what their parent does
		before = d.closedIn(c.Guild, c.ID)
	}
	d.overwrites[c.ID] = c.Overwrites
	d.revealed(c.Guild, before)
}

// sightChanged takes changed roles, or the bot's own membership.
func (d *draft) sightChanged(kind EventKind, g Guild) {
	old := d.sight(g.ID)
	if old == nil {
		return
	}
	before := d.closedIn(g.ID, 0)
	s := *old
	s.Roles, s.Own = maps.Clone(old.Roles), own(old.Own, g, s.Self)
	for _, m := range g.Members {
		d.marks.members.changed(member{g.ID, m.ID})
	}
	for _, r := range g.Roles {
		if kind == RolesGone {
			delete(s.Roles, r.ID)
		} else {
			s.Roles[r.ID] = r.Permissions
		}
	}
	for _, m := range g.Members {
		if m.ID == s.Self {
			s.Mine = m.Roles
		}
	}
	d.sights[g.ID] = &s
	d.revealed(g.ID, before)
}

// closedIn is the places of a guild that cannot be read: all of them, or one
// channel with its threads.
func (d *draft) closedIn(guild GuildID, channel ChannelID) []Place {
	var out []Place
	for id, p := range d.marks.places {
		if p.Guild == guild && (channel == 0 || id == channel || p.Parent == channel) && d.unreadable(p) {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b Place) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

// revealed makes the gaps of places that can be read again due at once, and
// the guild's inventory owed if there are such places: their newest messages
// are not known.
func (d *draft) revealed(guild GuildID, before []Place) {
	for _, p := range before {
		if d.unreadable(p) {
			continue
		}
		d.relist[guild] = true
		d.look(TriggerGap)
		for _, g := range d.marks.openGaps() {
			if g.Place == p.ID && g.Obstacle != "" && !g.Held() {
				m := g.still()
				d.move(g, m)
			}
		}
	}
}

// blind reports whether the place is known to be closed to us, so that its
// gaps wait without a call.
func (e *Engine) blind(place ChannelID) bool {
	e.coverage <- struct{}{}
	defer func() { <-e.coverage }()
	p, ok := e.marks.places[place]
	return ok && newDraft(e.marks, e.rules, Session{}, e.now()).unreadable(p)
}
