package discordsim

// CloseDM makes the direct channel of a user and a bot unknown: requests for it answer 404 with code 10003, nobody is
// told, and whoever opens the DM again gets another channel (C50). Without a DM it does nothing.
func (s *Server) CloseDM(user, bot ID) {
	s.lock()
	defer s.mu.Unlock()
	for _, c := range s.world.dms {
		if c.recipient.id == user && c.bot == bot && !c.gone() {
			c.deleted = s.now()
			s.look(c)
		}
	}
}
