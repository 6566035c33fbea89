package main

import (
	"testing"
	"time"
)

func TestNotice(t *testing.T) {
	from := time.Unix(1_700_000_000, 0)
	if got := notice("away from {from} to {to} or {so}")(from, from.Add(time.Minute)); got != "away from <t:1700000000:f> to <t:1700000060:f> or {so}" {
		t.Errorf("got %q", got)
	}
}
