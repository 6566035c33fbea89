package sqlite

import (
	"context"
	"fmt"
	"time"

	"gapless"
)

// Mark stores what is known of a turn under way.
func (l *Ledger) Mark(ctx context.Context, m gapless.Mark) error {
	_, err := ask(ctx, l, "mark", func(t *tx) (none struct{}, err error) {
		return none, t.onDelivery("mark", m.Delivery, "deadline = CASE ?2 WHEN 0 THEN deadline ELSE ?2 END, effect = max(effect, ?3)",
			"state = 'leased' AND fence = ?4", stamp(m.Deadline), m.Effect, int64(m.Fence))
	})
	return err
}

// Unpark lets a parked delivery wait for its turn.
func (l *Ledger) Unpark(ctx context.Context, id gapless.DeliveryID, at time.Time) error {
	_, err := ask(ctx, l, "unpark", func(t *tx) (none struct{}, err error) {
		return none, t.onDelivery("unpark", id, "state = 'waiting', not_before = ?2, reason = ?3", "state = 'parked'", stamp(at), string(gapless.Confirmed))
	})
	return err
}

// onDelivery changes a delivery if it stands as it must, and is stale
// otherwise. Its n is ?1.
func (t *tx) onDelivery(deed string, id gapless.DeliveryID, set, where string, args ...any) error {
	n, err := t.number(id)
	if err != nil {
		return fmt.Errorf("%s delivery %s: %w", deed, id, err)
	}
	changed, err := t.exec("UPDATE deliveries SET "+set+" WHERE n = ?1 AND "+where, append([]any{n}, args...)...)
	if err == nil && changed == 0 {
		err = gapless.ErrStale
	}
	if err != nil {
		return fmt.Errorf("%s delivery %s: %w", deed, id, err)
	}
	return nil
}
