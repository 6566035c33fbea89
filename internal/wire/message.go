package wire

import (
	"time"

	"gapless"
)

// rawMessage is Discord's message object with what the gateway adds (protocol A20, D2): what can be read at once, and
// the rest as it came.
type rawMessage struct {
	id, channel, guild, webhook snowflake
	channelType, kind, flags    number
	nonce                       string
	edited                      time.Time

	author, content, mentions, roles []byte
	member                           []byte
	reference, referenced, snapshots []byte
	attachments, embeds, components  []byte
	stickers, poll                   []byte
}

// read takes in a message object and reports whether it was one.
func (m *rawMessage) read(raw []byte) bool {
	o := object(raw)
	for o.next() {
		m.take(string(o.key), o.value)
	}
	return o.whole
}

func (m *rawMessage) take(key string, v []byte) {
	switch key {
	case "id":
		m.id = snowflakeOf(v)
	case "channel_id":
		m.channel = snowflakeOf(v)
	case "guild_id":
		m.guild = snowflakeOf(v)
	case "webhook_id":
		m.webhook = snowflakeOf(v)
	case "channel_type":
		m.channelType = numberOf(v)
	case "type":
		m.kind = numberOf(v)
	case "flags":
		m.flags = numberOf(v)
	case "nonce":
		m.nonce = wordOf(v)
	case "edited_timestamp":
		m.edited = instantOf(v)
	default:
		m.keep(key, v)
	}
}

// keep keeps a member that is read later, if at all.
func (m *rawMessage) keep(key string, v []byte) {
	switch key {
	case "author":
		m.author = v
	case "member":
		m.member = v
	case "content":
		m.content = v
	case "mentions":
		m.mentions = v
	case "mention_roles":
		m.roles = v
	case "message_reference":
		m.reference = v
	case "referenced_message":
		m.referenced = v
	case "message_snapshots":
		m.snapshots = v
	case "attachments":
		m.attachments = v
	case "embeds":
		m.embeds = v
	case "components":
		m.components = v
	case "sticker_items":
		m.stickers = v
	case "poll":
		m.poll = v
	}
}

// parsed is a message with what became of reading it.
type parsed struct {
	gapless.Message
	channelType number
	text        bool // content was there
	readable    bool // nothing that was there and matters is beyond understanding
}

// parseMessage reads one message object; ok is false when it is no object.
func parseMessage(raw []byte) (p parsed, ok bool) {
	var m rawMessage
	if !m.read(raw) {
		return p, false
	}
	author, authorOK := parseUser(m.author)
	authorOK = !present(m.author) || authorOK && author.ID != 0
	forwarded := m.forwarded()
	text, said, textOK := m.text(forwarded)
	mentions, bots := mentioned(m.mentions)
	p.Message = gapless.Message{
		ID: gapless.MessageID(m.id), Place: gapless.ChannelID(m.channel), Guild: gapless.GuildID(m.guild),
		Author: author.user(), Webhook: gapless.UserID(m.webhook),
		Type: m.kind.value, Flags: m.flags.value, Text: text, Forwarded: len(text) - said,
		Attachments: m.extras(forwarded),
		Mentions:    mentions, MentionBots: bots, Roles: memberRoles(m.member),
		MentionRoles: idsOf[gapless.RoleID](m.roles),
		Reference:    m.refersTo(), Nonce: m.nonce, EditedAt: m.edited,
		Raw: raw,
	}
	p.channelType = m.channelType
	p.text = len(m.content) > 0
	p.readable = authorOK && textOK && m.id != 0 && m.channel != 0
	return p, true
}

// text is the content and, in a forward, the content of what was forwarded (C62); said is how much of it the author
// wrote. ok is false when there is a content that is no string.
func (m *rawMessage) text(forwarded []rawMessage) (text string, said int, ok bool) {
	text, ok = stringOf(m.content)
	said = len(text)
	for _, s := range forwarded {
		more, fine := stringOf(s.content)
		ok = ok && fine
		if text != "" && more != "" {
			text += "\n"
		}
		text += more
	}
	return text, said, ok
}

// mentioned is the users of a list of mentions, and those of them that are bots.
func mentioned(raw []byte) (all, bots []gapless.UserID) {
	for e := array(raw); e.next(); {
		id, bot := snowflakeOf(e.value), false
		for o := object(e.value); o.next(); {
			switch string(o.key) {
			case "id":
				id = snowflakeOf(o.value)
			case "bot":
				bot = yes(o.value, bot)
			}
		}
		if id == 0 {
			continue
		}
		all = append(all, gapless.UserID(id))
		if bot {
			bots = append(bots, gapless.UserID(id))
		}
	}
	return all, bots
}

// memberRoles is the roles of the member object that the gateway adds for an author; nil where there is none or it says
// nothing of roles (protocol A20, C58).
func memberRoles(raw []byte) (roles []gapless.RoleID) {
	for m := object(raw); m.next(); {
		if string(m.key) != "roles" || m.value[0] != '[' {
			continue
		}
		if roles = idsOf[gapless.RoleID](m.value); roles == nil {
			roles = []gapless.RoleID{}
		}
	}
	return roles
}

// extras counts what makes a message not empty beside its text, forwarded things included.
func (m *rawMessage) extras(forwarded []rawMessage) int {
	n := count(m.attachments) + count(m.embeds) + count(m.components) + count(m.stickers)
	if present(m.poll) {
		n++
	}
	for _, s := range forwarded {
		n += s.extras(nil) // Discord nests none
	}
	return n
}

// forwarded is the messages that were forwarded with this one.
func (m *rawMessage) forwarded() (out []rawMessage) {
	for e := array(m.snapshots); e.next(); {
		var inner rawMessage
		o := object(e.value)
		for o.next() {
			if string(o.key) == "message" {
				inner.read(o.value)
			}
		}
		if o.whole {
			out = append(out, inner)
		}
	}
	return out
}

// refersTo tells absent, null and resolved referenced_message apart: not fetched, deleted, known (protocol D2).
func (m *rawMessage) refersTo() (ref gapless.Reference) {
	o := object(m.reference)
	for o.next() {
		switch string(o.key) {
		case "type":
			ref.Type = numberOf(o.value).value
		case "message_id":
			ref.Message = gapless.MessageID(snowflakeOf(o.value))
		case "channel_id":
			ref.Place = gapless.ChannelID(snowflakeOf(o.value))
		}
	}
	if string(m.referenced) == "null" {
		ref.Known = true
		return ref
	}
	for o = object(m.referenced); o.next(); {
		if string(o.key) != "author" {
			continue
		}
		if author, _ := parseUser(o.value); author.ID != 0 {
			ref.Known, ref.Author = true, gapless.UserID(author.ID)
		}
	}
	return ref
}

// stringOf reads a string; absent and null are empty, anything else is not ok.
func stringOf(raw []byte) (s string, ok bool) {
	if !present(raw) {
		return "", true
	}
	return unquote(raw)
}

// channel is what a message event says of the place it happened in, or nil. A human's DM also names its recipient.
func (p *parsed) channel() *gapless.Channel {
	if !p.channelType.known {
		return nil
	}
	c := &gapless.Channel{ID: p.Place, Guild: p.Guild, Kind: gapless.ChannelKind(p.channelType.value)}
	if c.Kind == gapless.DM && !p.Author.Bot && p.Webhook == 0 {
		c.Recipient = p.Author.ID
	}
	return c
}
