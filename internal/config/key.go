package config

import (
	"slices"
	"strings"
	"time"

	"gapless"
)

// Key is one thing that can be configured.
type Key struct {
	Name    string // as in the file, with dots between the levels
	Says    string // what it means
	Default string // in words, empty for none
	Flag    string // of `gapless run`, empty for none
	value

	Live    bool // a change takes effect on SIGHUP; others need a restart
	Process bool // holds for the process, not for a bot of the list
}

// Variable is the name of the key in the environment.
func (k Key) Variable() string { return variable(k.Name) }

// Show is the key's effective values in a configuration, as they would be
// written; none for an empty list and for what is not set.
func (k Key) Show(c *Config) []string { return k.show(c) }

// Keys is everything that can be configured, in the order of the documentation.
func Keys() []Key { return slices.Clone(keys) }

// keys has, for each key, how its values are read.
var keys = marked(slices.Concat(connectionKeys, policyKeys, scopeKeys, lateKeys, conversationKeys, recoveryKeys))

// connectionKeys are the keys of the bot and of what handles its deliveries.
var connectionKeys = []Key{
	{Name: "token_file", Says: "file that holds the bot's token",
		value: one(filePath, func(c *Config) *string { return &c.TokenFile })},
	{Name: "token_env", Says: "environment variable that holds the bot's token, instead of DISCORD_TOKEN",
		value: one(variableName, func(c *Config) *string { return &c.TokenEnv })},
	{Name: "api", Says: "base URL of Discord's API, or of a server that behaves like it", Default: DefaultAPI, Flag: "--api",
		value: one(webAddress, func(c *Config) *string { return &c.API })},
	{Name: "data", Says: "directory of the ledgers, one below it per bot", Default: "$XDG_STATE_HOME/gapless or ~/.local/state/gapless", Flag: "--data",
		value: one(filePath, func(c *Config) *string { return &c.Data })},

	{Name: "shards", Says: "connections to Discord that share the bot's servers; auto: one, unless Discord recommends more", Default: "auto",
		value: one(numberOrAuto(1, 16384), func(c *Config) *int { return &c.Shards })},

	{Name: "handler.exec", Says: "the command that handles deliveries, with its arguments; no shell", Flag: "--exec",
		value: execution(func(c *Config) *[]string { return &c.Handler.Exec })},
	{Name: "handler.input", Says: "what the command reads: json or text", Default: "json", Flag: "--input",
		value: one(word("json", "text"), func(c *Config) *string { return &c.Handler.Input })},
	{Name: "handler.mode", Says: "process: one process per delivery; lines: one process for all, JSON lines both ways", Default: "process", Flag: "--mode",
		value: one(word("process", "lines"), func(c *Config) *string { return &c.Handler.Mode })},
	{Name: "handler.time_limit", Says: "a turn of the command that takes longer is ended and tried again", Default: "10m",
		value: one(lasting(time.Second, day), func(c *Config) *time.Duration { return &c.Handler.TimeLimit })},
}

// recoveryKeys are the keys of recovery, of turns and of the log.
var recoveryKeys = []Key{
	{Name: "budget.examined", Says: "messages examined per pass of recovery; the rest is read by the next", Default: "500",
		value: one(number(1, 1_000_000), func(c *Config) *int { return &c.Budget.Examined })},
	{Name: "budget.calls", Says: "REST calls per pass of recovery", Default: "100",
		value: one(number(1, 100_000), func(c *Config) *int { return &c.Budget.Calls })},
	{Name: "budget.turns_per_minute", Says: "recovered deliveries started per minute", Default: "30",
		value: one(number(1, 100_000), func(c *Config) *int { return &c.Budget.Turns })},
	{Name: "budget.window", Says: "how far back recovery reaches when it finds a gap", Default: "6h",
		value: one(lasting(time.Minute, 29*day), func(c *Config) *time.Duration { return &c.Budget.Window })},
	{Name: "budget.readers", Says: "pages of history read side by side", Default: "4",
		value: one(number(1, 64), func(c *Config) *int { return &c.Readers })},
	{Name: "hold", Says: "how long newer messages of a channel wait for older ones that are still being read", Default: "30s",
		value: one(lasting(time.Millisecond, time.Hour), func(c *Config) *time.Duration { return &c.Hold })},
	{Name: "audit.interval", Says: "how often what was heard is compared with history, so that a message lost on a healthy connection is found; off for never", Default: "5m",
		value: one(lastingOrOff(10*time.Second, day), func(c *Config) *time.Duration { return &c.Audit.Interval })},
	{Name: "audit.calls", Says: "REST calls a minute that this may take", Default: "30",
		value: one(number(1, 3000), func(c *Config) *int { return &c.Audit.Calls })},

	{Name: "retry.attempts", Says: "failures until a delivery is given up", Default: "5",
		value: one(number(1, 1000), func(c *Config) *int { return &c.Retry.Attempts })},
	{Name: "retry.interruptions", Says: "times a turn is cut short by a stop or a crash until its delivery is given up", Default: "3",
		value: one(number(1, 1000), func(c *Config) *int { return &c.Retry.Interruptions })},
	{Name: "retry.base", Says: "wait after the first failure, doubling", Default: "2s",
		value: one(lasting(time.Millisecond, day), func(c *Config) *time.Duration { return &c.Retry.Base })},
	{Name: "retry.ceiling", Says: "longest wait between attempts", Default: "10m",
		value: one(lasting(time.Millisecond, day), func(c *Config) *time.Duration { return &c.Retry.Ceiling })},
	{Name: "turn_limit", Says: "a turn without a sign of life for this long is ended", Default: "1h",
		value: one(lasting(time.Second, day), func(c *Config) *time.Duration { return &c.TurnLimit })},
	{Name: "drain", Says: "how long running turns may go on after a request to stop", Default: "30s",
		value: one(lasting(time.Millisecond, time.Hour), func(c *Config) *time.Duration { return &c.Drain })},
	{Name: "concurrency", Says: "turns running side by side", Default: "16",
		value: one(number(1, 10_000), func(c *Config) *int { return &c.Concurrency })},
	{Name: "keep.text", Says: "how long the text of a message stays once its delivery has ended", Default: "10m",
		value: one(lasting(time.Second, 365*day), func(c *Config) *time.Duration { return &c.Keep.Text })},
	{Name: "keep.settled", Says: "how long it is remembered, without text, what has become of a message; more than budget.window", Default: "30d",
		value: one(lasting(time.Hour, 3650*day), func(c *Config) *time.Duration { return &c.Keep.Settled })},
	{Name: "replies", Says: "which parts of an answer refer to the message they answer: first, all or off", Default: "first",
		value: one(word(gapless.ReplyFirst, gapless.ReplyAll, gapless.ReplyOff), func(c *Config) *gapless.ReplyMode { return &c.Replies })},

	{Name: "log.level", Says: "debug, info, warn or error", Default: "info", Flag: "--log-level",
		value: one(logLevel, func(c *Config) *levelOf { return &c.Log.Level })},
	{Name: "log.format", Says: "auto: readable on a terminal, JSON elsewhere; text or json", Default: "auto",
		value: one(word("auto", "text", "json"), func(c *Config) *string { return &c.Log.Format })},
}

// marked notes which keys take effect at once and which hold for the process.
func marked(keys []Key) []Key {
	for i, k := range keys {
		keys[i].Live = strings.HasPrefix(k.Name, "policy.")
		keys[i].Process = strings.HasPrefix(k.Name, "log.")
	}
	return keys
}

// find is the key of that name.
func find(name string) (Key, bool) {
	i := slices.IndexFunc(keys, func(k Key) bool { return k.Name == name })
	if i < 0 {
		return Key{}, false
	}
	return keys[i], true
}

// below lists what stands directly below a level, each name once.
func below(level string) []string {
	var names []string
	for _, k := range keys {
		rest, ok := strings.CutPrefix(k.Name, level)
		if !ok {
			continue
		}
		name, _, _ := strings.Cut(rest, ".")
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
