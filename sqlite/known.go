package sqlite

import (
	"fmt"
	"time"

	"gapless"
)

// known is what the writer remembers of the database between transactions, so
// that most deeds need not ask. It is changed together with the rows and
// forgotten whole when a transaction is undone.
type known struct {
	places   map[gapless.ChannelID]gapless.Place
	gaps     map[gapless.GapID]gapless.Gap // open ones
	byPlace  map[gapless.ChannelID][]gapless.GapID
	refusals map[gapless.ChannelID]*refusals
	edits    int  // how many edits are kept for messages to come
	parked   bool // deliveries have been parked, and may still be

	undecided map[gapless.LaneID]map[gapless.MessageID]time.Time // rows that wait for a look-up: till when they hold
}

// known is what is remembered, read first if it must be.
func (t *tx) known() (*known, error) {
	if t.w.known != nil {
		return t.w.known, nil
	}
	k := &known{
		places:   map[gapless.ChannelID]gapless.Place{},
		gaps:     map[gapless.GapID]gapless.Gap{},
		byPlace:  map[gapless.ChannelID][]gapless.GapID{},
		refusals: map[gapless.ChannelID]*refusals{},

		undecided: map[gapless.LaneID]map[gapless.MessageID]time.Time{},
	}
	err := t.rows(selectPlaces, nil, func(scan func(...any) error) error {
		p, err := scanPlace(scan)
		k.places[p.ID] = p
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read places: %w", err)
	}
	err = t.rows(selectOpenGaps, nil, func(scan func(...any) error) error {
		g, err := scanGap(scan)
		k.gap(g)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read open gaps: %w", err)
	}
	if _, err := t.row("SELECT count(*) FROM edits", nil, &k.edits); err != nil {
		return nil, fmt.Errorf("count kept edits: %w", err)
	}
	if k.parked, err = t.row("SELECT 1 FROM deliveries WHERE state = 'parked' AND "+isOpen+" LIMIT 1", nil, new(int)); err != nil {
		return nil, fmt.Errorf("look for parked deliveries: %w", err)
	}
	err = t.rows("SELECT lane, id, not_before FROM messages WHERE state = 'undecided'", nil, func(scan func(...any) error) error {
		var lane gapless.LaneID
		var m gapless.MessageID
		var till time.Time
		err := scan(&lane, id(&m), at(&till))
		k.suspend(lane, m, till)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read undecided messages: %w", err)
	}
	t.w.known = k
	return k, nil
}

// suspend remembers a row that waits for a look-up.
func (k *known) suspend(lane gapless.LaneID, id gapless.MessageID, till time.Time) {
	if k.undecided[lane] == nil {
		k.undecided[lane] = map[gapless.MessageID]time.Time{}
	}
	k.undecided[lane][id] = till
}

// suspended reports whether the message's row waits for a look-up.
func (k *known) suspended(place gapless.ChannelID, id gapless.MessageID) bool {
	if len(k.undecided) == 0 {
		return false
	}
	_, ok := k.undecided[gapless.LaneOf(place)][id]
	return ok
}

// resolve forgets that a message's row waits for a look-up, and tells whether
// it did.
func (k *known) resolve(place gapless.ChannelID, id gapless.MessageID) bool {
	if !k.suspended(place, id) {
		return false
	}
	lane := gapless.LaneOf(place)
	delete(k.undecided[lane], id)
	if len(k.undecided[lane]) == 0 {
		delete(k.undecided, lane)
	}
	return true
}

// gap remembers a gap while it is open.
func (k *known) gap(g gapless.Gap) {
	_, had := k.gaps[g.ID]
	switch {
	case g.Open():
		k.gaps[g.ID] = g
		if !had {
			k.byPlace[g.Place] = append(k.byPlace[g.Place], g.ID)
		}
	case had:
		delete(k.gaps, g.ID)
		var left []gapless.GapID
		for _, id := range k.byPlace[g.Place] {
			if id != g.ID {
				left = append(left, id)
			}
		}
		k.byPlace[g.Place] = left
	}
}

const (
	placeColumns = "id, guild, parent, kind, name, recipient, floor, verified, head, epoch, gone, hidden, out, restored, takes_part, owes"
	gapColumns   = "id, place, began, after, upto, cause, opened_at, hold_till, obstacle, tries, due_at, ended, closed_at, next"

	selectPlaces   = "SELECT " + placeColumns + " FROM places ORDER BY id"
	selectOpenGaps = "SELECT " + gapColumns + " FROM gaps WHERE ended = '' ORDER BY id"
)

func scanPlace(scan func(...any) error) (p gapless.Place, err error) {
	var epoch int64
	err = scan(id(&p.ID), id(&p.Guild), id(&p.Parent), &p.Kind, &p.Name, id(&p.Recipient),
		id(&p.Floor), id(&p.Verified), id(&p.Head), &epoch, &p.Gone, &p.Hidden, &p.Out, &p.Restored, id(&p.TakesPart), at(&p.Owes))
	p.Epoch = uint64(epoch)
	return p, err
}

func scanGap(scan func(...any) error) (g gapless.Gap, err error) {
	err = scan(&g.ID, id(&g.Place), id(&g.From), id(&g.After), id(&g.Upto), &g.Cause, at(&g.OpenedAt), at(&g.HoldTill),
		&g.Obstacle, &g.Tries, at(&g.DueAt), &g.End, at(&g.ClosedAt), id(&g.Next))
	return g, err
}

// scanned reads an integer column with a function.
type scanned func(n int64)

// Scan reads an integer.
func (s scanned) Scan(v any) error {
	n, ok := v.(int64)
	if !ok {
		return fmt.Errorf("read column: got %T, want an integer", v)
	}
	s(n)
	return nil
}
