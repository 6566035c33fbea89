package gapless

import "time"

// GapID names a gap: its place and its upper end. A place opens at most one
// gap up to any one id, because a gap always reaches above the head before it.
type GapID string

// Gap is a range of ids of one place, (After, Upto], that we may have missed.
// It is durable from the moment it is noticed and closes only with a recorded
// reason (promise 6).
//
//	open ──read──▶ open, After moved up ──read──▶ filled
//	  ├─ blind, unavailable, forbidden, stuck: stays open, asked again with back-off
//	  ├─ the place was deleted ─▶ gone
//	  └─ the operator ─▶ skipped
type Gap struct {
	ID       GapID
	Place    ChannelID
	From     MessageID // where it began
	After    MessageID // everything up to here has been read and stored
	Upto     MessageID
	Cause    Cause
	OpenedAt time.Time
	HoldTill time.Time // until then newer messages of the lane wait; zero: holds nothing
	Obstacle Reason    // what stopped the last reading; empty if nothing did
	Tries    int       // readings in a row that an obstacle stopped
	DueAt    time.Time // not to be read before; zero: at once
	End      Reason    // why it closed; empty while open
	ClosedAt time.Time

	// Next is where reading goes on when that is above After, because what lies
	// between may not yet be complete in history. It saves calls and proves
	// nothing: a ledger need not keep it.
	Next MessageID
}

// Cursor is the id after which the next page is to be read.
func (g Gap) Cursor() MessageID { return max(g.After, g.Next) }

// Cause is why a gap was opened.
type Cause string

// The causes of gaps.
const (
	CauseDiscontinuity Cause = "discontinuity" // the place moved while we were not listening (R3)
	CauseCreated       Cause = "created"       // a channel was made while we were not listening (R4)
	CauseThread        Cause = "thread"        // a thread came up that we did not know (R4)
	CauseDirect        Cause = "dm"            // a DM came up that existed while we were not listening (R6)
	CauseSilent        Cause = "silent"        // an inventory shows what nobody heard, although we were listening (R3, R13)
	CauseLookBack      Cause = "look_back"     // met for the first time, and configuration asks for what was said before
	CauseRestored      Cause = "restored"      // the marks come from a restored ledger: for the operator (R15)
	CauseAudit         Cause = "audit"         // nothing is known to be missing; compared all the same (R13)
)

// The reasons for which a gap ends or a range is closed.
const (
	EndFilled    Reason = "filled"       // read to its end
	EndExpired   Reason = "expired"      // older than the window when it was found (R14)
	EndSkipped   Reason = "skipped"      // by the operator
	EndGone      Reason = "gone"         // the place was deleted
	EndScope     Reason = "out_of_scope" // configuration no longer covers the place
	EndOff       Reason = "off"          // configuration does not recover the place
	EndNotice    Reason = "notice"       // configuration has the place told instead of recovering it
	EndUnaudited Reason = "unaudited"    // heard, but not compared with history before the window took it (R13)
)

// The obstacles that keep a gap open.
const (
	ObstacleUnavailable Reason = "unavailable" // no definite answer from Discord
	ObstacleForbidden   Reason = "forbidden"   // Discord refuses to show the place
	ObstacleBlind       Reason = "blind"       // Discord shows an empty place that is not empty (R9)
	ObstacleStuck       Reason = "stuck"       // a page brought nothing new (C26)
	ObstacleBudget      Reason = "budget"      // the pass ended first; the next one goes on
	ObstacleListing     Reason = "listing"     // archived threads are still to be listed (R7)
	ObstacleRestored    Reason = "restored"    // held for the operator (R15)
	ObstacleFresh       Reason = "fresh"       // the end is younger than Overlap; read once more later (R8)
)

// Range is a stretch of a place that will not be read, with the reason (R14).
type Range struct {
	Place  ChannelID
	After  MessageID
	Upto   MessageID
	Reason Reason
	At     time.Time
}

// GapMove changes an open gap: from the After the reader saw to a new one. A
// ledger refuses it with [ErrStale] when the gap is closed or its After is no
// longer Was.
type GapMove struct {
	ID       GapID
	Was      MessageID
	After    MessageID
	HoldTill time.Time
	Obstacle Reason
	Tries    int
	DueAt    time.Time
	End      Reason
	ClosedAt time.Time
	Next     MessageID // see Gap.Next
}

// Open reports whether the gap still waits for its end.
func (g Gap) Open() bool { return g.End == "" }

// Held reports whether only the operator can have the gap read (R15).
func (g Gap) Held() bool { return g.Open() && g.Obstacle == ObstacleRestored }

// Holds reports whether the message must wait for the gap: the gap lies, at
// least partly, below it, is open, and has not used up its hold.
func (g Gap) Holds(id MessageID, now time.Time) bool {
	return g.Open() && g.After < id && now.Before(g.HoldTill)
}

// Apply is the gap after the move. A ledger that stores gaps must do exactly this.
func (g Gap) Apply(m GapMove) Gap {
	g.After, g.HoldTill, g.Obstacle = max(g.After, m.After), m.HoldTill, m.Obstacle
	g.Tries, g.DueAt, g.End, g.ClosedAt, g.Next = m.Tries, m.DueAt, m.End, m.ClosedAt, m.Next
	return g
}

// Reading is one page of a place's history as far as coverage is concerned.
type Reading struct {
	Begun time.Time   // Discord's now before the request went out
	IDs   []MessageID // all ids of the page, in any order
	// Upto is what asking for the gap's last message gave, when the page was
	// empty: UptoGone, UptoThere or UptoUnknown.
	Upto UptoAnswer
}

// UptoAnswer is the answer to "does the gap's last message exist?", asked when
// a page was empty (R8, R9).
type UptoAnswer int

// The answers.
const (
	UptoUnknown UptoAnswer = iota // not asked, or no definite answer
	UptoGone                      // 404: it was deleted; the place is empty there
	UptoThere                     // it exists although the page was empty
	UptoHidden                    // 403
)

// Read is rule R8: what a page of history does to the gap. Only the caller's
// storing of the page makes it true, in the same transaction. The page is the
// one after Cursor. No reading vouches for the Overlap before it began: After
// stays below that, while Next goes on.
func (g Gap) Read(r Reading) GapMove {
	m := g.still()
	top := g.Cursor()
	for _, id := range r.IDs {
		top = max(top, id)
	}
	switch {
	case top >= g.Upto:
		return g.reached(m, r.Begun)
	case top > g.Cursor():
		m.After, m.Next = g.vouched(top, r.Begun), top
		return m
	case len(r.IDs) > 0:
		return g.blocked(m, ObstacleStuck, r.Begun)
	}
	if !g.Asks(r.Begun) {
		m.Obstacle, m.DueAt = ObstacleFresh, g.ripe()
		return m
	}
	switch r.Upto {
	case UptoGone:
		return g.reached(m, r.Begun)
	case UptoThere:
		return g.blocked(m, ObstacleBlind, r.Begun)
	case UptoHidden:
		return g.blocked(m, ObstacleForbidden, r.Begun)
	}
	return g.blocked(m, ObstacleUnavailable, r.Begun)
}

// ripe is when the gap's end is old enough that history is sure to show all
// that lies below it.
func (g Gap) ripe() time.Time { return g.Upto.Time().Add(Overlap) }

// Asks reports whether a reading of an empty page must ask for the gap's last
// message to be conclusive (R8, R9).
func (g Gap) Asks(begun time.Time) bool { return !begun.Before(g.ripe()) }

// reached closes the gap, unless its end, or what was read on the way, was so
// young that a message may still have been on its way into history: then that
// stretch is read once more.
func (g Gap) reached(m GapMove, begun time.Time) GapMove {
	if ripe := g.ripe(); begun.Before(ripe) || g.Next > g.After {
		m.After, m.Next = g.vouched(g.Upto.Less(Overlap), begun), 0
		m.HoldTill, m.Obstacle, m.DueAt = time.Time{}, ObstacleFresh, ripe
		return m
	}
	m.After, m.Next, m.End, m.ClosedAt, m.HoldTill = g.Upto, 0, EndFilled, begun, time.Time{}
	return m
}

// vouched is how far After may follow a reading up to top that began then: not
// into the Overlap before it, and not past a stretch that an earlier reading
// saw too fresh.
func (g Gap) vouched(top MessageID, begun time.Time) MessageID {
	if g.Next > g.After {
		return g.After
	}
	return max(g.After, min(top, At[MessageID](begun.Add(-Overlap))))
}

// still is the move that changes nothing but clears obstacle and due time.
func (g Gap) still() GapMove {
	return GapMove{ID: g.ID, Was: g.After, After: g.After, Next: g.Next, HoldTill: g.HoldTill}
}

// Blocked is the move of a reading that met an obstacle: the gap stays as it
// is, holds nothing, and is asked again with back-off (R9, C35, C36).
func (g Gap) Blocked(why Reason, now time.Time) GapMove {
	return g.blocked(g.still(), why, now)
}

// The back-off of an obstacle: doubling from a second for a Discord that does
// not answer, from a minute for one that answers no, so that reconnects do not
// add refused requests.
const (
	obstacleBase    = time.Second
	refusalBase     = time.Minute
	obstacleCeiling = 15 * time.Minute
)

func (g Gap) blocked(m GapMove, why Reason, now time.Time) GapMove {
	base := refusalBase
	if why == ObstacleUnavailable {
		base = obstacleBase
	}
	m.Tries = g.Tries + 1
	wait := min(base<<min(g.Tries, 10), obstacleCeiling)
	m.Obstacle, m.DueAt, m.HoldTill = why, now.Add(wait), time.Time{}
	return m
}

// Closed is the move that ends the gap for a reason other than reading.
func (g Gap) Closed(why Reason, now time.Time) GapMove {
	return GapMove{ID: g.ID, Was: g.After, After: g.After, End: why, ClosedAt: now}
}

// Leftover is the move of a pass that ran out of budget: the gap stays due and
// stops holding (promise 9).
func (g Gap) Leftover() GapMove {
	return GapMove{ID: g.ID, Was: g.After, After: g.After, Next: g.Next, Obstacle: ObstacleBudget, Tries: g.Tries, DueAt: g.DueAt}
}
