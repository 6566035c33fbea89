package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// kind says what a name of a script stands for.
type kind string

const (
	aUser    kind = "user"
	aGuild   kind = "guild"
	aPlace   kind = "place" // #channel, #thread or @user for a DM
	aRole    kind = "role"
	aMessage kind = "message"
	aFault   kind = "fault"
	aMark    kind = "mark"
	aProcess kind = "process"
	aLedger  kind = "saved ledger"
)

// declare makes a name known; twice is a mistake.
func (ph *phrase) declare(k kind, name string) string {
	if ph.p.known[k][name] {
		ph.fail("there is a %s %s already", k, name)
	}
	if ph.p.known[k] == nil {
		ph.p.known[k] = map[string]bool{}
	}
	ph.p.known[k][name] = true
	return name
}

// known takes the next word, which must be a declared name of that kind.
func (ph *phrase) known(k kind) string {
	w := ph.word("a " + string(k))
	if !ph.p.known[k][w] {
		ph.fail("expected a %s declared above, found %q", k, w)
	}
	return w
}

// named reports whether anything goes by that name.
func (p *parser) named(name string) bool {
	for _, names := range p.known {
		if names[name] {
			return true
		}
	}
	return false
}

func (ph *phrase) user() string { return ph.known(aUser) }

// newUser takes a name for somebody who writes.
func (ph *phrase) newUser() string {
	w := ph.word("a name")
	if ph.p.reserved(w) || !plain(w) {
		ph.fail("expected a name of letters, digits, - and _ that is no command, found %q", w)
	}
	ph.declare(aPlace, "@"+w)
	return ph.declare(aUser, w)
}

func (ph *phrase) place() string {
	w := ph.word("a place like #general or @alice")
	if !ph.p.known[aPlace][w] {
		ph.fail("expected a place declared above (#channel, #thread, or @user for a DM), found %q", w)
	}
	return w
}

func (ph *phrase) newPlace() string {
	w := ph.word("a name like #general")
	if !strings.HasPrefix(w, "#") || !plain(w[1:]) {
		ph.fail("expected a name like #general, found %q", w)
	}
	return ph.declare(aPlace, w)
}

// newPlaces takes a name, or a series of names, for places that are made.
func (ph *phrase) newPlaces() []string {
	w := ph.peek()
	series, isSeries := expand(w)
	if !isSeries {
		return []string{ph.newPlace()}
	}
	ph.word("a series like #c1..#c50")
	for _, name := range series {
		if !strings.HasPrefix(name, "#") || !plain(name[1:]) {
			ph.fail("expected a series like #c1..#c50, found %q", w)
		}
		ph.declare(aPlace, name)
	}
	return series
}

// places takes one or more places, to the end of the line: names and series.
func (ph *phrase) places() []string {
	var all []string
	for len(all) == 0 || !ph.done() {
		series, isSeries := expand(ph.peek())
		if !isSeries {
			all = append(all, ph.place())
			continue
		}
		w := ph.word("places")
		for _, name := range series {
			if !ph.p.known[aPlace][name] {
				ph.fail("there is no place %s, of %s", name, w)
			}
		}
		all = append(all, series...)
	}
	return all
}

func (ph *phrase) message() string { return ph.known(aMessage) }

// messages takes one or more messages: names and series like M1..M50.
func (ph *phrase) messages() []string {
	var all []string
	for {
		w := ph.peek()
		series, isSeries := expand(w)
		if len(all) > 0 && !isSeries && !ph.p.known[aMessage][w] {
			return all
		}
		if !isSeries {
			all = append(all, ph.message())
			continue
		}
		ph.word("messages")
		for _, m := range series {
			if !ph.p.known[aMessage][m] {
				ph.fail("there is no message %s, of %s", m, w)
			}
		}
		all = append(all, series...)
	}
}

// comingMessages takes messages that may be written further down; the parser checks at the end that they are.
func (ph *phrase) comingMessages() []string {
	var all []string
	for len(all) == 0 || !ph.done() {
		w := ph.word("a message")
		names, isSeries := expand(w)
		if !isSeries {
			names = []string{w}
		}
		for _, n := range names {
			ph.p.coming[n] = ph.p.line
		}
		all = append(all, names...)
	}
	return all
}

// newMessages takes the name or series of what is about to be written.
func (ph *phrase) newMessages() []string {
	w := ph.word("a name for the message")
	names, isSeries := expand(w)
	if !isSeries {
		names = []string{w}
	}
	for _, n := range names {
		if !plain(n) || !unicode.IsUpper(rune(n[0])) {
			ph.fail("expected a name for the message that begins with a capital, like M1, found %q", n)
		}
		ph.declare(aMessage, n)
	}
	return names
}

// expand reads a series: M1..M50 is fifty names.
func expand(w string) ([]string, bool) {
	from, to, ok := strings.Cut(w, "..")
	if !ok {
		return nil, false
	}
	stem := strings.TrimRightFunc(from, unicode.IsDigit)
	first, err1 := strconv.Atoi(from[len(stem):])
	last, err2 := strconv.Atoi(strings.TrimPrefix(to, stem))
	if err1 != nil || err2 != nil || last < first || last-first > 10000 {
		return nil, false
	}
	names := make([]string, 0, last-first+1)
	for n := first; n <= last; n++ {
		names = append(names, fmt.Sprintf("%s%d", stem, n))
	}
	return names, true
}

// plain reports whether a name is made of letters, digits, - and _.
func plain(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_'
	})
}

// shorten writes a list of names with runs as series: M1..M4 M7.
func shorten(names []string) string {
	var out []string
	for i := 0; i < len(names); {
		j := i
		for j+1 < len(names) && follows(names[j], names[j+1]) {
			j++
		}
		switch {
		case j > i+1:
			out = append(out, names[i]+".."+names[j])
		default:
			out = append(out, names[i:j+1]...)
		}
		i = j + 1
	}
	return strings.Join(out, " ")
}

func follows(a, b string) bool {
	s, ok := expand(a + ".." + b)
	return ok && len(s) == 2 && slices.Equal(s, []string{a, b})
}
