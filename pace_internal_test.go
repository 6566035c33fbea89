package gapless

import (
	"testing"
	"time"
)

func TestPaceBoundsEveryMinute(t *testing.T) {
	p := &pace{limit: 3}
	at := func(s int) time.Time { return instant.Add(time.Duration(s) * time.Second) }
	for _, c := range []struct {
		second int
		want   bool
	}{
		{0, true}, {10, true}, {20, true}, {20, false}, {59, false},
		{60, true},  // the first one is a minute old
		{60, false}, // and only that one
		{70, true}, {79, false}, {80, true},
		{1000, true}, {1000, true}, {1000, true}, {1000, false},
	} {
		if got := p.take(at(c.second)); got != c.want {
			t.Fatalf("at second %d a start is given: %t, want %t", c.second, got, c.want)
		}
	}
}

func TestPaceGivesBack(t *testing.T) {
	p := &pace{limit: 1}
	if !p.take(instant) || p.take(instant) {
		t.Fatal("the limit is not one")
	}
	p.untake()
	if !p.take(instant) {
		t.Error("what was given back cannot be taken")
	}
	p.untake()
	p.untake() // once too often is nothing
	if at, n := p.free(instant); n != 1 || !at.Equal(instant) {
		t.Errorf("free %d at %s", n, at)
	}
}

func TestPaceSaysWhenItIsFree(t *testing.T) {
	p := &pace{limit: 2}
	if at, n := p.free(instant); n != 2 || !at.Equal(instant) {
		t.Errorf("unused: %d at %s", n, at)
	}
	p.take(instant)
	p.take(instant.Add(5 * time.Second))
	at, n := p.free(instant.Add(10 * time.Second))
	if n != 1 || !at.Equal(instant.Add(time.Minute)) {
		t.Errorf("used up: %d at %s", n, at)
	}
	if p.take(at.Add(-1)) || !p.take(at) {
		t.Error("it is free at another instant than it says")
	}
}
