package gapless_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"gapless"
)

// works handles for the given time, unless it is stopped; why tells with which cause.
func (r *rig) works(d time.Duration) (why func() error) {
	var cause error
	r.handles(func(ctx context.Context, del *gapless.Delivery) error {
		select {
		case <-time.After(d):
			del.Reply("done")
			return nil
		case <-ctx.Done():
			r.set(func() { cause = context.Cause(ctx) })
			return ctx.Err()
		}
	})
	return func() (err error) {
		r.set(func() { err = cause })
		return err
	}
}

// On the first signal no new turn starts; what runs is finished, stored and sent.
func TestStopLetsRunningTurnsFinish(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		why := r.works(20 * time.Second)
		r.open()
		r.begin()
		first := r.say(10, "one")
		r.say(10, "two")
		time.Sleep(time.Second)
		began := time.Now()
		r.close()
		if took := time.Since(began); took < 19*time.Second || took > 20*time.Second {
			t.Errorf("stopping took %s", took)
		}
		if why() != nil {
			t.Errorf("the turn was stopped: %v", why())
		}
		r.expect(first)
		s := r.status()
		if s.Ended[gapless.Answered] != 1 || s.Messages["pending"] != 1 || len(r.holds(10)) != 1 {
			t.Errorf("ended %v, messages %v, discord holds %q", s.Ended, s.Messages, r.holds(10))
		}
	})
}

// After the drain what still runs is stopped with a cause; it costs no attempt.
func TestDrainEndsWithErrStopped(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		why := r.works(time.Hour)
		r.open()
		r.begin()
		id := r.say(10, "one")
		time.Sleep(time.Second)
		began := time.Now()
		r.close()
		if took := time.Since(began); took != 30*time.Second {
			t.Errorf("stopping took %s, want the drain of 30 s", took)
		}
		if !errors.Is(why(), gapless.ErrStopped) {
			t.Errorf("the turn was stopped with %v", why())
		}
		if s := r.status(); s.Deliveries[gapless.Waiting] != 1 {
			t.Errorf("deliveries: %v", s.Deliveries)
		}
		r.handles(nil)
		r.open()
		time.Sleep(time.Minute)
		r.expect(id, id)
		if log := r.log(); log[1].attempt != 2 {
			t.Errorf("the second start calls itself attempt %d", log[1].attempt)
		}
		r.settled(gapless.Answered, 1)
	})
}

// The second signal ends it at once, handlers that do not listen included.
func TestAbortIsAtOnce(t *testing.T) {
	for _, c := range []struct {
		name  string
		works func(*rig)
	}{
		{"a handler that listens", func(r *rig) { r.works(time.Hour) }},
		{"a handler that does not", func(r *rig) {
			r.handles(func(context.Context, *gapless.Delivery) error { time.Sleep(time.Hour); return nil })
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, r *rig) {
				c.works(r)
				r.open()
				r.begin()
				r.say(10, "one")
				time.Sleep(time.Second)
				began := time.Now()
				e := r.engine
				time.AfterFunc(2*time.Second, e.Abort)
				r.close()
				if took := time.Since(began); took != 2*time.Second {
					t.Errorf("stopping took %s", took)
				}
				if s := r.status(); s.Deliveries[gapless.Waiting] != 1 {
					t.Errorf("deliveries: %v", s.Deliveries)
				}
				if log := r.journal.String(); strings.Contains(log, "level=ERROR") {
					t.Errorf("an abort is nobody's fault:\n%s", log)
				}
			})
		})
	}
}

// A crash in the middle of a turn starts it again, numbered; the third makes it
// dead: a message that kills the process must not kill it for ever.
func TestThirdCrashIsTheLast(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.works(time.Hour)
		r.open()
		r.begin()
		id := r.say(10, "poison")
		next := gapless.MessageID(0)
		for range 3 {
			time.Sleep(time.Second)
			r.crash()
			r.open()
			r.begin()
		}
		next = r.say(10, "next")
		time.Sleep(time.Second)
		r.expect(id, id, id, next)
		for i, s := range r.log()[:3] {
			if s.attempt != i+1 {
				t.Errorf("start %d calls itself attempt %d", i+1, s.attempt)
			}
		}
		if s := r.status(); s.Ended[gapless.Interrupted] != 1 || s.Deliveries[gapless.Dead] != 1 {
			t.Errorf("ended: %v", s.Ended)
		}
	})
}

// What a dying process still says is refused: its fence is old (promise 3).
func TestDyingProcessChangesNothing(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.handles(func(_ context.Context, d *gapless.Delivery) error {
			if d.Attempt == 1 {
				time.Sleep(time.Hour) // ends long after the crash
			}
			d.Reply("done")
			return nil
		})
		r.open()
		r.begin()
		id := r.say(10, "one")
		time.Sleep(time.Second)
		r.crash()
		r.open()
		time.Sleep(3 * time.Hour)
		r.expect(id, id)
		r.settled(gapless.Answered, 1)
		if n := len(r.holds(10)); n != 1 {
			t.Errorf("discord holds %d answers", n)
		}
	})
}

// An engine that has nothing to do stops at once.
func TestIdleEngineStopsAtOnce(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.open()
		r.begin()
		r.say(10, "one")
		time.Sleep(time.Minute)
		began := time.Now()
		r.close()
		if took := time.Since(began); took != 0 {
			t.Errorf("stopping took %s", took)
		}
	})
}

// A claim that is under way when the engine stops is not left behind as a turn
// that nobody runs: it would count as an interruption.
func TestStopDuringAClaim(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		slow := &slowLedger{}
		slow.claim.Store(int64(100 * time.Millisecond))
		r.wrap = func(l gapless.Ledger) gapless.Ledger { slow.Ledger = l; return slow }
		r.open()
		r.begin()
		r.say(10, "hello")
		time.Sleep(50 * time.Millisecond)
		r.close()
		if s := r.status(); s.Deliveries[gapless.Leased] != 0 {
			t.Errorf("deliveries: %v", s.Deliveries)
		}
	})
}

// A handler that answered by itself and crashed before it could say so is not
// started again: the answer is read before its lane goes on (S25). Without
// news of its place the lane waits no longer than the hold.
func TestCrashedTurnAwaitsEvidence(t *testing.T) {
	for name, c := range map[string]struct {
		answered bool
		back     bool
		starts   int
		within   time.Duration
	}{
		"answered": {true, true, 1, time.Minute}, "not answered": {false, true, 2, 5 * time.Second},
		"answered, and nothing is heard": {true, false, 1, 29 * time.Second}, "nothing is heard": {false, false, 2, 31 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, r *rig) {
				r.works(time.Hour)
				r.open()
				r.begin()
				id := r.say(10, "question")
				time.Sleep(time.Minute)
				r.set(func() {
					if c.answered {
						r.add(gapless.Message{Place: 10, Author: gapless.User{ID: self, Bot: true}, Type: 19, Text: "done", Reference: gapless.Reference{Message: id, Place: 10, Known: true}})
					}
				})
				r.crash()
				r.handles(quiet)
				r.open()
				if c.back {
					r.begin()
				}
				time.Sleep(c.within)
				if got := len(r.started()); got != c.starts {
					t.Errorf("%d starts, want %d", got, c.starts)
				}
			})
		})
	}
}
