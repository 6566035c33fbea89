package gapless_test

import (
	"errors"
	"testing"
	"time"

	"gapless"
)

// A finished answer is stored before it is sent: after a crash between the two
// the next boot sends it, and the handler is not asked again (promise 8).
func TestStoredAnswerSurvivesACrash(t *testing.T) {
	for _, c := range []struct {
		name  string
		taken bool // Discord had it before the crash
		pause time.Duration
	}{
		{"not taken, back at once", false, time.Second},
		{"not taken, back after an hour", false, time.Hour},
		{"taken, back at once", true, time.Second},
		{"taken, back after an hour", true, time.Hour},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, r *rig) {
				r.sends(func(int, gapless.Reply) error {
					if c.taken {
						return errLostAnswer
					}
					return gapless.ErrUnavailable
				})
				r.open()
				r.begin()
				id := r.say(10, "hello")
				time.Sleep(200 * time.Millisecond)
				if n := r.called("Send"); n != 1 {
					t.Fatalf("%d posts before the crash", n)
				}
				r.crash()
				r.sends(nil)
				time.Sleep(c.pause)
				r.open()
				time.Sleep(time.Minute)
				r.expect(id)
				r.answered(10, "re: hello")
				r.settled(gapless.Answered, 1)
			})
		})
	}
}

// Our own message, heard with a reply's nonce, is proof that it was sent.
func TestOwnMessageIsEvidence(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.sends(func(int, gapless.Reply) error { return errLostAnswer })
		r.open()
		r.begin()
		r.say(10, "hello")
		time.Sleep(100 * time.Millisecond)
		var own gapless.Message
		r.set(func() { own = r.posts[10][1] })
		own.Guild = home
		r.hear(own)
		r.settled(gapless.Answered, 1)
		time.Sleep(time.Hour)
		r.answered(10, "re: hello")
	})
}

// An answer taken over from an earlier process counts its window from the
// intent: that process may have posted it then.
func TestWindowOfATakenOverReply(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.sends(func(n int, _ gapless.Reply) error {
			if n == 1 {
				return errLostAnswer // the only one that arrives
			}
			return gapless.ErrUnavailable
		})
		r.open()
		r.begin()
		r.say(10, "hello")
		intent := time.Now()
		time.Sleep(200 * time.Millisecond)
		r.crash()
		time.Sleep(time.Until(intent.Add(100 * time.Second)))
		r.open()
		time.Sleep(time.Until(intent.Add(gapless.NonceWindow + time.Second)))
		posts := r.called("Send")
		r.sends(func(int, gapless.Reply) error { return nil })
		time.Sleep(time.Hour)
		if n := r.called("Send"); n != posts {
			t.Errorf("it was posted %d times more after the window of the first try", n-posts)
		}
		r.answered(10, "re: hello")
	})
}

// An answer that was heard is sent, even if somebody deletes it before we look
// for it: it must not come back.
func TestHeardAnswerIsNotSentAgain(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.sends(func(n int, _ gapless.Reply) error { return errLostAnswer })
		r.open()
		r.begin()
		r.say(10, "hello")
		time.Sleep(100 * time.Millisecond)
		var own gapless.Message
		r.set(func() { own = r.posts[10][1] })
		own.Guild = home
		r.hear(own)
		time.Sleep(time.Minute)
		r.set(func() { r.answers = nil }) // a moderator deletes it
		time.Sleep(time.Hour)
		if got := r.holds(10); len(got) != 0 {
			t.Errorf("discord holds %q again", got)
		}
	})
}

// A search believes history only ten seconds after the last try: what was just
// taken may not be there yet.
func TestSearchWaitsForHistory(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.set(func() { r.lag = 5 * time.Second })
		back := time.Now().Add(5 * time.Minute)
		r.sends(func(int, gapless.Reply) error {
			if time.Now().Before(back) {
				return errors.Join(gapless.ErrNotSent, gapless.ErrUnavailable) // the rate limit, say
			}
			return errLostAnswer
		})
		r.open()
		r.begin()
		r.say(10, "hello")
		time.Sleep(time.Until(back))
		r.refuse("Sent", 1000) // what becomes of the next try is not stored any more
		for len(r.holds(10)) == 0 {
			time.Sleep(10 * time.Millisecond)
		}
		r.crash()
		r.refuse("", 0)
		r.sends(nil)
		posts := r.called("Send")
		r.open()
		time.Sleep(time.Hour)
		r.answered(10, "re: hello")
		r.settled(gapless.Answered, 1)
		if n := r.called("Send"); n != posts || r.called("Find") == 0 {
			t.Errorf("it was posted %d times more, after %d searches", n-posts, r.called("Find"))
		}
	})
}

// Of the answers that wait in one place when a process dies, only the first can
// have been on its way: the others are posted without a look for each.
func TestOnlyOneOfManyAnswersIsLookedFor(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.sends(func(int, gapless.Reply) error { return gapless.ErrUnavailable })
		r.open()
		r.begin()
		for range 10 {
			r.say(10, "hello")
		}
		time.Sleep(time.Second)
		r.crash()
		r.sends(nil)
		time.Sleep(10 * time.Minute)
		r.open()
		time.Sleep(10 * time.Minute)
		if n := r.called("Find"); n != 1 {
			t.Errorf("%d look-ups", n)
		}
		if n := len(r.said(10)); n != 10 {
			t.Errorf("%d answers", n)
		}
	})
}

// A reply of the bot's account that only says that it does not work answers
// nothing: what it refers to is still owed after a crash (S27).
func TestOutageNoticeIsNoAnswer(t *testing.T) {
	for text, starts := range map[string]int{
		"The agent is currently offline.": 2, "Helper was unavailable": 2, "That package is unavailable.": 1, "The bots are down": 1,
	} {
		t.Run(text, func(t *testing.T) {
			bubble(t, func(t *testing.T, r *rig) {
				r.cfg.Outages = gapless.OutageNotices("helper")
				r.works(time.Hour)
				r.open()
				r.begin()
				id := r.say(10, "question")
				time.Sleep(time.Minute)
				r.set(func() {
					r.add(gapless.Message{Place: 10, Author: gapless.User{ID: self, Bot: true}, Type: 19, Text: text, Reference: gapless.Reference{Message: id, Place: 10, Known: true}})
				})
				r.crash()
				r.handles(quiet)
				r.open()
				r.begin()
				time.Sleep(time.Minute)
				if got := len(r.started()); got != starts {
					t.Errorf("%d starts, want %d", got, starts)
				}
			})
		})
	}
}
