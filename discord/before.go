package discord

import (
	"context"
	"net/url"
	"strconv"

	"gapless"
)

// Before reads the at most limit (1 to 100) messages just below an id: one call, with the priority of a look-up.
func (r *REST) Before(ctx context.Context, place gapless.ChannelID, before gapless.MessageID, limit int) ([]gapless.Message, error) {
	q := url.Values{"before": {before.String()}, "limit": {strconv.Itoa(min(max(limit, 1), pageSize))}}
	page, err := r.page(ctx, place, q, PriorityLookup)
	return page.Messages, err
}
