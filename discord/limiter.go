package discord

import (
	"context"
	"sync"
	"time"
)

// limiter runs a schedule on the clock. It holds its lock only to think, never to wait, and needs no goroutine.
type limiter struct {
	mu    sync.Mutex
	s     *schedule
	timer *time.Timer
}

// acquire waits until the request may be sent. After nil, done or dropped must be called. Errors are the context's, or
// wrap [gapless.ErrUnavailable] when the wait would be too long.
func (l *limiter) acquire(ctx context.Context, t *ticket) error {
	t.ready = make(chan struct{})
	l.do(func() { l.s.ask(t) })
	select {
	case <-t.ready:
		return t.err
	case <-ctx.Done():
	}
	l.do(func() {
		if !l.s.withdraw(t) && t.err == nil {
			t.bucket.flying--
		}
	})
	return context.Cause(ctx)
}

// done reports the answer of a request.
func (l *limiter) done(t *ticket, a answer) {
	l.do(func() { l.s.answered(t, a, time.Now()) })
}

// dropped reports that a request got no answer.
func (l *limiter) dropped(t *ticket) { l.do(func() { t.bucket.unanswered() }) }

// do changes the schedule and lets go whoever may go after it.
func (l *limiter) do(change func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change()
	now := time.Now()
	gone, wake := l.s.grant(now)
	for _, t := range gone {
		close(t.ready)
	}
	if l.timer != nil {
		l.timer.Stop()
		l.timer = nil
	}
	if !wake.IsZero() {
		l.timer = time.AfterFunc(wake.Sub(now), func() { l.do(func() {}) })
	}
}

// load is the queue's length, the count of the guard and the end of a global pause, if one is on.
func (l *limiter) load() (waiting, invalid int, paused time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if now.Before(l.s.paused) {
		paused = l.s.paused
	}
	return len(l.s.waiting), l.s.guard.total(now), paused
}
