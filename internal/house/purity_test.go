package house_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"os/exec"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// decisions are the files of the root that decide from values alone.
var decisions = []string{
	"addressing.go", "admission.go", "audience.go", "class.go", "coverage.go", "delivery.go", "gap.go", "lateness.go", "pattern.go",
	"place.go", "placelist.go", "plan.go", "policy.go", "standing.go",
}

// unreachable are the packages the root must not reach, even through others.
var unreachable = []string{"net", "net/http", "database/sql", "os/exec"}

func TestRootReachesNoTechnology(t *testing.T) {
	if !slices.ContainsFunc(sources(t), func(s source) bool { return s.dir() == "." && !s.test() }) {
		return // there is no root package whose reach could be asked
	}
	list := exec.Command("go", "list", "-deps", "-f", "{{.ImportPath}} {{.Standard}}", ".")
	list.Dir = root(t)
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	report(t, reaches(string(out)))
}

func TestReachSeesPlantedDependency(t *testing.T) {
	expect(t, reaches("log/slog true\nnet/url true\nvendor/golang.org/x/net/idna true\ngolang.org/x/sync/errgroup false\ngapless false\n"))
	expect(t, reaches("net true\nos/exec true\ngithub.com/coder/websocket false\ngapless/sqlite false\n"),
		"reaches net", "reaches os/exec", "reaches github.com/coder/websocket", "reaches gapless/sqlite")
}

// reaches lists what stands in the output of go list and must not. A package is followed by whether it comes with Go.
func reaches(list string) (offenders []string) {
	for line := range strings.Lines(list) {
		dep, standard, _ := strings.Cut(strings.TrimSpace(line), " ")
		third := standard != "true" && dep != module && dep != "golang.org/x/sync/errgroup"
		if third || slices.Contains(unreachable, dep) {
			offenders = append(offenders, fmt.Sprintf("the root reaches %s: what needs it belongs in a room beside the root", dep))
		}
	}
	return offenders
}

func TestDecisionsArePure(t *testing.T) {
	for _, s := range sources(t) {
		if s.dir() == "." && slices.Contains(decisions, s.path) {
			report(t, impurities(s))
		}
	}
}

func TestPuritySeesPlantedImpurity(t *testing.T) {
	for _, tt := range []struct{ name, imports, body, want string }{
		{"values only", `"time"`, `d := 3 * time.Second; _ = time.Unix(0, 0).Add(d)`, ""},
		{"own name like a package", ``, `var os struct{ Exit int }; _ = os.Exit`, ""},
		{"clock", `"time"`, `_ = time.Now()`, "time.Now"},
		{"clock as a value", `"time"`, `now := time.Now; _ = now`, "time.Now"},
		{"renamed clock", `clock "time"`, `_ = clock.Since(clock.Time{})`, "clock.Since"},
		{"timer", `"time"`, `time.AfterFunc(0, nil)`, "time.AfterFunc"},
		{"wait", `"time"`, `time.Sleep(1)`, "time.Sleep"},
		{"randomness", `"math/rand/v2"`, `_ = rand.IntN(3)`, "imports math/rand/v2"},
		{"system", `"os"`, `_ = os.Args`, "imports os"},
		{"dot import", `. "time"`, `_ = Now()`, "dot import"},
		{"goroutine", ``, `go func() {}()`, "go statement"},
		{"send", ``, `c <- 1`, "channel send"},
		{"receive", ``, `<-c`, "channel receive"},
		{"select", ``, `select {}`, "select statement"},
		{"channel type", ``, `_ = make(chan int)`, "channel type"},
		{"close", ``, `close(c)`, "close of a channel"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := "package gapless\n"
			if tt.imports != "" {
				text += "import " + tt.imports + "\n"
			}
			got := impurities(parse(t, "gap.go", text+"func f() {\n"+tt.body+"\n}\n"))
			if tt.want == "" {
				expect(t, got)
				return
			}
			if !slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, tt.want) }) {
				t.Errorf("found %q, planted %s", got, tt.want)
			}
		})
	}
}

// impurePackages may not be imported by a decision at all.
var impurePackages = []string{
	"context", "crypto/rand", "log", "math/rand", "math/rand/v2", "os", "runtime", "sync", "sync/atomic",
}

// impureTime is what package time reads from the clock or waits for; the rest of it is arithmetic.
var impureTime = []string{"After", "AfterFunc", "NewTicker", "NewTimer", "Now", "Since", "Sleep", "Tick", "Until"}

// impurities lists what a decision must not do: read a clock or the system, throw dice, start or wait for others.
func impurities(s source) (offenders []string) {
	found := func(at ast.Node, what string) {
		offenders = append(offenders, fmt.Sprintf("%s:%d: %s: a decision is handed its values, the runner that calls it acts",
			s.path, s.line(at.Pos()), what))
	}
	clock := ""
	for _, spec := range s.file.Imports {
		p, _ := strconv.Unquote(spec.Path.Value)
		switch {
		case spec.Name != nil && spec.Name.Name == ".":
			found(spec, "dot import of "+p)
		case slices.Contains(impurePackages, p):
			found(spec, "imports "+p)
		case p == "time":
			clock = path.Base(p)
			if spec.Name != nil {
				clock = spec.Name.Name
			}
		}
	}
	ast.Inspect(s.file, func(n ast.Node) bool {
		if what := impure(n, clock); what != "" {
			found(n, what)
		}
		return true
	})
	return offenders
}

// impure names the impurity of one node, if it has any. The clock is the name package time goes by in the file.
func impure(n ast.Node, clock string) string {
	switch n := n.(type) {
	case *ast.GoStmt:
		return "go statement"
	case *ast.SelectStmt:
		return "select statement"
	case *ast.SendStmt:
		return "channel send"
	case *ast.ChanType:
		return "channel type"
	case *ast.UnaryExpr:
		if n.Op == token.ARROW {
			return "channel receive"
		}
	case *ast.CallExpr:
		if f, ok := n.Fun.(*ast.Ident); ok && f.Name == "close" {
			return "close of a channel"
		}
	case *ast.SelectorExpr:
		if x, ok := n.X.(*ast.Ident); ok && clock != "" && x.Name == clock && slices.Contains(impureTime, n.Sel.Name) {
			return clock + "." + n.Sel.Name
		}
	}
	return ""
}
