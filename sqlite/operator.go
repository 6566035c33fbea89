package sqlite

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"gapless"
)

// Retry makes a new delivery of the messages of one that has ended.
func (l *Ledger) Retry(ctx context.Context, of gapless.DeliveryID, at time.Time) (gapless.DeliveryID, error) {
	return ask(ctx, l, "retry delivery "+string(of), func(t *tx) (gapless.DeliveryID, error) { return t.retry(of, at) })
}

func (t *tx) retry(of gapless.DeliveryID, at time.Time) (gapless.DeliveryID, error) {
	d, err := t.stored(of)
	if err != nil {
		return "", err
	}
	if !d.Final() {
		return "", fmt.Errorf("it is %s: %w", d.State, gapless.ErrWrongState)
	}
	members, owner, err := t.repeatable(d)
	if err != nil {
		return "", err
	}
	var last, n int64
	err = t.rows("SELECT id FROM deliveries WHERE id <> '' AND first = ?", []any{int64(d.first)}, func(scan func(...any) error) error {
		var id gapless.DeliveryID
		if err := scan(&id); err != nil {
			return err
		}
		_, tries, err := id.Parts()
		last = max(last, int64(tries))
		return err
	})
	if err == nil {
		_, err = t.row("SELECT min(coalesce(min(n), 0), 0) - 1 FROM deliveries", nil, &n)
	}
	if err != nil {
		return "", err
	}
	again := gapless.RetryID(d.first, int(last)+1)
	_, err = t.exec("INSERT INTO deliveries (n, id, lane, place, first, size, members, state, fence, boot, attempt, not_before, "+
		"created_at, retry_of) VALUES (?,?,?,?,?,?,?,'waiting',0,'',0,?,?,?)", n, string(again), string(d.Lane), int64(d.place),
		int64(d.first), len(members), join(members), stamp(at), stamp(at), string(d.ID))
	for _, id := range members {
		if err == nil {
			_, err = t.exec("UPDATE messages SET delivery = ? WHERE id = ?", n, int64(id))
		}
	}
	if err == nil {
		err = t.handOver(owner, len(members), at)
	}
	return again, err
}

// stored reads the delivery of an id.
func (t *tx) stored(id gapless.DeliveryID) (*delivery, error) {
	n, err := t.number(id)
	if err != nil {
		return nil, err
	}
	d, found, err := t.delivery(n)
	if err == nil && !found {
		err = gapless.ErrUnknownDelivery
	}
	return d, err
}

// delivery reads a delivery by its n.
func (t *tx) delivery(n int64) (*delivery, bool, error) {
	d := new(delivery)
	found, err := t.row("SELECT "+deliveryColumns+" FROM deliveries WHERE n = ?", []any{n}, d.columns()...)
	if err == nil && found {
		err = d.decode()
	}
	return d, found, err
}

// repeatable is the members that a retry of the delivery would have, and the
// delivery that has them now: itself, or the latest retry.
func (t *tx) repeatable(d *delivery) (members []gapless.MessageID, owner *delivery, err error) {
	holder := d.n
	for _, id := range d.members {
		var gone, text bool
		var n int64
		found, err := t.row("SELECT m.gone, m.delivery, x.id IS NOT NULL FROM messages m LEFT JOIN texts x ON x.id = m.id WHERE m.id = ?",
			[]any{int64(id)}, &gone, &n, &text)
		switch {
		case err != nil:
			return nil, nil, err
		case !found || (!gone && !text):
			return nil, nil, fmt.Errorf("message %s was pruned: %w", id, gapless.ErrNoText)
		case !gone:
			members, holder = append(members, id), n
		}
	}
	if len(members) == 0 {
		return nil, nil, fmt.Errorf("all of it was deleted: %w", gapless.ErrNoText)
	}
	owner, found, err := t.delivery(holder)
	switch {
	case err != nil:
		return nil, nil, err
	case !found:
		return nil, nil, gapless.ErrUnknownDelivery
	case !owner.Final():
		return nil, nil, fmt.Errorf("%s is %s: %w", owner.ID, owner.State, gapless.ErrWrongState)
	}
	return members, owner, nil
}

// handOver takes members from a delivery: it names them still, but they count
// with another. A dead one has been seen to.
func (t *tx) handOver(d *delivery, members int, at time.Time) error {
	_, err := t.exec("UPDATE deliveries SET members = ?, size = size - ? WHERE n = ?", join(d.members), members, d.n)
	if err == nil {
		_, err = t.exec("UPDATE deliveries SET state = 'settled', ended_at = ? WHERE n = ? AND state = 'dead'", stamp(at), d.n)
	}
	return err
}

// Drop settles a delivery that nobody works on.
func (l *Ledger) Drop(ctx context.Context, id gapless.DeliveryID, why gapless.Reason, at time.Time) error {
	_, err := ask(ctx, l, "drop delivery "+string(id), func(t *tx) (none struct{}, err error) {
		d, err := t.stored(id)
		if err != nil {
			return none, err
		}
		switch d.State {
		case gapless.Dead, gapless.Waiting, gapless.Parked:
			_, err = t.exec("UPDATE deliveries SET state = 'settled', reason = ?, ended_at = ? WHERE n = ?",
				string(cmp.Or(why, gapless.Discarded)), stamp(at), d.n)
			return none, err
		}
		return none, fmt.Errorf("it is %s: %w", d.State, gapless.ErrWrongState)
	})
	return err
}
