package discord

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	"gapless"
)

const (
	findMargin = 5 * time.Second // before the instant of the intent: clocks differ
	findPages  = 50              // as many pages are read at most
)

// Find looks for an own message with the reply's reference and text, or its nonce, from five seconds before the intent
// on: one call for each hundred messages since, and one more where there are none. found is false only if the history
// up to now was read; a place whose history is hidden from us answers [gapless.ErrForbidden].
func (r *REST) Find(ctx context.Context, reply gapless.Reply, self gapless.UserID) (gapless.MessageID, bool, error) {
	cursor := gapless.At[gapless.MessageID](reply.IntentAt.Add(r.Offset() - findMargin))
	read := false
	for range findPages {
		page, err := r.page(ctx, reply.Place, afterQuery(cursor, pageSize), PriorityReply)
		if err != nil {
			return 0, false, fmt.Errorf("find reply %s: %w", reply.ID, err)
		}
		top := cursor
		for _, m := range page.Messages {
			if m.Author.ID == self && same(m, reply) {
				return m.ID, true, nil
			}
			top = max(top, m.ID)
		}
		if top == cursor {
			return 0, false, r.readable(ctx, reply, read)
		}
		cursor, read = top, true
	}
	return 0, false, fmt.Errorf("find reply %s: more than %d pages since (%w)", reply.ID, findPages, gapless.ErrUnavailable)
}

// same reports whether a message of ours is that reply. Discord trims what it is sent.
func same(m gapless.Message, r gapless.Reply) bool {
	if m.Nonce != "" && m.Nonce == r.Nonce {
		return true
	}
	return m.Reference.Message == r.Reference && strings.TrimSpace(m.Text) == strings.TrimSpace(r.Text)
}

// readable tells an empty history from a hidden one, which Discord answers alike (protocol B3): a place in which we
// have posted or been written to has a newest message.
func (r *REST) readable(ctx context.Context, reply gapless.Reply, read bool) error {
	if read {
		return nil
	}
	newest, err := r.page(ctx, reply.Place, url.Values{"limit": {"1"}}, PriorityReply)
	if err != nil {
		return fmt.Errorf("find reply %s: %w", reply.ID, err)
	}
	if len(newest.Messages) == 0 {
		return fmt.Errorf("find reply %s: the place's history is empty or hidden (%w)", reply.ID, gapless.ErrForbidden)
	}
	return nil
}
