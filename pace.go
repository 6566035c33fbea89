package gapless

import (
	"sync"
	"time"
)

// pace bounds how many recovered turns start per minute, so that a backlog
// does not drown a bot (C119). A start is taken before the claim and given
// back if the claim turns out not to need it.
type pace struct {
	limit int

	mu     sync.Mutex
	starts []time.Time // of the last minute, oldest first
}

// take reserves one start at now; ok is false when the minute is used up.
func (p *pace) take(now time.Time) (ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forget(now)
	if len(p.starts) >= p.limit {
		return false
	}
	p.starts = append(p.starts, now)
	return true
}

// untake gives a start back.
func (p *pace) untake() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.starts); n > 0 {
		p.starts = p.starts[:n-1]
	}
}

// free is when the next start can be taken, and how many then.
func (p *pace) free(now time.Time) (at time.Time, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forget(now)
	if room := p.limit - len(p.starts); room > 0 {
		return now, room
	}
	return p.starts[0].Add(time.Minute), 1
}

func (p *pace) forget(now time.Time) {
	i := 0
	for i < len(p.starts) && !now.Before(p.starts[i].Add(time.Minute)) {
		i++
	}
	p.starts = p.starts[i:]
}
