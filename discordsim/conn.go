package discordsim

import (
	"bufio"
	"errors"
	"net"
	"sync"
	"time"
)

// conn is one gateway connection. The goroutine that serves the request reads it; one more writes it.
type conn struct {
	s       *Server
	net     net.Conn
	in      *bufio.Reader
	host    string
	version int

	// guarded by Server.mu
	sess    *session
	bot     *bot // whoever identified here, also after the session went
	info    *Connection
	payload bool // Identify asked for compressed payloads
	closing bool // our close frame is queued, or the client's has come
	beat    *time.Timer
	recent  []time.Time // the client's frames of the last minute
	held    []byte      // a frame that waits to be overtaken

	mu    sync.Mutex
	wake  *sync.Cond
	queue []outgoing
	over  bool          // write nothing more
	gone  chan struct{} // closed when over

	squeeze squeezer // of the whole stream, owned by the writer; nil when it is not compressed
}

// outgoing is a frame, or with finish the end of the connection after all frames before it.
type outgoing struct {
	op     byte
	data   []byte
	squash bool // compress it as a payload of its own
	raw    bool // bytes for the wire, not a payload
	due    time.Time
	finish bool
	reset  bool // with finish: reset instead of closing
	rate   int  // bytes a second, zero for all at once
}

// subject is what faults of the connection match: the bot, once it is known.
func (c *conn) subject() Match {
	if c.bot == nil {
		return Match{}
	}
	return Match{Bot: c.bot.user.id}
}

// put queues what goes to the wire. The caller holds Server.mu.
func (c *conn) put(o outgoing) {
	if f := c.s.strike(Trickle, c.subject()); f != nil {
		o.rate = max(1, f.Rate)
	}
	if c.s.Pace > 0 {
		c.s.gate.lastDue = laterOf(time.Now(), c.s.gate.lastDue.Add(c.s.Pace))
		o.due = c.s.gate.lastDue
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.over {
		c.queue = append(c.queue, o)
		c.wake.Signal()
	}
}

func laterOf(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// compressFrom is the size from which payload compression is worth it; smaller frames stay text (A21).
const compressFrom = 512

// send queues a gateway payload.
func (c *conn) send(data []byte) {
	if c.closing {
		return
	}
	c.put(outgoing{op: wsText, data: data, squash: c.payload && len(data) >= compressFrom})
}

// sendOp queues a payload that is no dispatch.
func (c *conn) sendOp(op int, d any) {
	c.send(encode(object{"op": op, "d": d, "s": nil, "t": nil}))
}

// hangUp ends the connection without another word; it does not wait.
func (c *conn) hangUp() {
	c.mu.Lock()
	if !c.over {
		c.over = true
		close(c.gone)
	}
	c.wake.Signal()
	c.mu.Unlock()
	_ = c.net.SetDeadline(time.Unix(1, 0))
}

// write sends what is queued until the connection is over.
func (c *conn) write() {
	for {
		o, ok := c.next()
		if !ok {
			return
		}
		if wait := time.Until(o.due); !o.due.IsZero() && wait > 0 {
			time.Sleep(wait)
		}
		if o.finish {
			c.finish(o.reset)
			return
		}
		switch err := c.deliver(c.wire(o), o.rate); {
		case errors.Is(err, errHungUp): // what is queued tells how it ends
		case err != nil:
			c.finish(false)
			return
		}
	}
}

// errHungUp ends a slow write whose connection ended meanwhile.
var errHungUp = errors.New("connection ended")

// deliver writes bytes, in pieces when there is a rate.
func (c *conn) deliver(data []byte, rate int) error {
	write := func(piece []byte) error {
		_, err := c.net.Write(piece)
		return err
	}
	if rate == 0 {
		return write(data)
	}
	return trickle(data, rate, write, func(wait time.Duration) bool { return c.pause(wait) && !c.severed() })
}

// severed tells whether the connection is to be reset now, whatever has been written of a frame.
func (c *conn) severed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.queue) > 0 && c.queue[0].reset
}

func (c *conn) next() (outgoing, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.queue) == 0 && !c.over {
		c.wake.Wait()
	}
	if c.over {
		return outgoing{}, false
	}
	o := c.queue[0]
	c.queue = c.queue[1:]
	return o, true
}

func (c *conn) finish(reset bool) {
	if r, can := c.net.(interface{ Reset() error }); can && reset {
		_ = r.Reset()
		return
	}
	if tcp, can := c.net.(*net.TCPConn); can && reset {
		_ = tcp.SetLinger(0)
	}
	_ = c.net.Close()
}

// wire is a queue entry as bytes, compressed as the client asked.
func (c *conn) wire(o outgoing) []byte {
	switch {
	case o.raw:
		return o.data
	case o.op == wsText && c.squeeze != nil:
		return encodeFrame(wsBinary, c.squeeze(o.data))
	case o.squash:
		return encodeFrame(wsBinary, zlibPayload(o.data))
	}
	return encodeFrame(o.op, o.data)
}

// closeConn sends a close frame (without a code when it is zero) and lets the session go on without this
// connection. TCP is closed when the client answers, or after five seconds. The caller holds s.mu.
func (s *Server) closeConn(c *conn, code int, reason string) {
	if c.closing {
		return
	}
	s.detach(c)
	c.put(outgoing{op: wsClose, data: closePayload(code, reason)})
	c.closing = true
	c.info.ServerClose, c.info.Closed = code, s.now()
	s.cancel(c.beat)
	s.after(5*time.Second, c.hangUp)
}

// cutConn resets the connection. The caller holds s.mu.
func (s *Server) cutConn(c *conn) {
	s.detach(c)
	c.closing = true
	c.info.Cut, c.info.Closed = true, s.now()
	s.cancel(c.beat)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.queue = []outgoing{{finish: true, reset: true}}
	c.wake.Signal()
}

// finConn ends TCP after what is queued, without a close frame (G28).
func (s *Server) finConn(c *conn) {
	c.put(outgoing{finish: true})
	s.detach(c)
	c.closing = true
	c.info.Closed = s.now()
	s.cancel(c.beat)
}

// tearConn sends the first half of a payload's frame and then resets the connection (G28).
func (s *Server) tearConn(c *conn, data []byte) {
	whole := encodeFrame(wsText, data)
	c.put(outgoing{raw: true, data: whole[:len(whole)/2]})
	c.put(outgoing{finish: true, reset: true})
	s.detach(c)
	c.closing = true
	c.info.Cut, c.info.Closed = true, s.now()
	s.cancel(c.beat)
}
