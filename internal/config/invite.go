package config

import (
	"fmt"

	"gapless"
)

// Permission is one of Discord's permissions that the bot needs, with what for.
type Permission struct {
	Name string // as in Discord's settings
	Bit  uint64
	For  string
}

// Permissions are what a bot of this configuration needs in a server, and no
// more (protocol D6).
func (c *Config) Permissions() []Permission {
	needed := []Permission{
		{"View Channels", 1 << 10, "to hear what is said"},
		{"Send Messages", 1 << 11, "to answer"},
		{"Read Message History", 1 << 16, "to recover what was missed"},
		{"Send Messages in Threads", 1 << 38, "to answer there"},
	}
	if c.Talk.Reactions {
		needed = append(needed, Permission{"Add Reactions", 1 << 6, "to show that a message is worked on"})
	}
	if c.Talk.AutoThread {
		needed = append(needed, Permission{"Create Public Threads", 1 << 35, "to answer in threads"})
	}
	return needed
}

// Invite is the link by which the owner of a server lets the bot in.
func (c *Config) Invite(bot gapless.UserID) string { return c.invite(bot.String()) }

// InviteAny is the link with a place for the bot's id in it.
func (c *Config) InviteAny() string { return c.invite("APPLICATION_ID") }

func (c *Config) invite(bot string) string {
	sum := uint64(0)
	for _, p := range c.Permissions() {
		sum |= p.Bit
	}
	return fmt.Sprintf("https://discord.com/oauth2/authorize?client_id=%s&scope=bot&permissions=%d", bot, sum)
}
