package gapless

import (
	"context"
	"slices"
	"sync"
	"time"
)

// recovery carries out the plan: it reads gaps page by page, within a budget,
// whenever something calls for it. One pass runs at a time; a trigger that
// arrives meanwhile causes one more look (S02).
type recovery struct {
	e *Engine

	mu      sync.Mutex
	trigger Trigger // of the kick that waits, or empty
	kicked  chan struct{}

	// Owned by run.
	passes  int
	auditAt time.Time // when the next one is due; zero: never
	again   time.Time // when the last pass wants something looked at again; zero: not
	directs map[ChannelID]retryAt
	unread  map[GuildID]retryAt // guilds whose inventory could not be read
	listing map[ChannelID]listingAt
	joined  map[ChannelID]bool      // parents whose private threads we may not all list
	asked   map[GuildID]time.Time   // when an audit last asked for an inventory
	audited map[ChannelID]time.Time // when an audit last began to compare a place
	polled  map[ChannelID]time.Time // when an audit last asked a DM for its newest message
	deafAt  time.Time               // when the connection was last called deaf
	nobody  []Ref                   // what of the configured scope meant no place, when that was last said
}

func newRecovery(e *Engine) *recovery {
	return &recovery{e: e, kicked: make(chan struct{}, 1), directs: map[ChannelID]retryAt{}, unread: map[GuildID]retryAt{}, listing: map[ChannelID]listingAt{}, joined: map[ChannelID]bool{},
		asked: map[GuildID]time.Time{}, audited: map[ChannelID]time.Time{}, polled: map[ChannelID]time.Time{}}
}

// kick asks for a pass. The first trigger that waits names it.
func (r *recovery) kick(t Trigger) {
	r.mu.Lock()
	if r.trigger == "" || r.trigger == TriggerGap {
		r.trigger = t
	}
	r.mu.Unlock()
	select {
	case r.kicked <- struct{}{}:
	default:
	}
}

func (r *recovery) run(ctx context.Context) {
	if len(r.e.snapshot().gaps) > 0 {
		r.kick(TriggerStart)
	}
	r.nextAudit()
	rest := time.Time{} // a pass that left a remainder lets the next one wait until then
	for {
		trigger, ok := r.wait(ctx, rest)
		if !ok {
			return
		}
		rest = time.Time{}
		if p, left := r.pass(ctx, trigger); left || p.State == PassPartial || p.State == PassFailed {
			rest = r.e.now().Add(r.e.cfg.Budget.Rest)
		}
	}
}

// wait returns the trigger of the next pass: a kick, or something coming due.
func (r *recovery) wait(ctx context.Context, rest time.Time) (Trigger, bool) {
	due, trigger := r.nextDue(rest)
	var timer <-chan time.Time
	if !due.IsZero() {
		t := time.NewTimer(max(due.Sub(r.e.now()), time.Millisecond))
		defer t.Stop()
		timer = t.C
	}
	select {
	case <-ctx.Done():
		return "", false
	case <-r.kicked:
		return r.take(ctx), ctx.Err() == nil
	case <-timer:
		return trigger, true
	}
}

// gather is how long a pass after READY waits for the inventories that follow
// it, so that one pass sees them all.
const gather = 100 * time.Millisecond

// take is the trigger of the kick that was received.
func (r *recovery) take(ctx context.Context) Trigger {
	r.mu.Lock()
	began := r.trigger == TriggerBegan
	r.mu.Unlock()
	if began {
		_ = sleep(ctx, gather)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.trigger
	r.trigger = ""
	select {
	case <-r.kicked: // joined by this pass
	default:
	}
	return t
}

// nextDue is when recovery must look again without being asked; zero: never.
// Nothing is looked at before rest, and something is left to look at then.
func (r *recovery) nextDue(rest time.Time) (at time.Time, why Trigger) {
	s := r.e.snapshot()
	gaps := slices.DeleteFunc(s.gaps, r.e.audited) // their rounds come with auditAt
	gapDue, due := NextDue(gaps)
	if due && gapDue.IsZero() {
		gapDue = r.e.now()
	}
	for _, c := range []struct {
		at  time.Time
		why Trigger
	}{
		{gapDue, TriggerDue}, {s.overdueAt, TriggerDue}, {r.again, TriggerDue}, {r.auditAt, TriggerAudit}, {rest, TriggerRest},
	} {
		if !c.at.IsZero() && (at.IsZero() || c.at.Before(at)) {
			at, why = c.at, c.why
		}
	}
	if at.Before(rest) {
		return rest, TriggerRest
	}
	return at, why
}

// listable is when a guild whose inventory could not be read may be asked again.
func (r *recovery) listable(id GuildID) time.Time { return r.unread[id].due }

// snapshot is what recovery plans with.
type snapshot struct {
	gaps      []Gap
	overdueAt time.Time
}

func (e *Engine) snapshot() snapshot {
	e.coverage <- struct{}{}
	defer func() { <-e.coverage }()
	s := snapshot{gaps: e.marks.openGaps()}
	s.overdueAt, _ = e.marks.nextOverdue(e.recovery.listable, e.unwanted())
	return s
}
