package scenario

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Actors of the trace, beside the users. Their order here is the order of what they do in one instant: goroutines
// that wake together run in any order, so the trace must not depend on it.
const (
	theScript   = "script"
	theDiscord  = "discord"
	theGateway  = "gateway"
	theREST     = "rest"
	theEngine   = "engine"
	theRecovery = "recovery"
	theHandler  = "handler"
)

var actorOrder = []string{theScript, theDiscord, theGateway, theREST, theEngine, theRecovery, theHandler}

// line is one line of the trace. Where names is set it is a line about messages, which joins its neighbours that
// say the same.
type line struct {
	at     time.Time
	actor  string
	before string
	names  []string
	after  string
	until  time.Time // of a joined line, when its last part happened
}

func (l line) text() string {
	if l.names == nil {
		return l.before
	}
	return strings.TrimSpace(l.before + " " + shorten(l.names) + " " + l.after)
}

// rank puts users, who cause everything, first.
func (l line) rank() int { return slices.Index(actorOrder, l.actor) }

// verbs is the order of what one actor does in one instant.
var verbs = []string{"opens", "identify", "resume", "admits", "refuses", "ends", "starts", "will not be read", "closes", "stays open", "pass"}

func (l line) verb() int {
	return slices.IndexFunc(verbs, func(v string) bool { return strings.Contains(l.before, v) })
}

// render writes the trace: lines in order of time, inside an instant in a canonical order, times since start.
func render(lines []line, start time.Time) string {
	lines = slices.Clone(lines)
	slices.SortStableFunc(lines, func(a, b line) int {
		return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.rank(), b.rank()), cmp.Compare(a.actor, b.actor),
			cmp.Compare(a.verb(), b.verb()), cmp.Compare(a.before, b.before), compareNames(a.names, b.names))
	})
	lines = joined(lines)
	var b strings.Builder
	for i := 0; i < len(lines); {
		l, n := lines[i], 1
		for i+n < len(lines) && lines[i+n].actor == l.actor && lines[i+n].text() == l.text() {
			n++
		}
		fmt.Fprintf(&b, "%s  %-9s %s", stamp(l.at.Sub(start)), l.actor, l.text())
		if l.until.Sub(l.at) >= time.Second {
			fmt.Fprintf(&b, ", until %s", stamp(l.until.Sub(start)))
		}
		if n > 1 {
			fmt.Fprintf(&b, " (%d times, the last at %s)", n, stamp(lines[i+n-1].at.Sub(start)))
		}
		b.WriteByte('\n')
		i += n
	}
	return b.String()
}

// joined makes one line of neighbours of one actor that say the same of different messages: within a second, or, of
// what users write, however far apart.
func joined(lines []line) []line {
	var out []line
	for _, l := range lines {
		if n := len(out); n > 0 && out[n-1].joins(l) {
			out[n-1].names, out[n-1].until = slices.Concat(out[n-1].names, l.names), l.at
			continue
		}
		out = append(out, l)
	}
	return out
}

func (l line) joins(next line) bool {
	same := l.names != nil && next.names != nil && l.actor == next.actor && l.before == next.before && l.after == next.after
	return same && (next.at.Sub(l.at) < time.Second || l.rank() < 0)
}

// brief leaves out what follows from the rest.
func brief(lines []line) []line {
	return slices.DeleteFunc(slices.Clone(lines), func(l line) bool {
		switch l.actor {
		case theDiscord:
			return true
		case theHandler:
			return l.before == "ends" && l.after == "(done)"
		case theEngine:
			return l.before == "settles"
		case theREST:
			return strings.HasPrefix(l.before, "POST") && strings.HasSuffix(l.before, ": 200")
		}
		return false
	})
}

func compareNames(a, b []string) int {
	return slices.CompareFunc(a, b, func(x, y string) int { return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y)) })
}

// stamp writes a time since the start of the script.
func stamp(d time.Duration) string {
	sign := ""
	if d < 0 {
		sign, d = "-", -d
	}
	ms := d.Milliseconds()
	return fmt.Sprintf("%s%02d:%02d:%02d.%03d", sign, ms/3600000, ms/60000%60, ms/1000%60, ms%1000)
}
