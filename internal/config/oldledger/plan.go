package oldledger

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"gapless"
)

// Plan is what of the file becomes what in our ledger.
type Plan struct {
	Ended  []gapless.Ending // settled there, so settled here
	Heads  []Head           // by id
	Open   int              // messages that were not settled there: known, and left to a gap
	States map[string]int   // rows by their status in the file
}

// Head is how far a channel was heard: the highest id in its cursor and rows.
type Head struct {
	Place  gapless.ChannelID
	Parent gapless.ChannelID
	Thread bool
	ID     gapless.MessageID
}

// Plan says what of the file becomes what. It asks nobody and writes nothing.
func (l *Ledger) Plan() Plan {
	p := Plan{States: map[string]int{}}
	heads := map[gapless.ChannelID]Head{}
	for place, id := range l.Cursors {
		heads[place] = Head{Place: place, ID: id}
	}
	for _, r := range l.Rows {
		p.States[r.Status]++
		if why := r.Reason(); why != "" {
			p.Ended = append(p.Ended, gapless.Ending{Place: r.Place, ID: r.ID, Reason: why})
		} else {
			p.Open++
		}
		if r.Place == 0 {
			continue
		}
		h := heads[r.Place]
		h.Place, h.ID = r.Place, max(h.ID, r.ID)
		h.Parent, h.Thread = cmp.Or(h.Parent, r.Parent), h.Thread || r.Thread
		heads[r.Place] = h
	}
	p.Heads = slices.SortedFunc(maps.Values(heads), func(a, b Head) int { return cmp.Compare(a.Place, b.Place) })
	return p
}

// Begin is what the head makes of a place that our ledger does not know yet, as
// Discord describes it: nothing up to the head is handled again. With since, a
// gap is opened from there to the head, in which what was not settled is
// handled; zero opens none.
func (h Head) Begin(c gapless.Channel, since, now time.Time) (change gapless.PlaceChange, gaps []gapless.Gap) {
	from := h.ID
	if !since.IsZero() {
		from = min(max(gapless.At[gapless.MessageID](since), gapless.MessageID(c.ID)-1), h.ID)
	}
	change = gapless.PlaceChange{ID: c.ID, Describe: &c, Floor: from, Verified: from, Head: h.ID}
	if from < h.ID {
		gaps = append(gaps, gapless.Gap{
			ID:    gapless.GapID(c.ID.String() + "-" + h.ID.String()),
			Place: c.ID, From: from, After: from, Upto: h.ID, Cause: gapless.CauseDiscontinuity, OpenedAt: now,
		})
	}
	return change, gaps
}
