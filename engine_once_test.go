package gapless_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"gapless"
)

// outage has a message posted while nobody listens, and the bot come back.
func (r *rig) outage(place gapless.ChannelID, texts ...string) (ids []gapless.MessageID) {
	r.t.Helper()
	time.Sleep(time.Minute)
	for _, text := range texts {
		ids = append(ids, r.post(place, text).ID)
	}
	time.Sleep(48 * time.Minute)
	r.begin()
	return ids
}

// A mention during an outage that outlives its session is found and answered,
// once, before anything newer in its channel (C01).
func TestMessageOfAnOutageIsAnsweredOnce(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.open()
		r.begin()
		first := r.say(10, "one")
		ids := r.outage(10, "two")
		last := r.say(10, "three")
		time.Sleep(time.Minute)
		r.expect(first, ids[0], last)
		r.settled(gapless.Answered, 3)
		if got := r.holds(10); !slices.Equal(got, []string{"re: one", "re: two", "re: three"}) {
			t.Errorf("discord holds %q", got)
		}
	})
}

// A message that a reading and the connection both bring is one message,
// whichever comes first (C75).
func TestReadAndHeardIsOnce(t *testing.T) {
	for _, c := range []struct {
		name  string
		heard time.Duration // after READY; a page takes 50 ms
		slow  bool          // the handler is still at it when the second one comes
	}{
		{"heard first", 0, false},
		{"read first", 10 * time.Second, false},
		{"read first, still being handled", 10 * time.Second, true},
		{"heard first, still being handled", 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, r *rig) {
				if c.slow {
					r.handles(func(context.Context, *gapless.Delivery) error { time.Sleep(30 * time.Second); return nil })
				}
				r.open()
				r.begin()
				time.Sleep(time.Minute)
				m := r.post(10, "hello")
				time.Sleep(time.Minute)
				r.begin()
				time.Sleep(c.heard)
				r.hear(m)
				time.Sleep(2 * time.Minute)
				r.expect(m.ID)
			})
		})
	}
}

// A resumed session repeats what we had (C05).
func TestReplayedMessageIsOnce(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.open()
		r.begin()
		m := r.post(10, "hello")
		r.hear(m)
		time.Sleep(time.Second)
		again := created(m)
		again.Origin = gapless.OriginReplay
		r.admit(again, gapless.Event{Kind: gapless.SessionResumed})
		r.admit(again, again)
		time.Sleep(time.Minute)
		r.expect(m.ID)
		r.settled(gapless.Answered, 1)
	})
}

// The same holds across a crash: the row decides, not the process.
func TestReplayAfterACrashIsOnce(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.open()
		r.begin()
		m := r.post(10, "hello")
		r.hear(m)
		time.Sleep(time.Second)
		r.crash()
		r.open()
		r.hear(m)
		time.Sleep(time.Minute)
		r.expect(m.ID)
	})
}

// A failed turn does not make the message a duplicate of itself: it is tried
// again, and what the gateway repeats adds nothing (C76).
func TestFailedTurnIsTriedAgain(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.handles(func(_ context.Context, d *gapless.Delivery) error {
			if d.Attempt == 1 {
				d.Reply("half an answer")
				return errors.New("not yet")
			}
			d.Reply("done")
			return nil
		})
		r.open()
		r.begin()
		m := r.post(10, "hello")
		r.hear(m)
		r.hear(m)
		time.Sleep(time.Minute)
		r.hear(m)
		time.Sleep(time.Minute)
		log := r.log()
		if len(log) != 2 || log[0].attempt != 1 || log[1].attempt != 2 || log[1].id != m.ID {
			t.Errorf("starts: %+v", log)
		}
		if got := r.holds(10); !slices.Equal(got, []string{"done"}) {
			t.Errorf("discord holds %q: replies of a failed turn must be dropped", got)
		}
	})
}

// Refused messages start nothing, whatever way they come, and are decided once.
func TestRefusedMessagesStartNothing(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.cfg.Policy = gapless.Policy{Users: []gapless.UserID{friend}}
		r.open()
		r.begin()
		noise := r.post(10, "noise")
		r.hear(noise)
		r.outage(10, "more noise", "mention <@500>")
		r.hear(noise)
		time.Sleep(time.Minute)
		if got := r.log(); len(got) != 1 || got[0].origin != gapless.OriginHistory {
			t.Errorf("starts: %+v", got)
		}
		if n := r.status().Refused[gapless.ReasonMention]; n != 2 {
			t.Errorf("%d messages were refused, want 2", n)
		}
	})
}

// Of what is stored when a turn starts, the lowest id starts first (promise 4).
func TestLaneGoesByID(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.handles(func(context.Context, *gapless.Delivery) error { time.Sleep(time.Second); return nil })
		r.open()
		r.begin()
		a, b, c, d := r.post(10, "a"), r.post(10, "b"), r.post(10, "c"), r.post(10, "d")
		r.hear(a)
		time.Sleep(100 * time.Millisecond)
		r.admit(created(d), created(b))
		r.hear(c)
		time.Sleep(time.Minute)
		r.expect(a.ID, b.ID, c.ID, d.ID)
	})
}

// Lanes go side by side, at most Config.Turns of them; one lane never has two turns.
func TestLanesGoSideBySide(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.cfg.Turns = 2
		running := map[gapless.LaneID]int{}
		most := 0
		r.handles(func(_ context.Context, d *gapless.Delivery) error {
			r.set(func() {
				if running[d.Lane]++; running[d.Lane] > 1 {
					t.Errorf("lane %s has two turns", d.Lane)
				}
				most = max(most, running["10"]+running["20"]+running["30"])
			})
			time.Sleep(10 * time.Second)
			r.set(func() { running[d.Lane]-- })
			return nil
		})
		r.open()
		r.begin()
		for range 2 {
			for _, place := range []gapless.ChannelID{10, 20, 30} {
				r.say(place, "hello")
			}
		}
		time.Sleep(35 * time.Second)
		r.set(func() {
			if most != 2 {
				t.Errorf("%d turns at most side by side", most)
			}
		})
		if n := len(r.started()); n != 6 {
			t.Errorf("%d starts, want 6", n)
		}
	})
}

// What is deleted before its turn is not handled (C65).
func TestDeletedBeforeItsTurn(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.handles(func(context.Context, *gapless.Delivery) error { time.Sleep(time.Minute); return nil })
		r.open()
		r.begin()
		first := r.say(10, "one")
		second := r.say(10, "two")
		early := r.post(10, "three")
		r.admit(gapless.Event{Kind: gapless.MessagesDeleted, Place: 10, IDs: []gapless.MessageID{second, early.ID}})
		r.hear(early)
		time.Sleep(5 * time.Minute)
		r.expect(first)
	})
}

// A turn gets the text as it was last edited before the turn (R12).
func TestEditedBeforeItsTurn(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.open()
		r.begin()
		asked := r.refuse("Claim", 1)
		m := r.post(10, "helo")
		r.hear(m)
		m.Text, m.EditedAt = "hello", time.Now()
		r.admit(gapless.Event{Kind: gapless.MessageEdited, Message: &m})
		time.Sleep(time.Minute)
		if got := r.holds(10); !slices.Equal(got, []string{"re: hello"}) || asked() < 2 {
			t.Errorf("discord holds %q", got)
		}
	})
}
