package discordsim

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// pipe carries bytes one way. Its buffer has no bound: a writer never waits, as a test's frames are small.
type pipe struct {
	mu       sync.Mutex
	change   *sync.Cond
	buf      []byte
	ended    bool  // the writer closed: what is buffered may still be read
	broken   error // nothing more may be read
	refuses  error // nothing more may be written
	frozen   bool
	deadline time.Time // of the reader
	timer    *time.Timer
}

func newPipe() *pipe {
	p := &pipe{}
	p.change = sync.NewCond(&p.mu)
	return p
}

func (p *pipe) read(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		switch {
		case p.broken != nil:
			return 0, p.broken
		case !p.deadline.IsZero() && !time.Now().Before(p.deadline):
			return 0, os.ErrDeadlineExceeded
		case len(p.buf) > 0 && !p.frozen:
			n := copy(b, p.buf)
			p.buf = p.buf[n:]
			return n, nil
		case p.ended && !p.frozen:
			return 0, io.EOF
		}
		p.change.Wait()
	}
}

func (p *pipe) write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.refuses != nil {
		return 0, p.refuses
	}
	p.buf = append(p.buf, b...)
	p.change.Broadcast()
	return len(b), nil
}

func (p *pipe) set(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
	p.change.Broadcast()
}

func (p *pipe) setDeadline(t time.Time) {
	p.set(func() {
		p.deadline = t
		if p.timer != nil {
			p.timer.Stop()
			p.timer = nil
		}
		if wait := time.Until(t); !t.IsZero() && wait > 0 {
			p.timer = time.AfterFunc(wait, func() { p.set(func() {}) })
		}
	})
}

// memoryConn is one end of a connection in memory.
type memoryConn struct {
	in, out *pipe

	mu            sync.Mutex
	writeDeadline time.Time
}

func newMemoryConns() (near, far *memoryConn) {
	a, b := newPipe(), newPipe()
	return &memoryConn{in: a, out: b}, &memoryConn{in: b, out: a}
}

func (c *memoryConn) Read(b []byte) (int, error) { return c.in.read(b) }

func (c *memoryConn) Write(b []byte) (int, error) {
	c.mu.Lock()
	late := !c.writeDeadline.IsZero() && !time.Now().Before(c.writeDeadline)
	c.mu.Unlock()
	if late {
		return 0, os.ErrDeadlineExceeded
	}
	return c.out.write(b)
}

// Close ends this side: the peer reads what is buffered and then the end.
func (c *memoryConn) Close() error {
	c.in.setDeadline(time.Time{})
	c.in.set(func() {
		c.in.buf = nil
		if c.in.broken == nil {
			c.in.broken = net.ErrClosed
		}
		c.in.refuses = syscall.EPIPE
	})
	c.out.set(func() {
		c.out.ended = true
		if c.out.refuses == nil {
			c.out.refuses = net.ErrClosed
		}
	})
	return nil
}

// Reset breaks both directions at once and throws away what is buffered.
func (c *memoryConn) Reset() error {
	for _, p := range []*pipe{c.in, c.out} {
		p.setDeadline(time.Time{})
		p.set(func() {
			p.buf = nil
			reset := &net.OpError{Op: "read", Net: "memory", Err: syscall.ECONNRESET}
			if p.broken == nil {
				p.broken = reset
			}
			if p.refuses == nil {
				p.refuses = &net.OpError{Op: "write", Net: "memory", Err: syscall.ECONNRESET}
			}
		})
	}
	return nil
}

func (c *memoryConn) ended() bool {
	c.in.mu.Lock()
	defer c.in.mu.Unlock()
	return c.in.broken != nil
}

func (c *memoryConn) freeze(frozen bool) {
	for _, p := range []*pipe{c.in, c.out} {
		p.set(func() { p.frozen = frozen })
	}
}

func (c *memoryConn) LocalAddr() net.Addr  { return memoryAddr("127.0.0.1:1") }
func (c *memoryConn) RemoteAddr() net.Addr { return memoryAddr("127.0.0.1:2") }

func (c *memoryConn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

func (c *memoryConn) SetReadDeadline(t time.Time) error {
	c.in.setDeadline(t)
	return nil
}

func (c *memoryConn) SetWriteDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.writeDeadline = t
	return nil
}
