package scenario_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gapless/internal/scenario"
)

// reconfigured is a random incident in which each start may have another policy and take what waits in another way.
func reconfigured(seed uint64) string {
	dice := rand.New(rand.NewPCG(seed, 79))
	var out strings.Builder
	for line := range strings.Lines(scenario.Random(seed)) {
		if line == "start\n" {
			for range 1 + dice.IntN(4) {
				choices := settings[dice.IntN(len(settings))]
				fmt.Fprintf(&out, "set %s\n", choices[dice.IntN(len(choices))])
			}
		}
		out.WriteString(line)
	}
	return out.String()
}

// settings are what a start may have otherwise than the one before it, each with its values.
var settings = [][]string{
	{"policy.free", "policy.free #ops", "policy.free #general #lounge", "policy.free *"},
	{"policy.users", "policy.users alice bob", "policy.users carol"},
	{"policy.everyone on", "policy.everyone off"},
	{"policy.allowed", "policy.allowed #general #ops", "policy.allowed *"},
	{"policy.ignored", "policy.ignored #noise"},
	{"policy.shared", "policy.shared #general"},
	{"policy.names", "policy.names word"},
	{"policy.thread-require-mention on", "policy.thread-require-mention off"},
	{"policy.answer-others on", "policy.answer-others off"},
	{"policy.bots none", "policy.bots all"},
	{"look-back 0s", "look-back 1h"},
	{"hold 1s", "hold 30s", "hold 5m"},
}

// TestRandomIncidentsOfPolicies plays incidents that nobody wrote, with a configuration that changes.
func TestRandomIncidentsOfPolicies(t *testing.T) {
	n := uint64(max(*random/4, 1))
	for seed := *from; seed < *from+n; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			text := reconfigured(seed)
			s, err := scenario.Parse(fmt.Sprintf("policies-%d.txt", seed), text)
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			r := play(t, s)
			if err := r.Err(); err != nil {
				t.Errorf("%v\nthe trace:\n%s\nthe script:\n%s", err, r.Trace, text)
			}
		})
	}
}
