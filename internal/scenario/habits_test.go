package scenario_test

import (
	"fmt"
	"strings"
	"testing"

	"gapless/internal/scenario"
)

// habits are what servers do otherwise that are not Discord, but for channels they do not announce: what is said in a
// thread before anybody knows of it, and before a session ends, is lost. With the last one some messages are found by
// audits only.
var habits = []string{
	"no-resume on", "oldest-first on", "zero-seq on", "one-session on", "vague-refusal on", "no-limit-headers on", "jumble 3s",
}

// TestRandomIncidentsOfOtherHabits plays incidents that nobody wrote on servers that are not Discord: every third has all of
// these habits, the others those whose bit is set in the seed.
func TestRandomIncidentsOfOtherHabits(t *testing.T) {
	n := uint64(min(*random, 4))
	for seed := *from; seed < *from+n; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			text := withHabits(scenario.Random(seed), seed)
			s, err := scenario.Parse(fmt.Sprintf("random-%d.txt", seed), text)
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			if r := play(t, s); r.Err() != nil {
				t.Errorf("%v\nthe trace:\n%s\nthe script:\n%s", r.Err(), r.Trace, text)
			}
		})
	}
}

// withHabits puts habits in front of a script.
func withHabits(text string, seed uint64) string {
	var b strings.Builder
	for i, h := range habits {
		found := i < len(habits)-1 || strings.Contains(text, "set no-audit off")
		if found && (seed%3 == 0 || seed>>i&1 == 1) {
			fmt.Fprintf(&b, "discord habits.%s\n", h)
		}
	}
	return b.String() + text
}
