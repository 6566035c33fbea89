//go:build linux

package bench_test

import (
	"fmt"
	"testing"
)

// A large bot's world: what comes after READY is a storm of GUILD_CREATE.
const (
	stormGuilds   = 20
	stormChannels = 500 // in each
)

// BenchmarkStorm is a bot of 10,000 channels: READY and its guilds read,
// decided and stored, at first contact, and once more after an outage in which
// no channel was written in, and in which every fourth was. It reports the
// processor's time of the whole process, which also writes the frames.
func BenchmarkStorm(b *testing.B) {
	for b.Loop() {
		var first, still, moved cost
		for range rounds {
			storm(b, &first, &still, &moved)
		}
		const all = stormGuilds * stormChannels / 1e3 // µs a channel into ms a storm
		b.ReportMetric(first.cpu.median()*all, "first-cpu-ms")
		b.ReportMetric(still.cpu.median()*all, "again-cpu-ms")
		b.ReportMetric(moved.cpu.median()*all, "moved-cpu-ms")
		b.ReportMetric(first.allocs.median(), "first-allocs/channel")
		b.ReportMetric(still.allocs.median(), "again-allocs/channel")
	}
	quiet(b)
}

func storm(b *testing.B, first, still, moved *cost) {
	const n = stormGuilds * stormChannels
	f := newFeed(b)
	hello := guilds(stormGuilds, 2, 0)
	again, risen := guilds(stormGuilds, 2+stormGuilds, 0), guilds(stormGuilds, 2+2*stormGuilds, 4)
	f.greet = func(address string) [][]byte { return append([][]byte{ready(address, stormGuilds)}, hello...) }
	l := begin()
	t := newBot(b, f, plan{})
	first.end(l, n)
	for _, part := range []struct {
		c      *cost
		frames [][]byte
	}{{still, again}, {moved, risen}} {
		l := begin()
		stored := t.stored.reach(t.seq + stormGuilds)
		for _, payload := range part.frames {
			if err := t.send(payload); err != nil {
				b.Fatal(err)
			}
			t.seq++
		}
		<-stored
		part.c.end(l, n)
	}
}

// guilds is a GUILD_CREATE of each of n guilds; the first has the sequence seq.
// In every channel whose number risen divides, the newest message is another.
func guilds(n, seq, risen int) [][]byte {
	var out [][]byte
	for g := range n {
		guild := guildID + g
		b := fmt.Appendf(nil, `{"t":"GUILD_CREATE","s":%d,"op":0,"d":{"id":"%d","name":"home %d","joined_at":"2025-01-02T12:00:00+00:00",`+
			`"owner_id":"%d","threads":[],"roles":[{"id":"%d","name":"@everyone","permissions":"1071698660929"}],`+
			`"members":[{"user":{"id":"%d","username":"helper","bot":true},"roles":[]}],"channels":[`, seq+g, guild, g, annID, guild, selfID)
		for c := range stormChannels {
			last := message0 - 1<<40 + uint64(c)
			if risen > 0 && c%risen == 0 {
				last += 1 << 38
			}
			if c > 0 {
				b = append(b, ',')
			}
			b = fmt.Appendf(b, `{"id":"%d","type":0,"name":"channel-%d","position":%d,"parent_id":"1400000000000000004",`+
				`"topic":"what this channel is about","nsfw":false,"rate_limit_per_user":0,"last_message_id":"%d",`+
				`"permission_overwrites":[{"id":"%d","type":0,"allow":"0","deny":"2048"}],"flags":0}`,
				channel0+g*stormChannels+c, c, c, last, guild)
		}
		out = append(out, append(b, "]}}"...))
	}
	return out
}
