package conversation

import (
	"context"
	"time"

	"gapless"
)

// A turn that is over in a moment shows nothing; Discord forgets after ten
// seconds that somebody types, so it is told again a little sooner. After an
// hour nobody is waiting any more.
const (
	typingAfter = time.Second
	typingEvery = 8 * time.Second
	typingMost  = time.Hour
)

// typing shows in the place that an answer is being written, until it is
// stopped or Discord refuses it.
func (r *Room) typing(ctx context.Context, place gapless.ChannelID) (stop func()) {
	if !r.opt.Typing {
		return func() {}
	}
	return beside(ctx, 0, func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, typingMost)
		defer cancel()
		for wait := typingAfter; pause(ctx, wait); wait = typingEvery {
			if err := r.discord.Typing(ctx, place); err != nil {
				if ctx.Err() == nil {
					r.log.Debug("typing not shown", "channel", place, "error", err)
				}
				return
			}
		}
	})
}

// pause waits and reports whether the context is still alive.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
