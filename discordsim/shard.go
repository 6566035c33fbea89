package discordsim

import "slices"

// DropShardOf resets the gateway connections of a bot that hear of a guild; sessions stay (G28).
func (s *Server) DropShardOf(bot, guild ID) {
	s.eachOf(bot, guild, s.cutConn)
}

// ExpireShardOf ends the sessions of a bot that hear of a guild, so that no resume succeeds, and resets their
// connections (F34).
func (s *Server) ExpireShardOf(bot, guild ID) {
	s.lock()
	defer s.mu.Unlock()
	for _, sess := range slices.Clone(s.gate.sessions) {
		if sess.bot.user.id == bot && sess.hears(guild) {
			c := sess.conn
			s.end(sess, "expired")
			if c != nil {
				s.cutConn(c)
			}
		}
	}
}

// CloseShardOf closes the gateway connections of a bot that hear of a guild with a code; sessions stay (G27).
func (s *Server) CloseShardOf(bot, guild ID, code int) {
	s.eachOf(bot, guild, func(c *conn) { s.closeConn(c, code, "") })
}

func (s *Server) eachOf(bot, guild ID, deed func(*conn)) {
	s.each(bot, func(c *conn) {
		if c.sess != nil && c.sess.hears(guild) {
			deed(c)
		}
	})
}

// hears reports whether a guild is this session's (F34).
func (sess *session) hears(guild ID) bool {
	return int((uint64(guild)>>22)%uint64(sess.shards)) == sess.routed
}
