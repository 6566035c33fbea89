package gapless

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"
)

// lookups finds out what undecided messages lack, and decides them (R11). A
// definite answer decides; a failure does not, and is tried again with back-off
// for as long as it takes.
type lookups struct {
	e *Engine

	mu      sync.Mutex
	waiting map[MessageID]inquiry
	asking  map[member]bool    // whose roles are being asked for: once, however many messages wait for them
	places  map[ChannelID]bool // where a message is being looked into: one at a time, in the order of the lane
	woken   chan struct{}
}

// inquiry is one undecided message.
type inquiry struct {
	Item
	tries int
	due   time.Time
}

func (q *inquiry) member() member { return member{q.Message.Guild, q.Message.Author.ID} }

// memberFor is how long a look-up of a member counts.
const memberFor = 5 * time.Minute

func newLookups(e *Engine, undecided []Item) *lookups {
	l := &lookups{e: e, waiting: map[MessageID]inquiry{}, asking: map[member]bool{}, places: map[ChannelID]bool{}, woken: make(chan struct{}, 1)}
	l.add(undecided)
	return l
}

// add takes messages that were stored undecided.
func (l *lookups) add(items []Item) {
	if len(items) == 0 {
		return
	}
	l.mu.Lock()
	for _, it := range items {
		l.waiting[it.Message.ID] = inquiry{Item: it}
	}
	l.mu.Unlock()
	l.wake()
}

// heed takes note of what a stored change says of undecided messages.
func (l *lookups) heed(c *Change) {
	l.add(c.Undecided)
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) == 0 {
		return
	}
	for _, it := range c.Admitted {
		delete(l.waiting, it.Message.ID)
	}
	for _, r := range c.Refused {
		delete(l.waiting, r.ID)
	}
	for _, d := range c.Deleted {
		delete(l.waiting, d.ID)
	}
	for _, m := range c.Edited {
		if q, ok := l.waiting[m.ID]; ok && m.EditedAt.After(q.Message.EditedAt) {
			m.Guild = cmp.Or(m.Guild, q.Message.Guild)
			q.Message = m
			l.waiting[m.ID] = q
		}
	}
}

// read has what waits for history of a place looked at again.
func (l *lookups) read(place ChannelID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, q := range l.waiting {
		if q.Lacks == LackHistory && q.Message.Place == place {
			q.due = time.Time{}
			l.waiting[id] = q
			defer l.wake()
		}
	}
}

func (l *lookups) wake() {
	select {
	case l.woken <- struct{}{}:
	default:
	}
}

// run makes the look-ups that are due, oldest message first, some side by side.
func (l *lookups) run(ctx context.Context) {
	slots := make(chan struct{}, l.e.cfg.Readers)
	var work sync.WaitGroup
	defer work.Wait()
	for ctx.Err() == nil {
		q, next, ok := l.next()
		if !ok {
			l.rest(ctx, next)
			continue
		}
		select {
		case slots <- struct{}{}:
			work.Go(func() {
				defer func() { <-slots }()
				l.serve(ctx, q)
			})
		case <-ctx.Done():
		}
	}
}

// rest waits until something is due or woken.
func (l *lookups) rest(ctx context.Context, next time.Time) {
	var timer <-chan time.Time
	if !next.IsZero() {
		t := time.NewTimer(max(next.Sub(l.e.now()), time.Millisecond))
		defer t.Stop()
		timer = t.C
	}
	select {
	case <-timer:
	case <-l.woken:
	case <-ctx.Done():
	}
}

// next is the lowest message whose look-up is due, or when one will be.
func (l *lookups) next() (q inquiry, at time.Time, ok bool) {
	now := l.e.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, w := range l.waiting {
		switch {
		case l.places[w.Message.Place], w.Lacks == LackMember && l.asking[w.member()]:
		case now.Before(w.due):
			if at.IsZero() || w.due.Before(at) {
				at = w.due
			}
		case !ok || id < q.Message.ID:
			q, ok = w, true
		}
	}
	if ok {
		l.places[q.Message.Place] = true
		if q.Lacks == LackMember {
			l.asking[q.member()] = true
		}
	}
	return q, at, ok
}

// serve makes one look-up and decides with what it brought.
func (l *lookups) serve(ctx context.Context, q inquiry) {
	id := q.Message.ID
	found, err := l.find(ctx, q)
	if err == nil {
		err = l.e.decideAnew(ctx, q.Item, found)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.wake()
	delete(l.places, q.Message.Place)
	if q.Lacks == LackMember {
		delete(l.asking, q.member())
	}
	w, waits := l.waiting[id]
	if !waits || ctx.Err() != nil {
		return
	}
	if err == nil && w.Lacks != q.Lacks { // the next thing
		return
	}
	if err == nil && q.Lacks == LackHistory {
		w.due = l.e.now().Add(obstacleCeiling) // or when its gap moves
		l.waiting[id] = w
		return
	}
	if err == nil {
		err = errors.New("what was found did not decide it")
	}
	w.tries++
	w.due = l.e.now().Add(min(obstacleBase<<min(w.tries-1, 10), obstacleCeiling))
	l.waiting[id] = w
	l.e.log.Warn("what a message lacks to be decided could not be found out; tried again later", "message", id, "place", q.Message.Place,
		"lacks", q.Lacks, "tries", w.tries, "due", w.due, "error", err)
}

// decideAnew takes an undecided message through the door again, with what was
// found.
func (e *Engine) decideAnew(ctx context.Context, it Item, f finding) error {
	return e.change(ctx, "decide a message", func() *draft {
		it, ok := e.lookup.current(it)
		if !ok {
			return nil // it was decided or deleted meanwhile
		}
		shard := e.marks.guilds[e.marks.places[it.Message.Place].Guild].Shard
		d := newDraft(e.marks, e.rules, e.marks.sessions[shard], e.now())
		d.found(&it, f)
		d.judge(it)
		return d
	})
}

// current is the message as it waits now; ok is false if it waits no more.
func (l *lookups) current(it Item) (Item, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	q, ok := l.waiting[it.Message.ID]
	return q.Item, ok
}
