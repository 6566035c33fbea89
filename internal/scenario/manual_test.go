package scenario_test

import (
	"os"
	"strings"
	"testing"

	"gapless/internal/scenario"
)

// manualMark is the line of docs/scenarios.md below which everything is generated.
const manualMark = "<!-- from here on: go test ./internal/scenario -run TestManual -args -update -->\n"

func TestManual(t *testing.T) {
	const path = "../../docs/scenarios.md"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	above, below, ok := strings.Cut(string(text), manualMark)
	if !ok {
		t.Fatalf("%s lacks the line %q", path, manualMark)
	}
	want := "\n" + scenario.Manual()
	if *update {
		if err := os.WriteFile(path, []byte(above+manualMark+want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if below != want {
		t.Errorf("%s does not describe the language as it is (-args -update mends it):\n%s", path, differing(below, want))
	}
}

// TestExampleOfManual plays the script that the manual shows.
func TestExampleOfManual(t *testing.T) {
	text, err := os.ReadFile("../../docs/scenarios.md")
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(text), "```\n")
	if len(parts) < 3 {
		t.Fatal("docs/scenarios.md shows no script")
	}
	s, err := scenario.Parse("scenarios.md", parts[1])
	if err != nil {
		t.Fatal(err)
	}
	if err := play(t, s).Err(); err != nil {
		t.Error(err)
	}
}
