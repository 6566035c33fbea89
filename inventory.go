package gapless

// guildSeen is an inventory. From the gateway it also is a discontinuity of
// the guild: what happened before it was not sent (R2).
//
// One that we asked for tells of silent losses too.
func (d *draft) guildSeen(in Guild, raise bool) {
	g, known := d.guild(in.ID)
	g.ID, g.Shard = in.ID, d.shard
	if in.Name != "" {
		g.Name = in.Name
	}
	if raise {
		g.Epoch++
		d.stormed = d.now
	}
	g.Away = in.Unavailable
	if !in.JoinedAt.IsZero() {
		g.JoinedAt = in.JoinedAt
	}
	if in.Unavailable {
		if known {
			d.putGuild(g)
		}
		return
	}
	sum := g.Epoch + d.shardMark(d.shard).Epoch
	owing := known && g.Listed < sum
	g.Listed = sum
	before := g.ListedAt
	g.ListedAt = d.now
	d.putGuild(g)
	d.learnSight(in)
	d.relist[in.ID] = false
	h := d.horizon(in.ID, known)
	h.Asked, h.Owing, h.Listed = !raise, owing, before
	for _, c := range in.Channels {
		d.overwritten(c)
		d.listed(c, h)
	}
	for _, c := range in.Threads {
		d.listed(c, h)
	}
}

func (d *draft) guildGone(in Guild) {
	g, known := d.guild(in.ID)
	if !known {
		return
	}
	g.Epoch++
	g.Away = true
	d.putGuild(g)
}

func (d *draft) putGuild(g GuildMark) {
	d.guilds[g.ID] = g
	for i, old := range d.change.Guilds {
		if old.ID == g.ID {
			d.change.Guilds[i] = g
			return
		}
	}
	d.change.Guilds = append(d.change.Guilds, g)
}

// listed learns of a place from an inventory entry or a channel event.
func (d *draft) listed(c Channel, h Horizon) {
	p, known := d.place(c.ID)
	if d.unseen(c, p, known) {
		return
	}
	if _, told := d.permissions(p.Apply(PlaceChange{ID: c.ID, Describe: &c})); p.Hidden && !told {
		return // still out of sight, for all that is known: a message heard in it, or its roles, will tell
	}
	var l Learnt
	switch {
	case p.Hidden: // it has come into sight: met for the first time (R4)
		h.Known = false
		l = Discovered(c, c.Last, h)
		l.Change.Show = true
	case !known:
		l = Discovered(c, c.Last, h)
	case c.Kind.HoldsMessages():
		l = p.Listed(c.Last, h)
	}
	l.Change.ID = c.ID
	if h.Asked && known && c.Kind.HoldsMessages() && c.Last > p.Head && l.Change.Head == 0 {
		d.unripe = true // it may still be on its way, or lost: it is too fresh to tell
	}
	if h.Owing && c.Kind.BearsThreads() {
		l.Change.Owe = h.Since
	}
	if !c.Kind.HoldsMessages() && c.Last > p.Head { // of a forum it is its newest thread (C48)
		l.Change.Head = c.Last
		d.newest = append(d.newest, pointer{c.ID, ChannelID(c.Last)})
	}
	if known && p != p.Apply(PlaceChange{ID: c.ID, Describe: &c, Back: p.Gone}) {
		l.Change.Describe, l.Change.Back = &c, p.Gone
	}
	d.learn(l)
}
