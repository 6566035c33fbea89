package house_test

import (
	"fmt"
	"go/ast"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// tables are the pages that say of each incident or behaviour what is done about it and what shows it.
var tables = []string{"docs/incidents.md", "docs/behaviours.md"}

// scripts is where the scripted incidents are.
const scripts = "internal/scenario/testdata"

// states are what a row may say of itself.
var states = []string{"yes", "untested", "partly", "not yet"}

var (
	rowID   = regexp.MustCompile(`^[CSRGH][0-9]+(–[CSG][0-9]+)?$`)
	proof   = regexp.MustCompile("`([^`]+)`")
	aTest   = regexp.MustCompile(`^((?:Test|Fuzz|Example)[A-Za-z0-9_]*)(?:/(.+))?$`)
	aScript = regexp.MustCompile(`^[a-z0-9-]+\.txt$`)
)

// row is one line of such a table.
type row struct {
	page   string
	line   int
	id     string
	state  string
	proofs []string // what stands in backquotes in its last cell
}

func TestTablesNameWhatExists(t *testing.T) {
	dir, files := root(t), tree(t)
	tests := testsIn(sources(t))
	for _, page := range tables {
		rows := rowsOf(page, string(contents(t, dir, page)))
		if len(rows) == 0 {
			t.Errorf("%s has no table of ids", page)
		}
		report(t, misnamed(rows, tests, files))
	}
	report(t, unmentioned(string(contents(t, dir, "docs/incidents.md")), files))
}

func TestTablesSeePlanted(t *testing.T) {
	const page = "| id | what | state | by |\n|---|---|---|---|\n"
	tests := testsIn([]source{parse(t, "a/a_test.go", "package a\nfunc TestIn(t *T) { t.Run(\"C05 twice\", nil) }\n")})
	files := []string{scripts + "/c01.txt", scripts + "/c02.txt"}
	check := func(lines ...string) []string {
		return misnamed(rowsOf("p.md", page+strings.Join(lines, "\n")), tests, files)
	}
	expect(t, check(
		"| C01 | w | yes | `c01.txt`, `TestIn` |",
		"| C02 | w | yes | `TestIn/C05_twice` |",
		"| C03 | w | not yet | – |",
		"| S12–S14 | w | partly | – |",
	))
	expect(t, check(
		"| C01 | w | yes | – |",
		"| C02 | w | perhaps | – |",
		"| C02 | w | partly | `c09.txt` |",
		"| C03 | w | yes | `TestOut` |",
		"| C04 | w | yes | `TestIn/C06 once` |",
		"| C05 | w | yes | `by hand` |",
	),
		"C01 says yes and names no test",
		"C02 says \"perhaps\"",
		"C02 stands here for the second time",
		"c09.txt is not in",
		"there is no test TestOut",
		"TestIn has no case C06 once",
		"\"by hand\" is neither",
	)
	expect(t, unmentioned("`c01.txt`", files), "c02.txt is not named in docs/incidents.md")
}

// rowsOf reads the rows of a page that begin with an id.
func rowsOf(page, text string) (rows []row) {
	n := 0
	for line := range strings.Lines(text) {
		n++
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		id := strings.TrimSpace(cells[0])
		if len(cells) < 4 || !rowID.MatchString(id) {
			continue
		}
		r := row{page: page, line: n, id: id, state: strings.TrimSpace(cells[len(cells)-2])}
		for _, m := range proof.FindAllStringSubmatch(cells[len(cells)-1], -1) {
			r.proofs = append(r.proofs, m[1])
		}
		rows = append(rows, r)
	}
	return rows
}

// misnamed lists what the rows claim and the tree does not hold.
func misnamed(rows []row, tests testNames, files []string) (offenders []string) {
	seen := map[string]bool{}
	for _, r := range rows {
		say := func(format string, args ...any) {
			offenders = append(offenders, fmt.Sprintf("%s:%d: ", r.page, r.line)+fmt.Sprintf(format, args...))
		}
		if seen[r.id] {
			say("%s stands here for the second time", r.id)
		}
		seen[r.id] = true
		if !slices.Contains(states, r.state) {
			say("%s says %q: it may say %s", r.id, r.state, strings.Join(states, ", "))
		}
		if r.state == "yes" && len(r.proofs) == 0 {
			say("%s says yes and names no test that shows it", r.id)
		}
		for _, p := range r.proofs {
			if bad := tests.missing(p, files); bad != "" {
				say("%s", bad)
			}
		}
	}
	return offenders
}

// testNames is the tests of the tree, and the strings among which their cases are: many cases are rows of a table, some
// stand in a suite outside the test's own package.
type testNames struct {
	names   map[string]bool
	strings []string
}

// testsIn reads the names of the tests of these files.
func testsIn(all []source) testNames {
	tests := testNames{names: map[string]bool{}}
	for _, s := range all {
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if s.test() && n.Recv == nil && aTest.MatchString(n.Name.Name) {
					tests.names[n.Name.Name] = true
				}
			case *ast.BasicLit:
				tests.strings = append(tests.strings, plain(n.Value))
			}
			return true
		})
	}
	return tests
}

// missing says what is wrong with the name of a test or script, if anything is.
func (tests testNames) missing(name string, files []string) string {
	if aScript.MatchString(name) {
		if !slices.Contains(files, scripts+"/"+name) {
			return name + " is not in " + scripts
		}
		return ""
	}
	m := aTest.FindStringSubmatch(name)
	switch {
	case m == nil:
		return fmt.Sprintf("%q is neither a test nor a script", name)
	case !tests.names[m[1]]:
		return "there is no test " + m[1]
	case m[2] != "" && !slices.Contains(tests.strings, plain(strconv.Quote(m[2]))):
		return fmt.Sprintf("%s has no case %s", m[1], m[2])
	}
	return ""
}

// plain is a case's name without the difference that go test makes of it.
func plain(s string) string { return strings.ReplaceAll(s, "_", " ") }

// unmentioned lists the scripts a page does not name.
func unmentioned(text string, files []string) (offenders []string) {
	for _, f := range files {
		dir, name := path.Split(f)
		if dir == scripts+"/" && aScript.MatchString(name) && !strings.Contains(text, "`"+name+"`") {
			offenders = append(offenders, name+" is not named in docs/incidents.md")
		}
	}
	return offenders
}
