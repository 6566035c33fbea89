package gapless_test

import (
	"testing"
	"time"

	"gapless"
)

// town is a guild in which the bot sees what everyone does, less what the
// channels' overwrites take away.
func (r *rig) town(hide map[gapless.ChannelID]gapless.Permissions) gapless.Guild {
	g := r.inventory()
	g.Roles = []gapless.Role{
		{ID: gapless.RoleID(home), Permissions: gapless.PermViewChannel | gapless.PermReadHistory},
		{ID: 70, Permissions: 0},
	}
	g.Members = []gapless.Member{{ID: self}}
	for i, c := range g.Channels {
		g.Channels[i].Overwrites = []gapless.Overwrite{}
		if deny := hide[c.ID]; deny != 0 {
			g.Channels[i].Overwrites = []gapless.Overwrite{{ID: uint64(home), Deny: deny}}
		}
	}
	return g
}

func (r *rig) come(g gapless.Guild) {
	r.admit(began(home), gapless.Event{Kind: gapless.GuildSeen, Guild: &g})
}

// Two hundred hidden channels in which people talk cost nothing, outage after
// outage; the one that is seen is read (R5).
func TestHiddenChannelsCostNothing(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.handles(quiet)
		hide := map[gapless.ChannelID]gapless.Permissions{}
		r.set(func() {
			for i := range 200 {
				id := gapless.ChannelID(1000 + i)
				r.channels = append(r.channels, gapless.Channel{ID: id, Guild: home})
				hide[id] = gapless.PermViewChannel
			}
			r.broken = func(_ string, place gapless.ChannelID) error {
				if hide[place] != 0 {
					return gapless.ErrForbidden
				}
				return nil
			}
		})
		r.cfg.NoAudit = false
		r.open()
		r.come(r.town(hide))
		first := r.say(10, "one")
		var want []gapless.MessageID
		for range 3 {
			time.Sleep(time.Minute)
			for id := range hide {
				r.post(id, "among ourselves")
			}
			want = append(want, r.post(10, "missed").ID)
			time.Sleep(2 * time.Hour)
			r.come(r.town(hide))
		}
		time.Sleep(time.Hour)
		r.expect(append([]gapless.MessageID{first}, want...)...)
		for _, deed := range []string{"After", "Message", "Archived public", "Archived private", "Archived joined"} {
			if n := r.called(deed); n > 30 {
				t.Errorf("%d calls of %s", n, deed)
			}
		}
	})
}

// A channel that comes into sight is met for the first time: nothing said in it
// before is replayed, whatever brings it into sight (R4).
func TestChannelThatComesIntoSight(t *testing.T) {
	for name, reveal := range map[string]func(r *rig){
		"by its overwrites": func(r *rig) {
			c := r.town(nil).Channels[1]
			r.admit(gapless.Event{Kind: gapless.ChannelSeen, Channel: &c})
		},
		"by a role of the bot's": func(r *rig) {
			r.admit(gapless.Event{Kind: gapless.RolesSeen, Guild: &gapless.Guild{ID: home, Roles: []gapless.Role{{ID: 70, Permissions: gapless.PermAdministrator}}}},
				gapless.Event{Kind: gapless.MembersSeen, Guild: &gapless.Guild{ID: home, Members: []gapless.Member{{ID: self, Roles: []gapless.RoleID{70}}}}})
		},
		"by a message in it": func(*rig) {},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, r *rig) {
				r.handles(quiet)
				hide := map[gapless.ChannelID]gapless.Permissions{20: gapless.PermViewChannel}
				r.open()
				r.come(r.town(hide))
				r.post(20, "among ourselves")
				time.Sleep(time.Minute)
				reveal(r)
				time.Sleep(time.Minute)
				heard := r.say(20, "welcome")
				time.Sleep(time.Minute)
				r.expect(heard)
				time.Sleep(time.Minute)
				missed := r.post(20, "in an outage").ID
				time.Sleep(time.Minute)
				r.come(r.town(nil))
				time.Sleep(time.Minute)
				r.expect(heard, missed)
			})
		})
	}
}

// A channel that loses sight keeps its numbers, costs no calls, and is read
// when sight comes back (R5, C56).
func TestChannelThatLosesSight(t *testing.T) {
	for name, deny := range map[string]gapless.Permissions{
		"of the channel": gapless.PermViewChannel,
		"of its history": gapless.PermReadHistory,
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, r *rig) {
				r.handles(quiet)
				hide := map[gapless.ChannelID]gapless.Permissions{10: deny}
				r.open()
				r.come(r.town(nil))
				first := r.say(10, "one")
				time.Sleep(time.Minute)
				missed := r.post(10, "missed").ID
				time.Sleep(time.Minute)
				r.come(r.town(hide))
				time.Sleep(time.Hour)
				r.expect(first)
				if n := r.called("After") + r.called("Message"); n != 0 {
					t.Errorf("%d calls although the answer is known", n)
				}
				c := r.town(nil).Channels[0]
				r.admit(gapless.Event{Kind: gapless.ChannelSeen, Channel: &c})
				time.Sleep(30 * time.Second)
				r.expect(first, missed)
			})
		})
	}
}

// Roles change: what a deleted role showed is out of sight again.
func TestDeletedRole(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.handles(quiet)
		g := r.town(map[gapless.ChannelID]gapless.Permissions{10: gapless.PermViewChannel})
		g.Channels[0].Overwrites = append(g.Channels[0].Overwrites, gapless.Overwrite{ID: 70, Allow: gapless.PermViewChannel})
		g.Members[0].Roles = []gapless.RoleID{70}
		r.open()
		r.come(g)
		first := r.say(10, "one")
		time.Sleep(time.Minute)
		r.admit(gapless.Event{Kind: gapless.RolesGone, Guild: &gapless.Guild{ID: home, Roles: []gapless.Role{{ID: 70}}}},
			gapless.Event{Kind: gapless.MembersSeen, Guild: &gapless.Guild{ID: home, Members: []gapless.Member{{ID: self}}}})
		r.post(10, "out of sight")
		time.Sleep(time.Minute)
		g = r.town(map[gapless.ChannelID]gapless.Permissions{10: gapless.PermViewChannel})
		r.come(g)
		time.Sleep(time.Hour)
		r.expect(first)
		if n := r.called("After"); n != 0 {
			t.Errorf("%d pages", n)
		}
	})
}
