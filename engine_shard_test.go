package gapless_test

import (
	"slices"
	"testing"
	"time"

	"gapless"
)

// far is a guild that two shards make the second one's.
const far = gapless.GuildID(1 << 22)

// shard is a connection of one shard among several.
type shard struct {
	*rig
	n, of int
	guild gapless.GuildID // that it shows
	place gapless.ChannelID
}

func (s shard) admit(events ...gapless.Event) {
	s.t.Helper()
	session := gapless.Session{Shard: s.n, Shards: s.of, ID: "s", Self: gapless.User{ID: self, Bot: true}, SeenAt: time.Now()}
	if err := s.engine.Admit(s.t.Context(), gapless.Batch{Events: events, Session: &session}); err != nil {
		s.t.Fatal(err)
	}
}

func (s shard) ready(guilds ...gapless.GuildID) {
	s.t.Helper()
	s.admit(gapless.Event{Kind: gapless.SessionBegan, Self: gapless.User{ID: self, Bot: true}, Guilds: guilds})
}

// begin is a READY and the guild.
func (s shard) begin() {
	s.t.Helper()
	s.ready(s.guild)
	s.show()
}

// show is a GUILD_CREATE, as Discord would send it now.
func (s shard) show() {
	s.t.Helper()
	in := s.inventory()
	in.ID = s.guild
	in.Channels = slices.DeleteFunc(in.Channels, func(c gapless.Channel) bool { return c.ID != s.place })
	for i := range in.Channels {
		in.Channels[i].Guild = s.guild
	}
	s.admit(gapless.Event{Kind: gapless.GuildSeen, Guild: &in})
}

func (s shard) say(text string) gapless.MessageID {
	s.t.Helper()
	m := s.post(s.place, text)
	m.Guild = s.guild
	s.admit(created(m))
	return m.ID
}

// pair is the two shards of a bot, and the one it had before.
func pair(r *rig) (zeroth, first, alone shard) {
	return shard{r, 0, 2, home, 10}, shard{r, 1, 2, far, 20}, shard{r, 0, 1, far, 20}
}

// A guild's shard changes to one whose own epoch is far lower: what was missed
// meanwhile is found all the same, through the inventory and through a message.
func TestReshardingMissesNothing(t *testing.T) {
	for name, shown := range map[string]bool{"the guild is shown": true, "a message comes first": false} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, r *rig) {
				r.handles(quiet)
				zeroth, first, alone := pair(r)
				r.open()
				for range 9 { // its epoch is high
					alone.ready(far, home)
					alone.show()
					shard{r, 0, 1, home, 10}.show()
					time.Sleep(time.Minute)
				}
				want := []gapless.MessageID{alone.say("before")}
				time.Sleep(time.Minute)
				r.close()

				want = append(want, r.post(20, "meanwhile").ID)
				time.Sleep(time.Minute)
				r.open()
				zeroth.begin()
				time.Sleep(5 * time.Second)
				first.ready(far)
				if shown {
					first.show()
				} else {
					want = append(want, first.say("live"))
				}
				time.Sleep(5 * time.Minute)
				r.expect(want...)
				if n := len(r.status().Gaps); n != 0 {
					t.Errorf("%d gaps stay open", n)
				}
			})
		})
	}
}

// Marks, gaps and debts go along when the number of shards grows and shrinks.
func TestReshardingKeepsMarks(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.handles(quiet)
		zeroth, first, alone := pair(r)
		r.open()
		zeroth.begin()
		first.begin()
		a := first.say("one")
		time.Sleep(time.Minute)
		before := placeStatus(r, 20)
		left := time.Now()
		zeroth.admit() // it was heard longer
		time.Sleep(time.Hour)
		thread, in := r.born(20, gapless.PublicThread)
		thread.Guild = far
		time.Sleep(time.Hour)
		thread.ArchiveAt = time.Now()
		r.archive(20, gapless.ArchivedPublic, thread)

		alone.ready(home, far)
		if mark := sessionStatus(r, 0); !mark.DiscontinuitySince.Equal(left.Add(-time.Minute)) {
			t.Errorf("the outage began at %s, not when the other shard was heard last", mark.DiscontinuitySince)
		}
		alone.show()
		shard{r, 0, 1, home, 10}.show()
		time.Sleep(time.Minute)
		if after := placeStatus(r, 20); after.Head < before.Head || after.Floor != before.Floor || after.Gone {
			t.Errorf("the marks were %+v and are %+v", before, after)
		}
		b := alone.say("two")
		time.Sleep(time.Minute)
		r.expect(a, starter(r, 20), in, b)
	})
}

// A shard's READY says nothing of the guilds of others, and its outage is not
// theirs (R2).
func TestShardsStandApart(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.handles(quiet)
		zeroth, first, _ := pair(r)
		r.open()
		zeroth.begin()
		first.begin()
		ids := []gapless.MessageID{first.say("one"), zeroth.say("two")}
		time.Sleep(time.Minute)
		ids = append(ids, r.post(10, "missed").ID)
		zeroth.begin()
		time.Sleep(time.Minute)
		ids = append(ids, first.say("three"))
		time.Sleep(time.Minute)
		r.expect(ids...)
		if n := r.called("Inventory"); n != 0 {
			t.Errorf("%d inventories were asked for", n)
		}
		if s := sessionStatus(r, 1); s.Epoch != 1 {
			t.Errorf("the other shard's epoch is %d", s.Epoch)
		}
		for _, pass := range r.status().Passes {
			if pass.Calls > 0 && pass.Examined > 2 {
				t.Errorf("more was read than the one place that missed something: %+v", pass)
			}
		}
	})
}

// What is read for a shard that has not met the bot yet is admitted by what
// another shard knows of it: a mention is one.
func TestGapIsReadBeforeItsShardIsBack(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.handles(quiet)
		r.cfg.Policy.Free.All = false
		r.set(func() { r.broken = func(string, gapless.ChannelID) error { return gapless.ErrUnavailable } })
		zeroth, first, alone := pair(r)
		r.open()
		alone.ready(far)
		alone.show()
		time.Sleep(time.Minute)
		r.set(func() {
			r.add(gapless.Message{Place: 20, Author: gapless.User{ID: friend}, Text: "the missed one", Mentions: []gapless.UserID{self}})
		})
		time.Sleep(time.Minute)
		alone.ready(far)
		alone.show() // a gap that cannot be read
		time.Sleep(time.Minute)
		r.close()
		r.set(func() { r.broken = nil })
		r.open()
		zeroth.ready()
		time.Sleep(30 * time.Minute)
		if n := len(r.started()); n != 1 {
			t.Errorf("%d turns before the other shard is back", n)
		}
		if n := r.called("Inventory"); n != 0 {
			t.Errorf("%d inventories were asked for on behalf of a shard that has not begun", n)
		}
		first.begin()
		time.Sleep(time.Minute)
		if n := len(r.started()); n != 1 {
			t.Errorf("%d turns in the end", n)
		}
	})
}

// Guilds go to shards by their ids (protocol A17).
func TestShardOf(t *testing.T) {
	for _, c := range []struct {
		guild       gapless.GuildID
		count, want int
	}{{far, 0, 0}, {far, 1, 0}, {far, 2, 1}, {3*far + 7, 2, 1}, {4 * far, 4, 0}, {41771983423143937, 16, int(41771983423143937 >> 22 % 16)}} {
		if got := gapless.ShardOf(c.guild, c.count); got != c.want {
			t.Errorf("guild %d of %d: shard %d, want %d", c.guild, c.count, got, c.want)
		}
	}
}

// starter is the newest message but one in a place.
func starter(r *rig, place gapless.ChannelID) (id gapless.MessageID) {
	r.set(func() {
		posts := r.posts[place]
		id = posts[len(posts)-2].ID
	})
	return id
}

func sessionStatus(r *rig, shard int) gapless.SessionStatus {
	all := r.status().Sessions
	i := slices.IndexFunc(all, func(s gapless.SessionStatus) bool { return s.Shard == shard })
	if i < 0 {
		r.t.Fatalf("no shard %d in %+v", shard, all)
	}
	return all[i]
}

func placeStatus(r *rig, id gapless.ChannelID) gapless.PlaceStatus {
	all := r.status().Places
	i := slices.IndexFunc(all, func(p gapless.PlaceStatus) bool { return p.ID == id })
	if i < 0 {
		r.t.Fatalf("no place %d in %+v", id, all)
	}
	return all[i]
}

// READY leaves a guild out that the bot is in, and nobody sends it: a message from there shows that it is there, and
// what was missed in its other channels is found (R2).
func TestGuildThatReadyDoesNotName(t *testing.T) {
	for name, silent := range map[string]bool{"it speaks": false, "its GUILD_CREATE comes late": true} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, r *rig) {
				r.handles(quiet)
				r.open()
				r.begin()
				first := r.say(20, "before")
				time.Sleep(time.Minute)
				missed := r.post(20, "missed").ID
				time.Sleep(time.Minute)
				r.admit(began())
				time.Sleep(10 * time.Minute)
				want := []gapless.MessageID{first, missed}
				if silent {
					r.admit(gapless.Event{Kind: gapless.GuildSeen, Guild: new(r.inventory())})
				} else {
					want = append(want, r.say(10, "hello"))
				}
				time.Sleep(5 * time.Minute)
				if got := slices.Sorted(slices.Values(r.started())); !slices.Equal(got, want) { // of two channels in either order
					t.Errorf("handlers were started for %v, want %v", got, want)
				}
				if n, most := r.called("Inventory"), map[bool]int{true: 0, false: 1}[silent]; n != most {
					t.Errorf("the inventory was asked for %d times", n)
				}
			})
		})
	}
}
