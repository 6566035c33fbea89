package gapless

import (
	"context"
	"time"
)

// Ledger is all that the engine needs to remember, cut by consumer. Every
// method is one transaction: it takes effect whole, durably and before it
// returns nil, or not at all. Methods may be called from any goroutine; a
// ledger may store several calls in one commit, but each stands or falls
// alone. After an error nothing of the call is stored, unless the error is
// the context's, in which case it may be.
//
// The suite in ledgertest checks each sentence of these contracts.
type Ledger interface {
	Intake
	Lanes
	Outbox
	Recovery
	Operator
}

// Intake stores what sources report and readers read.
type Intake interface {
	// Load gives all that the engine keeps in memory, as stored.
	Load(ctx context.Context) (Memory, error)
	// Append stores one change. See Change for what each part does.
	//
	// A message is decided once: an id that has a row or a refusal is left as
	// it is (R10, promise 2), whatever its origin; a refusal gives way to an
	// admission that Reopens it.
	Append(ctx context.Context, c Change) (Stored, error)
}

// Memory is the engine's working memory as the ledger has it.
type Memory struct {
	Sessions []Session
	Shards   []ShardMark
	Guilds   []GuildMark
	Places   []Place
	Gaps     []Gap   // open ones
	Ranges   []Range // those that verified has not passed yet

	// Undecided are the rows that wait for a look-up, lowest id first (R11).
	Undecided []Item
	// Behind is how many commits the ledger lacked, over its life, when it was
	// opened beside a witness that knew of more: it was restored from a backup.
	// Noted is how many of them the engine has taken note of (R15).
	Behind, Noted int64
}

// Change is one transaction of coverage: rows, decisions and marks together
// (promises 1 and 5).
type Change struct {
	At time.Time // Discord's now; stored as the instant of everything in it

	Session *Session      // replaces the session of its shard
	Shards  []ShardMark   // replace, except that Epoch never falls
	Guilds  []GuildMark   // replace, except that Epoch and Listed never fall
	Places  []PlaceChange // applied by Place.Apply; an unknown place is created
	Opened  []Gap         // stored unless one of that id exists, open or closed
	Moved   []GapMove     // applied by Gap.Apply; ErrStale for the whole change as GapMove says
	Ranges  []Range       // stored

	// Admitted messages become rows: pending, in the lane of their place.
	// One whose id was deleted before stays deleted (R12); one that an edit
	// came before takes the newer text.
	Admitted []Item
	// Undecided messages become rows that keep their place in the lane without
	// being claimable (R11). An id that stands undecided is decided by appearing
	// in Admitted or Refused: admitted, it becomes pending with that Ground,
	// keeping its Origin, Gap, FirstSeen and the newer text (by EditedAt; the
	// one given now if they are equal); refused, its row and text go. In
	// Undecided again, it is renewed in the same way. A change decides an id
	// whatever the order of its parts.
	Undecided []Item
	// Ended ids are stored as handled elsewhere: each a settled delivery of its
	// own, without text (S56). One that stood undecided is decided by it.
	Ended []Ending
	// Letters are replies that belong to no delivery, as notices do: one that
	// names a delivery is an error. One whose ID exists is left as it is.
	Letters []Reply
	// Noted is stored as Memory.Noted if it is larger.
	Noted int64
	// Refused ids get a decision without text. A refusal in a range that
	// verified has passed by Overlap may be forgotten.
	Refused []Refusal
	// Edited messages renew the text of an unsettled row if they are newer
	// than it (by EditedAt); for an id without row or refusal they are kept
	// until it is decided (R12). A deleted or settled row is left alone.
	Edited []Message
	// Deleted ids take the text from every row; pending ones end as deleted;
	// an id without row or refusal is stored as deleted (R12).
	Deleted []Deletion
	// Own are messages of our own that were heard or read: evidence. The row
	// of Reference notes that it was answered (type 0 references only; the
	// caller sees to it); a reply with the same Nonce that is not final is
	// sent, with this id.
	Own []OwnMessage
}

// Empty reports whether there is nothing to store.
func (c *Change) Empty() bool {
	return c.Session == nil && len(c.Shards)+len(c.Guilds)+len(c.Places)+len(c.Opened)+len(c.Moved)+len(c.Ranges)+
		len(c.Admitted)+len(c.Refused)+len(c.Edited)+len(c.Deleted)+len(c.Own)+
		len(c.Undecided)+len(c.Ended)+len(c.Letters) == 0 && c.Noted == 0
}

// Ending is a message that somebody else has handled.
type Ending struct {
	Place  ChannelID
	ID     MessageID
	Reason Reason // Answered or Done
}

// Refusal is a decision against a message.
type Refusal struct {
	Place     ChannelID
	ID        MessageID
	Reason    Reason
	Addressed bool // the message was meant for us: kept for explain until pruned by age
	Origin    Origin
}

// Deletion is a message that is gone.
type Deletion struct {
	Place ChannelID
	ID    MessageID
}

// OwnMessage is a message this bot wrote.
type OwnMessage struct {
	ID        MessageID
	Place     ChannelID
	Reference MessageID // what it answers, zero for nothing
	Nonce     string
}

// Stored says what an Append came to.
type Stored struct {
	New    []MessageID // the admitted ids that became claimable rows by this change
	Known  int         // ids of Admitted, Undecided, Ended and Refused that had been decided before
	Lanes  []LaneID    // the lanes of New, each once, in order of first appearance
	Closed []DeliveryID
}

// Lanes hands out turns. At most one delivery of a lane is leased at any time.
type Lanes interface {
	// Claim takes the next turn of a lane, or says when to ask again.
	//
	// A waiting delivery of the lane comes first; until its NotBefore has
	// passed the lane waits. Otherwise the lane's lowest pending message makes
	// a new delivery, named after it, unless the message's own NotBefore has
	// not passed, or an open gap of its place holds it (Gap.Holds), or it is
	// recovered, the claim is Paced and no heard message waits in the lane.
	//
	// Members deleted since drop out; a delivery left without any is settled
	// as deleted and the next one is looked at. One that was interrupted and
	// all of whose members have been answered by an own message is settled as
	// answered instead of started again (evidence, DESIGN 4).
	//
	// An undecided row whose NotBefore has not passed holds every pending
	// message above it in its lane until then; it is never claimed itself (R11).
	//
	// The messages of a new delivery follow Claim.Backlog and Claim.Join:
	// Join adds each next pending message of the lane that is of the same
	// author, written within Join of the member before, both of them Plain;
	// what others wrote in between stays behind. BacklogJoined adds each next
	// pending one of the same author, up to the first of another. Neither adds
	// one that a gap or an undecided row holds, nor any above it; a NotBefore
	// of its own holds back the first member alone. BacklogLatest takes the
	// newest pending message of the lane instead of the lowest, waits while any
	// gap of its place holds, and settles those below it, each as a delivery of
	// its own, as superseded: they are Older. It joins nothing.
	//
	// Later are the pending messages of the first member's author above the
	// last member, at most LaterLimit. A delivery that was claimed before keeps
	// its members.
	//
	// A parked delivery neither stops its lane nor is claimed before its
	// NotBefore; then it is like a waiting one. Offer.Parked is the lowest
	// parked delivery of the lane whose first member had the same author as the
	// offered one's.
	//
	// The delivery returned is leased: Attempt and Fence are raised, Boot set,
	// NotBefore and Deadline cleared.
	Claim(ctx context.Context, c Claim) (Offer, error)
	// Settle stores the end of a turn: the delivery as Delivery.Next made it,
	// and its replies. ErrStale if the delivery is not leased with its Fence.
	// Members follow: settled or dead with the delivery, unchanged otherwise.
	// Parked is an end of a turn like Waiting. A Deadline ends with the turn;
	// an Effect, stored by Mark or here, stays.
	Settle(ctx context.Context, s Settlement) error
	// Mark stores what is known of a turn under way: that it was handed over
	// until Deadline, or has had an effect. ErrStale if the delivery is not
	// leased with the Fence.
	Mark(ctx context.Context, m Mark) error
	// Unpark lets a parked delivery wait for its turn at the instant, with the
	// Reason Confirmed. ErrStale
	// if it is not parked.
	Unpark(ctx context.Context, id DeliveryID, at time.Time) error
	// Leases gives the deliveries that are leased, with members.
	Leases(ctx context.Context) ([]Delivery, error)
	// Ready gives each lane that has a pending message or a waiting or parked
	// delivery and no leased one, with the lowest id first.
	Ready(ctx context.Context) ([]LaneID, error)
}

// Claim asks for the next turn of a lane.
type Claim struct {
	Lane  LaneID
	Boot  string
	Now   time.Time
	Paced bool // recovered messages must wait unless a heard one waits behind them

	Backlog Backlog       // empty: BacklogEach
	Join    time.Duration // plain messages of one author written within this of each other are one turn; zero: none
}

// Backlog says what a turn takes of what waits in its lane.
type Backlog string

// The backlogs.
const (
	BacklogEach   Backlog = "each"   // one message; the author's later ones are told of
	BacklogJoined Backlog = "joined" // all that its author wrote in a row
	BacklogLatest Backlog = "latest" // the newest alone; the older ones are given as context
)

// LaterLimit is how many later and older messages an offer tells of at most.
const LaterLimit = 50

// Mark is what becomes known of a turn under way.
type Mark struct {
	Delivery DeliveryID
	Fence    Fence
	Deadline time.Time // handed over until then; zero: as it was
	Effect   bool      // it has had an effect; false: as it was
}

// Offer is the answer to a claim.
type Offer struct {
	Delivery *Delivery // leased to the caller; nil if there is none now
	Next     time.Time // without delivery: when to ask again; zero when nothing waits, a turn runs, or Paced
	Paced    bool      // without delivery: only pacing stands in the way

	Later  []Item     // with delivery: what its author wrote since and still waits, oldest first
	Older  []Item     // with delivery: what it superseded, oldest first, the last LaterLimit
	Parked DeliveryID // with delivery: a parked one that its author may be answering
}

// Settlement is the end of a turn.
type Settlement struct {
	Delivery Delivery // after Next, with the Fence of the turn
	// Replies are stored with it: messages with Answering, or as the question of
	// a parked one, courtesies with any end. Answering needs at least one message.
	Replies []Reply
	At      time.Time
}

// Outbox keeps what is to be sent.
type Outbox interface {
	// Unsent gives the replies that are not final, in the order they were
	// stored: of one place in the order they must leave.
	Unsent(ctx context.Context) ([]Reply, error)
	// Sent stores what became of a reply: State, Message, TriedAt, DueAt, Tries
	// and Detail. When it was the last message of its delivery to become final,
	// the delivery and its members are settled as Delivery.AfterReply says,
	// which counts messages only, and the result is true. Courtesies and
	// letters settle nothing. A reply that is already final is left alone.
	Sent(ctx context.Context, r Reply, at time.Time) (settled bool, err error)
}

// Recovery keeps the record of passes. What a pass reads is stored by Append.
type Recovery interface {
	// Record stores a pass, replacing the one of the same id.
	Record(ctx context.Context, p Pass) error
}

// Operator answers questions and cleans up.
type Operator interface {
	// Status gives counts and lists for a person to read.
	Status(ctx context.Context) (LedgerStatus, error)
	// Story gives all that is known of one message, all of one moment.
	Story(ctx context.Context, id MessageID) (Story, error)
	// Deliveries lists the deliveries that the filter names, with members but
	// without text: the one of the highest first message first, and of one
	// message the latest retry first.
	Deliveries(ctx context.Context, f DeliveryFilter) ([]Delivery, error)
	// Retry makes a new delivery, waiting at the instant, of the messages of a
	// dead or settled one, and gives its id: RetryID, counted on. It names the
	// old one as RetryOf, which stays what it was (promise 7), except that a dead
	// one is settled with its reason: it has been seen to. Deleted members drop
	// out. Refused with ErrUnknownDelivery; with ErrWrongState if the delivery,
	// or a later one that its messages have gone to, has not ended; with
	// ErrNoText.
	Retry(ctx context.Context, id DeliveryID, at time.Time) (DeliveryID, error)
	// Drop settles a dead, waiting or parked delivery with the reason, Discarded
	// if none is given. Refused with ErrUnknownDelivery, or with ErrWrongState.
	Drop(ctx context.Context, id DeliveryID, why Reason, at time.Time) error
	// Prune removes what nobody can miss, in at most Limit rows: text of what
	// settled before Text, settled deliveries with their messages, replies and
	// refusals, letters, and passes, that ended before Rows. Nothing owed, no
	// open gap and no place is ever pruned (S57): what is undecided, a letter or
	// courtesy that is not final, and the delivery of such a courtesy, stay
	// whole. It reports whether more is left.
	Prune(ctx context.Context, p Prune) (more bool, err error)
}

// Prune says how far to clean up.
type Prune struct {
	Text  time.Time
	Rows  time.Time
	Limit int
}
