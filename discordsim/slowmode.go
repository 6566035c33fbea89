package discordsim

import "time"

// SetSlowMode sets how long a user must wait between two messages in a channel or thread, and announces it; zero
// ends it. A post that comes too soon is refused with 20016. Bots, and members who manage channels or messages
// or bypass slow mode, do not wait; Server.SlowBots makes bots wait too.
func (s *Server) SetSlowMode(channel ID, wait time.Duration) {
	s.lock()
	defer s.mu.Unlock()
	c := s.channel(channel)
	c.slow = wait
	s.changed(c)
}

// tooSoon is how long a user still has to wait before posting; zero when it may. What is put into the past, and
// what Discord or a webhook writes, never waits.
func (s *Server) tooSoon(u *user, c *channel, o PostOptions) time.Duration {
	if c.slow <= 0 || o.system || o.Webhook || !o.At.IsZero() || o.ID != 0 || (u.bot && !s.SlowBots) {
		return 0
	}
	if c.permissions(u.id)&(ManageChannels|ManageMessages|BypassSlowMode) != 0 {
		return 0
	}
	last, spoke := c.spoke[u.id]
	if !spoke {
		return 0
	}
	return max(0, last.Add(c.slow).Sub(s.now()))
}

// spokeNow starts a user's wait.
func (s *Server) spokeNow(u *user, c *channel) {
	if c.slow <= 0 {
		return
	}
	if c.spoke == nil {
		c.spoke = map[ID]time.Time{}
	}
	c.spoke[u.id] = s.now()
}

func slowMode(wait time.Duration) *apiError {
	return &apiError{status: 429, code: 20016, wait: wait,
		message: "This action cannot be performed due to slowmode rate limit"}
}
