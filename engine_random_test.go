package gapless_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"gapless"
)

// chaos is a rig in the hands of chance.
type chaos struct {
	*rig
	rng     *rand.Rand
	online  bool
	crashes int
	texts   map[gapless.MessageID]string
	places  map[gapless.MessageID]gapless.ChannelID
}

// deeds are what can happen, as often as they are listed.
var deeds = []struct {
	weight int
	do     func(*chaos)
}{
	{20, (*chaos).message},
	{4, func(c *chaos) { c.online = false }},
	{4, func(c *chaos) { c.online = true; c.begin() }},
	{1, (*chaos).killed},
	{1, func(c *chaos) {
		deed := []string{"Append", "Claim", "Settle", "Sent", "Record"}[c.rng.IntN(5)]
		c.refuse(deed, 1+c.rng.IntN(6))
	}},
	{1, func(c *chaos) { c.network(0.7) }},
	{2, func(c *chaos) { c.network(0) }},
	{10, func(c *chaos) { time.Sleep(time.Duration(c.rng.Int64N(int64(20 * time.Second)))) }},
	{1, func(c *chaos) { time.Sleep(time.Duration(c.rng.Int64N(int64(10 * time.Minute)))) }},
}

func (c *chaos) message() {
	place := []gapless.ChannelID{10, 20, 30}[c.rng.IntN(3)]
	text := fmt.Sprintf("m%d", len(c.texts))
	m := c.post(place, text)
	c.texts[m.ID], c.places[m.ID] = text, place
	if c.online {
		c.hear(m)
		if c.rng.IntN(10) == 0 {
			c.hear(m)
		}
	}
}

// killed is a kill -9, at most twice: the third one in a turn would make it dead.
func (c *chaos) killed() {
	if c.crashes == 2 {
		return
	}
	c.crashes++
	c.refuse("", 0)
	c.crash()
	c.online = false
	time.Sleep(time.Duration(c.rng.Int64N(int64(5 * time.Minute))))
	c.open()
}

// network makes a share of the REST calls fail, in either way.
func (c *chaos) network(share float64) {
	rng := rand.New(rand.NewPCG(c.rng.Uint64(), 0)) // guarded by discord.mu
	c.set(func() {
		c.broken = func(deed string, _ gapless.ChannelID) (err error) {
			c.set(func() {
				if deed != "Send" && rng.Float64() < share {
					err = gapless.ErrUnavailable
				}
			})
			return err
		}
		c.sending = func(int, gapless.Reply) error {
			switch {
			case rng.Float64() >= share:
				return nil
			case rng.IntN(2) == 0:
				return errLostAnswer
			}
			return gapless.ErrUnavailable
		}
	})
}

// Whatever happens, in the end every message was handled, and Discord holds one
// answer to each.
func TestRandomHistories(t *testing.T) {
	for seed := range uint64(60) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			bubble(t, func(t *testing.T, r *rig) {
				c := &chaos{
					rig: r, rng: rand.New(rand.NewPCG(seed, 1)), online: true,
					texts: map[gapless.MessageID]string{}, places: map[gapless.MessageID]gapless.ChannelID{},
				}
				r.handles(slow)
				r.open()
				r.begin()
				for range 120 {
					c.step()
				}
				r.refuse("", 0)
				c.network(0)
				r.begin()
				time.Sleep(time.Hour)
				c.check()
			})
		})
	}
}

func slow(ctx context.Context, d *gapless.Delivery) error {
	select {
	case <-time.After(300 * time.Millisecond):
	case <-ctx.Done():
		return errors.New("stopped")
	}
	d.Reply("re: " + d.First().Text)
	return nil
}

func (c *chaos) step() {
	total := 0
	for _, d := range deeds {
		total += d.weight
	}
	n := c.rng.IntN(total)
	for _, d := range deeds {
		if n -= d.weight; n < 0 {
			d.do(c)
			return
		}
	}
}

func (c *chaos) check() {
	c.t.Helper()
	starts := map[gapless.MessageID]int{}
	for _, s := range c.log() {
		if starts[s.id]++; s.attempt != starts[s.id] {
			c.t.Errorf("start %d of message %s calls itself attempt %d", starts[s.id], c.texts[s.id], s.attempt)
		}
	}
	for id, text := range c.texts {
		answers := 0
		for _, a := range c.holds(c.places[id]) {
			if a == "re: "+text {
				answers++
			}
		}
		if answers != 1 || starts[id] < 1 || starts[id] > 1+c.crashes {
			c.t.Errorf("%s: %d starts, %d answers", text, starts[id], answers)
		}
	}
	s := c.status()
	if len(s.Gaps)+len(s.Lanes) > 0 || s.Ended[gapless.Answered] != len(c.texts) {
		c.t.Errorf("gaps %+v, lanes %+v, ended %v of %d", s.Gaps, s.Lanes, s.Ended, len(c.texts))
	}
	for _, place := range []gapless.ChannelID{10, 20, 30} {
		if got := c.holds(place); len(got) != len(slices.Compact(slices.Sorted(slices.Values(got)))) {
			c.t.Errorf("place %s holds %q", place, got)
		}
	}
}
