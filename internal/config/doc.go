// Package config reads the daemon's configuration: flags, the environment, a
// YAML file and defaults, in that order of precedence, and the bot's token.
//
// [Keys] is the one table of what can be configured. Every key stands in the
// file under its name ("retry.base" is base below retry), in the environment
// as GAPLESS_ and the name in capitals (GAPLESS_RETRY_BASE; lists are
// separated by commas), and some have a flag. A list given higher up replaces
// the one below it. What the documentation, the schema and `gapless config
// explain` say of a key is made from the table.
//
// [OldKeys] is the table of the reference's settings, a block "discord" in the
// file and variables DISCORD_..., which are taken over as settings of ours
// before the file's own. A list "bots" makes several bots of one file.
//
// A mistake in the file is an error with its line, a caret and what to do; all
// mistakes are reported at once. Nothing is guessed: an unknown key, a number
// without unit where a duration belongs and an id that is no snowflake are
// refused; only numbers in the reference's settings are clamped, and reported.
// Whether an id is a user's or a channel's cannot be seen from it; an id that
// is given as both is refused.
package config
