package discord

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"gapless"
	"gapless/internal/wire"
)

// Sink takes what the gateway reports. The engine is one.
type Sink interface {
	// Admit returns nil once the batch is stored, events and checkpoint together. It is called by one goroutine for each
	// shard, one batch after the other. After an error the same batch is given again, except that [gapless.ErrStale] and
	// [gapless.ErrClosed] end the gateway.
	Admit(ctx context.Context, b gapless.Batch) error
	// Session is the checkpoint stored last, by this or an earlier process; ok is false if there is none.
	Session(shard int) (s gapless.Session, ok bool)
}

// maxBatch is how many frames one batch holds at most: as many as wait in front of the sink by default, as what many
// messages of a place have in common is stored once a batch.
const maxBatch = 1024

// item is one thing in the queue before the sink: a dispatch, or a change of the checkpoint.
type item struct {
	frame  wire.Frame
	events []gapless.Event // what the frame reports, once decoded
	read   bool            // it has been decoded
	broken bool            // a frame of which not even the envelope could be read
	origin gapless.Origin
	at     time.Time
	jump   string // what is missing before it

	change func(*gapless.Session)
	stored chan<- struct{} // closed once it is stored
}

// decode reads what the frame reports.
func (it *item) decode() { it.events, it.read = it.frame.Events(it.origin, it.at), true }

// behind reports whether so much waits that the goroutine that hands over should be spared the decoding.
func (in *intake) behind() bool { return len(in.queue) > cap(in.queue)/8 }

// begins reports whether the item must be the first of its batch: a new session's READY.
func (it *item) begins() bool { return it.frame.Type == "READY" }

// intake is the queue between the goroutine that reads frames and the sink. What it keeps as session is what the sink
// has stored, never more.
type intake struct {
	sink   Sink
	log    *slog.Logger
	random *rand.Rand // owned by run
	queue  chan item
	held   *item // owned by run: taken from the queue, belongs to the next batch

	failed chan struct{} // closed when the sink has refused for good; err says why
	err    error

	mu      sync.Mutex
	session gapless.Session
}

func newIntake(sink Sink, session gapless.Session, size int, seed uint64, log *slog.Logger) *intake {
	return &intake{
		sink: sink, log: log, queue: make(chan item, size), failed: make(chan struct{}), session: session,
		random: rand.New(rand.NewPCG(seed, 3)),
	}
}

// stored is the session as stored.
func (in *intake) stored() gapless.Session {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.session
}

// run hands batches over until ctx ends or the sink refuses for good.
func (in *intake) run(ctx context.Context) {
	for {
		items := in.collect(ctx)
		if len(items) == 0 {
			return
		}
		if err := in.store(ctx, items); err != nil {
			if ctx.Err() == nil {
				in.err = err
				close(in.failed)
			}
			return
		}
		for _, it := range items {
			if it.stored != nil {
				close(it.stored)
			}
		}
	}
}

// collect takes all that waits, up to a batch, and waits if nothing does.
func (in *intake) collect(ctx context.Context) (items []item) {
	if in.held != nil {
		items, in.held = append(items, *in.held), nil
	} else {
		select {
		case it := <-in.queue:
			items = append(items, it)
		case <-ctx.Done():
			return nil
		}
	}
	for len(items) < maxBatch {
		select {
		case it := <-in.queue:
			if it.begins() {
				in.held = &it
				return items
			}
			items = append(items, it)
		default:
			return items
		}
	}
	return items
}

// store hands one batch over until it is stored.
func (in *intake) store(ctx context.Context, items []item) error {
	session := in.stored()
	events := make([]gapless.Event, 0, len(items))
	for i := range items {
		events = items[i].apply(events, &session)
	}
	if len(events) == 0 && session == in.stored() {
		return nil
	}
	for try := 0; ; try++ {
		checkpoint := session
		err := in.sink.Admit(ctx, gapless.Batch{Events: events, Session: &checkpoint})
		switch {
		case err == nil:
			in.mu.Lock()
			in.session = session
			in.mu.Unlock()
			return nil
		case ctx.Err() != nil, errors.Is(err, gapless.ErrStale), errors.Is(err, gapless.ErrClosed):
			return err
		}
		wait := backoff(try, 200*time.Millisecond, 10*time.Second, in.random)
		in.log.Error("a batch could not be stored, trying again", "events", len(events), "try", try+1, "wait", wait, "error", err)
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(wait):
		}
	}
}

// apply moves the session to where it stands after the item and appends the item's events.
func (it *item) apply(events []gapless.Event, s *gapless.Session) []gapless.Event {
	if it.change != nil {
		it.change(s)
		return events
	}
	note := func(kind gapless.EventKind, text string) {
		events = append(events, gapless.Event{Kind: kind, Origin: it.origin, At: it.at, Note: text})
	}
	s.SeenAt = it.at
	if it.broken {
		note(gapless.Unreadable, "a frame without an envelope")
		return events
	}
	if it.jump != "" {
		note(gapless.SequenceJumped, it.jump)
	}
	s.Seq = max(s.Seq, it.frame.Seq)
	if it.begins() {
		if ready, err := it.frame.Ready(); err == nil {
			s.ID, s.ResumeURL, s.Seq, s.Self = ready.Session, ready.ResumeURL, it.frame.Seq, ready.Self
		}
	}
	if it.read {
		return append(events, it.events...)
	}
	return it.frame.AppendEvents(events, it.origin, it.at)
}

// forget ends a session: id, resume URL and sequence go together (C10).
func forget(s *gapless.Session) { s.ID, s.ResumeURL, s.Seq = "", "", 0 }

// put queues a change of the checkpoint and waits until it and all before it are stored.
func (in *intake) put(ctx context.Context, change func(*gapless.Session)) error {
	stored := make(chan struct{})
	select {
	case in.queue <- item{change: change, stored: stored}:
	case <-in.failed:
		return in.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	select {
	case <-stored:
		return nil
	case <-in.failed:
		return in.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// flush waits until all that is queued is stored.
func (in *intake) flush(ctx context.Context) error { return in.put(ctx, func(*gapless.Session) {}) }

// hint queues a change of the checkpoint if there is room; it is not worth waiting for.
func (in *intake) hint(change func(*gapless.Session)) {
	select {
	case in.queue <- item{change: change}:
	default:
	}
}
