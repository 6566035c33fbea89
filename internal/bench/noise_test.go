//go:build linux

package bench_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/coder/websocket"
)

// noise is the messages of one round of what is not meant for the bot.
const noise = 20000

// BenchmarkNoise is a stream of messages that admission refuses: read, decided,
// and stored as decisions, beside a reader that only reads the same frames. What
// a batch costs beyond its messages depends on how many channels it touches.
func BenchmarkNoise(b *testing.B) {
	for _, over := range []int64{20, channels} {
		b.Run(fmt.Sprintf("channels=%d", over), func(b *testing.B) {
			f := newFeed(b)
			bare := newBare(b, f)
			t := newBot(b, f, plan{})
			t.over, bare.over = over, over
			refused(b, t, bare)
		})
	}
}

func refused(b *testing.B, t *bot, bare *bareReader) {
	for b.Loop() {
		var whole, read cost
		var ratio, batch series
		for range rounds {
			l, before := begin(), t.batches.Load()
			stored := t.stored.reach(t.seq + noise)
			if err := t.stream(noise, false); err != nil {
				b.Fatal(err)
			}
			<-stored
			whole.end(l, noise)
			batch = append(batch, noise/float64(t.batches.Load()-before))
			l = begin()
			bare.round(b, noise)
			read.end(l, noise)
			ratio = append(ratio, whole.rate[len(whole.rate)-1]/read.rate[len(read.rate)-1])
		}
		whole.report(b, "refused")
		read.report(b, "bare")
		b.ReportMetric(ratio.median(), "ratio")
		b.ReportMetric(batch.median(), "refused/batch")
	}
	quiet(b)
}

// bareReader reads frames and does nothing with them.
type bareReader struct {
	*line
	ws *websocket.Conn
}

func newBare(b *testing.B, f *feed) *bareReader {
	ws, _, err := websocket.Dial(b.Context(), f.socket(), nil)
	if err != nil {
		b.Fatal(err)
	}
	ws.SetReadLimit(64 << 20)
	b.Cleanup(func() { _ = ws.CloseNow() })
	if err := ws.Write(b.Context(), websocket.MessageText, []byte("identify")); err != nil {
		b.Fatal(err)
	}
	r := &bareReader{line: <-f.lines, ws: ws}
	r.read(b, int(r.seq)+1)
	return r
}

func (r *bareReader) round(b *testing.B, n int) {
	sent := make(chan error, 1)
	go func() { sent <- r.stream(n, false) }()
	r.read(b, n)
	if err := <-sent; err != nil {
		b.Fatal(err)
	}
}

func (r *bareReader) read(b *testing.B, n int) {
	for range n {
		if _, _, err := r.ws.Read(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}
