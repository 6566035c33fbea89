package discord

import (
	"context"
	"fmt"

	"gapless"
	"gapless/internal/wire"
)

// courtesy carries out a reply that is no message: a reaction set or taken back, or an edit of a message of ours. Each of
// them may be repeated without harm (protocol B6, B8).
func (r *REST) courtesy(ctx context.Context, reply gapless.Reply) (gapless.MessageID, error) {
	place, target := reply.Place.String(), reply.Target.String()
	c := call{path: "/channels/" + place + "/messages/" + target, major: place, priority: PriorityReply}
	switch reply.Kind {
	case gapless.ReplyReact, gapless.ReplyUnreact:
		verb := map[gapless.ReplyKind]string{gapless.ReplyReact: "PUT", gapless.ReplyUnreact: "DELETE"}[reply.Kind]
		c.route = verb + " /channels/{channel}/messages/{message}/reactions/{emoji}/@me"
		c.path += "/reactions/" + reply.Text + "/@me" // the request escapes it
	case gapless.ReplyRewrite:
		c.route, c.body = "PATCH /channels/{channel}/messages/{message}", wire.Rewrite(reply.Text)
	default:
		return 0, &gapless.RefusedError{Reason: fmt.Sprintf("this client cannot do %q", reply.Kind)}
	}
	if err := r.do(ctx, c, nil); err != nil {
		return 0, refusal(reply, err)
	}
	return reply.Target, nil
}
