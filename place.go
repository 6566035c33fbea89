package gapless

import (
	"cmp"
	"time"
)

// Overlap is the stretch of snowflake time inside which ids may arrive out of
// order and a reading may miss what was just written (protocol D1, E10).
const Overlap = 10 * time.Second

// Place is what we know of one channel, thread or DM: who it is, and how far
// its history is known. The numbers only rise (R1 to R8).
type Place struct {
	ID        ChannelID
	Guild     GuildID
	Parent    ChannelID
	Kind      ChannelKind
	Name      string
	Recipient UserID

	Floor    MessageID // nothing at or below it is admitted from a reading
	Verified MessageID // everything up to here has been compared with history
	Head     MessageID // the highest id known, heard or listed
	Epoch    uint64    // the epoch it was last compared in
	Gone     bool      // deleted: no calls, kept for the record
	Hidden   bool      // the bot has never seen into it: its numbers mean nothing yet (R5)

	// Out is a place that configuration does not cover: its marks follow what is
	// heard, nothing of it is read, and it is met anew when it is covered again.
	Out bool
	// Restored is a place whose marks come from a restored ledger and have met
	// no inventory since: what opens next is for the operator (R15).
	Restored bool
	// TakesPart is the id from which on this bot takes part in the thread: what was
	// said before is not meant for it (S40). Zero: it does not.
	TakesPart MessageID

	// Owes is, for a place that bears threads, since when its archived threads
	// have not been listed; zero if nothing is owed (R7).
	Owes time.Time
}

// PlaceChange raises numbers of a place and renews its description. It is
// relative: applying it twice, or after another one, never lowers anything.
type PlaceChange struct {
	ID        ChannelID
	Describe  *Channel  // nil: leave the description
	Floor     MessageID // raise to at least
	Verified  MessageID // raise to at least
	Head      MessageID // raise to at least
	Epoch     uint64    // raise to at least
	Gone      bool      // the place was deleted
	Back      bool      // the place was seen again
	Hide      bool      // it is met out of sight
	Show      bool      // it has come into sight
	Leave     bool      // configuration covers it no longer
	Enter     bool      // configuration covers it again
	Restore   bool      // its marks were restored
	Compare   bool      // its restored marks have met an inventory
	TakesPart MessageID // the bot takes part from here on; an earlier beginning stays
	Owe       time.Time // its listing is owed since then; an earlier debt stays
	Paid      time.Time // the debt of exactly that beginning is paid
}

// Apply is the place after the change. A ledger that stores places must do
// exactly this.
func (p Place) Apply(c PlaceChange) Place {
	p.ID = c.ID
	if d := c.Describe; d != nil {
		p.Kind = d.Kind
		p.Guild = cmp.Or(d.Guild, p.Guild)
		p.Parent = cmp.Or(d.Parent, p.Parent)
		p.Recipient = cmp.Or(d.Recipient, p.Recipient)
		if d.Name != "" {
			p.Name = d.Name
		}
	}
	p.Floor = max(p.Floor, c.Floor)
	p.Verified = max(p.Verified, c.Verified)
	p.Head = max(p.Head, c.Head)
	p.Epoch = max(p.Epoch, c.Epoch)
	p.Gone = (p.Gone || c.Gone) && !c.Back
	p.Hidden = (p.Hidden || c.Hide) && !c.Show
	p.Out = (p.Out || c.Leave) && !c.Enter
	p.Restored = (p.Restored || c.Restore) && !c.Compare
	if c.TakesPart != 0 && (p.TakesPart == 0 || c.TakesPart < p.TakesPart) {
		p.TakesPart = c.TakesPart
	}
	if !c.Paid.IsZero() && p.Owes.Equal(c.Paid) {
		p.Owes = time.Time{}
	}
	if !c.Owe.IsZero() && (p.Owes.IsZero() || c.Owe.Before(p.Owes)) {
		p.Owes = c.Owe
	}
	return p
}

// GuildMark is what the ledger keeps of a guild.
type GuildMark struct {
	ID     GuildID
	Shard  int
	Name   string
	Epoch  uint64 // raised by GUILD_DELETE and every GUILD_CREATE (R2)
	Listed uint64 // the sum of shard and guild epoch its inventory was last seen in
	Away   bool   // left, or unavailable
	// JoinedAt is when we joined, zero if unknown: what was said in the guild
	// before is never replayed (R4).
	JoinedAt time.Time
	// ListedAt is when its inventory was last seen. A thread made since that we
	// do not know was lost with all that was said in it (R4).
	ListedAt time.Time
}

// ShardMark is what the ledger keeps of a shard's discontinuities.
type ShardMark struct {
	Shard int
	Epoch uint64
	Since time.Time // beginning of the outage that the last discontinuity ended
	At    time.Time // when that discontinuity was stored

	// Restored is when the ledger was last found restored; zero: never (R15).
	Restored time.Time
}
