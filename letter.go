package gapless

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

// letter is a reply on its way.
type letter struct {
	Reply
	tried bool      // by this process or, for all we know, an earlier one
	last  time.Time // the last try of this process, or when it took over
}

// send makes one try at a reply and stores what came of it.
func (o *outbox) send(ctx context.Context, l *letter) (final bool) {
	if o.until(ctx, l.DueAt) != nil {
		return false
	}
	look := l.tried && !l.Kind.Courtesy() && !l.Repeatable(o.e.now()) // a courtesy may be repeated for ever
	if look && o.until(ctx, l.last.Add(Overlap)) != nil {             // it may still be on its way into history
		return false
	}
	switch {
	case o.wasHeard(l):
	case look:
		o.find(ctx, l)
	default:
		o.try(ctx, l)
	}
	if ctx.Err() != nil && !finalReply(l.State) {
		return false
	}
	o.store(ctx, l.Reply)
	return finalReply(l.State)
}

// try posts the reply. Without a definite answer the result is unknown: the
// same POST is repeated while its nonce counts, and looked for after that.
func (o *outbox) try(ctx context.Context, l *letter) {
	now := o.e.now()
	id, err := o.e.cfg.Replier.Send(ctx, l.Reply)
	l.Tries++
	l.last = o.e.now()
	refused, isRefused := errors.AsType[*RefusedError](err)
	switch {
	case err == nil:
		l.State, l.Message, l.Detail = ReplySent, id, ""
	case isRefused:
		l.State, l.Detail = ReplyRefused, refused.Error()
		o.e.log.Log(ctx, l.Kind.gravity(), "reply is undeliverable", "reply", l.ID, "place", l.Place, "reason", l.Detail)
	case l.Kind.Courtesy() && l.Tries >= courtesyTries:
		l.State, l.Detail = ReplyRefused, err.Error()
	case errors.Is(err, ErrNotSent):
		o.postpone(l, err)
	default:
		if l.TriedAt.IsZero() {
			l.TriedAt = now
			if l.tried { // by an earlier process, at the earliest when it was stored
				l.TriedAt = l.IntentAt
			}
		}
		l.tried, l.State = true, ReplyUnknown
		o.postpone(l, err)
		o.e.log.Warn("it is not known whether discord took a reply", "reply", l.ID, "place", l.Place, "try", l.Tries, "error", err)
	}
}

// find looks for a reply whose nonce no longer counts, and lets it be posted
// anew, with a new window, only if it is certainly not there.
func (o *outbox) find(ctx context.Context, l *letter) {
	self, _ := o.e.Session(0)
	l.Tries++
	id, found, err := o.e.cfg.Replier.Find(ctx, l.Reply, self.Self.ID)
	switch {
	case err != nil:
		l.State = ReplyUnknown
		o.postpone(l, err)
		o.e.log.Warn("it cannot be found out whether discord took a reply; it is not sent again", "reply", l.ID, "place", l.Place, "error", err)
	case found:
		l.State, l.Message, l.Detail = ReplySent, id, "found in history"
	default:
		l.State, l.tried, l.TriedAt = ReplyIntended, false, time.Time{}
		o.e.log.Info("reply had not been taken; it is sent now", "reply", l.ID, "place", l.Place)
	}
}

// until waits for an instant of Discord's time.
func (o *outbox) until(ctx context.Context, at time.Time) error {
	if wait := at.Sub(o.e.now()); wait > 0 {
		return sleep(ctx, wait)
	}
	return nil
}

func (o *outbox) postpone(l *letter, err error) {
	l.Detail = err.Error()
	l.DueAt = o.e.now().Add(max(replyRetry.Backoff(l.Tries, o.e.jitter(string(l.ID), l.Tries)), 0))
}

// replyRetry is how fast a reply is tried again.
var replyRetry = Retry{Base: time.Second, Ceiling: 5 * time.Minute}

// courtesyTries is how often a courtesy is tried: after that it comes too late
// to be one, and keeps other letters of its place waiting.
const courtesyTries = 5

// gravity is the level at which a refusal is logged.
func (k ReplyKind) gravity() slog.Level {
	if k.Courtesy() {
		return slog.LevelDebug
	}
	return slog.LevelWarn
}

func finalReply(s ReplyState) bool { return s == ReplySent || s == ReplyRefused }

// store writes down what became of a try, however long the ledger refuses.
func (o *outbox) store(ctx context.Context, r Reply) {
	for try := 1; ; try++ {
		settled, err := o.e.cfg.Ledger.Sent(context.WithoutCancel(ctx), r, o.e.now())
		if err == nil {
			o.e.log.Info("reply", "reply", r.ID, "place", r.Place, "state", r.State, "settled", settled)
			return
		}
		o.e.log.Error("the ledger refuses the result of a reply; trying again", "reply", r.ID, "try", try, "error", err)
		if sleep(ctx, storeRetry.Backoff(try, o.e.jitter("sent", try))) != nil {
			return
		}
	}
}
