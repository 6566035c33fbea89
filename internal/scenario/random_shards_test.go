package scenario_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gapless/internal/scenario"
)

// resharded is a random incident in which each start may have another number of shards.
func resharded(seed uint64) string {
	dice := rand.New(rand.NewPCG(seed, 78))
	var out strings.Builder
	for line := range strings.Lines(scenario.Random(seed)) {
		switch {
		case line == "start\n":
			fmt.Fprintf(&out, "shards %d\n", 1+dice.IntN(3))
		case line == "drop connection\n" && dice.IntN(2) == 0:
			line = "drop connection of away\n"
		case line == "expire sessions\n" && dice.IntN(2) == 0:
			line = "expire session of home\n"
		}
		out.WriteString(line)
	}
	return out.String()
}

// TestRandomIncidentsOfShards plays incidents that nobody wrote, on a number of shards that changes.
func TestRandomIncidentsOfShards(t *testing.T) {
	n := uint64(max(*random/4, 1))
	for seed := *from; seed < *from+n; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			text := resharded(seed)
			s, err := scenario.Parse(fmt.Sprintf("shards-%d.txt", seed), text)
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
