package gapless

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"
)

// stuckAfter is how long a handler may take to return once its context has
// ended; then its turn ends without it, and its verdict will be refused.
const stuckAfter = 10 * time.Second

// turn runs one turn: handler, verdict, replies, settle. leave is called once
// the handler is through: while verdicts are being stored other handlers may
// run, and many verdicts share a commit.
func (e *Engine) turn(work context.Context, d *dispatcher, offer Offer, leave func()) OutcomeKind {
	del := offer.Delivery
	del.Brief.Later, del.Brief.Older = offer.Later, offer.Older
	del.Brief.Shard = ShardOf(del.Place.Guild, e.seen.Load().shards)
	if o, replies, decided := e.unhandled(work, d, offer); decided {
		leave()
		d.reach.leave()
		return e.end(work, del, o, replies)
	}
	log := e.log.With("delivery", del.ID, "lane", del.Lane, "attempt", del.Attempt)
	log.Info("turn starts", "origin", del.Messages[0].Origin, "late_by", del.LateBy(e.now()).Round(time.Millisecond))
	outcome, replies := e.handle(work, del)
	leave()
	switch outcome.Kind {
	case TurnUnavailable:
		wait, first := d.reach.missed(e.now(), e.jitter("reach", del.Attempt))
		outcome.Wait = wait
		if first {
			log.Warn("the handler cannot be reached; deliveries wait", "error", outcome.Detail, "wait", wait)
		}
	default:
		if d.reach.met() {
			log.Info("the handler is reached again")
			d.wakeResting()
		}
	}
	return e.end(work, del, outcome, replies)
}

// end stores the end of a turn, however it came.
func (e *Engine) end(work context.Context, del *Delivery, outcome Outcome, replies []Reply) OutcomeKind {
	log := e.log.With("delivery", del.ID, "lane", del.Lane, "attempt", del.Attempt)
	next, err := del.Next(outcome, e.now(), e.cfg.Retry, e.jitter(string(del.ID), del.Failed+1))
	if err != nil {
		log.Error("turn cannot end", "error", err)
		return outcome.Kind
	}
	log.Log(work, gravity(outcome.Kind, next), "turn ended", "outcome", outcome.Kind, "state", next.State, "reason", next.Reason,
		"detail", outcome.Detail, "replies", len(replies), "failed", next.Failed, "interruptions", next.Interruptions)
	if e.cfg.Closing != nil {
		replies = append(replies, courtesies(next, e.cfg.Closing(next), e.now())...)
	}
	e.settle(work, Settlement{Delivery: next, Replies: replies, At: e.now()})
	return outcome.Kind
}

// gravity is the level at which the end of a turn is logged: an operator should
// see at a glance what did not succeed.
func gravity(o OutcomeKind, next Delivery) slog.Level {
	if o == TurnFailed || o == TurnLapsed || next.State == Dead {
		return slog.LevelWarn
	}
	return slog.LevelInfo
}

// handle gives the delivery to the handler and reads its verdict.
func (e *Engine) handle(work context.Context, del *Delivery) (Outcome, []Reply) {
	progress := make(chan struct{}, 1)
	del.turn = &turn{progress: progress}
	ctx, cancel := context.WithCancelCause(work)
	defer cancel(nil)
	done := make(chan error, 1)
	go func() { done <- guarded(ctx, e.cfg.Handler, del) }()
	limit := time.NewTimer(e.cfg.Turn)
	defer limit.Stop()
	for {
		select {
		case err := <-done:
			return e.verdict(del, err, context.Cause(ctx))
		case <-progress:
			limit.Reset(e.cfg.Turn)
		case <-limit.C:
			cancel(ErrTurnLimit)
		case <-ctx.Done():
			return e.overdue(del, done, context.Cause(ctx))
		}
	}
}

// overdue waits a little for a handler whose context has ended.
func (e *Engine) overdue(del *Delivery, done <-chan error, cause error) (Outcome, []Reply) {
	t := time.NewTimer(stuckAfter)
	defer t.Stop()
	select {
	case err := <-done:
		return e.verdict(del, err, cause)
	case <-e.aborted: // nobody waits any more, so it is not to blame
		return outcomeOf(cause, cause), nil
	case <-t.C:
	}
	e.log.Error("handler does not return although its context ended", "delivery", del.ID, "cause", cause)
	return outcomeOf(cause, cause), nil
}

// verdict is the outcome and, of a handler that is done, the replies to store
// with it.
func (e *Engine) verdict(del *Delivery, err, cause error) (Outcome, []Reply) {
	o := outcomeOf(err, cause)
	if o.Kind != TurnDone {
		return o, nil
	}
	o.Detail = del.Noted()
	replies := replyParts(*del, del.Replies(), e.cfg.Replies, e.now())
	o.Replies = len(replies)
	return o, replies
}

// guarded turns a panic of the handler into a failure of its turn (C107).
func guarded(ctx context.Context, h Handler, d *Delivery) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("handler panicked: %v\n%s", p, debug.Stack())
		}
	}()
	return h.Handle(ctx, d)
}

// settle stores the end of a turn. It does not give up while the ledger
// refuses: a verdict that is lost would have the handler run again. Only an
// abort, or the end of the drain, leaves the turn to the next boot.
func (e *Engine) settle(work context.Context, s Settlement) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(work))
	defer cancel()
	defer context.AfterFunc(work, func() {
		_ = sleep(ctx, stuckAfter)
		cancel()
	})()
	for try := 1; ; try++ {
		err := e.cfg.Ledger.Settle(ctx, s)
		switch {
		case err == nil:
			e.outbox.add(s.Replies)
			return
		case errors.Is(err, ErrStale):
			e.log.Error("a verdict came too late and was refused", "delivery", s.Delivery.ID, "error", err)
			return
		case ctx.Err() != nil, e.isAborted():
			return
		}
		e.log.Error("the ledger refuses a verdict; it is kept and tried again", "delivery", s.Delivery.ID, "try", try, "error", err)
		if sleep(ctx, storeRetry.Backoff(try, e.jitter("settle", try))) != nil {
			return
		}
	}
}

func (e *Engine) isAborted() bool {
	select {
	case <-e.aborted:
		return true
	default:
		return false
	}
}
