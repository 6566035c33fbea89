package gapless

import (
	"context"
	"encoding/binary"
	"hash/fnv"
	"sync"
	"time"
)

// sleep waits, or returns why ctx ended.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// jitter is a number in [0,1) that depends only on the seed, what it is for
// and how often it was tried, so that a run can be repeated.
func (e *Engine) jitter(what string, n int) float64 {
	h := fnv.New64a()
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:8], e.cfg.Seed)
	binary.LittleEndian.PutUint64(b[8:], uint64(n))
	h.Write(b[:])
	h.Write([]byte(what))
	x := h.Sum64() // FNV's high bits are poor for short keys: mix them
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	return float64(x>>11) / (1 << 53)
}

func onceClose(c chan struct{}) func() {
	var once sync.Once
	return func() { once.Do(func() { close(c) }) }
}
