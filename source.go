package gapless

import (
	"context"
	"time"
)

// History reads what Discord still has. Every method is one or more REST calls
// and says so; errors wrap [ErrForbidden], [ErrUnknownChannel],
// [ErrUnknownMessage], [ErrUnknownGuild], [ErrUnauthorized] or
// [ErrUnavailable], after the client's own bounded retries.
type History interface {
	// After reads the page of the at most limit (1 to 100) messages just above
	// an id (protocol B3): one call. It need not be sorted. A message of which
	// only the id can be read is given with Type -1 rather than left out.
	After(ctx context.Context, place ChannelID, after MessageID, limit int) (Page, error)
	// Message reads one message: one call.
	Message(ctx context.Context, place ChannelID, id MessageID) (Message, error)
	// Newest gives the id of the newest message, zero if there is none: one call.
	Newest(ctx context.Context, place ChannelID) (MessageID, error)
	// OpenDM gives the DM with a user, opened anew if Discord has closed it: one
	// call. It is how a DM is found whose channel is gone (R6, C50).
	OpenDM(ctx context.Context, user UserID) (Channel, error)
	// Channel reads one channel or thread: one call.
	Channel(ctx context.Context, id ChannelID) (Channel, error)
	// Member reads a member's roles: one call. Who is no member is a definite
	// answer too: Left.
	Member(ctx context.Context, guild GuildID, user UserID) (Membership, error)
	// Roles reads a guild's roles, and which of them are bots' own: one call.
	Roles(ctx context.Context, guild GuildID) (Guild, error)
	// Archived lists a parent's archived threads, one page, beginning at a
	// cursor that is empty at first: one call. Each list has its own order and
	// cursor (protocol B10); ErrForbidden on private ones asks for the joined.
	Archived(ctx context.Context, parent ChannelID, list ArchivedList, cursor string) (Listing, error)
	// Inventory lists a guild's channels and active threads: two calls.
	Inventory(ctx context.Context, guild GuildID) (Guild, error)
}

// ArchivedList says which archived threads are listed.
type ArchivedList string

// The lists of archived threads.
const (
	ArchivedPublic  ArchivedList = "public"  // newest archived first
	ArchivedPrivate ArchivedList = "private" // newest archived first; needs MANAGE_THREADS
	ArchivedJoined  ArchivedList = "joined"  // private ones we are in, newest made first (C47)
)

// Listing is one page of archived threads.
type Listing struct {
	Threads []Channel
	Next    string // cursor of the next page, empty at the end
}

// Page is one page of history, as Discord gave it.
type Page struct {
	Messages []Message
}

// Replier sends.
type Replier interface {
	// Send does what the reply's Kind says. A message is posted with its nonce,
	// enforced, and the result is its id; reactions and edits give their target,
	// and doing them again changes nothing. A *RefusedError is Discord's definite no. ErrNotSent says that it
	// was certainly not taken and may be tried again; with any other error it
	// may have been.
	Send(ctx context.Context, r Reply) (MessageID, error)
	// Find looks in the place's history, from the instant of the intent on,
	// for an own message with the reply's reference and text. found is false
	// only if the history up to now was read.
	Find(ctx context.Context, r Reply, self UserID) (id MessageID, found bool, err error)
}

// Clock tells Discord's time: the host's, corrected by what Discord's answers
// say. The zero offset is the host's own time.
type Clock interface {
	// Offset is how far Discord's clock is ahead of the host's.
	Offset() time.Duration
}
