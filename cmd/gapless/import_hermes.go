package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"gapless"
	"gapless/discord"
	"gapless/internal/config"
	"gapless/internal/config/oldledger"
)

// importCommand takes over what others have kept.
type importCommand struct {
	Hermes importHermesCommand `cmd:"" help:"Take over the ledger of the reference: what was answered there is not answered again."`
}

// importHermesCommand takes over a discord_message_recovery.db.
type importHermesCommand struct {
	File    string `arg:"" help:"The file, discord_message_recovery.db; it is only read, also while it is in use."`
	Yes     bool   `help:"Write. Without it nothing is written, and what would be is shown."`
	Since   string `help:"Handle what was left unanswered since then, too: a time as 2026-01-02T15:04:05Z, or how long ago as 6h or 2d." placeholder:"TIME"`
	Bot     string `help:"Which bot of the list it is for." placeholder:"NAME"`
	Offline bool   `help:"Do not ask Discord what the channels are; direct messages are then left out."`
	API     string `help:"Base URL of Discord's API or of a server like it." name:"api" placeholder:"URL"`
	Data    string `help:"Directory of the ledgers, as given to run." placeholder:"DIR"`
	Config  string `help:"Configuration file." placeholder:"FILE"`
}

// Help is shown below the flags.
func (importHermesCommand) Help() string {
	return `Answered messages become settled ones. Of every channel the newest message known there is where gapless goes on: what was written after it is recovered when the bot connects, and nothing before it is handled unless --since asks for it. Channels that gapless already knows keep their own place.

Stop the old gateway before you start gapless, so that only one of them answers.`
}

// importing is one import on its way.
type importing struct {
	*importHermesCommand
	out    io.Writer
	plan   oldledger.Plan
	odd    []string
	scans  int
	since  time.Time
	now    time.Time
	places []place
	absent map[string]int // channels that are left out, by reason
}

// place is a channel of the old ledger as Discord describes it.
type place struct {
	head    oldledger.Head
	channel gapless.Channel
}

// Run shows what would be written, or writes it.
func (c *importHermesCommand) Run(ctx context.Context, sys *system) error {
	i := &importing{importHermesCommand: c, out: sys.out, now: time.Now(), absent: map[string]int{}}
	var err error
	if i.since, err = since(c.Since, i.now); err != nil {
		return failure(exitUsage, err)
	}
	old, err := oldledger.Read(ctx, c.File)
	if err != nil {
		return failure(exitUsage, err)
	}
	i.plan, i.odd, i.scans = old.Plan(), old.Odd, old.Scans
	d, id, err := c.bot(sys)
	if err != nil {
		return failure(exitUsage, err)
	}
	if err := i.describe(ctx, d); err != nil {
		return err
	}
	if !c.Yes {
		i.report(id)
		fmt.Fprintln(i.out, "\nNothing was written; --yes writes.")
		return nil
	}
	ledger, err := d.openLedger(ctx, id)
	if err != nil {
		return err
	}
	i.report(id)
	done, err := i.write(ctx, ledger)
	if err = errors.Join(err, ledger.Close()); err != nil {
		return failure(exitData, err)
	}
	fmt.Fprintf(i.out, "\nWritten: %d messages settled (%d were known before), %d channels begun (%d were known before), %d gaps opened.\n",
		done.settled, done.known, done.begun, done.kept, done.gaps)
	return nil
}

// bot is the bot that the import is for, not running, and its id.
func (c *importHermesCommand) bot(sys *system) (*daemon, gapless.UserID, error) {
	flags := append(flag("data", "--data", c.Data), flag("api", "--api", c.API)...)
	report, err := config.Read(config.Sources{File: c.Config, Env: sys.env, Flags: flags})
	if err != nil {
		return nil, 0, err
	}
	which := slices.IndexFunc(report.Bots, func(b config.Bot) bool { return b.Config.Name == c.Bot })
	if which < 0 {
		return nil, 0, fmt.Errorf("--bot must name one of the bots of the list: there is %v", names(report))
	}
	tokens, _, err := config.FindTokens(sys.env, report)
	if err != nil {
		return nil, 0, err
	}
	cfg := report.Bots[which].Config
	d := &daemon{cfg: cfg, token: tokens[which].Token, log: newLogger(sys.err, sys.terminal(sys.err), cfg.Log)}
	id, ok := d.token.Bot()
	if !ok {
		return nil, 0, errors.New("the token does not say which bot it belongs to: it was copied in part")
	}
	return d, id, nil
}

// describe asks Discord what each channel is: one call each.
func (i *importing) describe(ctx context.Context, d *daemon) error {
	rest, err := discord.NewREST(discord.RESTConfig{Token: d.token.Reveal(), BaseURL: d.cfg.API, Logger: d.log, Seed: newSeed()})
	if err != nil {
		return failure(exitUsage, err)
	}
	for _, h := range i.plan.Heads {
		if i.Offline {
			i.places = append(i.places, place{h, guessed(h)})
			continue
		}
		c, err := rest.Channel(ctx, h.Place)
		switch {
		case err == nil:
			i.places = append(i.places, place{h, c})
		case errors.Is(err, gapless.ErrUnknownChannel):
			i.absent["gone"]++
		case errors.Is(err, gapless.ErrForbidden):
			i.absent["out of the bot's sight"]++
		case errors.Is(err, gapless.ErrUnauthorized):
			return refusal(err)
		default:
			return fmt.Errorf("ask Discord what channel %s is: %w; --offline does without", h.Place, err)
		}
	}
	return nil
}

// guessed is a channel as the old ledger lets it be guessed; the first
// inventory puts it right.
func guessed(h oldledger.Head) gapless.Channel {
	c := gapless.Channel{ID: h.Place, Kind: gapless.GuildText}
	if h.Thread {
		c.Kind, c.Parent = gapless.PublicThread, h.Parent
	}
	return c
}

// report tells what the file holds and what becomes of it.
func (i *importing) report(bot gapless.UserID) {
	fmt.Fprintf(i.out, "%s, for the bot %s\n", i.File, bot)
	for _, state := range slices.Sorted(maps.Keys(i.plan.States)) {
		fmt.Fprintf(i.out, "  %6d messages %s\n", i.plan.States[state], state)
	}
	fmt.Fprintf(i.out, "  %6d passes, which are not taken over\n", i.scans)
	for n, odd := range i.odd {
		if n == 10 {
			fmt.Fprintf(i.out, "  … and %d more that cannot be read\n", len(i.odd)-n)
			break
		}
		fmt.Fprintf(i.out, "  left out: %s\n", odd)
	}
	fmt.Fprintf(i.out, "becomes\n  %6d messages that are settled and never handled again\n", len(i.plan.Ended))
	fmt.Fprintf(i.out, "  %6d messages that are known and not settled: %s\n", i.plan.Open, i.fate())
	fmt.Fprintf(i.out, "  %6d channels in which gapless goes on from the newest message known there\n", len(i.places))
	for _, why := range slices.Sorted(maps.Keys(i.absent)) {
		fmt.Fprintf(i.out, "  %6d channels left out: %s\n", i.absent[why], why)
	}
}

// fate is what becomes of what was not settled.
func (i *importing) fate() string {
	if i.since.IsZero() {
		return "not handled, as --since does not ask for it"
	}
	return "handled if they were written after " + i.since.UTC().Format(time.RFC3339)
}

// written is what an import came to.
type written struct{ settled, known, begun, kept, gaps int }

// atOnce is how many messages are stored in one transaction.
const atOnce = 500

// write stores decisions before coverage: cut off in between, it has promised
// nothing that it did not keep, and can be repeated.
func (i *importing) write(ctx context.Context, l gapless.Ledger) (w written, err error) {
	memory, err := l.Load(ctx)
	if err != nil {
		return w, fmt.Errorf("read the ledger: %w", err)
	}
	for some := range slices.Chunk(i.plan.Ended, atOnce) {
		stored, err := l.Append(ctx, gapless.Change{At: i.now, Ended: some})
		if err != nil {
			return w, fmt.Errorf("store what was settled: %w", err)
		}
		w.known += stored.Known
		w.settled += len(some) - stored.Known
	}
	change := gapless.Change{At: i.now}
	for _, p := range i.places {
		if slices.ContainsFunc(memory.Places, func(known gapless.Place) bool { return known.ID == p.channel.ID }) {
			w.kept++
			continue
		}
		begun, gaps := p.head.Begin(p.channel, i.since, i.now)
		change.Places, change.Opened = append(change.Places, begun), append(change.Opened, gaps...)
		w.begun++
		w.gaps += len(gaps)
	}
	if change.Empty() {
		return w, nil
	}
	if _, err := l.Append(ctx, change); err != nil {
		return w, fmt.Errorf("store how far the channels were heard: %w", err)
	}
	return w, nil
}

// since reads a time, or how long ago it was; empty is none.
func since(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if ago, ok := config.Duration(text); err != nil && ok {
		at, err = now.Add(-ago), nil
	}
	if err != nil || at.After(now) {
		return at, fmt.Errorf("--since %q is no time in the past: write it as 2026-01-02T15:04:05Z, or as 6h or 2d for how long ago", text)
	}
	return at, nil
}
