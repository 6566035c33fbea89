package gapless_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"gapless"
)

// lose has a message written that the connection does not bring.
func (r *rig) lose(place gapless.ChannelID, text string) gapless.MessageID {
	return r.post(place, text).ID
}

// One event lost on a healthy connection is found within one interval, once,
// and told apart; then the connection is no longer trusted (C21, R13).
func TestSilentLossIsFoundByTheAudit(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.handles(quiet)
		deaf := 0
		r.cfg.NoAudit, r.cfg.Audit, r.cfg.Deaf = false, time.Minute, func(string) { deaf++ }
		r.open()
		r.begin()
		first := r.say(10, "one")
		lost := r.lose(10, "two")
		last := r.say(10, "three")
		time.Sleep(90 * time.Second)
		r.expect(first, last, lost)
		if got := r.log()[2].origin; got != gapless.OriginAudit {
			t.Errorf("origin %s", got)
		}
		if deaf != 1 {
			t.Errorf("the connection was doubted %d times", deaf)
		}
		s := r.status()
		if n := silent(s.Passes); n != 1 {
			t.Errorf("%d silent losses recorded: %+v", n, s.Passes)
		}
		if p := s.Places[0]; p.Verified != last {
			t.Errorf("verified %s, want the last message %s", p.Verified, last)
		}
		pages := r.called("After")
		time.Sleep(time.Hour)
		if n := r.called("After") - pages; n != 0 {
			t.Errorf("%d pages were read although nothing moved", n)
		}
	})
}

func silent(passes []gapless.Pass) (n int) {
	for _, p := range passes {
		n += p.Silent
	}
	return n
}

// What is lost above every head shows in the inventory, which is asked for in
// rotation (R3, R13, C17), and at once after RESUMED (C04).
func TestSilentLossAtTheHead(t *testing.T) {
	for name, c := range map[string]struct {
		resumed bool
		within  time.Duration
	}{
		"in rotation":   {false, 7 * time.Minute},
		"after RESUMED": {true, 30 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, r *rig) {
				r.handles(quiet)
				r.cfg.NoAudit = false
				r.open()
				r.begin()
				first := r.say(10, "one")
				time.Sleep(2 * time.Minute)
				lost := r.lose(10, "two")
				time.Sleep(15 * time.Second)
				if c.resumed {
					r.admit(gapless.Event{Kind: gapless.SessionResumed, Origin: gapless.OriginReplay, At: time.Now()})
				}
				time.Sleep(c.within)
				r.expect(first, lost)
			})
		})
	}
}

// A quiet guild costs the two calls of its inventory every few minutes, and
// nothing else happens (C18).
func TestQuietGuildIsCheap(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.cfg.NoAudit = false
		r.open()
		r.begin()
		time.Sleep(2 * time.Hour)
		r.expect()
		if n := r.called("Inventory"); n > 2*60/5+1 {
			t.Errorf("%d inventories in two hours", n)
		}
		if n := r.called("After"); n != 0 {
			t.Errorf("%d pages", n)
		}
	})
}

// A message that is still on its way is no loss: the audit leaves the last ten
// seconds alone, and an inventory entry counts once it is that old (R3).
func TestAuditWaitsForWhatIsOnItsWay(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.handles(quiet)
		deaf := 0
		r.cfg.NoAudit, r.cfg.Audit, r.cfg.Deaf = false, time.Minute, func(string) { deaf++ }
		r.open()
		r.begin()
		var want []gapless.MessageID
		for range 200 { // posted, and heard five seconds later
			m := r.post(10, "slow")
			time.Sleep(5 * time.Second)
			r.hear(m)
			want = append(want, m.ID)
		}
		time.Sleep(2 * time.Minute)
		r.expect(want...)
		if deaf != 0 {
			t.Errorf("doubted %d times", deaf)
		}
	})
}

// What could not be compared before the window took it is closed, and shown.
func TestUnauditedRange(t *testing.T) {
	p := gapless.Place{ID: 10, Floor: 1, Verified: at(-10 * time.Hour), Head: at(-time.Hour)}
	l, ok := p.Audit(gapless.Horizon{Now: zero, Window: 6 * time.Hour})
	if !ok || len(l.Closed) != 1 || len(l.Gaps) != 1 {
		t.Fatalf("got %+v, %v", l, ok)
	}
	if c, g := l.Closed[0], l.Gaps[0]; c.Reason != gapless.EndUnaudited || c.After != p.Verified || c.Upto != g.From || g.Upto != p.Head || !g.HoldTill.IsZero() {
		t.Errorf("closed %+v, gap %+v", c, g)
	}
}

func at(d time.Duration) gapless.MessageID { return gapless.At[gapless.MessageID](zero.Add(d)) }

// A DM missed while nobody listened is found although nothing else is said in
// it (R6, C02), also when Discord has closed its channel meanwhile (C50).
func TestMissedDirectMessage(t *testing.T) {
	for _, closed := range []bool{false, true} {
		t.Run(fmt.Sprintf("closed %v", closed), func(t *testing.T) {
			bubble(t, func(t *testing.T, r *rig) {
				r.handles(quiet)
				r.open()
				r.begin()
				first := r.whisper("one")
				r.hear(first)
				time.Sleep(time.Minute)
				r.close()
				missed := r.whisper("two")
				if closed {
					r.set(func() {
						const anew = gapless.ChannelID(99999)
						r.posts[anew], r.posts[first.Place] = r.posts[first.Place], nil
						r.dms = map[gapless.UserID]gapless.ChannelID{friend: anew}
						r.broken = func(_ string, place gapless.ChannelID) error {
							if place == first.Place {
								return gapless.ErrUnknownChannel
							}
							return nil
						}
					})
				}
				time.Sleep(time.Minute)
				r.open()
				r.begin()
				time.Sleep(time.Minute)
				r.expect(first.ID, missed.ID)
			})
		})
	}
}

// A thousand remembered DMs in which nothing was missed cost the budget a
// minute and no more, the most recently active first.
func TestManyDirectMessagesWithinTheBudget(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.handles(quiet)
		r.cfg.Budget.Rest = time.Minute
		r.open()
		r.begin()
		for i := range 1000 {
			m := r.post(gapless.ChannelID(1000+i), "hello")
			m.Guild = 0
			r.hear(m)
		}
		time.Sleep(time.Minute)
		r.begin()
		time.Sleep(59 * time.Second)
		if n := r.called("Newest"); n > 100 {
			t.Errorf("%d calls in the first minute", n)
		}
		if s := r.status(); !slices.ContainsFunc(s.Passes[0].Remainder, func(m gapless.Remainder) bool { return m.Reason == gapless.ObstacleBudget }) {
			t.Errorf("the last pass names no remainder: %+v", s.Passes[0])
		}
		time.Sleep(12 * time.Minute)
		if n := r.called("Newest"); n != 1000 {
			t.Errorf("%d calls in all", n)
		}
	})
}

// However many guilds there are, an audit takes no more than its calls a
// minute, and every guild has its turn.
func TestAuditKeepsToItsBudget(t *testing.T) {
	for guilds, within := range map[int]time.Duration{5: 7 * time.Minute, 500: 45 * time.Minute} {
		t.Run(fmt.Sprint(guilds), func(t *testing.T) {
			bubble(t, func(t *testing.T, r *rig) {
				r.handles(quiet)
				r.cfg.NoAudit = false
				r.open()
				b := []gapless.Event{began()}
				for i := range guilds {
					b[0].Guilds = append(b[0].Guilds, gapless.GuildID(i+1))
				}
				for _, id := range b[0].Guilds {
					b = append(b, gapless.Event{Kind: gapless.GuildSeen, Guild: &gapless.Guild{ID: id}})
				}
				r.admit(b...)
				time.Sleep(30 * time.Second)
				most, before := 0, 0
				for range within / time.Minute {
					time.Sleep(time.Minute)
					n := r.called("Inventory")
					most, before = max(most, n-before), n
				}
				if most > 15 {
					t.Errorf("%d inventories of two calls in a minute", most)
				}
				if before < guilds {
					t.Errorf("%d of %d guilds had their turn", before, guilds)
				}
			})
		})
	}
}

// A DM in which the newest message was lost silently is asked for it in
// rotation: no inventory would tell (R13).
func TestSilentLossInADirectMessage(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.handles(quiet)
		r.cfg.NoAudit = false
		r.open()
		r.begin()
		first := r.whisper("one")
		r.hear(first)
		time.Sleep(10 * time.Minute)
		lost := r.whisper("two")
		time.Sleep(7 * time.Minute)
		r.expect(first.ID, lost.ID)
		calls := r.called("Newest")
		time.Sleep(24 * time.Hour)
		if n := r.called("Newest") - calls; n > 6*12+1 {
			t.Errorf("%d calls for a DM that fell silent: only recent ones are asked", n)
		}
	})
}

// A DM whose history comes back empty although a message of it exists is not
// settled by that: it is asked again (R9). One whose messages were all deleted
// is.
func TestDirectMessagesThatCannotBeSeen(t *testing.T) {
	for name, c := range map[string]struct {
		gone  bool
		found int
	}{"hidden for a while": {false, 2}, "deleted": {true, 1}} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, r *rig) {
				r.handles(quiet)
				r.open()
				r.begin()
				first := r.whisper("one")
				r.hear(first)
				time.Sleep(time.Minute)
				r.close()
				r.whisper("two")
				var kept []gapless.Message
				r.set(func() { kept, r.posts[first.Place] = r.posts[first.Place], nil })
				if !c.gone {
					r.cfg.History = hidden{r.discord, kept}
				}
				r.open()
				r.begin()
				time.Sleep(time.Minute)
				r.set(func() {
					if !c.gone {
						r.posts[first.Place] = kept
					}
				})
				time.Sleep(10 * time.Minute)
				if n := len(r.started()); n != c.found {
					t.Errorf("%d messages were handled", n)
				}
				calls := r.called("Newest")
				time.Sleep(time.Hour)
				if n := r.called("Newest") - calls; n != 0 {
					t.Errorf("%d more calls", n)
				}
			})
		})
	}
}

// hidden shows single messages that the pages do not.
type hidden struct {
	*discord
	kept []gapless.Message
}

func (h hidden) Message(_ context.Context, _ gapless.ChannelID, id gapless.MessageID) (gapless.Message, error) {
	for _, m := range h.kept {
		if m.ID == id {
			return m, nil
		}
	}
	return gapless.Message{}, gapless.ErrUnknownMessage
}

// Reconnects add no requests for what was just refused: RESUMED over and over
// waits out the pauses like everything else (R9).
func TestRefusedIsNotAskedAgainByReconnects(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.handles(quiet)
		r.cfg.NoAudit = false
		r.open()
		r.begin()
		m := r.whisper("one")
		r.hear(m)
		r.set(func() {
			r.broken = func(_ string, place gapless.ChannelID) error {
				if place == m.Place {
					return gapless.ErrForbidden
				}
				return nil
			}
		})
		time.Sleep(time.Minute)
		for range 20 {
			r.admit(seen(time.Now()))
			time.Sleep(2 * time.Second)
		}
		if n := r.called("Newest"); n > 2 {
			t.Errorf("the DM was asked %d times in forty seconds", n)
		}
	})
}
