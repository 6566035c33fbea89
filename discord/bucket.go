package discord

import (
	"time"
)

// slack is added to a window's end: Discord gives it in whole milliseconds.
const slack = time.Millisecond

// answer is what one response says about limits.
type answer struct {
	told  bool   // Limit, Remaining and Reset-After were there
	hash  string // of the bucket; empty when not told
	limit int
	left  int
	reset time.Duration // until the window ends, fractions kept

	limited bool          // it was a 429
	shared  bool          // of scope shared: somebody else's doing, not counted against us
	global  bool          // it concerns every request
	retry   time.Duration // how long to wait; zero: not told
	invalid bool          // counts towards Cloudflare's ban (protocol C3)
}

// bucket is one rate limit as far as it is known. It has no clock: every method is told the time.
type bucket struct {
	known   bool      // some answer has come
	limit   int       // requests a window; zero: none told, so none known
	left    int       // of the window, as last told, requests in flight not taken off
	reset   time.Time // end of the window
	until   time.Time // nothing before this, after a 429
	strikes int       // 429s in a row
	careful bool      // its headers promised what a 429 then refused (protocol C3): one request at a time
	flying  int       // requests without an answer yet
	used    time.Time
	guess   guess // of the limit while none is told
}

// next says whether a request may go now and, if not, when; the zero time means after the next answer.
func (b *bucket) next(now time.Time) (at time.Time, may bool) {
	switch {
	case now.Before(b.until):
		return b.until, false
	case !b.known, b.careful:
		return time.Time{}, b.flying == 0
	case b.limit == 0:
		return b.guess.next(b.flying, now)
	case !now.Before(b.reset):
		return time.Time{}, b.limit > b.flying
	case b.left > b.flying:
		return time.Time{}, true
	}
	return b.reset, false
}

func (b *bucket) send(now time.Time) {
	b.flying++
	b.used = now
	b.guess.send(now)
}

// unanswered takes back a request that got no answer; whether it counted nobody knows, so it is taken to have.
func (b *bucket) unanswered() {
	b.flying--
	b.left = max(b.left-1, 0)
}

func (b *bucket) answered(a answer, now time.Time) {
	b.flying--
	b.known = true
	b.used = now
	promised := b.left > 0 && now.Before(b.reset)
	if a.told {
		b.learn(a, now)
	}
	if !a.limited || a.global {
		b.strikes = 0
		if !a.limited {
			b.guess.allowed()
		}
		return
	}
	b.strikes++
	b.careful = b.careful || promised && !a.shared
	b.until = later(b.until, now.Add(a.wait(b.strikes)))
	b.left = 0
	if !a.told && !a.shared {
		b.guess.refused(b.until, now)
	}
}

// learn takes over what the headers tell. Answers of one window may come in any order; the lowest remainder and the
// earliest end are the true ones, as each is only late.
func (b *bucket) learn(a answer, now time.Time) {
	b.limit = a.limit
	end := now.Add(a.reset + slack)
	if !now.Before(b.reset) || end.After(b.reset.Add(time.Second)) {
		b.left, b.reset = a.left, end
	} else {
		b.left, b.reset = min(b.left, a.left), earlier(b.reset, end)
	}
	if b.careful && a.left == 0 && !a.limited {
		b.careful = false
	}
}

// wait is how long a 429 asks to wait. One that does not say is given a second, then two, at most a minute.
func (a answer) wait(strikes int) time.Duration {
	if a.retry > 0 {
		return a.retry + slack
	}
	return min(time.Second<<min(strikes-1, 6), time.Minute)
}

// idle reports whether nothing would be lost by forgetting the bucket.
func (b *bucket) idle(now time.Time) bool {
	return b.flying == 0 && !now.Before(b.until) && !now.Before(b.reset) && now.Sub(b.used) > 10*time.Minute
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
