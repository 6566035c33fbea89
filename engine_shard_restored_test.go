package gapless_test

import (
	"slices"
	"testing"
	"time"

	"gapless"
)

// A restored ledger holds what it lacks on whatever shard the guild comes to: neither a channel it knows nor a thread
// it does not know is handled again (R15).
func TestRestoredLedgerOnAnotherNumberOfShards(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.handles(quiet)
		zeroth, first, alone := pair(r)
		r.open()
		alone.ready(home, far)
		alone.show()
		shard{r, 0, 1, home, 10}.show()
		id := alone.say("one")
		time.Sleep(time.Minute)
		r.close()

		r.post(20, "since") // handled after the backup by a boot whose ledger is lost
		thread := gapless.Channel{ID: gapless.ChannelID(r.post(20, "since").ID), Guild: far, Parent: 20, Kind: gapless.PublicThread}
		r.post(thread.ID, "since")
		time.Sleep(time.Minute)
		r.ledger.Restored(7)
		r.open()
		zeroth.begin()
		time.Sleep(5 * time.Second)
		first.ready(far)
		in := r.inventory()
		in.ID = far
		in.Channels = slices.DeleteFunc(in.Channels, func(c gapless.Channel) bool { return c.ID != 20 })
		in.Channels[0].Guild = far
		r.set(func() { thread.Last = r.posts[thread.ID][0].ID })
		in.Threads = []gapless.Channel{thread}
		first.admit(gapless.Event{Kind: gapless.GuildSeen, Guild: &in})
		time.Sleep(time.Minute)
		live := first.say("live")
		time.Sleep(time.Hour)
		r.expect(id, live)
		for _, g := range r.status().Gaps {
			if g.Obstacle != gapless.ObstacleRestored {
				t.Errorf("open gap %+v", g)
			}
		}
	})
}
