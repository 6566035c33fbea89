package discordsim

import (
	"encoding/json"
	"time"
)

func (s *Server) interval() time.Duration {
	if s.HeartbeatInterval == 0 {
		return 41250 * time.Millisecond
	}
	return s.HeartbeatInterval
}

// watch ends the connection of a client that stays silent for too long (F15).
func (s *Server) watch(c *conn) {
	s.cancel(c.beat)
	grace := s.HeartbeatGrace
	if grace == 0 {
		grace = s.interval() / 2
	}
	if grace < 0 {
		return
	}
	c.beat = s.after(s.interval()+grace, func() {
		if s.HeartbeatCut {
			s.cutConn(c)
			return
		}
		s.closeConn(c, closeUnknown, "heartbeats stopped")
	})
}

// heartbeat answers op 1. Its d is null or a number (F17).
func (s *Server) heartbeat(c *conn, d json.RawMessage) {
	var seq *int64
	if err := json.Unmarshal(d, &seq); err != nil && len(d) > 0 {
		s.closeConn(c, closeDecode, "Error while decoding payload.")
		return
	}
	c.info.Heartbeats = append(c.info.Heartbeats, Heartbeat{At: s.now(), Seq: seq})
	s.watch(c)
	at := c.subject()
	if s.strike(NoAck, at) != nil {
		return
	}
	if f := s.strike(LateAck, at); f != nil {
		s.after(s.pause(f), func() { c.sendOp(opAck, nil) })
		return
	}
	c.sendOp(opAck, nil)
}
