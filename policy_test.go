package gapless_test

import (
	"reflect"
	"testing"

	"gapless"
)

func TestSilentPolicy(t *testing.T) {
	for name, c := range map[string]struct {
		policy gapless.Policy
		silent bool
	}{
		"nothing configured":     {gapless.Policy{}, true},
		"bots only":              {gapless.Policy{Bots: gapless.BotsAll, Webhooks: []gapless.UserID{1}}, true},
		"free everywhere":        {gapless.Policy{Free: gapless.PlaceList{All: true}}, true},
		"everyone":               {gapless.Policy{Everyone: true}, false},
		"a user":                 {gapless.Policy{Users: []gapless.UserID{1}}, false},
		"a user name":            {gapless.Policy{UserNames: []string{"ann"}}, false},
		"a role":                 {gapless.Policy{Roles: []gapless.RoleID{1}}, false},
		"an allowed place (S38)": {gapless.Policy{Allowed: gapless.PlaceList{IDs: []gapless.ChannelID{1}}}, false},
	} {
		if got := c.policy.Silent(); got != c.silent {
			t.Errorf("%s: silent is %t", name, got)
		}
	}
}

func TestParsePlaces(t *testing.T) {
	got, err := gapless.ParsePlaces([]string{"12", " #34 ", "general", "#ops", "2026-plans", "*"})
	want := gapless.PlaceList{All: true, IDs: []gapless.ChannelID{12, 34}, Names: []string{"general", "#ops", "2026-plans"}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
	for _, bad := range []string{"", " ", "#", "0", "99999999999999999999"} {
		if l, err := gapless.ParsePlaces([]string{bad}); err == nil || !l.Empty() {
			t.Errorf("%q was read as %+v", bad, l)
		}
	}
	if l, err := gapless.ParsePlaces(nil); err != nil || !l.Empty() {
		t.Errorf("nothing is %+v, %v", l, err)
	}
}
