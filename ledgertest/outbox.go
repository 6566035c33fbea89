package ledgertest

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gapless"
)

// final reports whether nothing more can become of a reply in this state.
func final(s gapless.ReplyState) bool { return s == gapless.ReplySent || s == gapless.ReplyRefused }

// Unsent gives the replies that are not final, in the order they were stored.
func (m *Memory) Unsent(ctx context.Context) (out []gapless.Reply, err error) {
	err = m.do(ctx, "Unsent", func(s *state) error {
		for _, r := range s.replies {
			if !final(r.State) {
				out = append(out, r)
			}
		}
		return nil
	})
	return out, err
}

// Sent stores what became of a reply. One that the ledger does not know is
// answered with [gapless.ErrStale].
func (m *Memory) Sent(ctx context.Context, r gapless.Reply, at time.Time) (settled bool, err error) {
	err = m.do(ctx, "Sent", func(s *state) error {
		i := slices.IndexFunc(s.replies, func(o gapless.Reply) bool { return o.ID == r.ID })
		if i < 0 {
			return fmt.Errorf("store what became of reply %s: %w", r.ID, gapless.ErrStale)
		}
		old := &s.replies[i]
		if final(old.State) {
			return nil
		}
		old.State, old.Message, old.TriedAt, old.DueAt = r.State, r.Message, r.TriedAt, r.DueAt
		old.Tries, old.Detail = r.Tries, r.Detail
		if final(r.State) {
			s.replied[r.ID] = at
			settled = s.afterReply(*old, at)
		}
		s.commits++
		return nil
	})
	return settled, err
}

// afterReply ends the delivery if the reply, which has become final, was its
// last message.
func (s *state) afterReply(last gapless.Reply, at time.Time) bool {
	left, sent := 0, 0
	for _, r := range s.replies {
		switch {
		case r.Delivery != last.Delivery || r.Kind.Courtesy():
		case !final(r.State):
			left++
		case r.State == gapless.ReplySent:
			sent++
		}
	}
	d := s.deliveries[last.Delivery]
	if d == nil || d.Final() || last.Kind.Courtesy() {
		return false
	}
	d.Delivery = d.AfterReply(left, sent, at)
	return d.Final()
}
