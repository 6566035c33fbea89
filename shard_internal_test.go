package gapless

import (
	"testing"
	"time"
)

// A shard that has got guilds and no session yet has nothing asked for on its behalf, and nothing comes due for it:
// whatever came on an earlier session of it in this process.
func TestNothingIsDueForAShardThatIsAway(t *testing.T) {
	at := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	never := func(GuildID) time.Time { return time.Time{} }
	for name, c := range map[string]struct {
		mark ShardMark
		came time.Time
		due  bool
	}{
		"its session has begun":                       {ShardMark{Shard: 1, Epoch: 2, Since: at, At: at}, time.Time{}, true},
		"it has none yet":                             {ShardMark{Shard: 1, Since: at}, time.Time{}, false},
		"it has none yet, and guilds came before":     {ShardMark{Shard: 1, Since: at}, at.Add(-time.Hour), false},
		"it has none yet, and guilds came afterwards": {ShardMark{Shard: 1, Since: at}, at.Add(time.Hour), false},
	} {
		k := newMarks(Memory{Shards: []ShardMark{c.mark}, Guilds: []GuildMark{{ID: 9, Shard: 1, Epoch: 5, Listed: 4}}})
		if !c.came.IsZero() {
			k.came[1] = c.came
		}
		_, next := k.nextOverdue(never, nil)
		now := len(k.overdue(at.Add(24*time.Hour), never, nil)) > 0
		if next != c.due || now != c.due {
			t.Errorf("%s: due later %t, overdue a day later %t; want %t", name, next, now, c.due)
		}
	}
}
