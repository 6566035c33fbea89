package config

import (
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"gapless"
)

const day = 24 * time.Hour

type levelOf = slog.Level

// valueError is what is wrong with one value of a key.
type valueError struct {
	index int // which of the values
	what  string
	hint  string
}

func (e *valueError) Error() string { return e.what }

// wrong is a fault of a key's only value.
func wrong(what, hint string) error { return &valueError{what: what, hint: hint} }

// tokenShape is what bot tokens look like.
var tokenShape = regexp.MustCompile(`^(?i:bot )?[A-Za-z0-9_-]{18,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]{20,}$`)

func path(s string, env Environment) (string, error) {
	if tokenShape.MatchString(s) {
		return "", wrong("this looks like a bot token, not like the path of a file",
			"put the token into a file of mode 0600 and name the file here; it has been seen by whoever reads this file, so reset it")
	}
	return expand(s, env), nil
}

// variableShape is what names of environment variables look like.
var variableShape = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func nameOfVariable(s string, _ Environment) (string, error) {
	if !variableShape.MatchString(s) {
		return "", wrong("this is no name of an environment variable", "write the name of the variable here, not what is in it")
	}
	return s, nil
}

func apiURL(s string, _ Environment) (string, error) {
	u, err := url.Parse(s)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return "", wrong("this is no http or https URL", "write it as https://host/api/v10")
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", wrong("the URL must not carry a password, query or fragment", "write it as https://host/api/v10")
	}
	return strings.TrimRight(s, "/"), nil
}

func oneOf[T ~string](allowed ...T) func(string, Environment) (T, error) {
	var words []string
	for _, a := range allowed {
		words = append(words, string(a))
	}
	return func(s string, _ Environment) (T, error) {
		if slices.Contains(allowed, T(s)) {
			return T(s), nil
		}
		return "", wrong(fmt.Sprintf("%q is none of %s", s, strings.Join(words, ", ")), guess(s, words))
	}
}

func truth(s string, _ Environment) (bool, error) {
	switch s {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, wrong(fmt.Sprintf("%q is neither true nor false", s), "write true or false")
}

func level(s string, _ Environment) (slog.Level, error) {
	levels := map[string]slog.Level{
		"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError,
	}
	if l, ok := levels[strings.ToLower(s)]; ok {
		return l, nil
	}
	return 0, wrong(fmt.Sprintf("%q is no level", s), "write debug, info, warn or error")
}

func count(low, high int) func(string, Environment) (int, error) {
	return func(s string, _ Environment) (int, error) {
		n, err := strconv.Atoi(s)
		if err != nil {
			return 0, wrong(fmt.Sprintf("%q is no whole number", s), fmt.Sprintf("write a number from %d to %d", low, high))
		}
		if n < low || n > high {
			return 0, wrong(fmt.Sprintf("%d is out of range", n), fmt.Sprintf("write a number from %d to %d", low, high))
		}
		return n, nil
	}
}

// autoOr reads auto as zero, and all else as read does.
func autoOr(read func(string, Environment) (int, error)) func(string, Environment) (int, error) {
	return func(s string, env Environment) (int, error) {
		if s == "auto" {
			return 0, nil
		}
		n, err := read(s, env)
		if e, ok := errors.AsType[*valueError](err); ok {
			e.hint += ", or auto"
		}
		return n, err
	}
}

// orOff reads off or 0 as zero, and all else as read does.
func orOff(read func(string, Environment) (time.Duration, error)) func(string, Environment) (time.Duration, error) {
	return func(s string, env Environment) (time.Duration, error) {
		if s == "off" || s == "0" {
			return 0, nil
		}
		return read(s, env)
	}
}

// duration reads what time.ParseDuration does, and whole days as 3d.
func duration(low, high time.Duration) func(string, Environment) (time.Duration, error) {
	return func(s string, _ Environment) (time.Duration, error) {
		d, err := time.ParseDuration(s)
		if days, ok := strings.CutSuffix(s, "d"); ok {
			n, daysErr := strconv.ParseUint(days, 10, 16)
			d, err = time.Duration(n)*day, daysErr
		}
		switch _, number := strconv.ParseFloat(s, 64); {
		case err != nil && number == nil:
			return 0, wrong(fmt.Sprintf("%q has no unit", s), fmt.Sprintf("write %ss for seconds, %sm for minutes, %sh for hours or %sd for days", s, s, s, s))
		case err != nil:
			return 0, wrong(fmt.Sprintf("%q is no duration", s), "write it as 30s, 10m, 1h30m or 2d")
		case d < low || d > high:
			return 0, wrong(fmt.Sprintf("%s is out of range", s), fmt.Sprintf("write a duration from %s to %s", short(low), short(high)))
		}
		return d, nil
	}
}

// Duration reads a positive duration as the keys do: 30s, 10m, 1h30m or 2d.
func Duration(s string) (d time.Duration, ok bool) {
	d, err := duration(1, 100*365*day)(s, nil)
	return d, err == nil
}

// short is the duration as a person would write it.
func short(d time.Duration) string {
	if d >= day && d%day == 0 {
		return fmt.Sprintf("%dd", d/day)
	}
	s := d.String()
	s = strings.TrimSuffix(s, "0s")
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	if s == "" || !strings.ContainsAny(s[len(s)-1:], "smh") {
		return d.String()
	}
	return s
}

func command(exec *[]string, values []string) error {
	if len(values) == 0 || values[0] == "" {
		return wrong("the command is empty", `write it as ["./bot.sh", "argument"]`)
	}
	words := strings.Fields(values[0])
	if _, err := os.Stat(values[0]); len(values) == 1 && len(words) > 1 && err != nil {
		return wrong("the command and its arguments must be separate values, as there is no shell to cut them apart",
			fmt.Sprintf(`write it as ["%s"] in the file, as --exec %s on the command line`, strings.Join(words, `", "`), strings.Join(words, " ")))
	}
	*exec = values
	return nil
}

var (
	snowflake = regexp.MustCompile(`^[0-9]{17,20}$`)
	mention   = regexp.MustCompile(`^<[@#][!&]?([0-9]{17,20})>$`)
)

func parseID[T ~uint64](s string) (T, error) {
	if m := mention.FindStringSubmatch(s); m != nil {
		return 0, wrong(fmt.Sprintf("%q is a mention, not an id", s), "write only its digits: "+m[1])
	}
	id, err := gapless.ParseID[T](s)
	if err != nil || !snowflake.MatchString(s) {
		return 0, wrong(fmt.Sprintf("%q is no Discord id: those are 17 to 20 digits", s),
			"in Discord turn on Developer Mode (Settings, Advanced), then right-click the user or channel and copy its id")
	}
	return id, nil
}

// at notes which of the values is wrong.
func at(index int, err error) error {
	if e, ok := errors.AsType[*valueError](err); ok {
		e.index = index
	}
	return err
}
