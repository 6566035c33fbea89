package discordsim

import (
	"slices"
	"time"
	"unicode/utf8"
)

// patchMessage edits the bot's own message; others' only with flags (B6).
func (s *Server) patchMessage(q *request) (any, error) {
	m, err := s.myMessage(q)
	if err != nil {
		return nil, err
	}
	var in outgoingMessage
	if in.files, err = q.readMessage(&in); err != nil {
		return nil, err
	}
	switch {
	case m.channel.thread != nil && m.channel.thread.archived:
		return nil, archivedThread()
	case m.author != q.bot.user && !(in.onlyFlags() && m.channel.permissions(q.who()).has(ManageMessages)):
		return nil, &apiError{status: 403, code: 50005, message: "Cannot edit a message authored by another user"}
	case utf8.RuneCountInString(in.text()) > 2000:
		return nil, badField("content", "BASE_TYPE_MAX_LENGTH", "Must be 2000 or fewer in length.")
	}
	if in.Embeds != nil {
		m.embeds = in.Embeds
	}
	if in.Components != nil {
		m.components = in.Components
	}
	if in.Flags != nil {
		m.flags = m.flags&^flagSuppressEmbeds | *in.Flags&flagSuppressEmbeds
	}
	if in.onlyFlags() {
		s.messageEvent("MESSAGE_UPDATE", m) // nothing that was written has changed
		return m.body(s, q.bot, true), nil
	}
	text := m.content
	if in.Content != nil {
		text = *in.Content
	}
	s.edit(m, text)
	return m.body(s, q.bot, true), nil
}

// onlyFlags tells whether an edit changes flags and nothing else.
func (m *outgoingMessage) onlyFlags() bool {
	return m.Flags != nil && m.Content == nil && m.Embeds == nil && m.Components == nil && len(m.files) == 0
}

func (s *Server) deleteMessage(q *request) (any, error) {
	m, err := s.myMessage(q)
	if err != nil {
		return nil, err
	}
	switch {
	case m.author != q.bot.user && !m.channel.permissions(q.who()).has(ManageMessages):
		return nil, missingPermissions()
	case slices.Contains([]int{1, 2, 3, 4, 5, typeThreadStarter}, m.kind):
		return nil, &apiError{status: 403, code: 50021, message: "Cannot execute action on a system message"}
	}
	s.delete(m)
	return nil, nil
}

// fortnight is the age from which bulk delete refuses (B7).
const fortnight = 14 * 24 * time.Hour

func (s *Server) postBulkDelete(q *request) (any, error) {
	c, err := s.myChannel(q)
	if err != nil {
		return nil, err
	}
	var in struct {
		Messages []ID `json:"messages"`
	}
	if err := q.read(&in); err != nil {
		return nil, err
	}
	switch {
	case !c.permissions(q.who()).has(ManageMessages):
		return nil, missingPermissions()
	case len(in.Messages) < 2 || len(in.Messages) > 100:
		return nil, &apiError{status: 400, code: 50016,
			message: "Provided too few or too many messages to delete. Must provide at least 2 and fewer than 100 messages to delete."}
	case slices.ContainsFunc(in.Messages, func(id ID) bool { return s.now().Sub(id.Time()) > fortnight }):
		return nil, &apiError{status: 400, code: 50034, message: "You can only bulk delete messages that are under 14 days old."}
	}
	s.bulkDelete(c, in.Messages)
	return nil, nil
}
