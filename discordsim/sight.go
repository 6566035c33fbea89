package discordsim

import (
	"slices"
	"time"
)

// Sight is a stretch of time in which a bot could see a channel.
type Sight struct {
	Bot     ID        `json:"bot"`
	Channel ID        `json:"channel"`
	From    time.Time `json:"from"`
	Until   time.Time `json:"until"` // zero while it lasts
}

type sightKey struct{ bot, channel ID }

// look notes which bots can see these channels from now on, and which no longer.
func (s *Server) look(channels ...*channel) {
	for _, c := range channels {
		for _, b := range s.world.bots {
			key := sightKey{b.user.id, c.id}
			open := s.truth.open[key]
			switch sees := !c.gone() && c.visible(b.user.id); {
			case sees && open == nil:
				open = &Sight{Bot: key.bot, Channel: c.id, From: s.now()}
				s.truth.open[key] = open
				s.truth.sights = append(s.truth.sights, open)
			case !sees && open != nil:
				open.Until = s.now()
				delete(s.truth.open, key)
			}
		}
	}
}

// lookAround does so for a whole guild.
func (s *Server) lookAround(g *guild) { s.look(slices.Concat(g.channels, g.threads)...) }

// Sights returns who could see which channel when, in the order the stretches began. A message could be seen by a
// bot from the later of its own beginning and the stretch's.
func (s *Server) Sights() []Sight {
	s.lock()
	defer s.mu.Unlock()
	all := make([]Sight, len(s.truth.sights))
	for i, sight := range s.truth.sights {
		all[i] = *sight
	}
	return all
}

// VisibleAt tells whether a bot could see a message at an instant: it was there, and so was the permission.
func (s *Server) VisibleAt(bot, message ID, at time.Time) bool {
	s.lock()
	defer s.mu.Unlock()
	m := s.message(message)
	if at.Before(m.id.Time()) || (m.gone() && !at.Before(m.deleted)) {
		return false
	}
	return slices.ContainsFunc(s.truth.sights, func(o *Sight) bool {
		return o.Bot == bot && o.Channel == m.channel.id && !at.Before(o.From) && (o.Until.IsZero() || at.Before(o.Until))
	})
}
