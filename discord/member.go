package discord

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"

	"gapless"
	"gapless/internal/wire"
)

// What Discord answers for a user who is not in the guild, or does not exist (protocol D7).
const (
	unknownMember = 10007
	unknownUser   = 10013
)

// Member reads a member's roles: one call, with the priority of a look-up. Who is not in the guild has Left.
func (r *REST) Member(ctx context.Context, guild gapless.GuildID, user gapless.UserID) (gapless.Membership, error) {
	c := guildCall(guild, "/members/{user}")
	c.path, c.priority = "/guilds/"+guild.String()+"/members/"+user.String(), PriorityLookup
	m, err := fetch(ctx, r, c, wire.Member)
	if e, ok := errors.AsType[*APIError](err); ok && (e.Code == unknownMember || e.Code == unknownUser) {
		return gapless.Membership{Known: true, Left: true}, nil
	}
	if err != nil {
		return gapless.Membership{}, err
	}
	return gapless.Membership{Known: true, Roles: m.Roles}, nil
}

// Roles reads a guild's roles, and which of them are bots' own: one call, with the priority of a look-up.
func (r *REST) Roles(ctx context.Context, guild gapless.GuildID) (gapless.Guild, error) {
	c := guildCall(guild, "/roles")
	c.priority = PriorityLookup
	g, err := fetch(ctx, r, c, func(b []byte) (gapless.Guild, error) { return wire.Roles(b, guild) })
	g.ID = guild
	return g, err
}

// Named finds the people of a guild who have a user name: one call, after all that is owed. A name that is only shown,
// as a nickname or display name, does not count.
func (r *REST) Named(ctx context.Context, guild gapless.GuildID, name string) ([]gapless.User, error) {
	c := guildCall(guild, "/members/search")
	query, _, _ := strings.Cut(name, "#") // Discord does not look at the discriminators that a few still have
	c.query = url.Values{"query": {query}, "limit": {"100"}}
	all, err := fetch(ctx, r, c, wire.MemberUsers)
	return slices.DeleteFunc(all, func(u gapless.User) bool { return u.Bot || !strings.EqualFold(u.Name, name) }), err
}
