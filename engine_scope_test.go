package gapless_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"gapless"
)

// missed posts one message in each channel during an outage and comes back.
func (r *rig) missed(places ...gapless.ChannelID) []gapless.MessageID {
	r.t.Helper()
	time.Sleep(time.Minute)
	var out []gapless.MessageID
	for _, p := range places {
		out = append(out, r.post(p, "missed").ID)
	}
	time.Sleep(time.Minute)
	r.begin()
	time.Sleep(time.Minute)
	return out
}

// What scope leaves out is heard live and never read; what comes into it is met
// for the first time: nothing said before is replayed (R4).
func TestScopeBoundsRecoveryAndFirstContactFollows(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.handles(quiet)
		r.cfg.Scope = gapless.Scope{Channels: []gapless.Ref{"#general"}}
		r.open()
		r.begin()
		a, b := r.say(10, "one"), r.say(20, "two")
		m := r.missed(10, 20)
		want := []gapless.MessageID{a, b, m[0]}
		r.expect(want...)
		r.close()

		r.cfg.Scope = gapless.Scope{}
		r.open()
		r.begin()
		time.Sleep(time.Minute)
		r.expect(want...) // 20 is met for the first time
		want = append(want, r.missed(10, 20)...)
		got := r.started() // lanes run side by side
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("handlers were started for %v, want %v", got, want)
		}
		if s := r.status(); len(s.Gaps) != 0 {
			t.Errorf("open gaps: %+v", s.Gaps)
		}
	})
}

// A gap whose place leaves the scope ends as out of scope.
func TestLeavingTheScopeEndsGaps(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.handles(quiet)
		r.open()
		r.begin()
		first := r.say(20, "one")
		r.set(func() {
			r.broken = func(deed string, _ gapless.ChannelID) error {
				if deed == "After" {
					return gapless.ErrForbidden
				}
				return nil
			}
		})
		r.missed(20)
		if s := r.status(); len(s.Gaps) != 1 {
			t.Fatalf("open gaps: %+v", s.Gaps)
		}
		r.close()
		calls := r.called("After")
		r.cfg.Scope = gapless.Scope{Except: []gapless.Ref{"20"}}
		r.open()
		r.begin()
		r.missed(20)
		if s := r.status(); len(s.Gaps) != 0 || r.called("After") != calls {
			t.Errorf("open gaps: %+v, %d calls more", s.Gaps, r.called("After")-calls)
		}
		r.expect(first)
	})
}

// Where recovery is off, what was missed is a closed range that says so (S54),
// also with audits on; where the place is to be told, it is told once.
func TestRecoveryOffAndNotice(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.handles(quiet)
		r.cfg.NoAudit = false
		r.cfg.Notice = func(from, to time.Time) string { return fmt.Sprintf("away for %s", to.Sub(from).Round(time.Minute)) }
		r.cfg.Exceptions = []gapless.RecoverRule{{Place: "general", How: gapless.RecoverOff}, {Place: "20", How: gapless.RecoverNotice}}
		r.open()
		r.begin()
		want := []gapless.MessageID{r.say(10, "one"), r.say(20, "two"), r.say(30, "three")}
		m := r.missed(10, 20, 30)
		want = append(want, m[2])
		time.Sleep(20 * time.Minute)
		live := r.say(10, "live")
		time.Sleep(time.Minute)
		r.expect(append(want, live)...)
		reasons := map[gapless.ChannelID]gapless.Reason{}
		for _, c := range r.status().Ranges {
			if c.Reason != gapless.EndUnaudited {
				reasons[c.Place] = c.Reason
			}
		}
		if len(reasons) != 2 || reasons[10] != gapless.EndOff || reasons[20] != gapless.EndNotice {
			t.Errorf("closed ranges: %v", reasons)
		}
		if got := r.said(20); !slices.Equal(got, []string{"away for 2m0s"}) {
			t.Errorf("said in 20: %q", got)
		}
		if len(r.said(10))+len(r.said(30)) != 0 {
			t.Errorf("said elsewhere: %q, %q", r.said(10), r.said(30))
		}
	})
}

// said is what the bot posted in a place, in order.
func (r *rig) said(place gapless.ChannelID) (out []string) {
	r.set(func() {
		for _, a := range r.answers {
			if a.reply.Place == place {
				out = append(out, a.reply.Text)
			}
		}
	})
	return out
}

// Everything off: no call is made, whatever happens (S54).
func TestRecoveryOffMakesNoCalls(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.handles(quiet)
		r.cfg.Recover, r.cfg.NoAudit = gapless.RecoverOff, false
		r.open()
		r.begin()
		first := r.say(10, "one")
		r.missed(10, 20)
		time.Sleep(time.Hour)
		r.admit(gapless.Event{Kind: gapless.SequenceJumped})
		time.Sleep(time.Hour)
		r.expect(first)
		r.set(func() {
			if len(r.calls) > 0 {
				t.Errorf("calls: %v", r.calls)
			}
		})
	})
}

// The look-back reads a place once, when it is met, and never again.
func TestLookBackOnce(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.handles(quiet)
		r.cfg.LookBack = 2 * time.Hour
		r.cfg.Budget.Window = time.Hour
		r.post(10, "too old")
		time.Sleep(3 * time.Hour)
		want := []gapless.MessageID{r.post(10, "old").ID, r.post(20, "old").ID}
		time.Sleep(90 * time.Minute)
		r.open()
		r.begin()
		time.Sleep(time.Minute)
		slices.Sort(want)
		got := r.started()
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("handlers were started for %v, want %v", got, want)
		}
		r.close()
		r.open()
		r.begin()
		time.Sleep(time.Minute)
		if n := len(r.started()); n != 2 {
			t.Errorf("%d starts", n)
		}
	})
}

// Names that mean nothing are reported, by the pass and once in the log (S18).
func TestUnmatchedScopeIsReported(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.handles(quiet)
		r.cfg.Scope = gapless.Scope{Channels: []gapless.Ref{"general", "genral"}, Guilds: []gapless.Ref{"home", "99"}}
		r.cfg.Exceptions = []gapless.RecoverRule{{Place: "nowhere", How: gapless.RecoverOff}}
		r.open()
		r.begin()
		r.say(10, "one")
		r.missed(10)
		want := []gapless.Ref{"99", "genral", "nowhere"}
		if got := r.status().Passes[0].Unmatched; !slices.Equal(got, want) {
			t.Errorf("unmatched %v, want %v", got, want)
		}
		if n := strings.Count(r.journal.String(), "configuration names places"); n != 1 {
			t.Errorf("said %d times", n)
		}
	})
}

// restoredLedger says that it was restored from a backup.
type restoredLedger struct {
	gapless.Ledger
	behind int64
}

func (l *restoredLedger) Load(ctx context.Context) (gapless.Memory, error) {
	m, err := l.Ledger.Load(ctx)
	m.Behind = l.behind
	return m, err
}

// What lies between a restored ledger's marks and the inventory is held for
// the operator: it may have been answered after the backup. What is said later
// is handled as ever, and what was begun is not begun again (R15).
func TestRestoredLedgerHoldsWhatItLacks(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.handles(quiet)
		r.cfg.NoAudit = false
		r.open()
		r.begin()
		first := r.say(10, "one")
		time.Sleep(time.Minute)
		r.close()
		for range 3 { // handled after the backup by a boot whose ledger is lost
			r.post(10, "since")
		}
		r.set(func() {
			thread := gapless.Channel{ID: gapless.ChannelID(r.posts[10][2].ID), Guild: home, Parent: 10, Kind: gapless.PublicThread}
			r.channels = append(r.channels, thread)
		})
		thread := r.channels[len(r.channels)-1].ID
		r.post(thread, "since")
		time.Sleep(time.Minute)
		r.wrap = func(l gapless.Ledger) gapless.Ledger { return &restoredLedger{l, 7} }
		r.open()
		if s, ok := r.engine.Session(0); !ok || s.ID != "" {
			t.Errorf("the session would be resumed: %+v", s)
		}
		r.begin()
		time.Sleep(time.Minute)
		live := r.say(10, "live")
		time.Sleep(time.Hour)
		r.expect(first, live)
		m := r.missed(10, 20, thread)
		time.Sleep(time.Hour)
		got := r.started()
		slices.Sort(got)
		if want := append([]gapless.MessageID{first, live}, m...); !slices.Equal(got, want) {
			t.Fatalf("handlers were started for %v, want %v", got, want)
		}
		held := 0
		for _, g := range r.status().Gaps {
			if g.Obstacle != gapless.ObstacleRestored {
				t.Errorf("open gap %+v", g)
			}
			held++
		}
		if held != 4 {
			t.Errorf("%d held gaps, want what was not compared in the first channel, and what lies above in two and in the new thread", held)
		}
		if p := r.status().Passes[0]; p.State != gapless.PassDegraded {
			t.Errorf("the last pass is %s", p.State)
		}
	})
}
