package discordsim

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// typePollResult is the message Discord writes when a poll has ended.
const typePollResult = 46

// Poll is a question with answers to vote for.
type Poll struct {
	Question string   `json:"question"`
	Answers  []string `json:"answers"` // one to ten
	Multi    bool     `json:"multi"`   // several answers may be picked
	// For is how long it runs. If zero, a day.
	For time.Duration `json:"for"`
}

// poll is a poll under way.
type poll struct {
	Poll
	ends  time.Time
	over  bool
	votes [][]ID // by answer, who picked it
	timer *time.Timer
}

// answers are numbered from 1.
func (p *poll) answer(n int) error {
	if n < 1 || n > len(p.Answers) {
		return fmt.Errorf("no answer %d", n)
	}
	return nil
}

func (p *poll) body(viewer ID) object {
	answers, counts := make([]object, len(p.Answers)), make([]object, len(p.Answers))
	for i, text := range p.Answers {
		answers[i] = object{"answer_id": i + 1, "poll_media": object{"text": text}}
		counts[i] = object{"id": i + 1, "count": len(p.votes[i]), "me_voted": slices.Contains(p.votes[i], viewer)}
	}
	return object{"question": object{"text": p.Question}, "answers": answers, "expiry": stamp(p.ends),
		"allow_multiselect": p.Multi, "layout_type": 1, "results": object{"is_finalized": p.over, "answer_counts": counts}}
}

// openPoll hangs a poll on a message and plans its end.
func (s *Server) openPoll(m *message, wish *Poll) {
	p := &poll{Poll: *wish, votes: make([][]ID, len(wish.Answers))}
	if p.For == 0 {
		p.For = 24 * time.Hour
	}
	p.ends = s.now().Add(p.For)
	p.timer = s.after(p.For, func() { s.closePoll(m) })
	m.poll = p
}

// closePoll ends a poll: MESSAGE_UPDATE, and a message of type 46 that points to it.
func (s *Server) closePoll(m *message) {
	p := m.poll
	if p.over || m.gone() || m.channel.gone() {
		return
	}
	s.cancel(p.timer)
	p.over, p.ends = true, s.now()
	s.messageEvent("MESSAGE_UPDATE", m)
	s.write(m.author, m.channel, "", PostOptions{Type: typePollResult, Reply: m.id, system: true})
}

// Vote gives a user's vote for an answer, numbered from 1, or takes it back. It fails where there is no such poll
// or answer, or the poll has ended. Where only one answer may be picked, the earlier pick goes.
func (s *Server) Vote(user, message ID, answer int, on bool) error {
	s.lock()
	defer s.mu.Unlock()
	u, m := s.user(user), s.message(message)
	p := m.poll
	switch {
	case m.gone() || p == nil:
		return fmt.Errorf("vote on %d: no poll", message)
	case p.over:
		return fmt.Errorf("vote on %d: %w", message, errPollOver)
	}
	if err := p.answer(answer); err != nil {
		return fmt.Errorf("vote on %d: %w", message, err)
	}
	if on && !p.Multi {
		for i := range p.votes {
			if i != answer-1 {
				s.vote(u, m, i, false)
			}
		}
	}
	s.vote(u, m, answer-1, on)
	return nil
}

var errPollOver = errors.New("the poll has ended")

func (s *Server) vote(u *user, m *message, i int, on bool) {
	votes := &m.poll.votes[i]
	if slices.Contains(*votes, u.id) == on {
		return
	}
	kind := "MESSAGE_POLL_VOTE_ADD"
	if on {
		*votes = append(*votes, u.id)
	} else {
		kind = "MESSAGE_POLL_VOTE_REMOVE"
		*votes = slices.DeleteFunc(*votes, func(id ID) bool { return id == u.id })
	}
	c := m.channel
	s.dispatch(event{kind: kind, guild: c.guild, channel: c, intents: gateBy(c, intentGuildPolls, intentDirectPolls),
		sees: func(b *bot) bool { return c.visible(b.user.id) },
		body: func(*session) object {
			return withGuild(c, object{"user_id": u.id, "channel_id": c.id, "message_id": m.id, "answer_id": i + 1})
		}})
}

// EndPoll ends a poll before its time; one that has ended is passed over.
func (s *Server) EndPoll(message ID) {
	s.lock()
	defer s.mu.Unlock()
	if m := s.message(message); m.poll != nil {
		s.closePoll(m)
	}
}
