package gapless_test

import (
	"testing"
	"time"

	"gapless"
)

// An outage in which nothing was missed costs no call (DESIGN 3, price of a pass).
func TestNothingMissedCostsNothing(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.open()
		r.begin()
		r.handles(quiet)
		id := r.say(10, "hello")
		for range 5 {
			r.outage(10)
			time.Sleep(time.Minute)
		}
		if n := r.called("After"); n != 0 {
			t.Errorf("%d pages were read", n)
		}
		if n := r.called("Inventory"); n != 0 {
			t.Errorf("%d inventories were asked for although each came by itself", n)
		}
		r.expect(id)
	})
}

// First contact never replays (promise 10).
func TestFirstContactNeverReplays(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.post(10, "old")
		r.post(20, "old")
		time.Sleep(time.Hour)
		r.open()
		r.begin()
		time.Sleep(time.Minute)
		live := r.say(20, "new")
		time.Sleep(time.Minute)
		r.expect(live)
		if r.called("After") != 0 {
			t.Errorf("%d pages were read", r.called("After"))
		}
	})
}

// What the window took is a closed range that names it; the rest is read (C95).
func TestWindowIsAppliedAndShown(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.cfg.Budget.Window = time.Hour
		r.open()
		r.begin()
		time.Sleep(time.Minute)
		for range 26 {
			r.post(10, "old")
		}
		time.Sleep(5 * 24 * time.Hour)
		var want []gapless.MessageID
		for range 4 {
			want = append(want, r.post(10, "new").ID)
		}
		r.begin()
		time.Sleep(time.Minute)
		r.expect(want...)
		if s := r.status(); len(s.Ranges) != 1 || s.Ranges[0].Reason != gapless.EndExpired || s.Ranges[0].Place != 10 {
			t.Errorf("closed ranges: %+v", s.Ranges)
		}
	})
}

// While a guild's inventory cannot be had it is asked for now and then.
func TestUnavailableInventoryIsAskedWithRests(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.open()
		r.begin()
		r.set(func() {
			r.broken = func(deed string, _ gapless.ChannelID) error {
				if deed == "Inventory" {
					return gapless.ErrUnavailable
				}
				return nil
			}
		})
		r.admit(gapless.Event{Kind: gapless.SequenceJumped, Note: "5 to 9"})
		time.Sleep(10 * time.Minute)
		if n := r.called("Inventory"); n == 0 || n > 60 {
			t.Errorf("%d inventories were asked for in ten minutes", n)
		}
	})
}

// Two outages in a row, the second before the first one's inventory: a thread
// that comes up then is read since the first.
func TestSecondOutageDoesNotHideTheFirst(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.open()
		r.begin()
		thread := gapless.Channel{ID: 40, Guild: home, Parent: 10, Kind: gapless.PublicThread}
		time.Sleep(time.Minute)
		r.admit() // known good until here
		missed := r.post(40, "missed")
		time.Sleep(40 * time.Minute)
		began := gapless.Event{Kind: gapless.SessionBegan, Self: gapless.User{ID: self}, Guilds: []gapless.GuildID{home}}
		r.admit(began)              // READY, and the connection is gone before GUILD_CREATE
		time.Sleep(5 * time.Second) // before we ask for it ourselves
		g := r.inventory()
		thread.Last = missed.ID
		g.Threads = []gapless.Channel{thread}
		r.admit(began, gapless.Event{Kind: gapless.GuildSeen, Guild: &g})
		time.Sleep(5 * time.Minute)
		r.expect(missed.ID)
	})
}
