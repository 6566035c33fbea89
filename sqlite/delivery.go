package sqlite

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"gapless"
)

const (
	deliveryColumns = "n, id, lane, place, first, size, members, state, fence, boot, attempt, failed, interruptions, not_before, " +
		"created_at, ended_at, reason, detail, retry_of, deadline, effect"
	// isOpen lets SQLite use the index of deliveries that have not ended.
	isOpen = "state <> 'settled' AND state <> 'dead'"

	memberColumns = "m.id, m.place, m.edited_at, m.origin, m.ground, m.gap, m.first_seen, m.not_before, m.plain, " +
		"coalesce(x.body, ''), x.raw"
)

// delivery is a stored delivery with its members by id.
type delivery struct {
	gapless.Delivery
	n       int64
	place   gapless.ChannelID
	first   gapless.MessageID
	size    int
	joined  string // members as stored
	members []gapless.MessageID
}

// columns is where deliveryColumns are scanned to; decode comes after.
func (d *delivery) columns() []any {
	return []any{
		&d.n, &d.ID, &d.Lane, id(&d.place), id(&d.first), &d.size, &d.joined, &d.State, &d.Fence, &d.Boot, &d.Attempt, &d.Failed,
		&d.Interruptions, at(&d.NotBefore), at(&d.CreatedAt), at(&d.EndedAt), &d.Reason, &d.Detail, &d.RetryOf,
		at(&d.Deadline), &d.Effect,
	}
}

func (d *delivery) decode() (err error) {
	if d.ID == "" {
		d.ID = named(d.n)
	}
	if d.joined == "" && d.size == 1 {
		d.members = []gapless.MessageID{d.first}
		return nil
	}
	d.members, err = split(d.joined)
	return err
}

// named is the id of the delivery that is named after a message.
func named(n int64) gapless.DeliveryID { return gapless.DeliveryID(strconv.FormatInt(n, 10)) }

// number is the n of a delivery. One that was never stored has one that nothing
// has.
func (t *tx) number(of gapless.DeliveryID) (n int64, err error) {
	if named, err := strconv.ParseUint(string(of), 10, 63); err == nil {
		return int64(named), nil
	}
	_, err = t.row("SELECT n FROM deliveries WHERE id = ? AND id <> ''", []any{string(of)}, &n)
	return n, err
}

// member is a message as a delivery's member.
type member struct {
	gapless.Item // without its Message
	text         text
	author       gapless.UserID // read by begin alone
}

// columns is where memberColumns are scanned to.
func (m *member) columns() []any {
	return []any{
		id(&m.text.id), id(&m.text.place), &m.text.edited, &m.Origin, &m.Ground, &m.Gap, at(&m.FirstSeen), at(&m.NotBefore),
		&m.Plain, &m.text.body, &m.text.raw,
	}
}

func (m *member) item() (it gapless.Item, err error) {
	it = m.Item
	it.Message, err = m.text.message()
	return it, err
}

// scanUndecided reads memberColumns and what is lacking.
func scanUndecided(scan func(...any) error) (it gapless.Item, err error) {
	var m member
	if err := scan(append(m.columns(), &m.Lacks)...); err != nil {
		return it, err
	}
	return m.item()
}

func scanItem(scan func(...any) error) (it gapless.Item, err error) {
	var m member
	if err := scan(m.columns()...); err != nil {
		return it, err
	}
	return m.item()
}

// place is the place as stored, or its id alone.
func (t *tx) place(id gapless.ChannelID) (gapless.Place, error) {
	k, err := t.known()
	if err != nil {
		return gapless.Place{}, err
	}
	if p, ok := k.places[id]; ok {
		return p, nil
	}
	return gapless.Place{ID: id}, nil
}

// fill gives the delivery its place and members.
func (t *tx) fill(d *delivery) (err error) {
	if d.Place, err = t.place(d.place); err != nil {
		return err
	}
	for _, id := range d.members {
		if err := t.add(&d.Delivery, id); err != nil {
			return err
		}
	}
	return nil
}

// Leases gives the leased deliveries, the lowest message first.
func (l *Ledger) Leases(ctx context.Context) ([]gapless.Delivery, error) {
	return ask(ctx, l, "list leases", func(t *tx) (out []gapless.Delivery, err error) {
		var all []*delivery
		err = t.rows("SELECT "+deliveryColumns+" FROM deliveries WHERE state = 'leased' AND "+isOpen+" ORDER BY first, n", nil,
			func(scan func(...any) error) error {
				d := new(delivery)
				all = append(all, d)
				return errors.Join(scan(d.columns()...), d.decode())
			})
		if err != nil {
			return nil, err
		}
		for _, d := range all {
			if err := t.fill(d); err != nil {
				return nil, err
			}
			out = append(out, d.Delivery)
		}
		return out, nil
	})
}

// Settle stores the end of a turn.
func (l *Ledger) Settle(ctx context.Context, s gapless.Settlement) error {
	if err := endsTurn(s); err != nil {
		return fmt.Errorf("settle delivery %s: %w", s.Delivery.ID, err)
	}
	d := s.Delivery
	d.Messages = nil
	replies := append([]gapless.Reply(nil), s.Replies...)
	_, err := ask(ctx, l, "settle", func(t *tx) (none struct{}, err error) {
		n, err := t.number(d.ID)
		if err != nil {
			return none, fmt.Errorf("settle delivery %s: %w", d.ID, err)
		}
		stored, err := t.exec("UPDATE deliveries SET state = ?, attempt = ?, failed = ?, interruptions = ?, not_before = ?, "+
			"ended_at = ?, reason = ?, detail = ?, deadline = 0, effect = max(effect, ?) WHERE n = ? AND state = 'leased' AND fence = ?",
			string(d.State), d.Attempt, d.Failed, d.Interruptions, stamp(d.NotBefore), stamp(d.EndedAt), string(d.Reason),
			d.Detail, d.Effect, n, int64(d.Fence))
		if err == nil && stored == 0 {
			err = gapless.ErrStale
		}
		if err != nil {
			return none, fmt.Errorf("settle delivery %s: %w", d.ID, err)
		}
		if d.State == gapless.Parked {
			k, err := t.known()
			if err != nil {
				return none, err
			}
			k.parked = true
		}
		for _, r := range replies {
			if err := t.intend(r, n); err != nil {
				return none, fmt.Errorf("store reply %s: %w", r.ID, err)
			}
		}
		return none, nil
	})
	return err
}

// endsTurn refuses ends that would leave a delivery without an end.
func endsTurn(s gapless.Settlement) error {
	messages := slices.ContainsFunc(s.Replies, func(r gapless.Reply) bool { return !r.Kind.Courtesy() })
	switch state := s.Delivery.State; {
	case state == gapless.Leased:
		return errors.New("it is still leased: not the end of a turn")
	case state == gapless.Answering && !messages:
		return errors.New("answering without messages would never end")
	case state != gapless.Answering && state != gapless.Parked && messages:
		return fmt.Errorf("messages belong to an answering delivery, not to a %s one", state)
	}
	return nil
}
