package gapless

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// Engine keeps the promises: it takes batches from sources, decides, stores,
// recovers what was missed, runs turns and sends their replies. Make one with
// [Open]; its methods may be called from any goroutine.
type Engine struct {
	cfg   Config
	log   *slog.Logger
	rules rules

	// coverage is held by whoever changes coverage, from reading the marks
	// until the ledger has stored the change: so there is never a second
	// opinion about where a place stands. It is a channel and not a mutex
	// because its holder waits while the ledger cannot be written.
	coverage chan struct{}
	marks    *marks // owned by the holder of coverage

	opened   map[int]uint64 // the epochs of the shards when the engine was opened
	left     interrupted    // lanes of turns that an earlier boot left
	seen     atomic.Pointer[view]
	recovery *recovery
	dispatch *dispatcher
	outbox   *outbox
	lookup   *lookups

	aborted chan struct{}
	abort   func()
}

// Open reads the ledger and gives an engine ready for Admit and Run. Turns that
// an earlier boot left leased are ended as interrupted. If the ledger cannot be
// read or written, there is an error and no engine: without a ledger nothing is
// dispatched (S05, S24).
func Open(ctx context.Context, cfg Config) (*Engine, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	e := &Engine{
		cfg: cfg, log: cfg.Logger,
		rules:    cfg.rules(),
		coverage: make(chan struct{}, 1),
		aborted:  make(chan struct{}),
	}
	e.abort = onceClose(e.aborted)
	memory, err := cfg.Ledger.Load(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the ledger: %w", err)
	}
	e.marks = newMarks(memory)
	e.show()
	e.opened, e.left = map[int]uint64{}, interrupted{}
	for n, s := range e.marks.shards {
		e.opened[n] = s.Epoch
	}
	e.recovery = newRecovery(e)
	if err := e.endOldLeases(ctx); err != nil {
		return nil, err
	}
	unsent, err := cfg.Ledger.Unsent(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the replies that are still to be sent: %w", err)
	}
	e.outbox = newOutbox(e, unsent)
	e.dispatch = newDispatcher(e)
	e.lookup = newLookups(e, memory.Undecided)
	if err := e.noteRestored(ctx, memory); err != nil {
		return nil, err
	}
	err = e.change(ctx, "apply the configured scope", func() *draft {
		d := newDraft(e.marks, e.rules, Session{}, e.now())
		d.rescope()
		return d
	})
	if err != nil {
		return nil, err
	}
	return e, nil
}

// endOldLeases ends what an earlier boot of the exclusive ledger was doing: at
// once, since nobody can be doing it any more.
func (e *Engine) endOldLeases(ctx context.Context) error {
	leased, err := e.cfg.Ledger.Leases(ctx)
	if err != nil {
		return fmt.Errorf("read the leases of earlier boots: %w", err)
	}
	for _, d := range leased {
		next, err := d.Next(Outcome{Kind: TurnInterrupted, Detail: "the process ended during the turn"}, e.now(), e.cfg.Retry, 0)
		if err != nil {
			return err
		}
		if err := e.cfg.Ledger.Settle(ctx, Settlement{Delivery: next, At: e.now()}); err != nil && !errors.Is(err, ErrStale) {
			return fmt.Errorf("end the interrupted turn of delivery %s: %w", d.ID, err)
		}
		if next.State == Waiting {
			e.left[d.Lane] = e.now().Add(e.cfg.Hold)
		}
		e.log.Warn("turn was interrupted by the end of an earlier process", "delivery", d.ID, "attempt", d.Attempt,
			"interruptions", next.Interruptions, "state", next.State)
	}
	return nil
}

// Run recovers, dispatches and sends until ctx ends. Then it takes no new turn,
// lets running ones go on for Config.Drain, stops those that are left, and
// returns after all of its goroutines. What was not finished stays in the
// ledger. [Engine.Abort] skips the waiting.
func (e *Engine) Run(ctx context.Context) error {
	work, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(nil)
	ended := make(chan struct{})
	var g sync.WaitGroup
	g.Go(func() { e.recovery.run(ctx) })
	g.Go(func() { e.lookup.run(ctx) })
	g.Go(func() { e.housekeep(ctx) })
	g.Go(func() { e.outbox.run(work, ended) })
	g.Go(func() { defer close(ended); e.dispatch.run(ctx, work) })
	g.Go(func() { e.drain(ctx, ended, stop) })
	g.Wait()
	return nil
}

// drain ends the work that is still going on when its time is up.
func (e *Engine) drain(ctx context.Context, ended <-chan struct{}, stop context.CancelCauseFunc) {
	select {
	case <-ctx.Done():
	case <-e.aborted:
	}
	limit := time.NewTimer(e.cfg.Drain)
	defer limit.Stop()
	select {
	case <-e.outbox.idle(ended):
	case <-limit.C:
		e.log.Warn("stopping what still runs at the end of the drain", "drain", e.cfg.Drain)
	case <-e.aborted:
		e.log.Warn("stopping at once")
	}
	stop(ErrStopped)
}

// Abort makes Run end what it is doing at once: the second stage of a
// shutdown. The context given to Run must end too.
func (e *Engine) Abort() { e.abort() }

// Session is the gateway session as stored last, by this process or an earlier
// one. ok is false if the shard never had one.
func (e *Engine) Session(shard int) (s Session, ok bool) {
	e.coverage <- struct{}{}
	defer func() { <-e.coverage }()
	s, ok = e.marks.sessions[shard]
	return s, ok
}

// Admit stores a batch: rows, decisions, coverage and checkpoint in one
// transaction. It returns nil once that is durable; until then it tries again,
// however long the ledger refuses, and gives up only when ctx ends (promise 1,
// C86). Batches of one session must be given one
// after the other.
func (e *Engine) Admit(ctx context.Context, b Batch) error {
	if len(b.Events) == 0 && b.Session == nil {
		return nil
	}
	return e.change(ctx, "store a batch", func() *draft {
		session := e.marks.sessions[0]
		if b.Session != nil {
			session = e.marks.sessions[b.Session.Shard]
			session.Shard = b.Session.Shard
		}
		if session.Self.ID == 0 && b.Session != nil {
			session.Self = b.Session.Self
		}
		d := newDraft(e.marks, e.rules, session, e.now())
		d.from(b.Session)
		for _, ev := range b.Events {
			d.event(ev)
		}
		d.change.Session = b.Session
		return d
	})
}

// Recover asks for a pass of recovery now, as an operator would. One that runs
// already is followed by another (S02). It returns at once; the record of the
// pass says what came of it.
func (e *Engine) Recover() { e.recovery.kick(TriggerAsked) }

// SetPolicy has messages that are not decided yet judged by another policy. It
// may be called at any time; what was decided stays decided (R10).
func (e *Engine) SetPolicy(p Policy) {
	e.coverage <- struct{}{}
	defer func() { <-e.coverage }()
	e.rules.policy = p
	e.show()
}

// change stores one change of coverage. build is called with coverage held,
// again after each failure, because the marks are read back then.
func (e *Engine) change(ctx context.Context, deed string, build func() *draft) error {
	select {
	case e.coverage <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-e.coverage }()
	for try := 1; ; try++ {
		d := build()
		if d == nil || d.change.Empty() {
			e.after(d, Stored{})
			return nil
		}
		stored, err := e.cfg.Ledger.Append(ctx, d.change)
		if err == nil {
			e.marks.apply(d)
			if d.shown() {
				e.show()
			}
			if d.done != nil {
				d.done(stored)
			}
			e.after(d, stored)
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("%s: %w", deed, err)
		}
		e.log.Error("the ledger refuses a change; nothing is lost, trying again", "deed", deed, "try", try, "error", err)
		if err := e.reload(ctx, try); err != nil {
			return fmt.Errorf("%s: %w", deed, err)
		}
	}
}

// reload waits out a failure of the ledger and reads the marks back.
func (e *Engine) reload(ctx context.Context, try int) error {
	for ; ; try++ {
		if err := sleep(ctx, storeRetry.Backoff(try, e.jitter("store", try))); err != nil {
			return err
		}
		memory, err := e.cfg.Ledger.Load(ctx)
		if err == nil {
			old := e.marks
			e.marks = newMarks(memory)
			e.marks.remember(old)
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		e.log.Error("the ledger cannot be read; trying again", "try", try, "error", err)
	}
}

// storeRetry is how fast a refused store is repeated.
var storeRetry = Retry{Base: 50 * time.Millisecond, Ceiling: 5 * time.Second}

// after tells the rest of the engine what a stored change means for it. The
// ledger is the truth; these are only wakes (style: a lost one costs a poll).
func (e *Engine) after(d *draft, s Stored) {
	if d == nil {
		return
	}
	for _, lane := range s.Lanes {
		e.dispatch.wake(lane)
	}
	e.dispatch.news()
	e.lookup.heed(&d.change)
	e.outbox.hear(d.change.Own)
	e.outbox.add(d.change.Letters)
	for _, g := range d.moved {
		e.dispatch.wake(LaneOf(g.Place)) // it may hold less than before
		e.lookup.read(g.Place)
	}
	for _, g := range d.change.Opened {
		e.log.Info("gap opened", "place", g.Place, "after", g.After, "upto", g.Upto, "cause", g.Cause, "gap", g.ID)
	}
	for _, r := range d.change.Ranges {
		e.log.Warn("range will not be read", "place", r.Place, "after", r.After, "upto", r.Upto, "reason", r.Reason)
	}
	if d.trigger != "" {
		e.recovery.kick(d.trigger)
	}
}

// now is Discord's now: the host's clock, corrected by what Discord says.
func (e *Engine) now() time.Time {
	if e.cfg.Clock == nil {
		return time.Now()
	}
	return time.Now().Add(e.cfg.Clock.Offset())
}
