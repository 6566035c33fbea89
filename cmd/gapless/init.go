package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"gapless"
	"gapless/internal/config"
)

// initCommand begins a configuration.
type initCommand struct {
	File string `arg:"" optional:"" default:"gapless.yaml" help:"The file to write. It must not be there."`
	ID   string `help:"Application id of the bot, for the link; without it the token tells." name:"id" placeholder:"ID"`
}

// Run writes the file and shows what is to be done at Discord.
func (c *initCommand) Run(sys *system) error {
	f, err := os.OpenFile(c.File, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return failure(exitUsage, fmt.Errorf("%s is there already and stays as it is; name another file", c.File))
	}
	if err != nil {
		return failure(exitUsage, fmt.Errorf("write a configuration: %w", err))
	}
	_, err = io.WriteString(f, config.Sample())
	if err = errors.Join(err, f.Close()); err != nil {
		return failure(exitUsage, fmt.Errorf("write a configuration: %w", err))
	}
	cfg, err := config.Load(config.Sources{File: c.File, Env: sys.env})
	if err != nil {
		return failure(exitUsage, err) // the environment has mistakes
	}
	fmt.Fprintf(sys.out, `%s is written. Next:

1. At https://discord.com/developers/applications make an application. On its Bot page reset the token, and
   under Privileged Gateway Intents switch on Message Content Intent: without it messages come blank. The other intents
   that gapless asks for, Guilds, Guild Messages and Direct Messages, need no switch.
2. Give the token by DISCORD_TOKEN, or in a file of mode 0600 that DISCORD_TOKEN_FILE names.
3. Invite the bot into your server:
   %s
   The link asks for these permissions and no more:
`, c.File, c.link(sys.env, &cfg))
	for _, p := range cfg.Permissions() {
		fmt.Fprintf(sys.out, "     %-26s %s\n", p.Name, p.For)
	}
	fmt.Fprintf(sys.out, "4. Edit %s: the command under handler, who is heard under policy. Then: gapless run --config %s\n", c.File, c.File)
	return nil
}

// link is the invitation; where nothing tells which bot it is for, a place for
// its id is left in it.
func (c *initCommand) link(env config.Environment, cfg *config.Config) string {
	id, err := gapless.ParseID[gapless.UserID](c.ID)
	if err == nil && id != 0 {
		return cfg.Invite(id)
	}
	if t, _, err := config.FindToken(env, cfg.TokenEnv, cfg.TokenFile); err == nil {
		if id, ok := t.Bot(); ok {
			return cfg.Invite(id)
		}
	}
	return cfg.InviteAny()
}
