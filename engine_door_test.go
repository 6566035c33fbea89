package gapless_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"gapless"
)

// began is a READY that names these guilds.
func began(guilds ...gapless.GuildID) gapless.Event {
	return gapless.Event{Kind: gapless.SessionBegan, Self: gapless.User{ID: self, Bot: true}, Guilds: guilds}
}

// Each of these is a discontinuity by itself (R2): what was posted before it is
// looked for as soon as something newer is learnt of the place.
func TestDiscontinuities(t *testing.T) {
	for _, c := range []struct {
		name   string
		events func(*rig) []gapless.Event
	}{
		{"READY", func(*rig) []gapless.Event { return []gapless.Event{began(home)} }},
		{"GUILD_CREATE", func(r *rig) []gapless.Event {
			g := r.inventory()
			for i := range g.Channels {
				g.Channels[i].Last = 0 // says nothing: the live message must settle it
			}
			return []gapless.Event{{Kind: gapless.GuildSeen, Guild: &g}}
		}},
		{"GUILD_DELETE", func(*rig) []gapless.Event {
			return []gapless.Event{{Kind: gapless.GuildGone, Guild: &gapless.Guild{ID: home, Unavailable: true}}}
		}},
		{"a jump", func(*rig) []gapless.Event { return []gapless.Event{{Kind: gapless.SequenceJumped}} }},
		{"an unreadable dispatch", func(*rig) []gapless.Event { return []gapless.Event{{Kind: gapless.Unreadable}} }},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, r *rig) {
				r.handles(quiet)
				r.open()
				r.begin()
				first := r.say(10, "one")
				time.Sleep(time.Minute)
				missed := r.post(10, "two").ID
				time.Sleep(time.Minute)
				r.admit(c.events(r)...)
				last := r.say(10, "three")
				time.Sleep(time.Minute)
				r.expect(first, missed, last)
			})
		})
	}
}

// RESUMED is no discontinuity.
func TestResumedIsNoDiscontinuity(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.handles(quiet)
		r.open()
		r.begin()
		r.say(10, "one")
		r.admit(gapless.Event{Kind: gapless.SessionResumed})
		r.say(10, "two")
		time.Sleep(time.Minute)
		if n := r.called("After"); n != 0 {
			t.Errorf("%d pages were read", n)
		}
	})
}

// A guild that READY does not name any more is not asked for.
func TestLeftGuildIsNotAskedFor(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.open()
		r.begin()
		r.admit(began())
		time.Sleep(time.Hour)
		if n := r.called("Inventory"); n != 0 {
			t.Errorf("the inventory was asked for %d times", n)
		}
	})
}

// A guild whose GUILD_CREATE does not come is asked for (C116).
func TestSilentGuildIsAskedFor(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.handles(quiet)
		r.open()
		r.begin()
		time.Sleep(time.Minute)
		missed := r.post(10, "missed").ID
		time.Sleep(time.Minute)
		r.admit(began(home))
		time.Sleep(10 * time.Second)
		r.expect()
		time.Sleep(time.Minute)
		r.expect(missed)
		if n := r.called("Inventory"); n != 1 {
			t.Errorf("the inventory was asked for %d times", n)
		}
	})
}

// unasked is a history whose pages hold more than was asked for.
type unasked struct {
	gapless.History
	more []gapless.Message
}

func (u unasked) After(ctx context.Context, place gapless.ChannelID, after gapless.MessageID, limit int) (gapless.Page, error) {
	page, err := u.History.After(ctx, place, after, limit)
	page.Messages = append(page.Messages, u.more...)
	return page, err
}

// A page is a set: what it holds below the cursor is decided like the rest,
// except at or below the floor and in closed ranges (R8, R14).
func TestPageHoldsMoreThanWasAskedFor(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.handles(quiet)
		r.cfg.Budget.Window = time.Hour
		before := r.post(10, "before first contact")
		time.Sleep(time.Hour)
		r.open()
		r.begin()
		lost := r.post(10, "lost on a healthy connection")
		time.Sleep(time.Minute)
		heard := r.say(10, "heard")
		time.Sleep(time.Minute)
		expired := r.post(10, "expired")
		time.Sleep(2 * time.Hour)
		missed := r.post(10, "missed")
		r.close()
		r.cfg.History = unasked{r.discord, []gapless.Message{before, lost, expired}}
		r.open()
		r.begin()
		time.Sleep(time.Minute)
		if got, want := r.started(), []gapless.MessageID{heard, lost.ID, missed.ID}; !slices.Equal(got, want) {
			t.Errorf("started %v, want %v; before %d, expired %d", got, want, before.ID, expired.ID)
		}
	})
}

// A message read over REST says less than one that was heard: guild and place
// are completed before it is decided and handled (C58).
func TestReadMessageIsCompleted(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.handles(func(_ context.Context, d *gapless.Delivery) error {
			if m := d.First(); m.Guild != home || m.Place != 10 || d.Place.Guild != home || d.Place.Name != "general" {
				t.Errorf("the handler got message %+v in place %+v", m, d.Place)
			}
			return nil
		})
		r.open()
		r.begin()
		ids := r.outage(10, "missed")
		time.Sleep(time.Minute)
		r.expect(ids...)
	})
}

// A page in which Discord hides all text is no page: nothing of it is decided,
// and it is asked for again (R9, C55).
func TestBlankPageIsBlind(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.handles(quiet)
		r.open()
		r.begin()
		ids := r.outage(10, "", "")
		time.Sleep(time.Minute)
		r.expect()
		if s := r.status(); len(s.Gaps) != 1 || s.Gaps[0].Obstacle != gapless.ObstacleBlind {
			t.Errorf("gaps: %+v", s.Gaps)
		}
		r.set(func() {
			for i := range r.posts[10] {
				r.posts[10][i].Text = "visible again"
			}
		})
		time.Sleep(time.Hour)
		r.expect(ids...)
	})
}

// What only the invoking user sees raises nothing: it is in no history, so a
// gap up to it would never fill (R1).
func TestEphemeralMessageRaisesNothing(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.handles(quiet)
		r.open()
		r.begin()
		first := r.say(10, "one")
		time.Sleep(time.Minute)
		id := gapless.At[gapless.MessageID](time.Now())
		r.hear(gapless.Message{ID: id, Place: 10, Guild: home, Author: gapless.User{ID: robot, Bot: true}, Type: 20, Flags: 64})
		r.expect(first)
		if s := r.status(); s.Places[0].Head != first {
			t.Errorf("the head is %d, want %d", s.Places[0].Head, first)
		}
	})
}

// An own message that refers to what we were doing when the process died is
// proof that it was done; a forward is not (C62, evidence).
func TestOwnReplyIsEvidenceAfterACrash(t *testing.T) {
	for _, c := range []struct {
		name   string
		typ    int
		ref    int
		starts int
	}{{"a reply", 19, 0, 1}, {"a forward", 0, 1, 2}, {"another reference", 0, 0, 2}} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, r *rig) {
				r.works(time.Hour)
				r.open()
				r.begin()
				id := r.say(10, "hello")
				time.Sleep(time.Second)
				own := gapless.Message{
					ID: gapless.At[gapless.MessageID](time.Now()), Place: 10, Guild: home, Author: gapless.User{ID: self, Bot: true},
					Type: c.typ, Reference: gapless.Reference{Type: c.ref, Message: id},
				}
				r.hear(own) // the handler answered by itself
				r.crash()
				r.handles(quiet)
				r.open()
				time.Sleep(time.Minute)
				if n := len(r.started()); n != c.starts {
					t.Errorf("%d starts, want %d", n, c.starts)
				}
			})
		})
	}
}
