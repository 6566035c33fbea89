package discordsim_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gapless/discordsim"
)

// TestRepeatable plays one script with faults, timers and two shards twice: every byte must come again.
func TestRepeatable(t *testing.T) {
	run := func(seed uint64) string {
		var seen strings.Builder
		play(t, &discordsim.Server{Seed: seed, Pace: 1, IdentifyInterval: -1, GuildDelay: time.Second}, func(sc *scene) {
			for i := range 5 {
				sc.AddGuild(fmt.Sprint(i), sc.bot.ID)
			}
			var shards []*client
			for shard := range 2 {
				c := sc.dial("/gateway/?v=10&encoding=json")
				c.expect("op 10")
				c.identify(allIntents, "shard", []int{shard, 2})
				fmt.Fprintln(&seen, c.expect("READY").get("session_id"))
				shards = append(shards, c)
			}
			time.Sleep(10 * time.Second)
			for _, kind := range []discordsim.Kind{discordsim.Drop, discordsim.Repeat, discordsim.Late, discordsim.Swap} {
				sc.inject(discordsim.Fault{Kind: kind, Probability: 0.2, Delay: time.Second, Jitter: time.Second,
					Match: discordsim.Match{Event: "MESSAGE_CREATE"}})
			}
			for i := range 40 {
				sc.post(sc.anna, sc.text, fmt.Sprint("message ", i, " https://example.test/"))
				time.Sleep(100 * time.Millisecond)
			}
			time.Sleep(10 * time.Second)
			for i, c := range shards {
				for len(c.frames) > 0 {
					fmt.Fprintf(&seen, "%d %s\n", i, <-c.frames)
				}
			}
		})
		return seen.String()
	}
	first := run(1)
	if again := run(1); again != first {
		t.Error("the same seed gave another story")
	}
	if other := run(2); other == first {
		t.Error("another seed gave the same story")
	}
	if strings.Count(first, "MESSAGE_CREATE") < 20 || !strings.Contains(first, "MESSAGE_UPDATE") {
		t.Errorf("the story is short: %d bytes", len(first))
	}
}
