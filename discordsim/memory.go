package discordsim

import (
	"context"
	"net"
	"net/http"
	"sync"
	"syscall"
)

// Memory is a network in memory: a listener for Serve and dialers for clients. Its connections have buffers,
// deadlines and resets like TCP's but make no system calls, so a goroutine waiting on one is durably blocked
// and a synctest bubble can move its clock on. Make it inside the bubble that uses it.
type Memory struct {
	waiting chan net.Conn
	closed  chan struct{}
	once    sync.Once
	direct  *Dialer

	mu      sync.Mutex
	dialers []*Dialer
}

// NewMemory returns a network without connections.
func NewMemory() *Memory {
	m := &Memory{waiting: make(chan net.Conn, 1024), closed: make(chan struct{})}
	m.direct = m.Dialer()
	return m
}

// Accept waits for the next connection, as net.Listener does. After Close it returns net.ErrClosed.
func (m *Memory) Accept() (net.Conn, error) {
	select {
	case <-m.closed:
		return nil, net.ErrClosed
	case c := <-m.waiting:
		return c, nil
	}
}

// Close ends the listener and cuts every connection of every dialer. It may be called more than once.
func (m *Memory) Close() error {
	m.once.Do(func() { close(m.closed) })
	m.Cut()
	return nil
}

// Addr is a made-up address.
func (m *Memory) Addr() net.Addr { return memoryAddr("discord.test:80") }

// DialContext opens a connection through the network's own dialer; the address does not matter.
func (m *Memory) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	return m.direct.DialContext(ctx, network, addr)
}

// Client is an HTTP client that reaches this network whatever host its URLs name.
func (m *Memory) Client() *http.Client { return m.direct.Client() }

// Cut resets every open connection: both sides fail with ECONNRESET, and bytes on their way are lost (G28).
func (m *Memory) Cut() {
	m.mu.Lock()
	dialers := m.dialers
	m.mu.Unlock()
	for _, d := range dialers {
		d.Cut()
	}
}

// Dialer returns a new dialer with connections of its own: one for each process a test plays, so that one of
// them can be cut off while the others talk on.
func (m *Memory) Dialer() *Dialer {
	d := &Dialer{memory: m}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.dialers = append(m.dialers, d)
	return d
}

// Dialer opens connections to a Memory and can take them all away.
type Dialer struct {
	memory *Memory

	mu     sync.Mutex
	down   bool
	frozen bool
	conns  []*memoryConn
}

// DialContext opens a connection; network and address do not matter. It fails with ECONNREFUSED while the
// dialer is down or the listener closed, and with the context's error when that ends first.
func (d *Dialer) DialContext(ctx context.Context, _, _ string) (net.Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	near, far, err := d.open()
	if err != nil {
		return nil, err
	}
	select {
	case <-d.memory.closed:
		return nil, refused()
	default:
	}
	select {
	case <-d.memory.closed:
		return nil, refused()
	case <-ctx.Done():
		return nil, ctx.Err()
	case d.memory.waiting <- far:
		return near, nil
	}
}

func (d *Dialer) open() (near, far *memoryConn, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.down {
		return nil, nil, refused()
	}
	near, far = newMemoryConns()
	near.freeze(d.frozen)
	far.freeze(d.frozen)
	alive := d.conns[:0]
	for _, c := range d.conns {
		if !c.ended() {
			alive = append(alive, c)
		}
	}
	d.conns = append(alive, near)
	return near, far, nil
}

// Client is an HTTP client that dials here.
func (d *Dialer) Client() *http.Client {
	return &http.Client{Transport: &http.Transport{DialContext: d.DialContext}}
}

// Cut resets the open connections of this dialer; new ones may be opened at once.
func (d *Dialer) Cut() {
	d.mu.Lock()
	conns := d.conns
	d.conns = nil
	d.mu.Unlock()
	for _, c := range conns {
		_ = c.Reset()
	}
}

// Down cuts the connections and refuses new ones until called with false: a process that lost its network,
// or whose last breath must not reach anybody (G61).
func (d *Dialer) Down(down bool) {
	d.mu.Lock()
	d.down = down
	d.mu.Unlock()
	if down {
		d.Cut()
	}
}

// Freeze holds back all bytes of this dialer's connections, in both directions and without an error, until
// called with false: a half-open connection (G28).
func (d *Dialer) Freeze(frozen bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.frozen = frozen
	for _, c := range d.conns {
		c.freeze(frozen)
	}
}

func refused() error {
	return &net.OpError{Op: "dial", Net: "memory", Err: syscall.ECONNREFUSED}
}

type memoryAddr string

func (memoryAddr) Network() string  { return "memory" }
func (a memoryAddr) String() string { return string(a) }
