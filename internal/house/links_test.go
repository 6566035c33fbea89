package house_test

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// link is a Markdown link to somewhere in the tree; links out of it have a scheme and are not followed.
var link = regexp.MustCompile(`\]\(([^)#:\s]+)(#[^)]*)?\)`)

func TestLinksLeadSomewhere(t *testing.T) {
	dir, files := root(t), tree(t)
	for _, name := range files {
		if path.Ext(name) == ".md" {
			report(t, deadLinks(name, string(contents(t, dir, name)), files))
		}
	}
}

func TestLinksSeePlanted(t *testing.T) {
	files := []string{"README.md", "docs/design.md", "sqlite/doc.go"}
	expect(t, deadLinks("README.md", "see [design](docs/design.md#words), [web](https://example.org/x), [room](sqlite) and [part](#words)\n", files))
	expect(t, deadLinks("docs/design.md", "see [a](../README.md)\nand [b](README.md), [c](../sqlte)\n", files),
		"docs/design.md:2: README.md leads nowhere", "docs/design.md:2: ../sqlte leads nowhere")
}

// deadLinks lists the links of a page to files and directories that are not there.
func deadLinks(name, text string, files []string) (offenders []string) {
	n := 0
	for line := range strings.Lines(text) {
		n++
		for _, m := range link.FindAllStringSubmatch(line, -1) {
			to := path.Join(path.Dir(name), m[1])
			there := slices.ContainsFunc(files, func(f string) bool { return f == to || strings.HasPrefix(f, to+"/") })
			if !there {
				offenders = append(offenders, fmt.Sprintf("%s:%d: %s leads nowhere", name, n, m[1]))
			}
		}
	}
	return offenders
}
