package gapless_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"gapless"
)

func TestChain(t *testing.T) {
	var seen []string
	note := func(name string) gapless.Middleware {
		return func(next gapless.Handler) gapless.Handler {
			return gapless.HandlerFunc(func(ctx context.Context, d *gapless.Delivery) error {
				seen = append(seen, name)
				defer func() { seen = append(seen, "end of "+name) }()
				return next.Handle(ctx, d)
			})
		}
	}
	busy := errors.New("busy")
	h := gapless.Chain(gapless.HandlerFunc(func(context.Context, *gapless.Delivery) error {
		seen = append(seen, "handler")
		return busy
	}), note("first"), note("second"))
	if err := h.Handle(t.Context(), gapless.NewTurn(gapless.Delivery{})); err != busy {
		t.Errorf("got %v, want the handler's verdict", err)
	}
	want := []string{"first", "second", "handler", "end of second", "end of first"}
	if !slices.Equal(seen, want) {
		t.Errorf("order %q, want %q", seen, want)
	}
}

// A handler is told which of the bot's connections hears of the place.
func TestHandlerIsToldTheShard(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		shards := map[gapless.ChannelID]int{}
		r.handles(func(_ context.Context, d *gapless.Delivery) error {
			shards[d.Place.ID] = d.Brief.Shard
			return nil
		})
		zeroth, first, _ := pair(r)
		r.open()
		zeroth.begin()
		first.begin()
		zeroth.say("one")
		first.say("two")
		r.close()
		if shards[10] != 0 || shards[20] != 1 || len(shards) != 2 {
			t.Errorf("places are told to be of shards %v", shards)
		}
	})
}
