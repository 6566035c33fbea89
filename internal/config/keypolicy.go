package config

import (
	"gapless"
)

// policyKeys are the keys of who is heard, and where.
var policyKeys = []Key{
	{Name: "policy.users", Says: "ids or unique user names of the users who are heard; an id is safer", Default: "nobody", Flag: "--allow-user",
		value: authors()},
	{Name: "policy.roles", Says: "ids of roles whose members are heard in the role's server", Default: "none",
		value: many(snowflakeID[gapless.RoleID](), func(c *Config) *[]gapless.RoleID { return &c.Policy.Roles })},
	{Name: "policy.everyone", Says: "true: every user is heard", Default: "false", Flag: "--allow-everyone",
		value: one(switched, func(c *Config) *bool { return &c.Policy.Everyone })},
	{Name: "policy.bots", Says: "which other bots are heard: none, mentions or all", Default: "none",
		value: one(word(gapless.BotsNone, gapless.BotsMentions, gapless.BotsAll), func(c *Config) *gapless.BotRule { return &c.Policy.Bots })},
	{Name: "policy.bots_inline_mention", Says: "true: a bot must write the mention itself; a reply with a ping does not count", Default: "false",
		value: one(switched, func(c *Config) *bool { return &c.Policy.BotsInline })},
	{Name: "policy.webhooks", Says: "ids of webhooks that are heard as people are, for proxies that speak for people", Default: "none",
		value: many(snowflakeID[gapless.UserID](), func(c *Config) *[]gapless.UserID { return &c.Policy.Webhooks })},
	{Name: "policy.ignored_webhooks", Says: "ids of webhooks that are never heard", Default: "none",
		value: many(snowflakeID[gapless.UserID](), func(c *Config) *[]gapless.UserID { return &c.Policy.IgnoredWebhooks })},

	{Name: "policy.allowed_channels", Says: "the only channels the bot answers in; without users and roles everybody there is heard", Default: "all",
		value: places(func(c *Config) *gapless.PlaceList { return &c.Policy.Allowed })},
	{Name: "policy.ignored_channels", Says: "channels the bot never answers in, not even to a mention", Default: "none",
		value: places(func(c *Config) *gapless.PlaceList { return &c.Policy.Ignored })},
	{Name: "policy.free_channels", Says: "channels in which no mention is needed", Default: "none", Flag: "--free",
		value: places(func(c *Config) *gapless.PlaceList { return &c.Policy.Free })},
	{Name: "policy.shared_channels", Says: "rooms with several bots: only a mention that is written out counts there", Default: "none",
		value: places(func(c *Config) *gapless.PlaceList { return &c.Policy.Shared })},

	{Name: "policy.thread_require_mention", Says: "true: a mention is needed in threads the bot takes part in, too", Default: "false",
		value: one(switched, func(c *Config) *bool { return &c.Policy.ThreadRequireMention })},
	{Name: "policy.ignore_no_mention", Says: "true: what mentions other people and not the bot is left to them, except in free channels", Default: "true",
		value: inverse(func(c *Config) *bool { return &c.Policy.AnswerOthers })},
	{Name: "policy.own_role", Says: "true: a mention of the bot's own role is a mention of the bot", Default: "false",
		value: one(switched, func(c *Config) *bool { return &c.Policy.OwnRole })},
	{Name: "policy.names", Says: "words that address the bot at the beginning of a message", Default: "none",
		value: many(phrase, func(c *Config) *[]string { return &c.Policy.Names })},
	{Name: "policy.prefixes", Says: "signs that address the bot at the beginning of a message, as !ask", Default: "none",
		value: many(phrase, func(c *Config) *[]string { return &c.Policy.Prefixes })},
	{Name: "policy.on_edit", Says: "admit: an edit that adds what was missing, as the mention, lets a message in; ignore: it does not", Default: "ignore",
		value: one(word(gapless.EditIgnore, gapless.EditAdmit), func(c *Config) *gapless.EditRule { return &c.Policy.OnEdit })},
}
