package gapless

import "testing"

func TestReachableHandlerStopsNobody(t *testing.T) {
	r := &reach{}
	for range 3 {
		if ok, _ := r.enter(instant); !ok {
			t.Fatal("a lane must wait for a handler that can be reached")
		}
	}
	if r.met() {
		t.Error("it is back although it was never away")
	}
}

func TestUnreachableHandlerIsAskedByOneLane(t *testing.T) {
	r := &reach{}
	r.enter(instant)
	wait, first := r.missed(instant, 0)
	if !first || wait != reachRetry.Backoff(1, 0) {
		t.Fatalf("missed: wait %s, first %t", wait, first)
	}
	due := instant.Add(wait)
	if ok, again := r.enter(due.Add(-1)); ok || !again.Equal(due) {
		t.Fatalf("too early: %t, ask again at %s, want %s", ok, again, due)
	}
	if ok, _ := r.enter(due); !ok {
		t.Fatal("nobody may ask although the wait is over")
	}
	if ok, again := r.enter(due); ok || !again.After(due) {
		t.Fatalf("a second lane asks too (%t), or at once (%s)", ok, again)
	}
	if wait, first = r.missed(due, 0); first || wait != reachRetry.Backoff(2, 0) {
		t.Fatalf("missed again: wait %s, first %t", wait, first)
	}
	due = due.Add(wait)
	if ok, _ := r.enter(due); !ok {
		t.Fatal("nobody may ask after the second wait")
	}
	if !r.met() {
		t.Error("it is not said to be back")
	}
	for range 2 {
		if ok, _ := r.enter(due); !ok {
			t.Error("lanes still wait")
		}
	}
}

// A lane that was to ask and found nothing to do lets the next one ask.
func TestAskingIsGivenBack(t *testing.T) {
	r := &reach{}
	wait, _ := r.missed(instant, 0)
	due := instant.Add(wait)
	if ok, _ := r.enter(due); !ok {
		t.Fatal("nobody may ask")
	}
	r.leave()
	if ok, _ := r.enter(due); !ok {
		t.Error("nobody may ask any more")
	}
}

// Turns that were under way when the handler went away are one miss, not many.
func TestMissesAtOnceAreOneMiss(t *testing.T) {
	r := &reach{}
	wait, _ := r.missed(instant, 0)
	for range 10 {
		again, first := r.missed(instant.Add(wait/2), 0)
		if first || again != wait-wait/2 {
			t.Fatalf("wait %s, first %t", again, first)
		}
	}
	if r.misses != 1 {
		t.Errorf("%d misses", r.misses)
	}
}

func TestReachBacksOffToACeiling(t *testing.T) {
	r, now := &reach{}, instant
	for range 50 {
		wait, _ := r.missed(now, 0.999)
		if wait <= 0 || wait > reachRetry.Ceiling {
			t.Fatalf("wait %s", wait)
		}
		now = now.Add(wait)
	}
}
