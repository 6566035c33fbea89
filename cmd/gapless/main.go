package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/alecthomas/kong"

	"gapless/internal/config"
)

// cli is every command.
type cli struct {
	Run     runCommand     `cmd:"" help:"Run a bot: every message meant for it goes to a command, once."`
	Sim     simCommand     `cmd:"" help:"Start a simulated Discord to try a bot on."`
	Status  statusCommand  `cmd:"" help:"Show what the ledger of a bot knows, beside a running daemon or without one."`
	Init    initCommand    `cmd:"" help:"Write a commented gapless.yaml and show the link that invites the bot."`
	Config  configCommand  `cmd:"" help:"Check and explain the configuration."`
	Import  importCommand  `cmd:"" help:"Take over what another program has kept."`
	Demo    demoCommand    `cmd:"" help:"Break a real daemon in eight ways and count what was lost."`
	Version versionCommand `cmd:"" help:"Show the version."`
	DemoBot demoBotCommand `cmd:"" hidden:""`
}

// system is what commands may touch of the world outside.
type system struct {
	out, err io.Writer
	env      config.Environment
	terminal func(io.Writer) bool
}

func main() {
	sys := &system{out: os.Stdout, err: os.Stderr, env: os.LookupEnv, terminal: isTerminal}
	os.Exit(execute(context.Background(), sys, os.Args[1:]))
}

// execute runs the command that args name and gives its exit status.
func execute(ctx context.Context, sys *system, args []string) int {
	var c cli
	parser, err := kong.New(&c,
		kong.Name("gapless"),
		kong.Description("Every message meant for your Discord bot reaches it, once. Flags come before the environment, the environment before gapless.yaml."),
		kong.Writers(sys.out, sys.err),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(sys),
	)
	if err != nil {
		return sys.fail(err)
	}
	called, err := parser.Parse(args)
	if err != nil {
		return sys.fail(failure(exitUsage, fmt.Errorf("%w; gapless --help shows what there is", err)))
	}
	return sys.fail(called.Run())
}

// fail says what went wrong, if anything, and gives the exit status.
func (s *system) fail(err error) int {
	if err == nil {
		return exitOK
	}
	fmt.Fprintf(s.err, "gapless: %v\n", err)
	return statusOf(err)
}
