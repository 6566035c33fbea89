package house_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestEveryModuleIsListed(t *testing.T) {
	files := tree(t)
	report(t, unlisted(string(contents(t, root(t), "Makefile")), nested(files)))
	if slices.Contains(files, "go.work") {
		t.Error("go.work would make nested modules build against each other where a user's would not: remove it")
	}
}

func TestModulesSeePlanted(t *testing.T) {
	const makefile = "GO = go\nMODULES := . tools with/disgo\n\ntest:\n"
	expect(t, unlisted(makefile, []string{"tools", "with/disgo"}))
	expect(t, unlisted(makefile, []string{"tools", "with/discordgo"}), "with/discordgo is not in MODULES")
	expect(t, unlisted("test:\n", nil), "has no MODULES")
}

// unlisted lists the modules the targets of the Makefile would pass over.
func unlisted(makefile string, modules []string) (offenders []string) {
	list := regexp.MustCompile(`(?m)^MODULES\s*:?=(.*)$`).FindStringSubmatch(makefile)
	if list == nil {
		return []string{"the Makefile has no MODULES"}
	}
	for _, m := range append([]string{"."}, modules...) {
		if !slices.Contains(strings.Fields(list[1]), m) {
			offenders = append(offenders, fmt.Sprintf("%s is not in MODULES of the Makefile: no target would test it", m))
		}
	}
	return offenders
}
