package gapless

import (
	"cmp"
	"time"
)

// Why a message that was admitted does not run when its turn comes, beside
// [Expired].
const (
	LateCommand  Reason = "late_command"  // a command that was missed: what it was meant for is past (C70)
	LateApproval Reason = "late_approval" // a bare yes or no that was missed: what it answered is past (C71)
	LateBot      Reason = "late_bot"      // another bot's message that was missed (C72)
	LateMessage  Reason = "late_message"  // a message that was missed, and configuration wants none of those (C133)
)

// LatePolicy says what becomes of a message whose turn comes late. Zero values
// mean the defaults.
type LatePolicy struct {
	After  time.Duration // from this age on a message is late and the handler is told, default 10 min
	Ask    time.Duration // from this age on its author is asked first; zero: never
	Expire time.Duration // from this age on it is not handled at all; zero: never

	// Recovered is what becomes of messages that were read, not heard.
	Recovered Recovered
	// Classes tells the classes apart.
	Classes Classes
}

// Recovered is the rule for each class of what was read over REST.
type Recovered struct {
	Normal   LateRule // default LateSame
	Command  LateRule // default LateSkip (C70)
	Approval LateRule // default LateSkip (C71)
	Bot      LateRule // default LateSkip (C72)
}

// LateRule is what becomes of recovered messages of one class.
type LateRule string

// The late rules.
const (
	LateSame LateRule = "same" // what becomes of a live one of that age
	LateSkip LateRule = "skip" // it is settled unhandled, with a reason
	LateAsk  LateRule = "ask"  // its author is asked first
)

// WithDefaults is the policy with every zero replaced by its default.
func (p LatePolicy) WithDefaults() LatePolicy {
	p.After = cmp.Or(p.After, 10*time.Minute)
	p.Recovered.Normal = cmp.Or(p.Recovered.Normal, LateSame)
	p.Recovered.Command = cmp.Or(p.Recovered.Command, LateSkip)
	p.Recovered.Approval = cmp.Or(p.Recovered.Approval, LateSkip)
	p.Recovered.Bot = cmp.Or(p.Recovered.Bot, LateSkip)
	p.Classes = p.Classes.WithDefaults()
	return p
}

// LateSubject is all that lateness may look at. It is asked at the claim, once
// for each message of a delivery.
type LateSubject struct {
	Policy *LatePolicy
	Class  Class         // by [Classes.Of]
	Age    time.Duration // since the message was written, by Discord's clock
	Origin Origin
}

// LateDeed is what becomes of a message at its claim.
type LateDeed string

// The deeds of lateness.
const (
	LateRun     LateDeed = "run"  // handle it
	LateTell    LateDeed = "tell" // handle it, and tell the handler that it is late
	LateInquire LateDeed = "ask"  // ask its author whether it still matters, and wait for the answer
	LateDrop    LateDeed = "skip" // settle it unhandled, with Reason
)

// Lateness is the second decision about a message (promise 2): admission said
// that it is for us, this says whether it still is.
type Lateness struct {
	Deed   LateDeed
	Reason Reason // of LateDrop
	// Age is the message's, never negative.
	Age time.Duration
	// MayApprove says that a handler may take it for the answer to a question it
	// has asked. A message that is late or was recovered never is one: it can
	// only open a turn of its own (C71). The envelope says so.
	MayApprove bool
}

// Late decides what becomes of a message whose turn has come. It is total and
// pure; an unknown rule counts as its default.
func Late(s LateSubject) Lateness {
	p := s.Policy.WithDefaults()
	l := Lateness{Deed: LateRun, Age: max(s.Age, 0)}
	late := l.Age >= p.After
	if p.Expire > 0 && l.Age >= p.Expire {
		l.Deed, l.Reason = LateDrop, Expired
		return l
	}
	if s.Origin.Recovered() {
		switch rule, reason := p.Recovered.rule(s.Class); rule {
		case LateSkip:
			l.Deed, l.Reason = LateDrop, reason
			return l
		case LateAsk:
			l.Deed = LateInquire
			return l
		}
	}
	switch {
	case p.Ask > 0 && l.Age >= p.Ask:
		l.Deed = LateInquire
	case late:
		l.Deed = LateTell
	}
	l.MayApprove = l.Deed == LateRun && !s.Origin.Recovered() && s.Class != ClassBot
	return l
}

// rule is the rule of a class, and the reason if it skips.
func (r Recovered) rule(c Class) (LateRule, Reason) {
	switch c {
	case ClassCommand:
		return known(r.Command, LateSkip), LateCommand
	case ClassApproval:
		return known(r.Approval, LateSkip), LateApproval
	case ClassBot:
		return known(r.Bot, LateSkip), LateBot
	}
	return known(r.Normal, LateSame), LateMessage
}

func known(rule, otherwise LateRule) LateRule {
	switch rule {
	case LateSame, LateSkip, LateAsk:
		return rule
	}
	return otherwise
}
