package discord

import "time"

const (
	guessQuiet = 10 * time.Second // a window is taken to be over after that much silence
	guessLasts = 10 * time.Minute // since the last 429; what was seen by then may have been a whim
)

// guess is a limit that no header tells of, as its 429s showed it: a server that speaks Discord's protocol need not
// label its answers. A window is taken to begin with the first request after the end of the one before.
type guess struct {
	limit  int           // requests a window; zero: none seen
	length time.Duration // of a window
	until  time.Time     // when it is forgotten

	began  time.Time // of the present window
	sent   int       // in it
	passed int       // of these, answered otherwise than with a 429
	last   time.Time // when a request went out last
}

// next is like bucket.next.
func (g *guess) next(flying int, now time.Time) (at time.Time, may bool) {
	switch {
	case g.limit == 0, !now.Before(g.until):
		return time.Time{}, true
	case g.over(now):
		return time.Time{}, flying < g.limit
	case g.sent < g.limit:
		return time.Time{}, true
	}
	return g.began.Add(g.length), false
}

// over reports whether the window has ended.
func (g *guess) over(now time.Time) bool {
	return g.length > 0 && !now.Before(g.began.Add(g.length)) || now.Sub(g.last) >= guessQuiet
}

func (g *guess) send(now time.Time) {
	if !now.Before(g.until) {
		g.limit, g.length = 0, 0
	}
	if g.over(now) {
		g.began, g.sent, g.passed = now, 0, 0
	}
	g.sent++
	g.last = now
}

// allowed counts an answer that was no 429. One that was under way when a 429 came still belongs to its window.
func (g *guess) allowed() {
	g.passed++
	if g.limit > 0 {
		g.limit = max(g.limit, g.passed)
	}
}

// refused takes in a 429 whose window ends then. Where nothing had passed before it, it tells of no number.
func (g *guess) refused(end, now time.Time) {
	if g.passed > 0 {
		g.limit, g.length = g.passed, end.Sub(g.began)
	} else if g.limit == 0 {
		g.limit, g.length = 1, end.Sub(now)
	}
	g.until = now.Add(guessLasts)
	g.began, g.sent = end.Add(-g.length), g.limit
}
