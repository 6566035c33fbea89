package discord

import (
	"errors"
	"fmt"
	"time"

	"gapless"
)

// guard counts answers that Cloudflare counts: 10,000 in ten minutes and it bans the address (protocol C3).
type guard struct {
	soft, hard int // from here on no background reads, no requests at all
	slots      [60]guardSlot
}

type guardSlot struct {
	tick  int64 // tens of seconds since 1970
	count int
}

var errGuard = errors.New("too many 401, 403 and 429 answers in ten minutes")

func (g *guard) count(now time.Time) {
	tick := now.Unix() / 10
	slot := &g.slots[tick%int64(len(g.slots))]
	if slot.tick != tick {
		*slot = guardSlot{tick: tick}
	}
	slot.count++
}

// total is the count of the last ten minutes.
func (g *guard) total(now time.Time) (n int) {
	for _, slot := range g.slots {
		if now.Unix()/10-slot.tick < int64(len(g.slots)) {
			n += slot.count
		}
	}
	return n
}

func (g *guard) refuses(p Priority, now time.Time) error {
	n := g.total(now)
	if n >= g.hard || n >= g.soft && p != PriorityReply {
		return fmt.Errorf("%w: %d, holding back to stay below Discord's ban at 10000 (%w)", errGuard, n, gapless.ErrUnavailable)
	}
	return nil
}
