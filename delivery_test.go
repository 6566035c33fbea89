package gapless_test

import (
	"testing"
	"time"

	"gapless"

	"gapless/internal/property"
	"pgregory.net/rapid"
)

var (
	states   = []gapless.DeliveryState{gapless.Leased, gapless.Waiting, gapless.Answering, gapless.Settled, gapless.Dead}
	outcomes = []gapless.OutcomeKind{
		gapless.TurnDone, gapless.TurnFailed, gapless.TurnRetryAfter, gapless.TurnDiscarded,
		gapless.TurnUnavailable, gapless.TurnInterrupted, gapless.TurnLapsed,
	}
)

// Only a leased delivery has a turn that can end, and every way it can end
// leads somewhere.
func TestNextOverEveryPair(t *testing.T) {
	want := map[gapless.OutcomeKind]gapless.Delivery{
		gapless.TurnDone:        {State: gapless.Settled, Reason: gapless.Done, Attempt: 1, EndedAt: sec(9)},
		gapless.TurnDiscarded:   {State: gapless.Settled, Reason: gapless.Discarded, Attempt: 1, EndedAt: sec(9)},
		gapless.TurnFailed:      {State: gapless.Waiting, Attempt: 1, Failed: 1, NotBefore: sec(10)},
		gapless.TurnLapsed:      {State: gapless.Waiting, Attempt: 1, Failed: 1, NotBefore: sec(10)},
		gapless.TurnRetryAfter:  {State: gapless.Waiting, Attempt: 1, Failed: 1, NotBefore: sec(16)},
		gapless.TurnUnavailable: {State: gapless.Waiting, Attempt: 0, NotBefore: sec(16)},
		gapless.TurnInterrupted: {State: gapless.Waiting, Attempt: 1, Interruptions: 1, NotBefore: sec(9)},
	}
	for _, state := range states {
		for _, kind := range outcomes {
			t.Run(string(state)+"/"+string(kind), func(t *testing.T) {
				d := gapless.Delivery{State: state, Attempt: 1, Fence: 5}
				got, err := d.Next(gapless.Outcome{Kind: kind, Wait: 7 * time.Second, Detail: "because"}, sec(9), gapless.Retry{}, 0)
				if state != gapless.Leased {
					if err == nil || got.State != state || got.Attempt != 1 {
						t.Errorf("got %+v, %v", got, err)
					}
					return
				}
				w := want[kind]
				if err != nil || got.State != w.State || got.Reason != w.Reason || got.Attempt != w.Attempt || got.Failed != w.Failed ||
					got.Interruptions != w.Interruptions || !got.NotBefore.Equal(w.NotBefore) || !got.EndedAt.Equal(w.EndedAt) {
					t.Errorf("got %+v, %v, want %+v", got, err, w)
				}
				if got.Fence != 5 || got.Detail != "because" {
					t.Errorf("fence %d, detail %q", got.Fence, got.Detail)
				}
			})
		}
	}
}

func TestNextRefusesAnUnknownOutcome(t *testing.T) {
	d := gapless.Delivery{ID: "1", State: gapless.Leased}
	if got, err := d.Next(gapless.Outcome{Kind: "?"}, sec(9), gapless.Retry{}, 0); err == nil {
		t.Errorf("got %+v", got)
	}
}

func TestDoneWithRepliesIsAnswering(t *testing.T) {
	d := gapless.Delivery{State: gapless.Leased}
	got, err := d.Next(gapless.Outcome{Kind: gapless.TurnDone, Replies: 2}, sec(9), gapless.Retry{}, 0)
	if err != nil || got.State != gapless.Answering || got.Reason != "" || !got.EndedAt.IsZero() || got.Final() {
		t.Errorf("got %+v, %v", got, err)
	}
}

// again ends turns in the same way until the delivery is final.
func again(t *testing.T, o gapless.Outcome, retry gapless.Retry, most int) (d gapless.Delivery, turns int) {
	t.Helper()
	for turns < most && !d.Final() {
		d.State = gapless.Leased
		d.Attempt++
		next, err := d.Next(o, sec(turns), retry, 0)
		if err != nil {
			t.Fatal(err)
		}
		d, turns = next, turns+1
	}
	return d, turns
}

func TestHowOftenATurnMayEnd(t *testing.T) {
	for _, c := range []struct {
		name   string
		kind   gapless.OutcomeKind
		retry  gapless.Retry
		turns  int
		reason gapless.Reason
	}{
		{"five failures (C84)", gapless.TurnFailed, gapless.Retry{}, 5, gapless.Attempts},
		{"as many failures as configured", gapless.TurnFailed, gapless.Retry{Attempts: 2}, 2, gapless.Attempts},
		{"a handler that asks to be asked again", gapless.TurnRetryAfter, gapless.Retry{}, 5, gapless.Attempts},
		{"turns without progress", gapless.TurnLapsed, gapless.Retry{}, 5, gapless.Attempts},
		{"three interruptions", gapless.TurnInterrupted, gapless.Retry{}, 3, gapless.Interrupted},
		{"a handler that cannot be reached: never dead", gapless.TurnUnavailable, gapless.Retry{}, 1000, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, turns := again(t, gapless.Outcome{Kind: c.kind}, c.retry, 1000)
			if turns != c.turns || d.Reason != c.reason || d.Final() != (c.reason != "") {
				t.Errorf("after %d turns: %+v", turns, d)
			}
			if c.kind == gapless.TurnUnavailable && (d.Attempt != 0 || d.Failed != 0 || d.Interruptions != 0) {
				t.Errorf("an unreachable handler cost something: %+v", d)
			}
			if c.kind == gapless.TurnInterrupted && d.Failed != 0 {
				t.Errorf("an interruption cost an attempt: %+v", d)
			}
		})
	}
}

// Failures and interruptions are counted apart.
func TestInterruptionsDoNotAddToFailures(t *testing.T) {
	d := gapless.Delivery{State: gapless.Leased, Failed: 4, Interruptions: 1}
	got, err := d.Next(gapless.Outcome{Kind: gapless.TurnInterrupted}, sec(1), gapless.Retry{}, 0)
	if err != nil || got.State != gapless.Waiting || got.Failed != 4 || got.Interruptions != 2 {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestNegativeRetryAfterIsNow(t *testing.T) {
	d := gapless.Delivery{State: gapless.Leased}
	got, _ := d.Next(gapless.Outcome{Kind: gapless.TurnRetryAfter, Wait: -time.Hour}, sec(9), gapless.Retry{}, 0)
	if !got.NotBefore.Equal(sec(9)) {
		t.Errorf("not before %s", got.NotBefore)
	}
}

func TestBackoffBounds(t *testing.T) {
	atLeast(t, 2000)
	property.Check(t, func(t *rapid.T) {
		r := gapless.Retry{
			Base:    time.Duration(rapid.Int64Range(1, int64(time.Hour)).Draw(t, "base")),
			Ceiling: time.Duration(rapid.Int64Range(int64(time.Millisecond), int64(24*time.Hour)).Draw(t, "ceiling")),
		}
		n := rapid.IntRange(-1, 100).Draw(t, "n")
		jitter := rapid.Float64Range(0, 0.999).Draw(t, "jitter")
		got := r.Backoff(n, jitter)
		if got < 0 || got > r.Ceiling {
			t.Fatalf("%d failures wait %s, the ceiling is %s", n, got, r.Ceiling)
		}
		if less := r.Backoff(n-1, 0); less > r.Backoff(n, 0) {
			t.Fatalf("%d failures wait %s, %d wait %s", n-1, less, n, r.Backoff(n, 0))
		}
		if full := r.Backoff(n, 0) * 2; got < full/2 || got > full+2 {
			t.Fatalf("jitter leads from %s to %s", full, got)
		}
	})
}

func TestBackoffDoubles(t *testing.T) {
	r := gapless.Retry{Base: 2 * time.Second, Ceiling: 10 * time.Second}
	for i, want := range []time.Duration{1, 2, 4, 5, 5} { // half of it, for no jitter
		if got := r.Backoff(i+1, 0); got != want*time.Second {
			t.Errorf("failure %d waits %s, want %s", i+1, got, want*time.Second)
		}
	}
}

func TestAfterReply(t *testing.T) {
	for _, c := range []struct {
		name       string
		state      gapless.DeliveryState
		left, sent int
		want       gapless.DeliveryState
		reason     gapless.Reason
	}{
		{"one is left", gapless.Answering, 1, 3, gapless.Answering, ""},
		{"all sent", gapless.Answering, 0, 3, gapless.Settled, gapless.Answered},
		{"one of them sent", gapless.Answering, 0, 1, gapless.Settled, gapless.Answered},
		{"none sent (C57)", gapless.Answering, 0, 0, gapless.Settled, gapless.Undeliverable},
		{"settled is final (promise 7)", gapless.Settled, 0, 0, gapless.Settled, gapless.Done},
		{"dead is final", gapless.Dead, 0, 1, gapless.Dead, gapless.Attempts},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := gapless.Delivery{State: c.state}
			if c.state != gapless.Answering {
				d.Reason = c.reason
			}
			got := d.AfterReply(c.left, c.sent, sec(9))
			if got.State != c.want || got.Reason != c.reason || (c.state == gapless.Answering && got.EndedAt.IsZero() == got.Final()) {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestFirstOfAnEmptyDelivery(t *testing.T) {
	if got := (gapless.Delivery{}).First(); got.ID != 0 {
		t.Errorf("got %+v", got)
	}
	if got := (&gapless.Delivery{}).LateBy(sec(1)); got != 0 {
		t.Errorf("late by %s", got)
	}
}

// Ages are never negative, whatever the clocks say (C100).
func TestLateBy(t *testing.T) {
	d := gapless.Delivery{Messages: []gapless.Item{{Message: gapless.Message{ID: mid(10)}}, {Message: gapless.Message{ID: mid(20)}}}}
	for now, want := range map[int]time.Duration{70: time.Minute, 10: 0, 5: 0} {
		if got := d.LateBy(sec(now)); got != want {
			t.Errorf("at %d late by %s, want %s", now, got, want)
		}
	}
}
