package config

import (
	"time"

	"gapless"
)

// lateKeys are the keys of what comes late.
var lateKeys = []Key{
	{Name: "late.late_after", Says: "from this age on a message is late and the handler is told", Default: "10m",
		value: one(lasting(time.Second, 29*day), func(c *Config) *time.Duration { return &c.Late.After })},
	{Name: "late.ask_after", Says: "from this age on the author is asked first whether it still matters; off for never", Default: "off",
		value: one(lastingOrOff(time.Second, 29*day), func(c *Config) *time.Duration { return &c.Late.Ask })},
	{Name: "late.ask_for", Says: "how long the author has to answer that", Default: "1d",
		value: one(lasting(time.Minute, 29*day), func(c *Config) *time.Duration { return &c.AskFor })},
	{Name: "late.question", Says: "what the author is asked", Default: defaultQuestion,
		value: one(phrase, func(c *Config) *string { return &c.Question })},
	{Name: "late.expire_after", Says: "from this age on a message is not handled at all; off for never", Default: "off",
		value: one(lastingOrOff(time.Second, 29*day), func(c *Config) *time.Duration { return &c.Late.Expire })},
	{Name: "late.recovered.normal", Says: "what becomes of ordinary messages that were missed: same as of live ones of that age, skip or ask", Default: "same",
		value: one(lateRule, func(c *Config) *gapless.LateRule { return &c.Late.Recovered.Normal })},
	{Name: "late.recovered.commands", Says: "what becomes of commands that were missed", Default: "skip",
		value: one(lateRule, func(c *Config) *gapless.LateRule { return &c.Late.Recovered.Command })},
	{Name: "late.recovered.approvals", Says: "what becomes of a bare yes or no that was missed", Default: "skip",
		value: one(lateRule, func(c *Config) *gapless.LateRule { return &c.Late.Recovered.Approval })},
	{Name: "late.recovered.bots", Says: "what becomes of other bots' messages that were missed", Default: "skip",
		value: one(lateRule, func(c *Config) *gapless.LateRule { return &c.Late.Recovered.Bot })},
	{Name: "late.command_prefixes", Says: "a text that begins with one and a word is a command", Default: "/",
		value: many(phrase, func(c *Config) *[]string { return &c.Late.Classes.CommandPrefixes })},
	{Name: "late.command_patterns", Says: "a text that one matches is a command", Default: "none",
		value: many(expression, func(c *Config) *[]gapless.Pattern { return &c.Late.Classes.CommandPatterns })},
	{Name: "late.approval_words", Says: "texts that approve when nothing else is said", Default: "yes, ok and their like",
		value: many(phrase, func(c *Config) *[]string { return &c.Late.Classes.ApprovalWords })},
	{Name: "late.denial_words", Says: "texts that deny when nothing else is said", Default: "no, nope and their like",
		value: many(phrase, func(c *Config) *[]string { return &c.Late.Classes.DenialWords })},
	{Name: "late.approval_patterns", Says: "a text that one matches approves or denies", Default: "none",
		value: many(expression, func(c *Config) *[]gapless.Pattern { return &c.Late.Classes.ApprovalPatterns })},

	{Name: "backlog.default", Says: "what a turn takes of what waits in its channel: each message alone, joined what an author wrote in a row, or the latest with the older as context", Default: "each",
		value: one(backlog, func(c *Config) *gapless.Backlog { return &c.Backlog.Default })},
	{Name: "backlog.places", Says: "where it is otherwise: places, categories or servers, by id or name", Default: "none",
		value: rules(backlog, func(r gapless.Ref, how gapless.Backlog) gapless.BacklogRule {
			return gapless.BacklogRule{Place: r, How: how}
		},
			func(r gapless.BacklogRule) (gapless.Ref, gapless.Backlog) { return r.Place, r.How },
			func(c *Config) *[]gapless.BacklogRule { return &c.Backlog.Places })},
	{Name: "backlog.join", Says: "plain texts of one author that follow each other within this are one turn, as a long text that was split; off for never", Default: "off",
		value: one(lastingOrOff(100*time.Millisecond, time.Minute), func(c *Config) *time.Duration { return &c.Backlog.Join })},
	{Name: "backlog.merge_repeats", Says: "true: a text that its author has just said word for word is not handled again", Default: "false",
		value: one(switched, func(c *Config) *bool { return &c.Backlog.Merge })},
	{Name: "backlog.bot_turns", Says: "turns in a row that other bots may have in a channel until a person speaks", Default: "10",
		value: one(number(1, 10_000), func(c *Config) *int { return &c.Backlog.BotTurns })},
}

// backlog is what a turn takes of what waits.
var backlog = word(gapless.BacklogEach, gapless.BacklogJoined, gapless.BacklogLatest)

// lateRule is what becomes of missed messages of a class.
var lateRule = word(gapless.LateSame, gapless.LateSkip, gapless.LateAsk)
