package discord_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"gapless"
	"gapless/discord"
)

func TestFullQueueHoldsTheReaderNotTheSession(t *testing.T) {
	bubble(t, func(t *testing.T) {
		gate := make(chan struct{})
		sink := &store{admit: func(ctx context.Context, b gapless.Batch) error {
			for _, e := range b.Events {
				if e.Kind == gapless.MessageCreated {
					select {
					case <-gate:
					case <-ctx.Done():
					}
				}
			}
			return ctx.Err()
		}}
		const n = 40
		fake := newFakeGateway(t, func(p *peer) {
			p.begin("s1")
			time.Sleep(time.Second)
			for i := range n {
				p.message(2 + i)
			}
			p.stay()
		})
		r := start(t, fake, sink, func(c *discord.GatewayConfig) { c.Queue = 4 })
		settle(20 * interval) // acknowledgements wait behind the frames, for as long as the ledger does
		if st := r.gateway.Status(); st.State != discord.StateReady || st.Connects != 1 || st.Seq != 1 || st.Queued != 4 {
			t.Errorf("status %+v", st)
		}
		if beats := fake.connections()[0].heartbeats(); len(beats) < 19 {
			t.Errorf("%d heartbeats", len(beats))
		}
		close(gate)
		settle(2 * interval)
		if s := r.stored(); s.Seq != n+1 || r.gateway.Status().Connects != 1 {
			t.Errorf("sequence %d, status %+v", s.Seq, r.gateway.Status())
		}
	})
}

func TestBatchesAreRepeatedUntilStored(t *testing.T) {
	bubble(t, func(t *testing.T) {
		fails := 3
		sink := &store{}
		sink.admit = func(_ context.Context, b gapless.Batch) error {
			if len(b.Events) > 0 && b.Events[0].Kind == gapless.MessageCreated && fails > 0 {
				fails--
				return errors.New("disk full")
			}
			return nil
		}
		r := start(t, newFakeGateway(t, func(p *peer) {
			p.begin("s1")
			time.Sleep(time.Second)
			p.message(2)
			p.stay()
		}), sink)
		settle(time.Minute)
		r.want(t, "began M2")
		if fails != 0 || r.stored().Seq != 2 {
			t.Errorf("%d failures left, checkpoint %+v", fails, r.stored())
		}
	})
}

func TestStaleSinkEndsTheGateway(t *testing.T) {
	bubble(t, func(t *testing.T) {
		sink := &store{admit: func(_ context.Context, b gapless.Batch) error {
			if len(b.Events) > 0 {
				return fmt.Errorf("append: %w", gapless.ErrStale)
			}
			return nil
		}}
		r := start(t, newFakeGateway(t, func(p *peer) {
			p.begin("s1")
			p.stay()
		}), sink)
		if err := <-r.done; !errors.Is(err, gapless.ErrStale) {
			t.Errorf("Run: %v", err)
		}
		r.done <- nil
	})
}

func TestStoppingStoresWhatWasRead(t *testing.T) {
	bubble(t, func(t *testing.T) {
		sink := &store{admit: func(context.Context, gapless.Batch) error {
			time.Sleep(500 * time.Millisecond) // a slow disk
			return nil
		}}
		fake := newFakeGateway(t, func(p *peer) {
			p.begin("s1")
			for i := range 5 {
				p.message(2 + i)
			}
			p.stay()
		})
		r := start(t, fake, sink)
		settle(1600 * time.Millisecond)
		if err := r.end(t); err != nil {
			t.Error(err)
		}
		r.want(t, "began M2 M3 M4 M5 M6")
		if s := r.stored(); s.Seq != 6 || s.State != "stopped" {
			t.Errorf("checkpoint %+v", s)
		}
		if code := fake.connections()[0].code; code != 4000 {
			t.Errorf("closed with %d", code)
		}
	})
}

func TestStoppingDoesNotWaitForEver(t *testing.T) {
	bubble(t, func(t *testing.T) {
		sink := &store{}
		sink.admit = func(ctx context.Context, b gapless.Batch) error {
			if len(b.Events) > 0 && b.Events[0].Kind == gapless.MessageCreated {
				<-ctx.Done()
				return ctx.Err()
			}
			return nil
		}
		r := start(t, newFakeGateway(t, func(p *peer) {
			p.begin("s1")
			time.Sleep(time.Second)
			p.message(2)
			p.stay()
		}), sink)
		settle(10 * time.Second)
		before := time.Now()
		if err := r.end(t); err != nil {
			t.Error(err)
		}
		if took := time.Since(before); took > 30*time.Second {
			t.Errorf("stopping took %s", took)
		}
		if s := r.stored(); s.ID != "s1" || s.Seq != 1 {
			t.Errorf("checkpoint %+v", s)
		}
	})
}
