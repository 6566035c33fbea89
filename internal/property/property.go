// Package property checks properties with drawn examples: the same ones each
// time, unless a seed is given, so that the verdict on a change does not depend
// on luck.
package property

import (
	"flag"
	"os"
	"strconv"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// Env names the variable with the seed of the examples: a number, or 0 for
// examples never seen before.
const Env = "GAPLESS_SEED"

const defaultSeed = 20260101

var calls sync.Map // name of the test → *int, how often it checked

// Check checks that prop holds for drawn examples. A test that checks several
// times draws others each time. A failure prints the seed that repeats it, which
// -rapid.seed takes as well.
func Check(t *testing.T, prop func(*rapid.T)) {
	t.Helper()
	at := flag.Lookup("rapid.seed").Value
	if given := at.String(); given == "0" {
		defer func() { _ = at.Set(given) }()
		if err := at.Set(strconv.FormatUint(next(t), 10)); err != nil {
			t.Fatalf("set the seed: %v", err)
		}
	}
	rapid.Check(t, prop)
}

// next is the seed of the test's next check; 0 has rapid choose one.
func next(t *testing.T) uint64 {
	t.Helper()
	seed, given := uint64(defaultSeed), os.Getenv(Env)
	if given != "" {
		var err error
		if seed, err = strconv.ParseUint(given, 10, 64); err != nil {
			t.Fatalf("%s is %q: it must be a number", Env, given)
		}
	}
	if seed == 0 {
		return 0
	}
	n, _ := calls.LoadOrStore(t.Name(), new(int))
	*n.(*int)++
	return seed + uint64(*n.(*int)) - 1
}
