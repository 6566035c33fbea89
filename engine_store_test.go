package gapless_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gapless"
)

var errLocked = errors.New("database is locked")

// Without a ledger there is no engine, so nothing can be dispatched (S05).
func TestOpenRefusesALedgerThatCannotBeUsed(t *testing.T) {
	for _, deed := range []string{"Load", "Leases", "Unsent"} {
		t.Run(deed, func(t *testing.T) {
			bubble(t, func(t *testing.T, r *rig) {
				r.refuse(deed, 1)
				cfg := r.cfg
				cfg.Ledger, cfg.Boot = r.ledger, "b"
				if e, err := gapless.Open(t.Context(), cfg); e != nil || !errors.Is(err, errLocked) {
					t.Errorf("got an engine (%t) and %v", e != nil, err)
				}
			})
		})
	}
}

func TestOpenSaysEverythingThatIsMissing(t *testing.T) {
	_, err := gapless.Open(t.Context(), gapless.Config{Rows: time.Minute})
	for _, want := range []string{"Ledger", "History", "Replier", "Handler", "Boot", "Rows"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not name %s: %v", want, err)
		}
	}
}

func TestEmptyBatchIsNothing(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.open()
		if err := r.engine.Admit(t.Context(), gapless.Batch{}); err != nil {
			t.Error(err)
		}
	})
}

// A batch counts as received when it is stored, however often the ledger
// refuses before (promise 1, C86).
func TestAdmitReturnsWhenStored(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.open()
		r.begin()
		m := r.post(10, "hello")
		asked := r.refuse("Append", 5)
		began := time.Now()
		r.hear(m)
		if n := asked(); n != 6 {
			t.Errorf("returned after %d tries, want 6", n)
		}
		if wait := time.Since(began); wait < 100*time.Millisecond || wait > time.Minute {
			t.Errorf("the tries took %s", wait)
		}
		if s := r.status(); s.Messages["pending"]+s.Deliveries[gapless.Leased]+s.Deliveries[gapless.Answering]+s.Deliveries[gapless.Settled] != 1 {
			t.Errorf("it returned, and the ledger holds %v, %v", s.Messages, s.Deliveries)
		}
		synctest.Wait()
		time.Sleep(time.Minute)
		r.expect(m.ID)
		r.settled(gapless.Answered, 1)
	})
}

// Nothing is dispatched that the ledger has not stored and given out (promise 3).
func TestNoLedgerNoDispatch(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.open()
		r.begin()
		asked := r.refuse("Claim", 3)
		id := r.say(10, "hello")
		synctest.Wait()
		r.expect()
		time.Sleep(time.Minute)
		r.expect(id)
		if asked() < 4 {
			t.Errorf("claimed %d times", asked())
		}
		if log := r.journal.String(); strings.Count(log, "cannot be claimed") != 1 || strings.Count(log, "claimed again") != 1 {
			t.Errorf("it is not said once, and once that it is over:\n%s", log)
		}
		r.settled(gapless.Answered, 1)
	})
}

// Admit gives up only when its context ends; then nothing is stored, and the
// same batch can be handed over again.
func TestAdmitGivesUpWithItsContext(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.open()
		r.begin()
		m := r.post(10, "hello")
		r.refuse("Append", 1000)
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		if err := r.engine.Admit(ctx, r.batch(created(m))); err == nil {
			t.Fatal("the batch counts as received")
		}
		time.Sleep(time.Minute)
		r.expect()
		r.refuse("", 0) // the ledger is well again
		r.hear(m)
		time.Sleep(time.Minute)
		r.expect(m.ID)
	})
}

// After a refusal the engine believes the ledger again, not itself: the gap of
// a batch that had to be tried twice opens once.
func TestRefusedDiscontinuityOpensItsGapOnce(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.open()
		r.begin()
		heard := r.say(10, "heard")
		time.Sleep(time.Minute)
		missed := r.post(10, "missed")
		time.Sleep(time.Minute)
		r.refuse("Append", 3)
		r.begin()
		time.Sleep(time.Minute)
		r.expect(heard, missed.ID)
		r.settled(gapless.Answered, 2)
		if n := r.called("After"); n != 1 {
			t.Errorf("%d pages were read, want 1", n)
		}
	})
}

// A verdict the ledger refuses is kept: the handler is not run again.
func TestRefusedVerdictIsKept(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.open()
		r.begin()
		asked := r.refuse("Settle", 5)
		id := r.say(10, "hello")
		time.Sleep(time.Minute)
		r.expect(id)
		if asked() != 6 {
			t.Errorf("settled in %d tries, want 6", asked())
		}
		if got := r.holds(10); !slices.Equal(got, []string{"re: hello"}) {
			t.Errorf("discord holds %q", got)
		}
	})
}

// The session of the last batch is what a later boot finds.
func TestSessionOutlivesTheProcess(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.open()
		if _, ok := r.engine.Session(0); ok {
			t.Error("a session from nowhere")
		}
		for seq := range int64(3) {
			b := r.batch()
			b.Session.Seq = seq
			if err := r.engine.Admit(t.Context(), b); err != nil {
				t.Fatal(err)
			}
		}
		r.crash()
		r.open()
		if s, ok := r.engine.Session(0); !ok || s.Seq != 2 || s.ID != "s" || s.Self.ID != self {
			t.Errorf("got %+v, %t", s, ok)
		}
	})
}
