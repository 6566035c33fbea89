package gapless

import (
	"cmp"
	"slices"
)

// PlaceOutcome is what a pass came to in one place (S07).
type PlaceOutcome struct {
	Place    ChannelID `json:"place"`
	Outcome  PlaceEnd  `json:"outcome"`
	Calls    int       `json:"calls"`
	Examined int       `json:"examined"`
	Admitted int       `json:"admitted"`
	After    MessageID `json:"after,omitzero"` // partial: everything up to here was read
	Why      Reason    `json:"why,omitempty"`  // what stopped the reading
}

// PlaceEnd is one of the ways in which reading a place can end.
type PlaceEnd string

// The outcomes.
const (
	OutcomeComplete    PlaceEnd = "complete"    // nothing is left to read
	OutcomePartial     PlaceEnd = "partial"     // read in part: After and Why say how far and what stopped it
	OutcomeBlind       PlaceEnd = "blind"       // Discord shows nothing where something must be
	OutcomeForbidden   PlaceEnd = "forbidden"   // Discord refuses
	OutcomeGone        PlaceEnd = "gone"        // the place was deleted
	OutcomeUnavailable PlaceEnd = "unavailable" // no definite answer
)

// outcomes is the record of a pass, by place.
type outcomes map[ChannelID]*PlaceOutcome

// add counts a reading in; the last one of a place says how it stands.
func (o outcomes) add(r reading) {
	p := o[r.gap.Place]
	if p == nil {
		p = &PlaceOutcome{Place: r.gap.Place}
		o[r.gap.Place] = p
	}
	p.Calls += r.calls
	p.Examined += len(r.messages)
	p.Admitted += len(r.stored.New)
	p.Outcome, p.Why, p.After = outcomeAt(r), r.move.Obstacle, r.move.After
	if p.Outcome == OutcomeComplete {
		p.After = 0
	}
}

// outcomeAt says how a place stands after a reading.
func outcomeAt(r reading) PlaceEnd {
	switch {
	case r.gone || r.move.End == EndGone:
		return OutcomeGone
	case r.move.End != "":
		return OutcomeComplete
	}
	switch r.move.Obstacle {
	case ObstacleBlind:
		return OutcomeBlind
	case ObstacleForbidden:
		return OutcomeForbidden
	case ObstacleUnavailable:
		return OutcomeUnavailable
	}
	return OutcomePartial
}

// list is the outcomes in the order of their places; what a budget cut off says so.
func (o outcomes) list(left []Remainder) []PlaceOutcome {
	out := make([]PlaceOutcome, 0, len(o))
	for _, p := range o {
		if p.Outcome == OutcomePartial && p.Why == "" {
			for _, m := range left {
				if m.Place == p.Place {
					p.Why = m.Reason
				}
			}
		}
		out = append(out, *p)
	}
	slices.SortFunc(out, func(a, b PlaceOutcome) int { return cmp.Compare(a.Place, b.Place) })
	return out
}
