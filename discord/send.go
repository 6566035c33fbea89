package discord

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"gapless"
	"gapless/internal/wire"
)

// Send posts the reply with its nonce enforced and gives the message's id (promise 8). The same post is repeated after
// a server error or a broken connection, while the nonce is certain to be remembered. A *[gapless.RefusedError] is
// Discord's definite no; it is also the answer for a nonce whose message was deleted meanwhile (protocol B5). An error
// joined with [gapless.ErrNotSent] means that Discord has not taken it; after any other it may have.
func (r *REST) Send(ctx context.Context, reply gapless.Reply) (gapless.MessageID, error) {
	if reply.Kind.Courtesy() {
		return r.courtesy(ctx, reply)
	}
	post := wire.Post{Text: reply.Text, Nonce: reply.Nonce, Reference: reply.Reference, Mentions: r.cfg.Mentions}
	c := call{
		route: "POST /channels/{channel}/messages", path: "/channels/" + reply.Place.String() + "/messages",
		major: reply.Place.String(), priority: PriorityReply, body: post.Body(), repeat: gapless.NonceWindow,
	}
	message, err := fetch(ctx, r, c, wire.Message)
	if err == nil {
		return message.ID, nil
	}
	return 0, refusal(reply, err)
}

// refusal tells a definite no from what may be tried again.
func refusal(reply gapless.Reply, err error) error {
	if e, ok := errors.AsType[*APIError](err); ok {
		if e.Status == http.StatusUnauthorized {
			return fmt.Errorf("send reply %s: %w (%w)", reply.ID, err, gapless.ErrNotSent)
		}
		return &gapless.RefusedError{Status: e.Status, Code: e.Code, Reason: e.Message}
	}
	return fmt.Errorf("send reply %s: %w", reply.ID, err)
}
