package gapless_test

import (
	"context"
	"sync/atomic"
	"time"

	"gapless"
)

// slowLedger takes its time to store a claim or a change, and stores a claim
// even if nobody waits for the answer any more, as a ledger may.
type slowLedger struct {
	gapless.Ledger
	claim, append atomic.Int64 // nanoseconds
}

func (l *slowLedger) Claim(ctx context.Context, c gapless.Claim) (gapless.Offer, error) {
	time.Sleep(time.Duration(l.claim.Load()))
	offer, err := l.Ledger.Claim(context.WithoutCancel(ctx), c)
	if ctx.Err() != nil {
		return gapless.Offer{}, ctx.Err()
	}
	return offer, err
}

func (l *slowLedger) Append(ctx context.Context, c gapless.Change) (gapless.Stored, error) {
	time.Sleep(time.Duration(l.append.Load()))
	return l.Ledger.Append(ctx, c)
}
