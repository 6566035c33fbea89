package discordsim

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Habits are what servers that speak Discord's protocol, and are not Discord, do otherwise all the time. They differ
// from faults in that they are no misbehaviour: nothing lifts them, and no message is lost by them. The zero value has
// Discord's own habits.
type Habits struct {
	// NoResume answers every resume with op 9 false: a session ends with its connection.
	NoResume bool `json:"no_resume"`
	// OldestFirst sorts pages of history that were asked for with `after` from the oldest up.
	OldestFirst bool `json:"oldest_first"`
	// ZeroSeq counts dispatches from 0, so that READY carries s 0.
	ZeroSeq bool `json:"zero_seq"`
	// OneSession gives all sessions of a bot the same session_id.
	OneSession bool `json:"one_session"`
	// Jumble makes ids by clocks that differ from the server's by up to that much in either direction, so that a later
	// channel or message may have a lower id than an earlier one; last_message_id is that of the message made last,
	// whatever the number. If zero, ids rise.
	Jumble time.Duration `json:"jumble"`
	// MuteNewChannels keeps the channels and threads of a guild that were made since a session got to know the guild
	// from that session: no event of them reaches it, nor of anything in them. A new session hears them.
	MuteNewChannels bool `json:"mute_new_channels"`
	// VagueRefusal closes with 4000, and not with 4004, on a bad or revoked token, and tells the gateway's address and a
	// full budget to whoever asks. Other routes answer 401.
	VagueRefusal bool `json:"vague_refusal"`
	// NoLimitHeaders leaves every X-RateLimit header and Retry-After out. Limits hold all the same; the body of a 429
	// says how long to wait.
	NoLimitHeaders bool `json:"no_limit_headers"`
}

// SetHabits changes the habits of a server that runs already. What has been numbered, named or announced stays as it is.
func (s *Server) SetHabits(h Habits) {
	s.lock()
	defer s.mu.Unlock()
	s.Habits = h
}

// sessionID is the id of a bot's next session.
func (s *Server) sessionID(b *bot) string {
	if s.Habits.OneSession {
		return fmt.Sprintf("%032x", uint64(b.user.id))
	}
	return fmt.Sprintf("%016x%016x", s.rand.Uint64(), s.rand.Uint64())
}

// jumbled is an id of now as the worker makes it whose turn it is: its clock is off, its counter anywhere.
func (s *Server) jumbled(now ID) ID {
	if s.Habits.Jumble <= 0 {
		return now
	}
	off := time.Duration(s.rand.Int64N(2*int64(s.Habits.Jumble))) - s.Habits.Jumble
	return IDAt(now.Time().Add(off)) | ID(s.rand.Uint64N(1<<22))
}

// latest is the higher of two ids, or the new one where ids do not rise.
func (s *Server) latest(last, id ID) ID {
	if s.Habits.Jumble > 0 {
		return id
	}
	return max(last, id)
}

// mute tells whether a session does not hear of a channel because it is too new.
func (s *Server) mute(sess *session, c *channel) bool {
	return s.Habits.MuteNewChannels && c != nil && c.guild != nil && c.made > sess.met[c.guild.id]
}

// badToken is what a bad or revoked token is closed with (F9).
func (s *Server) badToken() int {
	if s.Habits.VagueRefusal {
		return closeUnknown
	}
	return closeAuthFailed
}

// unguarded tells whether a route needs no authorization.
func (s *Server) unguarded(r *route) bool {
	return r.open || s.Habits.VagueRefusal && r.path == "/gateway/bot"
}

// sorted is a page of history in the order this server has; it is given newest first.
func (s *Server) sorted(q *request, page []object) []object {
	if s.Habits.OldestFirst && q.query.Get("after") != "" {
		slices.Reverse(page)
	}
	return page
}

// unlabel removes from an answer what this server does not say about limits.
func (s *Server) unlabel(a answer) {
	if s.Habits.NoLimitHeaders {
		maps.DeleteFunc(a.header, func(name string, _ []string) bool {
			return name == "Retry-After" || strings.HasPrefix(name, "X-Ratelimit-")
		})
	}
}
