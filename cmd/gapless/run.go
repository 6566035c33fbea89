package main

import (
	"context"
	"errors"

	"gapless/internal/config"
)

// runCommand runs a daemon.
type runCommand struct {
	Exec     string   `help:"The command that handles messages; arguments may follow, those with a dash behind a lone --. No shell." placeholder:"CMD"`
	Args     []string `arg:"" optional:"" help:"Arguments of the command."`
	Input    string   `help:"What the command reads: json (default) or text." placeholder:"json|text"`
	Mode     string   `help:"process (default): one process per delivery. lines: one for all, JSON lines both ways." placeholder:"process|lines"`
	API      string   `help:"Base URL of Discord's API or of a server like it." name:"api" placeholder:"URL"`
	Data     string   `help:"Directory of the ledgers, one per bot. Default $XDG_STATE_HOME/gapless or ~/.local/state/gapless." placeholder:"DIR"`
	Config   string   `help:"Configuration file. Default gapless.yaml here or in ~/.config/gapless; none is needed." placeholder:"FILE"`
	LogLevel string   `help:"debug, info, warn or error." placeholder:"LEVEL"`
	User     []string `help:"Id or unique user name of a user who is heard; may be repeated." name:"allow-user" placeholder:"ID" sep:"none"`
	Everyone bool     `help:"Hear every user." name:"allow-everyone"`
	Free     []string `help:"Id or name of a channel where no mention is needed, or * for all; may be repeated." placeholder:"ID" sep:"none"`
}

// Help is shown below the flags.
func (runCommand) Help() string {
	return `The bot's token comes from DISCORD_TOKEN, from the file DISCORD_TOKEN_FILE or token_file names, or from the systemd credential discord_token.

The command gets a message on standard input and answers on standard output. Exit status 0 is done, 75 try again, 65 discard; anything else is tried again.

SIGTERM or SIGINT lets running commands finish; a second one does not wait for them. SIGHUP reads the configuration again: who is heard and where changes at once, the rest is reported as needing a restart.

With a list of bots in the file all of them run in this process, each with its own token, policy, ledger and command.`
}

// settings are the flags that were given.
func (c *runCommand) settings() ([]config.Setting, error) {
	var s []config.Setting
	if c.Exec != "" {
		s = append(s, config.Setting{Key: "handler.exec", Values: append([]string{c.Exec}, c.Args...), From: "--exec"})
	} else if len(c.Args) > 0 {
		return nil, errors.New("there are arguments, but no --exec names the command they are for")
	}
	for _, f := range [][3]string{
		{"handler.input", "--input", c.Input}, {"handler.mode", "--mode", c.Mode}, {"api", "--api", c.API},
		{"data", "--data", c.Data}, {"log.level", "--log-level", c.LogLevel},
	} {
		s = append(s, flag(f[0], f[1], f[2])...)
	}
	if len(c.User) > 0 {
		s = append(s, config.Setting{Key: "policy.users", Values: c.User, From: "--allow-user"})
	}
	if c.Everyone {
		s = append(s, config.Setting{Key: "policy.everyone", Values: []string{"true"}, From: "--allow-everyone"})
	}
	if len(c.Free) > 0 {
		s = append(s, config.Setting{Key: "policy.free_channels", Values: c.Free, From: "--free"})
	}
	return s, nil
}

// Run keeps the bots running until they are asked to stop.
func (c *runCommand) Run(ctx context.Context, sys *system) error {
	settings, err := c.settings()
	if err != nil {
		return failure(exitUsage, err)
	}
	f := &fleet{sys: sys, sources: config.Sources{File: c.Config, Env: sys.env, Flags: settings}}
	return f.run(ctx)
}
