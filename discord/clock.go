package discord

import (
	"slices"
	"sync"
	"time"
)

// samples is how many answers the clock remembers.
const samples = 15

// skew estimates how far Discord's clock is ahead of ours from the Date headers of its answers. They have whole
// seconds, so less than a second is taken for none.
type skew struct {
	mu   sync.Mutex
	seen []time.Duration // the last ones, in order of arrival
}

// observe takes in one Date header; sent and got are the host's clock around the request.
func (s *skew) observe(date string, sent, got time.Time) {
	theirs, err := time.Parse(time.RFC1123, date)
	if err != nil {
		return
	}
	middle := sent.Add(got.Sub(sent) / 2).Round(0)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, theirs.Add(time.Second/2).Sub(middle))
	if len(s.seen) > samples {
		s.seen = s.seen[1:]
	}
}

// offset is the median of what was seen, or zero.
func (s *skew) offset() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.seen) == 0 {
		return 0
	}
	median := slices.Sorted(slices.Values(s.seen))[len(s.seen)/2]
	if median.Abs() < time.Second {
		return 0
	}
	return median
}
