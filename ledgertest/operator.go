package ledgertest

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"gapless"
)

// Retry makes a new delivery of the messages of one that has ended.
func (m *Memory) Retry(ctx context.Context, of gapless.DeliveryID, at time.Time) (again gapless.DeliveryID, err error) {
	err = m.do(ctx, "Retry", func(s *state) error {
		old := s.deliveries[of]
		if err := s.repeatable(old); err != nil {
			return fmt.Errorf("retry delivery %s: %w", of, err)
		}
		n := 0
		for id, d := range s.deliveries {
			if _, tries, err := id.Parts(); err == nil && d.first == old.first {
				n = max(n, tries)
			}
		}
		again = gapless.RetryID(old.first, n+1)
		d := &delivery{first: old.first, Delivery: gapless.Delivery{
			ID: again, Lane: old.Lane, Place: old.Place, State: gapless.Waiting, NotBefore: at, CreatedAt: at, RetryOf: of,
		}}
		for _, id := range old.members {
			r := s.rows[id]
			if r.deleted {
				continue
			}
			if owner := s.deliveries[r.delivery]; owner.State == gapless.Dead {
				owner.State, owner.EndedAt = gapless.Settled, at
			}
			r.delivery = again
			d.members = append(d.members, id)
		}
		s.deliveries[again] = d
		s.commits++
		return nil
	})
	return again, err
}

// repeatable says why the delivery cannot be started anew, if it cannot.
func (s *state) repeatable(d *delivery) error {
	if d == nil {
		return gapless.ErrUnknownDelivery
	}
	if !d.Final() {
		return fmt.Errorf("it is %s: %w", d.State, gapless.ErrWrongState)
	}
	left := 0
	for _, id := range d.members {
		r := s.rows[id]
		switch {
		case r == nil:
			return fmt.Errorf("message %s was pruned: %w", id, gapless.ErrNoText)
		case r.deleted:
			continue
		case r.textless:
			return fmt.Errorf("message %s was pruned: %w", id, gapless.ErrNoText)
		case !s.deliveries[r.delivery].Final():
			return fmt.Errorf("%s is %s: %w", r.delivery, s.deliveries[r.delivery].State, gapless.ErrWrongState)
		}
		left++
	}
	if left == 0 {
		return fmt.Errorf("all of it was deleted: %w", gapless.ErrNoText)
	}
	return nil
}

// Drop settles a delivery that nobody works on.
func (m *Memory) Drop(ctx context.Context, id gapless.DeliveryID, why gapless.Reason, at time.Time) error {
	return m.do(ctx, "Drop", func(s *state) error {
		d := s.deliveries[id]
		if d == nil {
			return fmt.Errorf("drop delivery %s: %w", id, gapless.ErrUnknownDelivery)
		}
		switch d.State {
		case gapless.Dead, gapless.Waiting, gapless.Parked:
			d.State, d.Reason, d.EndedAt = gapless.Settled, cmp.Or(why, gapless.Discarded), at
			s.commits++
			return nil
		}
		return fmt.Errorf("drop delivery %s: it is %s: %w", id, d.State, gapless.ErrWrongState)
	})
}
