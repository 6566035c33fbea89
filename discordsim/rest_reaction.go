package discordsim

import (
	"regexp"
	"unicode"
)

// customEmoji is the form of an emoji that is not unicode.
var customEmoji = regexp.MustCompile(`^\w+:\d{17,19}$`)

// myEmoji is the emoji of the path; plain words are none (B8).
func (q *request) myEmoji() (string, error) {
	emoji := q.params["emoji"]
	ascii := true
	for _, r := range emoji {
		ascii = ascii && r <= unicode.MaxASCII
	}
	if emoji == "" || (ascii && !customEmoji.MatchString(emoji)) {
		return "", &apiError{status: 400, code: 10014, message: "Unknown Emoji"}
	}
	return emoji, nil
}

func (s *Server) putReaction(q *request) (any, error) {
	m, err := s.myMessage(q)
	if err != nil {
		return nil, err
	}
	emoji, err := q.myEmoji()
	if err != nil {
		return nil, err
	}
	first := m.reaction(emoji) == nil
	switch {
	case m.channel.thread != nil && m.channel.thread.archived:
		return nil, archivedThread()
	case first && !m.channel.permissions(q.who()).has(AddReactions):
		return nil, missingPermissions()
	case first && len(m.reactions) >= 20:
		return nil, &apiError{status: 400, code: 30010, message: "Maximum number of reactions reached (20)"}
	}
	s.react(q.bot.user, m, emoji)
	return nil, nil
}

func (s *Server) deleteReaction(q *request) (any, error) {
	m, err := s.myMessage(q)
	if err != nil {
		return nil, err
	}
	emoji, err := q.myEmoji()
	if err != nil {
		return nil, err
	}
	s.unreact(q.bot.user, m, emoji)
	return nil, nil
}

// getReactions lists who reacted, by id, 25 unless asked otherwise.
func (s *Server) getReactions(q *request) (any, error) {
	m, err := s.myMessage(q)
	if err != nil {
		return nil, err
	}
	emoji, err := q.myEmoji()
	if err != nil {
		return nil, err
	}
	limit, err := q.number("limit", 25, 1, 100)
	if err != nil {
		return nil, err
	}
	if r := m.reaction(emoji); r != nil {
		return s.usersAfter(q, r.users, limit), nil
	}
	return []any{}, nil
}

// deleteUserReaction takes away somebody else's reaction.
func (s *Server) deleteUserReaction(q *request) (any, error) {
	m, emoji, err := s.myModeration(q)
	if err != nil {
		return nil, err
	}
	if u := s.world.users[q.id("user")]; u != nil {
		s.unreact(u, m, emoji)
	}
	return nil, nil
}

// deleteEmojiReactions takes away one emoji of everybody.
func (s *Server) deleteEmojiReactions(q *request) (any, error) {
	m, emoji, err := s.myModeration(q)
	if err != nil {
		return nil, err
	}
	s.clearReactions(m, emoji)
	return nil, nil
}

// deleteAllReactions takes away all reactions.
func (s *Server) deleteAllReactions(q *request) (any, error) {
	m, _, err := s.myModeration(q)
	if err != nil {
		return nil, err
	}
	s.clearReactions(m, "")
	return nil, nil
}

// myModeration is message and emoji of the path, if there is an emoji in it, for a bot that may tidy up.
func (s *Server) myModeration(q *request) (m *message, emoji string, err error) {
	if m, err = s.myMessage(q); err != nil {
		return nil, "", err
	}
	if _, has := q.params["emoji"]; has {
		if emoji, err = q.myEmoji(); err != nil {
			return nil, "", err
		}
	}
	if !m.channel.permissions(q.who()).has(ManageMessages) {
		return nil, "", missingPermissions()
	}
	return m, emoji, nil
}
