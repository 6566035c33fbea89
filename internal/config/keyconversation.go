package config

import (
	"strings"

	"gapless"
)

// conversationKeys are the keys of what goes along with turns.
var conversationKeys = []Key{
	{Name: "conversation.reactions", Says: "true: eyes on a message that is worked on, then a tick or a cross; the bot needs the permission Add Reactions", Default: "false",
		value: one(switched, func(c *Config) *bool { return &c.Talk.Reactions })},
	{Name: "conversation.typing", Says: "true: a turn that takes longer than a second shows that the bot is typing", Default: "true",
		value: one(switched, func(c *Config) *bool { return &c.Talk.Typing })},
	{Name: "conversation.auto_thread", Says: "true: a mention in a text channel is answered in a thread of its own; the bot needs the permission Create Public Threads", Default: "false",
		value: one(switched, func(c *Config) *bool { return &c.Talk.AutoThread })},
	{Name: "conversation.no_thread_channels", Says: "channels in which no thread is made", Default: "none",
		value: places(func(c *Config) *gapless.PlaceList { return &c.Talk.NoThreads })},
	{Name: "conversation.context", Says: "how many messages before the one to handle the handler is told; one call where they were not heard", Default: "0",
		value: one(number(0, 100), func(c *Config) *int { return &c.Talk.Context })},
	{Name: "conversation.prompts", Says: "what the handler is told about a channel and the threads in it, by id or name", Default: "none",
		value: prompts(func(c *Config) *[]Prompt { return &c.Talk.Prompts })},
	{Name: "conversation.allow_mentions", Says: "whom the bot's messages may mention: everyone, roles, users, replied_user", Default: "users, replied_user",
		value: many(word("everyone", "roles", "users", "replied_user"), func(c *Config) *[]string { return &c.Talk.Mentions })},
	{Name: "conversation.outage_notices", Says: "texts by which a bot says that it does not work: they are no answers, and not told as context; with none listed, \"the bot is down\" and its like", Default: "none",
		value: many(expression, func(c *Config) *[]gapless.Pattern { return &c.Talk.Outages })},
}

// prompts are texts for places. A text may have an equals sign in it.
func prompts(field func(*Config) *[]Prompt) value {
	return value{
		Accepts: "places by id or name, with a text for each", Named: true,
		Good: []string{"general=be brief", "123456789012345678=a = b"}, Bad: []string{"general=", "=be brief", "general", "12345=be brief"},
		schema: schema{"type": "object", "additionalProperties": phrase.schema},
		set: func(c *Config, values []string, env Environment) error {
			var all []Prompt
			for i, s := range values {
				name, text, _ := strings.Cut(s, "=")
				place, err := reference.read(name, env)
				if err != nil {
					return at(i, err)
				}
				if text, err = phrase.read(text, env); err != nil {
					return at(i, err)
				}
				all = append(all, Prompt{Place: place, Text: text})
			}
			*field(c) = all
			return nil
		},
		show: func(c *Config) []string {
			var shown []string
			for _, p := range *field(c) {
				shown = append(shown, string(p.Place)+"="+p.Text)
			}
			return shown
		},
	}
}
