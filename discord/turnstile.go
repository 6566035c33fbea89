package discord

import (
	"context"
	"sync"
	"time"
)

// turnstile has the shards of one bot identify in turns: of those with the same remainder of shard and max_concurrency
// one at a time, the lowest first (protocol A6). Whoever is inside may ask for the budget, connect and identify.
type turnstile struct {
	mu          sync.Mutex // never held while waiting
	concurrency int        // how many turns there are side by side, as Discord said last
	scarce      bool       // too few identifies are left for more than one at a time
	inside      map[int]bool
	waiting     map[int]bool
	identified  map[int]time.Time // by shard, its last identify
	changed     chan struct{}     // closed when somebody may go in
}

func newTurnstile() *turnstile {
	return &turnstile{
		concurrency: 1, inside: map[int]bool{}, waiting: map[int]bool{}, identified: map[int]time.Time{}, changed: make(chan struct{}),
	}
}

// expect says that these shards will come; none with a higher number goes before them.
func (t *turnstile) expect(shards ...int) {
	t.change(func() {
		clear(t.waiting)
		for _, n := range shards {
			t.waiting[n] = true
		}
	})
}

// enter waits for the shard's turn. busy is called if it is not at once. The error is that ctx has ended.
func (t *turnstile) enter(ctx context.Context, shard int, busy func()) error {
	for first := true; ; first = false {
		again := t.try(shard)
		if again == nil {
			return nil
		}
		if first {
			busy()
		}
		select {
		case <-again:
		case <-ctx.Done():
			t.change(func() { delete(t.waiting, shard) })
			return context.Cause(ctx)
		}
	}
}

// try goes in, or says when to try again.
func (t *turnstile) try(shard int) (again <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for n := range t.inside {
		if n != shard && t.together(n, shard) {
			t.waiting[shard] = true
			return t.changed
		}
	}
	for n := range t.waiting {
		if n < shard && t.together(n, shard) {
			t.waiting[shard] = true
			return t.changed
		}
	}
	t.inside[shard] = true
	delete(t.waiting, shard)
	return nil
}

// leave ends the shard's turn, if it has one.
func (t *turnstile) leave(shard int) { t.change(func() { delete(t.inside, shard) }) }

// learn takes in how many turns there may be side by side; if identifies are scarce it is one.
func (t *turnstile) learn(concurrency int, scarce bool) {
	t.change(func() { t.concurrency, t.scarce = max(concurrency, 1), scarce })
}

// sparing reports whether identifies are scarce.
func (t *turnstile) sparing() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.scarce
}

func (t *turnstile) change(how func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	how()
	close(t.changed)
	t.changed = make(chan struct{})
}

// together reports whether two shards share the turns.
func (t *turnstile) together(a, b int) bool {
	return t.scarce || a%t.concurrency == b%t.concurrency
}

// note records an identify of the shard.
func (t *turnstile) note(shard int, at time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.identified[shard] = later(t.identified[shard], at)
}

// last is the last identify of those the shard shares its turns with, and the last one of all.
func (t *turnstile) last(shard int) (shared, all time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for n, at := range t.identified {
		all = later(all, at)
		if t.together(n, shard) {
			shared = later(shared, at)
		}
	}
	return shared, all
}
