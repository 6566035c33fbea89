//go:build linux

package bench_test

import (
	"sync/atomic"
	"testing"
	"time"

	"gapless"
)

// BenchmarkLatency is the time from writing a frame to the start of its
// handler, at a thousand messages a second, beside what it takes to make 4 KiB
// durable.
func BenchmarkLatency(b *testing.B) {
	const each, step = 2000, time.Millisecond
	wrote := make([]atomic.Int64, 1<<20)
	var late = make([]atomic.Int64, 1<<20)
	t := newBot(b, newFeed(b), plan{turns: 16, handle: func(d *gapless.Delivery) {
		n := uint64(d.First().ID) - message0
		late[n].Store(time.Now().UnixNano() - wrote[n].Load())
	}})
	for b.Loop() {
		var p50, p99, disk50, disk99, above series
		for range rounds {
			disk := fsyncs(b, 1000)
			from := t.n
			settled := t.settled.reach(t.settled.n.Load() + each)
			if err := t.pace(each, step, func(n int64, at time.Time) { wrote[n].Store(at.UnixNano()) }); err != nil {
				b.Fatal(err)
			}
			<-settled
			took := make([]float64, each)
			for i := range took {
				took[i] = float64(late[from+1+int64(i)].Load()) / 1e6
			}
			p50, p99 = append(p50, quantile(took, 0.5)), append(p99, quantile(took, 0.99))
			disk50, disk99 = append(disk50, quantile(disk, 0.5)), append(disk99, quantile(disk, 0.99))
			above = append(above, quantile(took, 0.99)-quantile(disk, 0.99))
		}
		b.ReportMetric(p50.median(), "start-p50-ms")
		b.ReportMetric(p99.median(), "start-p99-ms")
		b.ReportMetric(disk50.median(), "fsync-p50-ms")
		b.ReportMetric(disk99.median(), "fsync-p99-ms")
		b.ReportMetric(above.median(), "p99-above-fsync-ms")
	}
	quiet(b)
}
