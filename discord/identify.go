package discord

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gapless"
)

const (
	identifySpacing = 5 * time.Second // Discord's own pace for one shard (protocol A6)
	longestSpacing  = 5 * time.Minute
)

// identifyAt is the earliest instant for the next identify and, if that is a wait worth a word, why. total is the budget
// when full, zero if not known. The first half of it may be spent at Discord's own pace; below that identifies are
// spread over the time to the reset, so that something that goes wrong again and again, in this process or over many
// short-lived ones, cannot use it up and cost the bot its token (C14).
func identifyAt(s gapless.Starts, total, reserve int, now time.Time) (at time.Time, why string) {
	if now.Before(s.ResetAt) && s.Remaining <= reserve {
		return s.ResetAt, "the identify budget is used up"
	}
	spacing := identifySpacing
	if left := s.Remaining - reserve; total > 0 && left < total/2 && now.Before(s.ResetAt) {
		spread := s.ResetAt.Sub(now) / time.Duration(max(left, 1))
		if spacing = max(spacing, min(spread, longestSpacing)); spacing > identifySpacing {
			why = "the identify budget runs low"
		}
	}
	at = s.IdentifiedAt.Add(spacing)
	if at.Sub(now) > spacing { // the host's clock was set back
		at = now.Add(spacing)
	}
	return at, why
}

// identifyAt is the earliest instant for this shard's next identify, in view of those of the others.
func (g *Gateway) identifyAt(s gapless.Starts, total int, now time.Time) (at time.Time, why string) {
	shared, all := g.turns.last(g.cfg.Shard)
	own := s.IdentifiedAt
	s.IdentifiedAt = later(own, shared)
	if at, why = identifyAt(s, total, g.cfg.Reserve, now); why != "" { // it is to be spread over all shards
		s.IdentifiedAt = later(own, all)
		at, why = identifyAt(s, total, g.cfg.Reserve, now)
	}
	return at, why
}

// budget waits until an identify is allowed and gives the gateway's address. The shard has its turn from then until it
// has identified or the connection has ended. It asks Discord each time; when Discord
// does not answer, what is remembered must do.
func (g *Gateway) budget(ctx context.Context) (address string, err error) {
	busy := func() { g.become(StateWaiting, "for other shards to begin their sessions") }
	if err := g.turns.enter(ctx, g.cfg.Shard, busy); err != nil {
		return "", err
	}
	if err := g.vouch(ctx); err != nil {
		return "", err
	}
	for {
		starts, total, err := g.starts(ctx)
		if err != nil {
			return "", err
		}
		now := time.Now()
		at, why := g.identifyAt(starts, total, now)
		if !now.Before(at) {
			return g.address, nil
		}
		if why != "" {
			g.become(StateWaiting, fmt.Sprintf("%s: %d left, next at %s", why, starts.Remaining, at.UTC().Format(time.RFC3339)))
			g.log.Warn("waiting before the next identify", "reason", why, "left", starts.Remaining, "until", at)
		}
		select {
		case <-ctx.Done():
			return "", context.Cause(ctx)
		case <-g.intake.failed:
			return "", g.intake.err
		case <-time.After(at.Sub(now)):
		}
		if why == "" && !g.turns.sparing() {
			return g.address, nil
		} // else what Discord said before the wait may not count the identify before this one
	}
}

// vouch asks whether the token is good, once something suggests that it is not. Discord closes with 4004 and asks for a
// token when the budget is looked up; servers of other habits do neither, and identifies would be spent in vain.
func (g *Gateway) vouch(ctx context.Context) error {
	if !g.suspect {
		return nil
	}
	_, err := g.cfg.REST.Me(ctx)
	if errors.Is(err, gapless.ErrUnauthorized) {
		return fmt.Errorf("ask whether the token is good: %w", err)
	}
	g.suspect = err != nil
	return nil
}

// starts is the identify budget and the full budget, and learns the gateway's address.
func (g *Gateway) starts(ctx context.Context) (s gapless.Starts, total int, err error) {
	s = g.intake.stored().Starts
	bot, err := g.cfg.REST.GatewayBot(ctx)
	now := time.Now()
	switch {
	case err == nil:
		g.address = bot.URL
		s.Remaining, s.ResetAt = bot.Remaining, now.Add(bot.ResetAfter)
		total = bot.Total
		left := bot.Remaining - g.cfg.Reserve
		g.turns.learn(bot.MaxConcurrency, left < total/2 || left < 2*bot.MaxConcurrency)
		if err := g.recommended(bot.Shards); err != nil {
			return s, total, err
		}
	case errors.Is(err, gapless.ErrUnauthorized), ctx.Err() != nil, g.address == "", s.ResetAt.IsZero():
		return s, 0, fmt.Errorf("ask for the gateway: %w", err)
	case !now.Before(s.ResetAt):
		s.Remaining = g.cfg.Reserve + 1 // full again, but how much that is nobody says
	}
	g.budgeted = s
	return s, total, nil
}

// spend counts an identify before it is sent, so that it is counted whatever happens next.
func (g *Gateway) spend(ctx context.Context) error {
	s := g.budgeted
	s.Remaining, s.IdentifiedAt = max(s.Remaining-1, 0), time.Now()
	if err := g.intake.put(ctx, func(session *gapless.Session) { session.Starts = s }); err != nil {
		return fmt.Errorf("count an identify: %w", err)
	}
	g.turns.note(g.cfg.Shard, s.IdentifiedAt)
	return nil
}
