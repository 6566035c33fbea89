package sqlite_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"gapless"
	"gapless/ledgertest"
	"gapless/sqlite"
)

var now = time.Date(2026, time.January, 2, 12, 0, 0, 0, time.UTC)

// payload is a live message of the usual size, n-th in its place.
func payload(place gapless.ChannelID, n int64) gapless.Item {
	id := gapless.At[gapless.MessageID](now) + gapless.MessageID(n)
	raw := fmt.Sprintf(`{"id":"%s","channel_id":"%s","content":"%0800d"}`, id, place, n)
	return gapless.Item{
		Message: gapless.Message{
			ID: id, Place: place, Guild: 5, Author: gapless.User{ID: 9, Name: "ann"}, Text: fmt.Sprintf("<@1> what is %d?", n),
			Mentions: []gapless.UserID{1}, Raw: []byte(raw),
		},
		Origin: gapless.OriginLive, Ground: gapless.OnMention,
	}
}

// heard is what a live message stores: row, mark and checkpoint.
func heard(place gapless.ChannelID, n int64) gapless.Change {
	it := payload(place, n)
	return gapless.Change{
		At: now, Admitted: []gapless.Item{it}, Session: &gapless.Session{ID: "session", Seq: n},
		Places: []gapless.PlaceChange{{ID: place, Head: it.Message.ID}},
	}
}

// many is what a batch of live messages of different places stores.
func many(first gapless.ChannelID, n int64, size int) gapless.Change {
	c := gapless.Change{At: now, Session: &gapless.Session{ID: "session", Seq: n}}
	for i := range int64(size) {
		one := heard(first+gapless.ChannelID(i), n*int64(size)+i)
		c.Admitted, c.Places = append(c.Admitted, one.Admitted...), append(c.Places, one.Places...)
	}
	return c
}

// ledgers are the ledgers that are held against each other: in one run, as the
// machine's own speed is not the question.
var ledgers = []struct {
	name string
	make func(*testing.B) gapless.Ledger
}{
	{"sqlite", func(b *testing.B) gapless.Ledger { return open(b, sqlite.Config{Dir: b.TempDir()}) }},
	{"memory", func(*testing.B) gapless.Ledger { return ledgertest.NewMemory() }},
}

// versus runs a benchmark on each ledger, one by one and side by side.
func versus(b *testing.B, workers []int, run func(b *testing.B, l gapless.Ledger, workers int)) {
	for _, l := range ledgers {
		for _, w := range workers {
			b.Run(fmt.Sprintf("%s/workers=%d", l.name, w), func(b *testing.B) { run(b, l.make(b), w) })
		}
	}
}

// BenchmarkAppend stores changes of one message, and of 64.
func BenchmarkAppend(b *testing.B) {
	for _, size := range []int{1, 64} {
		b.Run(fmt.Sprintf("messages=%d", size), func(b *testing.B) {
			versus(b, []int{1, 64}, func(b *testing.B, l gapless.Ledger, workers int) {
				each(b, workers, func(place gapless.ChannelID, n int64) {
					if _, err := l.Append(b.Context(), many(place<<8, n, size)); err != nil {
						b.Error(err)
					}
				})
				b.ReportMetric(float64(b.N*size)/b.Elapsed().Seconds(), "message/s")
			})
		})
	}
}

// BenchmarkTurn claims a stored message and settles it.
func BenchmarkTurn(b *testing.B) {
	versus(b, []int{1, 64}, func(b *testing.B, l gapless.Ledger, workers int) {
		const size = 64
		for n := range int64(b.N/size + 1) {
			if _, err := l.Append(b.Context(), many(gapless.ChannelID(1+n*size), n, size)); err != nil {
				b.Fatal(err)
			}
		}
		b.ResetTimer()
		if workers == 1 {
			for n := range b.N {
				turn(b, l, gapless.ChannelID(1+n))
			}
		} else {
			var n atomic.Int64
			b.SetParallelism(workers / 2)
			b.RunParallel(func(p *testing.PB) {
				for p.Next() {
					turn(b, l, gapless.ChannelID(n.Add(1)))
				}
			})
		}
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "turn/s")
	})
}

// BenchmarkLifecycle takes a live message from its arrival to settled.
func BenchmarkLifecycle(b *testing.B) {
	versus(b, []int{1, 64, 256}, func(b *testing.B, l gapless.Ledger, workers int) {
		each(b, workers, func(place gapless.ChannelID, n int64) { lifecycle(b, l, place, n) })
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "message/s")
	})
}

func lifecycle(tb testing.TB, l gapless.Ledger, place gapless.ChannelID, n int64) {
	if _, err := l.Append(tb.Context(), heard(place, n)); err != nil {
		tb.Error(err)
		return
	}
	turn(tb, l, place)
}

// turn claims the lane of a place and settles what it got.
func turn(tb testing.TB, l gapless.Ledger, place gapless.ChannelID) {
	o, err := l.Claim(tb.Context(), gapless.Claim{Lane: gapless.LaneOf(place), Boot: "boot", Now: now})
	if err != nil || o.Delivery == nil {
		tb.Errorf("claim: %+v, %v", o, err)
		return
	}
	d, err := o.Delivery.Next(gapless.Outcome{Kind: gapless.TurnDone}, now, gapless.Retry{}, 0)
	if err == nil {
		err = l.Settle(tb.Context(), gapless.Settlement{Delivery: d, At: now})
	}
	if err != nil {
		tb.Error(err)
	}
}

// each runs f side by side, each worker in a place of its own.
func each(b *testing.B, workers int, f func(place gapless.ChannelID, n int64)) {
	var places, n atomic.Int64
	b.SetParallelism(max(workers/2, 1))
	b.ReportAllocs()
	if workers == 1 {
		for b.Loop() {
			f(1000, n.Add(1))
		}
	} else {
		b.RunParallel(func(p *testing.PB) {
			place := gapless.ChannelID(1000 + places.Add(1))
			for p.Next() {
				f(place, n.Add(1))
			}
		})
	}
}
