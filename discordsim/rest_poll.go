package discordsim

import (
	"slices"
	"strconv"
	"time"
)

// maxPoll is the longest a poll may run, in hours: 32 days.
const maxPoll = 768

// pollForm is a poll as a bot asks for it.
type pollForm struct {
	Question pollMedia `json:"question"`
	Answers  []struct {
		Media pollMedia `json:"poll_media"`
	} `json:"answers"`
	Hours *int `json:"duration"`
	Multi bool `json:"allow_multiselect"`
}

type pollMedia struct {
	Text string `json:"text"`
}

// poll checks the form; nil makes none.
func (f *pollForm) poll() (*Poll, error) {
	if f == nil {
		return nil, nil
	}
	p := &Poll{Question: f.Question.Text, Multi: f.Multi, For: 24 * time.Hour}
	for _, a := range f.Answers {
		p.Answers = append(p.Answers, a.Media.Text)
	}
	if f.Hours != nil {
		p.For = time.Duration(*f.Hours) * time.Hour
	}
	switch {
	case p.Question == "" || len([]rune(p.Question)) > 300:
		return nil, badField("poll", "BASE_TYPE_BAD_LENGTH", "The question must be between 1 and 300 in length.")
	case len(p.Answers) < 1 || len(p.Answers) > 10:
		return nil, badField("poll", "BASE_TYPE_BAD_LENGTH", "There must be between 1 and 10 answers.")
	case slices.ContainsFunc(p.Answers, func(text string) bool { return text == "" || len([]rune(text)) > 55 }):
		return nil, badField("poll", "BASE_TYPE_BAD_LENGTH", "An answer must be between 1 and 55 in length.")
	case p.For < time.Hour || p.For > maxPoll*time.Hour:
		return nil, badField("poll", "NUMBER_TYPE_MAX", "The duration must be between 1 and 768 hours.")
	}
	return p, nil
}

// postPollEnd ends the bot's own poll.
func (s *Server) postPollEnd(q *request) (any, error) {
	m, err := s.myMessage(q)
	switch {
	case err != nil:
		return nil, err
	case m.poll == nil:
		return nil, &apiError{status: 400, code: 520006, message: "Cannot expire a non-poll message"}
	case m.author != q.bot.user:
		return nil, &apiError{status: 403, code: 50005, message: "Cannot edit a message authored by another user"}
	case m.poll.over:
		return nil, &apiError{status: 400, code: 520001, message: "Poll expired"}
	}
	s.closePoll(m)
	return m.body(s, q.bot, true), nil
}

// getPollVoters lists who picked an answer, by id, 25 unless asked otherwise.
func (s *Server) getPollVoters(q *request) (any, error) {
	m, err := s.myMessage(q)
	switch {
	case err != nil:
		return nil, err
	case m.poll == nil:
		return nil, unknownMessage()
	}
	limit, err := q.number("limit", 25, 1, 100)
	if err != nil {
		return nil, err
	}
	answer, err := strconv.Atoi(q.params["answer"])
	if err != nil || m.poll.answer(answer) != nil {
		return nil, badField("answer_id", "BASE_TYPE_BAD_VALUE", "Unknown answer")
	}
	return object{"users": s.usersAfter(q, m.poll.votes[answer-1], limit)}, nil
}

// usersAfter are users by id past the query's `after`, so many at most.
func (s *Server) usersAfter(q *request, ids []ID, limit int) []object {
	after, _ := ParseID(q.query.Get("after"))
	users := []object{}
	for _, id := range slices.Sorted(slices.Values(ids)) {
		if id > after && len(users) < limit {
			users = append(users, s.user(id).body())
		}
	}
	return users
}
