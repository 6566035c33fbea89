package gapless_test

import (
	"testing"
	"time"

	"gapless"
)

// missed is the gap (390, 900], noticed at second 1000.
func missed() gapless.Gap {
	return gapless.Gap{
		ID: "10-900", Place: 10, From: mid(390), After: mid(390), Upto: mid(900),
		OpenedAt: sec(1000), HoldTill: sec(1030),
	}
}

func mids(seconds ...int) []gapless.MessageID {
	var out []gapless.MessageID
	for _, s := range seconds {
		out = append(out, mid(s))
	}
	return out
}

func TestReadingAGap(t *testing.T) {
	for _, c := range []struct {
		name     string
		begun    int
		ids      []gapless.MessageID
		upto     gapless.UptoAnswer
		after    int
		end      gapless.Reason
		obstacle gapless.Reason
		holds    bool
	}{
		{name: "a page that goes on", begun: 1001, ids: mids(395, 410, 500), after: 500, holds: true},
		{name: "a page is a set: unsorted", begun: 1001, ids: mids(500, 395, 410), after: 500, holds: true},
		{name: "ids at and below the cursor do not hurt", begun: 1001, ids: mids(380, 390, 420), after: 420, holds: true},
		{name: "a short page is no end", begun: 1001, ids: mids(899), after: 899, holds: true},
		{name: "the end", begun: 1001, ids: mids(500, 900), after: 900, end: gapless.EndFilled},
		{name: "beyond the end", begun: 1001, ids: mids(901, 905), after: 900, end: gapless.EndFilled},
		{name: "nothing new (C26)", begun: 1001, ids: mids(380, 390), after: 390, obstacle: gapless.ObstacleStuck},
		{name: "empty, and the end was deleted", begun: 1001, upto: gapless.UptoGone, after: 900, end: gapless.EndFilled},
		{name: "empty, and the end is there (R9)", begun: 1001, upto: gapless.UptoThere, after: 390, obstacle: gapless.ObstacleBlind},
		{name: "empty, and we may not see the end (R9)", begun: 1001, upto: gapless.UptoHidden, after: 390, obstacle: gapless.ObstacleForbidden},
		{name: "empty, and no answer about the end", begun: 1001, after: 390, obstacle: gapless.ObstacleUnavailable},
		{name: "empty, ten seconds after the end", begun: 910, upto: gapless.UptoGone, after: 900, end: gapless.EndFilled},
		{name: "empty, a second too early to tell", begun: 909, upto: gapless.UptoGone, after: 390, obstacle: gapless.ObstacleFresh, holds: true},
		{name: "the end, ten seconds after it", begun: 910, ids: mids(900), after: 900, end: gapless.EndFilled},
		{name: "the end, while it is fresh: read once more", begun: 909, ids: mids(900), after: 890, obstacle: gapless.ObstacleFresh},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := missed()
			m := g.Read(gapless.Reading{Begun: sec(c.begun), IDs: c.ids, Upto: c.upto})
			if m.ID != g.ID || m.Was != g.After || m.After != mid(c.after) || m.End != c.end || m.Obstacle != c.obstacle {
				t.Errorf("got %+v", m)
			}
			now := g.Apply(m)
			if now.Open() != (c.end == "") || now.Holds(mid(2000), sec(1005)) != c.holds {
				t.Errorf("open %t, holds %t", now.Open(), now.Holds(mid(2000), sec(1005)))
			}
			if c.end != "" && !m.ClosedAt.Equal(sec(c.begun)) {
				t.Errorf("closed at %s", m.ClosedAt)
			}
			if c.obstacle != "" && !m.DueAt.After(sec(c.begun)) {
				t.Errorf("an obstacle is asked again at %s, not later than it was met", m.DueAt)
			}
		})
	}
}

// A fresh end is read again exactly when it is ten seconds old, and that closes it.
func TestFreshEndIsReadOnceMore(t *testing.T) {
	g := missed()
	m := g.Read(gapless.Reading{Begun: sec(901), IDs: mids(700, 900)})
	if !m.DueAt.Equal(sec(910)) {
		t.Fatalf("due at %s, want second 910", m.DueAt)
	}
	g = g.Apply(m)
	if m = g.Read(gapless.Reading{Begun: m.DueAt, IDs: mids(895, 900)}); m.End != gapless.EndFilled {
		t.Errorf("the second reading gave %+v", m)
	}
	// What the first reading had passed before the last ten seconds stays passed.
	late := missed()
	late.After = mid(899)
	if m := late.Read(gapless.Reading{Begun: sec(901), IDs: mids(900)}); m.After < late.After {
		t.Errorf("a reading moved its gap back to %d", m.After)
	}
}

func TestAsksOnlyWhenTheAnswerCounts(t *testing.T) {
	g := missed()
	if g.Asks(sec(909)) || !g.Asks(sec(910)) {
		t.Error("the last message is asked for at the wrong time")
	}
}

func TestObstaclesBackOffAndRelease(t *testing.T) {
	for _, c := range []struct {
		why         gapless.Reason
		first, most time.Duration
	}{
		{gapless.ObstacleUnavailable, time.Second, 15 * time.Minute},
		{gapless.ObstacleForbidden, time.Minute, 15 * time.Minute},
		{gapless.ObstacleBlind, time.Minute, 15 * time.Minute},
		{gapless.ObstacleStuck, time.Minute, 15 * time.Minute},
	} {
		t.Run(string(c.why), func(t *testing.T) {
			g, last := missed(), time.Duration(0)
			for try := range 40 {
				m := g.Blocked(c.why, sec(1000))
				wait := m.DueAt.Sub(sec(1000))
				if try == 0 && wait != c.first || wait < last || wait > c.most {
					t.Fatalf("try %d waits %s after %s", try, wait, last)
				}
				g, last = g.Apply(m), wait
				if g.Tries != try+1 || g.After != mid(390) || !g.Open() || g.Obstacle != c.why || g.Holds(mid(2000), sec(1000)) {
					t.Fatalf("the gap became %+v", g)
				}
				if g.Due(m.DueAt.Add(-1)) || !g.Due(m.DueAt) {
					t.Fatal("the gap is due at another time than it says")
				}
			}
			if last != c.most {
				t.Errorf("the longest wait is %s, want %s", last, c.most)
			}
			m := g.Read(gapless.Reading{Begun: sec(5000), IDs: mids(500)})
			if g = g.Apply(m); g.Tries != 0 || g.Obstacle != "" || !g.Due(sec(5000)) {
				t.Errorf("progress leaves %+v", g)
			}
		})
	}
}

func TestHold(t *testing.T) {
	closed := missed()
	closed.End = gapless.EndFilled
	for _, c := range []struct {
		name string
		gap  gapless.Gap
		id   int
		now  int
		want bool
	}{
		{"a newer message, within the hold", missed(), 950, 1029, true},
		{"a message inside the gap", missed(), 500, 1001, true},
		{"the message at the cursor", missed(), 390, 1001, false},
		{"an older message", missed(), 300, 1001, false},
		{"the hold is over (C113)", missed(), 950, 1030, false},
		{"the gap is closed", closed, 950, 1001, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.gap.Holds(mid(c.id), sec(c.now)); got != c.want {
				t.Errorf("holds %t, want %t", got, c.want)
			}
		})
	}
}

// A pass that ran out of budget leaves the gap as it is, due and holding
// nothing (C31, C96).
func TestLeftover(t *testing.T) {
	g := missed()
	g.Tries = 2
	left := g.Apply(g.Leftover())
	if left.After != g.After || left.Upto != g.Upto || !left.Open() || left.Obstacle != gapless.ObstacleBudget || left.Tries != 2 {
		t.Errorf("got %+v", left)
	}
	if left.Holds(mid(2000), sec(1001)) || !left.Due(sec(1001)) {
		t.Error("the leftover is not due, or still holds")
	}
}

func TestClosingForAnotherReason(t *testing.T) {
	for _, why := range []gapless.Reason{gapless.EndGone, gapless.EndSkipped, gapless.EndScope} {
		g := missed()
		if got := g.Apply(g.Closed(why, sec(1001))); got.Open() || got.End != why || got.Due(sec(9999)) || got.After != g.After {
			t.Errorf("%s: got %+v", why, got)
		}
	}
}

// No reading vouches for the ten seconds before it began (R8): a page that
// ends inside them moves the cursor no further than they reach.
func TestFreshStretchIsNotPassedPageByPage(t *testing.T) {
	g := missed()
	m := g.Read(gapless.Reading{Begun: sec(901), IDs: mids(700, 895)}) // 900 exists, history does not show it yet
	if m.After > mid(891) {
		t.Errorf("a reading begun at 901 vouches up to %s", m.After.Time())
	}
	g = g.Apply(m)
	m = g.Read(gapless.Reading{Begun: sec(902), IDs: mids(895, 900)})
	g = g.Apply(m)
	if !g.Open() || g.After > mid(892) {
		t.Errorf("after the second fresh reading the gap is %+v", g)
	}
	if m = g.Read(gapless.Reading{Begun: sec(911), IDs: mids(893, 895, 900)}); m.End != gapless.EndFilled {
		t.Errorf("the last reading gave %+v", m)
	}
}

// A fresh stretch longer than a page is paged through, but read again from
// where it began before the gap closes.
func TestFreshStretchLongerThanAPage(t *testing.T) {
	g := missed()
	g.After = mid(892)
	m := g.Read(gapless.Reading{Begun: sec(902), IDs: mids(893, 894, 895)})
	if m.After > mid(892) || m.Obstacle != "" {
		t.Fatalf("got %+v", m)
	}
	g = g.Apply(m)
	if g.Cursor() != mid(895) || !g.Due(sec(902)) {
		t.Fatalf("the next page is read after %s", g.Cursor().Time())
	}
	m = g.Read(gapless.Reading{Begun: sec(912), IDs: mids(896, 900)})
	if g = g.Apply(m); !g.Open() || g.Cursor() != mid(892) || !g.Due(sec(912)) {
		t.Fatalf("after the last page the gap is %+v", g)
	}
	m = g.Read(gapless.Reading{Begun: sec(912), IDs: mids(893, 894, 895)})
	g = g.Apply(m)
	if m = g.Read(gapless.Reading{Begun: sec(912), IDs: mids(896, 900)}); m.End != gapless.EndFilled {
		t.Errorf("the second time round: %+v", m)
	}
}
