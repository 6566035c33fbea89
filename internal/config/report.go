package config

import (
	"slices"
	"strings"
)

// Report is a configuration with where it comes from.
type Report struct {
	File   string // the file that was read, empty for none
	Common Bot    // of the only bot; with a list, what holds for all of its bots
	Bots   []Bot  // one at least
	Notes  []Note

	several bool
}

// Several reports whether there is a list of bots.
func (r *Report) Several() bool { return r.several }

// Bot is the configuration of one bot with where it comes from.
type Bot struct {
	Config Config
	Values []Value  // one for each key, in the order of [Keys]
	Mapped []Mapped // what was taken over from the reference's settings
	Notes  []Note

	faults []*Fault
}

// Value is what counts for one key.
type Value struct {
	Key       string     `json:"key"`
	Values    []string   `json:"values"`
	From      string     `json:"from"`                // file and line, variable, flag or "default"
	Overruled []Overrule `json:"overruled,omitempty"` // what was given elsewhere, differs and does not count
}

// Overrule is a value that does not count.
type Overrule struct {
	Values []string `json:"values"`
	From   string   `json:"from"`
}

// Mapped is a setting of the reference and what it became here.
type Mapped struct {
	From   string   `json:"from"` // as in "DISCORD_ALLOWED_USERS", "discord.allow_bots (gapless.yaml:3)"
	Key    string   `json:"key"`  // of ours
	Values []string `json:"values"`
}

// Note is something an operator should know that is no mistake.
type Note struct {
	About string `json:"about"` // a variable, or a key with its place
	Text  string `json:"text"`
}

// effective is what counts for each key.
func effective(all []given, c *Config) []Value {
	var values []Value
	for _, key := range keys {
		v := Value{Key: key.Name, Values: key.show(c), From: "default"}
		for _, g := range slices.Backward(all) {
			if g.key.Name != key.Name {
				continue
			}
			if v.From == "default" {
				v.From = g.from
				continue
			}
			if !slices.Equal(g.shown(c), v.Values) {
				v.Overruled = append(v.Overruled, Overrule{g.shown(c), g.from})
			}
		}
		values = append(values, v)
	}
	return values
}

// shown is the values given as the key would show them if they counted.
func (g given) shown(c *Config) []string {
	alone := *c
	if g.key.set(&alone, g.values, nil) != nil {
		return g.values
	}
	return g.key.show(&alone)
}

// Overruled are the notes on values that were given and do not count.
func (b *Bot) Overruled() (notes []Note) {
	for _, v := range b.Values {
		for _, o := range v.Overruled {
			notes = append(notes, Note{o.From, v.Key + " is " + words(o.Values) + " there and does not count: " + v.From + " says " + words(v.Values)})
		}
	}
	return notes
}

// words is a list as a person reads it.
func words(values []string) string {
	if len(values) == 0 {
		return "nothing"
	}
	return strings.Join(values, ", ")
}

// Changed names the keys in which two configurations of a bot differ, those
// that can take effect at once and those that need a restart.
func Changed(before, after Config) (live, restart []string) {
	for _, key := range keys {
		switch {
		case slices.Equal(key.show(&before), key.show(&after)):
		case key.Live:
			live = append(live, key.Name)
		default:
			restart = append(restart, key.Name)
		}
	}
	return live, restart
}
