//go:build linux

package bench_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"gapless"
	"gapless/sqlite"
)

// BenchmarkRecover is a pass over 2,500 channels with one missed message each:
// a history that answers at once, so that it shows what planning and storing a
// page costs while so many gaps are open.
func BenchmarkRecover(b *testing.B) {
	const each = troubled * stormChannels
	for b.Loop() {
		var c cost
		ledger, err := sqlite.Open(b.Context(), sqlite.Config{Dir: b.TempDir()})
		if err != nil {
			b.Fatal(err)
		}
		h := &answering{last: gapless.At[gapless.MessageID](time.Now().Add(-time.Minute))}
		engine, err := gapless.Open(b.Context(), gapless.Config{
			Ledger: ledger, History: h, Replier: nothing{}, Handler: nothing{}, Boot: "bench", NoAudit: true,
			Budget: gapless.Budget{Calls: 1 << 20, Examined: 1 << 30},
		})
		if err != nil {
			b.Fatal(err)
		}
		outage(b, engine, h.last)
		l, done := begin(), h.read.reach(each)
		ctx, stop := context.WithCancel(b.Context())
		var running sync.WaitGroup
		running.Go(func() { _ = engine.Run(ctx) })
		<-done
		c.end(l, each)
		stop()
		running.Wait()
		if err := ledger.Close(); err != nil {
			b.Fatal(err)
		}
		c.report(b, "page")
	}
	quiet(b)
}

// troubled is how many guilds of 500 channels each have missed something.
const troubled = 5

// outage lists every channel twice, a message apart, with a READY between.
func outage(b *testing.B, engine *gapless.Engine, last gapless.MessageID) {
	for _, head := range []gapless.MessageID{last - 1<<40, last} {
		events := []gapless.Event{{Kind: gapless.SessionBegan, Self: gapless.User{ID: selfID}}}
		for g := range gapless.GuildID(troubled) {
			guild := gapless.Guild{ID: guildID + g, Name: "home"}
			for i := range gapless.ChannelID(stormChannels) {
				guild.Channels = append(guild.Channels, gapless.Channel{
					ID: channel0 + gapless.ChannelID(g)*stormChannels + i, Guild: guild.ID, Name: "channel", Last: head,
				})
			}
			events[0].Guilds = append(events[0].Guilds, guild.ID)
			events = append(events, gapless.Event{Kind: gapless.GuildSeen, Guild: &guild})
		}
		if err := engine.Admit(b.Context(), gapless.Batch{Events: events}); err != nil {
			b.Fatal(err)
		}
	}
}

// answering is a history in which every place has one more message.
type answering struct {
	nothing
	last gapless.MessageID
	read counter
}

func (h *answering) After(_ context.Context, place gapless.ChannelID, _ gapless.MessageID, _ int) (gapless.Page, error) {
	h.read.add()
	return gapless.Page{Messages: []gapless.Message{{ID: h.last, Place: place, Author: gapless.User{ID: annID}, Text: "never mind"}}}, nil
}
