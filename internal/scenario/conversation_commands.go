package scenario

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"gapless"
	"gapless/conversation"
	"gapless/discord"
	"gapless/discordsim"
)

func conversationSettings() []setting {
	return settingsOf(reflect.TypeFor[conversation.Options](), "", nil)
}

func conversationCommands() []command {
	return []command{
		{"conversation", "conversation SETTING VALUE...", "Has turns go along with reactions, threads and so on, from the next `start` on. Nothing does if not said.",
			readKnob(conversationSettings, func(p *player) any { return &p.talk })},
	}
}

func conversationExpectations() []command {
	return []command{
		{"expect reactions", "expect reactions MESSAGE [EMOJI...]", "The bot's reactions to the message, in the order in which they were set; none if none is given.", readReactions},
		{"expect answered in thread", "expect answered in thread MESSAGE...", "Discord holds a message of the bot in the thread of each.", about(func(p *player, m string) error {
			thread := discordsim.ID(p.messageID(m))
			return unless(slices.ContainsFunc(p.sim.Messages(), func(o discordsim.Message) bool {
				return o.Channel == thread && o.Author == p.bot.ID && o.ByREST
			}), "%s is not answered in its thread", m)
		})},
	}
}

func readReactions(ph *phrase) func(*player) error {
	name := ph.message()
	want := []string{}
	for !ph.done() {
		want = append(want, ph.word("an emoji"))
	}
	return func(p *player) error {
		got := p.reactions(name)
		return unless(slices.Equal(got, want), "the reactions to %s are %q", name, got)
	}
}

// reactions are the bot's reactions to a message, by the requests that Discord has granted.
func (p *player) reactions(name string) []string {
	set := []string{}
	for _, r := range p.sim.Requests() {
		_, rest, found := strings.Cut(r.Path, "/messages/"+p.messageID(name).String()+"/reactions/")
		emoji, err := url.PathUnescape(strings.TrimSuffix(rest, "/@me"))
		if !found || err != nil || r.Status != http.StatusNoContent {
			continue
		}
		set = slices.DeleteFunc(set, func(e string) bool { return e == emoji })
		if r.Method == http.MethodPut {
			set = append(set, emoji)
		}
	}
	return set
}

// talk is the room around the turns of a process, nil if the script wants none, wired as the command wires it.
func (proc *process) talk(log *slog.Logger) *conversation.Room {
	if reflect.ValueOf(proc.player.talk).IsZero() {
		return nil
	}
	return conversation.New(proc.player.talk, proc.rest, log)
}

// listener lets a room hear what the engine is told.
type listener struct {
	discord.Sink
	room *conversation.Room
}

// Admit is the sink's.
func (l listener) Admit(ctx context.Context, b gapless.Batch) error {
	l.room.Hear(b.Events)
	return l.Sink.Admit(ctx, b)
}
