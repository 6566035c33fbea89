package gapless_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"gapless"
)

// answered fails unless Discord holds exactly these answers in the place.
func (r *rig) answered(place gapless.ChannelID, want ...string) {
	r.t.Helper()
	if got := r.holds(place); !slices.Equal(got, want) {
		r.t.Fatalf("discord holds %q, want %q", got, want)
	}
}

func (r *rig) sends(f func(n int, r gapless.Reply) error) { r.set(func() { r.sending = f }) }

// Inside the nonce window an answer of unknown fate is simply posted again:
// Discord gives the message it already has (promise 8).
func TestUnknownReplyIsRepeatedInTheWindow(t *testing.T) {
	for _, c := range []struct {
		name string
		err  error
	}{
		{"taken, the answer lost", errLostAnswer},
		{"not taken, and nobody knows", gapless.ErrUnavailable},
		{"certainly not taken", errors.Join(gapless.ErrNotSent, gapless.ErrUnavailable)},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, r *rig) {
				r.sends(func(n int, _ gapless.Reply) error {
					if n <= 3 {
						return c.err
					}
					return nil
				})
				r.open()
				r.begin()
				r.say(10, "hello")
				time.Sleep(time.Minute)
				r.answered(10, "re: hello")
				r.settled(gapless.Answered, 1)
				if r.called("Find") != 0 || r.called("Send") != 4 {
					t.Errorf("%d posts, %d searches", r.called("Send"), r.called("Find"))
				}
			})
		})
	}
}

// After the window history decides: an answer that is there is not sent again,
// one that is not is sent.
func TestUnknownReplyIsLookedForAfterTheWindow(t *testing.T) {
	for _, c := range []struct {
		name  string
		err   error
		sends int // after the network is back
	}{
		{"it had been taken", errLostAnswer, 0},
		{"it had not", gapless.ErrUnavailable, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, r *rig) {
				r.sends(func(int, gapless.Reply) error { return c.err })
				r.open()
				r.begin()
				r.say(10, "hello")
				time.Sleep(30 * time.Second) // some tries, then the network goes
				r.cut()
				time.Sleep(10 * time.Minute)
				r.sends(nil)
				before := r.called("Send")
				r.restore()
				time.Sleep(10 * time.Minute)
				r.answered(10, "re: hello")
				r.settled(gapless.Answered, 1)
				if n := r.called("Send") - before; n != c.sends || r.called("Find") == 0 {
					t.Errorf("%d posts after the window, %d searches", n, r.called("Find"))
				}
			})
		})
	}
}

// While history cannot be read an unknown answer stays unknown and is not sent.
func TestUnknownReplyStaysUnknownWhileNobodyCanLook(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.sends(func(int, gapless.Reply) error { return errLostAnswer })
		r.set(func() {
			r.broken = func(deed string, _ gapless.ChannelID) error {
				if deed == "Find" {
					return gapless.ErrForbidden
				}
				return nil
			}
		})
		r.open()
		r.begin()
		r.say(10, "hello")
		time.Sleep(3 * time.Minute)
		sends := r.called("Send")
		time.Sleep(6 * time.Hour)
		if n := r.called("Send"); n != sends {
			t.Errorf("it was posted %d times more", n-sends)
		}
		if s := r.status(); s.Replies[gapless.ReplyUnknown] != 1 || s.Deliveries[gapless.Answering] != 1 {
			t.Errorf("replies %v, deliveries %v", s.Replies, s.Deliveries)
		}
		r.answered(10, "re: hello")
	})
}

// Discord's definite no ends the reply with its reason (C57).
func TestRefusedReplyIsUndeliverable(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.sends(func(int, gapless.Reply) error {
			return &gapless.RefusedError{Status: 403, Code: 50013, Reason: "Missing Permissions"}
		})
		r.open()
		r.begin()
		id := r.say(10, "hello")
		time.Sleep(time.Hour)
		r.expect(id)
		r.settled(gapless.Undeliverable, 1)
		if n := r.called("Send"); n != 1 {
			t.Errorf("%d posts", n)
		}
	})
}

// Parts leave in order, and the answers of one place after each other, even if
// the first one has trouble; other places do not wait.
func TestRepliesOfAPlaceLeaveInOrder(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.handles(func(_ context.Context, d *gapless.Delivery) error {
			for i := range 3 {
				d.Reply(fmt.Sprintf("%s %d", d.First().Text, i))
			}
			return nil
		})
		trouble := time.Now().Add(20 * time.Second)
		r.sends(func(_ int, reply gapless.Reply) error {
			if reply.Place == 10 && reply.Ordinal == 1 && time.Now().Before(trouble) {
				return gapless.ErrUnavailable
			}
			return nil
		})
		r.open()
		r.begin()
		a, b := r.say(10, "a"), r.say(10, "b")
		r.say(20, "c")
		time.Sleep(5 * time.Second)
		r.answered(20, "c 0", "c 1", "c 2")
		r.answered(10, "a 0")
		if got := r.started(); !slices.Contains(got, b) { // the lane goes on once the answer is stored
			t.Errorf("started %v", got)
		}
		time.Sleep(2 * time.Minute)
		r.answered(10, "a 0", "a 1", "a 2", "b 0", "b 1", "b 2")
		var refs []gapless.MessageID
		r.set(func() {
			for _, a := range r.answers {
				if a.reply.Place == 10 {
					refs = append(refs, a.reply.Reference)
				}
			}
		})
		if want := []gapless.MessageID{a, 0, 0, b, 0, 0}; !slices.Equal(refs, want) {
			t.Errorf("the parts refer to %v, want %v", refs, want)
		}
	})
}
