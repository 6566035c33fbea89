package gapless_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gapless"
)

var update = flag.Bool("update", false, "write docs/reasons.md anew")

const reasonsFile = "docs/reasons.md"

// docs/reasons.md is generated: `go test -run TestReasons -update .` writes it,
// and without -update this test holds it to the code.
func TestReasonsAreDocumented(t *testing.T) {
	want := reasonsPage(t)
	if *update {
		if err := os.WriteFile(reasonsFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(reasonsFile)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not what the code says; run: go test -run TestReasons -update .", reasonsFile)
	}
}

// Of one kind of thing a code never means two: they are stored and counted by
// name. ("expired" can be said of a message and of a range.)
func TestReasonsAreDistinct(t *testing.T) {
	for _, g := range reasonGroups(t) {
		seen := map[string]bool{}
		for _, r := range g.rows {
			if seen[r.code] || r.says == "" {
				t.Errorf("%s: %q is there twice, or not explained", g.title, r.code)
			}
			seen[r.code] = true
		}
		if len(seen) < 3 {
			t.Errorf("%s: only %d reasons were found", g.title, len(seen))
		}
	}
}

func reasonsPage(t *testing.T) string {
	var b strings.Builder
	b.WriteString("# Reasons\n\nGenerated from the code; do not edit. Codes are stable: they are stored with what they explain, counted in\n" +
		"`status`, and shown by `explain`.\n\n## Why a message is refused\n\nThe first rule that refuses gives the reason, in this order.\n" +
		"What may take a look-up, an author's roles and whom a reply answers, counts only where nothing else refuses.\n\n")
	table(&b, nil)
	for _, r := range gapless.Rules {
		row(&b, string(r.Reason), r.Says)
	}
	for _, g := range reasonGroups(t) {
		fmt.Fprintf(&b, "\n## %s\n\n", g.title)
		table(&b, g.rows)
	}
	return b.String()
}

func table(b *strings.Builder, rows []reason) {
	b.WriteString("| code | meaning |\n|---|---|\n")
	for _, r := range rows {
		row(b, r.code, r.says)
	}
}

func row(b *strings.Builder, code, says string) {
	fmt.Fprintf(b, "| `%s` | %s |\n", code, strings.ReplaceAll(says, "|", `\|`))
}

type reasonGroup struct {
	title string
	rows  []reason
}

type reason struct{ code, says string }

// reasonTitles gives each block of constants of type Reason, by its first
// constant, its heading. Those of admission come from gapless.Rules instead.
var reasonTitles = []struct{ first, title string }{
	{"Answered", "How a delivery or message ends"},
	{"EndFilled", "How a gap ends, or why a range is closed"},
	{"LateCommand", "Why an admitted message is not handled when its turn comes"},
	{"ObstacleUnavailable", "What keeps a gap open"},
}

// reasonGroups reads the constants of type Reason and their comments from the
// source. A block that has no heading yet fails the test.
func reasonGroups(t *testing.T) []reasonGroup {
	t.Helper()
	groups := make([]reasonGroup, len(reasonTitles))
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			first, rows := reasonBlock(t, decl)
			if len(rows) == 0 || first == "ReasonOwn" {
				continue
			}
			i := titleOf(first)
			if i < 0 {
				t.Fatalf("%s: the block of reasons that begins with %s has no heading in reasonTitles", name, first)
			}
			groups[i] = reasonGroup{title: reasonTitles[i].title, rows: rows}
		}
	}
	return groups
}

func titleOf(first string) int {
	for i, t := range reasonTitles {
		if t.first == first {
			return i
		}
	}
	return -1
}

func reasonBlock(t *testing.T, decl ast.Decl) (first string, rows []reason) {
	block, ok := decl.(*ast.GenDecl)
	if !ok || block.Tok != token.CONST {
		return "", nil
	}
	for _, spec := range block.Specs {
		c := spec.(*ast.ValueSpec)
		if typ, ok := c.Type.(*ast.Ident); !ok || typ.Name != "Reason" {
			continue
		}
		code, err := strconv.Unquote(c.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = c.Names[0].Name
		}
		says := c.Comment
		if says == nil {
			says = c.Doc
		}
		rows = append(rows, reason{code, strings.Join(strings.Fields(says.Text()), " ")})
	}
	return first, rows
}
