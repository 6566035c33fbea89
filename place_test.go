package gapless_test

import (
	"slices"
	"testing"

	"gapless"

	"gapless/internal/property"
	"pgregory.net/rapid"
)

func drawPlaceChange(t *rapid.T, label string) gapless.PlaceChange {
	n := func(what string) gapless.MessageID {
		return gapless.MessageID(rapid.Uint64Range(0, 9).Draw(t, label+what))
	}
	return gapless.PlaceChange{ID: 10, Floor: n("floor"), Verified: n("verified"), Head: n("head"), Epoch: uint64(n("epoch")), Gone: rapid.Bool().Draw(t, label+"gone")}
}

// Changes are relative: applied twice, or in another order, they give the same
// place, and no number ever falls.
func TestPlaceChangesAreRelative(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p := gapless.Place{}.Apply(drawPlaceChange(t, "p."))
		a, b := drawPlaceChange(t, "a."), drawPlaceChange(t, "b.")
		once := p.Apply(a)
		if twice := once.Apply(a); twice != once {
			t.Fatalf("applied twice: %+v, once: %+v", twice, once)
		}
		if ab, ba := once.Apply(b), p.Apply(b).Apply(a); ab != ba {
			t.Fatalf("a then b: %+v, b then a: %+v", ab, ba)
		}
		if once.Floor < p.Floor || once.Verified < p.Verified || once.Head < p.Head || once.Epoch < p.Epoch {
			t.Fatalf("%+v lowered %+v to %+v", a, p, once)
		}
	})
}

func TestDescribingAPlaceKeepsWhatIsNotSaid(t *testing.T) {
	p := gapless.Place{ID: 10, Guild: 1, Parent: 2, Name: "general", Head: 7}
	got := p.Apply(gapless.PlaceChange{ID: 10, Describe: &gapless.Channel{ID: 10, Kind: gapless.GuildVoice}})
	if want := (gapless.Place{ID: 10, Guild: 1, Parent: 2, Name: "general", Head: 7, Kind: gapless.GuildVoice}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	got = p.Apply(gapless.PlaceChange{ID: 10, Describe: &gapless.Channel{Guild: 3, Parent: 4, Name: "chat", Recipient: 5}})
	if want := (gapless.Place{ID: 10, Guild: 3, Parent: 4, Name: "chat", Recipient: 5, Head: 7}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestGonePlaceComesBackOnlyWhenSeen(t *testing.T) {
	p := gapless.Place{ID: 10}.Apply(gapless.PlaceChange{ID: 10, Gone: true})
	if p = p.Apply(gapless.PlaceChange{ID: 10, Head: 9}); !p.Gone {
		t.Error("a number brought a deleted place back")
	}
	if p = p.Apply(gapless.PlaceChange{ID: 10, Back: true}); p.Gone {
		t.Error("a place that was seen again stays gone")
	}
}

// verified moves only over ranges joined to it, closed ones included (R8, R14).
func TestJoined(t *testing.T) {
	p := gapless.Place{ID: 10, Verified: 100}
	closed := func(ends ...gapless.MessageID) (out []gapless.Range) {
		for pair := range slices.Chunk(ends, 2) {
			out = append(out, gapless.Range{Place: 10, After: pair[0], Upto: pair[1], Reason: gapless.EndExpired})
		}
		return out
	}
	for _, c := range []struct {
		name       string
		from, upto gapless.MessageID
		closed     []gapless.Range
		want       gapless.MessageID
	}{
		{"joined", 100, 200, nil, 200},
		{"overlapping", 90, 200, nil, 200},
		{"below", 50, 90, nil, 100},
		{"apart", 101, 200, nil, 100},
		{"then a closed range", 100, 200, closed(200, 300), 300},
		{"then a closed range that overlaps", 100, 200, closed(150, 300), 300},
		{"then closed ranges, out of order", 100, 200, closed(300, 400, 200, 300), 400},
		{"then a closed range apart", 100, 200, closed(201, 300), 200},
		{"a closed range alone", 300, 400, closed(100, 200), 200},
		{"a closed range of another place", 100, 200, []gapless.Range{{Place: 11, After: 200, Upto: 300}}, 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := p.Joined(c.from, c.upto, c.closed); got != c.want {
				t.Errorf("verified moves to %d, want %d", got, c.want)
			}
		})
	}
}

func TestJoinedThroughAClosedRangeBelow(t *testing.T) {
	p := gapless.Place{ID: 10, Verified: 100}
	closed := []gapless.Range{{Place: 10, After: 100, Upto: 200, Reason: gapless.EndExpired}}
	if got := p.Joined(200, 300, closed); got != 300 {
		t.Errorf("verified moves to %d, want 300: the reading begins where the closed range ends", got)
	}
}
