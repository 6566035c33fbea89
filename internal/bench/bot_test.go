//go:build linux

package bench_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gapless"
	"gapless/discord"
	"gapless/sqlite"
)

// bot is gateway, engine, ledger and handler as a program would put them
// together, fed by a line.
type bot struct {
	*line
	engine *gapless.Engine

	handle  func(*gapless.Delivery)
	batches atomic.Int64
	stored  counter // the sequence
	started counter // turns
	settled counter // deliveries
}

// counter only rises, and can be waited for.
type counter struct {
	n     atomic.Int64
	mu    sync.Mutex
	until int64
	there chan struct{}
}

func (c *counter) raise(n int64) {
	for old := c.n.Load(); n > old && !c.n.CompareAndSwap(old, n); old = c.n.Load() {
	}
	c.check()
}

func (c *counter) add() { c.n.Add(1); c.check() }

func (c *counter) check() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.there != nil && c.n.Load() >= c.until {
		close(c.there)
		c.there = nil
	}
}

// reach is closed once the count is n.
func (c *counter) reach(n int64) <-chan struct{} {
	there := make(chan struct{})
	c.mu.Lock()
	c.until, c.there = n, there
	c.mu.Unlock()
	c.check()
	return there
}

// Admit makes the bot a sink that tells what is stored.
func (t *bot) Admit(ctx context.Context, b gapless.Batch) error {
	err := t.engine.Admit(ctx, b)
	if err == nil && b.Session != nil {
		t.batches.Add(1)
		t.stored.raise(b.Session.Seq)
	}
	return err
}

// Session is the engine's.
func (t *bot) Session(shard int) (gapless.Session, bool) { return t.engine.Session(shard) }

// Handle makes the bot a handler that tells what it starts.
func (t *bot) Handle(_ context.Context, d *gapless.Delivery) error {
	t.started.add()
	if t.handle != nil {
		t.handle(d)
	}
	return nil
}

// watched tells which deliveries have ended.
type watched struct {
	gapless.Ledger
	settled *counter
}

func (w watched) Settle(ctx context.Context, s gapless.Settlement) error {
	err := w.Ledger.Settle(ctx, s)
	if err == nil && s.Delivery.State == gapless.Settled {
		w.settled.add()
	}
	return err
}

func (w watched) Sent(ctx context.Context, r gapless.Reply, at time.Time) (bool, error) {
	settled, err := w.Ledger.Sent(ctx, r, at)
	if settled {
		w.settled.add()
	}
	return settled, err
}

// nowhere takes every reply.
type nowhere struct{ posted atomic.Uint64 }

func (w *nowhere) Send(context.Context, gapless.Reply) (gapless.MessageID, error) {
	return gapless.MessageID(message0 + 1<<40 + w.posted.Add(1)), nil
}

func (*nowhere) Find(context.Context, gapless.Reply, gapless.UserID) (gapless.MessageID, bool, error) {
	return 0, false, gapless.ErrUnavailable
}

// plan is how a bot is put together.
type plan struct {
	turns  int // zero: nothing is dispatched
	handle func(*gapless.Delivery)
}

// newBot connects a bot to the feed and waits until its guild is stored.
func newBot(b testing.TB, f *feed, p plan) *bot {
	b.Helper()
	ledger, err := sqlite.Open(b.Context(), sqlite.Config{Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	t := &bot{handle: p.handle}
	rest, err := discord.NewREST(discord.RESTConfig{Token: "t", BaseURL: f.URL})
	if err != nil {
		b.Fatal(err)
	}
	t.engine, err = gapless.Open(b.Context(), gapless.Config{
		Ledger: watched{ledger, &t.settled}, History: rest, Replier: &nowhere{}, Handler: t, Boot: "bench",
		Policy: gapless.Policy{Everyone: true}, Turns: p.turns,
	})
	if err != nil {
		b.Fatal(err)
	}
	gateway, err := discord.NewGateway(discord.GatewayConfig{REST: rest, Sink: t, Uncompressed: true})
	if err != nil {
		b.Fatal(err)
	}
	t.run(b, ledger, gateway, p.turns > 0)
	t.line = <-f.lines
	<-t.stored.reach(t.seq)
	return t
}

// run keeps the parts running until the benchmark ends.
func (t *bot) run(b testing.TB, ledger *sqlite.Ledger, gateway *discord.Gateway, dispatch bool) {
	ctx, cancel := context.WithCancel(context.Background())
	var parts sync.WaitGroup
	parts.Go(func() {
		if err := gateway.Run(ctx); err != nil {
			b.Error(err)
		}
	})
	if dispatch {
		parts.Go(func() {
			if err := t.engine.Run(ctx); err != nil {
				b.Error(err)
			}
		})
	}
	b.Cleanup(func() {
		cancel()
		parts.Wait()
		if err := errors.Join(ledger.Close()); err != nil {
			b.Error(err)
		}
	})
}
