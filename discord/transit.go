package discord

import (
	"slices"
	"time"
)

// transit remembers how long the last answers took. Requests are let go by the second in which they are sent, and Discord
// counts them by the second in which they arrive: by as much as their ways differ, fifty-one may arrive in one second that
// were sent in more.
type transit struct {
	last [64]time.Duration
	n    int
}

// maxSpread bounds what an answer that took long, for whatever reason, may hold up.
const maxSpread = 50 * time.Millisecond

func (t *transit) took(d time.Duration) {
	t.last[t.n%len(t.last)] = d
	t.n++
}

// spread is how much later than another a request may arrive that was sent at the same time.
func (t *transit) spread() time.Duration {
	seen := t.last[:min(t.n, len(t.last))]
	if len(seen) == 0 {
		return 0
	}
	return min(slices.Max(seen)-slices.Min(seen), maxSpread)
}
