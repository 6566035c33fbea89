package discordsim

import (
	"slices"
	"time"
)

// replay sends what a session missed with its original s, then RESUMED with its own (F19).
func (s *Server) replay(sess *session, c *conn, seq int64) (result string, replayed int) {
	missed := sess.missed(seq)
	at := Match{Bot: sess.bot.user.id}
	if s.strike(ReplayReverse, at) != nil {
		slices.Reverse(missed)
	}
	if f := s.strike(ReplaySlow, at); f != nil {
		return s.replaySlowly(sess, c, missed, f)
	}
	for _, k := range missed {
		stop, sent := s.replayOne(c, k)
		replayed += sent
		switch stop {
		case ReplayTruncate:
			s.resumed(sess)
			return "truncated", replayed
		case ReplayCut, ReplayReconnect:
			return "broken off", replayed
		}
	}
	s.resumed(sess)
	return "RESUMED", replayed
}

// replayOne sends one missed dispatch. A kind other than empty ends the replay.
func (s *Server) replayOne(c *conn, k kept) (stop Kind, sent int) {
	switch {
	case s.strike(ReplayCut, k.at) != nil:
		s.cutConn(c)
		return ReplayCut, 0
	case s.strike(ReplayReconnect, k.at) != nil:
		c.sendOp(opReconnect, nil)
		return ReplayReconnect, 0
	case s.strike(ReplayTruncate, k.at) != nil:
		return ReplayTruncate, 0
	case s.strike(ReplayOmit, k.at) != nil:
		return "", 0
	}
	c.send(k.data)
	if s.strike(ReplayTwice, k.at) != nil {
		c.send(k.data)
	}
	return "", 1
}

// replaySlowly leaves time between missed dispatches, so that live ones arrive among them (G12).
func (s *Server) replaySlowly(sess *session, c *conn, missed []kept, f *plantedFault) (string, int) {
	step := s.pause(f)
	for i, k := range missed {
		s.after(step*(1+time.Duration(i)), func() {
			if sess.conn == c {
				c.send(k.data)
			}
		})
	}
	s.after(step*(1+time.Duration(len(missed))), func() {
		if sess.conn == c {
			s.resumed(sess)
		}
	})
	return "RESUMED slowly", len(missed)
}

func (s *Server) resumed(sess *session) {
	if s.strike(NoResumed, Match{Bot: sess.bot.user.id}) != nil {
		return
	}
	s.push(sess, event{kind: "RESUMED"}, object{"_trace": []any{}})
}
