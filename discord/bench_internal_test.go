package discord

import (
	"strconv"
	"testing"
	"time"
)

// BenchmarkLimiter is what the limiter costs a request: a place in the queue,
// leave to go, and what the answer says about its limit. Waiting is not in it.
func BenchmarkLimiter(b *testing.B) {
	for _, places := range []int{1, 500} {
		b.Run("places="+strconv.Itoa(places), func(b *testing.B) {
			l := &limiter{s: newSchedule(1<<30, time.Minute, 5000, 9000)}
			tickets := make([]*ticket, places)
			for n := range tickets {
				tickets[n] = &ticket{route: "GET /channels/{channel}/messages", major: strconv.Itoa(n), priority: PriorityRecovery}
			}
			ok := answer{told: true, hash: "hash", limit: 1 << 30, left: 1 << 30, reset: time.Second}
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				t := *tickets[n%places]
				if err := l.acquire(b.Context(), &t); err != nil {
					b.Fatal(err)
				}
				l.done(&t, ok)
				n++
			}
		})
	}
}
