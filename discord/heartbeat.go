package discord

import (
	"context"
	"errors"
	"sync"
	"time"

	"gapless/internal/wire"
)

var (
	errZombie    = errors.New("discord has stopped acknowledging heartbeats")
	errClockJump = errors.New("the host's clock jumped: the machine slept, and the connection with it (C136)")
)

const (
	clockJump    = 5 * time.Second // more wall time than running time between two heartbeats means that the host slept
	beatSpacing  = time.Second     // heartbeats asked for faster than this are answered once (protocol A15)
	writeTimeout = 10 * time.Second
)

// pulse keeps account of heartbeats and their acknowledgements.
type pulse struct {
	mu      sync.Mutex
	owed    time.Time     // when the oldest heartbeat without acknowledgement was sent; zero: none
	owedAt  time.Duration // held at that time
	sent    time.Time     // the last heartbeat
	acked   time.Time     // the last acknowledgement
	latency time.Duration

	held  time.Duration // how long our own back-pressure has kept the reader from reading
	since time.Time     // since when it does now; zero: it does not
}

func (p *pulse) beat(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sent = now
	if p.owed.IsZero() {
		p.owed, p.owedAt = now, p.heldBy(now)
	}
}

func (p *pulse) ack(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.sent.IsZero() {
		p.latency = now.Sub(p.sent)
	}
	p.acked, p.owed = now, time.Time{}
}

func (p *pulse) hold(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.since = now
}

func (p *pulse) release(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held, p.since = p.heldBy(now), time.Time{}
}

// holding reports whether our own back-pressure keeps the reader from reading now.
func (p *pulse) holding() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.since.IsZero()
}

func (p *pulse) heldBy(now time.Time) time.Duration {
	if p.since.IsZero() {
		return p.held
	}
	return p.held + now.Sub(p.since)
}

// silence is how long an acknowledgement is overdue that we could have read.
func (p *pulse) silence(now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.owed.IsZero() {
		return 0
	}
	return now.Sub(p.owed) - (p.heldBy(now) - p.owedAt)
}

// last is when the last acknowledgement came, and how long after its heartbeat.
func (p *pulse) last() (at time.Time, latency time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.acked, p.latency
}

// crowded reports whether the last heartbeat was so recent that another one would be a burst.
func (p *pulse) crowded(now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.sent.IsZero() && now.Sub(p.sent) < beatSpacing
}

// heart sends a heartbeat after first and then one every interval, until ctx ends. It reports a connection that
// has died: no acknowledgement between two of its own heartbeats (protocol A5), or a host that has slept.
func (c *connection) heart(ctx context.Context, first, interval time.Duration) {
	timer := time.NewTimer(first)
	defer timer.Stop()
	before, wall := time.Now(), c.g.wall()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		now, nowWall := time.Now(), c.g.wall()
		slept := nowWall.Round(0).Sub(wall.Round(0)) - now.Sub(before)
		before, wall = now, nowWall
		switch {
		case slept > clockJump:
			c.die(errClockJump)
			return
		case c.pulse.silence(now) >= interval:
			c.die(errZombie)
			return
		}
		timer.Reset(interval)
		c.heartbeat(now)
	}
}

// die reports the connection as dead; the first report counts.
func (c *connection) die(err error) {
	select {
	case c.dead <- err:
	default:
	}
}

// heartbeat sends one heartbeat with the stored sequence. A write that fails closes the connection, which the reader
// reports.
func (c *connection) heartbeat(now time.Time) {
	c.pulse.beat(now)
	_ = c.write(wire.HeartbeatFrame(c.g.intake.stored().Seq))
}
