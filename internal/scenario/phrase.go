package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// phrase is one line of a script while it is read, word by word.
//
// Its methods give the next word as what the caller needs. A line that does not fit ends the reading of it by a
// panic with a misread, which the parser turns into an error of that line.
type phrase struct {
	p    *parser
	line string
	at   int // where the next word begins, or the white space before it
}

// misread is why a line could not be understood.
type misread string

func (ph *phrase) fail(format string, args ...any) {
	panic(misread(fmt.Sprintf(format, args...)))
}

// scan finds the next word: its text, whether it was quoted, and where it ends. A `#` that stands alone begins a
// comment; a colon before white space is a word of its own.
func (ph *phrase) scan() (text string, quoted bool, end int) {
	rest := ph.line[ph.at:]
	begin := ph.at + len(rest) - len(strings.TrimLeft(rest, " \t"))
	rest = ph.line[begin:]
	switch {
	case rest == "" || rest == "#" || strings.HasPrefix(rest, "# "):
		return "", false, begin
	case rest[0] == '"':
		q, err := strconv.QuotedPrefix(rest)
		if err != nil {
			ph.fail("the quoted text at column %d does not end", begin+1)
		}
		text, err = strconv.Unquote(q)
		if err != nil {
			ph.fail("the quoted text %s is no text", q)
		}
		return text, true, begin + len(q)
	}
	n := strings.IndexFunc(rest, unicode.IsSpace)
	if n < 0 {
		n = len(rest)
	}
	if word := rest[:n]; len(word) > 1 && strings.HasSuffix(word, ":") {
		n--
	}
	return rest[:n], false, begin + n
}

// peek is the next word without taking it; empty at the end of the line.
func (ph *phrase) peek() string {
	text, _, _ := ph.scan()
	return text
}

func (ph *phrase) done() bool {
	text, quoted, _ := ph.scan()
	return text == "" && !quoted
}

// word takes the next word; what says what it should be.
func (ph *phrase) word(what string) string {
	text, quoted, end := ph.scan()
	if text == "" && !quoted {
		ph.fail("expected %s at the end of the line", what)
	}
	ph.at = end
	return text
}

// accept takes the next words if they are these.
func (ph *phrase) accept(words ...string) bool {
	back := ph.at
	for _, w := range words {
		text, quoted, end := ph.scan()
		if text != w || quoted {
			ph.at = back
			return false
		}
		ph.at = end
	}
	return true
}

// need takes the next word, which must be this one.
func (ph *phrase) need(word string) {
	if got := ph.peek(); !ph.accept(word) {
		ph.fail("expected %q, found %q", word, got)
	}
}

// end makes sure that nothing follows.
func (ph *phrase) end() {
	if !ph.done() {
		ph.fail("expected the end of the line, found %q", ph.peek())
	}
}

// text takes the rest of the line as it stands, comment signs included.
func (ph *phrase) text() string {
	rest := strings.TrimSpace(ph.line[ph.at:])
	ph.at = len(ph.line)
	if strings.HasPrefix(rest, `"`) {
		if t, err := strconv.Unquote(rest); err == nil {
			return t
		}
	}
	return rest
}

// oneOf takes the next word, which must be among these.
func (ph *phrase) oneOf(what string, choices ...string) string {
	w := ph.word(what)
	if !slices.Contains(choices, w) {
		ph.fail("expected %s (%s), found %q", what, strings.Join(choices, ", "), w)
	}
	return w
}

func (ph *phrase) number(what string) int {
	w := ph.word(what)
	n, err := strconv.Atoi(w)
	if err != nil {
		ph.fail("expected %s, a number, found %q", what, w)
	}
	return n
}

func (ph *phrase) duration(what string) time.Duration {
	w := ph.word(what)
	d, err := parseDuration(w)
	if err != nil {
		ph.fail("expected %s, a duration like 48m, 1h30m or 2d, found %q", what, w)
	}
	return d
}

// parseDuration reads Go's durations and whole days.
func parseDuration(w string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(w, "d"); ok {
		n, err := strconv.Atoi(days)
		return time.Duration(n) * 24 * time.Hour, err
	}
	return time.ParseDuration(w)
}

// comparison is an operator and a number: `<= 4`, or a bare number for equality.
type comparison struct {
	op string
	n  int
}

func (ph *phrase) comparison(what string) comparison {
	c := comparison{op: "="}
	if op := ph.peek(); slices.Contains([]string{"=", "!=", "<", "<=", ">", ">="}, op) {
		c.op = ph.word("a comparison")
	}
	c.n = ph.number(what)
	return c
}

func (c comparison) holds(got int) bool {
	switch c.op {
	case "!=":
		return got != c.n
	case "<":
		return got < c.n
	case "<=":
		return got <= c.n
	case ">":
		return got > c.n
	case ">=":
		return got >= c.n
	}
	return got == c.n
}

func (c comparison) String() string { return fmt.Sprintf("%s %d", c.op, c.n) }
