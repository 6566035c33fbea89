package conversation

import (
	"context"
	"time"

	"gapless"
)

// The reactions of a turn (S45, S46). They tell people, never the engine: a
// reaction proves nothing (S28).
const (
	Seen   = "👀"
	Done   = "✅"
	Failed = "❌"
)

// seenGrace is how much longer a turn may be for its eyes, if it is over before
// Discord has them: otherwise they could come after what takes them back.
const seenGrace = time.Second

// seen shows that the message is worked on. The turn is stored already and does
// not wait for it (C105), except at its end, for a moment.
func (r *Room) seen(ctx context.Context, d *gapless.Delivery) (stop func()) {
	if !r.opt.Reactions {
		return func() {}
	}
	place, message, id := d.Place.ID, d.First().ID, d.ID
	return beside(ctx, seenGrace, func(ctx context.Context) {
		if err := r.discord.React(ctx, place, message, Seen); err != nil && ctx.Err() == nil {
			r.log.Debug("reaction not set", "delivery", id, "error", err)
		}
	})
}

// Closing is what goes along with the end of a turn, for [gapless.Config.Closing].
// A turn that will be tried again keeps its eyes; one that never began has none.
// What a handler discarded gets neither tick nor cross.
func (r *Room) Closing(next gapless.Delivery) []gapless.Reply {
	if !r.opt.Reactions || next.Attempt == 0 || len(next.Messages) == 0 {
		return nil
	}
	target := next.First().ID
	react := func(kind gapless.ReplyKind, emoji string) gapless.Reply {
		return gapless.Reply{Kind: kind, Text: emoji, Target: target}
	}
	out := []gapless.Reply{react(gapless.ReplyUnreact, Seen)}
	switch next.State {
	case gapless.Answering:
		return append(out, react(gapless.ReplyReact, Done))
	case gapless.Settled:
		if next.Reason == gapless.Done {
			out = append(out, react(gapless.ReplyReact, Done))
		}
		return out
	case gapless.Dead:
		return append(out, react(gapless.ReplyReact, Failed))
	}
	return nil
}
