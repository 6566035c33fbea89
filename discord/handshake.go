package discord

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/coder/websocket"

	"gapless"
	"gapless/internal/wire"
)

var (
	errNoHello   = errors.New("no Hello in time")
	errNoReady   = errors.New("no READY in time")
	errNoResumed = errors.New("no RESUMED in time")
	errReconnect = errors.New("discord asked to reconnect")
	errHello     = errors.New("a Hello without a heartbeat interval")
)

// converse speaks with Discord until the connection is to end. beat starts the heart.
func (c *connection) converse(ctx context.Context, beat func(first, interval time.Duration)) ending {
	began := time.Now()
	deadline := time.NewTimer(c.g.cfg.HelloTimeout)
	defer deadline.Stop()
	for {
		select {
		case <-ctx.Done():
			return ending{stopped: true, err: context.Cause(ctx)}
		case <-c.g.intake.failed:
			return ending{stopped: true, err: c.g.intake.err}
		case err := <-c.dead:
			return ending{err: err}
		case why := <-c.g.doubt:
			return ending{err: errors.New(why)}
		case now := <-deadline.C:
			left, err := c.overdue(now, began)
			if err != nil {
				return ending{err: err}
			}
			deadline.Reset(left)
		case s := <-c.signals:
			if end, over := c.answer(ctx, s, beat); over {
				return end
			}
			switch {
			case !c.ready.IsZero():
				deadline.Stop()
			case s.frame.Op == wire.OpHello:
				deadline.Reset(c.g.cfg.ReadyTimeout)
			}
		}
	}
}

// overdue says what has not come in time. A replay may take long as long as it moves, or as it is we who hold it up.
func (c *connection) overdue(now, began time.Time) (left time.Duration, err error) {
	switch {
	case !c.heard:
		return 0, errNoHello
	case c.session.ID == "":
		return 0, errNoReady
	}
	if c.pulse.holding() {
		return c.g.cfg.ReadyTimeout, nil
	}
	moved := time.Unix(0, c.dispatched.Load())
	left = c.g.cfg.ReadyTimeout - now.Sub(moved)
	if left <= 0 || now.Sub(began) > 10*c.g.cfg.ReadyTimeout {
		return 0, errNoResumed
	}
	return left, nil
}

// answer does what a frame asks for; over says that the connection is to end.
func (c *connection) answer(ctx context.Context, s signal, beat func(first, interval time.Duration)) (end ending, over bool) {
	if s.err != nil {
		return c.lost(s.err), true
	}
	switch s.frame.Op {
	case wire.OpHello:
		return c.hello(ctx, s.frame, beat)
	case wire.OpHeartbeat:
		if now := time.Now(); !c.pulse.crowded(now) {
			c.heartbeat(now)
		}
	case wire.OpReconnect:
		return ending{err: errReconnect}, true
	case wire.OpInvalidSession:
		return c.invalid(s.frame), true
	case wire.OpDispatch:
		c.established(s.frame.Type)
	}
	return ending{}, false
}

// hello starts the heart and resumes or identifies.
func (c *connection) hello(ctx context.Context, f wire.Frame, beat func(first, interval time.Duration)) (end ending, over bool) {
	if c.heard {
		return ending{}, false
	}
	interval := f.HeartbeatInterval()
	if interval <= 0 {
		return ending{err: errHello}, true
	}
	c.heard = true
	beat(time.Duration(c.g.random.Float64()*float64(interval)), interval)
	if c.session.ID != "" {
		c.g.become(StateResuming, "")
		c.g.count(func(s *Status) { s.Resumes++ })
		err := c.write(wire.ResumeFrame(c.g.token, c.session.ID, c.session.Seq))
		return ending{err: err}, err != nil
	}
	if err := c.g.spend(ctx); err != nil {
		return ending{err: err, stopped: true}, true
	}
	c.g.become(StateIdentifying, "")
	c.g.count(func(s *Status) { s.Identifies++ })
	identify := wire.Identify{Token: c.g.token, Intents: c.g.cfg.Intents, Shard: c.g.cfg.Shard, Shards: c.g.cfg.Shards}
	err := c.write(identify.Frame())
	c.g.turns.leave(c.g.cfg.Shard)
	return ending{err: err}, err != nil
}

// established notes that the session stands.
func (c *connection) established(how string) {
	if !c.ready.IsZero() {
		return
	}
	c.ready = time.Now()
	c.settled.Store(true)
	c.g.become(StateReady, "")
	c.g.log.Info("gateway session stands", "by", how)
}

// invalid is op 9: the session may be resumed, or there is none any more (C09). Discord wants a random second to five
// before the next identify (protocol A11), and what it has just refused is not asked for again at once either.
func (c *connection) invalid(f wire.Frame) ending {
	end := ending{forget: !f.Resumable(), err: fmt.Errorf("invalid session, resumable: %t", f.Resumable())}
	if end.forget || c.ready.IsZero() {
		end.wait = time.Second + time.Duration(c.g.random.Int64N(int64(4*time.Second)))
	}
	return end
}

// lost is the end of the connection by the other side or the network.
func (c *connection) lost(err error) ending {
	end := ending{err: err, remote: true}
	if closed, ok := errors.AsType[websocket.CloseError](err); ok {
		end.closed = true
		verdict := rule(int(closed.Code), c.g.cfg.Intents)
		end.forget, end.final = verdict.forget, verdict.final
		end.err = fmt.Errorf("discord closed the connection: %d %s", closed.Code, closed.Reason)
	}
	return end
}

// drain hands over what is queued and leaves a last checkpoint, within the time for it.
func (g *Gateway) drain(ctx context.Context) {
	ctx, cancel := context.WithTimeoutCause(ctx, g.cfg.DrainTimeout, errors.New("the ledger took too long"))
	defer cancel()
	if err := g.intake.put(ctx, func(s *gapless.Session) { s.State = string(StateStopped) }); err != nil {
		g.log.Warn("stopping with frames not stored; the next start gets them again", "error", err)
	}
}
