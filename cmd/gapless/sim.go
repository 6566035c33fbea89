package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"gapless/discordsim"
)

// simCommand runs a simulated Discord until it is asked to stop.
type simCommand struct {
	Listen string `help:"Address to listen on." default:"127.0.0.1:0" placeholder:"HOST:PORT"`
	Import string `help:"Channel export of DiscordChatExporter in JSON, or a folder of them, to begin with." placeholder:"FILE|DIR"`
	JSON   bool   `help:"Print one JSON object instead of words." name:"json"`
}

// simWorld is what a bot and its users need to know of the simulation.
type simWorld struct {
	API     string        `json:"api"`
	Control string        `json:"control"`
	Token   string        `json:"token"`
	Bot     discordsim.ID `json:"bot"`
	Guild   discordsim.ID `json:"guild"`
	Channel discordsim.ID `json:"channel"`
	User    discordsim.ID `json:"user"`

	Imported *discordsim.Imported `json:"imported,omitempty"`
}

// Run serves a world with one guild, channel, user and bot, and shows what is
// said in it.
func (c *simCommand) Run(ctx context.Context, sys *system) error {
	ln, err := listen(c.Listen)
	if err != nil {
		return failure(exitUsage, err)
	}
	ctx, stop := untilAsked(ctx, func() {})
	defer stop()
	sim := &discordsim.Server{}
	world := furnish(sim, ln)
	if c.Import != "" {
		if world.Imported, err = bring(sim, world.Bot, c.Import, sys.err); err != nil {
			return err
		}
	}
	if err := world.print(sys.out, c.JSON); err != nil {
		return err
	}
	served := make(chan error, 1)
	go func() { served <- sim.Serve(ln) }()
	if !c.JSON {
		go watch(ctx, sim, sys.out, len(sim.Messages()))
	}
	select {
	case <-ctx.Done():
		sim.Close()
		return nil
	case err := <-served:
		return err
	}
}

// listen opens the address, or says what stands in the way.
func listen(address string) (net.Listener, error) {
	ln, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w; --listen 127.0.0.1:0 takes any free port", address, rootCause(err))
	}
	return ln, nil
}

// rootCause is the innermost error: the operating system's own words.
func rootCause(err error) error {
	for next := errors.Unwrap(err); next != nil; next = errors.Unwrap(err) {
		err = next
	}
	return err
}

func furnish(sim *discordsim.Server, ln net.Listener) simWorld {
	bot := sim.AddBot("helper")
	ann := sim.AddUser("ann", "Ann")
	guild := sim.AddGuild("home", bot.ID, ann)
	base := "http://" + ln.Addr().String()
	return simWorld{
		API: base + "/api/v10", Control: base + "/_sim/", Token: bot.Token,
		Bot: bot.ID, Guild: guild, Channel: sim.AddChannel(guild, discordsim.Text, "general"), User: ann,
	}
}

func (w simWorld) print(out io.Writer, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(out).Encode(w)
	}
	if w.Imported != nil {
		tell(w.Imported, out)
	}
	_, err := fmt.Fprintf(out, `A simulated Discord is listening. It forgets everything when it ends (Ctrl-C).

  API      %[1]s
  token    %[3]s
  control  %[2]s
  guild %[5]v   channel #general %[6]v   user ann %[7]v   bot helper %[4]v

Start a bot on it:
  DISCORD_TOKEN=%[3]s gapless run --api %[1]s --allow-everyone --input text --exec ./bot.sh

Say something to it:
  curl -s %[2]spost -d '{"user":"%[7]v","channel":"%[6]v","text":"<@%[4]v> hello"}'

`, w.API, w.Control, w.Token, w.Bot, w.Guild, w.Channel, w.User)
	return err
}

// watch shows every message after the first shown until ctx ends.
func watch(ctx context.Context, sim *discordsim.Server, out io.Writer, shown int) {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		all := sim.MessagesAfter(shown)
		for _, m := range all {
			who := "user"
			if m.AuthorIsBot {
				who = "bot"
			}
			fmt.Fprintf(out, "%s  in %v  %s %v: %s\n", m.Created.Local().Format(time.TimeOnly), m.Channel, who, m.Author, cmp.Or(m.Content, "(nothing)"))
		}
		shown += len(all)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
