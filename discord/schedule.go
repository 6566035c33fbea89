package discord

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"gapless"
)

// Priority orders requests that wait for the same limit.
type Priority int

// The priorities, highest first. Recovery keeps a tenth of the global rate whatever else waits.
const (
	PriorityReply    Priority = iota // what a user waits for
	PriorityLookup                   // what a held lane waits for
	PriorityRecovery                 // history and listings
)

// ticket is one request's place in the queue.
type ticket struct {
	route    string // method and path template
	major    string // the channel or guild the limit belongs to (protocol C2)
	priority Priority

	bucket *bucket
	sent   time.Time
	err    error
	ready  chan struct{} // closed when it may go, or err says why it may not
}

// schedule decides who may send when. It has no clock and no lock: every method is told the time, and one caller at a
// time is the driver's business.
type schedule struct {
	global   int           // requests a second
	patience time.Duration // a longer wait is refused at once
	guard    guard

	hashes  map[string]string // by route
	buckets map[string]*bucket
	waiting []*ticket
	sent    []sending // those of the last second, oldest first
	transit transit
	paused  time.Time // nothing at all before this, after a global 429
	strikes int       // global 429s in a row
}

type sending struct {
	at       time.Time
	recovery bool
}

func newSchedule(global int, patience time.Duration, soft, hard int) *schedule {
	return &schedule{
		global: global, patience: patience, guard: guard{soft: soft, hard: hard},
		hashes: map[string]string{}, buckets: map[string]*bucket{},
	}
}

// ask puts a request into the queue: behind its equals, before what is less urgent.
func (s *schedule) ask(t *ticket) {
	i := len(s.waiting)
	for i > 0 && s.waiting[i-1].priority > t.priority {
		i--
	}
	s.waiting = slices.Insert(s.waiting, i, t)
}

// withdraw takes a request out of the queue and reports whether it was still in it.
func (s *schedule) withdraw(t *ticket) bool {
	i := slices.Index(s.waiting, t)
	if i >= 0 {
		s.waiting = slices.Delete(s.waiting, i, i+1)
	}
	return i >= 0
}

// grant lets go whoever may go now, in order, and refuses whoever would wait too long. wake is when to ask again if no
// answer comes before; zero: nothing to wait for.
func (s *schedule) grant(now time.Time) (gone []*ticket, wake time.Time) {
	s.forget(now)
	rest := s.waiting[:0:0]
	for _, t := range s.waiting {
		at, may := s.next(t, now)
		switch {
		case may:
			s.send(t, now)
			gone = append(gone, t)
		case t.err != nil:
			gone = append(gone, t)
		default:
			rest = append(rest, t)
			if !at.IsZero() && (wake.IsZero() || at.Before(wake)) {
				wake = at
			}
		}
	}
	s.waiting = rest
	return gone, wake
}

// next says whether the ticket may go now and, if not, when to look again. It sets the ticket's error instead if it is
// not to wait at all.
func (s *schedule) next(t *ticket, now time.Time) (at time.Time, may bool) {
	if t.err = s.guard.refuses(t.priority, now); t.err != nil {
		return at, false
	}
	if now.Before(s.paused) {
		at = s.paused
	} else if at, may = s.find(t).next(now); may {
		if at, may = s.room(t, now); may {
			return at, true
		}
	}
	if at.Sub(now) > s.patience {
		t.err = &limitError{route: t.route, until: at}
	}
	return at, false
}

// room applies the global rate: its last tenth is recovery's while recovery could use it.
func (s *schedule) room(t *ticket, now time.Time) (at time.Time, may bool) {
	limit := s.global
	if t.priority != PriorityRecovery {
		limit = max(limit-s.reserved(now), 1)
	}
	if len(s.sent) < limit {
		return at, true
	}
	return s.sent[len(s.sent)-limit].at.Add(time.Second + s.transit.spread()), false
}

// reserved is how many of this second's requests are kept for recovery that could go at once.
func (s *schedule) reserved(now time.Time) int {
	share, wanting := (s.global+9)/10, 0
	for _, w := range s.waiting {
		if w.priority == PriorityRecovery {
			if _, may := s.find(w).next(now); may {
				wanting++
			}
		}
	}
	for _, one := range s.sent {
		if one.recovery {
			share--
		}
	}
	return max(min(share, wanting), 0)
}

func (s *schedule) send(t *ticket, now time.Time) {
	t.bucket = s.find(t)
	t.bucket.send(now)
	t.sent = now
	s.sent = append(s.sent, sending{at: now, recovery: t.priority == PriorityRecovery})
}

// find is the bucket of a request, by the hash its route is known under.
func (s *schedule) find(t *ticket) *bucket {
	key := s.key(t)
	b, ok := s.buckets[key]
	if !ok {
		b = &bucket{}
		s.buckets[key] = b
	}
	return b
}

func (s *schedule) key(t *ticket) string {
	if hash, ok := s.hashes[t.route]; ok {
		return hash + " " + t.major
	}
	return t.route + " " + t.major
}

// answered takes in what a response said.
func (s *schedule) answered(t *ticket, a answer, now time.Time) {
	if a.hash != "" && s.hashes[t.route] != a.hash {
		s.rename(t, a.hash)
	}
	t.bucket.answered(a, now)
	s.transit.took(now.Sub(t.sent))
	if a.invalid {
		s.guard.count(now)
	}
	switch {
	case a.limited && a.global:
		s.strikes++
		s.paused = later(s.paused, now.Add(a.wait(s.strikes)))
	case !a.limited:
		s.strikes = 0
	}
}

// rename files the route's buckets under the hash Discord gave it. A bucket that the hash already has takes over the
// request.
func (s *schedule) rename(t *ticket, hash string) {
	if _, known := s.hashes[t.route]; !known {
		for key, b := range s.buckets {
			if major, ok := strings.CutPrefix(key, t.route+" "); ok && s.buckets[hash+" "+major] == nil {
				s.buckets[hash+" "+major] = b
				delete(s.buckets, key)
			}
		}
	}
	s.hashes[t.route] = hash
	if b := s.find(t); b != t.bucket {
		t.bucket.flying--
		b.flying++
		t.bucket = b
	}
}

// forget drops what no longer limits anything.
func (s *schedule) forget(now time.Time) {
	i := 0
	for i < len(s.sent) && now.Sub(s.sent[i].at) >= time.Second+s.transit.spread() {
		i++
	}
	s.sent = s.sent[i:]
	if len(s.buckets) > 1024 {
		for key, b := range s.buckets {
			if b.idle(now) {
				delete(s.buckets, key)
			}
		}
	}
}

// limitError is a wait that is too long to wait.
type limitError struct {
	route string
	until time.Time
}

func (e *limitError) Error() string {
	return fmt.Sprintf("%s: Discord's rate limit lasts until %s", e.route, e.until.UTC().Format(time.RFC3339))
}

func (e *limitError) Unwrap() error { return gapless.ErrUnavailable }
