package gapless

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"time"
)

// Config is what an [Engine] is made of. The five parts without a default are
// required; every zero value below them means its documented default.
type Config struct {
	Ledger  Ledger
	History History
	Replier Replier
	Handler Handler
	Policy  Policy

	Scope      Scope         // of which places nothing may be missed; empty: of all that the bot can read
	Recover    Recover       // what happens with what was missed, default RecoverOn
	Exceptions []RecoverRule // where it is otherwise
	LookBack   time.Duration // how far back a place is read when it is met for the first time, default not at all (promise 10)
	// Notice, if not nil, says what a place is told whose messages of an outage
	// are not handled (RecoverNotice). NoticeAll tells those too where something
	// was found and is being handled. One notice a place and outage.
	Notice    func(from, to time.Time) string
	NoticeAll bool

	// Closing, if not nil, says which courtesies go along with the end of a turn,
	// given the delivery as it will be stored: they are stored with it and sent
	// after it (C105). Kind, Text, Target and, if it is not the delivery's own,
	// Place are filled in.
	Closing func(next Delivery) []Reply

	Outages  []Pattern     // texts of the bot's own that are no answers, nil: OutageNotices with its name (S27)
	Late     LatePolicy    // what becomes of messages whose turn comes late
	AskFor   time.Duration // how long an author has to answer whether a late message still matters, default 24 h
	Question string        // what they are asked, default in English
	Backlog  Backlog       // what a turn takes of what waits in its lane, default BacklogEach
	Backlogs []BacklogRule // where it is otherwise
	Join     time.Duration // plain texts of one author that follow each other within this are one turn; default not (S48)
	Merge    bool          // a text that its author has just said word for word, and that was handled, is not handled again
	BotTurns int           // turns in a row that bots may have in a lane before a person speaks, default 10

	Clock      Clock  // nil: the host's own time
	Boot       string // names this start of the process; must differ between starts on one ledger
	Seed       uint64 // of the jitter in back-offs
	Budget     Budget
	Retry      Retry
	Hold       time.Duration // how long newer messages wait for a gap below them, default 30 s
	Turn       time.Duration // a turn without progress for this long is ended, default 1 h
	Drain      time.Duration // how long running turns may go on after Run's context ends, default 30 s
	Turns      int           // turns running side by side, default 16
	Audit      time.Duration // how often what was heard is compared with history, default 5 min (R13)
	AuditCalls int           // calls a minute that this may take, default 30; what it cannot reach in time takes turns
	NoAudit    bool          // it never is: a single silent loss stays unnoticed until the next discontinuity
	Readers    int           // pages read side by side in a pass, default 4
	Replies    ReplyMode     // which parts of an answer carry the reference, default ReplyFirst
	Text       time.Duration // how long text stays after its delivery has settled, default 10 min
	Rows       time.Duration // how long settled rows stay, default 30 days; at least Budget.Window
	Logger     *slog.Logger  // nil: silent
	// Deaf, if not nil, is told that a message was missed although the
	// connection seemed healthy: it should be closed and resumed (R13, C17).
	Deaf func(reason string)
}

// withDefaults is the configuration with defaults filled in, or everything
// that is wrong with it.
func (c Config) withDefaults() (Config, error) {
	var errs []error
	for _, need := range []struct {
		missing bool
		name    string
	}{
		{c.Ledger == nil, "Ledger"}, {c.History == nil, "History"}, {c.Replier == nil, "Replier"},
		{c.Handler == nil, "Handler"}, {c.Boot == "", "Boot"},
	} {
		if need.missing {
			errs = append(errs, errors.New("gapless.Config."+need.name+" is required"))
		}
	}
	errs = append(errs, c.negative()...)
	errs = append(errs, c.recoverable()...)
	errs = append(errs, c.backlogs()...)
	c.Budget, c.Retry = c.Budget.WithDefaults(), c.Retry.WithDefaults()
	c.Hold = cmp.Or(c.Hold, 30*time.Second)
	c.Late = c.Late.WithDefaults()
	c.AskFor = cmp.Or(c.AskFor, 24*time.Hour)
	c.Question = cmp.Or(c.Question, "This came to me late. Does it still matter? (yes or no)")
	c.Backlog = cmp.Or(c.Backlog, BacklogEach)
	c.BotTurns = cmp.Or(c.BotTurns, 10)
	c.Turn = cmp.Or(c.Turn, time.Hour)
	c.Drain = cmp.Or(c.Drain, 30*time.Second)
	c.Turns = cmp.Or(c.Turns, 16)
	c.Audit = cmp.Or(c.Audit, 5*time.Minute)
	c.AuditCalls = cmp.Or(c.AuditCalls, 30)
	c.Readers = cmp.Or(c.Readers, 4)
	c.Replies = cmp.Or(c.Replies, ReplyFirst)
	c.Text = cmp.Or(c.Text, 10*time.Minute)
	c.Rows = cmp.Or(c.Rows, 30*24*time.Hour)
	if c.Rows < c.Budget.Window+Overlap {
		errs = append(errs, errors.New("gapless.Config.Rows must be at least Budget.Window plus 10 s: what is forgotten sooner could be handled twice (C80)"))
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c, errors.Join(errs...)
}

// rules is what coverage and admission need of the configuration.
func (c Config) rules() rules {
	return rules{
		policy: c.Policy, window: c.Budget.Window, hold: c.Hold, scope: c.Scope, recover: c.Recover, exceptions: c.Exceptions,
		lookBack: c.LookBack, notices: c.Outages, join: c.Join, late: c.Late, notice: c.Notice, noticeAll: c.NoticeAll,
	}
}

// recoverable names every way to recover that there is not (C29).
func (c Config) recoverable() (errs []error) {
	ways := []Recover{c.Recover}
	for _, r := range c.Exceptions {
		ways = append(ways, r.How)
	}
	for _, how := range ways {
		switch how {
		case "", RecoverOn, RecoverOff, RecoverNotice:
		default:
			errs = append(errs, fmt.Errorf("gapless.Config.Recover: %q is none of on, notice and off", how))
		}
	}
	return errs
}

// negative names every number that makes no sense below zero (C29).
func (c Config) negative() (errs []error) {
	for _, n := range []struct {
		name  string
		value int64
	}{
		{"Budget.Examined", int64(c.Budget.Examined)}, {"Budget.Calls", int64(c.Budget.Calls)},
		{"Budget.Turns", int64(c.Budget.Turns)}, {"Budget.Window", int64(c.Budget.Window)}, {"Budget.Rest", int64(c.Budget.Rest)},
		{"Retry.Attempts", int64(c.Retry.Attempts)}, {"Retry.Interruptions", int64(c.Retry.Interruptions)},
		{"Retry.Base", int64(c.Retry.Base)}, {"Retry.Ceiling", int64(c.Retry.Ceiling)},
		{"Hold", int64(c.Hold)}, {"LookBack", int64(c.LookBack)}, {"AskFor", int64(c.AskFor)}, {"Join", int64(c.Join)}, {"BotTurns", int64(c.BotTurns)}, {"Turn", int64(c.Turn)}, {"Drain", int64(c.Drain)}, {"Turns", int64(c.Turns)},
		{"Readers", int64(c.Readers)}, {"Audit", int64(c.Audit)}, {"AuditCalls", int64(c.AuditCalls)}, {"Text", int64(c.Text)}, {"Rows", int64(c.Rows)},
	} {
		if n.value < 0 {
			errs = append(errs, fmt.Errorf("gapless.Config.%s is negative; zero means its default", n.name))
		}
	}
	return errs
}
