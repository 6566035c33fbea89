package ledgertest

import (
	"slices"
	"time"

	"gapless"
)

// intakeSentences are those of Load and of the coverage part of Change.
var intakeSentences = []sentence{
	{"a new ledger is empty", func(d *desk) {
		m := d.load()
		eq(d, "rows", len(m.Sessions)+len(m.Shards)+len(m.Guilds)+len(m.Places)+len(m.Gaps)+len(m.Ranges), 0)
	}},
	{"load gives all as stored", loadsAll},
	{"an empty change stores nothing", func(d *desk) {
		before := d.status().Commits
		eq(d, "known", d.append(gapless.Change{}).Known, 0)
		eq(d, "commits", d.status().Commits, before)
	}},
	{"session replaces that of its shard", func(d *desk) {
		d.append(gapless.Change{Session: &gapless.Session{Shard: 0, ID: "a", Seq: 5}})
		d.append(gapless.Change{Session: &gapless.Session{Shard: 1, ID: "b", Seq: 6}})
		d.append(gapless.Change{Session: &gapless.Session{Shard: 0, Seq: 1}})
		m := d.load()
		eq(d, "sessions", len(m.Sessions), 2)
		eq(d, "first", m.Sessions[0], gapless.Session{Shard: 0, Seq: 1})
		eq(d, "second", m.Sessions[1].ID, "b")
	}},
	{"a shard's epoch never falls", func(d *desk) {
		d.append(gapless.Change{Shards: []gapless.ShardMark{{Shard: 0, Epoch: 4, At: base}}})
		d.append(gapless.Change{Shards: []gapless.ShardMark{{Shard: 0, Epoch: 3, At: base.Add(time.Second)}}})
		mark := d.load().Shards[0]
		eq(d, "epoch", mark.Epoch, 4)
		d.instant("at", mark.At, base.Add(time.Second))
	}},
	{"a guild's epoch and listing never fall", func(d *desk) {
		d.append(gapless.Change{Guilds: []gapless.GuildMark{{ID: 5, Epoch: 4, Listed: 7, Name: "old"}}})
		d.append(gapless.Change{Guilds: []gapless.GuildMark{{ID: 5, Epoch: 3, Listed: 8, Name: "new", Away: true}}})
		eq(d, "guild", d.load().Guilds[0], gapless.GuildMark{ID: 5, Epoch: 4, Listed: 8, Name: "new", Away: true})
	}},
	{"coverage is relative: twice is once", func(d *desk) {
		c := gapless.Change{
			Places: []gapless.PlaceChange{{ID: place, Floor: msg(1), Verified: msg(2), Head: msg(3), Epoch: 2}},
			Opened: []gapless.Gap{gap(msg(1), msg(3))},
			Ranges: []gapless.Range{{Place: place, After: msg(2), Upto: msg(3), Reason: gapless.EndExpired, At: base}},
		}
		d.append(c)
		first := d.load()
		d.append(c)
		second := d.load()
		eq(d, "place", second.Places[0], first.Places[0])
		eq(d, "gaps", len(second.Gaps), 1)
		eq(d, "ranges", len(second.Ranges), 1)
	}},
	{"a lower mark lowers nothing", func(d *desk) {
		d.append(gapless.Change{Places: []gapless.PlaceChange{{ID: place, Floor: msg(3), Verified: msg(4), Head: msg(5), Epoch: 6}}})
		d.append(gapless.Change{Places: []gapless.PlaceChange{{ID: place, Floor: msg(1), Verified: msg(1), Head: msg(1), Epoch: 1}}})
		want := gapless.Place{ID: place, Floor: msg(3), Verified: msg(4), Head: msg(5), Epoch: 6}
		eq(d, "place", d.load().Places[0], want)
	}},
	{"an unknown place is created, a description renewed, going and coming kept", describesPlaces},
	{"a gap that exists is not opened again, open or closed", func(d *desk) {
		g := gap(msg(1), msg(9))
		d.append(gapless.Change{Opened: []gapless.Gap{g}})
		again := g
		again.After = msg(5)
		d.append(gapless.Change{Opened: []gapless.Gap{again}})
		eq(d, "after", d.load().Gaps[0].After, msg(1))
		d.append(gapless.Change{Moved: []gapless.GapMove{g.Closed(gapless.EndFilled, base)}})
		d.append(gapless.Change{Opened: []gapless.Gap{again}})
		eq(d, "open gaps", len(d.load().Gaps), 0)
	}},
	{"a gap moves as Apply says", func(d *desk) {
		g := gap(msg(1), msg(90))
		m := gapless.GapMove{
			ID: g.ID, Was: msg(1), After: msg(5), HoldTill: base.Add(time.Minute), Obstacle: gapless.ObstacleBlind,
			Tries: 3, DueAt: base.Add(time.Hour), Next: msg(7),
		}
		d.append(gapless.Change{Opened: []gapless.Gap{g}, Moved: []gapless.GapMove{m}})
		eq(d, "gap", d.load().Gaps[0], g.Apply(m))
	}},
	{"a move from elsewhere is stale, and the whole change with it", staleMoves},
	{"ranges that verified has passed are not loaded", func(d *desk) {
		d.append(gapless.Change{
			Places: []gapless.PlaceChange{{ID: place, Verified: msg(10)}},
			Ranges: []gapless.Range{
				{Place: place, After: msg(1), Upto: msg(10), Reason: gapless.EndExpired, At: base},
				{Place: place, After: msg(5), Upto: msg(11), Reason: gapless.EndExpired, At: base},
			},
		})
		m := d.load()
		eq(d, "ranges", len(m.Ranges), 1)
		eq(d, "upto", m.Ranges[0].Upto, msg(11))
		eq(d, "shown", len(d.status().Ranges), 2)
	}},
	{"the checkpoint is stored with what it covers or not at all", func(d *desk) {
		g := gap(msg(1), msg(9))
		_, err := d.l.Append(d.Context(), gapless.Change{
			At: d.now, Session: &gapless.Session{ID: "s", Seq: 9}, Admitted: []gapless.Item{item(msg(1))},
			Moved: []gapless.GapMove{g.Closed(gapless.EndGone, base)},
		})
		d.stale(err)
		eq(d, "sessions", len(d.load().Sessions), 0)
		d.none(lane)
	}},
}

func loadsAll(d *desk) {
	c := gapless.Change{
		Session: &gapless.Session{
			Shard: 2, Shards: 3, ID: "sid", ResumeURL: "wss://r", Seq: 77, Self: gapless.User{ID: 1, Name: "bot", Bot: true},
			State: "connected", SeenAt: base.Add(1500 * time.Microsecond),
			Starts: gapless.Starts{Remaining: 900, ResetAt: base.Add(time.Hour), IdentifiedAt: base.Add(-time.Hour)},
		},
		Shards: []gapless.ShardMark{{Shard: 2, Epoch: 3, Since: base.Add(-time.Minute), At: base, Restored: base.Add(-time.Hour)}},
		Guilds: []gapless.GuildMark{{ID: 5, Shard: 2, Name: "guild", Epoch: 3, Listed: 6, Away: true, JoinedAt: base, ListedAt: base.Add(time.Hour)}},
		Places: []gapless.PlaceChange{{ID: place, Floor: msg(1), Verified: msg(2), Head: msg(9), Epoch: 6, Gone: true, Hide: true, Owe: base,
			Describe: &gapless.Channel{ID: place, Guild: 5, Parent: 4, Kind: gapless.PublicThread, Name: "talk", Recipient: 8}}},
		Opened: []gapless.Gap{gap(msg(2), msg(9))},
		Ranges: []gapless.Range{{Place: place, After: msg(1), Upto: msg(9), Reason: gapless.EndSkipped, At: base}},
	}
	d.append(c)
	m := d.load()
	eq(d, "session", m.Sessions[0], *c.Session)
	eq(d, "shard", m.Shards[0], c.Shards[0])
	d.instant("owes", m.Places[0].Owes, base)
	m.Places[0].Owes, c.Places[0].Owe = time.Time{}, time.Time{}
	d.instant("joined at", m.Guilds[0].JoinedAt, base)
	d.instant("listed at", m.Guilds[0].ListedAt, base.Add(time.Hour))
	m.Guilds[0].JoinedAt, m.Guilds[0].ListedAt = base, base.Add(time.Hour) // the same instants, whatever their zone
	eq(d, "guild", m.Guilds[0], c.Guilds[0])
	eq(d, "place", m.Places[0], gapless.Place{}.Apply(c.Places[0]))
	eq(d, "gap", m.Gaps[0], c.Opened[0])
	eq(d, "range", m.Ranges[0], c.Ranges[0])
}

func describesPlaces(d *desk) {
	change := func(c gapless.PlaceChange) gapless.Place {
		c.ID = place
		d.append(gapless.Change{Places: []gapless.PlaceChange{c}})
		return d.load().Places[0]
	}
	eq(d, "created", change(gapless.PlaceChange{Head: msg(1)}), gapless.Place{ID: place, Head: msg(1)})
	p := change(gapless.PlaceChange{Describe: &gapless.Channel{Guild: 5, Name: "talk", Kind: gapless.GuildVoice}})
	eq(d, "described", p, gapless.Place{ID: place, Head: msg(1), Guild: 5, Name: "talk", Kind: gapless.GuildVoice})
	eq(d, "gone", change(gapless.PlaceChange{Gone: true}).Gone, true)
	eq(d, "still gone", change(gapless.PlaceChange{Head: msg(2)}).Gone, true)
	eq(d, "back", change(gapless.PlaceChange{Back: true}).Gone, false)
}

func staleMoves(d *desk) {
	g := gap(msg(1), msg(9))
	d.append(gapless.Change{Opened: []gapless.Gap{g}})
	try := func(moves ...gapless.GapMove) {
		d.Helper()
		_, err := d.l.Append(d.Context(), gapless.Change{
			At: d.now, Moved: moves, Admitted: []gapless.Item{item(msg(3))},
			Places: []gapless.PlaceChange{{ID: place, Head: msg(50)}},
		})
		d.stale(err)
		m := d.load()
		eq(d, "places", len(m.Places), 0)
		eq(d, "open gaps", len(m.Gaps), 1)
		eq(d, "after", m.Gaps[0].After, msg(1))
		d.none(lane)
	}
	behind, closed := gapless.GapMove{ID: g.ID, Was: msg(1), After: msg(4)}, g.Closed(gapless.EndFilled, base)
	try(gapless.GapMove{ID: g.ID, Was: msg(2), After: msg(4)})
	try(gapless.GapMove{ID: "unknown", Was: msg(1), After: msg(4)})
	try(behind, behind)
	try(closed, closed)
	d.append(gapless.Change{Moved: []gapless.GapMove{behind}})
	d.append(gapless.Change{Moved: []gapless.GapMove{{ID: g.ID, Was: msg(4), After: msg(4), End: gapless.EndFilled}}})
	_, err := d.l.Append(d.Context(), gapless.Change{At: d.now, Moved: []gapless.GapMove{{ID: g.ID, Was: msg(4), After: msg(5)}}})
	d.stale(err)
	eq(d, "open gaps", len(d.load().Gaps), 0)
	eq(d, "rows", slices.Max([]int{0, d.status().Messages["pending"]}), 0)
}
