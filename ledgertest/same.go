package ledgertest

import (
	"errors"
	"flag"
	"fmt"
	"reflect"
	"testing"
	"time"

	"gapless"

	"pgregory.net/rapid"
)

// Same plays random deeds on the ledger and on a [Memory] and compares every
// answer, and everything that is stored at the end. It shrinks what fails to
// the shortest story. Flags of rapid given on the command line count; without
// them the seed is fixed, and -short plays fewer stories.
func Same(t *testing.T, f Fixture) {
	preset(t, "rapid.seed", "0", "20260102")
	if testing.Short() {
		preset(t, "rapid.checks", "100", "20")
	}
	rapid.Check(t, func(rt *rapid.T) {
		p := &pair{T: rt, t: t, f: f, memory: NewMemory(), other: f.Open(t), now: base}
		defer p.close()
		rt.Repeat(map[string]func(*rapid.T){
			"append": p.append, "claim": p.claim, "settle": p.settle, "sent": p.sent, "wait": p.wait,
			"mark": p.markTurn, "unpark": p.unpark, "retry": p.retry, "drop": p.drop, "story": p.story, "record": p.record, "prune": p.prune, "reopen": p.reopen, "": p.glance,
		})
		p.compareAll()
		long := gapless.Prune{Text: base.Add(time.Hour * 9999), Rows: base.Add(time.Hour * 9999), Limit: 7}
		for p.more(long) {
			p.glance(rt)
		}
		p.compareAll()
	})
}

// preset sets a flag that still has its default.
func preset(t *testing.T, name, unset, value string) {
	t.Helper()
	f := flag.Lookup(name)
	if f == nil || f.Value.String() != unset {
		return
	}
	if err := f.Value.Set(value); err != nil {
		t.Fatal(err)
	}
}

// pair is one story, told to two ledgers.
type pair struct {
	*rapid.T
	t      *testing.T
	f      Fixture
	memory gapless.Ledger
	other  gapless.Ledger
	now    time.Time
	turns  []gapless.Delivery // as claimed, also those that are over
	sends  []gapless.Reply
}

func (p *pair) close() {
	if c, ok := p.other.(interface{ Close() error }); ok {
		if err := c.Close(); err != nil {
			p.t.Errorf("close: %v", err)
		}
	}
}

// both asks both ledgers and compares the answers.
func both[A any](p *pair, deed string, ask func(gapless.Ledger) (A, error)) (A, error) {
	want, failed := ask(p.memory)
	got, err := ask(p.other)
	for _, kind := range []error{gapless.ErrStale, gapless.ErrUnknownDelivery, gapless.ErrWrongState, gapless.ErrNoText} {
		if (err == nil) != (failed == nil) || errors.Is(err, kind) != errors.Is(failed, kind) {
			p.Fatalf("%s: got error %v, want %v", deed, err, failed)
		}
	}
	if !reflect.DeepEqual(got, want) {
		p.Fatalf("%s:\ngot  %+v\nwant %+v", deed, shown(got), shown(want))
	}
	return want, failed
}

// shown makes an offer readable.
func shown(v any) any {
	if o, ok := v.(gapless.Offer); ok && o.Delivery != nil {
		return *o.Delivery
	}
	return v
}

// author is who wrote the message: it follows from the id, so that edits agree.
func author(id gapless.MessageID) gapless.UserID { return gapless.UserID(8 + id.Time().Unix()%3/2) }

// pick draws one of a few numbers.
func (p *pair) pick(what string, n int) int { return rapid.IntRange(0, n-1).Draw(p.T, what) }

// id draws a message: few enough that stories cross. Its place follows from it.
func (p *pair) id(what string) (gapless.MessageID, gapless.ChannelID) {
	n := p.pick(what, 24)
	return msg(n), gapless.ChannelID(700 + n%3)
}

func (p *pair) wait(*rapid.T) {
	p.now = p.now.Add(time.Duration(1+p.pick("seconds", 20)) * time.Second)
}

func (p *pair) record(*rapid.T) {
	v := gapless.Pass{ID: fmt.Sprint(p.pick("pass", 15)), StartedAt: p.now, EndedAt: p.now, State: gapless.PassSuccess}
	_, _ = both(p, "record", func(l gapless.Ledger) (int, error) { return 0, l.Record(p.t.Context(), v) })
}

// prune cleans up to some moments ago, refusals excepted: how many of them one
// forgetting takes is a ledger's own affair.
func (p *pair) prune(*rapid.T) {
	for p.more(gapless.Prune{Text: p.now.Add(-time.Duration(p.pick("ago", 30)) * time.Second), Rows: base, Limit: 3}) {
	}
}

func (p *pair) more(what gapless.Prune) bool {
	left := false
	for _, l := range []gapless.Ledger{p.memory, p.other} {
		more, err := l.Prune(p.t.Context(), what)
		if err != nil {
			p.Fatalf("prune: %v", err)
		}
		left = left || more
	}
	return left
}

func (p *pair) reopen(rt *rapid.T) {
	if p.f.Reopen == nil {
		rt.Skip("this ledger forgets")
	}
	if p.pick("seldom", 4) > 0 {
		return
	}
	p.other = p.f.Reopen(p.t, p.other)
	p.memory = p.memory.(*Memory).Reopen()
}

// glance compares what is cheap to compare after every deed.
func (p *pair) glance(*rapid.T) {
	_, _ = both(p, "ready", func(l gapless.Ledger) ([]gapless.LaneID, error) { return l.Ready(p.t.Context()) })
	_, _ = both(p, "unsent", func(l gapless.Ledger) ([]gapless.Reply, error) { return l.Unsent(p.t.Context()) })
}

func (p *pair) compareAll() {
	p.glance(p.T)
	_, _ = both(p, "deliveries", func(l gapless.Ledger) ([]gapless.Delivery, error) {
		return l.Deliveries(p.t.Context(), gapless.DeliveryFilter{})
	})
	for n := range 24 {
		p.tell(msg(n))
	}
	_, _ = both(p, "leases", func(l gapless.Ledger) ([]gapless.Delivery, error) { return l.Leases(p.t.Context()) })
	_, _ = both(p, "load", func(l gapless.Ledger) (gapless.Memory, error) { return l.Load(p.t.Context()) })
	_, _ = both(p, "status", func(l gapless.Ledger) (gapless.LedgerStatus, error) {
		s, err := l.Status(p.t.Context())
		s.Commits = 0 // each ledger counts its own transactions
		return s, err
	})
}
