package gapless_test

import (
	"testing"

	"gapless"
)

// Permissions are computed in Discord's order: @everyone, roles together, the
// member; an administrator and the owner see everything (protocol D6).
func TestPermissions(t *testing.T) {
	const view, history, connect = gapless.PermViewChannel, gapless.PermReadHistory, gapless.PermConnect
	everyone := func(allow, deny gapless.Permissions) gapless.Overwrite {
		return gapless.Overwrite{ID: uint64(home), Allow: allow, Deny: deny}
	}
	role := func(id uint64, allow, deny gapless.Permissions) gapless.Overwrite {
		return gapless.Overwrite{ID: id, Allow: allow, Deny: deny}
	}
	me := func(allow, deny gapless.Permissions) gapless.Overwrite {
		return gapless.Overwrite{ID: uint64(self), Member: true, Allow: allow, Deny: deny}
	}
	for name, c := range map[string]struct {
		base       gapless.Permissions
		mine       gapless.Permissions
		owner      gapless.UserID
		overwrites []gapless.Overwrite
		kind       gapless.ChannelKind
		sees       bool
		reads      bool
	}{
		"base alone":                         {view | history, 0, 9, nil, 0, true, true},
		"a role adds":                        {0, view | history, 9, nil, 0, true, true},
		"everyone is denied":                 {view | history, 0, 9, []gapless.Overwrite{everyone(0, view)}, 0, false, false},
		"denied, and allowed to a role":      {view | history, 0, 9, []gapless.Overwrite{role(70, view, 0), everyone(0, view)}, 0, true, true},
		"one role denies, another allows":    {view | history, 0, 9, []gapless.Overwrite{role(70, view, 0), role(71, 0, view)}, 0, true, true},
		"a role that is not ours":            {view | history, 0, 9, []gapless.Overwrite{everyone(0, view), role(79, view, 0)}, 0, false, false},
		"the member has the last word":       {view | history, 0, 9, []gapless.Overwrite{me(0, view), role(70, view, 0)}, 0, false, false},
		"another member's does not count":    {view | history, 0, 9, []gapless.Overwrite{{ID: 8, Member: true, Deny: view}}, 0, true, true},
		"a user id is no role":               {view | history, 0, 9, []gapless.Overwrite{{ID: uint64(self), Deny: view}}, 0, true, true},
		"administrator":                      {0, gapless.PermAdministrator, 9, []gapless.Overwrite{everyone(0, view)}, 0, true, true},
		"owner":                              {0, 0, self, []gapless.Overwrite{everyone(0, view)}, 0, true, true},
		"history is denied (C51)":            {view | history, 0, 9, []gapless.Overwrite{everyone(0, history)}, 0, true, false},
		"without sight nothing else counts":  {view | history, 0, 9, []gapless.Overwrite{everyone(history, view)}, 0, false, false},
		"voice needs CONNECT (C52)":          {view | history, 0, 9, nil, gapless.GuildVoice, false, false},
		"voice with CONNECT":                 {view | history | connect, 0, 9, nil, gapless.GuildVoice, true, true},
		"stage needs it too":                 {view | history, 0, 9, nil, gapless.GuildStage, false, false},
		"text does not":                      {view | history, 0, 9, []gapless.Overwrite{everyone(0, connect)}, 0, true, true},
		"no roles at all":                    {0, 0, 9, nil, 0, false, false},
		"allowed in the channel, not in all": {history, 0, 9, []gapless.Overwrite{everyone(view, 0)}, 0, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := gapless.Sight{
				Guild: home, Owner: c.owner, Self: self, Mine: []gapless.RoleID{70, 71},
				Roles: map[gapless.RoleID]gapless.Permissions{gapless.RoleID(home): c.base, 70: c.mine, 71: 0, 79: ^gapless.Permissions(0)},
			}
			may := s.In(c.overwrites)
			if may.Sees(c.kind) != c.sees || may.Reads(c.kind) != c.reads {
				t.Errorf("sees %v, reads %v", may.Sees(c.kind), may.Reads(c.kind))
			}
		})
	}
}
