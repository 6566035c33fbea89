package discord

import (
	"context"

	"gapless"
)

// React sets the bot's reaction on a message: one call; setting it again changes nothing (protocol B8).
func (r *REST) React(ctx context.Context, place gapless.ChannelID, message gapless.MessageID, emoji string) error {
	_, err := r.courtesy(ctx, gapless.Reply{Kind: gapless.ReplyReact, Place: place, Target: message, Text: emoji})
	return err
}
