package gapless

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// marks is the engine's memory of coverage. It mirrors the ledger: it changes
// only after the ledger has stored the same, and is read back from there
// whenever a store fails. The holder of Engine.coverage owns it.
type marks struct {
	sessions map[int]Session
	shards   map[int]ShardMark
	guilds   map[GuildID]GuildMark
	places   map[ChannelID]Place
	gaps     map[GapID]Gap // open ones
	ranges   map[ChannelID][]Range

	// pointed is the parents of which something tells that they have threads
	// we do not know (R7). It is only a hint: it is not stored.
	pointed map[ChannelID]bool

	// What decides about sight (R5), as far as it is known; not stored either.
	sights     map[GuildID]*Sight
	overwrites map[ChannelID][]Overwrite
	relist     map[GuildID]bool // something came into sight: its newest message is to be learnt

	came    map[int]time.Time       // when a shard's last GUILD_CREATE came
	resumed map[int]time.Time       // when a shard last resumed
	members members                 // what look-ups found out
	noticed map[ChannelID]time.Time // the end of the outage that a place was last told of
}

func newMarks(m Memory) *marks {
	k := &marks{
		sessions: map[int]Session{}, shards: map[int]ShardMark{}, guilds: map[GuildID]GuildMark{},
		places: map[ChannelID]Place{}, gaps: map[GapID]Gap{}, ranges: map[ChannelID][]Range{}, pointed: map[ChannelID]bool{},
		sights: map[GuildID]*Sight{}, overwrites: map[ChannelID][]Overwrite{}, relist: map[GuildID]bool{},
		noticed: map[ChannelID]time.Time{}, members: members{}, came: map[int]time.Time{}, resumed: map[int]time.Time{},
	}
	for _, s := range m.Sessions {
		k.sessions[s.Shard] = s
	}
	for _, s := range m.Shards {
		k.shards[s.Shard] = s
	}
	for _, g := range m.Guilds {
		k.guilds[g.ID] = g
	}
	for _, p := range m.Places {
		k.places[p.ID] = p
	}
	for _, g := range m.Gaps {
		k.gaps[g.ID] = g
	}
	for _, r := range m.Ranges {
		k.ranges[r.Place] = append(k.ranges[r.Place], r)
	}
	return k
}

// remember takes over what only the old marks had.
func (k *marks) remember(old *marks) {
	k.pointed, k.sights, k.overwrites, k.relist = old.pointed, old.sights, old.overwrites, old.relist
	k.noticed, k.members, k.came, k.resumed = old.noticed, old.members, old.came, old.resumed
}

// openGaps is the open gaps in an order that does not depend on the map's.
func (k *marks) openGaps() []Gap {
	return slices.SortedFunc(maps.Values(k.gaps), func(a, b Gap) int { return cmp.Compare(a.ID, b.ID) })
}

// storming is the shard's mark as far as the grace for inventories goes: while
// they still come, one after the other, none is asked for, for some minutes.
func (k *marks) storming(shard int) ShardMark {
	s := k.shards[shard]
	if at := k.came[shard]; at.After(s.At) && !s.away() {
		s.At = at
		if end := k.shards[shard].At.Add(stormFor); at.After(end) {
			s.At = end
		}
	}
	return s
}

// stormFor is how long GUILD_CREATEs may keep coming after READY before those
// that are missing are asked for: Discord sends thousands of them in a minute
// or two.
const stormFor = 3 * time.Minute

// overdue is the guilds whose inventory must be asked for; notBefore is when
// one that could not be read may be asked again.
func (k *marks) overdue(now time.Time, notBefore func(GuildID) time.Time, not map[GuildID]bool) []GuildID {
	var out []GuildID
	for id, g := range k.guilds {
		s := k.storming(g.Shard)
		owed := g.Overdue(s, now) && !s.away() || (k.relist[id] && !g.Away)
		if owed && !not[id] && !now.Before(notBefore(id)) {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out
}

// nextOverdue is when the next guild's inventory will have to be asked for.
func (k *marks) nextOverdue(notBefore func(GuildID) time.Time, not map[GuildID]bool) (at time.Time, ok bool) {
	for _, g := range k.guilds {
		s := k.storming(g.Shard)
		due := s.At.Add(InventoryGrace)
		switch {
		case g.Away, not[g.ID], s.away() && !k.relist[g.ID]:
			continue
		case k.relist[g.ID]:
			due = s.At // long past: at once
		case g.Listed >= g.Epoch+s.Epoch:
			continue
		}
		if again := notBefore(g.ID); again.After(due) {
			due = again
		}
		if !ok || due.Before(at) {
			at, ok = due, true
		}
	}
	return at, ok
}

// apply makes the marks what the ledger has after storing the draft's change.
func (k *marks) apply(d *draft) {
	if s := d.change.Session; s != nil {
		k.sessions[s.Shard] = *s
	}
	maps.Copy(k.shards, d.shards)
	maps.Copy(k.guilds, d.guilds)
	maps.Copy(k.places, d.places)
	maps.Copy(k.sights, d.sights)
	maps.Copy(k.overwrites, d.overwrites)
	maps.Copy(k.relist, d.relist)
	if !d.resumed.IsZero() {
		k.resumed[d.shard] = d.resumed
	}
	if !d.stormed.IsZero() {
		k.came[d.shard] = d.stormed
	}
	maps.Copy(k.noticed, d.noticed)
	for _, g := range d.change.Opened {
		if _, open := k.gaps[g.ID]; !open {
			k.gaps[g.ID] = g
		}
	}
	for _, m := range d.change.Moved {
		if g := k.gaps[m.ID].Apply(m); g.Open() {
			k.gaps[m.ID] = g
		} else {
			delete(k.gaps, m.ID)
		}
	}
	for _, p := range d.newest {
		if _, known := k.places[p.thread]; !known {
			k.pointed[p.parent] = true
		}
	}
	for _, r := range d.change.Ranges {
		k.ranges[r.Place] = append(k.ranges[r.Place], r)
	}
}
