package discordsim

import (
	"encoding/json"
	"maps"
	"slices"
	"time"
)

// record is what the simulator remembers of its clients. It is guarded by Server.mu.
type record struct {
	connections []*Connection
	sessions    []*Session
	requests    []*Request
	counts      map[string]int // by method and route
	refusals    []Refusal
	sights      []*Sight
	open        map[sightKey]*Sight
}

// Connection is the story of one gateway connection.
type Connection struct {
	Number  int       `json:"number"` // from 1, in the order they came
	Opened  time.Time `json:"opened"`
	Closed  time.Time `json:"closed"` // zero while open
	Path    string    `json:"path"`   // /gateway/ or /resume/
	Query   string    `json:"query"`
	Session string    `json:"session"` // the last it carried
	// ClientClose is the code the client closed with, -1 when it sent no close frame, 1005 for one without code.
	ClientClose int `json:"client_close"`
	// ServerClose is the code sent to it, 0 for a frame without code, -1 for none.
	ServerClose int         `json:"server_close"`
	Cut         bool        `json:"cut"` // reset by the server
	Identifies  []Identify  `json:"identifies"`
	Resumes     []Resume    `json:"resumes"`
	Heartbeats  []Heartbeat `json:"heartbeats"`
}

// Refusal is an upgrade that did not become a connection.
type Refusal struct {
	At     time.Time `json:"at"`
	Path   string    `json:"path"`
	Status int       `json:"status"` // -1 when it was reset
}

// Refusals returns every upgrade refused so far, oldest first.
func (s *Server) Refusals() []Refusal {
	s.lock()
	defer s.mu.Unlock()
	return slices.Clone(s.truth.refusals)
}

// Identify is one op 2 and its outcome: "READY", or why not.
type Identify struct {
	At      time.Time `json:"at"`
	Shard   []int     `json:"shard"`
	Intents int       `json:"intents"`
	Result  string    `json:"result"`
}

// Resume is one op 6 and its outcome: "RESUMED", or why not.
type Resume struct {
	At       time.Time `json:"at"`
	Session  string    `json:"session"`
	Seq      int64     `json:"seq"`
	Result   string    `json:"result"`
	Replayed int       `json:"replayed"` // dispatches sent again
}

// Heartbeat is one op 1; Seq is its d, nil for null.
type Heartbeat struct {
	At  time.Time `json:"at"`
	Seq *int64    `json:"seq"`
}

// Session is the story of one session.
type Session struct {
	ID          string    `json:"id"`
	Bot         ID        `json:"bot"`
	Shard       int       `json:"shard"`
	Shards      int       `json:"shards"`
	Intents     int       `json:"intents"`
	Seq         int64     `json:"seq"` // the last s given out
	Connections []int     `json:"connections"`
	Connected   bool      `json:"connected"`
	Opened      time.Time `json:"opened"`
	Ended       time.Time `json:"ended"` // zero while it can be resumed
	Reason      string    `json:"reason"`
}

// Request is one REST request and its answer.
type Request struct {
	At     time.Time `json:"at"`
	Bot    ID        `json:"bot"` // zero without valid authorization
	Method string    `json:"method"`
	Route  string    `json:"route"` // template, empty for an unknown one
	Path   string    `json:"path"`  // without /api/v10
	Query  string    `json:"query"`
	Status int       `json:"status"` // 0 while unanswered, and for connections that were reset
}

// Message is the truth about one message.
type Message struct {
	ID              ID              `json:"id"`
	Channel         ID              `json:"channel"`
	Parent          ID              `json:"parent"` // of a thread
	Guild           ID              `json:"guild"`  // zero in a DM
	Author          ID              `json:"author"`
	AuthorIsBot     bool            `json:"author_is_bot"`
	Webhook         bool            `json:"webhook"`
	Content         string          `json:"content"`
	Type            int             `json:"type"`
	Flags           int             `json:"flags"`
	Created         time.Time       `json:"created"`
	Edited          time.Time       `json:"edited"`
	Deleted         time.Time       `json:"deleted"`
	Pinned          time.Time       `json:"pinned"`
	Nonce           string          `json:"nonce"`
	ReplyTo         ID              `json:"reply_to"`
	ForwardOf       ID              `json:"forward_of"`
	Mentions        []ID            `json:"mentions"`
	MentionRoles    []ID            `json:"mention_roles"`
	MentionEveryone bool            `json:"mention_everyone"`
	AllowedMentions json.RawMessage `json:"allowed_mentions,omitempty"`
	ByREST          bool            `json:"by_rest"`  // posted through the API
	Seers           []ID            `json:"seers"`    // the bots that could see it when it was made
	Answered        ID              `json:"answered"` // the author of the message it replies to
}

// VisibleTo tells whether a bot could see the message when it was made.
func (m Message) VisibleTo(bot ID) bool { return slices.Contains(m.Seers, bot) }

// Addresses tells whether the message speaks to a bot that can see it: a mention, a reply to it, or a DM. A
// bot's own messages do not.
func (m Message) Addresses(bot ID) bool {
	return m.VisibleTo(bot) && m.Author != bot &&
		(m.Guild == 0 || m.Answered == bot || slices.Contains(m.Mentions, bot))
}

// Messages returns every message ever made, deleted ones too, in the order they were made.
func (s *Server) Messages() []Message {
	return s.MessagesAfter(0)
}

// MessagesAfter leaves out the first skip of them: for who has seen those and wants what came since.
func (s *Server) MessagesAfter(skip int) []Message {
	s.lock()
	defer s.mu.Unlock()
	made := s.world.history[min(skip, len(s.world.history)):]
	all := make([]Message, len(made))
	for i, m := range made {
		all[i] = s.truthOf(m)
	}
	return all
}

// Message returns the truth about one message.
func (s *Server) Message(id ID) (Message, bool) {
	s.lock()
	defer s.mu.Unlock()
	m := s.world.messages[id]
	if m == nil {
		return Message{}, false
	}
	return s.truthOf(m), true
}

// In returns the messages of one channel that are not deleted, oldest first.
func (s *Server) In(channel ID) []Message {
	s.lock()
	defer s.mu.Unlock()
	var held []Message
	for _, m := range s.channel(channel).messages {
		if !m.gone() {
			held = append(held, s.truthOf(m))
		}
	}
	return held
}

// Readable tells whether a bot could read a message through REST now: not deleted, its channel neither, and
// the permissions given.
func (s *Server) Readable(bot, message ID) bool {
	s.lock()
	defer s.mu.Unlock()
	m := s.message(message)
	return m.listable() && !m.channel.gone() && m.channel.enterable(bot) &&
		m.channel.permissions(bot).has(ReadMessageHistory)
}

func (s *Server) truthOf(m *message) Message {
	t := Message{ID: m.id, Channel: m.channel.id, Author: m.author.id, AuthorIsBot: m.author.bot, Webhook: m.webhook,
		Content: m.content, Type: m.kind, Flags: m.flags, Created: m.id.Time(), Edited: m.edited, Deleted: m.deleted, Pinned: m.pinned,
		Mentions: []ID{}, MentionRoles: orEmpty(slices.Clone(m.roles)), MentionEveryone: m.everyone,
		AllowedMentions: m.allowed, ByREST: m.byREST, Seers: orEmpty(slices.Clone(m.seers))}
	if m.nonce != nil && json.Unmarshal(m.nonce, &t.Nonce) != nil {
		t.Nonce = string(m.nonce)
	}
	if !slices.Contains([]int{typeThreadCreated, typeThreadStarter, typePinned, typePollResult}, m.kind) {
		t.ReplyTo = m.answers()
	}
	if m.ref != nil && m.ref.kind == 1 {
		t.ForwardOf = m.ref.message
	}
	if g := m.guild(); g != nil {
		t.Guild = g.id
	}
	if m.channel.thread != nil {
		t.Parent = m.channel.parent.id
	}
	if target := s.world.messages[t.ReplyTo]; target != nil {
		t.Answered = target.author.id
	}
	for _, u := range m.mentions {
		t.Mentions = append(t.Mentions, u.id)
	}
	return t
}

// Connections returns every gateway connection so far, oldest first.
func (s *Server) Connections() []Connection {
	s.lock()
	defer s.mu.Unlock()
	all := make([]Connection, len(s.truth.connections))
	for i, c := range s.truth.connections {
		all[i] = *c
		all[i].Identifies = orEmpty(slices.Clone(c.Identifies))
		all[i].Resumes = orEmpty(slices.Clone(c.Resumes))
		all[i].Heartbeats = orEmpty(slices.Clone(c.Heartbeats))
	}
	return all
}

// Sessions returns every session so far, oldest first. Those whose time is over count as ended.
func (s *Server) Sessions() []Session {
	s.lock()
	defer s.mu.Unlock()
	for _, sess := range slices.Clone(s.gate.sessions) {
		if !s.lapsed(sess) {
			sess.info.Seq, sess.info.Connected = sess.seq, sess.conn != nil
		}
	}
	all := make([]Session, len(s.truth.sessions))
	for i, sess := range s.truth.sessions {
		all[i] = *sess
		all[i].Connections = slices.Clone(sess.Connections)
		all[i].Connected = sess.Connected && sess.Ended.IsZero()
	}
	return all
}

// Requests returns every REST request so far, in the order they came.
func (s *Server) Requests() []Request {
	s.lock()
	defer s.mu.Unlock()
	all := make([]Request, len(s.truth.requests))
	for i, r := range s.truth.requests {
		all[i] = *r
	}
	return all
}

// Counts is how many requests each route got, by method and template.
func (s *Server) Counts() map[string]int {
	s.lock()
	defer s.mu.Unlock()
	return maps.Clone(s.truth.counts)
}

// Count is how many requests a route got, such as Count("GET /channels/{channel}/messages"); with an empty
// name, all.
func (s *Server) Count(route string) int {
	s.lock()
	defer s.mu.Unlock()
	if route == "" {
		return len(s.truth.requests)
	}
	return s.truth.counts[route]
}
