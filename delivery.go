package gapless

import (
	"cmp"
	"fmt"
	"time"
)

// DeliveryID names a delivery: the id of its first message in decimal, with
// `-r1`, `-r2` behind it for an operator's retries.
type DeliveryID string

// LaneID names a lane: the id of its place in decimal.
type LaneID string

// LaneOf is the lane in which a place's messages wait.
func LaneOf(place ChannelID) LaneID { return LaneID(place.String()) }

// Fence is the token of a lease. Every deed of a turn carries it and is
// refused once a newer one exists (promise 3).
type Fence int64

// DeliveryState is where a delivery stands.
//
//	leased ──done──▶ answering ──all replies sent or undeliverable──▶ settled
//	  ├─discard──────────────────────────────────────────────────────▶ settled
//	  ├─retry, interrupted─▶ waiting ──claim──▶ leased
//	  ├─asked─▶ parked ──the author says yes─▶ waiting
//	  └─attempts or interruptions used up─▶ dead
type DeliveryState string

// The states of a delivery.
const (
	Leased    DeliveryState = "leased"    // a turn holds it
	Waiting   DeliveryState = "waiting"   // to be claimed again once NotBefore has passed
	Answering DeliveryState = "answering" // the handler is done; its replies are on their way
	Settled   DeliveryState = "settled"   // ended; Reason says how
	Dead      DeliveryState = "dead"      // given up, kept for the operator
	Parked    DeliveryState = "parked"    // its author was asked whether it still matters, until NotBefore
)

// How a delivery ends, its Reason once it is settled or dead. The last three
// end messages that never became one.
const (
	Answered      Reason = "answered"      // replies sent
	Done          Reason = "done"          // handled, deliberately silent (C103)
	Discarded     Reason = "discarded"     // the handler said so; Detail has its words
	Undeliverable Reason = "undeliverable" // handled, but Discord refuses the reply (C57)
	Attempts      Reason = "attempts"      // failed as often as allowed (C84)
	Interrupted   Reason = "interrupted"   // stopped or crashed as often as allowed
	Deleted       Reason = "deleted"       // the message was deleted before its turn (C65)
	Superseded    Reason = "superseded"    // a newer message took its place
	Expired       Reason = "expired"       // waited longer than allowed
	Restored      Reason = "restored"      // dead: it stood in a restored ledger and may have been handled since (R15)
	Asked         Reason = "asked"         // parked: its author was asked whether it still matters
	Confirmed     Reason = "confirmed"     // waiting: they said that it does
	Declined      Reason = "declined"      // they said that it does not
	AnswerToUs    Reason = "answer"        // it was the answer to that question
	Repeated      Reason = "repeated"      // the author had said just the same, and that was handled
	TooManyBots   Reason = "bot_budget"    // bots had so many turns in a row that they may be talking to each other (C74)
)

// Delivery is one turn's worth of work: the messages a handler gets together,
// and what has become of them. The stored part is a value; [Delivery.Next]
// decides what follows. A handler additionally uses [Delivery.Reply] and
// [Delivery.Progress] on the one it was given.
type Delivery struct {
	ID    DeliveryID
	Lane  LaneID
	Place Place
	State DeliveryState
	Fence Fence
	Boot  string // the engine boot that holds or last held it

	Attempt       int // which start this is, from 1; a handler that sees 2 or more may have run before
	Failed        int // attempts that count against Retry.Attempts
	Interruptions int // starts that ended because we stopped or crashed

	NotBefore time.Time // waiting: when it may be claimed again
	CreatedAt time.Time
	EndedAt   time.Time
	Reason    Reason
	Detail    string // the handler's or Discord's words for the operator
	RetryOf   DeliveryID

	Deadline time.Time // leased: work was handed over, and is ours again only after this; zero: it was not
	Effect   bool      // its handler declared an effect: a lost turn is not simply started again

	Messages []Item // the members, oldest first

	// What a handler is told beyond what is stored, on the delivery it is given.
	Brief Brief

	turn *turn // what the running handler may do; nil on stored values
}

// Brief is what a handler is told beyond the messages it is to handle.
type Brief struct {
	Late       bool      // it comes so late that the answer should take it into account ([LatePolicy.After])
	MayApprove bool      // it may be taken for the answer to a question (C71)
	RoleList   bool      // a list of roles was in force for its author (S38)
	Later      []Item    // what the author wrote since and still waits for its own turn, oldest first
	Older      []Item    // what this turn superseded ([BacklogLatest]), oldest first
	Context    []Message // what was said in the place before, oldest first (S49)
	Prompt     string    // what configuration tells the handler about the place
	Shard      int       // which of the bot's connections hears of the place; 0 for DMs
}

// Item is a message as stored with the circumstances of its admission.
type Item struct {
	Message   Message
	Origin    Origin
	Ground    Ground
	Gap       GapID     // the gap it was recovered from, or empty
	FirstSeen time.Time // when it was stored
	NotBefore time.Time // claimable only from here on (join delay); undecided: holds its lane until then
	Plain     bool      // a text that may be joined with its neighbours (S48)
	Reopens   bool      // admitted by a newer edit: a refusal does not stand against it (R10); not stored
	Lacks     Lack      // undecided: what admission needs to know
}

// Retry says how often and how fast failed turns are repeated. Zero values
// mean the defaults.
type Retry struct {
	Attempts      int           // failures until a delivery is dead, default 5
	Interruptions int           // interruptions until a delivery is dead, default 3
	Base          time.Duration // wait after the first failure, doubling, default 2 s
	Ceiling       time.Duration // longest wait, default 10 min
}

// WithDefaults is the retry rule with every zero replaced by its default.
func (r Retry) WithDefaults() Retry {
	r.Attempts = cmp.Or(r.Attempts, 5)
	r.Interruptions = cmp.Or(r.Interruptions, 3)
	r.Base = cmp.Or(r.Base, 2*time.Second)
	r.Ceiling = cmp.Or(r.Ceiling, 10*time.Minute)
	return r
}

// Backoff is the wait after the n-th failure in a row (n from 1): doubling
// from Base up to Ceiling, and between half and all of that by jitter in [0,1).
func (r Retry) Backoff(n int, jitter float64) time.Duration {
	r = r.WithDefaults()
	full := min(r.Base<<min(max(n-1, 0), 30), r.Ceiling)
	if full <= 0 {
		full = r.Ceiling
	}
	return full/2 + time.Duration(jitter*float64(full/2))
}

// Outcome is how a turn ended.
type Outcome struct {
	Kind    OutcomeKind
	Wait    time.Duration // RetryWait: as the handler asked
	Detail  string        // the handler's words
	Replies int           // TurnDone: how many replies are to be sent
	Reason  Reason        // TurnSkipped: why
}

// OutcomeKind says what a turn came to.
type OutcomeKind string

// The ways a turn ends.
const (
	TurnDone        OutcomeKind = "done"
	TurnFailed      OutcomeKind = "failed"      // retry with back-off
	TurnRetryAfter  OutcomeKind = "retry_after" // retry when the handler asked
	TurnDiscarded   OutcomeKind = "discarded"
	TurnUnavailable OutcomeKind = "unavailable" // the handler was not reached: no attempt
	TurnInterrupted OutcomeKind = "interrupted" // we stopped or crashed: no attempt, but counted
	TurnSkipped     OutcomeKind = "skipped"     // not handed over: lateness decided so
	TurnParked      OutcomeKind = "parked"      // not handed over: its author was asked first, Wait long
	TurnDistrusted  OutcomeKind = "distrusted"  // not handed over: it may have been handled before (R15)
	TurnLapsed      OutcomeKind = "lapsed"      // the turn limit passed without progress: an attempt
)

// handedOver reports whether a handler got the delivery.
func (k OutcomeKind) handedOver() bool {
	switch k {
	case TurnUnavailable, TurnSkipped, TurnParked, TurnDistrusted:
		return false
	}
	return true
}

// Next is the delivery after a turn. It is pure: now and jitter in [0,1) are
// given. Only a leased delivery has a turn that can end.
func (d Delivery) Next(o Outcome, now time.Time, retry Retry, jitter float64) (Delivery, error) {
	if d.State != Leased {
		return d, fmt.Errorf("end turn of delivery %s: it is %s, not leased", d.ID, d.State)
	}
	retry = retry.WithDefaults()
	d.Detail = o.Detail
	switch o.Kind {
	case TurnDone:
		if o.Replies > 0 {
			d.State = Answering
			return d, nil
		}
		return d.end(Settled, Done, now), nil
	case TurnDiscarded:
		return d.end(Settled, Discarded, now), nil
	case TurnFailed, TurnRetryAfter, TurnLapsed:
		d.Failed++
		if d.Failed >= retry.Attempts {
			return d.end(Dead, Attempts, now), nil
		}
		wait := retry.Backoff(d.Failed, jitter)
		if o.Kind == TurnRetryAfter {
			wait = max(o.Wait, 0)
		}
		return d.wait(now.Add(wait)), nil
	case TurnUnavailable:
		d.Attempt--
		return d.wait(now.Add(o.Wait)), nil
	case TurnSkipped:
		d.Attempt--
		return d.end(Settled, o.Reason, now), nil
	case TurnParked:
		d.Attempt--
		d.State, d.NotBefore, d.Reason = Parked, now.Add(o.Wait), Asked
		return d, nil
	case TurnDistrusted:
		d.Attempt--
		return d.end(Dead, Restored, now), nil
	case TurnInterrupted:
		d.Interruptions++
		if d.Interruptions >= retry.Interruptions {
			return d.end(Dead, Interrupted, now), nil
		}
		return d.wait(now), nil
	}
	return d, fmt.Errorf("end turn of delivery %s: unknown outcome %q", d.ID, o.Kind)
}

func (d Delivery) wait(until time.Time) Delivery {
	d.State, d.NotBefore = Waiting, until
	return d
}

func (d Delivery) end(s DeliveryState, why Reason, now time.Time) Delivery {
	d.State, d.Reason, d.EndedAt = s, why, now
	return d
}

// AfterReply is the delivery once one more of its replies is final: settled
// when none is left, answered if at least one was sent.
func (d Delivery) AfterReply(left, sent int, now time.Time) Delivery {
	if d.State != Answering || left > 0 {
		return d
	}
	if sent == 0 {
		return d.end(Settled, Undeliverable, now)
	}
	return d.end(Settled, Answered, now)
}

// Final reports whether the engine is through with the delivery.
func (d Delivery) Final() bool { return d.State == Settled || d.State == Dead }

// First is the message that gives the delivery its id and place.
func (d Delivery) First() Message {
	if len(d.Messages) == 0 {
		return Message{}
	}
	return d.Messages[0].Message
}
