//go:build linux

package bench_test

import (
	"runtime"
	"testing"
)

// trackedGuilds is how many guilds of 500 channels make 100,000 places.
const trackedGuilds = 200

const tracked = trackedGuilds * stormChannels

// placesBound is the most memory, in bytes, that 100,000 places may take.
const placesBound = 64 << 20

// Engine and ledger remember 100,000 places, with names, marks and what
// decides about sight, in less than 64 MB beside what they need without any.
func TestPlacesInMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("stores 100,000 places: not in short mode")
	}
	if got := heapOf(t, trackedGuilds) - heapOf(t, 0); got > placesBound {
		t.Errorf("100,000 places take %d MB, want at most %d", got>>20, placesBound>>20)
	}
}

// BenchmarkPlaces is what a place takes in memory.
func BenchmarkPlaces(b *testing.B) {
	for b.Loop() {
		took := float64(heapOf(b, trackedGuilds) - heapOf(b, 0))
		b.ReportMetric(took/tracked, "heap-B/place")
		b.ReportMetric(took/(1<<20), "heap-MB")
	}
	quiet(b)
}

// heapOf is by how much a bot of so many guilds lets the heap grow, once it is
// connected.
func heapOf(tb testing.TB, n int) int64 {
	before := heap()
	f := newFeed(tb)
	frames := guilds(n, 2, 0)
	f.greet = func(address string) [][]byte { return append([][]byte{ready(address, n)}, frames...) }
	t := newBot(tb, f, plan{})
	f.greet, frames = nil, nil
	grown := heap() - before
	runtime.KeepAlive(t)
	return grown
}

// heap is what is left after a collection, and after another one, which frees
// what pools had kept.
func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
