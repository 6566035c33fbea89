package discordsim

import "slices"

// Expire ends the sessions of a bot, or of all when the id is zero, so that no resume succeeds (F22). Open
// connections are reset.
func (s *Server) Expire(bot ID) {
	s.lock()
	defer s.mu.Unlock()
	for _, sess := range slices.Clone(s.gate.sessions) {
		if bot == 0 || sess.bot.user.id == bot {
			c := sess.conn
			s.end(sess, "expired")
			if c != nil {
				s.cutConn(c)
			}
		}
	}
}

// DropConnections resets the gateway connections of a bot, or all when the id is zero; sessions stay (G28).
func (s *Server) DropConnections(bot ID) {
	s.each(bot, s.cutConn)
}

// CloseConnections closes them with a code, zero for a close frame without one (G27); sessions stay.
func (s *Server) CloseConnections(bot ID, code int) {
	s.each(bot, func(c *conn) { s.closeConn(c, code, "") })
}

// AskReconnect sends op 7 to a bot's connections (G25).
func (s *Server) AskReconnect(bot ID) {
	s.each(bot, func(c *conn) { c.sendOp(opReconnect, nil) })
}

// InvalidateSessions sends op 9 to a bot's connections; not resumable, the sessions end (G26).
func (s *Server) InvalidateSessions(bot ID, resumable bool) {
	s.each(bot, func(c *conn) { s.invalidate(c, resumable) })
}

// AskHeartbeat sends op 1 to a bot's connections (F16, G24).
func (s *Server) AskHeartbeat(bot ID) {
	s.each(bot, func(c *conn) { c.sendOp(opHeartbeat, nil) })
}

// SendRaw sends a text frame as it is to a bot's connections (G17).
func (s *Server) SendRaw(bot ID, frame []byte) {
	s.each(bot, func(c *conn) { c.put(outgoing{op: wsText, data: frame}) })
}

// Connected counts the open gateway connections of a bot, or all when the id is zero.
func (s *Server) Connected(bot ID) int {
	count := 0
	s.each(bot, func(*conn) { count++ })
	return count
}

func (s *Server) each(bot ID, deed func(*conn)) {
	s.lock()
	defer s.mu.Unlock()
	for _, c := range slices.Clone(s.gate.conns) {
		if !c.closing && (bot == 0 || (c.bot != nil && c.bot.user.id == bot)) {
			deed(c)
		}
	}
}
