package config

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// parse reads YAML; some of what is none makes the parser panic.
func parse(text []byte) (tree *ast.File, err error) {
	defer func() {
		if r := recover(); r != nil {
			tree, err = nil, errors.New("its structure cannot be told")
		}
	}()
	return parser.ParseBytes(text, 0)
}

// bareStar is a star where YAML expects the name of an alias behind it.
var bareStar = regexp.MustCompile(`[\[,:-]\s*\*\s*(,|\]|$)`)

// syntax turns the parser's error into a fault.
func (f *file) syntax(err error) {
	at, ok := err.(interface {
		GetToken() *token.Token
		GetMessage() string
	})
	if !ok || at.GetToken() == nil {
		f.faults = append(f.faults, &Fault{Source: f.name, What: "this is no YAML: " + err.Error()})
		return
	}
	hint, line := "", at.GetToken().Position.Line
	switch what := at.GetMessage(); {
	case line >= 1 && line <= len(f.lines) && bareStar.MatchString(f.lines[line-1]):
		hint = `quote the star: "*"`
	case strings.Contains(what, "not allowed in this context"):
		hint = "check that the keys of one level are indented alike, and quote values that contain a colon"
	}
	f.at(at.GetToken(), at.GetMessage(), hint)
}

// sensitive is a line whose value must not be shown.
var sensitive = regexp.MustCompile(`(?i)^(\s*(?:-\s+)?"?[a-z_.-]*(?:token|secret|password)[a-z_.-]*"?\s*:\s*)(.+)$`)

// masked is the line without what may be a secret. A tab is one column, so
// that the caret stands right.
func masked(line string) string {
	line = strings.ReplaceAll(line, "\t", " ")
	if m := sensitive.FindStringSubmatch(line); m != nil && !strings.Contains(m[1], "token_file") && !strings.Contains(m[1], "token_env") {
		return m[1] + "…"
	}
	words := strings.Fields(line)
	if slices.ContainsFunc(words, func(w string) bool { return tokenShape.MatchString(strings.Trim(w, `"',[]{}`)) }) {
		head, _, _ := strings.Cut(line, ":")
		return head + ": …"
	}
	return line
}

// tab finds a tab in the indentation of a line.
func tab(lines []string) (line, column int, ok bool) {
	for i, l := range lines {
		indent := l[:len(l)-len(strings.TrimLeft(l, " \t"))]
		if c := strings.IndexByte(indent, '\t'); c >= 0 && strings.TrimSpace(l) != "" && !strings.HasPrefix(strings.TrimSpace(l), "#") {
			return i + 1, c + 1, true
		}
	}
	return 0, 0, false
}
