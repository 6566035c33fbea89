package gapless

import (
	"context"
	"slices"
	"sync"
)

// outbox sends stored replies: of one place in the order they were stored, of
// different places side by side. It never sends twice what Discord may already
// have (promise 8).
type outbox struct {
	e    *Engine
	work sync.WaitGroup

	mu     sync.Mutex
	queues map[ChannelID][]letter // a place with a queue has a goroutine
	ctx    context.Context        // of run; nil before and after it
	early  []letter               // added before run
	heard  map[string]MessageID   // nonces of queued letters that were heard on the connection
	empty  chan struct{}          // closed while nothing is queued
}

// newOutbox takes over what an earlier process left unsent. It is read before
// any turn can add to it, so that nothing is queued twice.
func newOutbox(e *Engine, unsent []Reply) *outbox {
	o := &outbox{e: e, queues: map[ChannelID][]letter{}, heard: map[string]MessageID{}, empty: make(chan struct{})}
	close(o.empty)
	first := map[ChannelID]bool{}
	for _, r := range unsent { // of one place they left one after the other: only the first can have been on its way
		tried := !first[r.Place] || r.State == ReplyUnknown || r.Tries > 0
		first[r.Place] = true
		o.early = append(o.early, letter{Reply: r, tried: tried, last: e.now()})
	}
	return o
}

// run sends until work ends, or until everything is sent after ended.
func (o *outbox) run(work context.Context, ended <-chan struct{}) {
	o.mu.Lock()
	o.ctx = work
	early := o.early
	o.early = nil
	o.mu.Unlock()
	o.post(early)
	select {
	case <-ended:
	case <-work.Done():
	}
	o.work.Wait()
	o.mu.Lock()
	o.ctx = nil
	o.mu.Unlock()
}

// add takes replies that were just stored.
func (o *outbox) add(replies []Reply) {
	var letters []letter
	for _, r := range replies {
		letters = append(letters, letter{Reply: r})
	}
	o.mu.Lock()
	if o.ctx == nil {
		o.early = append(o.early, letters...)
		letters = nil
	}
	o.mu.Unlock()
	o.post(letters)
}

func (o *outbox) post(letters []letter) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, l := range letters {
		if len(o.queues) == 0 {
			o.empty = make(chan struct{})
		}
		q, busy := o.queues[l.Place]
		o.queues[l.Place] = append(q, l)
		if !busy {
			ctx, place := o.ctx, l.Place
			o.work.Go(func() { o.serve(ctx, place) })
		}
	}
}

// serve sends the replies of one place, one after the other.
func (o *outbox) serve(ctx context.Context, place ChannelID) {
	for {
		o.mu.Lock()
		q := o.queues[place]
		if len(q) == 0 || ctx.Err() != nil {
			delete(o.queues, place)
			if len(o.queues) == 0 {
				close(o.empty)
			}
			o.mu.Unlock()
			return
		}
		l := q[0]
		o.mu.Unlock()
		final := o.send(ctx, &l)
		o.mu.Lock()
		q = o.queues[place]
		if final {
			o.queues[place] = q[1:]
			delete(o.heard, l.Nonce)
		} else {
			q[0] = l
		}
		o.mu.Unlock()
	}
}

// hear notes that own messages were heard or read: the ledger has marked the
// replies with their nonces as sent, and they are not to be sent again.
func (o *outbox) hear(own []OwnMessage) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, m := range own {
		if m.Nonce == "" {
			continue
		}
		for _, l := range slices.Concat(o.queues[m.Place], o.early) {
			if l.Nonce == m.Nonce {
				o.heard[m.Nonce] = m.ID
			}
		}
	}
}

func (o *outbox) wasHeard(l *letter) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	id, ok := o.heard[l.Nonce]
	if ok {
		l.State, l.Message, l.Detail = ReplySent, id, "heard on the connection"
	}
	return ok
}

// idle is closed once ended is and nothing is left to send.
func (o *outbox) idle(ended <-chan struct{}) <-chan struct{} {
	c := make(chan struct{})
	go func() {
		defer close(c)
		<-ended
		o.mu.Lock()
		empty := o.empty
		o.mu.Unlock()
		select {
		case <-empty:
		case <-o.e.aborted:
		}
	}()
	return c
}
