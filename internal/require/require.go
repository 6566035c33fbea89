// Package require is how a test asks for a program that Go does not bring along: Node, a browser, a Postgres server.
//
// On a developer's machine an absent program skips the test, visibly: the reason stands in the test's output and, where
// GAPLESS_SKIPS names a file, as a line in that file, which `make test` prints at its end. On the machine that decides
// whether a change is good nothing may be skipped, so GAPLESS_REQUIRE=all turns every absence into a failure.
package require

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

const (
	// Env names the variable that forbids skipping. Its one meaningful value is "all"; anything else, and an unset
	// variable, allows it.
	Env = "GAPLESS_REQUIRE"

	// SkipsEnv names the variable that holds the path of a file to which each skip is appended as one line.
	SkipsEnv = "GAPLESS_SKIPS"
)

// programs lists, for what goes by several names or lies outside PATH, where to look in order. Patterns with a slash are
// globs; the last match wins, so that the newest of several installed versions is taken.
var programs = map[string][]string{
	"chromium": {"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"},
	"node":     {"node", "nodejs"},
	"postgres": {"postgres", "/usr/lib/postgresql/*/bin/postgres", "/usr/local/pgsql/bin/postgres"},
}

// Tool returns the path of the named program: "chromium", "node" and "postgres" are looked for under all the names and
// places they are known by, any other name in PATH. Where there is none it ends the test: skipped with a reason, or
// failed if GAPLESS_REQUIRE=all. It is to be called from the test's own goroutine.
func Tool(tb testing.TB, name string) string {
	tb.Helper()
	if path, ok := find(name); ok {
		return path
	}
	if os.Getenv(Env) == "all" {
		tb.Fatalf("%s is absent and %s=all forbids skipping: install it", name, Env)
	}
	if err := record(tb.Name(), name); err != nil {
		tb.Errorf("record the skip of %s: %v", tb.Name(), err)
	}
	tb.Skipf("%s is absent; %s=all would make this a failure", name, Env)
	return ""
}

// find looks the program up under every name it is known by.
func find(name string) (string, bool) {
	names := programs[name]
	if names == nil {
		names = []string{name}
	}
	for _, n := range names {
		if filepath.IsAbs(n) {
			found, _ := filepath.Glob(n) // the patterns are constants above
			if len(found) > 0 {
				return slices.Max(found), true
			}
			continue
		}
		if path, err := exec.LookPath(n); err == nil {
			return path, true
		}
	}
	return "", false
}

// record appends the skip to the file GAPLESS_SKIPS names, if any. Tests of several packages write at the same time; a
// line this short is appended whole.
func record(test, name string) (err error) {
	path := os.Getenv(SkipsEnv)
	if path == "" {
		return nil
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("open list of skips: %w", err)
	}
	if _, err = fmt.Fprintf(f, "skipped %s: %s is absent\n", test, name); err != nil {
		f.Close()
		return fmt.Errorf("append to list of skips: %w", err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("close list of skips: %w", err)
	}
	return nil
}
