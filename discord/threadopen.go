package discord

import (
	"context"
	"errors"

	"gapless"
	"gapless/internal/wire"
)

// codeThreadExists is Discord's answer for a message that has its thread already.
const codeThreadExists = 160004

// OpenThread makes the thread of a message, which has the message's id, and gives it: one call. A thread that exists is
// as good as a new one (protocol B9, C110).
func (r *REST) OpenThread(ctx context.Context, place gapless.ChannelID, message gapless.MessageID, name string) (gapless.ChannelID, error) {
	c, err := fetch(ctx, r, call{
		route: "POST /channels/{channel}/messages/{message}/threads",
		path:  "/channels/" + place.String() + "/messages/" + message.String() + "/threads",
		major: place.String(), priority: PriorityReply, body: wire.NewThread(name),
	}, wire.Channel)
	e, refused := errors.AsType[*APIError](err)
	switch {
	case err == nil:
		return c.ID, nil
	case refused && e.Code == codeThreadExists:
		return gapless.ChannelID(message), nil
	case refused && e.Status >= 400 && e.Status < 500:
		return 0, &gapless.RefusedError{Status: e.Status, Code: e.Code, Reason: e.Message}
	}
	return 0, err
}
