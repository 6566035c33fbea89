package house_test

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// arrows says which rooms each room may import, by directory; "." is the root package. A package below a room's
// directory belongs to that room, unless it has a row of its own, and may import the room and be imported by it. No
// adapter has an arrow to another: what they share they share through the root. Test files are free, except those
// of a witness.
var arrows = map[string][]string{
	".":                 {},
	"discordsim":        {},
	"internal/wire":     {"."},
	"internal/config":   {"."},
	"discord":           {".", "internal/wire"},
	"sqlite":            {"."},
	"postgres":          {"."},
	"subprocess":        {"."},
	"webhook":           {"."},
	"jetstream":         {"."},
	"conversation":      {"."},
	"control":           {"."},
	"metrics":           {"."},
	"ledgertest":        {"."},
	"dashboard":         {"control"},
	"internal/scenario": {".", "discord", "sqlite", "discordsim", "conversation"},
	"internal/yardstick": { // it runs the built binary, so it needs no arrow to what the binary is made of
		"discordsim",
	},
	"cmd/gapless": {
		".", "discordsim", "internal/wire", "internal/config", "discord", "sqlite", "postgres", "subprocess", "webhook",
		"jetstream", "conversation", "control", "metrics", "ledgertest", "dashboard", "internal/scenario",
		"internal/yardstick",
	},
	"internal/bench":    {},
	"internal/house":    {},
	"internal/require":  {},
	"internal/property": {},
}

// witnesses are the rooms that judge the others and so share nothing with them, not even in their tests.
var witnesses = []string{"discordsim"}

func TestArrows(t *testing.T) {
	report(t, crossings(sources(t), nested(tree(t))))
}

func TestArrowsSeePlantedCrossing(t *testing.T) {
	at := func(name, imports string) source {
		return parse(t, name, "package p\nimport "+strconv.Quote(imports)+"\n")
	}
	expect(t, crossings([]source{
		at("sqlite/ledger.go", "gapless"),
		at("sqlite/ledger.go", "gapless/sqlite/internal/pages"),
		at("sqlite/internal/pages/page.go", "gapless"),
		at("sqlite/ledger_test.go", "gapless/ledgertest"),
		at("discord/rest.go", "gapless/internal/wire"),
		at("cmd/gapless/main.go", "gapless/dashboard"),
		at("discordsim/clients/disgo/session.go", "gapless/discordsim"),
		at("engine.go", "golang.org/x/sync/errgroup"),
	}, []string{"discordsim/clients/disgo"}))

	expect(t, crossings([]source{
		at("sqlite/ledger.go", "gapless/discord"),
		at("sqlite/internal/pages/page.go", "gapless/webhook"),
		at("engine.go", "gapless/sqlite"),
		at("dashboard/page.go", "gapless"),
		at("discordsim/world.go", "gapless/internal/wire"),
		at("discordsim/world_test.go", "gapless"),
		at("attic/box.go", "fmt"),
		at("control/server.go", "gapless/attic"),
	}, nil),
		"sqlite/ledger.go:2: sqlite must not import discord",
		"sqlite must not import webhook",
		"the root must not import sqlite",
		"dashboard must not import the root",
		"discordsim must not import internal/wire",
		"discordsim must not import the root",
		"attic is no room: give it a row in arrows (internal/house/arrows_test.go)",
		"attic is no room",
	)
}

// crossings lists the imports of ours for which there is no arrow, and the packages that belong to no room. Nested
// modules are left out: they are the clients of what is here.
func crossings(all []source, modules []string) (offenders []string) {
	strangers := map[string]bool{}
	for _, s := range all {
		if inNested(s.path, modules) {
			continue
		}
		from, ok := room(s.dir())
		if !ok && !strangers[s.dir()] {
			strangers[s.dir()] = true
			offenders = append(offenders, stranger(s.path, s.dir()))
		}
		if !ok || s.test() && !slices.Contains(witnesses, from) {
			continue
		}
		offenders = append(offenders, crossed(s, from)...)
	}
	return offenders
}

// crossed lists the imports of one file that its room has no arrow for.
func crossed(s source, from string) (offenders []string) {
	for _, spec := range s.file.Imports {
		to, ours := directory(spec.Path.Value)
		if !ours {
			continue
		}
		at := fmt.Sprintf("%s:%d", s.path, s.line(spec.Pos()))
		switch into, ok := room(to); {
		case !ok:
			offenders = append(offenders, stranger(at, to))
		case into != from && !slices.Contains(arrows[from], into):
			offenders = append(offenders, fmt.Sprintf("%s: %s must not import %s", at, title(from), title(into)))
		}
	}
	return offenders
}

// stranger says what to do about a package without a room.
func stranger(at, dir string) string {
	return fmt.Sprintf("%s: %s is no room: give it a row in arrows (internal/house/arrows_test.go)", at, dir)
}

// directory turns a quoted import path of ours into a directory of the tree.
func directory(quoted string) (string, bool) {
	p, err := strconv.Unquote(quoted)
	if err != nil {
		return "", false
	}
	if p == module {
		return ".", true
	}
	return strings.CutPrefix(p, module+"/")
}

// room finds the row of a directory: its own or that of the nearest directory above it, the root's excepted.
func room(dir string) (string, bool) {
	for d := dir; d != "."; d = path.Dir(d) {
		if _, ok := arrows[d]; ok {
			return d, true
		}
	}
	return dir, dir == "."
}

// title is how a room is called in a sentence.
func title(room string) string {
	if room == "." {
		return "the root"
	}
	return room
}

func TestArrowsNameRooms(t *testing.T) {
	for from, to := range arrows {
		for _, r := range to {
			if _, ok := arrows[r]; !ok {
				t.Errorf("%s has an arrow to %s, which has no row", title(from), r)
			}
			if slices.Contains(arrows[r], from) {
				t.Errorf("%s and %s have arrows to each other", title(from), title(r))
			}
		}
	}
}
