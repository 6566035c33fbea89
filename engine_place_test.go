package gapless_test

import (
	"strings"
	"testing"
	"time"

	"gapless"
)

// whisper is a direct message of a friend's.
func (r *rig) whisper(text string) gapless.Message {
	m := r.post(gapless.ChannelID(gapless.At[gapless.MessageID](zero.Add(-time.Hour))), text)
	m.Guild = 0
	return m
}

// A DM has no inventory: what was missed in it comes up with the next message,
// but first contact, without an outage behind it, replays nothing (R6).
func TestDirectMessages(t *testing.T) {
	for _, c := range []struct {
		name   string
		met    bool // a message was heard before the outage
		outage bool
		missed bool // is it found?
	}{
		{"known", true, true, true},
		{"met after an outage", false, true, true},
		{"met without an outage", false, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, r *rig) {
				r.handles(quiet)
				r.cfg.Policy = gapless.Policy{Users: []gapless.UserID{friend}} // and no place is free
				var want []gapless.MessageID
				if !c.outage {
					r.whisper("before we ever ran")
				}
				r.open()
				r.begin()
				time.Sleep(time.Minute)
				if c.met {
					m := r.whisper("one")
					r.hear(m)
					want = append(want, m.ID)
				}
				if c.outage {
					time.Sleep(time.Minute)
					want = append(want, r.whisper("missed").ID)
					time.Sleep(time.Minute)
					r.begin()
				}
				time.Sleep(time.Minute)
				last := r.whisper("last")
				r.hear(last)
				time.Sleep(time.Minute)
				r.expect(append(want, last.ID)...)
				if c.missed != (r.called("After") > 0) {
					t.Errorf("%d pages were read", r.called("After"))
				}
			})
		})
	}
}

// A thread that was opened, or came back, while nobody listened is read from
// its birth, or from the beginning of the outage (R4).
func TestThreadsOfAnOutage(t *testing.T) {
	for _, c := range []struct {
		name string
		born time.Duration // after the beginning
		want int           // how many of its messages are found
	}{{"opened in the outage", 12 * time.Minute, 2}, {"old, and back", -time.Hour, 1}} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, r *rig) {
				r.handles(quiet)
				born := zero.Add(c.born)
				thread := gapless.Channel{
					ID: gapless.ChannelID(gapless.At[gapless.MessageID](born)), Guild: home, Parent: 10, Kind: gapless.PublicThread,
				}
				if c.born < 0 {
					r.post(thread.ID, "long before")
				}
				r.open()
				r.begin()
				time.Sleep(10 * time.Minute)
				r.admit() // known good until here
				time.Sleep(5 * time.Minute)
				if c.born > 0 {
					r.post(thread.ID, "first")
				}
				thread.Last = r.post(thread.ID, "last").ID
				time.Sleep(5 * time.Minute)
				g := r.inventory()
				g.Threads = []gapless.Channel{thread}
				r.admit(began(home), gapless.Event{Kind: gapless.GuildSeen, Guild: &g})
				time.Sleep(time.Minute)
				if got := r.started(); len(got) != c.want || got[len(got)-1] != thread.Last {
					t.Errorf("started %v, want %d up to %d", got, c.want, thread.Last)
				}
			})
		})
	}
}

// What comes into sight is met for the first time: nothing of it is replayed (R4).
func TestWhatComesIntoSightIsNotReplayed(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.open()
		r.begin()
		time.Sleep(time.Minute)
		thread := gapless.Channel{ID: 40, Guild: home, Parent: 10, Kind: gapless.PublicThread, Last: r.post(40, "before").ID}
		r.admit(gapless.Event{Kind: gapless.ThreadsListed, Guild: &gapless.Guild{ID: home, Threads: []gapless.Channel{thread}}})
		time.Sleep(time.Minute)
		live := r.say(40, "now")
		time.Sleep(time.Minute)
		r.expect(live)
	})
}

// A channel made while we listen needs no reading; one made in an outage is
// read from its birth.
func TestNewChannels(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.handles(quiet)
		r.open()
		r.begin()
		born := func() gapless.Channel {
			return gapless.Channel{ID: gapless.ChannelID(gapless.At[gapless.MessageID](time.Now())), Guild: home}
		}
		seen := born()
		seen.Created = true
		r.admit(gapless.Event{Kind: gapless.ChannelSeen, Channel: &seen})
		first := r.say(seen.ID, "one")
		time.Sleep(time.Minute)
		if n := r.called("After"); n != 0 {
			t.Errorf("%d pages of a channel that was seen being made", n)
		}
		unseen := born()
		missed := r.post(unseen.ID, "two").ID
		time.Sleep(time.Minute)
		r.set(func() { r.channels = append(r.channels, unseen) })
		r.begin()
		time.Sleep(time.Minute)
		r.expect(first, missed)
	})
}

// A deleted channel ends its gaps with a reason, and costs no call.
func TestDeletedChannelEndsItsGaps(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.open()
		r.begin()
		r.set(func() { r.pause = time.Hour })
		r.outage(10, "missed")
		time.Sleep(time.Second)
		r.admit(gapless.Event{Kind: gapless.ChannelGone, Place: 10})
		if s := r.status(); len(s.Gaps) != 0 || !s.Places[0].Gone {
			t.Errorf("gaps %+v, places %+v", s.Gaps, s.Places)
		}
		time.Sleep(3 * time.Hour)
		r.expect()
	})
}

// The last message of an outage was deleted before we could read it: the gap
// ends once Discord says so, ten seconds after it at the earliest (R8).
func TestDeletedEndOfAGap(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.handles(quiet)
		r.open()
		r.begin()
		time.Sleep(time.Minute)
		kept := r.post(10, "kept")
		r.post(10, "deleted")
		g := r.inventory() // Discord goes on naming the deleted one
		r.set(func() { r.posts[10] = r.posts[10][:1] })
		r.admit(began(home), gapless.Event{Kind: gapless.GuildSeen, Guild: &g})
		time.Sleep(time.Second)
		if s := r.status(); len(s.Gaps) != 1 || s.Gaps[0].Obstacle != gapless.ObstacleFresh {
			t.Errorf("too early to tell, and the gaps are %+v", s.Gaps)
		}
		time.Sleep(15 * time.Second)
		r.expect(kept.ID)
		r.settled(gapless.Done, 1)
		if n := r.called("Message"); n == 0 || n > 2 { // a second time if the page before was fresh
			t.Errorf("the last message was asked for %d times", n)
		}
	})
}

// In a guild we left and joined again, what was said meanwhile is not ours (R4).
func TestJoinedAgainReplaysNothing(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.handles(quiet)
		r.open()
		r.begin()
		first := r.say(10, "one")
		r.admit(gapless.Event{Kind: gapless.GuildGone, Guild: &gapless.Guild{ID: home}})
		time.Sleep(time.Minute)
		r.post(10, "without us")
		time.Sleep(time.Minute)
		g := r.inventory()
		g.JoinedAt = time.Now()
		time.Sleep(time.Second)
		r.admit(gapless.Event{Kind: gapless.GuildSeen, Guild: &g})
		live := r.say(10, "two")
		time.Sleep(time.Minute)
		r.expect(first, live)
	})
}

// ahead is a Discord whose clock is ahead of ours.
type ahead time.Duration

func (a ahead) Offset() time.Duration { return time.Duration(a) }

// Windows and ages are counted in Discord's time.
func TestDiscordsClockCounts(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.handles(quiet)
		r.cfg.Clock = ahead(2 * time.Hour)
		r.cfg.Budget.Window = time.Hour
		r.open()
		r.begin()
		r.outage(10, "older than an hour there")
		time.Sleep(time.Minute)
		r.expect()
		if s := r.status(); len(s.Ranges) != 1 || s.Passes[0].StartedAt.Before(time.Now().Add(time.Hour)) {
			t.Errorf("ranges %+v, last pass %+v", s.Ranges, s.Passes[0])
		}
	})
}

// A host whose clock is off is told so, once (C100).
func TestWrongHostClockIsSaid(t *testing.T) {
	for offset, want := range map[time.Duration]int{-2 * time.Hour: 1, time.Second: 0} {
		bubble(t, func(t *testing.T, r *rig) {
			r.cfg.Clock = ahead(offset)
			r.open()
			r.begin()
			time.Sleep(time.Hour)
			if n := strings.Count(r.journal.String(), "clock is off"); n != want {
				t.Errorf("off by %s: said %d times, want %d", offset, n, want)
			}
		})
	}
}
