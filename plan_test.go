package gapless_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"gapless"
)

func gapTo(upto int) gapless.Gap {
	return gapless.Gap{ID: gapless.GapID(fmt.Sprint(upto)), Place: 10, After: mid(1), Upto: mid(upto)}
}

// Gaps take turns, page by page; the most recently active place goes first, so
// that no place waits for another one's backlog (S15, C30, C32).
func TestNextGapTakesTurns(t *testing.T) {
	gaps := []gapless.Gap{gapTo(300), gapTo(900), gapTo(600)}
	pages := map[gapless.GapID]int{}
	var order []gapless.GapID
	for range 7 {
		g, ok := gapless.NextGap(gaps, pages, sec(1000))
		if !ok {
			t.Fatal("nothing is due")
		}
		pages[g.ID]++
		order = append(order, g.ID)
	}
	if want := []gapless.GapID{"900", "600", "300", "900", "600", "300", "900"}; !slices.Equal(order, want) {
		t.Errorf("got %v, want %v", order, want)
	}
}

func TestNextGapPassesOverWhatIsNotDue(t *testing.T) {
	waiting, closed, due := gapTo(900), gapTo(800), gapTo(300)
	waiting.DueAt, closed.End = sec(1001), gapless.EndFilled
	gaps := []gapless.Gap{waiting, closed, due}
	if g, ok := gapless.NextGap(gaps, nil, sec(1000)); !ok || g.ID != due.ID {
		t.Errorf("got %q, %t", g.ID, ok)
	}
	if g, ok := gapless.NextGap(gaps, nil, sec(1001)); !ok || g.ID != waiting.ID {
		t.Errorf("at its instant a gap is not due: got %q, %t", g.ID, ok)
	}
	if g, ok := gapless.NextGap(gaps[:2], nil, sec(1000)); ok {
		t.Errorf("got %q although nothing is due", g.ID)
	}
}

func TestNextGapDoesNotDependOnOrder(t *testing.T) {
	a, b := gapTo(900), gapTo(900)
	a.ID, b.ID = "a", "b"
	for _, gaps := range [][]gapless.Gap{{a, b}, {b, a}} {
		if g, _ := gapless.NextGap(gaps, nil, sec(1000)); g.ID != "a" {
			t.Errorf("got %q", g.ID)
		}
	}
}

func TestNextDue(t *testing.T) {
	early, late, closed := gapTo(1), gapTo(2), gapTo(3)
	early.DueAt, late.DueAt, closed.DueAt, closed.End = sec(10), sec(20), sec(5), gapless.EndFilled
	if at, ok := gapless.NextDue([]gapless.Gap{late, closed, early}); !ok || !at.Equal(sec(10)) {
		t.Errorf("got %s, %t", at, ok)
	}
	if at, ok := gapless.NextDue([]gapless.Gap{closed}); ok {
		t.Errorf("a closed gap is due at %s", at)
	}
}

func TestBudget(t *testing.T) {
	b := gapless.Budget{}.WithDefaults()
	want := gapless.Budget{Examined: 500, Calls: 100, Turns: 30, Window: 6 * time.Hour, Rest: 15 * time.Second}
	if b != want {
		t.Errorf("the default budget is %+v", b)
	}
	if b = (gapless.Budget{Calls: 7, Rest: time.Hour}).WithDefaults(); b.Calls != 7 || b.Rest != time.Minute {
		t.Errorf("got %+v", b)
	}
	for _, c := range []struct {
		spend gapless.Spend
		want  bool
	}{
		{gapless.Spend{}, true},
		{gapless.Spend{Calls: 6, Examined: 499}, true},
		{gapless.Spend{Calls: 7}, false},
		{gapless.Spend{Examined: 500}, false},
	} {
		if got := c.spend.Within(b); got != c.want {
			t.Errorf("%+v fits: %t, want %t", c.spend, got, c.want)
		}
	}
}

// The budget ends a pass with the oldest read and the newest owed (C31, C96).
func TestBudgetLeavesTheNewest(t *testing.T) {
	g := missed()
	g = g.Apply(g.Read(gapless.Reading{Begun: sec(2000), IDs: mids(400, 500)}))
	g = g.Apply(g.Leftover())
	if g.After != mid(500) || g.Upto != mid(900) || !g.Due(sec(2000)) {
		t.Errorf("the leftover is %+v", g)
	}
}

func TestInventoryOverdue(t *testing.T) {
	s := gapless.ShardMark{Epoch: 2, At: sec(1000)}
	for _, c := range []struct {
		name  string
		guild gapless.GuildMark
		now   int
		want  bool
	}{
		{"listed since", gapless.GuildMark{Epoch: 3, Listed: 5}, 2000, false},
		{"not listed, within the grace", gapless.GuildMark{Epoch: 3, Listed: 4}, 1014, false},
		{"not listed, the grace is over (C116)", gapless.GuildMark{Epoch: 3, Listed: 4}, 1015, true},
		{"away", gapless.GuildMark{Epoch: 3, Listed: 4, Away: true}, 2000, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.guild.Overdue(s, sec(c.now)); got != c.want {
				t.Errorf("overdue %t, want %t", got, c.want)
			}
		})
	}
}

func TestByRecency(t *testing.T) {
	gaps := []gapless.Gap{gapTo(300), gapTo(900), gapTo(600)}
	gapless.ByRecency(gaps)
	if gaps[0].ID != "900" || gaps[1].ID != "600" || gaps[2].ID != "300" {
		t.Errorf("got %v", gaps)
	}
}
