package gapless

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// unhandled decides what becomes of a claimed delivery before a handler gets
// it: lateness, the second decision (promise 2), and what keeps a lane from
// running in circles. decided is false if it is to be handled.
func (e *Engine) unhandled(ctx context.Context, d *dispatcher, offer Offer) (o Outcome, replies []Reply, decided bool) {
	del := offer.Delivery
	switch {
	case del.RetryOf != "": // the operator has looked at it
		return o, nil, false
	case e.distrusted(del):
		return Outcome{Kind: TurnDistrusted, Detail: "it waited in a ledger that was restored: see whether it was handled, and retry it if not"}, nil, true
	case del.Reason == Asked:
		return Outcome{Kind: TurnSkipped, Reason: Expired, Detail: "its author was asked, and did not answer"}, nil, true
	case e.answers(ctx, d, offer):
		return Outcome{Kind: TurnSkipped, Reason: AnswerToUs}, nil, true
	}
	if why := d.circles.check(del, e.class(del), e.cfg, e.now()); why != "" {
		return Outcome{Kind: TurnSkipped, Reason: why}, nil, true
	}
	del.Brief.RoleList = len(e.seen.Load().policy.Roles) > 0 && del.Place.Guild != 0
	switch l := e.lateness(del); l.Deed {
	case LateDrop:
		return Outcome{Kind: TurnSkipped, Reason: l.Reason, Detail: "age " + l.Age.Round(time.Second).String()}, nil, true
	case LateInquire:
		return Outcome{Kind: TurnParked, Wait: e.cfg.AskFor}, []Reply{question(*del, e.cfg.Question, e.now())}, true
	case LateTell:
		del.Brief.Late = true
		del.Brief.MayApprove = l.MayApprove
	default:
		del.Brief.MayApprove = l.MayApprove
	}
	return o, nil, false
}

// lateness is the delivery's, over all its messages: it is dropped if each of
// them is, its author is asked if that is so for any.
func (e *Engine) lateness(del *Delivery) Lateness {
	now := e.now()
	out := Lateness{Deed: LateDrop, MayApprove: true}
	for i, it := range del.Messages {
		s := LateSubject{Policy: &e.cfg.Late, Class: e.classOf(&it.Message), Age: now.Sub(it.Message.ID.Time()), Origin: it.Origin}
		if del.Attempt > 1 || del.Reason == Confirmed { // it was let through before: only its age counts now
			s.Origin, s.Class = OriginLive, ClassNormal
		}
		l := Late(s)
		if l.Deed == LateInquire && s.Origin == OriginLive && (del.Attempt > 1 || del.Reason == Confirmed) {
			l.Deed = LateTell
		}
		out.MayApprove = out.MayApprove && l.MayApprove && !it.Origin.Recovered()
		if i == 0 || lateRank[l.Deed] > lateRank[out.Deed] {
			out.Deed, out.Reason, out.Age = l.Deed, l.Reason, l.Age
		}
	}
	return out
}

// lateRank orders the deeds of several messages: what has one of them run goes
// before what would drop them.
var lateRank = map[LateDeed]int{LateDrop: 0, LateRun: 1, LateTell: 2, LateInquire: 3}

func (e *Engine) class(del *Delivery) Class {
	if len(del.Messages) == 0 {
		return ClassNormal
	}
	return e.classOf(&del.Messages[0].Message)
}

func (e *Engine) classOf(m *Message) Class {
	v := e.seen.Load()
	return e.cfg.Late.Classes.Of(m, &v.policy, v.self)
}

// distrusted reports whether the delivery stood in a ledger when that was
// restored: it may have been handled after the backup (R15).
func (e *Engine) distrusted(del *Delivery) bool {
	at := e.seen.Load().restored
	for _, it := range del.Messages {
		if it.FirstSeen.Before(at) {
			return true
		}
	}
	return false
}

// answers takes a bare yes or no for the answer to the question that was asked
// about an older message of its author, and acts on it.
func (e *Engine) answers(ctx context.Context, d *dispatcher, offer Offer) bool {
	first := offer.Delivery.First()
	if offer.Parked == "" || len(offer.Delivery.Messages) != 1 || e.classOf(&first) != ClassApproval {
		return false
	}
	var err error
	v := e.seen.Load()
	yes := e.cfg.Late.Classes.approves(&first, &v.policy, v.self)
	if yes {
		err = e.cfg.Ledger.Unpark(ctx, offer.Parked, e.now())
	} else {
		err = e.cfg.Ledger.Drop(ctx, offer.Parked, Declined, e.now())
	}
	switch {
	case errors.Is(err, ErrStale), errors.Is(err, ErrWrongState), errors.Is(err, ErrUnknownDelivery):
		return false
	case err != nil: // the question stays open; the answer is a message like any other
		e.log.Error("the ledger refuses what an author answered", "delivery", offer.Parked, "error", err)
		return false
	}
	e.log.Info("the author of a late message has answered", "delivery", offer.Parked, "handle", yes)
	return true
}

// question is what the author of a late message is asked.
func question(d Delivery, text string, now time.Time) Reply {
	id := ReplyID(fmt.Sprintf("%s.q", d.ID))
	return Reply{
		ID: id, Delivery: d.ID, Place: d.Place.ID, Text: text, Reference: d.First().ID, Nonce: nonceOf(id), State: ReplyIntended, IntentAt: now,
	}
}
