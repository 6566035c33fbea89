package scenario

import (
	"context"
	"time"

	"gapless"
)

// What follows is what the operator's deeds, and those on turns under way, pass on the way to the ledger: like all
// others they may be refused, and take no effect once the process is dead.

// Mark notes what is known of a turn under way.
func (c *cut) Mark(ctx context.Context, m gapless.Mark) error {
	if err := c.pass(ctx, "mark"); err != nil {
		return err
	}
	return c.did("mark", c.Ledger.Mark(ctx, m))
}

// Unpark lets a parked delivery wait for its turn.
func (c *cut) Unpark(ctx context.Context, id gapless.DeliveryID, at time.Time) error {
	if err := c.pass(ctx, "unpark"); err != nil {
		return err
	}
	return c.did("unpark", c.Ledger.Unpark(ctx, id, at))
}

// Retry makes an operator's retry.
func (c *cut) Retry(ctx context.Context, id gapless.DeliveryID, at time.Time) (gapless.DeliveryID, error) {
	if err := c.pass(ctx, "retry"); err != nil {
		return "", err
	}
	made, err := c.Ledger.Retry(ctx, id, at)
	return made, c.did("retry", err)
}

// Drop gives a delivery up.
func (c *cut) Drop(ctx context.Context, id gapless.DeliveryID, why gapless.Reason, at time.Time) error {
	if err := c.pass(ctx, "drop"); err != nil {
		return err
	}
	return c.did("drop", c.Ledger.Drop(ctx, id, why, at))
}
