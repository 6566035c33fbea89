package discordsim

import (
	"cmp"
	"slices"
)

// getMessages is the history of a channel (B3): newest first in all four variants, cursors exclusive and of
// any value, `after` giving the messages next to it (F50).
func (s *Server) getMessages(q *request) (any, error) {
	c, err := s.myChannel(q)
	if err != nil {
		return nil, err
	}
	if !c.enterable(q.who()) {
		return nil, missingAccess()
	}
	limit, err := q.number("limit", 50, 1, 100)
	if err != nil {
		return nil, err
	}
	at := q.subject()
	if !c.permissions(q.who()).has(ReadMessageHistory) || !c.kind.holdsMessages() || s.strike(EmptyPage, at) != nil {
		return []any{}, nil // F52, F54
	}
	if s.strike(StuckPage, at) != nil {
		if last, known := s.gate.pages[c.id]; known {
			return last, nil
		}
	}
	var shift ID
	if s.strike(Overlap, at) != nil {
		shift = 1
	}
	picked, err := c.pick(q, limit, shift, s.shows(at))
	if err != nil {
		return nil, err
	}
	if s.strike(Flip, at) != nil {
		picked = flip(picked)
	}
	page := s.page(q, picked, at)
	s.gate.pages[c.id] = page
	return page, nil
}

// shows tells which messages history shows now.
func (s *Server) shows(at Match) func(*message) bool {
	stale := s.strike(Stale, at)
	return func(m *message) bool {
		return m.listable() && (stale == nil || s.now().Sub(m.id.Time()) >= stale.Delay)
	}
}

// cursor reads the one cursor of a query: its name, empty for none, and its value.
func (q *request) cursor() (name string, id ID, err error) {
	for _, variant := range []string{"around", "before", "after"} {
		text := q.query.Get(variant)
		if text == "" {
			continue
		}
		if name != "" {
			return "", 0, badField("after", "MUTUALLY_EXCLUSIVE", "before, after and around are mutually exclusive.")
		}
		name = variant
		if id, err = ParseID(text); err != nil {
			return "", 0, badField(variant, "NUMBER_TYPE_COERCE", "Value \""+text+"\" is not snowflake.")
		}
	}
	return name, id, nil
}

// pick takes the part of a channel's history that the query asks for, oldest first. A shift of one makes the
// cursor inclusive.
func (c *channel) pick(q *request, limit int, shift ID, shows func(*message) bool) ([]*message, error) {
	name, id, err := q.cursor()
	if err != nil {
		return nil, err
	}
	split := func(id ID) int {
		i, _ := slices.BinarySearchFunc(c.messages, id, func(m *message, id ID) int { return cmp.Compare(m.id, id) })
		return i
	}
	switch name {
	case "after":
		return c.following(split(id+1-shift), limit, shows), nil
	case "before":
		return c.preceding(split(id+shift), limit, shows), nil
	case "around":
		i := split(id)
		return slices.Concat(c.preceding(i, limit/2, shows), c.following(i, limit-limit/2, shows)), nil
	}
	return c.preceding(len(c.messages), limit, shows), nil
}

// following are the first messages from an index on that history shows.
func (c *channel) following(from, limit int, shows func(*message) bool) []*message {
	var picked []*message
	for i := from; i < len(c.messages) && len(picked) < limit; i++ {
		if shows(c.messages[i]) {
			picked = append(picked, c.messages[i])
		}
	}
	return picked
}

// preceding are the last messages in front of an index that history shows.
func (c *channel) preceding(to, limit int, shows func(*message) bool) []*message {
	var picked []*message
	for i := to - 1; i >= 0 && len(picked) < limit; i-- {
		if shows(c.messages[i]) {
			picked = append(picked, c.messages[i])
		}
	}
	slices.Reverse(picked)
	return picked
}

// flip turns round the order of neighbours that share a millisecond.
func flip(picked []*message) []*message {
	var flipped []*message
	for len(picked) > 0 {
		n := 1
		for n < len(picked) && picked[n].id>>22 == picked[0].id>>22 {
			n++
		}
		for _, m := range slices.Backward(picked[:n]) {
			flipped = append(flipped, m)
		}
		picked = picked[n:]
	}
	return flipped
}

// page turns messages, oldest first, into what REST answers, newest first.
func (s *Server) page(q *request, picked []*message, at Match) []object {
	if s.strike(ShortPage, at) != nil {
		if q.query.Get("after") != "" {
			picked = picked[:(len(picked)+1)/2]
		} else {
			picked = picked[len(picked)/2:]
		}
	}
	blank := s.strike(BlankPage, at) != nil
	page := make([]object, 0, len(picked))
	for _, m := range slices.Backward(picked) {
		body := m.body(s, q.bot, q.bot.content)
		if blank && m.author != q.bot.user {
			body["content"], body["embeds"], body["attachments"], body["components"] = "", []any{}, []any{}, []any{}
		}
		page = append(page, body)
	}
	page = s.sorted(q, page)
	if s.strike(Unsorted, at) != nil {
		s.rand.Shuffle(len(page), func(i, j int) { page[i], page[j] = page[j], page[i] })
	}
	return page
}

// myMessage is the message of the path, if it is in the channel of the path and the bot may read it.
func (s *Server) myMessage(q *request) (*message, error) {
	c, err := s.myChannel(q)
	if err != nil {
		return nil, err
	}
	if !c.enterable(q.who()) || !c.permissions(q.who()).has(ReadMessageHistory) {
		return nil, missingAccess()
	}
	m := s.world.messages[q.id("message")]
	if m == nil || m.channel != c || !m.listable() {
		return nil, unknownMessage()
	}
	return m, nil
}

func (s *Server) getMessage(q *request) (any, error) {
	m, err := s.myMessage(q)
	if err != nil {
		return nil, err
	}
	if f := s.strike(Stale, q.subject()); f != nil && s.now().Sub(m.id.Time()) < f.Delay {
		return nil, unknownMessage()
	}
	return m.body(s, q.bot, q.bot.content), nil
}
