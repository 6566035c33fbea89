package discordsim

import "time"

// getPins is the older list of pins: every pinned message, the latest pin first.
func (s *Server) getPins(q *request) (any, error) {
	c, err := s.readableChannel(q)
	if err != nil {
		return nil, err
	}
	list := []object{}
	for _, m := range c.pins() {
		list = append(list, m.body(s, q.bot, q.bot.content))
	}
	return list, nil
}

// getMessagePins pages through the pins by the time they were set, 50 at most.
func (s *Server) getMessagePins(q *request) (any, error) {
	c, err := s.readableChannel(q)
	if err != nil {
		return nil, err
	}
	limit, err := q.number("limit", 50, 1, 50)
	if err != nil {
		return nil, err
	}
	before, err := q.instant("before")
	if err != nil {
		return nil, err
	}
	items := []object{}
	for _, m := range c.pins() {
		if before.IsZero() || micro(m.pinned).Before(before) {
			items = append(items, object{"pinned_at": stamp(m.pinned), "message": m.body(s, q.bot, q.bot.content)})
		}
	}
	return object{"items": items[:min(limit, len(items))], "has_more": len(items) > limit}, nil
}

func (s *Server) putPin(q *request) (any, error) {
	m, err := s.myPin(q)
	if err != nil {
		return nil, err
	}
	s.pin(q.bot.user, m)
	return nil, nil
}

func (s *Server) deletePin(q *request) (any, error) {
	m, err := s.myPin(q)
	if err != nil {
		return nil, err
	}
	s.unpin(m)
	return nil, nil
}

// myPin is the message of the path, if the bot may pin it.
func (s *Server) myPin(q *request) (*message, error) {
	m, err := s.myMessage(q)
	switch {
	case err != nil:
		return nil, err
	case !m.channel.permissions(q.who()).has(PinMessages):
		return nil, missingPermissions()
	}
	return m, nil
}

// readableChannel is the channel of the path, if the bot may read its history.
func (s *Server) readableChannel(q *request) (*channel, error) {
	c, err := s.myChannel(q)
	switch {
	case err != nil:
		return nil, err
	case !c.enterable(q.who()) || !c.permissions(q.who()).has(ReadMessageHistory):
		return nil, missingAccess()
	}
	return c, nil
}

// instant is a query parameter that is a time; zero when it is absent.
func (q *request) instant(name string) (time.Time, error) {
	text := q.query.Get(name)
	if text == "" {
		return time.Time{}, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}, badField(name, "DATE_TIME_TYPE_PARSE", "Could not parse "+text+". Should be ISO8601.")
	}
	return at, nil
}
