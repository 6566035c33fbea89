package scenario_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"gapless/internal/scenario"
)

var (
	update  = flag.Bool("update", false, "rewrite the traces of the scripts, and the generated part of docs/scenarios.md")
	scripts = flag.String("scripts", "", "play the scripts of this folder instead of testdata")
)

// files are the scripts to play.
func files(t *testing.T) []string {
	t.Helper()
	dir := "testdata"
	if *scripts != "" {
		dir = *scripts
	}
	found, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if len(found) == 0 { // relative to where the test was called from, which is the root of the module
		found, err = filepath.Glob(filepath.Join("../..", dir, "*.txt"))
	}
	if err != nil || len(found) == 0 {
		t.Fatalf("no scripts in %s: %v", dir, err)
	}
	return found
}

// play plays a script in a bubble of its own.
func play(t *testing.T, s *scenario.Script) *scenario.Report {
	t.Helper()
	dir := t.TempDir()
	var r *scenario.Report
	synctest.Test(t, func(*testing.T) { r = s.Play(dir) })
	return r
}

func TestScripts(t *testing.T) {
	for _, path := range files(t) {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			s, err := scenario.Read(path)
			if err != nil {
				t.Fatal(err)
			}
			if testing.Short() && s.Long() && *scripts == "" {
				t.Skip("a long script: -short leaves it out")
			}
			r := play(t, s)
			if err := r.Err(); err != nil {
				t.Errorf("%v\nthe trace:\n%s", err, r.Trace)
				return
			}
			if *update && *scripts == "" {
				if err := os.WriteFile(path, []byte(s.Format(r.Trace)), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if s.Traced && s.Trace != r.Trace {
				t.Errorf("the trace is not the one in %s (-args -update rewrites it):\n%s", path, differing(s.Trace, r.Trace))
			}
		})
	}
}

// differing shows where two traces part.
func differing(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(w), len(g)) {
		a, b := at(w, i), at(g, i)
		if a != b {
			from := max(0, i-3)
			return strings.Join(g[from:min(i, len(g))], "\n") + "\n- " + a + "\n+ " + b
		}
	}
	return ""
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(the end)"
}

// TestRunsRepeat plays scripts twice: one seed gives one trace, another seed another one.
func TestRunsRepeat(t *testing.T) {
	for _, name := range []string{"c01", "c113", "c129", "c148"} {
		t.Run(name, func(t *testing.T) {
			s, err := scenario.Read(filepath.Join("testdata", name+".txt"))
			if err != nil {
				t.Fatal(err)
			}
			first, second := play(t, s).Trace, play(t, s).Trace
			if first != second {
				t.Errorf("two runs differ:\n%s", differing(first, second))
			}
			s.Seed++
			if play(t, s).Trace == first {
				t.Error("another seed changes nothing")
			}
		})
	}
}
