package discordsim

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// PostOptions are the rare wishes of a new message.
type PostOptions struct {
	// Reply is the message answered; its author is mentioned. Makes the type 19 unless Type is set.
	Reply ID
	// NoPing keeps a reply from mentioning the author it answers.
	NoPing bool
	// NoReferenced leaves referenced_message out, as Discord does when it did not fetch it (F58).
	NoReferenced bool
	// Forward is the message forwarded: type 0, flag HAS_SNAPSHOT, a snapshot without author (F59).
	Forward ID
	// Nonce is carried by the author's MESSAGE_CREATE.
	Nonce string
	// Webhook makes the author a webhook: the user's id is the webhook's.
	Webhook bool
	// Type is the number of the message type (D3). Zero is DEFAULT, or REPLY with Reply.
	Type int
	// Flags are message flags (D4). With 64, EPHEMERAL, the message is in no history (F46).
	Flags int
	// Attachments are file names.
	Attachments []string
	// At is when it was written; the message is put where it belongs in the history. If zero, now.
	At time.Time
	// ID gives the message a certain id, which decides its time. If zero, one is made.
	ID ID
	// Silent makes no event of it: only history has it (G2).
	Silent bool
	// Poll hangs a poll on the message.
	Poll *Poll
	// Extra are fields that replace or join those of the message object.
	Extra map[string]any

	system bool     // made by Discord: opens no thread, joins nobody
	byREST bool     // came through the API
	thread *channel // what a message of type 18 announces
	raw    struct { // what a bot sent along
		nonce      json.RawMessage
		allowed    json.RawMessage
		embeds     []any
		components []any
	}
}

// Post writes a message as a user or a bot, without asking for permissions; ids of the form `<@id>` in the
// text become mentions. A guild's stranger becomes a member first. It fails where the channel is gone, holds
// no messages, or is a locked thread, and where the message to reply to or forward is unknown. Posting in an
// archived thread opens it (F43).
func (s *Server) Post(author, channel ID, text string, opts ...PostOptions) (ID, error) {
	s.lock()
	defer s.mu.Unlock()
	var o PostOptions
	if len(opts) > 0 {
		o = opts[0]
	}
	m, err := s.post(s.user(author), s.channel(channel), text, o)
	if err != nil {
		return 0, fmt.Errorf("post in %d: %w", channel, err)
	}
	return m.id, nil
}

// PostAt writes a message of a given time: history that was there before the bot came.
func (s *Server) PostAt(at time.Time, author, channel ID, text string, opts ...PostOptions) (ID, error) {
	var o PostOptions
	if len(opts) > 0 {
		o = opts[0]
	}
	o.At = at
	return s.Post(author, channel, text, o)
}

func (s *Server) post(u *user, c *channel, text string, o PostOptions) (*message, error) {
	switch {
	case c.gone():
		return nil, unknownChannel()
	case c.kind == Forum || c.kind == Media:
		return nil, &apiError{status: 400, code: 40058, message: "Cannot send messages in a forum channel"}
	case !c.kind.holdsMessages():
		return nil, &apiError{status: 400, code: 50008, message: "Cannot send messages in a non-text channel"}
	case c.thread != nil && c.thread.locked && !c.permissions(u.id).has(ManageThreads):
		return nil, &apiError{status: 400, code: 160005, message: "Thread is locked"}
	case s.tooSoon(u, c, o) > 0:
		return nil, slowMode(s.tooSoon(u, c, o))
	case o.Reply != 0 && s.world.messages[o.Reply] == nil:
		return nil, unknownReference()
	case o.Forward != 0 && s.world.messages[o.Forward] == nil:
		return nil, unknownReference()
	}
	if c.guild != nil && !o.Webhook {
		s.enter(c.guild, u)
	}
	s.spokeNow(u, c)
	if c.thread != nil && !o.system {
		s.archive(c, false)
		if !o.Webhook {
			s.joinThread(c, u)
		}
	}
	return s.write(u, c, text, o), nil
}

// write commits a message and announces it.
func (s *Server) write(u *user, c *channel, text string, o PostOptions) *message {
	m := &message{id: s.idFor(o), channel: c, author: u, webhook: o.Webhook, content: text, kind: o.Type,
		flags: o.Flags, byREST: o.byREST, noReferenced: o.NoReferenced, extra: o.Extra,
		nonce: o.raw.nonce, allowed: o.raw.allowed, embeds: o.raw.embeds, components: o.raw.components}
	if o.Nonce != "" {
		m.nonce, _ = json.Marshal(o.Nonce)
	}
	if o.byREST {
		m.application = u.id
	}
	u.webhook = u.webhook || o.Webhook
	for _, name := range o.Attachments {
		m.attach(s.newID(), name)
	}
	var only *allowedMentions
	if o.raw.allowed != nil {
		only = &allowedMentions{}
		_ = json.Unmarshal(o.raw.allowed, only)
	}
	s.resolve(m, only)
	s.refer(m, o, only)
	if o.Poll != nil {
		s.openPoll(m, o.Poll)
	}
	s.commit(m)
	if !o.Silent {
		s.messageEvent("MESSAGE_CREATE", m)
	}
	s.unfurl(m)
	return m
}

func (s *Server) idFor(o PostOptions) ID {
	id := o.ID
	switch {
	case id != 0:
	case !o.At.IsZero():
		id = IDAt(o.At)
	default:
		return s.newID()
	}
	for s.world.messages[id] != nil {
		id++
	}
	return id
}

// refer links a message to the one it answers, forwards or announces.
func (s *Server) refer(m *message, o PostOptions, only *allowedMentions) {
	switch {
	case o.Reply != 0:
		if m.kind == typeDefault {
			m.kind = typeReply
		}
		m.ref = &reference{message: o.Reply, channel: m.channel.id}
		if target := s.world.messages[o.Reply]; target != nil {
			m.ref.channel = target.channel.id
			m.pings = !o.NoPing && (only == nil || only.RepliedUser) && m.kind == typeReply && !target.webhook
			if m.pings && !slices.Contains(m.mentions, target.author) {
				m.mentions = append(m.mentions, target.author)
			}
		}
	case o.Forward != 0:
		m.snapshot = s.world.messages[o.Forward]
		frozen := *m.snapshot
		m.snapshot = &frozen
		m.flags |= flagHasSnapshot
		m.ref = &reference{kind: 1, message: o.Forward, channel: frozen.channel.id}
	case o.thread != nil:
		m.ref = &reference{message: o.thread.id, channel: o.thread.id}
	}
	if m.ref != nil && m.guild() != nil {
		m.ref.guild = m.guild().id
	}
}

func (m *message) attach(id ID, name string) {
	url := fmt.Sprintf("https://cdn.discord.test/attachments/%d/%d/%s?ex=0&is=0&hm=0", m.channel.id, id, name)
	m.attachments = append(m.attachments, object{"id": id, "filename": name, "size": 1024, "url": url,
		"proxy_url": url, "content_type": "application/octet-stream"})
}

// commit notes who can see a message and puts it into the history.
func (s *Server) commit(m *message) {
	m.seers = s.seers(m.channel)
	if m.flags&flagEphemeral != 0 {
		m.seers = []ID{m.author.id}
	}
	s.place(m)
	if t := m.channel.thread; t != nil && !t.archived && m.flags&flagEphemeral == 0 {
		s.rest(m.channel)
	}
}

// place puts a message where its id belongs.
func (s *Server) place(m *message) {
	c := m.channel
	s.world.messages[m.id] = m
	s.world.history = append(s.world.history, m)
	if m.flags&flagEphemeral != 0 {
		return
	}
	at, _ := slices.BinarySearchFunc(c.messages, m.id, func(o *message, id ID) int { return cmp.Compare(o.id, id) })
	c.messages = slices.Insert(c.messages, at, m)
	c.last = s.latest(c.last, m.id)
	if c.thread != nil && m.id != c.id {
		c.thread.count++
		c.thread.total++
	}
}

// unfurl plans the update that adds a link's preview: not an edit, so edited_timestamp stays as it is (F48).
func (s *Server) unfurl(m *message) {
	wait := s.Unfurl
	if wait == 0 {
		wait = 400 * time.Millisecond
	}
	link := strings.Contains(m.content, "https://") || strings.Contains(m.content, "http://")
	if !link || wait < 0 || m.flags&(flagSuppressEmbeds|flagEphemeral) != 0 {
		return
	}
	s.after(wait, func() {
		if m.gone() {
			return
		}
		m.embeds = append(m.embeds, object{"type": "link", "title": "A page", "url": "https://example.test/"})
		s.messageEvent("MESSAGE_UPDATE", m)
	})
}
