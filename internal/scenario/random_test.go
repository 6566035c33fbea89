package scenario_test

import (
	"flag"
	"fmt"
	"testing"

	"gapless/internal/scenario"
)

var (
	random = flag.Int("random", 12, "how many random incidents to play")
	from   = flag.Uint64("from", 1, "the seed of the first random incident")
)

// TestRandomIncidents plays incidents that nobody wrote. One that the oracle objects to is shown whole, to be kept as a
// script.
func TestRandomIncidents(t *testing.T) {
	n := uint64(*random)
	if testing.Short() {
		n = min(n, 4)
	}
	for seed := *from; seed < *from+n; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			text := scenario.Random(seed)
			s, err := scenario.Parse(fmt.Sprintf("random-%d.txt", seed), text)
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
