package main

import (
	"context"
	"log/slog"
	"sync"

	"gapless"
)

// greeter passes batches to the engine and notes at the first session what an
// operator who has just begun should know.
type greeter struct {
	*gapless.Engine
	log   *slog.Logger
	first sync.Once
}

// Admit is the engine's.
func (g *greeter) Admit(ctx context.Context, b gapless.Batch) error {
	if err := g.Engine.Admit(ctx, b); err != nil {
		return err
	}
	for _, ev := range b.Events {
		if ev.Kind == gapless.SessionBegan && (b.Session == nil || b.Session.Shards < 2) { // one shard of several may well be empty
			g.first.Do(func() { g.greet(ev) })
		}
	}
	return nil
}

func (g *greeter) greet(ev gapless.Event) {
	if len(ev.Guilds) > 0 {
		return
	}
	g.log.Warn("the bot is in no server yet, so it hears only direct messages: open the link to invite it",
		"invite", "https://discord.com/oauth2/authorize?client_id="+ev.Self.ID.String()+"&scope=bot&permissions=274877975552")
}
