package gapless_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"gapless"
)

// halfAway answers for one guild only.
type halfAway struct {
	*discord
	refused *atomic.Int64
}

func (h halfAway) Inventory(ctx context.Context, id gapless.GuildID) (gapless.Guild, error) {
	if id != home {
		h.refused.Add(1)
		return gapless.Guild{}, gapless.ErrUnavailable
	}
	return h.discord.Inventory(ctx, id)
}

// A guild whose inventory cannot be read is asked again with growing pauses,
// and keeps no other guild waiting (promise 9, C127).
func TestInventoryThatFailsForHours(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.handles(quiet)
		var refused atomic.Int64
		r.cfg.History = halfAway{r.discord, &refused}
		r.open()
		r.begin()
		r.admit(gapless.Event{Kind: gapless.GuildSeen, Guild: &gapless.Guild{ID: 2, Name: "away"}})
		first := r.say(10, "one")
		time.Sleep(time.Minute)
		missed := r.lose(10, "two")
		time.Sleep(time.Minute)
		r.admit(gapless.Event{Kind: gapless.SequenceJumped, Note: "from 4 to 6"})
		time.Sleep(5 * time.Second)
		r.expect(first, missed)
		time.Sleep(2 * time.Hour)
		if n := refused.Load(); n < 5 || n > 20 {
			t.Errorf("the guild that does not answer was asked %d times in two hours", n)
		}
	})
}
