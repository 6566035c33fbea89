package main

import (
	"context"
	"errors"
	"fmt"

	"gapless"
	"gapless/discord"
	"gapless/internal/config"
)

// whoAmI asks Discord which bot the token belongs to. While Discord cannot
// say, the token itself does: an outage must not keep a daemon from starting.
func (d *daemon) whoAmI(ctx context.Context, rest *discord.REST) (gapless.User, error) {
	d.log.Info("asking Discord which bot the token belongs to", "api", d.cfg.API)
	defer d.warnSlow()()
	self, err := rest.Me(ctx)
	if err == nil {
		return self, nil
	}
	if ctx.Err() != nil {
		return self, context.Cause(ctx)
	}
	if errors.Is(err, gapless.ErrUnauthorized) {
		return self, refusal(err)
	}
	if d.cfg.API != config.DefaultAPI && errors.Is(err, discord.ErrNotDiscord) {
		return self, failure(exitUsage, fmt.Errorf("%w; check --api", err))
	}
	id, ok := d.token.Bot()
	if !ok {
		return self, fmt.Errorf("learn which bot the token belongs to: %w; check --api and the network", err)
	}
	d.log.Warn("Discord does not say which bot this is; going by the token", "bot", id, "error", err)
	return gapless.User{ID: id, Bot: true}, nil
}

// refusedToken is what to do about a token that Discord does not take.
const refusedToken = "Discord refuses the token. It was reset, belongs to another application, or was copied in part: " +
	"make a new one on the Bot page of the application at https://discord.com/developers/applications " +
	"and give it by DISCORD_TOKEN or DISCORD_TOKEN_FILE"

// refusal explains an answer of Discord that starting again does not change.
func refusal(err error) error {
	if errors.Is(err, gapless.ErrUnauthorized) {
		err = fmt.Errorf("%s (%w)", refusedToken, err)
	}
	return failure(exitRefused, err)
}
