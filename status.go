package gapless

import "time"

// Trigger says why a pass ran.
type Trigger string

// The triggers of a pass.
const (
	TriggerStart   Trigger = "start"         // the engine started with gaps open
	TriggerBegan   Trigger = "session_began" // READY (S01)
	TriggerResumed Trigger = "resumed"       // RESUMED (C03)
	TriggerJump    Trigger = "sequence_jump"
	TriggerGap     Trigger = "gap"       // a gap was noticed otherwise
	TriggerRest    Trigger = "remainder" // an earlier pass left something
	TriggerDue     Trigger = "due"       // an obstacle's back-off is over
	TriggerAsked   Trigger = "operator"  // somebody asked for it
	TriggerAudit   Trigger = "audit"     // what was heard is compared with history (R13)
)

// PassState is how a pass stands or ended (S07).
type PassState string

// The states of a pass.
const (
	PassRunning   PassState = "running"
	PassSuccess   PassState = "success"   // everything due was read
	PassPartial   PassState = "partial"   // a budget ended it; Remainder names the rest
	PassDegraded  PassState = "degraded"  // a place could not be read; Remainder names it
	PassSkipped   PassState = "skipped"   // nothing was due
	PassCancelled PassState = "cancelled" // the engine stopped
	PassFailed    PassState = "failed"    // the ledger could not be read or written
)

// Pass is the record of one run of recovery (S07).
type Pass struct {
	ID        string      `json:"id"`
	Trigger   Trigger     `json:"trigger"`
	StartedAt time.Time   `json:"started_at"`
	EndedAt   time.Time   `json:"ended_at,omitzero"`
	State     PassState   `json:"state"`
	Calls     int         `json:"calls"`
	Examined  int         `json:"examined"`
	Known     int         `json:"known"`
	Admitted  int         `json:"admitted"`
	Silent    int         `json:"silent_losses"` // messages that an audit found and nobody had heard
	Closed    int         `json:"gaps_closed"`
	Remainder []Remainder `json:"remainder,omitempty"`
	Error     string      `json:"error,omitempty"`

	Places    []PlaceOutcome `json:"places,omitempty"`    // those that were read, with what came of it
	Unmatched []Ref          `json:"unmatched,omitempty"` // what of the configured scope means no place that the bot can see (S18)
	Unaudited Unaudited      `json:"unaudited,omitzero"`
}

// Unaudited is how far the audit is behind (R13).
type Unaudited struct {
	Places int           `json:"places"`             // with something heard and not compared with history
	Since  time.Time     `json:"since,omitzero"`     // when the oldest of that was written
	Round  time.Duration `json:"round_ns,omitempty"` // how long it takes until everything has had its turn, at the budget
}

// Remainder is something a pass left unread, with the reason: a range of a
// place, or the inventory of a guild.
type Remainder struct {
	Guild  GuildID   `json:"guild,omitzero"`
	Place  ChannelID `json:"place,omitzero"`
	After  MessageID `json:"after,omitzero"`
	Upto   MessageID `json:"upto,omitzero"`
	Reason Reason    `json:"reason"`
	DueAt  time.Time `json:"due_at,omitzero"`
}

// LedgerStatus is what a ledger knows of itself, for people and `status`.
type LedgerStatus struct {
	Bot        User                  `json:"bot"`
	Sessions   []SessionStatus       `json:"sessions"`
	Places     []PlaceStatus         `json:"places"`
	Gaps       []GapStatus           `json:"open_gaps"`
	Ranges     []RangeStatus         `json:"closed_ranges"`
	Lanes      []LaneStatus          `json:"lanes"`
	Messages   map[string]int        `json:"messages"`   // by state
	Deliveries map[DeliveryState]int `json:"deliveries"` // by state
	Ended      map[Reason]int        `json:"ended"`      // settled and dead deliveries by reason
	Refused    map[Reason]int        `json:"refused"`    // refused messages by reason
	Replies    map[ReplyState]int    `json:"replies"`
	Passes     []Pass                `json:"passes"` // the last ten, newest first
	Commits    int64                 `json:"commits"`
	Undecided  map[Lack]int          `json:"undecided"`        // messages that wait for a look-up, by what is lacking (R11)
	Letters    int                   `json:"unsent_letters"`   // replies without a delivery that are not final
	Behind     int64                 `json:"restored_commits"` // how many commits it lacked when it was found restored (R15)
}

// SessionStatus is a gateway session as stored.
type SessionStatus struct {
	Shard              int       `json:"shard"`
	Shards             int       `json:"shards,omitempty"` // how many there were when it was stored; zero is one
	State              string    `json:"state"`
	Resumable          bool      `json:"resumable"`
	Seq                int64     `json:"seq"`
	SeenAt             time.Time `json:"seen_at,omitzero"`
	IdentifiesLeft     int       `json:"identifies_left"`
	IdentifiesResetAt  time.Time `json:"identifies_reset_at,omitzero"`
	Epoch              uint64    `json:"epoch"`
	DiscontinuityAt    time.Time `json:"last_discontinuity,omitzero"`
	DiscontinuitySince time.Time `json:"outage_since,omitzero"`
}

// PlaceStatus is a place's marks.
type PlaceStatus struct {
	ID       ChannelID `json:"id"`
	Guild    GuildID   `json:"guild,omitzero"`
	Name     string    `json:"name,omitempty"`
	Kind     int       `json:"kind"`
	Floor    MessageID `json:"floor"`
	Verified MessageID `json:"verified"`
	Head     MessageID `json:"head"`
	Gone     bool      `json:"gone,omitempty"`
	Out      bool      `json:"out_of_scope,omitempty"`      // configuration does not cover it
	Restored bool      `json:"restored,omitempty"`          // its marks come from a backup (R15)
	Owes     time.Time `json:"listing_owed_since,omitzero"` // its archived threads (R7)
}

// GapStatus is an open gap.
type GapStatus struct {
	ID       GapID     `json:"id"`
	Place    ChannelID `json:"place"`
	After    MessageID `json:"after"`
	Upto     MessageID `json:"upto"`
	Cause    Cause     `json:"cause"`
	OpenedAt time.Time `json:"opened_at"`
	Obstacle Reason    `json:"obstacle,omitempty"`
	Tries    int       `json:"tries,omitempty"`
	DueAt    time.Time `json:"due_at,omitzero"`
}

// RangeStatus is a closed range that was not read.
type RangeStatus struct {
	Place  ChannelID `json:"place"`
	After  MessageID `json:"after"`
	Upto   MessageID `json:"upto"`
	Reason Reason    `json:"reason"`
	At     time.Time `json:"at"`
}

// LaneStatus is a lane with something in it.
type LaneStatus struct {
	ID      LaneID        `json:"id"`
	State   DeliveryState `json:"state,omitempty"` // of its current delivery
	Pending int           `json:"pending"`         // messages waiting
	Oldest  MessageID     `json:"oldest,omitzero"` // lowest unsettled message
	Attempt int           `json:"attempt,omitempty"`
	Until   time.Time     `json:"not_before,omitzero"`
}
