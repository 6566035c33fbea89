package gapless_test

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"gapless"
)

// A live message waits for older ones that are being read (C113).
func TestLiveMessageWaitsForMissedOnes(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.open()
		r.begin()
		r.handles(quiet)
		before := r.say(20, "before")
		ids := r.outage(10, "one", "two")
		live := r.say(10, "three") // before any page has come
		other := r.say(20, "elsewhere")
		time.Sleep(30 * time.Millisecond)
		r.expect(before, other) // other lanes flow
		time.Sleep(time.Minute)
		r.expect(before, other, ids[0], ids[1], live)
	})
}

// The wait is bounded: after the hold the live message goes, and the older ones
// follow later (C113).
func TestHoldIsBounded(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.open()
		r.begin()
		began := time.Now()
		r.set(func() { r.pause = 40 * time.Second })
		ids := r.outage(10, "one", "two")
		live := r.say(10, "three")
		opened := time.Now()
		time.Sleep(29 * time.Second)
		r.expect()
		time.Sleep(2 * time.Second)
		r.expect(live)
		if waited := r.log()[0].at.Sub(opened); waited < 29*time.Second || waited > 30*time.Second {
			t.Errorf("it waited %s, %s after the beginning", waited, opened.Sub(began))
		}
		time.Sleep(5 * time.Minute)
		r.expect(live, ids[0], ids[1])
		r.settled(gapless.Answered, 3)
	})
}

// A gap that cannot be read holds nothing, stays open, and heals by itself.
func TestUnreadableGapHealsByItself(t *testing.T) {
	for _, c := range []struct {
		name   string
		err    error
		reason gapless.Reason
		calls  int // at most, in half an hour
	}{
		{"unavailable", gapless.ErrUnavailable, gapless.ObstacleUnavailable, 20},
		{"forbidden", gapless.ErrForbidden, gapless.ObstacleForbidden, 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, r *rig) {
				r.open()
				r.begin()
				r.set(func() {
					r.broken = func(deed string, _ gapless.ChannelID) error {
						if deed == "After" {
							return c.err
						}
						return nil
					}
				})
				ids := r.outage(10, "one")
				live := r.say(10, "two")
				time.Sleep(5 * time.Second)
				r.expect(live)
				time.Sleep(30 * time.Minute)
				s := r.status()
				if len(s.Gaps) != 1 || s.Gaps[0].Obstacle != c.reason || s.Passes[0].State != gapless.PassDegraded {
					t.Errorf("gaps %+v, last pass %+v", s.Gaps, s.Passes[0])
				}
				if n := r.called("After"); n > c.calls {
					t.Errorf("%d calls", n)
				}
				r.set(func() { r.broken = nil })
				time.Sleep(30 * time.Minute)
				r.expect(live, ids[0])
				r.settled(gapless.Answered, 2)
			})
		})
	}
}

// A place that Discord says does not exist costs one call and one reason (C54).
func TestGoneIsAReason(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.open()
		r.begin()
		r.set(func() {
			r.broken = func(deed string, _ gapless.ChannelID) error {
				if deed == "After" {
					return fmt.Errorf("channel 10: %w", gapless.ErrUnknownChannel)
				}
				return nil
			}
		})
		r.outage(10, "one")
		time.Sleep(time.Hour)
		if s := r.status(); len(s.Gaps) != 0 || !s.Places[0].Gone || r.called("After") != 1 {
			t.Errorf("gaps %+v, places %+v, %d calls", s.Gaps, s.Places, r.called("After"))
		}
	})
}

// All pages are read, over as many passes as the budget makes of them; the
// oldest go first, and what is left has a name (C30, C31).
func TestBudgetDelaysAndNeverLoses(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.cfg.Budget = gapless.Budget{Examined: 60, Turns: 1000}
		r.open()
		r.begin()
		time.Sleep(time.Minute)
		var want []gapless.MessageID
		for range 250 {
			want = append(want, r.post(10, "x").ID)
		}
		time.Sleep(time.Minute)
		r.begin()
		time.Sleep(2 * time.Second)
		s := r.status()
		if s.Passes[0].State != gapless.PassPartial || len(s.Passes[0].Remainder) != 1 || s.Passes[0].Remainder[0].Reason != gapless.ObstacleBudget {
			t.Errorf("the first pass: %+v", s.Passes[0])
		}
		if s.Passes[0].Examined > 60 {
			t.Errorf("the first pass examined %d", s.Passes[0].Examined)
		}
		r.expect(want[:60]...)
		time.Sleep(75 * time.Second) // four rests of 15 s, and the pages
		r.expect(want...)
		r.settled(gapless.Answered, 250)
	})
}

// Channels that a pass did not get to are read by the next one, without a new
// outage (C96).
func TestEveryChannelHasItsTurn(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.cfg.Budget = gapless.Budget{Calls: 20, Turns: 1000}
		r.channels = nil
		for i := range 21 {
			r.channels = append(r.channels, gapless.Channel{ID: gapless.ChannelID(100 + i), Guild: home})
		}
		r.open()
		r.begin()
		time.Sleep(time.Minute)
		for i := range 21 {
			r.post(gapless.ChannelID(100+i), "x")
		}
		time.Sleep(time.Minute)
		r.begin()
		time.Sleep(10 * time.Second)
		if n := len(r.started()); n != 20 {
			t.Errorf("the first pass brought %d of 20", n)
		}
		time.Sleep(time.Minute)
		r.settled(gapless.Answered, 21)
	})
}

// A page that repeats itself ends nothing and loops nowhere (C26).
func TestRepeatedPageIsAnObstacle(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.open()
		r.begin()
		old := r.say(10, "old")
		time.Sleep(time.Minute)
		var pages atomic.Int32
		stuck := &stuckHistory{History: r.cfg.History, page: gapless.Page{Messages: []gapless.Message{{ID: old, Text: "old"}}}, pages: &pages}
		r.close()
		r.cfg.History = stuck
		r.open()
		r.outage(10, "missed")
		time.Sleep(time.Hour)
		if s := r.status(); len(s.Gaps) != 1 || s.Gaps[0].Obstacle != gapless.ObstacleStuck {
			t.Errorf("gaps: %+v", s.Gaps)
		}
		if n := pages.Load(); n == 0 || n > 12 {
			t.Errorf("%d pages were read in an hour", n)
		}
		r.expect(old)
	})
}

// A gap of an earlier boot is gone on with (promise 6).
func TestNextBootGoesOnWithOpenGaps(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.open()
		r.begin()
		r.set(func() { r.pause = time.Hour })
		ids := r.outage(10, "one", "two")
		r.crash()
		r.set(func() { r.pause = time.Millisecond })
		r.open()
		time.Sleep(time.Minute)
		r.expect(ids...)
		if p := r.status().Passes; !slices.ContainsFunc(p, func(p gapless.Pass) bool { return p.Trigger == gapless.TriggerStart }) {
			t.Errorf("passes: %+v", p)
		}
	})
}

// A gap that opens while a pass with budget left is ending keeps its hold: the
// next pass follows at once.
func TestGapAtTheEndOfAPassKeepsItsHold(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.handles(quiet)
		slow := &slowLedger{}
		r.wrap = func(l gapless.Ledger) gapless.Ledger { slow.Ledger = l; return slow }
		r.open()
		r.begin()
		before := r.say(20, "before")
		time.Sleep(time.Minute)
		r.post(10, "missed")
		missed := r.post(20, "missed").ID
		time.Sleep(time.Minute)
		slow.append.Store(int64(100 * time.Millisecond))
		g := r.inventory()
		g.Channels = g.Channels[:1]
		r.admit(began(home), gapless.Event{Kind: gapless.GuildSeen, Guild: &g}) // opens the gap of 10
		time.Sleep(200 * time.Millisecond)                                      // gathering and reading; now its page is being stored
		a := r.batch(created(r.post(10, "a")))
		go func() {
			if err := r.engine.Admit(t.Context(), a); err != nil { // then this
				t.Error(err)
			}
		}()
		time.Sleep(100 * time.Millisecond) // while the pass wants to know what is next
		r.set(func() { r.pause = 5 * time.Second })
		live := r.say(20, "live") // opens the gap of 20 just then
		time.Sleep(20 * time.Second)
		var got []gapless.MessageID
		for _, id := range r.started() {
			if id == before || id == missed || id == live {
				got = append(got, id)
			}
		}
		if len(got) != 3 || got[1] != missed {
			t.Errorf("started %v, want %v", got, []gapless.MessageID{before, missed, live})
		}
	})
}

// An operator's request causes a pass, also while one runs (S02).
func TestRecoverOnRequest(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.handles(quiet)
		r.open()
		r.begin()
		time.Sleep(time.Minute)
		before := len(r.status().Passes)
		r.engine.Recover()
		r.engine.Recover()
		time.Sleep(time.Minute)
		passes := r.status().Passes
		if n := len(passes) - before; n < 1 || n > 2 || passes[0].Trigger != gapless.TriggerAsked {
			t.Errorf("%d passes more, the last by %s", n, passes[0].Trigger)
		}
	})
}
