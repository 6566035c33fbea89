package discord

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/coder/websocket"

	"gapless"
	"gapless/internal/wire"
)

// read reads frames until the connection ends. It waits for the queue in front of the sink and for nothing else.
func (c *connection) read() {
	for {
		payload, err := c.next()
		if err != nil {
			c.signal(signal{err: err})
			return
		}
		if payload == nil {
			continue
		}
		now := time.Now()
		frame, err := wire.ParseFrame(payload)
		switch {
		case err != nil:
			c.hand(item{broken: true, origin: c.origin, at: now})
		case frame.Op == wire.OpDispatch:
			c.dispatch(frame, now)
		case frame.Op == wire.OpHeartbeatAck:
			c.pulse.ack(now)
			c.g.acknowledged(&c.pulse, c.settled.Load())
		default:
			c.signal(signal{frame: frame})
		}
	}
}

// next reads one payload; nil if what came completes none.
func (c *connection) next() ([]byte, error) {
	kind, from, err := c.ws.Reader(context.Background()) // what ends the reading is the end of the connection
	if err == nil {
		c.scratch.Reset()
		_, err = c.scratch.ReadFrom(from)
	}
	data := c.scratch.Bytes()
	switch {
	case err != nil:
		return nil, fmt.Errorf("read from the gateway: %w", err)
	case kind == websocket.MessageText:
		data = bytes.Clone(data)
	case c.stream != nil:
		data, err = c.stream.add(data)
	default:
		data, err = inflate(data, int(c.g.cfg.ReadLimit))
	}
	if c.scratch.Cap() > maxScratch {
		c.scratch = bytes.Buffer{}
	}
	return data, err
}

// maxScratch is how large a buffer is kept for the next payload; the guilds of a start are larger.
const maxScratch = 256 << 10

// dispatch hands an event over and watches the sequence (protocol A14). What comes between our resume and RESUMED is
// replayed; a sequence seen before is handed over all the same, as deciding about ids is not the gateway's business.
func (c *connection) dispatch(f wire.Frame, now time.Time) {
	it := item{frame: f, origin: c.origin, at: now}
	if c.g.intake.behind() {
		it.decode()
	}
	switch {
	case f.Type == "READY":
		c.last = f.Seq
	case f.Seq > c.last+1:
		it.jump = fmt.Sprintf("from %d to %d", c.last, f.Seq)
	}
	c.last = max(c.last, f.Seq)
	if !c.hand(it) {
		return
	}
	c.dispatched.Store(time.Now().UnixNano())
	if f.Type == "READY" || f.Type == "RESUMED" {
		c.origin = gapless.OriginLive
		c.signal(signal{frame: f})
	}
}

// hand queues an item for the sink and waits if the queue is full, which is not held against Discord. It reports
// whether the item was taken; after stop nothing is.
func (c *connection) hand(it item) bool {
	select {
	case <-c.stop:
		return false
	default:
	}
	c.g.heard(it.at)
	select {
	case c.g.intake.queue <- it:
		return true
	default:
	}
	c.pulse.hold(time.Now())
	defer func() { c.pulse.release(time.Now()) }()
	select {
	case c.g.intake.queue <- it:
		return true
	case <-c.stop:
		return false
	case <-c.g.intake.failed:
		return false
	}
}

func (c *connection) signal(s signal) {
	select {
	case c.signals <- s:
	case <-c.stop:
	}
}
