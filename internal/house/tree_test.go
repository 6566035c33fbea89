package house_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// module is the path of the root module and the prefix of every package of ours.
const module = "gapless"

// source is one Go file of the tree.
type source struct {
	path string // relative to the root, with slashes
	set  *token.FileSet
	file *ast.File
}

// dir is the directory of the file relative to the root, "." for the root itself.
func (s source) dir() string { return path.Dir(s.path) }

// test says whether the file is compiled into tests only.
func (s source) test() bool { return strings.HasSuffix(s.path, "_test.go") }

// line is the line of the file a position stands on.
func (s source) line(pos token.Pos) int { return s.set.Position(pos).Line }

// root is the directory of the root module, found upwards from the test's own.
func root(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && bytes.HasPrefix(mod, []byte("module "+module+"\n")) {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatalf("no directory above holds the go.mod of module %s", module)
		}
		dir = up
	}
}

// tree lists the files of the repository, relative to the root and sorted: those git knows or would add, or, where there
// is no git or no repository, all but what the build leaves behind.
func tree(t *testing.T) []string {
	t.Helper()
	dir := root(t)
	git := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	git.Dir = dir
	out, err := git.Output()
	if err != nil {
		return walk(t, dir)
	}
	var files []string
	for name := range strings.SplitSeq(strings.Trim(string(out), "\x00"), "\x00") {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.Mode().IsRegular() {
			files = append(files, name)
		}
	}
	slices.Sort(files)
	return files
}

// walk lists the regular files below dir, in the way of tree.
func walk(t *testing.T, dir string) []string {
	t.Helper()
	var files []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{".git", ".cache", "bin", "node_modules"}, d.Name()):
			return fs.SkipDir
		case d.Type().IsRegular():
			files = append(files, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// nested lists the directories of the modules below the root module, sorted.
func nested(files []string) []string {
	var dirs []string
	for _, f := range files {
		if path.Base(f) == "go.mod" && f != "go.mod" && !strings.Contains(f, "testdata/") {
			dirs = append(dirs, path.Dir(f))
		}
	}
	return dirs
}

// inNested says whether the file or directory belongs to one of these modules.
func inNested(name string, modules []string) bool {
	return slices.ContainsFunc(modules, func(m string) bool { return name == m || strings.HasPrefix(name, m+"/") })
}

// parsed keeps the syntax of the whole tree: every check reads it, none changes it.
var parsed struct {
	once sync.Once
	all  []source
}

// sources parses every Go file of the tree, test data excepted.
func sources(t *testing.T) []source {
	t.Helper()
	parsed.once.Do(func() {
		dir := root(t)
		for _, name := range tree(t) {
			if path.Ext(name) != ".go" || strings.Contains(name, "testdata/") {
				continue
			}
			text, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			parsed.all = append(parsed.all, parse(t, name, string(text)))
		}
	})
	if len(parsed.all) == 0 {
		t.Fatal("the tree could not be read; see the first test that failed")
	}
	return parsed.all
}

// parse reads one file, planted or real.
func parse(t *testing.T, name, text string) source {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatalf("parse: %v", err)
	}
	return source{path: name, set: set, file: file}
}

// report fails the test with one line per offender.
func report(t *testing.T, offenders []string) {
	t.Helper()
	for _, o := range offenders {
		t.Error(o)
	}
}

// expect compares what a check found in a planted file with what was planted.
func expect(t *testing.T, got []string, want ...string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("found %d offenders, planted %d:\n%s", len(got), len(want), strings.Join(got, "\n"))
	}
	for i := range want {
		if !strings.Contains(got[i], want[i]) {
			t.Errorf("offender %d is %q, want it to say %q", i, got[i], want[i])
		}
	}
}
