//go:build linux

package bench_test

import (
	"fmt"
	"testing"

	"gapless"
)

// requests is the messages of one round of what is meant for the bot.
const requests = 5000

// BenchmarkStored is a stream of messages that admission takes, stored and not
// dispatched.
func BenchmarkStored(b *testing.B) {
	t := newBot(b, newFeed(b), plan{})
	for b.Loop() {
		var c cost
		for range rounds {
			l := begin()
			stored := t.stored.reach(t.seq + requests)
			if err := t.stream(requests, true); err != nil {
				b.Fatal(err)
			}
			<-stored
			c.end(l, requests)
		}
		c.report(b, "stored")
	}
	quiet(b)
}

// BenchmarkSettled takes messages from the socket to settled: stored, claimed,
// handled by a Go handler, settled; with an answer also sent, to nobody. It
// says how many turns run side by side, which bounds what shares a commit.
func BenchmarkSettled(b *testing.B) {
	answer := func(d *gapless.Delivery) { d.Reply("pong") }
	for _, c := range []struct {
		name   string
		turns  int
		handle func(*gapless.Delivery)
	}{{"silent", 16, nil}, {"silent", 128, nil}, {"answering", 128, answer}} {
		b.Run(fmt.Sprintf("%s/turns=%d", c.name, c.turns), func(b *testing.B) {
			settled(b, newBot(b, newFeed(b), plan{turns: c.turns, handle: c.handle}))
		})
	}
}

func settled(b *testing.B, t *bot) {
	for b.Loop() {
		var start, end cost
		forgetPeak()
		for range rounds {
			l := begin()
			started := t.started.reach(t.started.n.Load() + requests)
			settled := t.settled.reach(t.settled.n.Load() + requests)
			if err := t.stream(requests, true); err != nil {
				b.Fatal(err)
			}
			<-started
			start.end(l, requests)
			<-settled
			end.end(l, requests)
		}
		b.ReportMetric(start.rate.median(), "started/s")
		end.report(b, "settled")
		b.ReportMetric(memory("self", "VmHWM"), "peak-RSS-MB")
	}
	quiet(b)
}
