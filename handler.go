package gapless

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Handler handles one delivery at a time of each lane; deliveries of different
// lanes are handled side by side, so a Handler must be safe for concurrent use.
//
// It speaks by what it returns: nil is done (and silence is an answer, C103),
// any error is retry, [RetryAfter], [Discard] and [Unavailable] say more.
// Replies added with [Delivery.Reply] are stored with the verdict done, in one
// transaction, and sent afterwards; with any other verdict they are dropped.
//
// The words of an error are stored with the delivery and logged, for the
// operator: they should say what went wrong and not repeat the message.
//
// When ctx ends, its cause says why: [ErrStopped] or [ErrTurnLimit]. What the
// handler returns then still counts if it is nil; otherwise the turn is
// interrupted or lapsed, whatever the error.
type Handler interface {
	Handle(ctx context.Context, d *Delivery) error
}

// HandlerFunc makes a function a Handler.
type HandlerFunc func(ctx context.Context, d *Delivery) error

// Handle calls f.
func (f HandlerFunc) Handle(ctx context.Context, d *Delivery) error { return f(ctx, d) }

// turn is the part of a delivery that only a running handler has.
type turn struct {
	mu       sync.Mutex
	replies  []string
	note     string          // what the operator should know
	place    ChannelID       // where the answer goes, zero for the delivery's own place
	progress chan<- struct{} // woken at each sign of life; never blocks
}

// Reply adds an outgoing message to the answer. Text beyond Discord's limit is
// split without breaking code blocks; empty text adds nothing. It may be
// called from any goroutine until Handle returns.
func (d *Delivery) Reply(text string) {
	if d.turn == nil || text == "" {
		return
	}
	d.turn.mu.Lock()
	defer d.turn.mu.Unlock()
	d.turn.replies = append(d.turn.replies, text)
}

// Note leaves words for the operator with the delivery, should it be done: what
// could not be had, say. The last ones count. They must not repeat the message.
func (d *Delivery) Note(words string) {
	if d.turn == nil {
		return
	}
	d.turn.mu.Lock()
	defer d.turn.mu.Unlock()
	d.turn.note = words
}

// Noted is what Note was given last.
func (d *Delivery) Noted() string {
	if d.turn == nil {
		return ""
	}
	d.turn.mu.Lock()
	defer d.turn.mu.Unlock()
	return d.turn.note
}

// AnswerIn has the answer go to another place: a thread made for it. What is
// said there refers to no message of another place.
func (d *Delivery) AnswerIn(place ChannelID) {
	if d.turn == nil {
		return
	}
	d.turn.mu.Lock()
	defer d.turn.mu.Unlock()
	d.turn.place = place
}

// AnswersIn is where the answer goes.
func (d *Delivery) AnswersIn() ChannelID {
	if d.turn != nil {
		d.turn.mu.Lock()
		defer d.turn.mu.Unlock()
		if d.turn.place != 0 {
			return d.turn.place
		}
	}
	return d.Place.ID
}

// Progress tells the engine that the handler is alive; the turn limit is
// counted from the last one.
func (d *Delivery) Progress() {
	if d.turn == nil {
		return
	}
	select {
	case d.turn.progress <- struct{}{}:
	default:
	}
}

// Replies is what [Delivery.Reply] was given so far, in order.
func (d *Delivery) Replies() []string {
	if d.turn == nil {
		return nil
	}
	d.turn.mu.Lock()
	defer d.turn.mu.Unlock()
	return append([]string(nil), d.turn.replies...)
}

// outcomeOf reads a handler's verdict. cause is why its context ended, or nil.
func outcomeOf(err, cause error) Outcome {
	if err == nil {
		return Outcome{Kind: TurnDone}
	}
	if errors.Is(cause, ErrStopped) {
		return Outcome{Kind: TurnInterrupted, Detail: "engine stopped"}
	}
	if errors.Is(cause, ErrTurnLimit) {
		return Outcome{Kind: TurnLapsed, Detail: "no progress within the turn limit"}
	}
	if e, ok := errors.AsType[*discardError](err); ok {
		return Outcome{Kind: TurnDiscarded, Detail: e.reason}
	}
	if e, ok := errors.AsType[*retryAfterError](err); ok {
		return Outcome{Kind: TurnRetryAfter, Wait: e.wait, Detail: err.Error()}
	}
	if e, ok := errors.AsType[*unavailableError](err); ok {
		return Outcome{Kind: TurnUnavailable, Detail: e.cause.Error()}
	}
	return Outcome{Kind: TurnFailed, Detail: err.Error()}
}

// NewTurn makes d what a running handler gets, for tests of handlers outside an
// engine: Reply collects, Progress does nothing.
func NewTurn(d Delivery) *Delivery {
	d.turn = &turn{}
	return &d
}

// LateBy is how long after it was written the delivery's first message is
// handed over at now; never negative (C100).
func (d *Delivery) LateBy(now time.Time) time.Duration {
	if len(d.Messages) == 0 {
		return 0
	}
	return max(now.Sub(d.First().ID.Time()), 0)
}
