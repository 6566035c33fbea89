package gapless_test

import (
	"testing"
	"time"

	"gapless"
)

// The tests of the coverage rules count time in seconds from an instant of
// 2026; mid is the lowest id of such a second.
var zero = time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)

func sec(n int) time.Time { return zero.Add(time.Duration(n) * time.Second) }

func mid(n int) gapless.MessageID { return gapless.At[gapless.MessageID](sec(n)) }

// horizon is the rules' surroundings at second now, in epoch 2 and after an
// outage that began at second 500.
func horizon(now int) gapless.Horizon {
	return gapless.Horizon{Epoch: 2, Now: sec(now), Window: 6 * time.Hour, Hold: 30 * time.Second, Since: sec(500), Known: true}
}

// place has been compared up to second 100, heard up to second 400, in epoch 1.
func place() gapless.Place {
	return gapless.Place{ID: 10, Guild: 1, Floor: mid(100), Verified: mid(100), Head: mid(400), Epoch: 1}
}

func gapOf(t *testing.T, l gapless.Learnt) gapless.Gap {
	t.Helper()
	if len(l.Gaps) != 1 {
		t.Fatalf("got %d gaps, want 1: %+v", len(l.Gaps), l.Gaps)
	}
	return l.Gaps[0]
}

func TestHeardAndListedSettleAPlace(t *testing.T) {
	const none = -1
	for _, c := range []struct {
		name   string
		id     int // second; 0 is a null entry
		listed bool
		place  func(*gapless.Place)
		after  int // beginning of the gap, or none
		head   int
		epoch  uint64
	}{
		{name: "heard in the epoch it was compared in (R1)", id: 600, place: inEpoch(2), after: none, head: 600, epoch: 2},
		{name: "heard below the head (R1)", id: 395, place: inEpoch(2), after: none, head: 400, epoch: 2},
		{name: "heard first after a discontinuity (R3)", id: 600, after: 390, head: 600, epoch: 2},
		{name: "heard first, older than the head: settles nothing", id: 395, after: none, head: 400, epoch: 1},
		{name: "heard first, the head itself: settles nothing", id: 400, after: none, head: 400, epoch: 1},
		{name: "heard first, the floor above the overlap", id: 600, place: floorAt(396), after: 396, head: 600, epoch: 2},
		{name: "listed, newer (R3)", listed: true, id: 600, after: 390, head: 600, epoch: 2},
		{name: "listed, the floor above the overlap", listed: true, id: 600, place: floorAt(396), after: 396, head: 600, epoch: 2},
		{name: "listed, equal: settled without a gap", listed: true, id: 400, after: none, head: 400, epoch: 2},
		{name: "listed, older: settles nothing", listed: true, id: 399, after: none, head: 400, epoch: 1},
		{name: "listed, null: settles nothing", listed: true, id: 0, after: none, head: 400, epoch: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := place()
			if c.place != nil {
				c.place(&p)
			}
			l := learn(p, c.id, c.listed, horizon(1000))
			got := p.Apply(l.Change)
			if got.Head != mid(c.head) || got.Epoch != c.epoch || got.Verified != p.Verified || got.Floor != p.Floor {
				t.Errorf("the place became %+v", got)
			}
			if c.after == none {
				if len(l.Gaps)+len(l.Closed) != 0 {
					t.Errorf("gaps %+v and ranges %+v from nothing", l.Gaps, l.Closed)
				}
				return
			}
			g := gapOf(t, l)
			if g.Place != p.ID || g.From != mid(c.after) || g.After != g.From || g.Upto != mid(c.id) || !g.Open() {
				t.Errorf("got gap %+v", g)
			}
			if g.Cause != gapless.CauseDiscontinuity || !g.OpenedAt.Equal(sec(1000)) || !g.HoldTill.Equal(sec(1030)) || !g.DueAt.IsZero() {
				t.Errorf("got gap %+v", g)
			}
		})
	}
}

func inEpoch(n uint64) func(*gapless.Place) { return func(p *gapless.Place) { p.Epoch = n } }
func floorAt(n int) func(*gapless.Place)    { return func(p *gapless.Place) { p.Floor = mid(n) } }

func learn(p gapless.Place, id int, listed bool, h gapless.Horizon) gapless.Learnt {
	m := mid(id)
	if id == 0 {
		m = 0
	}
	if listed {
		return p.Listed(m, h)
	}
	return p.Heard(m, h)
}

// A place is settled once per epoch: what is learnt after that opens nothing.
func TestOnlyTheFirstThingLearntSettles(t *testing.T) {
	h := horizon(1000)
	p := place()
	p = p.Apply(p.Heard(mid(600), h).Change)
	for _, listed := range []bool{true, false} {
		if l := learn(p, 700, listed, h); len(l.Gaps) != 0 {
			t.Errorf("listed %t: a second gap %+v in one epoch", listed, l.Gaps)
		}
	}
}

func TestDiscoveredPlaces(t *testing.T) {
	born := gapless.ChannelID(mid(700)) // during the outage
	old := gapless.ChannelID(mid(100))  // before it
	birth := func(id gapless.ChannelID) gapless.MessageID { return gapless.MessageID(id).Less(gapless.Overlap) }
	joined := func(s int) func(*gapless.Horizon) { return func(h *gapless.Horizon) { h.Joined = mid(s) } }
	unknown := func(h *gapless.Horizon) { h.Known = false }
	for _, c := range []struct {
		name     string
		channel  gapless.Channel
		last     int
		horizon  func(*gapless.Horizon)
		baseline gapless.MessageID
		head     gapless.MessageID
		cause    gapless.Cause // empty: no gap
	}{
		{"channel made in the outage", gapless.Channel{ID: born}, 900, nil, birth(born), mid(900), gapless.CauseCreated},
		{"channel made in the outage, empty", gapless.Channel{ID: born}, 0, nil, birth(born), birth(born), ""},
		{"channel we saw being made", gapless.Channel{ID: born, Created: true}, 0, nil, birth(born), birth(born), ""},
		{"channel of an unknown guild: first contact", gapless.Channel{ID: old}, 900, unknown, mid(900), mid(900), ""},
		{"empty channel of an unknown guild", gapless.Channel{ID: old}, 0, unknown, birth(old), birth(old), ""},
		{"channel older than our joining", gapless.Channel{ID: old}, 900, joined(800), mid(800), mid(900), gapless.CauseCreated},
		{"channel with nothing since our joining", gapless.Channel{ID: old}, 790, joined(800), mid(800), mid(800), ""},
		{"thread made in the outage", gapless.Channel{ID: born, Kind: gapless.PublicThread}, 900, nil, birth(born), mid(900), gapless.CauseThread},
		{"old thread: since the outage", gapless.Channel{ID: old, Kind: gapless.PublicThread}, 900, nil, mid(490), mid(900), gapless.CauseThread},
		{"old thread, nothing since the outage", gapless.Channel{ID: old, Kind: gapless.PublicThread}, 480, nil, mid(490), mid(490), ""},
		{
			"private thread: since our joining it", gapless.Channel{ID: old, Kind: gapless.PrivateThread, JoinedAt: sec(800)},
			900, nil, mid(790), mid(900), gapless.CauseThread,
		},
		{
			"private thread joined before the outage", gapless.Channel{ID: old, Kind: gapless.PrivateThread, JoinedAt: sec(200)},
			900, nil, mid(490), mid(900), gapless.CauseThread,
		},
		{
			"joining a public thread means nothing", gapless.Channel{ID: old, Kind: gapless.PublicThread, JoinedAt: sec(800)},
			900, nil, mid(490), mid(900), gapless.CauseThread,
		},
		{"forum: a place without messages (C48)", gapless.Channel{ID: old, Kind: gapless.GuildForum}, 900, nil, 0, 0, ""},
		{"thread of an unknown guild: first contact", gapless.Channel{ID: old, Kind: gapless.PublicThread}, 900, unknown, mid(900), mid(900), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := horizon(1000)
			if c.horizon != nil {
				c.horizon(&h)
			}
			last := mid(c.last)
			if c.last == 0 {
				last = 0
			}
			l := gapless.Discovered(c.channel, last, h)
			p := gapless.Place{}.Apply(l.Change)
			if p.ID != c.channel.ID || p.Kind != c.channel.Kind || p.Floor != c.baseline || p.Verified != c.baseline || p.Head != c.head || p.Epoch != h.Epoch {
				t.Errorf("the place became %+v, want baseline %d and head %d", p, c.baseline, c.head)
			}
			if c.cause == "" {
				if len(l.Gaps)+len(l.Closed) != 0 {
					t.Errorf("first contact would replay: %+v %+v", l.Gaps, l.Closed)
				}
				return
			}
			if g := gapOf(t, l); g.From != c.baseline || g.Upto != c.head || g.Cause != c.cause {
				t.Errorf("got gap %+v", g)
			}
		})
	}
}

// The window is applied when a gap opens, together with the head, and what it
// takes is a closed range, never silence (R14, C95).
func TestWindowAtOpening(t *testing.T) {
	h := horizon(1000)
	for _, c := range []struct {
		name   string
		window int // seconds
		cut    int // where the gap begins
		closed bool
		gone   bool // all of it expired
	}{
		{name: "reaches below the head", window: 700, cut: 390},
		{name: "cuts between head and end", window: 300, cut: 700, closed: true},
		{name: "ends with the gap", window: 100, cut: 900, closed: true, gone: true},
		{name: "is shorter than the outage's end", window: 50, cut: 900, closed: true, gone: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			h.Window = time.Duration(c.window) * time.Second
			l := place().Listed(mid(900), h)
			if c.closed != (len(l.Closed) == 1) {
				t.Fatalf("closed ranges: %+v", l.Closed)
			}
			if c.closed {
				if r := l.Closed[0]; r.Upto != mid(c.cut) || r.After > mid(400) || r.Reason != gapless.EndExpired || r.Place != 10 {
					t.Errorf("got range %+v", r)
				}
			}
			if c.gone {
				if len(l.Gaps) != 0 || l.Change.Head != mid(900) {
					t.Errorf("got %+v", l)
				}
				return
			}
			if g := gapOf(t, l); g.From != mid(c.cut) || g.Upto != mid(900) {
				t.Errorf("got gap %+v", g)
			}
		})
	}
}

// Waiting costs nothing: a gap that is read long after it opened is read from
// where it began (promise 9).
func TestWindowIsNeverAppliedLater(t *testing.T) {
	g := gapOf(t, place().Listed(mid(900), horizon(1000)))
	m := g.Read(gapless.Reading{Begun: sec(30 * 24 * 3600), IDs: []gapless.MessageID{mid(410)}})
	if m.End != "" || m.After != mid(410) || m.Was != mid(390) {
		t.Errorf("got move %+v", m)
	}
}

func TestGapsHaveNamesOfTheirOwn(t *testing.T) {
	a := gapOf(t, place().Listed(mid(900), horizon(1000)))
	other := place()
	other.ID = 11
	b := gapOf(t, other.Listed(mid(900), horizon(1000)))
	c := gapOf(t, place().Listed(mid(901), horizon(1000)))
	if a.ID == b.ID || a.ID == c.ID || a.ID == "" {
		t.Errorf("names %q, %q and %q", a.ID, b.ID, c.ID)
	}
	if again := gapOf(t, place().Listed(mid(900), horizon(1000))); again.ID != a.ID {
		t.Errorf("the same gap was named %q and %q", a.ID, again.ID)
	}
}

// What the window takes reaches down to where the gap would have begun, so that
// nothing lies between head and range (oracle: a gap or range covers it).
func TestExpiredRangeBeginsWhereTheGapWould(t *testing.T) {
	h := horizon(1000)
	h.Window = 300 * time.Second
	l := place().Listed(mid(900), h)
	if len(l.Closed) != 1 || l.Closed[0].After != mid(390) {
		t.Errorf("got %+v", l.Closed)
	}
}

// In a guild joined again nothing said before is read, whatever is learnt first (R4).
func TestJoinedAgainHeardFirst(t *testing.T) {
	h := horizon(1000)
	h.Joined = mid(800)
	l := place().Heard(mid(900), h)
	if g := gapOf(t, l); g.From != mid(800) || l.Change.Floor != mid(800) {
		t.Errorf("got gap %+v, floor %d", g, l.Change.Floor)
	}
}

// A DM met for the first time has a gap since the outage it existed in (R6).
func TestDirectPlaceMetAfterAnOutage(t *testing.T) {
	old, born := gapless.ChannelID(mid(100)), gapless.ChannelID(mid(700))
	for _, c := range []struct {
		name  string
		id    gapless.ChannelID
		ended int
		after gapless.MessageID // zero: no gap
	}{
		{"older than the outage", old, 950, mid(490)},
		{"made in the outage", born, 950, gapless.MessageID(born).Less(gapless.Overlap)},
		{"made after the outage", born, 650, 0},
		{"no outage yet", old, 500, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := horizon(1000)
			h.Known, h.Ended = false, sec(c.ended)
			l := gapless.Discovered(gapless.Channel{ID: c.id, Kind: gapless.DM}, mid(990), h)
			if c.after == 0 {
				if len(l.Gaps) != 0 || l.Change.Floor != mid(990) {
					t.Errorf("got %+v", l)
				}
				return
			}
			if g := gapOf(t, l); g.From != c.after || g.Upto != mid(990) || g.Cause != gapless.CauseDirect {
				t.Errorf("got %+v", g)
			}
		})
	}
}
