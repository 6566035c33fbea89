package gapless_test

import (
	"flag"
	"strconv"
	"testing"
)

// atLeast raises the number of checks of a property that is cheap to try and
// whose interesting cases are rare.
func atLeast(t *testing.T, checks int) {
	f := flag.Lookup("rapid.checks")
	before := f.Value.String()
	if n, err := strconv.Atoi(before); err != nil || n >= checks {
		return
	}
	if err := f.Value.Set(strconv.Itoa(checks)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Value.Set(before) })
}
