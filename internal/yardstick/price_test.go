package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// Each errand finds all that was missed, once, at exactly its price; caps
// leave a remainder in each pass but the last.
func TestPrices(t *testing.T) {
	if testing.Short() {
		t.Skip("starts daemons and simulators as processes: not in short mode")
	}
	dir := t.TempDir()
	binary, err := build(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	b, err := charge(t.Context(), errands, binary, dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range b.Prices {
		if p.Delivered != p.Asked || p.Duplicates != 0 {
			t.Errorf("%s: %d of %d answered, %d twice", p.Name, p.Delivered, p.Asked, p.Duplicates)
		}
		if p.History != p.Bound || p.Ratio != 1 || p.Listings != p.Listed {
			t.Errorf("%s: %d calls for history and %d for listings, want exactly %d and %d", p.Name, p.History, p.Listings, p.Bound, p.Listed)
		}
	}
	i := slices.IndexFunc(b.Prices, func(p price) bool { return strings.Contains(p.Name, "a pass") })
	if got := ends(b.Prices[i].Passes); got != "1 partial, 1 success" {
		t.Errorf("%s: passes ended as %s", b.Prices[i].Name, got)
	}
	for _, p := range b.Prices[i].Passes {
		if p.ID == "" || p.Examined != 200 || (p.State == "partial") != (p.Remainder == 1) {
			t.Errorf("%s: a pass of 200 messages, with a remainder if it is partial, was %+v", b.Prices[i].Name, p)
		}
	}
	var out bytes.Buffer
	if err := b.print(&out, false); err != nil || !strings.Contains(out.String(), "1 partial, 1 success") {
		t.Errorf("the table lacks what was counted (%v):\n%s", err, &out)
	}
}
