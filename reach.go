package gapless

import (
	"sync"
	"time"
)

// reach knows whether the handler can be reached. While it cannot, one lane at
// a time asks again, with back-off, and all others wait: a downstream that is
// away costs no delivery an attempt (DESIGN 4).
type reach struct {
	mu     sync.Mutex
	misses int // unreachable answers in a row
	until  time.Time
	asking bool
	asked  time.Time
}

// askFor is how long one lane's turn may keep the others from asking too: a
// handler that takes longer than this has evidently been reached.
const askFor = 5 * time.Second

// enter reports whether a turn may be claimed at now, and if not when to ask.
func (r *reach) enter(now time.Time) (ok bool, again time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.misses == 0:
		return true, time.Time{}
	case now.Before(r.until):
		return false, r.until
	case r.asking && now.Before(r.asked.Add(askFor)):
		return false, r.asked.Add(askFor)
	}
	r.asking, r.asked = true, now
	return true, time.Time{}
}

// leave ends what enter allowed without having met the handler.
func (r *reach) leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asking = false
}

// met records that the handler was reached; back is true if it had not been.
func (r *reach) met() (back bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	back = r.misses > 0
	r.misses, r.asking = 0, false
	return back
}

// missed records that it was not, and says how long to wait. first is true if
// it had been reachable until now.
func (r *reach) missed(now time.Time, jitter float64) (wait time.Duration, first bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	first, r.asking = r.misses == 0, false
	if !first && now.Before(r.until) {
		return r.until.Sub(now), false // a turn that was under way when another one missed
	}
	r.misses++
	wait = reachRetry.Backoff(r.misses, jitter)
	r.until = now.Add(wait)
	return wait, first
}

// reachRetry is how often a handler that cannot be reached is asked again.
var reachRetry = Retry{Base: 500 * time.Millisecond, Ceiling: 3 * time.Second}
