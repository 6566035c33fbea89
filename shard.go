package gapless

import (
	"maps"
	"slices"
	"time"
)

// ShardOf is which of so many shards hears of the guild (protocol A17); a count
// of zero is one. DMs are heard by shard 0.
func ShardOf(guild GuildID, count int) int {
	return int((uint64(guild) >> 22) % uint64(max(count, 1)))
}

// away reports whether the shard has got guilds from others and no session
// since: the outage that began at Since lasts.
func (s ShardMark) away() bool { return s.At.IsZero() && !s.Since.IsZero() }

// from says which session the events to come were reported by. If the bot has
// another number of shards now than when shard 0 was stored last, each guild
// goes to the shard that will hear of it.
func (d *draft) from(s *Session) {
	d.sourced = s != nil
	if s != nil && max(d.marks.sessions[0].Shards, 1) != max(s.Shards, 1) {
		d.reshard(s.Shards)
	}
}

// reshard moves guilds to their shards among so many. Nobody may listen while
// it happens, so a shard that gets guilds has been away for as long as any of
// them was not heard; no mark of a place changes.
func (d *draft) reshard(count int) {
	outage := map[int]time.Time{}
	for _, g := range d.marks.guilds {
		if _, ok := outage[g.Shard]; !ok {
			outage[g.Shard] = d.outage(d.shardMark(g.Shard))
		}
	}
	since, moved := map[int]time.Time{0: d.outage(d.shardMark(0))}, map[int]time.Time{}
	for _, id := range slices.Sorted(maps.Keys(d.marks.guilds)) {
		g, _ := d.guild(id)
		to, began := ShardOf(id, count), outage[g.Shard]
		if s, ok := since[to]; !ok || began.Before(s) {
			since[to] = began
		}
		if to != g.Shard {
			if from := d.shardMark(g.Shard).Restored; moved[to].IsZero() || from.After(moved[to]) {
				moved[to] = from
			}
			d.rehome(g, to)
		}
	}
	for _, to := range slices.Sorted(maps.Keys(moved)) {
		s := d.shardMark(to)
		s.Since, s.At = since[to], time.Time{}
		if moved[to].After(s.Restored) { // what the ledger lacks of these guilds is held here too (R15)
			s.Restored = moved[to]
		}
		d.putShard(s)
	}
}

// hears is the mark of the shard that hears of a guild; of one that is not known it is the shard that reports it. DMs are
// heard by shard 0.
func (d *draft) hears(guild GuildID) ShardMark {
	shard := d.shard
	if g, known := d.guild(guild); known {
		shard = g.Shard
	} else if guild == 0 {
		shard = 0
	}
	return d.shardMark(shard)
}

// guildOf is the guild of the place that is changed, which may be new.
func (c *PlaceChange) guildOf(before Place) GuildID {
	if before.Guild == 0 && c.Describe != nil {
		return c.Describe.Guild
	}
	return before.Guild
}

// outage is since when the shard has not been heard, if it is not now.
func (d *draft) outage(s ShardMark) time.Time {
	if s.away() || d.unlisted(s) { // what the earlier outage owes is still owed: its beginning stays
		return s.Since
	}
	if seen := d.marks.sessions[s.Shard].SeenAt; !seen.IsZero() && seen.Before(d.now) {
		return seen
	}
	return d.now
}

// adopt notes that this shard hears of a guild that another one was thought to
// hear of.
func (d *draft) adopt(guild GuildID) {
	g, known := d.guild(guild)
	if !known || g.Shard == d.shard {
		return
	}
	old := d.shardMark(g.Shard)
	since := d.outage(old)
	d.rehome(g, d.shard)
	s := d.shardMark(d.shard)
	if old.Restored.After(s.Restored) {
		s.Restored = old.Restored
	}
	if s.Since.IsZero() || since.Before(s.Since) {
		s.Since = since
	}
	if s.At.IsZero() {
		s.At = d.now
	}
	d.putShard(s)
}

// rehome moves a guild to another shard, which is a discontinuity of it. The
// sum of the epochs rises even if the shard's own is lower than the old one's:
// every place of the guild is behind (R2).
func (d *draft) rehome(g GuildMark, to int) {
	before, now := g.Epoch+d.shardMark(g.Shard).Epoch, d.shardMark(to).Epoch
	g.Shard, g.Epoch = to, max(g.Epoch, before-min(before, now))+1
	d.putGuild(g)
}

// present notes that a guild speaks which was thought to be away: READY had left it out, say. Its inventory is owed.
func (d *draft) present(guild GuildID) {
	if g, known := d.guild(guild); known && g.Away {
		g.Away = false
		d.putGuild(g)
		d.look(TriggerGap)
	}
}

func (d *draft) putShard(s ShardMark) {
	d.shards[s.Shard] = s
	for i, old := range d.change.Shards {
		if old.Shard == s.Shard {
			d.change.Shards[i] = s
			return
		}
	}
	d.change.Shards = append(d.change.Shards, s)
}

// heardAgain is RESUMED: what the shard was away for has been replayed.
func (d *draft) heardAgain() {
	if s := d.shardMark(d.shard); s.away() {
		s.At = d.now
		d.putShard(s)
	}
}

// self is the bot, by whichever shard has met it.
func (k *marks) self() User {
	for _, s := range k.sessions {
		if s.Self.ID != 0 {
			return s.Self
		}
	}
	return User{}
}

// guild is the guild an event tells of, zero if it tells of none.
func (e *Event) guild() GuildID {
	switch {
	case e.Message != nil:
		return e.Message.Guild
	case e.Channel != nil:
		return e.Channel.Guild
	case e.Guild != nil:
		return e.Guild.ID
	}
	return 0
}
