package discordsim

import (
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Server is a Discord: its zero value is ready. Fields are knobs, to be set before Serve; methods may be
// called at any time and from any goroutine.
type Server struct {
	// Seed feeds session ids, tokens and the dice of faults. Zero is a seed like any other.
	Seed uint64

	// HeartbeatInterval is what Hello asks for. If zero, 41.25 s (F4).
	HeartbeatInterval time.Duration
	// HeartbeatGrace is how much longer than the interval a client may stay silent before the connection is
	// closed; the session stays (F15). If zero, half the interval; if negative, for ever.
	HeartbeatGrace time.Duration
	// HeartbeatCut makes a silent client's connection be reset instead of closed with 4000.
	HeartbeatCut bool

	// SessionTTL is how long a session without a connection can be resumed (F21). If zero, 90 s; if negative,
	// for ever.
	SessionTTL time.Duration
	// BufferSize is how many dispatches a session keeps for replay (F22). If zero,
	// max(100, min(3500, guilds*75)); if negative, all.
	BufferSize int

	// MaxConcurrency is how many shards may identify in one IdentifyInterval (F11). If zero, 1.
	MaxConcurrency int
	// IdentifyInterval is the least time between two identifies of one key. If zero, 5 s; if negative, none.
	IdentifyInterval time.Duration
	// SessionStarts is how many identifies a bot has in a day before its token is reset (F12). If zero, 1000.
	SessionStarts int
	// Shards is what /gateway/bot recommends. If zero, 1.
	Shards int
	// GuildsPerShard is the most guilds a shard may hold before 4011 (F9). If zero, 2500.
	GuildsPerShard int

	// GuildDelay is the time between READY and the first GUILD_CREATE, and between each two of them (F30).
	// Until its GUILD_CREATE nothing of a guild reaches the session. If zero, they follow at once.
	GuildDelay time.Duration
	// FrameLimit is the most bytes a client's frame may have before 4002 (F10). If zero, 4096.
	FrameLimit int
	// FrameRate is how many frames a client may send in 60 s before 4008 (F13). If zero, 120; if negative, any.
	FrameRate int
	// Pace makes each frame leave in an instant of its own, Pace apart over all connections: one nanosecond
	// makes the order between connections repeatable in a bubble. If zero, frames leave at once.
	Pace time.Duration
	// ResumeURL replaces the resume_gateway_url of READY (G32). If empty, /resume/ on this server.
	ResumeURL string

	// NonceWindow is how long enforce_nonce recognises an earlier message (F57). If zero, 3 minutes.
	NonceWindow time.Duration
	// Unfurl is how long after a message with a link its MESSAGE_UPDATE with the preview comes (F48). If zero,
	// 400 ms; if negative, never.
	Unfurl time.Duration

	// SlowBots makes bots wait in slow mode as users do. If false, they do not.
	SlowBots bool

	// NoLimits switches off rate limits, their headers and the count of invalid requests.
	NoLimits bool
	// Limits replaces limits of routes, by method and template, such as "POST /channels/{channel}/messages".
	// If nil, the defaults of protocol C3 hold.
	Limits map[string]Limit
	// GlobalLimit is how many requests a bot may make in a second (F73). If zero, 50; if negative, any.
	GlobalLimit int
	// InvalidLimit is how many answers of 401, 403 and 429 in ten minutes bring a ban (F74). If zero, 10,000.
	InvalidLimit int
	// BanFor is the length of that ban. If zero, an hour.
	BanFor time.Duration

	// Habits are the ways of a server that is not Discord.
	Habits Habits

	// OnRequest is called for each REST request when it arrives, before anything is done about it and without
	// any lock held: a place to change the world between two pages (G50, G51). If nil, nothing happens.
	OnRequest func(Request)

	// Skew moves Discord's clock against the host's: ids, timestamps and Date headers carry it (G56).
	Skew time.Duration

	mu     sync.Mutex
	made   bool
	closed bool
	paused bool
	rand   *rand.Rand
	lastID ID
	world  world
	gate   gate
	limits limiter
	faults faultBook
	truth  record
	taken  map[time.Time]bool // instants of scheduled deeds, so that no two share one
	timers map[*time.Timer]time.Time
	offset time.Duration // of the last scheduled deed from the round instant
	nets   map[*servedConn]struct{}
	https  []*http.Server
}

// ErrClosed is returned by Serve after Close.
var ErrClosed = errors.New("discordsim: server closed")

// lock takes the one lock and makes the server's maps when they are missing.
func (s *Server) lock() {
	s.mu.Lock()
	if s.made {
		return
	}
	s.made = true
	s.rand = rand.New(rand.NewPCG(s.Seed, s.Seed^0x9E3779B97F4A7C15))
	s.world = newWorld()
	s.gate = newGate()
	s.limits = newLimiter()
	s.faults = newFaultBook()
	s.truth = record{counts: map[string]int{}, open: map[sightKey]*Sight{}}
	s.taken = map[time.Time]bool{}
	s.timers = map[*time.Timer]time.Time{}
	s.nets = map[*servedConn]struct{}{}
}

// Serve answers REST and gateway connections of ln until Close, and then returns ErrClosed.
func (s *Server) Serve(ln net.Listener) error {
	hs := &http.Server{Handler: s, ErrorLog: log.New(io.Discard, "", 0)}
	s.lock()
	if s.closed {
		s.mu.Unlock()
		_ = ln.Close()
		return ErrClosed
	}
	s.https = append(s.https, hs)
	s.mu.Unlock()
	err := hs.Serve(&servedListener{Listener: ln, server: s})
	if errors.Is(err, http.ErrServerClosed) || errors.Is(err, net.ErrClosed) {
		return ErrClosed
	}
	return fmt.Errorf("serve %s: %w", ln.Addr(), err)
}

// Close cuts every connection, stops every timer and closes the listeners. It may be called more than once.
func (s *Server) Close() {
	s.lock()
	s.closed = true
	for t := range s.timers {
		t.Stop()
	}
	for _, c := range s.gate.conns {
		c.hangUp()
	}
	s.faults.liftAll()
	https := s.https
	s.https = nil
	s.mu.Unlock()
	for _, hs := range https {
		_ = hs.Close()
	}
	s.cutAll()
}

// Pause takes the whole service away: every connection is cut and every new one reset, until Unpause (G58).
func (s *Server) Pause() {
	s.lock()
	s.paused = true
	s.mu.Unlock()
	s.cutAll()
}

// Unpause ends what Pause began.
func (s *Server) Unpause() {
	s.lock()
	defer s.mu.Unlock()
	s.paused = false
}

func (s *Server) cutAll() {
	s.lock()
	conns := make([]*servedConn, 0, len(s.nets))
	for c := range s.nets {
		conns = append(conns, c)
	}
	for _, c := range s.gate.conns {
		s.detach(c)
	}
	s.mu.Unlock()
	for _, c := range conns {
		_ = c.Reset()
	}
}

// ServeHTTP routes a request to the gateway, the control door or the API.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch path := r.URL.Path; {
	case strings.HasPrefix(path, doorPath):
		s.serveControl(w, r)
	case r.Header.Get("Upgrade") != "":
		s.serveGateway(w, r)
	default:
		s.serveREST(w, r)
	}
}

// after runs deed under the lock, d from now and up to a microsecond later: at an instant that no other
// scheduled deed shares, and off the round instants that tests and clients wait for, so that in a bubble the
// order of what happens does not depend on the scheduler. The caller holds s.mu. Close cancels what has not run.
func (s *Server) after(d time.Duration, deed func()) *time.Timer {
	s.offset = (s.offset+7)%997 + 1
	due := time.Now().Add(max(0, d) + s.offset)
	for s.taken[due] {
		due = due.Add(1)
	}
	s.taken[due] = true
	var t *time.Timer
	t = time.AfterFunc(time.Until(due), func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.taken, due)
		delete(s.timers, t)
		if !s.closed {
			deed()
		}
	})
	s.timers[t] = due
	return t
}

// cancel stops a timer that after made. The caller holds s.mu.
func (s *Server) cancel(t *time.Timer) {
	if t != nil {
		t.Stop()
		delete(s.taken, s.timers[t])
		delete(s.timers, t)
	}
}

// servedListener knows its connections, so that they can be reset.
type servedListener struct {
	net.Listener
	server *Server
}

// Accept returns the next connection; while the service is paused it resets what comes.
func (l *servedListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		served := &servedConn{Conn: c, server: l.server}
		l.server.lock()
		away := l.server.paused || l.server.closed
		if !away {
			l.server.nets[served] = struct{}{}
		}
		l.server.mu.Unlock()
		if !away {
			return served, nil
		}
		_ = served.Reset()
	}
}

type servedConn struct {
	net.Conn
	server *Server
}

// Close forgets the connection and closes it.
func (c *servedConn) Close() error {
	c.forget()
	return c.Conn.Close()
}

// Reset ends the connection as a crashed host would: the peer gets ECONNRESET.
func (c *servedConn) Reset() error {
	c.forget()
	switch under := c.Conn.(type) {
	case interface{ Reset() error }:
		return under.Reset()
	case *net.TCPConn:
		_ = under.SetLinger(0)
	}
	return c.Conn.Close()
}

func (c *servedConn) forget() {
	c.server.lock()
	defer c.server.mu.Unlock()
	delete(c.server.nets, c)
}
