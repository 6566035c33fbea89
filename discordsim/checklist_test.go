package discordsim_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gapless/discordsim"
)

// elsewhere are the numbers that have their test in another place.
var elsewhere = map[string]string{
	"F80": "stock client libraries are tested in clients/*, modules of their own, so that nobody who imports the simulator gets their dependencies",
}

// named finds the numbers of the checklist and of the fault menu in the name of a test or case.
var named = regexp.MustCompile(`(?:^|_)([FG][0-9]+)(?:_|$)`)

// TestChecklist wants a test named after each number of the checklist (F1 to F80) and the fault menu (G1 to G61).
func TestChecklist(t *testing.T) {
	tested := map[string]bool{}
	for name := range cases(t) {
		for {
			at := named.FindStringSubmatchIndex(name)
			if at == nil {
				break
			}
			tested[name[at[2]:at[3]]] = true
			name = name[at[3]:]
		}
	}
	for letter, last := range map[string]int{"F": 80, "G": 61} {
		for n := range last {
			number := fmt.Sprint(letter, n+1)
			switch reason := elsewhere[number]; {
			case !tested[number] && reason == "":
				t.Errorf("no test is named after %s", number)
			case tested[number] && reason != "":
				t.Errorf("%s has a test here and needs no excuse", number)
			}
		}
	}
}

// cases are the strings of the package's tests that are written like the name of a case.
func cases(t *testing.T) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for path, file := range sources(t, "*_test.go") {
		if path == "checklist_test.go" {
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			lit, is := n.(*ast.BasicLit)
			if is && lit.Kind == token.STRING {
				text, _ := strconv.Unquote(lit.Value)
				if !strings.ContainsAny(text, " \n{}<>") {
					found[text] = true
				}
			}
			return true
		})
	}
	return found
}

func sources(t *testing.T, pattern string) map[string]*ast.File {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]*ast.File{}
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files[path] = file
	}
	return files
}

// TestKinds holds the list of kinds to the constants of kind.go: each is explained, asked for by the simulator and
// used by a test.
func TestKinds(t *testing.T) {
	declared := map[string]string{} // kind by the name of its constant
	ast.Inspect(sources(t, "kind.go")["kind.go"], func(n ast.Node) bool {
		spec, is := n.(*ast.ValueSpec)
		if !is {
			return true
		}
		declared[spec.Names[0].Name] = strings.Trim(spec.Values[0].(*ast.BasicLit).Value, `"`)
		if spec.Doc == nil {
			t.Errorf("%s has no comment", spec.Names[0].Name)
		}
		return true
	})
	asked, tested := map[string]bool{}, map[string]bool{}
	for path, file := range sources(t, "*.go") {
		into := asked
		if strings.HasSuffix(path, "_test.go") {
			into = tested
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if id, is := n.(*ast.Ident); is && path != "kind.go" {
				into[id.Name] = true
			}
			return true
		})
	}
	for name := range declared {
		if !asked[name] {
			t.Errorf("the simulator never asks for %s", name)
		}
		if !tested[name] {
			t.Errorf("no test uses %s", name)
		}
	}
	var listed []string
	for _, kind := range discordsim.Kinds() {
		listed = append(listed, string(kind))
	}
	slices.Sort(listed)
	if want := slices.Sorted(maps.Values(declared)); !slices.Equal(want, listed) || len(slices.Compact(listed)) != len(want) {
		t.Errorf("declared %v\nlisted %v", want, listed)
	}
}
