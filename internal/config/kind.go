package config

import (
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"
)

// kind is a sort of value: how one is read, shown and described.
type kind[T any] struct {
	read      func(string, Environment) (T, error)
	show      func(T) string
	accepts   string // in words
	schema    schema
	good, bad []string // examples, for the tests of every key
}

// value is what the values of a key are: read into a configuration, shown from
// it, and described.
type value struct {
	Accepts string   // what may be written, in words
	List    bool     // takes several values
	Named   bool     // takes values under names, "name=value" each outside of the file
	Good    []string // examples of one value
	Bad     []string // values that are refused

	schema schema
	set    setter
	show   func(*Config) []string
}

// setter takes the values of one key into the configuration. A single-valued
// key gets exactly one.
type setter func(c *Config, values []string, env Environment) error

// one is a key with one value of the kind.
func one[T any](k kind[T], field func(*Config) *T) value {
	return value{
		Accepts: k.accepts, Good: k.good, Bad: k.bad, schema: k.schema,
		set: func(c *Config, values []string, env Environment) error {
			v, err := k.read(values[0], env)
			if err == nil {
				*field(c) = v
			}
			return err
		},
		show: func(c *Config) []string { return present(k.show(*field(c))) },
	}
}

// many is a key with a list of values of the kind.
func many[T any](k kind[T], field func(*Config) *[]T) value {
	return value{
		Accepts: "any number of: " + k.accepts, List: true, Good: k.good, Bad: k.bad, schema: listOf(k.schema),
		set: func(c *Config, values []string, env Environment) error {
			parsed := []T{} // not nil: an empty list is not the default
			for i, s := range values {
				v, err := k.read(s, env)
				if err != nil {
					return at(i, err)
				}
				parsed = append(parsed, v)
			}
			*field(c) = parsed
			return nil
		},
		show: func(c *Config) []string {
			var shown []string
			for _, v := range *field(c) {
				shown = append(shown, k.show(v))
			}
			return shown
		},
	}
}

// present is a list of the one text, or of none if it is empty.
func present(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

func same[T ~string](s T) string { return string(s) }

// filePath is the path of a file or directory.
var filePath = kind[string]{
	read: path, show: same[string], accepts: "the path of a file or directory; ~/ is the home directory",
	schema: schema{"type": "string", "minLength": 1}, good: []string{"/etc/gapless/one", "./two"},
	bad: []string{"MTIzNDU2Nzg5MDEyMzQ1Njc4.GabcdE.abcdefghijklmnopqrstuvwxyz0123456789"},
}

// variableName is the name of an environment variable.
var variableName = kind[string]{
	read: nameOfVariable, show: same[string], accepts: "the name of an environment variable",
	schema: schema{"type": "string", "pattern": variableShape.String()}, good: []string{"MY_TOKEN"},
	bad: []string{"1X", "A-B", "MTIzNDU2Nzg5MDEyMzQ1Njc4.GabcdE.abcdefghijklmnopqrstuvwxyz0123456789"},
}

// webAddress is the base URL of an API.
var webAddress = kind[string]{
	read: apiURL, show: same[string], accepts: "an http or https URL",
	schema: schema{"type": "string", "pattern": "^https?://"}, good: []string{"http://127.0.0.1:8765/api/v10"},
	bad: []string{"localhost:8080", "ftp://x/", "https://a:b@c/", "https://c/?a=b"},
}

// switched is true or false.
var switched = kind[bool]{
	read: truth, show: strconv.FormatBool, accepts: "true or false",
	schema: schema{"type": "boolean"}, good: []string{"true", "false"}, bad: []string{"yes", "1", "True"},
}

// logLevel is a level of package slog.
var logLevel = kind[slog.Level]{
	read: level, show: func(l slog.Level) string { return strings.ToLower(l.String()) }, accepts: "debug, info, warn or error",
	schema: schema{"enum": []string{"debug", "info", "warn", "error"}}, good: []string{"debug", "warn"}, bad: []string{"loud", "5"},
}

// word is one of a few words.
func word[T ~string](allowed ...T) kind[T] {
	var words []string
	for _, a := range allowed {
		words = append(words, string(a))
	}
	return kind[T]{
		read: oneOf(allowed...), show: same[T], accepts: choice(words), schema: schema{"enum": words},
		good: words, bad: []string{"perhaps", strings.ToUpper(words[0]), "true"},
	}
}

// choice is a list of words to choose from, as a person writes it.
func choice(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

// number is a whole number in bounds.
func number(low, high int) kind[int] {
	return kind[int]{
		read: count(low, high), show: strconv.Itoa, accepts: fmt.Sprintf("a whole number from %d to %d", low, high),
		schema: schema{"type": "integer", "minimum": low, "maximum": high}, good: []string{strconv.Itoa(low), strconv.Itoa(high)},
		bad: []string{strconv.Itoa(low - 1), strconv.Itoa(high + 1), "many", "1.5", "1e3", "0x10"},
	}
}

// numberOrAuto is a whole number in bounds, or zero written as auto.
func numberOrAuto(low, high int) kind[int] {
	k := number(low, high)
	k.accepts += ", or auto"
	k.schema = schema{"anyOf": []any{k.schema, schema{"const": "auto"}}}
	k.read, k.good = autoOr(k.read), append(k.good, "auto")
	k.show = func(n int) string {
		if n == 0 {
			return "auto"
		}
		return strconv.Itoa(n)
	}
	return k
}

// durationShape is how durations are written.
const durationShape = `^([0-9]+(\.[0-9]+)?(ns|us|ms|s|m|h))+$|^[0-9]+d$`

// lasting is a duration in bounds.
func lasting(low, high time.Duration) kind[time.Duration] {
	return kind[time.Duration]{
		read: duration(low, high), show: short,
		accepts: fmt.Sprintf("a duration from %s to %s, as 30s, 10m, 1h30m or 2d", short(low), short(high)),
		schema:  schema{"type": "string", "pattern": durationShape}, good: []string{short(low), short(high)},
		bad: []string{(low - 1).String(), (high + 1).String(), "-1s", "30", "soon", "5 minutes", "1w"},
	}
}

// lastingOrOff is a duration in bounds, or zero written as off or 0.
func lastingOrOff(low, high time.Duration) kind[time.Duration] {
	k := lasting(low, high)
	k.accepts += "; off or 0 for never"
	k.schema = schema{"anyOf": []any{k.schema, schema{"enum": []any{"off", 0, false}}}}
	read := k.read
	k.read, k.good = orOff(read), append(k.good, "off", "0")
	k.show = func(d time.Duration) string {
		if d == 0 {
			return "off"
		}
		return short(d)
	}
	return k
}

// snowflakeID is a Discord id.
func snowflakeID[T ~uint64]() kind[T] {
	return kind[T]{
		read:    func(s string, _ Environment) (T, error) { return parseID[T](s) },
		show:    func(id T) string { return strconv.FormatUint(uint64(id), 10) },
		accepts: "a Discord id, 17 to 20 digits", schema: idSchema, good: []string{"123456789012345678"},
		bad: []string{"12345", "ann", "<@123456789012345678>", "<#123456789012345678>", "1.2e18", "99999999999999999999", "-12345678901234567"},
	}
}

// idSchema is an id in the file: digits, quoted or not.
var idSchema = schema{"anyOf": []any{schema{"type": "string", "pattern": snowflake.String()}, schema{"type": "integer", "minimum": 10_000_000_000_000_000}}}

// execution is a command with its arguments.
func execution(field func(*Config) *[]string) value {
	return value{
		Accepts: "a command and its arguments as separate values", List: true, Good: []string{"./bot.sh"}, Bad: []string{"", "python3 bot.py"},
		schema: listOf(schema{"type": []any{"string", "number"}}),
		set:    func(c *Config, values []string, _ Environment) error { return command(field(c), values) },
		show:   func(c *Config) []string { return *field(c) },
	}
}
