package gapless_test

import (
	"slices"
	"testing"
	"time"

	"gapless"
)

// asks posts a reply to another message, as the gateway brings it when Discord
// has left the message referred to out.
func (r *rig) asks(place gapless.ChannelID, to gapless.MessageID) gapless.Message {
	time.Sleep(time.Millisecond)
	var m gapless.Message
	r.set(func() {
		m = r.add(gapless.Message{
			Place: place, Author: gapless.User{ID: friend, Name: "ann"}, Text: "and then?", Type: 19,
			Reference: gapless.Reference{Message: to, Place: place},
		})
	})
	return m
}

// ours posts a message of the bot's.
func (r *rig) ours(place gapless.ChannelID) (m gapless.Message) {
	time.Sleep(time.Millisecond)
	r.set(func() {
		m = r.add(gapless.Message{Place: place, Author: gapless.User{ID: self, Bot: true}, Text: "hm"})
	})
	return m
}

// selective is a rig whose bot wants to be addressed.
func (r *rig) selective() {
	r.handles(quiet)
	r.cfg.Policy = gapless.Policy{Everyone: true}
	r.open()
	r.begin()
}

func (r *rig) mention(place gapless.ChannelID) gapless.MessageID {
	time.Sleep(time.Millisecond)
	var m gapless.Message
	r.set(func() {
		m = r.add(gapless.Message{Place: place, Author: gapless.User{ID: friend}, Text: "you!", Mentions: []gapless.UserID{self}})
	})
	r.hear(m)
	return m.ID
}

// A reply without the message it replies to waits, undecided and in its place,
// until one read tells whether it was ours (R11, C63).
func TestReplyWaitsForWhatItRefersTo(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.selective()
		a := r.ours(10)
		foreign := r.post(10, "among ourselves")
		b := r.asks(10, a.ID)
		c := r.asks(10, foreign.ID)
		gone := r.asks(10, a.ID+1)
		for _, m := range []gapless.Message{b, c, gone} {
			r.hear(m)
		}
		d := r.mention(10)
		time.Sleep(time.Minute)
		r.expect(b.ID, d)
		if n := r.called("Message"); n != 3 {
			t.Errorf("%d reads, want one for each", n)
		}
		if s := r.status(); s.Refused[gapless.ReasonMention] != 2 {
			t.Errorf("refused: %v", s.Refused)
		}
	})
}

// While Discord does not answer nothing is decided; newer messages wait for
// the hold and no longer; a restart forgets nothing, and the answer decides.
func TestUndecidedOutlivesOutagesAndRestarts(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.selective()
		a := r.ours(10)
		r.set(func() {
			r.broken = func(deed string, _ gapless.ChannelID) error {
				if deed == "Message" {
					return gapless.ErrUnavailable
				}
				return nil
			}
		})
		b := r.asks(10, a.ID)
		r.hear(b)
		d := r.mention(10)
		time.Sleep(29 * time.Second)
		r.expect()
		time.Sleep(time.Minute)
		r.expect(d)
		if n := r.called("Message"); n > 12 {
			t.Errorf("%d reads in a minute and a half", n)
		}
		r.crash()
		r.open()
		r.begin()
		time.Sleep(time.Minute)
		r.expect(d)
		r.set(func() { r.broken = nil })
		time.Sleep(20 * time.Minute)
		r.expect(d, b.ID)
	})
}

// An undecided message that is deleted is looked for no more.
func TestDeletedWhileUndecided(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.selective()
		a := r.ours(10)
		r.set(func() {
			r.broken = func(deed string, _ gapless.ChannelID) error {
				if deed == "Message" {
					return gapless.ErrUnavailable
				}
				return nil
			}
		})
		b := r.asks(10, a.ID)
		r.hear(b)
		time.Sleep(10 * time.Second)
		r.admit(gapless.Event{Kind: gapless.MessagesDeleted, Place: 10, IDs: []gapless.MessageID{b.ID}})
		r.set(func() { r.broken = nil })
		calls := r.called("Message")
		time.Sleep(time.Hour)
		r.expect()
		if n := r.called("Message") - calls; n != 0 {
			t.Errorf("%d reads more", n)
		}
	})
}

// What was read over REST does not tell the author's roles: one look-up does,
// for all messages of that author, and one who has left is refused (C58, C60).
func TestRolesOfRecoveredMessagesAreLookedUp(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.handles(quiet)
		r.cfg.Policy = gapless.Policy{Roles: []gapless.RoleID{70}, Free: gapless.PlaceList{All: true}}
		r.set(func() { r.roles = map[gapless.UserID][]gapless.RoleID{friend: {70}} })
		r.open()
		r.begin()
		r.say(10, "one")
		time.Sleep(time.Minute)
		want := slices.Clone(r.started())
		for range 5 {
			want = append(want, r.post(10, "missed").ID)
		}
		time.Sleep(time.Millisecond)
		r.set(func() { r.add(gapless.Message{Place: 10, Author: gapless.User{ID: 99}, Text: "gone since"}) })
		time.Sleep(time.Minute)
		r.begin()
		time.Sleep(time.Minute)
		r.expect(want...)
		if n := r.called("Member"); n != 3 {
			t.Errorf("%d look-ups of members, want one for what was heard, and one for each author of what was read", n)
		}
		if s := r.status(); s.Refused[gapless.ReasonLeft] != 1 {
			t.Errorf("refused: %v", s.Refused)
		}
	})
}

// A message whose channel nobody has described is decided once it was read;
// that it names no guild does not make it a DM (C58).
func TestUnknownPlaceIsLookedUp(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.handles(quiet)
		r.cfg.Policy = gapless.Policy{Everyone: true, Allowed: gapless.PlaceList{Names: []string{"late"}}}
		r.open()
		r.begin()
		r.set(func() {
			r.channels = append(r.channels, gapless.Channel{ID: 40, Guild: home, Name: "late"}, gapless.Channel{ID: 50, Guild: home, Name: "other"})
		})
		a, b := r.mention(40), r.mention(50)
		time.Sleep(time.Minute)
		r.expect(a)
		if s := r.status(); s.Refused[gapless.ReasonPlace] != 1 {
			t.Errorf("refused: %v, want %s", s.Refused, b)
		}
	})
}

// The order in which the messages of a thread come to us decides nothing: one
// that needs an earlier mention to be for us waits while what lies below it is
// still being read (S40, promise 2).
func TestTakingPartDoesNotDependOnArrival(t *testing.T) {
	for name, mentioned := range map[string]bool{"mentioned in the outage": true, "not mentioned": false} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, r *rig) {
				r.selective()
				thread := gapless.Channel{ID: gapless.ChannelID(gapless.At[gapless.MessageID](time.Now())), Guild: home, Parent: 10, Kind: gapless.PublicThread}
				r.set(func() { r.channels = append(r.channels, thread) })
				r.admit(gapless.Event{Kind: gapless.ChannelSeen, Channel: &thread})
				time.Sleep(time.Minute)
				var want []gapless.MessageID
				r.set(func() {
					r.pause = 3 * time.Second
					m := r.add(gapless.Message{Place: thread.ID, Author: gapless.User{ID: friend}, Text: "hm"})
					if mentioned {
						m = r.add(gapless.Message{Place: thread.ID, Author: gapless.User{ID: friend}, Text: "you!", Mentions: []gapless.UserID{self}})
						want = append(want, m.ID)
					}
				})
				time.Sleep(time.Minute)
				r.begin()
				time.Sleep(time.Second)
				live := r.say(thread.ID, "and this")
				if mentioned {
					want = append(want, live)
				}
				time.Sleep(10 * time.Second)
				later := r.say(thread.ID, "and that")
				if mentioned {
					want = append(want, later)
				}
				time.Sleep(time.Minute)
				r.expect(want...)
				if s := r.status(); s.Messages["undecided"] != 0 {
					t.Errorf("messages %v", s.Messages)
				}
			})
		})
	}
}

// What was refused for want of a role stays refused when the role is given,
// though audits, the overlap of an outage and every later session read it again
// (R10, C40).
func TestRoleGivenLater(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.handles(quiet)
		r.cfg.NoAudit = false
		r.cfg.Policy = gapless.Policy{Roles: []gapless.RoleID{70}, Free: gapless.PlaceList{All: true}}
		r.set(func() { r.roles = map[gapless.UserID][]gapless.RoleID{friend: {}} })
		r.open()
		r.begin()
		time.Sleep(time.Minute)
		r.say(10, "may I?")
		r.say(10, "and now?")
		time.Sleep(time.Second)
		r.set(func() { r.roles[friend] = []gapless.RoleID{70} })
		missed := r.post(10, "with the role")
		time.Sleep(10 * time.Minute)
		r.begin()
		time.Sleep(20 * time.Minute)
		live := r.say(10, "once more")
		for range 3 {
			time.Sleep(20 * time.Minute)
			r.begin()
		}
		r.expect(missed.ID, live)
		if s := r.status(); s.Refused[gapless.ReasonUser] != 2 {
			t.Errorf("refused: %v", s.Refused)
		}
	})
}
