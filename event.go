package gapless

import (
	"encoding/json"
	"time"
)

// Origin tells how an event came to us. It is stored with the message, shown
// to the handler, and never an argument of admission.
type Origin string

// The origins.
const (
	OriginLive    Origin = "live"    // heard on the connection as it happened
	OriginReplay  Origin = "replay"  // heard again, or for the first time, after a resume
	OriginHistory Origin = "history" // read over REST to fill a gap
	OriginAudit   Origin = "audit"   // read over REST to look for silent losses
)

// Recovered reports whether the message was read rather than heard.
func (o Origin) Recovered() bool { return o == OriginHistory || o == OriginAudit }

// EventKind says what a source reports.
type EventKind string

// The kinds of event and the fields of [Event] that each fills.
const (
	MessageCreated  EventKind = "message_created"  // Message
	MessageEdited   EventKind = "message_edited"   // Message, whole
	MessagesDeleted EventKind = "messages_deleted" // Place, IDs
	ChannelSeen     EventKind = "channel_seen"     // Channel: a channel or thread, created or changed
	ChannelGone     EventKind = "channel_gone"     // Place
	ThreadsListed   EventKind = "threads_listed"   // Guild: the active threads of what came into sight
	GuildSeen       EventKind = "guild_seen"       // Guild: an inventory
	GuildGone       EventKind = "guild_gone"       // Guild: left, or unavailable
	RolesSeen       EventKind = "roles_seen"       // Guild: roles that were made or changed
	RolesGone       EventKind = "roles_gone"       // Guild: roles that were deleted
	MembersSeen     EventKind = "members_seen"     // Guild: members whose roles changed
	SessionBegan    EventKind = "session_began"    // Self, Guilds; a discontinuity of the shard (R2)
	SessionResumed  EventKind = "session_resumed"  // nothing was lost, says Discord (C03)
	SequenceJumped  EventKind = "sequence_jumped"  // Note; a discontinuity of the shard (R2)
	Unreadable      EventKind = "unreadable"       // Note, Place and IDs where they could be read; a discontinuity (R2, C142)
)

// Event is one thing a source reports, in the order it reported it.
type Event struct {
	Kind    EventKind
	Origin  Origin
	At      time.Time // when it was read, by the host's clock
	Message *Message
	Channel *Channel // ChannelSeen; with MessageCreated, what the event itself says of its place, or nil
	Guild   *Guild
	Guilds  []GuildID   // SessionBegan: the guilds READY named
	Place   ChannelID   // MessagesDeleted, ChannelGone, Unreadable
	IDs     []MessageID // MessagesDeleted, Unreadable
	Self    User        // SessionBegan
	Note    string      // what jumped, or which dispatch could not be read; never message text
}

// User is an account as far as admission needs it.
type User struct {
	ID UserID `json:"id"`
	// Name is the unique user name, never the display name. Of a person whose
	// account still has a discriminator it is both, as in `ann#0042`: the name
	// alone is not unique.
	Name   string `json:"name"`
	Bot    bool   `json:"bot"`
	System bool   `json:"system,omitempty"`
}

// Message is Discord's message as far as our rules need it, beside the JSON
// they were read from. A message read over REST lacks Guild until the engine
// completes it from the place (protocol B3, C58).
type Message struct {
	ID           MessageID
	Place        ChannelID
	Guild        GuildID
	Author       User
	Webhook      UserID // the webhook that wrote it, or zero
	Type         int    // protocol D3
	Flags        int    // protocol D4
	Text         string
	Forwarded    int // how many bytes at the end of Text were forwarded, not written by the author (C62)
	Attachments  int // attachments, stickers, embeds, polls and components: things that make a message not empty
	Mentions     []UserID
	MentionBots  []UserID // those of Mentions that are bots (S39)
	MentionRoles []RoleID
	Roles        []RoleID // the author's in the guild, where they came along; nil: they did not, empty: none (protocol A20, C58)
	Reference    Reference
	Nonce        string
	EditedAt     time.Time       // zero if never edited
	Raw          json.RawMessage `json:"-"` // as received, byte for byte
}

// Reference points from a message to another one.
type Reference struct {
	Type    int // 0 reply and the like, 1 forward (protocol D2, C62)
	Message MessageID
	Place   ChannelID
	Author  UserID // of the referenced message, where it came along
	Known   bool   // referenced_message was present; with a zero Author it was deleted
}

// Said is what the author wrote: the text without what was forwarded.
func (m *Message) Said() string { return m.Text[:max(len(m.Text)-m.Forwarded, 0)] }

// The flags that matter here (protocol D4).
const (
	flagCrosspost     = 1 << 1 // a copy of an announcement, from the channel followed
	flagSourceDeleted = 1 << 3 // of a crosspost whose original is gone
	flagEphemeral     = 1 << 6
)

// Replies reports whether the message is a reply: a forward also refers to a
// message, but answers none (C62).
func (m *Message) Replies() bool {
	return m.Type == 19 && m.Reference.Type == 0 && m.Reference.Message != 0
}

// Ephemeral reports whether only the invoking user sees the message; such a
// message is in no history and raises no mark (R1).
func (m *Message) Ephemeral() bool { return m.Flags&flagEphemeral != 0 }

// ChannelKind is Discord's channel type (protocol D5).
type ChannelKind int

// The channel types that hold messages, threads or neither.
const (
	// KindUnknown is a place of which nobody has told the kind yet. It is taken
	// to hold messages: asking in vain is better than not asking.
	KindUnknown        ChannelKind = -1
	GuildText          ChannelKind = 0
	DM                 ChannelKind = 1
	GuildVoice         ChannelKind = 2
	GroupDM            ChannelKind = 3
	GuildCategory      ChannelKind = 4
	GuildAnnouncement  ChannelKind = 5
	AnnouncementThread ChannelKind = 10
	PublicThread       ChannelKind = 11
	PrivateThread      ChannelKind = 12
	GuildStage         ChannelKind = 13
	GuildDirectory     ChannelKind = 14
	GuildForum         ChannelKind = 15
	GuildMedia         ChannelKind = 16
)

// Thread reports whether the place is a thread or forum post.
func (k ChannelKind) Thread() bool {
	return k == AnnouncementThread || k == PublicThread || k == PrivateThread
}

// Direct reports whether the place belongs to no guild.
func (k ChannelKind) Direct() bool { return k == DM || k == GroupDM }

// BearsThreads reports whether threads can be made in the place (protocol D5).
func (k ChannelKind) BearsThreads() bool {
	switch k {
	case GuildText, GuildAnnouncement, GuildForum, GuildMedia:
		return true
	}
	return false
}

// HoldsMessages reports whether the place has messages of its own; forums,
// media channels and categories have none, and a forum's last_message_id is a
// thread (protocol D5, C48).
func (k ChannelKind) HoldsMessages() bool {
	switch k {
	case GuildCategory, GuildDirectory, GuildForum, GuildMedia:
		return false
	}
	return true
}

// Channel is one entry of an inventory, or a channel event.
type Channel struct {
	ID        ChannelID
	Guild     GuildID
	Parent    ChannelID
	Kind      ChannelKind
	Name      string
	Last      MessageID // last_message_id; zero when null or absent
	Owner     UserID
	Recipient UserID    // of a DM
	JoinedAt  time.Time // our own membership of a thread, zero when unknown
	Archived  bool
	ArchiveAt time.Time // when a thread was last archived or reopened, zero when unknown
	Created   bool      // the event reports its birth

	// Overwrites are the channel's; nil where they did not come along, empty
	// where there are none.
	Overwrites []Overwrite
}

// Guild is an inventory of one guild, or its going.
type Guild struct {
	ID          GuildID
	Name        string
	Unavailable bool
	JoinedAt    time.Time // of our own membership; zero when unknown
	Channels    []Channel
	Threads     []Channel // active ones only

	// What decides about sight (R5); zero where it did not come along.
	Owner   UserID
	Roles   []Role
	Members []Member // some, among them the bot itself
	// Bots are those of Roles that came with a bot and belong to it alone.
	Bots []BotRole
}

// BotRole is a role that Discord made for a bot when it was invited.
type BotRole struct {
	Role RoleID
	Bot  UserID
}

// Membership is what a look-up found out about a message's author in the
// message's guild (C58, C60).
type Membership struct {
	Known bool // there was a definite answer
	Left  bool // not a member, or no more
	Roles []RoleID
}

// Session is where one gateway session stands: what a restarted process needs
// to resume it, stored with the rows it covers (promise 1), and the
// identify budget, which outlives processes (C14).
type Session struct {
	Shard     int
	Shards    int    // how many shards the bot had when it began; zero is one
	ID        string // empty: nothing to resume
	ResumeURL string
	Seq       int64
	Self      User
	State     string    // what the connection is doing, in one word, for status
	SeenAt    time.Time // the last instant at which the connection was known to be good
	Starts    Starts
}

// Starts is Discord's identify budget as last seen, less what we used since.
type Starts struct {
	Remaining    int
	ResetAt      time.Time
	IdentifiedAt time.Time // our last identify
}

// Batch is what a source hands to [Engine.Admit]: events and the checkpoint
// they reach, stored together or not at all. Batches of one session are handed
// over one after the other.
type Batch struct {
	Events  []Event
	Session *Session
}
