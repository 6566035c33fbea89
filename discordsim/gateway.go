package discordsim

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Gateway opcodes (protocol A4).
const (
	opDispatch    = 0
	opHeartbeat   = 1
	opIdentify    = 2
	opPresence    = 3
	opVoiceState  = 4
	opResume      = 6
	opReconnect   = 7
	opMembers     = 8
	opInvalid     = 9
	opHello       = 10
	opAck         = 11
	opSoundboard  = 31
	opChannelInfo = 43
)

// Close codes (protocol A13).
const (
	closeUnknown         = 4000
	closeUnknownOpcode   = 4001
	closeDecode          = 4002
	closeNotIdentified   = 4003
	closeAuthFailed      = 4004
	closeIdentifiedTwice = 4005
	closeInvalidSeq      = 4007
	closeRateLimited     = 4008
	closeInvalidShard    = 4010
	closeShardingNeeded  = 4011
	closeVersion         = 4012
	closeInvalidIntents  = 4013
	closeDisallowed      = 4014
)

// serveGateway takes a connection from upgrade to end. It answers on every path (F28).
func (s *Server) serveGateway(w http.ResponseWriter, r *http.Request) {
	if s.refuseUpgrade(w, r) {
		return
	}
	under, in, err := upgrade(w, r)
	if err != nil {
		return
	}
	c := s.open(r, under, in)
	var writer sync.WaitGroup
	writer.Go(c.write)
	c.read()
	s.lock()
	s.part(c)
	s.mu.Unlock()
	c.hangUp()
	writer.Wait()
	_ = under.Close()
}

// open registers a connection, says Hello and starts to watch its heartbeats.
func (s *Server) open(r *http.Request, under net.Conn, in *bufio.Reader) *conn {
	s.lock()
	defer s.mu.Unlock()
	query := r.URL.Query()
	c := &conn{s: s, net: under, in: in, host: r.Host, gone: make(chan struct{})}
	c.wake = sync.NewCond(&c.mu)
	c.squeeze, _ = newSqueezer(query.Get("compress")) // refuseUpgrade let known names pass only
	s.gate.nextConn++
	c.info = &Connection{Number: s.gate.nextConn, Opened: s.now(), Path: r.URL.Path, Query: r.URL.RawQuery,
		ClientClose: -1, ServerClose: -1}
	s.truth.connections = append(s.truth.connections, c.info)
	s.gate.conns = append(s.gate.conns, c)
	if s.closed {
		c.over = true
		return c
	}
	if _, err := fmt.Sscanf(query.Get("v"), "%d", &c.version); err != nil {
		c.version = 10 // what Discord takes when nothing is said is of no interest to any client here
	}
	switch {
	case c.version < 6 || c.version > 10:
		s.closeConn(c, closeVersion, "Invalid API version.")
	case query.Get("encoding") == "etf":
		s.closeConn(c, closeDecode, "etf is not simulated")
	case s.strike(NoHello, Match{}) != nil:
	case s.strike(HelloReconnect, Match{}) != nil:
		c.sendOp(opReconnect, nil)
	default:
		c.sendOp(opHello, object{"heartbeat_interval": s.interval().Milliseconds(), "_trace": []string{"[\"sim\"]"}})
		s.watch(c)
	}
	return c
}

// part forgets a connection that has ended.
func (s *Server) part(c *conn) {
	s.detach(c)
	s.cancel(c.beat)
	c.closing = true
	if c.info.Closed.IsZero() {
		c.info.Closed = s.now()
	}
	s.gate.conns = slices.DeleteFunc(s.gate.conns, func(o *conn) bool { return o == c })
}

// read takes the client's frames until the connection ends.
func (c *conn) read() {
	limit := c.s.FrameLimit
	if limit == 0 {
		limit = 4096
	}
	var message []byte
	for {
		op, fin, payload, err := readFrame(c.in, limit)
		if errors.Is(err, errFrameTooBig) {
			c.s.lock()
			c.s.closeConn(c, closeDecode, "payload too big")
			c.s.mu.Unlock()
			c.drain()
		}
		if err != nil {
			return
		}
		switch op {
		case wsClose:
			c.s.clientClosed(c, payload)
		case wsPing:
			c.s.lock()
			c.put(outgoing{op: wsPong, data: payload})
			c.s.mu.Unlock()
		case wsText, wsBinary, wsContinuation:
			c.s.dawdle(c, len(payload))
			message = append(message, payload...)
			if fin {
				c.s.receive(c, message)
				message = nil
			}
		}
	}
}

// drain reads on until the client has seen our close frame.
func (c *conn) drain() {
	buf := make([]byte, 4096)
	for {
		if _, err := c.in.Read(buf); err != nil {
			return
		}
	}
}

// clientClosed takes a close frame. 1000 and 1001 destroy the session, unless they only answer ours (F20).
func (s *Server) clientClosed(c *conn, payload []byte) {
	s.lock()
	defer s.mu.Unlock()
	code := closeCode(payload)
	c.info.ClientClose = code
	if !c.closing {
		if sess := c.sess; sess != nil && (code == 1000 || code == 1001) {
			s.end(sess, fmt.Sprintf("client closed with %d", code))
		}
		s.detach(c)
		c.put(outgoing{op: wsClose, data: payload})
		c.closing = true
	}
	if s.strike(KeepTCP, c.subject()) == nil {
		c.put(outgoing{finish: true}) // F29: TCP ends with the handshake
	}
}

// receive takes one payload of the client.
func (s *Server) receive(c *conn, data []byte) {
	s.lock()
	defer s.mu.Unlock()
	if c.closing {
		return
	}
	if s.tooFast(c) {
		s.closeConn(c, closeRateLimited, "Rate limited.")
		return
	}
	var p struct {
		Op *int            `json:"op"`
		D  json.RawMessage `json:"d"`
	}
	if err := json.Unmarshal(data, &p); err != nil || p.Op == nil {
		s.closeConn(c, closeDecode, "Error while decoding payload.")
		return
	}
	switch *p.Op {
	case opHeartbeat:
		s.heartbeat(c, p.D)
	case opIdentify:
		s.identify(c, p.D)
	case opResume:
		s.resume(c, p.D)
	case opPresence, opVoiceState, opMembers, opSoundboard, opChannelInfo:
		switch {
		case c.sess == nil:
			s.closeConn(c, closeNotIdentified, "Not authenticated.")
		case *p.Op == opMembers:
			s.requestMembers(c, p.D)
		}
	default:
		s.closeConn(c, closeUnknownOpcode, "Unknown opcode.")
	}
}

func (s *Server) tooFast(c *conn) bool {
	limit := s.FrameRate
	if limit == 0 {
		limit = 120
	}
	now := time.Now()
	c.recent = slices.DeleteFunc(c.recent, func(t time.Time) bool { return now.Sub(t) >= time.Minute })
	c.recent = append(c.recent, now)
	return limit > 0 && len(c.recent) > limit
}

// invalidate sends op 9. The socket stays usable; the session, if it may not be resumed, is gone (F25).
func (s *Server) invalidate(c *conn, resumable bool) {
	sess := c.sess
	s.detach(c)
	if sess != nil && !resumable {
		s.end(sess, "invalidated")
	}
	c.sendOp(opInvalid, resumable)
}
