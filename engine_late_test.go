package gapless_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"gapless"
)

// by posts a message of somebody's without it being heard.
func (r *rig) by(who gapless.User, place gapless.ChannelID, text string) (m gapless.Message) {
	time.Sleep(time.Millisecond)
	r.set(func() { m = r.add(gapless.Message{Place: place, Author: who, Text: text}) })
	return m
}

var (
	ann = gapless.User{ID: friend, Name: "ann"}
	bea = gapless.User{ID: 78, Name: "bea"}
	bot = gapless.User{ID: 79, Name: "other", Bot: true}
)

// endings fails unless so many deliveries ended for each of the reasons.
func (r *rig) endings(want map[gapless.Reason]int) {
	r.t.Helper()
	got := r.status().Ended
	for why, n := range want {
		if got[why] != n {
			r.t.Errorf("ended %v, want %v", got, want)
			return
		}
	}
}

// Recovered commands and approvals are settled with their reason and reach no
// handler; what configuration calls the same as live does (C70, C71).
func TestRecoveredCommandsAndApprovalsAreSkipped(t *testing.T) {
	for name, c := range map[string]struct {
		rule   gapless.LateRule
		starts int
	}{"by default": {"", 1}, "as live ones": {gapless.LateSame, 3}} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, r *rig) {
				r.handles(quiet)
				r.cfg.Late.Recovered = gapless.Recovered{Command: c.rule, Approval: c.rule}
				r.open()
				r.begin()
				time.Sleep(time.Minute)
				r.by(ann, 10, "/stop")
				r.by(ann, 10, "yes")
				r.by(ann, 10, "what is new?")
				time.Sleep(time.Minute)
				r.begin()
				time.Sleep(time.Minute)
				if got := len(r.started()); got != c.starts {
					t.Errorf("%d starts, want %d", got, c.starts)
				}
				if c.starts == 1 {
					r.endings(map[gapless.Reason]int{gapless.LateCommand: 1, gapless.LateApproval: 1, gapless.Done: 1})
				}
			})
		})
	}
}

// The author of a late message is asked, once, and it waits aside: yes has it
// handled, no does not, silence lets it expire; others of the lane go on (C73).
func TestAuthorOfLateMessageIsAsked(t *testing.T) {
	for name, c := range map[string]struct {
		answer  string
		handled bool
		reason  gapless.Reason
	}{
		"yes": {"yes", true, gapless.Done}, "no": {"No!", false, gapless.Declined}, "nothing": {"", false, gapless.Expired},
		"something else": {"by the way", false, gapless.Expired},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, r *rig) {
				late := map[gapless.MessageID]bool{}
				r.handles(func(_ context.Context, d *gapless.Delivery) error {
					r.set(func() { late[d.First().ID] = d.Brief.Late })
					return nil
				})
				r.cfg.Late.Ask, r.cfg.Question, r.cfg.AskFor = 30*time.Minute, "still?", 2*time.Hour
				r.open()
				r.begin()
				time.Sleep(time.Minute)
				old := r.by(ann, 10, "old question")
				time.Sleep(time.Hour)
				r.begin()
				time.Sleep(time.Minute)
				r.expect()
				if got := r.said(10); !slices.Equal(got, []string{"still?"}) {
					t.Fatalf("said %q", got)
				}
				r.crash()
				r.open()
				r.begin()
				other := r.by(bea, 10, "yes")
				r.hear(other)
				var want []gapless.MessageID
				want = append(want, other.ID)
				if c.answer != "" {
					m := r.by(ann, 10, c.answer)
					r.hear(m)
					if c.reason == gapless.Expired {
						want = append(want, m.ID)
					}
				}
				if c.handled {
					want = append(want, old.ID)
				}
				time.Sleep(3 * time.Hour)
				r.expect(want...)
				r.endings(map[gapless.Reason]int{c.reason: map[bool]int{true: 2, false: 1}[c.handled]})
				said := r.said(10)
				r.set(func() {
					if late[old.ID] != c.handled || len(said) != 1 {
						t.Errorf("late %v, said %q", late, said)
					}
				})
				r.settled(c.reason, map[bool]int{true: 2, false: 1}[c.handled])
			})
		})
	}
}

// What waits in a lane is given as configured: each for itself with the
// author's later ones told of, an author's run at once, or the newest alone.
func TestBacklogs(t *testing.T) {
	for name, c := range map[string]struct {
		how    gapless.Backlog
		starts [][]int // members of the turns, by the order in which they were posted
		later  int     // told of at the first turn
		older  int
	}{
		"each":   {gapless.BacklogEach, [][]int{{0}, {1}, {2}, {3}}, 2, 0},
		"joined": {gapless.BacklogJoined, [][]int{{0, 1}, {2}, {3}}, 1, 0},
		"latest": {gapless.BacklogLatest, [][]int{{3}}, 0, 3},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, r *rig) {
				var posted []gapless.MessageID
				var starts [][]int
				var later, older []int
				r.handles(func(_ context.Context, d *gapless.Delivery) error {
					var members []int
					r.set(func() {
						for _, it := range d.Messages {
							members = append(members, slices.Index(posted, it.Message.ID))
						}
					})
					r.set(func() {
						starts = append(starts, members)
						later, older = append(later, len(d.Brief.Later)), append(older, len(d.Brief.Older))
					})
					return nil
				})
				r.cfg.Backlogs = []gapless.BacklogRule{{Place: "general", How: c.how}}
				r.open()
				r.begin()
				time.Sleep(time.Minute)
				for i, who := range []gapless.User{ann, ann, bea, ann} {
					m := r.by(who, 10, []string{"a", "b", "c", "d"}[i])
					r.set(func() { posted = append(posted, m.ID) })
				}
				time.Sleep(time.Minute)
				r.begin()
				time.Sleep(time.Minute)
				r.set(func() {
					if !slices.EqualFunc(starts, c.starts, slices.Equal[[]int]) || later[0] != c.later || older[0] != c.older {
						t.Errorf("turns %v, later %v, older %v", starts, later, older)
					}
				})
			})
		})
	}
}

// A text that its author split is one turn: live after a short delay, in
// recovery by the times at which its parts were written, across pages (S48).
func TestSplitTextsAreJoined(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		var sizes []int
		r.handles(func(_ context.Context, d *gapless.Delivery) error {
			r.set(func() { sizes = append(sizes, len(d.Messages)) })
			return nil
		})
		r.cfg.Join = 2 * time.Second
		r.open()
		r.begin()
		time.Sleep(time.Minute)
		for range 3 {
			r.say(10, "part")
			time.Sleep(600 * time.Millisecond)
		}
		time.Sleep(time.Minute)
		r.say(10, "/command")
		r.say(10, "part")
		time.Sleep(time.Minute)
		for i := range 6 {
			r.by(ann, 10, "part")
			time.Sleep(map[bool]time.Duration{true: time.Second, false: time.Minute}[i%2 == 0])
		}
		r.begin()
		time.Sleep(time.Minute)
		r.set(func() {
			if want := []int{3, 1, 1, 2, 2, 2}; !slices.Equal(sizes, want) {
				t.Errorf("turns of %v messages, want %v", sizes, want)
			}
		})
	})
}

// Bots that answer each other have a budget, which a person's word renews; a
// repeated text is handled once where configuration wants that (C74).
func TestLanesDoNotRunInCircles(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.handles(quiet)
		r.cfg.Policy.Bots, r.cfg.BotTurns, r.cfg.Merge = gapless.BotsAll, 3, true
		r.open()
		r.begin()
		for i := range 5 {
			r.hear(r.by(bot, 10, string(rune('a'+i))))
		}
		time.Sleep(time.Minute)
		r.endings(map[gapless.Reason]int{gapless.Done: 3, gapless.TooManyBots: 2})
		r.say(10, "hello?")
		r.hear(r.by(bot, 10, "again"))
		r.say(10, "anybody there?")
		r.say(10, "Anybody  there?")
		time.Sleep(time.Minute)
		r.endings(map[gapless.Reason]int{gapless.Done: 6, gapless.TooManyBots: 2, gapless.Repeated: 1})
	})
}

// An edit lets a refused message in only where configuration says so, once,
// and not after the window (R10, C64).
func TestEditsThatAdmit(t *testing.T) {
	for name, c := range map[string]struct {
		rule   gapless.EditRule
		after  time.Duration
		starts int
	}{"ignored": {"", time.Minute, 0}, "admitted": {gapless.EditAdmit, time.Hour, 1}, "too old": {gapless.EditAdmit, 7 * time.Hour, 0}} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, r *rig) {
				r.handles(quiet)
				r.cfg.Policy = gapless.Policy{Everyone: true, OnEdit: c.rule}
				r.open()
				r.begin()
				m := r.post(10, "hello")
				r.hear(m)
				time.Sleep(c.after)
				m.Text, m.Mentions = "hello, you", []gapless.UserID{self}
				for range 2 {
					m.EditedAt = time.Now()
					r.admit(gapless.Event{Kind: gapless.MessageEdited, Message: &m})
					time.Sleep(time.Minute)
				}
				if got := len(r.started()); got != c.starts {
					t.Errorf("%d starts, want %d", got, c.starts)
				}
			})
		})
	}
}

// A text whose parts lie on two pages of history is one turn (S48).
func TestSplitTextsAreJoinedAcrossPages(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		var sizes []int
		r.handles(func(_ context.Context, d *gapless.Delivery) error {
			r.set(func() { sizes = append(sizes, len(d.Messages)) })
			return nil
		})
		r.cfg.Join = 2 * time.Second
		r.cfg.Budget.Turns = 1000
		r.open()
		r.begin()
		time.Sleep(time.Minute)
		for range 97 {
			r.by(ann, 10, "alone")
			time.Sleep(5 * time.Second)
		}
		for range 6 { // three on the first page, three on the second
			r.by(ann, 10, "part")
			time.Sleep(500 * time.Millisecond)
		}
		time.Sleep(time.Minute)
		r.begin()
		time.Sleep(time.Minute)
		r.set(func() {
			if n := len(sizes); n != 98 || sizes[n-1] != 6 {
				t.Errorf("%d turns, the last ones of %v messages", n, sizes[max(n-3, 0):])
			}
		})
	})
}
