package config

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"gapless"
)

// userName is what unique user names look like; the @ is no part of them.
var userName = regexp.MustCompile(`^@?[a-z0-9_.]{2,32}$`)

// digits is an attempt at an id, or what a spreadsheet made of one.
var digits = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?(e\+?[0-9]+)?$`)

// authors are users by id or unique user name.
func authors() value {
	id := snowflakeID[gapless.UserID]()
	return value{
		Accepts: "any number of: a Discord id, 17 to 20 digits, or a unique user name", List: true,
		Good: append(id.good, "ann", "@bob_99", "x.y"), Bad: []string{"12345", "Ann Smith", "ann#1234", "*", "<@123456789012345678>", "a", "1.2e+18", "99999999999999999999"},
		schema: listOf(schema{"anyOf": []any{idSchema, schema{"type": "string", "pattern": "^@?[A-Za-z0-9_.]{2,32}$"}}}),
		set: func(c *Config, values []string, _ Environment) error {
			var ids []gapless.UserID
			var names []string
			for i, s := range values {
				if name := strings.ToLower(s); userName.MatchString(name) && !digits.MatchString(name) {
					names = append(names, strings.TrimPrefix(name, "@"))
					continue
				}
				user, err := parseID[gapless.UserID](s)
				if err != nil {
					return at(i, notUser(s, err))
				}
				ids = append(ids, user)
			}
			c.Policy.Users, c.Policy.UserNames = ids, names
			return nil
		},
		show: func(c *Config) []string {
			var shown []string
			for _, u := range c.Policy.Users {
				shown = append(shown, u.String())
			}
			return append(shown, c.Policy.UserNames...)
		},
	}
}

// notUser says what is wrong with what is neither id nor user name.
func notUser(s string, err error) error {
	switch {
	case s == "*":
		return wrong(`"*" is no user`, "to hear everybody write everyone: true")
	case digits.MatchString(s) || mention.MatchString(s):
		return err
	}
	return wrong(fmt.Sprintf("%q is neither an id nor a unique user name", s),
		"a unique user name has small letters, digits, dots and underscores, and is not the name that others see; an id has 17 to 20 digits")
}

// places is a list of channels by id or name, or a star for all of them.
func places(field func(*Config) *gapless.PlaceList) value {
	return value{
		Accepts: `any number of: a channel's id, 17 to 20 digits, or its name, as general or "#general"; or "*" for all`, List: true,
		Good: []string{"123456789012345678", "general", "#general", "*"}, Bad: []string{"12345", "<#123456789012345678>", "99999999999999999999", "", "#"},
		schema: listOf(schema{"anyOf": []any{schema{"type": "string", "minLength": 1}, schema{"type": "integer", "minimum": 10_000_000_000_000_000}}}),
		set: func(c *Config, values []string, _ Environment) error {
			l, err := placeList(values)
			if err == nil {
				*field(c) = l
			}
			return err
		},
		show: func(c *Config) []string {
			l := field(c)
			var shown []string
			if l.All {
				shown = append(shown, "*")
			}
			for _, id := range l.IDs {
				shown = append(shown, id.String())
			}
			return append(shown, l.Names...)
		},
	}
}

func placeList(values []string) (l gapless.PlaceList, err error) {
	if star := slices.Index(values, "*"); star >= 0 && len(values) > 1 {
		return l, at(star, wrong(`"*" means every channel and makes the others pointless`, `leave either "*" or the others`))
	}
	for i, s := range values {
		name := strings.TrimPrefix(s, "#")
		switch {
		case s == "*":
			l.All = true
		case strings.TrimSpace(name) == "":
			return l, at(i, wrong("an entry is empty", `quote a name with its sign: "#general"`))
		case digits.MatchString(name) || mention.MatchString(s):
			id, err := parseID[gapless.ChannelID](s)
			if err != nil {
				return l, at(i, err)
			}
			l.IDs = append(l.IDs, id)
		default:
			l.Names = append(l.Names, s)
		}
	}
	return l, nil
}

// inverse is true or false for a field that says the opposite.
func inverse(field func(*Config) *bool) value {
	v := one(switched, field)
	set := v.set
	v.set = func(c *Config, values []string, env Environment) error {
		err := set(c, values, env)
		if err == nil {
			*field(c) = !*field(c)
		}
		return err
	}
	v.show = func(c *Config) []string { return []string{fmt.Sprint(!*field(c))} }
	return v
}

// phrase is some text that is not empty.
var phrase = kind[string]{
	read: func(s string, _ Environment) (string, error) {
		if strings.TrimSpace(s) == "" {
			return "", wrong("an entry is empty", "write a word, or leave the entry out")
		}
		return s, nil
	},
	show: same[string], accepts: "a word or words", schema: schema{"type": []any{"string", "number"}, "minLength": 1},
	good: []string{"helper", "!ask"}, bad: []string{"", " "},
}

// reference names a server, category, channel or thread.
var reference = kind[gapless.Ref]{
	read: func(s string, _ Environment) (gapless.Ref, error) {
		l, err := placeList([]string{s})
		if err == nil && l.All {
			err = wrong(`"*" is everything, which needs no list`, "leave the key out")
		}
		return gapless.Ref(s), err
	},
	show: same[gapless.Ref], accepts: `an id, 17 to 20 digits, or a name, as general or "#general"`,
	schema: schema{"anyOf": []any{schema{"type": "string", "minLength": 1}, schema{"type": "integer", "minimum": 10_000_000_000_000_000}}},
	good:   []string{"123456789012345678", "general", "#general"}, bad: []string{"12345", "<#123456789012345678>", "", "#", "*"},
}

// recovery is what happens with what was missed.
var recovery = word(gapless.RecoverOn, gapless.RecoverNotice, gapless.RecoverOff)

// rules are exceptions for places: one of a few words for each.
func rules[R any, W ~string](how kind[W], rule func(gapless.Ref, W) R, parts func(R) (gapless.Ref, W), field func(*Config) *[]R) value {
	return value{
		Accepts: "places by id or name, with " + how.accepts + " for each", Named: true,
		Good: []string{"general=" + how.good[0], "123456789012345678=" + how.good[1]}, Bad: []string{"general=perhaps", "=" + how.good[0], "general", "12345=" + how.good[0]},
		schema: schema{"type": "object", "additionalProperties": how.schema},
		set: func(c *Config, values []string, env Environment) error {
			var all []R
			for i, s := range values {
				cut := max(strings.LastIndexByte(s, '='), 0)
				place, err := reference.read(s[:cut], env)
				if err != nil {
					return at(i, err)
				}
				w, err := how.read(s[cut+1:], env)
				if err != nil {
					return at(i, err)
				}
				all = append(all, rule(place, w))
			}
			*field(c) = all
			return nil
		},
		show: func(c *Config) []string {
			var shown []string
			for _, r := range *field(c) {
				place, w := parts(r)
				shown = append(shown, string(place)+"="+string(w))
			}
			return shown
		},
	}
}

// expression is a regular expression.
var expression = kind[gapless.Pattern]{
	read: func(s string, _ Environment) (gapless.Pattern, error) {
		if s == "" {
			return gapless.Pattern{}, wrong("an entry is empty", "leave it out")
		}
		p, err := gapless.NewPattern(s)
		if err != nil {
			return p, wrong(err.Error(), "it takes a regular expression in Go's syntax, as (?i)^deploy")
		}
		return p, nil
	},
	show: gapless.Pattern.String, accepts: "a regular expression in Go's syntax; ^ and $ tie it to the ends, (?i) makes it blind to case",
	schema: schema{"type": "string", "minLength": 1}, good: []string{"(?i)^deploy"}, bad: []string{"(", "", "a{2,1}", "(?<=x)y"},
}
