package gapless

import (
	"fmt"
	"time"
)

// Horizon is what the coverage rules may know beside the place itself.
type Horizon struct {
	Epoch  uint64 // the current epoch of the place's shard and guild together
	Now    time.Time
	Window time.Duration // what was missed longer ago is expired, not recovered
	Hold   time.Duration // how long a gap holds newer messages of its lane
	Since  time.Time     // beginning of the outage before this epoch; zero if unknown
	Ended  time.Time     // its end; not after Since if there was no outage yet
	Known  bool          // the guild was known before this frame
	Listed time.Time     // when the guild's inventory was last seen before this frame; zero if never
	Joined MessageID     // the id of our joining the guild; zero if unknown
	Asked  bool          // the entry is from an inventory we asked for while connected
	Back   time.Duration // how far a place met for the first time is looked back into; zero: not at all
	Owing  bool          // the inventory follows an outage: archived threads of it are not in it (R7)
}

// Learnt is what the rules conclude from one thing learnt of a place.
type Learnt struct {
	Change PlaceChange
	Gaps   []Gap
	Closed []Range
}

// Heard is rule R1 and R3 for a message event in a known place.
func (p Place) Heard(id MessageID, h Horizon) Learnt {
	l := Learnt{Change: PlaceChange{ID: p.ID}}
	if id <= p.Head {
		return l
	}
	l.Change.Head = id
	if p.Epoch < h.Epoch {
		l.Change.Epoch = h.Epoch
		p = l.rejoined(p, h)
		l.open(p, p.overlapped(), id, CauseDiscontinuity, h)
	}
	return l
}

// Listed is rule R3 for an inventory entry of a known place. A null or older
// entry settles nothing; an equal one settles the place without a gap.
func (p Place) Listed(id MessageID, h Horizon) Learnt {
	l := Learnt{Change: PlaceChange{ID: p.ID}}
	if id == 0 || id < p.Head {
		return l
	}
	if p.Epoch >= h.Epoch {
		return p.unheard(l, id, h)
	}
	l.Change.Epoch = h.Epoch
	p = l.rejoined(p, h)
	if id > p.Head {
		l.Change.Head = id
		l.open(p, p.overlapped(), id, CauseDiscontinuity, h)
	}
	return l
}

// unheard is an entry above the head of a settled place. On the connection it
// may still be on its way; in an inventory we asked for it is a silent loss
// once it is older than Overlap (R3, R13).
func (p Place) unheard(l Learnt, id MessageID, h Horizon) Learnt {
	if h.Asked && id > p.Head && !h.Now.Before(id.Time().Add(Overlap)) {
		l.Change.Head = id
		l.open(p, p.overlapped(), id, CauseSilent, h)
	}
	return l
}

// Audit is rule R13 for one place: the range that was heard but has not been
// compared with history, as a gap that holds nothing; ok is false if there is
// none. What the window has already taken of it is closed as unaudited.
func (p Place) Audit(h Horizon) (l Learnt, ok bool) {
	l = Learnt{Change: PlaceChange{ID: p.ID}}
	after, upto := p.Verified, min(p.Head, At[MessageID](h.Now.Add(-Overlap)))
	if p.Gone || !p.Kind.HoldsMessages() || upto <= after {
		return l, false
	}
	if cut := At[MessageID](h.Now.Add(-h.Window)); after < cut {
		l.Closed = append(l.Closed, Range{Place: p.ID, After: after, Upto: min(cut, upto), Reason: EndUnaudited, At: h.Now})
		l.Change.Verified = p.Joined(after, min(cut, upto), nil)
		after = cut
	}
	if after < upto {
		l.Gaps = append(l.Gaps, Gap{
			ID:    GapID(fmt.Sprintf("%s-%s-audit", p.ID, upto)),
			Place: p.ID, From: after, After: after, Upto: upto, Cause: CauseAudit, OpenedAt: h.Now,
		})
	}
	return l, true
}

// rejoined raises the floor of a place in a guild that was joined again: what
// was said before is not ours (R4).
func (l *Learnt) rejoined(p Place, h Horizon) Place {
	if h.Joined > p.Floor {
		p.Floor, l.Change.Floor = h.Joined, h.Joined
	}
	return p
}

// overlapped is where a gap above the head begins: a little below it, since
// ids near the head may have arrived out of order.
func (p Place) overlapped() MessageID { return max(p.Head.Less(Overlap), p.Floor) }

// Discovered is rule R4: the first thing learnt of a place, with the highest
// id known in it (zero if none). The change describes the place.
func Discovered(c Channel, last MessageID, h Horizon) Learnt {
	birth := born(c.ID)
	l := Learnt{Change: PlaceChange{ID: c.ID, Describe: &c, Epoch: h.Epoch}}
	switch {
	case !c.Kind.HoldsMessages():
		return l
	case c.Created:
		l.baseline(birth)
	case c.Kind.Direct() && h.Since.Before(h.Ended) && c.ID.Time().Before(h.Ended):
		// A DM that existed in the outage may hold what we missed then (R6).
		l.discoveredAbove(max(birth, At[MessageID](h.Since.Add(-Overlap))), last, CauseDirect, h)
	case c.Kind.Direct():
		l.baseline(max(last, birth))
	case !h.Known:
		l.baseline(max(last, birth))
		l.lookBack(last, h)
	case c.Kind.Thread():
		l.discoveredAbove(threadBirth(c, birth, h), last, CauseThread, h)
	default:
		l.discoveredAbove(birth, last, CauseCreated, h)
	}
	return l
}

// born is an id below all that was ever said in a place. The ids of its first messages may be lower than its own, for
// the clocks that make ids differ.
func born(id ChannelID) MessageID { return MessageID(id).Less(Overlap) }

// baseline is first contact: nothing at or below id is ever replayed (promise 10).
func (l *Learnt) baseline(id MessageID) {
	l.Change.Floor, l.Change.Verified, l.Change.Head = id, id, id
}

// lookBack opens the one gap that first contact may have: as far back as
// configuration asks for, whatever the window is.
func (l *Learnt) lookBack(last MessageID, h Horizon) {
	after := max(At[MessageID](h.Now.Add(-h.Back)), born(l.Change.ID))
	if h.Back <= 0 || last <= after {
		return
	}
	h.Window = max(h.Window, h.Back)
	l.Change.Floor, l.Change.Verified = after, after
	l.open(Place{ID: l.Change.ID}, after, last, CauseLookBack, h)
	for i := range l.Gaps {
		l.Gaps[i].HoldTill = time.Time{} // nothing waits for what was said before we came
	}
}

func (l *Learnt) discoveredAbove(after, last MessageID, cause Cause, h Horizon) {
	after = max(after, h.Joined)
	l.baseline(after)
	if last > after {
		l.Change.Head = last
		l.open(Place{ID: l.Change.ID, Head: after, Floor: after}, after, last, cause, h)
	}
}

// threadBirth is the latest instant before which a thread that just came up
// cannot have said anything we have not heard (R4).
func threadBirth(c Channel, birth MessageID, h Horizon) MessageID {
	after := birth
	if !h.Since.IsZero() && !(c.made(h.Listed) && h.Listed.Before(h.Since)) {
		after = max(after, At[MessageID](h.Since.Add(-Overlap)))
	}
	if c.Kind == PrivateThread && !c.JoinedAt.IsZero() {
		after = max(after, At[MessageID](c.JoinedAt.Add(-Overlap)))
	}
	return after
}

// made reports whether the thread is younger than the instant, which is one
// after first contact: it was made while somebody should have told us.
func (c Channel) made(since time.Time) bool {
	return !since.IsZero() && c.ID.Time().After(since.Add(-Overlap))
}

// open adds the gap (after, upto], less what the window has already taken
// (R14): the window is applied here and never again.
func (l *Learnt) open(p Place, after, upto MessageID, cause Cause, h Horizon) {
	if cut := At[MessageID](h.Now.Add(-h.Window)); after < cut {
		l.Closed = append(l.Closed, Range{Place: p.ID, After: after, Upto: min(cut, upto), Reason: EndExpired, At: h.Now})
		after = cut
	}
	if after >= upto {
		return
	}
	l.Gaps = append(l.Gaps, Gap{
		ID:    gapID(p.ID, upto),
		Place: p.ID, From: after, After: after, Upto: upto, Cause: cause,
		OpenedAt: h.Now, HoldTill: h.Now.Add(h.Hold),
	})
}

// Joined is how far verified may move once everything in (from, upto] has been
// compared: nowhere unless the range is joined to it, else to the end of what
// lies directly above, closed ranges included (R8, R14).
func (p Place) Joined(from, upto MessageID, closed []Range) MessageID {
	v := p.Verified
	for moved := true; moved; {
		moved = from <= v && upto > v
		if moved {
			v = upto
		}
		for _, r := range closed {
			if r.Place == p.ID && r.After <= v && r.Upto > v {
				v, moved = r.Upto, true
			}
		}
	}
	return v
}
