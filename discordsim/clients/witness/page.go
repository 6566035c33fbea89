package witness

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// page is where the expectations stand, seen from the directory of a client's tests.
var page = filepath.FromSlash("../../../docs/simulator.md")

// wait is the part of a cell that says how long the client waits.
var wait = regexp.MustCompile(` after ([0-9.]+) s\b`)

// cell is one expectation.
type cell struct {
	steps string        // without the wait
	least time.Duration // zero when the cell names no wait
}

// read parses a cell.
func read(text string) cell {
	c := cell{steps: wait.ReplaceAllString(text, "")}
	if m := wait.FindStringSubmatch(text); m != nil {
		seconds, _ := strconv.ParseFloat(m[1], 64) // the pattern lets little else through; a slip shows as zero
		c.least = time.Duration(seconds * float64(time.Second))
	}
	return c
}

// fits tells whether a measured wait fits: slack is let pass, and where the cell names no wait, what is under a second
// counts as at once. Of a long one a second may be missing: discord.js counts from its last identify.
func (c cell) fits(d delay, slack time.Duration) bool {
	if c.least == 0 {
		return d.least < time.Second
	}
	early := 20 * time.Millisecond
	if c.least >= 3*time.Second {
		early += time.Second
	}
	return d.most >= c.least-early && d.least <= c.least+slack
}

// column reads the cells of one client from the table whose first heading is what rows are.
func column(t *testing.T, rows, client string) map[string]cell {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	cells := map[string]cell{}
	at := -1
	for line := range strings.Lines(string(text)) {
		fields := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range fields {
			fields[i] = strings.TrimSpace(fields[i])
		}
		switch {
		case !strings.HasPrefix(line, "|"):
			at = -1
		case fields[0] == rows:
			at = slices.IndexFunc(fields, func(f string) bool { return strings.HasPrefix(f, client+" ") })
		case at > 0 && at < len(fields) && !strings.HasPrefix(fields[0], "---"):
			cells[fields[0]] = read(fields[at])
		}
	}
	if len(cells) == 0 {
		t.Fatalf("%s has no column %s in a table of %s", page, client, rows)
	}
	return cells
}

// account fails the test when the rows of the page and the incidents that are played are not the same.
func account(t *testing.T, cells map[string]cell, names []string) {
	t.Helper()
	for name := range cells {
		if !slices.Contains(names, name) {
			t.Errorf("%s has a row %q that no incident plays", page, name)
		}
	}
	for _, name := range names {
		if _, there := cells[name]; !there {
			t.Errorf("%s has no row %q", page, name)
		}
	}
}
