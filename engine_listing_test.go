package gapless_test

import (
	"slices"
	"testing"
	"time"

	"gapless"
)

// archive puts threads into a parent's list of archived ones, the latest first.
func (r *rig) archive(parent gapless.ChannelID, list gapless.ArchivedList, threads ...gapless.Channel) {
	r.set(func() {
		if r.archived == nil {
			r.archived = map[gapless.ChannelID]map[gapless.ArchivedList][]gapless.Channel{}
		}
		if r.archived[parent] == nil {
			r.archived[parent] = map[gapless.ArchivedList][]gapless.Channel{}
		}
		r.archived[parent][list] = append(threads, r.archived[parent][list]...)
	})
}

// born is a thread made now, with one message in it.
func (r *rig) born(parent gapless.ChannelID, kind gapless.ChannelKind) (gapless.Channel, gapless.MessageID) {
	id := gapless.ChannelID(r.post(parent, "let us talk").ID) + 1
	return gapless.Channel{ID: id, Guild: home, Parent: parent, Kind: kind, ArchiveAt: time.Now()}, r.post(id, "in the thread").ID
}

// back comes out of an outage with a new session.
func (r *rig) back() {
	g := r.inventory()
	r.admit(began(home), gapless.Event{Kind: gapless.GuildSeen, Guild: &g})
}

// A thread that was born, used and archived while we were away is in no
// inventory; the listings owed after the outage bring it (R7, C41, C44).
func TestThreadBornAndArchivedWhileAway(t *testing.T) {
	for name, c := range map[string]struct {
		outage time.Duration
		list   gapless.ArchivedList
		kind   gapless.ChannelKind
		audits bool
		within time.Duration
	}{
		"a long outage":                      {2 * time.Hour, gapless.ArchivedPublic, gapless.PublicThread, false, 30 * time.Second},
		"private, with the right to see all": {2 * time.Hour, gapless.ArchivedPrivate, gapless.PrivateThread, false, 30 * time.Second},
		"a short outage, in rotation":        {10 * time.Minute, gapless.ArchivedPublic, gapless.PublicThread, true, 2 * time.Minute},
		"a short outage, audits off":         {10 * time.Minute, gapless.ArchivedPublic, gapless.PublicThread, false, 2 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, r *rig) {
				r.handles(quiet)
				r.cfg.NoAudit = !c.audits
				r.open()
				r.begin()
				time.Sleep(time.Minute)
				r.admit(seen(time.Now()))
				time.Sleep(c.outage / 2)
				thread, m := r.born(20, c.kind)
				r.archive(20, c.list, thread)
				time.Sleep(c.outage / 2)
				r.back()
				time.Sleep(c.within)
				if !r.has(m) {
					t.Errorf("started %v, want %s among them", r.started(), m)
				}
				calls := r.called("Archived public") + r.called("Archived private")
				if calls != 6 {
					t.Errorf("%d calls for three parents with two lists each", calls)
				}
				time.Sleep(time.Hour)
				if n := r.called("Archived public") + r.called("Archived private"); n != calls {
					t.Errorf("%d more calls although the debt is paid", n-calls)
				}
			})
		})
	}
}

// seen stores that the connection was good until then.
func seen(at time.Time) gapless.Event {
	return gapless.Event{Kind: gapless.SessionResumed, At: at}
}

func (r *rig) has(id gapless.MessageID) bool {
	return slices.Contains(r.started(), id)
}

// After a short outage a parent whose page tells of an unknown thread is listed
// in the same pass, and no other one is.
func TestPageThatTellsOfAThread(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.handles(quiet)
		r.cfg.NoAudit = false
		r.open()
		r.begin()
		r.say(20, "before")
		time.Sleep(50 * time.Second)
		r.admit(seen(time.Now()))
		time.Sleep(time.Minute)
		thread, m := r.born(20, gapless.PublicThread)
		r.set(func() {
			r.add(gapless.Message{Place: 20, Type: 18, Author: gapless.User{ID: friend}, Reference: gapless.Reference{Place: thread.ID}})
		})
		r.archive(20, gapless.ArchivedPublic, thread)
		time.Sleep(2 * time.Minute)
		r.back()
		time.Sleep(5 * time.Second)
		if !r.has(m) {
			t.Errorf("started %v, want %s among them", r.started(), m)
		}
		if n := r.called("Archived public"); n != 1 {
			t.Errorf("%d parents were listed", n)
		}
	})
}

// A listing is read back to the beginning of the outage, over as many pages as
// that takes, and no further (C45); without the right to see all private
// threads, those we have joined are listed (C47).
func TestListingIsReadToItsEnd(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.handles(quiet)
		r.broken = func(deed string, _ gapless.ChannelID) error {
			if deed == "Archived private" {
				return gapless.ErrForbidden
			}
			return nil
		}
		var old []gapless.Channel
		for range 500 {
			old = append(old, gapless.Channel{ID: gapless.ChannelID(gapless.At[gapless.MessageID](zero.Add(-time.Hour))), Kind: gapless.PublicThread, ArchiveAt: zero.Add(-time.Hour)})
		}
		r.archive(20, gapless.ArchivedPublic, old...)
		r.open()
		r.begin()
		time.Sleep(time.Minute)
		r.admit(seen(time.Now()))
		var want []gapless.MessageID
		for i := range 120 {
			thread, m := r.born(20, gapless.PublicThread)
			r.archive(20, gapless.ArchivedPublic, thread)
			if i == 0 { // it is on the last page that counts
				want = append(want, m)
			}
		}
		thread, m := r.born(20, gapless.PrivateThread)
		r.archive(20, gapless.ArchivedJoined, thread)
		time.Sleep(2 * time.Hour)
		r.cfg.Budget.Turns = 1000
		r.back()
		time.Sleep(20 * time.Minute)
		for _, id := range append(want, m) {
			if !r.has(id) {
				t.Errorf("%s was not found", id)
			}
		}
		if n := r.called("Archived public"); n != 3+2 {
			t.Errorf("%d pages of public threads, want 3 of the one parent and 1 of each other", n)
		}
	})
}

// A debt that cannot be paid stays, over failures and restarts, and an earlier
// one is not forgotten for a later one.
func TestListingDebtStays(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.handles(quiet)
		r.open()
		r.begin()
		time.Sleep(time.Minute)
		r.admit(seen(time.Now()))
		time.Sleep(time.Hour)
		thread, m := r.born(20, gapless.PublicThread)
		r.archive(20, gapless.ArchivedPublic, thread)
		time.Sleep(time.Hour)
		r.set(func() {
			r.broken = func(deed string, _ gapless.ChannelID) error {
				if deed == "Archived public" {
					return gapless.ErrUnavailable
				}
				return nil
			}
		})
		r.back()
		time.Sleep(10 * time.Minute)
		if r.has(m) {
			t.Fatal("found without a listing")
		}
		r.admit(seen(time.Now()))
		r.close()
		time.Sleep(time.Minute)
		r.open()
		r.back()
		r.set(func() { r.broken = nil })
		time.Sleep(time.Minute)
		if !r.has(m) {
			t.Errorf("started %v, want %s among them", r.started(), m)
		}
	})
}

// A guild that is met for the first time owes nothing (promise 10).
func TestFirstContactOwesNoListing(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.handles(quiet)
		thread, _ := r.born(20, gapless.PublicThread)
		r.archive(20, gapless.ArchivedPublic, thread)
		r.open()
		r.back()
		time.Sleep(time.Hour)
		r.expect()
		if n := r.called("Archived public"); n != 0 {
			t.Errorf("%d listings", n)
		}
	})
}

// Without MANAGE_THREADS the list of all private threads is not asked for: the
// refusals would count (C47, F13).
func TestPrivateListNeedsManageThreads(t *testing.T) {
	for name, c := range map[string]struct {
		told bool // the bot knows its permissions
		want int  // calls for the list of all private threads, over two outages
	}{"known": {true, 0}, "not known": {false, 3}} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, r *rig) {
				r.set(func() {
					r.broken = func(deed string, _ gapless.ChannelID) error {
						if deed == "Archived private" {
							return gapless.ErrForbidden
						}
						return nil
					}
				})
				r.open()
				for range 3 {
					g := r.inventory()
					if c.told {
						g = r.town(nil)
					}
					r.come(g)
					time.Sleep(time.Minute)
					r.admit(seen(time.Now()))
					time.Sleep(2 * time.Hour)
				}
				if n := r.called("Archived private"); n != c.want {
					t.Errorf("%d calls, want %d", n, c.want)
				}
				if n := r.called("Archived joined"); n != 6 {
					t.Errorf("%d calls for the joined ones", n)
				}
			})
		})
	}
}
