package gapless

import (
	"cmp"
	"iter"
	"slices"
	"time"
)

// Budget bounds one pass of recovery. What it cuts off stays owed, by name,
// and the next pass goes on with it (promise 9). Zero values mean the defaults.
type Budget struct {
	Examined int           // messages examined per pass, default 500
	Calls    int           // REST calls per pass, default 100
	Turns    int           // recovered turns started per minute, default 30
	Window   time.Duration // how far back a gap reaches when it opens, default 6 h
	Rest     time.Duration // pause before the next pass while anything remains, default 15 s, at most a minute
}

// WithDefaults is the budget with every zero replaced by its default.
func (b Budget) WithDefaults() Budget {
	b.Examined = cmp.Or(b.Examined, 500)
	b.Calls = cmp.Or(b.Calls, 100)
	b.Turns = cmp.Or(b.Turns, 30)
	b.Window = cmp.Or(b.Window, 6*time.Hour)
	b.Rest = min(cmp.Or(b.Rest, 15*time.Second), time.Minute)
	return b
}

// Spend is what a pass has used of its budget.
type Spend struct {
	Calls    int
	Examined int
}

// Within reports whether another call still fits.
func (s Spend) Within(b Budget) bool { return s.Calls < b.Calls && s.Examined < b.Examined }

// NextGap picks what a pass reads next: of the gaps that are due, the one of
// which the pass has read the fewest pages, then the most recently active
// place (S15). Pages of a gap come oldest first, so a budget that ends the
// pass leaves the newest unread, never the oldest (C31).
func NextGap(gaps []Gap, pages map[GapID]int, now time.Time) (Gap, bool) {
	return nextGap(slices.Values(gaps), pages, now)
}

// nextGap is NextGap over gaps in any order: there may be ten thousand, and a
// pass asks once a page.
func nextGap(gaps iter.Seq[Gap], pages map[GapID]int, now time.Time) (Gap, bool) {
	var best Gap
	found := false
	for g := range gaps {
		if !g.Due(now) {
			continue
		}
		if !found || nextBefore(g, best, pages) {
			best, found = g, true
		}
	}
	for g := range gaps { // of one place, what was missed first is read first (C31)
		if g.Place == best.Place && g.After < best.After && g.Due(now) && g.audited() == best.audited() {
			best = g
		}
	}
	return best, found
}

// audited reports whether nothing is known to be missing in the gap.
func (g Gap) audited() bool { return g.Cause == CauseAudit }

func nextBefore(a, b Gap, pages map[GapID]int) bool {
	if known := !a.audited(); known != !b.audited() {
		return known // what is known to be missing goes before what only might be
	}
	if n := cmp.Compare(pages[a.ID], pages[b.ID]); n != 0 {
		return n < 0
	}
	if n := cmp.Compare(a.Upto, b.Upto); n != 0 {
		return n > 0
	}
	return a.ID < b.ID
}

// Due reports whether the gap may be read now.
func (g Gap) Due(now time.Time) bool { return g.Open() && !g.Held() && !now.Before(g.DueAt) }

// NextDue is the earliest instant at which any open gap becomes due; ok is
// false when none is open, but for those that are held.
func NextDue(gaps []Gap) (at time.Time, ok bool) {
	for _, g := range gaps {
		if g.Open() && !g.Held() && (!ok || g.DueAt.Before(at)) {
			at, ok = g.DueAt, true
		}
	}
	return at, ok
}

// Overdue reports whether a guild's inventory must be asked for: its epoch was
// raised, no inventory has come since, and the grace for one that comes by
// itself is over (R2; C116, protocol G13).
func (g GuildMark) Overdue(s ShardMark, now time.Time) bool {
	return !g.Away && g.Listed < g.Epoch+s.Epoch && !now.Before(s.At.Add(InventoryGrace))
}

// InventoryGrace is how long after a discontinuity a GUILD_CREATE may take
// before we ask for the inventory ourselves.
const InventoryGrace = 15 * time.Second

// ByRecency orders gaps for display: most recently active place first.
func ByRecency(gaps []Gap) {
	slices.SortFunc(gaps, func(a, b Gap) int {
		return cmp.Or(cmp.Compare(b.Upto, a.Upto), cmp.Compare(a.ID, b.ID))
	})
}
