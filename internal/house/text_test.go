package house_test

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// maxLines is how long a file may grow; past it there is a second noun inside.
const maxLines = 400

// The words are put together here, so that this file does not hold what it forbids.
var (
	// unfinished is work left for later: in code it is done, or it is an entry of the tracker.
	unfinished = regexp.MustCompile(`\b(` + strings.Join([]string{"TO" + "DO", "FIX" + "ME", "X" + "XX"}, "|") + `)\b`)

	// elsewhere is what holds on one machine only: absolute paths of a checkout or a home, and hosts packages were
	// fetched from.
	elsewhere = regexp.MustCompile(strings.Join([]string{
		`/wor` + `k/`, `/roo` + `t/`, `/tmp/bri` + `ef`, `/home` + `/[a-z]`, `/User` + `s/[a-z]`,
		`proxy\.golang` + `\.org`, `sum\.golang` + `\.org`, `registry\.npmjs` + `\.org`, `deb\.debian` + `\.org`,
	}, "|"))
)

func TestFilesAreShort(t *testing.T) {
	for _, s := range sources(t) {
		if n := s.line(s.file.FileEnd); !s.test() && n > maxLines+1 {
			t.Errorf("%s has %d lines, more than %d: there is a second noun in it", s.path, n-1, maxLines)
		}
	}
}

func TestNothingIsLeftForLater(t *testing.T) {
	dir := root(t)
	for _, s := range sources(t) {
		report(t, hits(s.path, contents(t, dir, s.path), unfinished))
	}
}

func TestNothingHoldsOnOneMachineOnly(t *testing.T) {
	dir := root(t)
	for _, name := range tree(t) {
		report(t, hits(name, contents(t, dir, name), elsewhere))
	}
}

func TestWordsSeePlanted(t *testing.T) {
	planted := "fine\n// TO" + "DO: later\nvar x = 1 // X" + "XX\n"
	expect(t, hits("a.go", []byte(planted), unfinished), "a.go:2: ", "a.go:3: ")
	expect(t, hits("a.go", []byte("const mask = 0xXXX1 // to do, TODOS\n"), unfinished))

	planted = "see /wor" + "k/main\nGOPROXY=https://proxy.golang" + ".org\ncd /home" + "/ann\n"
	expect(t, hits("Makefile", []byte(planted), elsewhere), "Makefile:1: ", "Makefile:2: ", "Makefile:3: ")
	expect(t, hits("Makefile", []byte("a network/place, golang.org/x/sync, ./home\n"), elsewhere))
	expect(t, hits("logo.png", []byte("\x00\x01/wor"+"k/main"), elsewhere))
}

// contents reads one file of the tree.
func contents(t *testing.T, dir, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(path.Clean(name))))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// hits lists the lines of a text in which one of the words stands. Binary files hold no words.
func hits(name string, text []byte, words *regexp.Regexp) (offenders []string) {
	if bytes.IndexByte(text, 0) >= 0 || !words.Match(text) {
		return nil
	}
	n := 0
	for line := range bytes.Lines(text) {
		n++
		if w := words.Find(line); w != nil {
			offenders = append(offenders, fmt.Sprintf("%s:%d: %q does not belong in the tree", name, n, w))
		}
	}
	return offenders
}
