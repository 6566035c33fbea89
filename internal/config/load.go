package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"

	"gapless"
)

// Setting is the value of one key from a flag.
type Setting struct {
	Key    string   // its Name
	Values []string // one, unless the key is a list
	From   string   // the flag, for messages
}

// Sources is where a configuration comes from.
type Sources struct {
	File  string      // named by the operator; empty: GAPLESS_CONFIG, else DefaultFile
	Env   Environment // nil: empty
	Flags []Setting
}

// Load reads the configuration of the only bot, or what holds for all bots of
// a list; see [Read].
func Load(s Sources) (Config, error) {
	r, err := Read(s)
	if err != nil {
		return defaults(s.Env), err
	}
	return r.Common.Config, nil
}

// Read reads the configuration: flags before the environment before the file
// before what the reference's settings map to before defaults. A file that was
// named must exist. The error holds every mistake as a [Fault], or the first
// one only where the file is no YAML.
//
// With a list of bots what stands outside of it holds for all of them, and
// nothing of a bot comes from the environment.
func Read(s Sources) (*Report, error) {
	name, text, err := s.text()
	if err != nil {
		return nil, err
	}
	read, top := &file{}, &part{}
	if name != "" {
		read, top = readFile(name, text, s.Env)
	}
	env, flags, faults := s.settings(len(top.bots) > 0)
	faults = append(read.faults, faults...)
	if len(faults) > 0 {
		return nil, joined(faults)
	}
	r := &Report{File: name, several: len(top.bots) > 0}
	r.Common = s.resolve(r, "", []*part{top}, env, flags)
	r.Bots = []Bot{r.Common}
	if r.several {
		r.Bots = nil
		for _, b := range top.bots {
			r.Bots = append(r.Bots, s.resolve(r, b.name, []*part{top, b}, env, flags))
		}
		r.Notes = append(r.Notes, s.unshared()...)
		faults = append(faults, unnamed(read, top)...)
	}
	for _, b := range r.Bots {
		faults = append(faults, b.faults...)
	}
	if len(faults) > 0 {
		return nil, joined(unique(faults))
	}
	return r, nil
}

// text is the configuration file's name and content; no name if there is none.
func (s Sources) text() (name string, text []byte, err error) {
	name = s.File
	if name == "" {
		name = s.Env.Get("GAPLESS_CONFIG")
	}
	if name == "" {
		name = DefaultFile(s.Env, func(path string) bool { _, err := os.Stat(path); return err == nil })
	}
	if name == "" {
		return "", nil, nil
	}
	text, err = os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil, fmt.Errorf("configuration file %s does not exist: check --config and GAPLESS_CONFIG, or leave them out, as no file is needed", name)
	}
	if err != nil {
		return "", nil, fmt.Errorf("read configuration file: %w", err)
	}
	return name, text, nil
}

// settings are what the environment and the flags give.
func (s Sources) settings(several bool) (env, flags []given, faults []*Fault) {
	take := func(into *[]given, g given) {
		if f := g.fault(s.Env); f != nil {
			faults = append(faults, f)
			return
		}
		*into = append(*into, g)
	}
	for _, key := range keys {
		value := s.Env.Get(key.Variable())
		if value == "" || several && !key.Process {
			continue
		}
		take(&env, given{key: key, values: split(key, value), from: key.Variable()})
	}
	for _, flag := range s.Flags {
		if key, ok := find(flag.Key); ok {
			take(&flags, given{key: key, values: flag.Values, from: flag.From})
		}
	}
	return env, flags, faults
}

// split cuts a variable into the values of a list: at commas, or at white space
// for the words of a command.
func split(key Key, value string) []string {
	switch {
	case !key.List && !key.Named:
		return []string{value}
	case key.Name == "handler.exec":
		return strings.Fields(value)
	}
	return commas(value)
}

// commas cuts a text at commas and leaves out what is empty.
func commas(text string) (values []string) {
	for v := range strings.SplitSeq(text, ",") {
		if v = strings.TrimSpace(v); v != "" {
			values = append(values, v)
		}
	}
	return values
}

// resolve puts together what counts for one bot: the parts of the file, the
// later before the earlier.
func (s Sources) resolve(r *Report, name string, parts []*part, env, flags []given) Bot {
	b := Bot{Config: defaults(s.Env)}
	b.Config.Name, b.Config.File = name, r.File
	old := s.Env
	if r.several {
		old = nil
	}
	var all []given
	for _, p := range parts {
		mapped, told := p.old.mapped(old)
		b.Mapped, b.Notes = append(b.Mapped, told.mapped...), append(b.Notes, told.notes...)
		all = append(all, mapped...)
		all = append(all, p.given...)
	}
	all = slices.Concat(all, env, flags)
	for _, g := range all {
		if err := g.key.set(&b.Config, g.values, s.Env); err != nil {
			b.faults = append(b.faults, g.fault(s.Env))
		}
	}
	if len(b.faults) == 0 {
		b.faults = contradictions(all, &b.Config)
	}
	b.Values = effective(all, &b.Config)
	return b
}

// contradictions are mistakes that show only in the whole.
func contradictions(all []given, c *Config) (faults []*Fault) {
	fault := func(key string, index int, what, hint string) {
		g, ok := last(all, key)
		if !ok {
			faults = append(faults, &Fault{Source: key, What: what, Hint: hint, Key: key})
			return
		}
		faults = append(faults, g.faulty(index, what, hint))
	}
	for i, place := range c.Policy.Free.IDs {
		if slices.Contains(c.Policy.Users, gapless.UserID(place)) {
			fault("policy.free_channels", i, fmt.Sprintf("%s is listed as a user, too", place),
				"a channel's id belongs here: right-click the channel, not a person in it")
		}
	}
	if c.Retry.Ceiling < c.Retry.Base {
		fault("retry.ceiling", 0, "it is less than retry.base", fmt.Sprintf("make it at least %s", short(c.Retry.Base)))
	}
	if l := c.Late; l.Ask > 0 && l.Expire > 0 && l.Ask >= l.Expire {
		fault("late.ask_after", 0, "nobody would be asked, as a message of that age is not handled at all", fmt.Sprintf("make it less than late.expire_after, which is %s", short(l.Expire)))
	}
	if c.Keep.Settled < c.Budget.Window+gapless.Overlap {
		fault("keep.settled", 0, "it is not more than budget.window, so what is forgotten could be handled twice",
			fmt.Sprintf("make it more than %s", short(c.Budget.Window)))
	}
	if c.Handler.Mode == "lines" && c.Handler.Input == "text" {
		fault("handler.mode", 0, "a command that takes many deliveries needs JSON, not bare text", "use input: json, or mode: process")
	}
	return faults
}

// botName is what a bot of the list may be called.
var botName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$`)

// unnamed lists the bots of the list that have no token of their own, or share
// one by name.
func unnamed(f *file, top *part) (faults []*Fault) {
	for _, key := range []string{"token_file", "token_env"} {
		if g, ok := last(top.given, key); ok {
			faults = append(faults, g.faulty(0, "each bot of the list has a token of its own", "write it below the bot"))
		}
	}
	holders := map[string]*part{}
	for _, b := range top.bots {
		file, inFile := last(b.given, "token_file")
		env, inEnv := last(b.given, "token_env")
		switch {
		case !inFile && !inEnv:
			faults = append(faults, f.placed(b.at.Position.Line, b.at.Position.Column, fmt.Sprintf("bot %s has no token", b.name),
				"give it token_file, or token_env with the name of a variable of its own"))
			continue
		case inFile && inEnv:
			faults = append(faults, env.faulty(0, "the bot has a token_file, too", "leave one of them"))
			continue
		}
		if inEnv {
			file = env
		}
		where := file.key.Name + " " + file.values[0]
		if other := holders[where]; other != nil {
			faults = append(faults, file.faulty(0, fmt.Sprintf("bot %s has the same token", other.name), "one connection per token: remove one of the bots"))
		}
		holders[where] = b
	}
	return faults
}

// unshared are the variables that would hold for an only bot.
func (s Sources) unshared() (notes []Note) {
	var names []string
	for _, key := range keys {
		if !key.Process {
			names = append(names, key.Variable())
		}
	}
	for _, k := range oldKeys {
		names = append(names, k.Variable)
	}
	for _, name := range append(names, "DISCORD_TOKEN", "DISCORD_TOKEN_FILE") {
		if s.Env.Get(name) != "" {
			notes = append(notes, Note{name, "not used: with several bots nothing of a bot comes from the environment"})
		}
	}
	return notes
}

// unique leaves each fault once: what is wrong for all bots is said once.
func unique(faults []*Fault) (once []*Fault) {
	said := map[string]bool{}
	for _, f := range faults {
		if text := f.Error(); !said[text] {
			said[text] = true
			once = append(once, f)
		}
	}
	return once
}
