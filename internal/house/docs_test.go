package house_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestPackagesAreExplainedOnce(t *testing.T) {
	report(t, unexplained(sources(t)))
}

func TestPackageCommentsSeePlanted(t *testing.T) {
	const said, silent = "// Package p is.\npackage p\n", "package p\n"
	expect(t, unexplained([]source{
		parse(t, "a/doc.go", said), parse(t, "a/a.go", silent),
		parse(t, "a/a_test.go", said),
		parse(t, "b/b_test.go", silent),
		parse(t, "c/c.go", silent),
		parse(t, "d/d.go", said), parse(t, "d/e.go", said),
	}), "c has no package comment", "d has several package comments: d/d.go, d/e.go")
}

// unexplained lists the packages that have no package comment or several. Packages of tests only need none.
func unexplained(all []source) (offenders []string) {
	comments := map[string][]string{}
	for _, s := range all {
		if s.test() {
			continue
		}
		var in []string
		if s.file.Doc != nil {
			in = append(in, s.path)
		}
		comments[s.dir()] = append(comments[s.dir()], in...)
	}
	for _, dir := range slices.Sorted(maps.Keys(comments)) {
		switch in := comments[dir]; {
		case len(in) == 0:
			offenders = append(offenders, title(dir)+" has no package comment: put one above the package clause of doc.go")
		case len(in) > 1:
			offenders = append(offenders, title(dir)+" has several package comments: "+strings.Join(in, ", "))
		}
	}
	return offenders
}

func TestExportedNamesAreExplained(t *testing.T) {
	for _, s := range sources(t) {
		report(t, undocumented(s))
	}
}

func TestDocsSeePlantedSilence(t *testing.T) {
	expect(t, undocumented(parse(t, "p/p.go", `package p

// Said is said.
type Said struct{}
// Deed does.
func (Said) Deed() {}
func (Said) String() string { return "" }
// States of it.
const (
	One = 1
	Two = 2
)
const (
	Three = 3 // said at the end of its line
	// Four is said.
	Four = 4
)
func quiet() {}
type hidden struct{}
func (hidden) Open() {}
var _ = 1
`)))
	expect(t, undocumented(parse(t, "p/p.go", `package p

type Bare struct{}
func (b *Bare) Do() {}
func (b Many[T]) All() {}
func Free() {}
func Error() {}
const Lone = 1
var (
	// First is said.
	First = 1
	Second, third = 2, 3
)
//go:generate x
func Generated() {}
`)), "Bare", "Bare.Do", "Many.All", "Free", "Error", "Lone", "Second", "Generated")
	expect(t, undocumented(parse(t, "p/main.go", "package main\nfunc Free() {}\n")))
	expect(t, undocumented(parse(t, "p/p_test.go", "package p\nfunc Free() {}\n")))
}

// spoken are the methods whose meaning the standard library has settled.
var spoken = []string{"Error", "String", "Unwrap"}

// undocumented lists the exported names of a file that have no doc comment. In a group of constants or variables the
// comment of the group speaks for all of them. Commands and tests export nothing to anybody.
func undocumented(s source) (offenders []string) {
	if s.test() || s.file.Name.Name == "main" {
		return nil
	}
	for _, decl := range s.file.Decls {
		for _, name := range silent(decl) {
			offenders = append(offenders, fmt.Sprintf("%s:%d: %s has no doc comment", s.path, s.line(decl.Pos()), name))
		}
	}
	return offenders
}

// silent lists the exported names one declaration leaves unexplained.
func silent(decl ast.Decl) (names []string) {
	if f, ok := decl.(*ast.FuncDecl); ok {
		on, name := receiver(f), f.Name.Name
		settled := on != "" && slices.Contains(spoken, name)
		if ast.IsExported(name) && !settled && f.Doc.Text() == "" && (on == "" || ast.IsExported(on)) {
			names = append(names, strings.TrimPrefix(on+"."+name, "."))
		}
		return names
	}
	group := decl.(*ast.GenDecl)
	for _, spec := range group.Specs {
		switch sp := spec.(type) {
		case *ast.TypeSpec:
			lone := !group.Lparen.IsValid() && group.Doc.Text() != ""
			if sp.Name.IsExported() && !lone && sp.Doc.Text() == "" {
				names = append(names, sp.Name.Name)
			}
		case *ast.ValueSpec:
			if group.Doc.Text()+sp.Doc.Text()+sp.Comment.Text() == "" {
				names = append(names, exported(sp.Names)...)
			}
		}
	}
	return names
}

// exported keeps the exported ones of these names.
func exported(idents []*ast.Ident) (names []string) {
	for _, id := range idents {
		if id.IsExported() {
			names = append(names, id.Name)
		}
	}
	return names
}

// receiver is the name of the type a method belongs to, "" for a function.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	expr := f.Recv.List[0].Type
	for {
		switch e := expr.(type) {
		case *ast.StarExpr:
			expr = e.X
		case *ast.IndexExpr:
			expr = e.X
		case *ast.IndexListExpr:
			expr = e.X
		case *ast.Ident:
			return e.Name
		default:
			return token.ILLEGAL.String()
		}
	}
}
