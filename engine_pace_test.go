package gapless_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"gapless"
)

// Recovered turns start at most thirty a minute, over all lanes (C119).
func TestRecoveredTurnsArePaced(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.handles(quiet)
		r.open()
		r.begin()
		time.Sleep(time.Minute)
		for i := range 100 {
			r.post([]gapless.ChannelID{10, 20, 30}[i%3], "x")
		}
		time.Sleep(time.Minute)
		r.begin()
		began := time.Now()
		time.Sleep(10 * time.Minute)
		log := r.log()
		if len(log) != 100 {
			t.Fatalf("%d of 100 were started", len(log))
		}
		for i, s := range log {
			if i >= 30 {
				if since := s.at.Sub(log[i-30].at); since < time.Minute {
					t.Fatalf("start %d came %s after start %d", i, since, i-30)
				}
			}
		}
		if took := log[99].at.Sub(began); took > 4*time.Minute {
			t.Errorf("a hundred took %s: the pace is not used", took)
		}
	})
}

// Live messages are not paced, and one that waits behind paced turns lifts the
// pacing of its lane, but not that of others.
func TestLiveMessageLiftsThePaceOfItsLane(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.handles(quiet)
		r.cfg.Budget.Turns = 2
		r.open()
		r.begin()
		time.Sleep(time.Minute)
		for range 10 {
			r.post(10, "missed")
			r.post(20, "missed")
		}
		time.Sleep(time.Minute)
		r.begin()
		time.Sleep(10 * time.Second)
		if n := len(r.started()); n != 2 {
			t.Fatalf("%d starts, want 2", n)
		}
		live := r.say(20, "live")
		time.Sleep(time.Second)
		got := r.started()
		if got[len(got)-1] != live {
			t.Errorf("the live message has not been started")
		}
		s := r.status()
		if len(s.Lanes) != 1 || s.Lanes[0].ID != "10" || s.Lanes[0].Pending < 8 {
			t.Errorf("lanes: %+v", s.Lanes)
		}
	})
}

// Live turns and idle looks use up nothing of the pace.
func TestLiveTurnsAreNotPaced(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.handles(quiet)
		r.cfg.Budget.Turns = 5
		r.open()
		r.begin()
		time.Sleep(time.Minute)
		var missed []gapless.MessageID
		for range 5 {
			missed = append(missed, r.post(30, "missed").ID)
		}
		for range 20 {
			r.say(10, "live")
		}
		time.Sleep(time.Second)
		r.begin()
		time.Sleep(15 * time.Second)
		if got := r.started(); len(got) != 25 || got[24] != missed[4] {
			t.Errorf("%d turns were started, want 25", len(got))
		}
	})
}

// A handler that is away uses up nothing of the pace.
func TestUnavailableHandlerUsesNoPace(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.cfg.Budget.Turns = 2
		back := time.Now().Add(30 * time.Minute)
		r.handles(func(context.Context, *gapless.Delivery) error {
			if time.Now().Before(back) {
				return gapless.Unavailable(errors.New("connection refused"))
			}
			return nil
		})
		r.open()
		r.begin()
		time.Sleep(time.Minute)
		r.post(10, "a")
		r.post(20, "b")
		time.Sleep(time.Minute)
		r.begin()
		time.Sleep(time.Until(back.Add(40 * time.Second)))
		r.settled(gapless.Done, 2)
	})
}

// Second attempts are not paced again.
func TestRetriesAreNotPaced(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.cfg.Budget.Turns = 1
		r.handles(func(_ context.Context, d *gapless.Delivery) error {
			if d.Attempt < 4 {
				return gapless.RetryAfter(time.Second)
			}
			return nil
		})
		r.open()
		r.begin()
		r.outage(10, "missed")
		time.Sleep(10 * time.Second)
		r.settled(gapless.Done, 1)
	})
}

// pruneSpy notes what the ledger was asked to prune.
type pruneSpy struct {
	gapless.Ledger
	asked chan gapless.Prune
}

func (p pruneSpy) Prune(ctx context.Context, q gapless.Prune) (bool, error) {
	p.asked <- q
	return p.Ledger.Prune(ctx, q)
}

// Text goes ten minutes after its delivery settled, rows a month after; a step
// takes a bounded number of rows.
func TestPruneIsAskedFor(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		spy := pruneSpy{r.ledger, make(chan gapless.Prune, 10)}
		cfg := r.cfg
		cfg.Ledger, cfg.Boot = spy, "b"
		e, err := gapless.Open(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
		defer cancel()
		began := time.Now()
		if err := e.Run(ctx); err != nil {
			t.Fatal(err)
		}
		close(spy.asked)
		q, n := <-spy.asked, len(spy.asked)
		if n != 0 || q.Limit <= 0 || q.Limit > 10000 {
			t.Errorf("asked %d times more, first %+v", n, q)
		}
		at := began.Add(time.Minute)
		if at.Sub(q.Text) != 10*time.Minute || at.Sub(q.Rows) != 30*24*time.Hour {
			t.Errorf("text before %s, rows before %s ago", at.Sub(q.Text), at.Sub(q.Rows))
		}
	})
}

// What is owed keeps its text, however often the ledger is cleaned up.
func TestPruneKeepsWhatIsOwed(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.cfg.Text = 10 * time.Minute
		r.handles(func(_ context.Context, d *gapless.Delivery) error {
			if d.First().Text == "owed" && d.Attempt < 3 {
				return gapless.RetryAfter(time.Hour)
			}
			d.Reply("re: " + d.First().Text)
			return nil
		})
		r.open()
		r.begin()
		r.say(10, "owed")
		r.say(20, "settled")
		time.Sleep(5 * time.Minute)
		asked := r.refuse("Prune", 0)
		time.Sleep(3 * time.Hour)
		if n := asked(); n < 100 || n > 400 {
			t.Errorf("cleaned up %d times in three hours", n)
		}
		r.answered(10, "re: owed") // two hours after it came
	})
}

// A ledger that cannot be cleaned up now is cleaned up later.
func TestPruneGoesOnAfterAFailure(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.open()
		asked := r.refuse("Prune", 3)
		time.Sleep(5*time.Minute + time.Second)
		if n := asked(); n != 5 {
			t.Errorf("asked %d times in five minutes, want once a minute", n)
		}
	})
}

// When one lane reaches the handler again, the others do not wait any longer.
func TestLanesGoOnTogetherWhenTheHandlerIsBack(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		var back time.Time
		var starts []time.Time
		r.handles(func(context.Context, *gapless.Delivery) error {
			if time.Now().Before(back) {
				return gapless.Unavailable(errors.New("connection refused"))
			}
			r.set(func() { starts = append(starts, time.Now()) })
			time.Sleep(10 * time.Millisecond)
			return nil
		})
		r.open()
		r.begin()
		back = time.Now().Add(time.Minute)
		for _, place := range []gapless.ChannelID{10, 20, 30} {
			r.say(place, "hello")
		}
		time.Sleep(2 * time.Minute)
		r.set(func() {
			if len(starts) != 3 || starts[2].Sub(starts[0]) > 100*time.Millisecond {
				t.Errorf("turns started at %v", starts)
			}
		})
	})
}
