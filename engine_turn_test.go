package gapless_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"gapless"
)

// A panic fails its turn and nothing else (C107).
func TestPanicIsAFailure(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.handles(func(_ context.Context, d *gapless.Delivery) error {
			if d.First().Text == "bad" {
				panic("no")
			}
			return nil
		})
		r.open()
		r.begin()
		r.say(10, "bad")
		good := r.say(20, "good")
		time.Sleep(time.Hour)
		s := r.status()
		if s.Ended[gapless.Attempts] != 1 || s.Ended[gapless.Done] != 1 {
			t.Errorf("ended: %v", s.Ended)
		}
		log := r.log()
		if len(log) != 6 || !slices.ContainsFunc(log, func(s start) bool { return s.id == good && s.attempt == 1 }) {
			t.Errorf("starts: %+v", log)
		}
	})
}

// Failures back off, are numbered, and end dead; the lane goes on after that.
func TestFailuresBackOffAndEnd(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.cfg.Retry = gapless.Retry{Attempts: 4, Base: 10 * time.Second, Ceiling: time.Minute}
		r.handles(func(_ context.Context, d *gapless.Delivery) error {
			if d.First().Text == "bad" {
				return errors.New("no")
			}
			return nil
		})
		r.open()
		r.begin()
		bad, next := r.say(10, "bad"), r.say(10, "next")
		time.Sleep(time.Hour)
		r.expect(bad, bad, bad, bad, next)
		log := r.log()
		for i, s := range log[:4] {
			if s.attempt != i+1 {
				t.Errorf("start %d calls itself attempt %d", i+1, s.attempt)
			}
		}
		for i, bounds := range [][2]time.Duration{{5, 10}, {10, 20}, {20, 40}} {
			if wait := log[i+1].at.Sub(log[i].at); wait < bounds[0]*time.Second || wait > bounds[1]*time.Second {
				t.Errorf("attempt %d came %s after the one before", i+2, wait)
			}
		}
		if s := r.status(); s.Ended[gapless.Attempts] != 1 || s.Deliveries[gapless.Dead] != 1 {
			t.Errorf("ended: %v", s.Ended)
		}
	})
}

func TestHandlerSaysWhenToAskAgain(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.handles(func(_ context.Context, d *gapless.Delivery) error {
			if d.Attempt == 1 {
				return gapless.RetryAfter(42 * time.Minute)
			}
			return gapless.Discard("enough")
		})
		r.open()
		r.begin()
		r.say(10, "hello")
		time.Sleep(time.Hour)
		log := r.log()
		if len(log) != 2 || log[1].at.Sub(log[0].at) != 42*time.Minute {
			t.Errorf("starts: %+v", log)
		}
		r.settled(gapless.Discarded, 1)
	})
}

// A handler that is away for two hours costs no attempt and no message; it is
// asked now and then, by one lane at a time.
func TestUnavailableHandlerCostsNoAttempt(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		back := time.Now().Add(2 * time.Hour)
		r.handles(func(_ context.Context, d *gapless.Delivery) error {
			if time.Now().Before(back) {
				return gapless.Unavailable(errors.New("connection refused"))
			}
			d.Reply("here")
			return nil
		})
		r.open()
		r.begin()
		for _, place := range []gapless.ChannelID{10, 20, 30, 10, 20, 30} {
			r.say(place, "hello")
		}
		time.Sleep(2*time.Hour + time.Minute)
		asked, served := 0, 0
		for _, s := range r.log() {
			if s.attempt != 1 {
				t.Fatalf("message %s was started as attempt %d", s.id, s.attempt)
			}
			if s.at.Before(back) {
				asked++
			} else {
				served++
			}
		}
		if served != 6 || asked < 1000 || asked > 6000 {
			t.Errorf("asked %d times while away, %d served after", asked, served)
		}
		r.settled(gapless.Answered, 6)
	})
}

// A turn ends after the turn limit without progress, and counts as an attempt;
// signs of life extend it.
func TestTurnLimit(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		var cause error
		r.handles(func(ctx context.Context, d *gapless.Delivery) error {
			if d.Attempt == 1 {
				<-ctx.Done()
				r.set(func() { cause = context.Cause(ctx) })
				return ctx.Err()
			}
			for range 5 { // alive for four hours
				time.Sleep(50 * time.Minute)
				d.Progress()
			}
			d.Reply("done")
			return ctx.Err()
		})
		r.open()
		r.begin()
		r.say(10, "hello")
		time.Sleep(59 * time.Minute)
		r.set(func() {
			if cause != nil {
				t.Errorf("ended early: %v", cause)
			}
		})
		time.Sleep(2 * time.Minute)
		r.set(func() {
			if !errors.Is(cause, gapless.ErrTurnLimit) {
				t.Errorf("ended with %v", cause)
			}
		})
		time.Sleep(5 * time.Hour)
		if log := r.log(); len(log) != 2 || log[1].attempt != 2 {
			t.Errorf("starts: %+v", log)
		}
		r.settled(gapless.Answered, 1)
	})
}

// Why a turn failed is what an operator asks first: the log says it, as a
// warning, and says that of nothing that went well.
func TestFailureIsExplainedInTheLog(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.handles(func(_ context.Context, d *gapless.Delivery) error {
			if d.Attempt == 1 {
				return errors.New("the bakery is shut")
			}
			return nil
		})
		r.open()
		r.begin()
		r.say(10, "bread")
		time.Sleep(time.Minute)
		var warned []string
		for line := range strings.Lines(r.journal.String()) {
			if strings.Contains(line, "level=WARN") {
				warned = append(warned, line)
			}
		}
		if len(warned) != 1 || !strings.Contains(warned[0], "turn ended") || !strings.Contains(warned[0], "the bakery is shut") {
			t.Errorf("warnings: %q", warned)
		}
	})
}

// A handler that does not return although its context ended loses its turn;
// what it says later is not heard, and its lane goes on.
func TestStuckHandlerLosesItsTurn(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.cfg.Turn = time.Minute
		r.handles(func(_ context.Context, d *gapless.Delivery) error {
			if d.Attempt == 1 {
				time.Sleep(time.Hour)
				d.Reply("too late")
				return nil
			}
			d.Reply("in time")
			return nil
		})
		r.open()
		r.begin()
		r.say(10, "hello")
		time.Sleep(2 * time.Hour)
		if got := r.holds(10); !slices.Equal(got, []string{"in time"}) {
			t.Errorf("discord holds %q", got)
		}
		if !strings.Contains(r.journal.String(), "does not return") {
			t.Error("nobody is told that a handler is stuck")
		}
		r.settled(gapless.Answered, 1)
	})
}

// Neither message text nor the handler's replies are written to the log.
func TestLogHasNoText(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.set(func() { r.sending = func(n int, _ gapless.Reply) error { return lostFirst(n) } })
		r.open()
		r.begin()
		r.say(10, "secret-words")
		r.outage(10, "secret-words")
		time.Sleep(time.Minute)
		if got := r.journal.String(); strings.Contains(got, "secret") || !strings.Contains(got, "turn ended") {
			t.Errorf("the log: %s", got)
		}
	})
}

func lostFirst(n int) error {
	if n == 1 {
		return errLostAnswer
	}
	return nil
}

// When the handler is back the first long turn does not keep all others waiting.
func TestLongTurnAfterAnOutageOfTheHandler(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		back := time.Now().Add(5 * time.Minute)
		r.handles(func(_ context.Context, d *gapless.Delivery) error {
			if time.Now().Before(back) {
				return gapless.Unavailable(errors.New("connection refused"))
			}
			d.Progress()
			time.Sleep(30 * time.Minute)
			return nil
		})
		r.open()
		r.begin()
		r.say(10, "one")
		r.say(20, "two")
		time.Sleep(time.Until(back.Add(3 * time.Minute)))
		served := 0
		for _, s := range r.log() {
			if !s.at.Before(back) {
				served++
			}
		}
		if served != 2 {
			t.Errorf("%d lanes are served three minutes after the handler came back, want 2", served)
		}
	})
}
