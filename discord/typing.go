package discord

import (
	"context"

	"gapless"
)

// Typing shows that the bot is typing, until it writes or ten seconds have passed: one call.
func (r *REST) Typing(ctx context.Context, place gapless.ChannelID) error {
	return r.do(ctx, call{
		route: "POST /channels/{channel}/typing", path: "/channels/" + place.String() + "/typing", major: place.String(),
		priority: PriorityReply,
	}, nil)
}
