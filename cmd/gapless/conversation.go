package main

import (
	"context"
	"log/slog"

	"gapless"
	"gapless/conversation"
	"gapless/discord"
	"gapless/internal/config"
)

// newRoom is what goes along with the turns of the bot of that name.
func newRoom(c config.Config, name string, rest *discord.REST, log *slog.Logger) *conversation.Room {
	opt := conversation.Options{
		Reactions: c.Talk.Reactions, Typing: c.Talk.Typing, Threads: c.Talk.AutoThread, NoThreads: c.Talk.NoThreads, Free: c.Policy.Free,
		Context: c.Talk.Context, Leave: c.Talk.Outages,
	}
	if opt.Leave == nil {
		opt.Leave = gapless.OutageNotices(name)
	}
	for _, p := range c.Talk.Prompts {
		opt.Prompts = append(opt.Prompts, conversation.Prompt{Place: p.Place, Text: p.Text})
	}
	return conversation.New(opt, rest, log)
}

// listener lets the room hear what the engine is told.
type listener struct {
	discord.Sink
	room *conversation.Room
}

// Admit is the sink's.
func (l listener) Admit(ctx context.Context, b gapless.Batch) error {
	l.room.Hear(b.Events)
	return l.Sink.Admit(ctx, b)
}
