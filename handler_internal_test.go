package gapless

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"
)

func TestVerdicts(t *testing.T) {
	broken := errors.New("broken")
	for _, c := range []struct {
		name  string
		err   error
		cause error
		want  Outcome
	}{
		{"nil is done", nil, nil, Outcome{Kind: TurnDone}},
		{"an error is retry", broken, nil, Outcome{Kind: TurnFailed, Detail: "broken"}},
		{"retry after", RetryAfter(time.Minute), nil, Outcome{Kind: TurnRetryAfter, Wait: time.Minute, Detail: "retry after 1m0s"}},
		{"wrapped retry after", fmt.Errorf("ask: %w", RetryAfter(time.Minute)), nil, Outcome{Kind: TurnRetryAfter, Wait: time.Minute, Detail: "ask: retry after 1m0s"}},
		{"discard", Discard("spam"), nil, Outcome{Kind: TurnDiscarded, Detail: "spam"}},
		{"wrapped discard", fmt.Errorf("ask: %w", Discard("spam")), nil, Outcome{Kind: TurnDiscarded, Detail: "spam"}},
		{"unavailable", Unavailable(broken), nil, Outcome{Kind: TurnUnavailable, Detail: "broken"}},
		{"unavailable without a reason", Unavailable(nil), nil, Outcome{Kind: TurnUnavailable, Detail: "no reason given"}},
		{"done although stopped", nil, ErrStopped, Outcome{Kind: TurnDone}},
		{"done although too late", nil, ErrTurnLimit, Outcome{Kind: TurnDone}},
		{"stopped, whatever the error", Discard("spam"), ErrStopped, Outcome{Kind: TurnInterrupted, Detail: "engine stopped"}},
		{"turn limit, whatever the error", broken, ErrTurnLimit, Outcome{Kind: TurnLapsed, Detail: "no progress within the turn limit"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := outcomeOf(c.err, c.cause); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
	if !errors.Is(Unavailable(broken), broken) {
		t.Error("the cause of an unavailable handler is hidden")
	}
}

func TestRepliesAreCollectedInOrder(t *testing.T) {
	d := NewTurn(Delivery{ID: "1"})
	d.Reply("one")
	d.Reply("")
	d.Reply("two")
	d.Progress()
	got := d.Replies()
	if !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("got %q", got)
	}
	got[0] = "changed"
	if d.Replies()[0] != "one" {
		t.Error("what was handed out is the collection itself")
	}
	var g sync.WaitGroup
	for range 20 {
		g.Go(func() { d.Reply("x"); d.Progress() })
	}
	if g.Wait(); len(d.Replies()) != 22 {
		t.Errorf("%d replies after 20 more at once", len(d.Replies()))
	}
}

func TestStoredDeliveryTakesNoReplies(t *testing.T) {
	d := &Delivery{ID: "1"}
	d.Reply("one")
	d.Progress()
	if got := d.Replies(); got != nil {
		t.Errorf("got %q", got)
	}
}

// Progress never waits for the engine.
func TestProgressDoesNotBlock(t *testing.T) {
	progress := make(chan struct{}, 1)
	d := &Delivery{turn: &turn{progress: progress}}
	for range 3 {
		d.Progress()
	}
	if len(progress) != 1 {
		t.Errorf("%d signs of life wait", len(progress))
	}
}
