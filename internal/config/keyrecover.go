package config

import (
	"time"

	"gapless"
)

// scopeKeys are the keys of what may not be missed, and what happens with what was.
var scopeKeys = []Key{
	{Name: "scope.servers", Says: "the only servers, by id or name, of which no message may be missed; with none of these three, everything the bot can read", Default: "all",
		value: many(reference, func(c *Config) *[]gapless.Ref { return &c.Scope.Guilds })},
	{Name: "scope.categories", Says: "categories, by id or name, of which no message may be missed", Default: "all",
		value: many(reference, func(c *Config) *[]gapless.Ref { return &c.Scope.Categories })},
	{Name: "scope.channels", Says: "channels with their threads, by id or name, of which no message may be missed; a thread alone by its id", Default: "all",
		value: many(reference, func(c *Config) *[]gapless.Ref { return &c.Scope.Channels })},
	{Name: "scope.except", Says: "servers, categories, channels or threads that are heard live and never read; dm for direct messages", Default: "none",
		value: many(reference, func(c *Config) *[]gapless.Ref { return &c.Scope.Except })},

	{Name: "recover.default", Says: "what was missed is read and handled (on), only told of in the place (notice), or left alone (off)", Default: "on",
		value: one(recovery, func(c *Config) *gapless.Recover { return &c.Recover.Default })},
	{Name: "recover.places", Says: "where it is otherwise: places, categories or servers, by id or name, and on, notice or off for each", Default: "none",
		value: rules(recovery, func(r gapless.Ref, how gapless.Recover) gapless.RecoverRule {
			return gapless.RecoverRule{Place: r, How: how}
		},
			func(r gapless.RecoverRule) (gapless.Ref, gapless.Recover) { return r.Place, r.How },
			func(c *Config) *[]gapless.RecoverRule { return &c.Recover.Places })},
	{Name: "recover.notice", Says: "what a place is told, once per outage; {from} and {to} stand for its times", Default: defaultNotice,
		value: one(phrase, func(c *Config) *string { return &c.Recover.Notice })},
	{Name: "recover.notice_always", Says: "true: places are told, too, where what was missed is handled", Default: "false",
		value: one(switched, func(c *Config) *bool { return &c.Recover.NoticeAll })},
	{Name: "look_back", Says: "how far back a channel is read when the bot meets it for the first time; off for not at all", Default: "off",
		value: one(lastingOrOff(time.Minute, 29*day), func(c *Config) *time.Duration { return &c.LookBack })},
}
