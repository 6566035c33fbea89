package wire_test

import (
	"reflect"
	"testing"
	"time"

	"gapless"
	"gapless/internal/wire"
)

// What decides about sight is read from the guild, its channels and the events
// about roles and members; what cannot be read counts as nothing (R5).
func TestSightIsRead(t *testing.T) {
	event := func(name, data string) []gapless.Event {
		t.Helper()
		f, err := wire.ParseFrame([]byte(`{"op":0,"s":1,"t":"` + name + `","d":` + data + `}`))
		if err != nil {
			t.Fatal(err)
		}
		return f.Events(gapless.OriginLive, time.Time{})
	}
	guild := event("GUILD_CREATE", `{"id":"1","owner_id":"9","roles":[{"id":"1","permissions":"66560"},{"id":"70","permissions":"8"},{"permissions":"1"},7],
		"members":[{"user":{"id":"500"},"roles":["70",71]},{"roles":[]}],
		"channels":[{"id":"10","type":0,"permission_overwrites":[{"id":"1","type":0,"allow":"0","deny":"1024"},{"id":"500","type":1,"allow":"1024","deny":"x"}]},
			{"id":"11","type":0,"permission_overwrites":[]},{"id":"12","type":0}]}`)[0].Guild
	if want := []gapless.Role{{ID: 1, Permissions: 66560}, {ID: 70, Permissions: 8}}; guild.Owner != 9 || !reflect.DeepEqual(guild.Roles, want) {
		t.Errorf("owner %s, roles %+v", guild.Owner, guild.Roles)
	}
	if want := []gapless.Member{{ID: 500, Roles: []gapless.RoleID{70, 71}}}; !reflect.DeepEqual(guild.Members, want) {
		t.Errorf("members %+v", guild.Members)
	}
	want := []gapless.Overwrite{{ID: 1, Deny: 1024}, {ID: 500, Member: true, Allow: 1024}}
	if c := guild.Channels; !reflect.DeepEqual(c[0].Overwrites, want) || c[1].Overwrites == nil || c[2].Overwrites != nil {
		t.Errorf("overwrites %+v", c)
	}
	for _, c := range []struct {
		name, data string
		want       gapless.Event
	}{
		{"GUILD_ROLE_UPDATE", `{"guild_id":"1","role":{"id":"70","permissions":"1024"}}`,
			gapless.Event{Kind: gapless.RolesSeen, Guild: &gapless.Guild{ID: 1, Roles: []gapless.Role{{ID: 70, Permissions: 1024}}}}},
		{"GUILD_ROLE_DELETE", `{"guild_id":"1","role_id":"70"}`,
			gapless.Event{Kind: gapless.RolesGone, Guild: &gapless.Guild{ID: 1, Roles: []gapless.Role{{ID: 70}}}}},
		{"GUILD_MEMBER_UPDATE", `{"guild_id":"1","user":{"id":"500"},"roles":["71"]}`,
			gapless.Event{Kind: gapless.MembersSeen, Guild: &gapless.Guild{ID: 1, Members: []gapless.Member{{ID: 500, Roles: []gapless.RoleID{71}}}}}},
	} {
		c.want.Origin = gapless.OriginLive
		if got := event(c.name, c.data); len(got) != 1 || !reflect.DeepEqual(got[0], c.want) {
			t.Errorf("%s: got %+v", c.name, got)
		}
	}
	for name, data := range map[string]string{"GUILD_ROLE_CREATE": `{"role":7}`, "GUILD_ROLE_DELETE": `{}`, "GUILD_MEMBER_UPDATE": `{"guild_id":"1"}`} {
		if got := event(name, data); len(got) != 0 {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}

// A page of archived threads says when each was archived, and if it is the last.
func TestArchivedPage(t *testing.T) {
	threads, more, err := wire.Archived([]byte(`{"threads":[{"id":"20","type":11,"thread_metadata":{"archived":true,"archive_timestamp":"2026-01-02T03:04:05.123456+00:00"}}],
		"members":[{"id":"20","join_timestamp":"2026-01-01T00:00:00+00:00"}],"has_more":true}`))
	if err != nil || !more || len(threads) != 1 {
		t.Fatalf("%+v, %v, %v", threads, more, err)
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 123456000, time.UTC)
	if c := threads[0]; !c.ArchiveAt.Equal(at) || !c.Archived || c.JoinedAt.IsZero() {
		t.Errorf("%+v", c)
	}
	if _, _, err := wire.Archived([]byte(`[]`)); err == nil {
		t.Error("an array is no listing")
	}
}
