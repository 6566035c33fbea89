package discordsim

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Message types the simulator makes by itself (protocol D3); Post takes any other number.
const (
	typeDefault       = 0
	typeThreadCreated = 18
	typeReply         = 19
	typeThreadStarter = 21
)

// Message flags the simulator sets or obeys (protocol D4).
const (
	flagSuppressEmbeds = 1 << 2
	flagHasThread      = 1 << 5
	flagEphemeral      = 1 << 6
	flagHasSnapshot    = 1 << 14
)

type message struct {
	id           ID
	channel      *channel
	author       *user
	webhook      bool
	content      string
	kind         int
	flags        int
	nonce        json.RawMessage
	ref          *reference
	snapshot     *message // what a forward copied
	mentions     []*user
	roles        []ID
	everyone     bool
	attachments  []object
	embeds       []any
	components   []any
	reactions    []*reaction
	poll         *poll
	edited       time.Time
	deleted      time.Time
	pinned       time.Time
	thread       *channel // the thread that hangs on it
	application  ID
	allowed      json.RawMessage // allowed_mentions as sent
	seers        []ID            // bots that could see it when it was made
	byREST       bool
	noReferenced bool
	pings        bool   // a reply that mentions the author it answers
	extra        object // fields a test adds or overrides
}

// reference is the message_reference of a reply, a forward or a system message.
type reference struct {
	kind    int // 0 default, 1 forward
	message ID
	channel ID
	guild   ID
}

func (r *reference) body() object {
	b := object{"type": r.kind, "channel_id": r.channel}
	if r.message != 0 {
		b["message_id"] = r.message
	}
	if r.guild != 0 {
		b["guild_id"] = r.guild
	}
	return b
}

func (m *message) gone() bool     { return !m.deleted.IsZero() }
func (m *message) guild() *guild  { return m.channel.guild }
func (m *message) listable() bool { return !m.gone() && m.flags&flagEphemeral == 0 }

// reveals tells whether a viewer gets the text: it may by its settings, or by one of the exceptions of A18.
func (m *message) reveals(viewer *bot, allowed bool) bool {
	return allowed || m.author == viewer.user || m.guild() == nil || slices.Contains(m.mentions, viewer.user)
}

// body is the message as REST shows it (F37): no guild_id, no member, no channel_type. allowed is whether the
// viewer's settings unblank texts.
func (m *message) body(s *Server, viewer *bot, allowed bool) object {
	b := m.core(s, viewer, allowed)
	if m.ref == nil || m.ref.kind == 1 || m.noReferenced {
		return b
	}
	target := s.world.messages[m.ref.message]
	switch {
	case m.kind != typeReply && m.kind != typeThreadStarter:
	case target == nil || target.gone():
		b["referenced_message"] = nil
	default:
		b["referenced_message"] = target.core(s, viewer, allowed)
	}
	return b
}

func (m *message) core(s *Server, viewer *bot, allowed bool) object {
	mentions := make([]object, len(m.mentions))
	for i, u := range m.mentions {
		mentions[i] = u.body()
	}
	b := object{"id": m.id, "channel_id": m.channel.id, "author": m.author.body(), "content": m.content,
		"timestamp": stamp(m.id.Time()), "edited_timestamp": stampOrNull(m.edited), "tts": false,
		"mention_everyone": m.everyone, "mentions": mentions, "mention_roles": orEmpty(m.roles),
		"attachments": orEmpty(m.attachments), "embeds": orEmpty(m.embeds), "components": orEmpty(m.components),
		"pinned": !m.pinned.IsZero(), "type": m.kind, "flags": m.flags}
	revealed := m.reveals(viewer, allowed)
	if !revealed {
		b["content"], b["embeds"], b["attachments"], b["components"] = "", []any{}, []any{}, []any{}
	}
	if m.poll != nil && revealed {
		b["poll"] = m.poll.body(viewer.user.id)
	}
	if m.webhook {
		b["webhook_id"] = m.author.id
	}
	if m.application != 0 {
		b["application_id"] = m.application
	}
	if len(m.reactions) > 0 {
		b["reactions"] = m.reactionBodies(viewer.user.id)
	}
	if m.ref != nil {
		b["message_reference"] = m.ref.body()
	}
	if m.snapshot != nil {
		b["message_snapshots"] = []object{{"message": m.snapshot.snapshotBody(revealed)}}
	}
	if m.thread != nil && !m.thread.gone() {
		b["thread"] = m.thread.threadBody(viewer.user.id)
	}
	maps.Copy(b, m.extra)
	return b
}

// snapshotBody is what a forward shows of the original: no author (F59).
func (m *message) snapshotBody(revealed bool) object {
	b := object{"type": m.kind, "content": m.content, "embeds": orEmpty(m.embeds),
		"attachments": orEmpty(m.attachments), "timestamp": stamp(m.id.Time()),
		"edited_timestamp": stampOrNull(m.edited), "flags": m.flags, "mentions": []any{},
		"mention_roles": orEmpty(m.roles), "components": orEmpty(m.components)}
	if !revealed {
		b["content"], b["embeds"], b["attachments"], b["components"] = "", []any{}, []any{}, []any{}
	}
	return b
}

// live is the message as the gateway shows it: completed with guild, member and kind of channel (F37).
func (m *message) live(s *Server, viewer *bot, allowed bool) object {
	b := m.body(s, viewer, allowed)
	b["channel_type"] = m.channel.kind
	g := m.guild()
	if g == nil || m.flags&flagEphemeral != 0 {
		return b
	}
	b["guild_id"] = g.id
	if mem := g.members[m.author.id]; mem != nil && !m.webhook {
		b["member"] = mem.partial()
	}
	mentions := make([]object, len(m.mentions))
	for i, u := range m.mentions {
		mentions[i] = u.body()
		if mem := g.members[u.id]; mem != nil {
			mentions[i]["member"] = mem.partial()
		}
	}
	b["mentions"] = mentions
	return b
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// messageEvent announces a message to the sessions that may see it.
func (s *Server) messageEvent(kind string, m *message) {
	intents := intentGuildMessages
	sees := func(b *bot) bool { return m.channel.visible(b.user.id) }
	if m.guild() == nil || m.flags&flagEphemeral != 0 {
		intents = intentDirectMessages
	}
	if m.flags&flagEphemeral != 0 {
		sees = func(b *bot) bool { return b.user == m.author }
	}
	s.dispatch(event{kind: kind, guild: m.guild(), channel: m.channel, message: m, intents: intents, sees: sees,
		body: func(sess *session) object {
			if kind == "MESSAGE_DELETE" {
				b := object{"id": m.id, "channel_id": m.channel.id}
				if g := m.guild(); g != nil {
					b["guild_id"] = g.id
				}
				return b
			}
			b := m.live(s, sess.bot, sess.reads())
			if kind == "MESSAGE_CREATE" && m.nonce != nil && sess.bot.user == m.author {
				b["nonce"] = m.nonce
			}
			return b
		}})
}

var (
	userMention = regexp.MustCompile(`<@!?(\d{17,19})>`)
	roleMention = regexp.MustCompile(`<@&(\d{17,19})>`)
)

// resolve fills in whom a text mentions.
func (s *Server) resolve(m *message, only *allowedMentions) {
	m.mentions, m.roles, m.everyone = nil, nil, false
	if !strings.Contains(m.content, "@") {
		return
	}
	for _, match := range userMention.FindAllStringSubmatch(m.content, -1) {
		id, _ := ParseID(match[1])
		if u := s.world.users[id]; u != nil && !slices.Contains(m.mentions, u) && only.user(id) {
			m.mentions = append(m.mentions, u)
		}
	}
	for _, match := range roleMention.FindAllStringSubmatch(m.content, -1) {
		id, _ := ParseID(match[1])
		if !slices.Contains(m.roles, id) && only.role(id) {
			m.roles = append(m.roles, id)
		}
	}
	m.everyone = only.everyone() &&
		(strings.Contains(m.content, "@everyone") || strings.Contains(m.content, "@here"))
}

// allowedMentions is the limit a bot sets on whom its message may ping. Nil allows everything (B5).
type allowedMentions struct {
	Parse       []string `json:"parse"`
	Roles       []ID     `json:"roles"`
	Users       []ID     `json:"users"`
	RepliedUser bool     `json:"replied_user"`
}

func (a *allowedMentions) user(id ID) bool {
	return a == nil || slices.Contains(a.Parse, "users") || slices.Contains(a.Users, id)
}

func (a *allowedMentions) role(id ID) bool {
	return a == nil || slices.Contains(a.Parse, "roles") || slices.Contains(a.Roles, id)
}

func (a *allowedMentions) everyone() bool { return a == nil || slices.Contains(a.Parse, "everyone") }
