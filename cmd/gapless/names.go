package main

import (
	"context"
	"slices"
	"strings"
	"time"

	"gapless"
)

// searches is how many searches for names a start may cost.
const searches = 50

// people is where the members of a guild can be looked for by user name.
type people interface {
	Named(ctx context.Context, guild gapless.GuildID, name string) ([]gapless.User, error)
}

// warnNames looks for the people whose user names are on the list, once Discord has had time to show what there is. A
// name that nobody has lets nobody in, and display names do not count; one that two people have is no name of one
// (S38, S44).
func (d *daemon) warnNames(ctx context.Context, status func(context.Context) (gapless.LedgerStatus, error), rest people) {
	names := d.cfg.Policy.UserNames
	if len(names) == 0 || d.cfg.Policy.Everyone {
		return
	}
	select {
	case <-ctx.Done():
		return
	case <-time.After(introduced):
	}
	known, err := status(ctx)
	if err != nil {
		return // whoever writes to the ledger says so
	}
	guilds := guildsOf(known.Places)
	if len(guilds) == 0 || len(guilds)*len(names) > searches {
		return // a search of everything would cost more than it tells
	}
	for _, name := range names {
		found, ok := d.seek(ctx, rest, guilds, name)
		switch {
		case !ok:
			return
		case len(found) == 0:
			d.log.Warn("policy.users has a name that nobody in the bot's servers has: it must be the user name, not the display name; an id is safer", "name", name)
		case len(found) > 1:
			d.log.Warn("policy.users has a name that several people have: use their ids instead", "name", name, "ids", found)
		}
	}
}

// seek gives the ids of the people of that name; ok is false if it could not be found out.
func (d *daemon) seek(ctx context.Context, rest people, guilds []gapless.GuildID, name string) (found []gapless.UserID, ok bool) {
	for _, guild := range guilds {
		users, err := rest.Named(ctx, guild, strings.TrimPrefix(name, "@"))
		if err != nil {
			d.log.Debug("user names on the list could not be looked for", "guild", guild, "error", err)
			return nil, false
		}
		for _, u := range users {
			if !slices.Contains(found, u.ID) {
				found = append(found, u.ID)
			}
		}
	}
	return found, true
}

// guildsOf are the guilds of the places, each once.
func guildsOf(places []gapless.PlaceStatus) (guilds []gapless.GuildID) {
	for _, p := range places {
		if p.Guild != 0 && !p.Gone && !slices.Contains(guilds, p.Guild) {
			guilds = append(guilds, p.Guild)
		}
	}
	return guilds
}
