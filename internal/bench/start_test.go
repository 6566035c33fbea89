//go:build linux

package bench_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"gapless"
	"gapless/sqlite"
)

// BenchmarkStart opens a ledger that knows 100,000 places, and an engine on it,
// and has the engine store the first message it hears.
func BenchmarkStart(b *testing.B) {
	dir := b.TempDir()
	remember(b, dir)
	for b.Loop() {
		var opened, whole cost
		for n := range gapless.MessageID(rounds) {
			start(b, dir, n, &opened, &whole)
		}
		b.ReportMetric(1e3/opened.rate.median(), "open-ms")
		b.ReportMetric(opened.cpu.median()/1e3, "open-cpu-ms")
		b.ReportMetric(1e3/whole.rate.median(), "first-stored-ms")
		b.ReportMetric(whole.cpu.median()/1e3, "first-stored-cpu-ms")
	}
	quiet(b)
}

func start(b *testing.B, dir string, n gapless.MessageID, opened, whole *cost) {
	l := begin()
	ledger, err := sqlite.Open(b.Context(), sqlite.Config{Dir: dir})
	if err != nil {
		b.Fatal(err)
	}
	engine, err := gapless.Open(b.Context(), gapless.Config{
		Ledger: ledger, History: nothing{}, Replier: nothing{}, Handler: nothing{}, Boot: "bench",
	})
	if err != nil {
		b.Fatal(err)
	}
	opened.end(l, 1)
	heard := gapless.Event{Kind: gapless.MessageCreated, Message: &gapless.Message{
		ID: gapless.At[gapless.MessageID](time.Now()) + n, Place: channel0, Guild: guildID, Author: gapless.User{ID: annID},
	}}
	if err := engine.Admit(b.Context(), gapless.Batch{Events: []gapless.Event{heard}}); err != nil {
		b.Fatal(err)
	}
	whole.end(l, 1)
	if err := ledger.Close(); err != nil {
		b.Fatal(err)
	}
}

// remember fills a ledger with 100,000 places that were all heard and compared.
func remember(b *testing.B, dir string) {
	ledger, err := sqlite.Open(b.Context(), sqlite.Config{Dir: dir})
	if err != nil {
		b.Fatal(err)
	}
	head := gapless.At[gapless.MessageID](time.Now().Add(-time.Hour))
	for g := range gapless.GuildID(trackedGuilds) {
		guild := guildID + g
		c := gapless.Change{At: time.Now(), Guilds: []gapless.GuildMark{{ID: guild, Name: "home", Epoch: 1, Listed: 1}}}
		for i := range gapless.ChannelID(stormChannels) {
			id := channel0 + gapless.ChannelID(g)*stormChannels + i
			c.Places = append(c.Places, gapless.PlaceChange{
				ID: id, Describe: &gapless.Channel{ID: id, Guild: guild, Name: fmt.Sprintf("channel-%d", i)},
				Floor: head, Verified: head, Head: head, Epoch: 1,
			})
		}
		if _, err := ledger.Append(b.Context(), c); err != nil {
			b.Fatal(err)
		}
	}
	if err := ledger.Close(); err != nil {
		b.Fatal(err)
	}
}

// nothing is a Discord and a handler that a start does not ask.
type nothing struct {
	gapless.History
	gapless.Replier
}

func (nothing) Handle(context.Context, *gapless.Delivery) error { return nil }
