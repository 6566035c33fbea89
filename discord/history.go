package discord

import (
	"context"
	"net/url"
	"strconv"

	"gapless"
	"gapless/internal/wire"
)

// pageSize is the longest page Discord gives (protocol B3).
const pageSize = 100

// After reads the page of the at most limit (1 to 100) messages just above an id: one call. The page comes as Discord
// sorts it, newest first.
func (r *REST) After(ctx context.Context, place gapless.ChannelID, after gapless.MessageID, limit int) (gapless.Page, error) {
	return r.page(ctx, place, afterQuery(after, limit), PriorityRecovery)
}

func afterQuery(after gapless.MessageID, limit int) url.Values {
	return url.Values{"after": {after.String()}, "limit": {strconv.Itoa(min(max(limit, 1), pageSize))}}
}

func (r *REST) page(ctx context.Context, place gapless.ChannelID, q url.Values, p Priority) (gapless.Page, error) {
	c := call{
		route: "GET /channels/{channel}/messages", path: "/channels/" + place.String() + "/messages", query: q,
		major: place.String(), priority: p,
	}
	read := func(b []byte) ([]gapless.Message, error) { return wire.Messages(b, place) }
	messages, err := fetch(ctx, r, c, read)
	return gapless.Page{Messages: messages}, err
}

// Message reads one message: one call, with the priority of a look-up.
func (r *REST) Message(ctx context.Context, place gapless.ChannelID, id gapless.MessageID) (gapless.Message, error) {
	c := call{
		route: "GET /channels/{channel}/messages/{message}",
		path:  "/channels/" + place.String() + "/messages/" + id.String(),
		major: place.String(), priority: PriorityLookup,
	}
	return fetch(ctx, r, c, wire.Message)
}

// Newest gives the id of a place's newest message, zero if there is none: one call.
func (r *REST) Newest(ctx context.Context, place gapless.ChannelID) (gapless.MessageID, error) {
	page, err := r.page(ctx, place, url.Values{"limit": {"1"}}, PriorityRecovery)
	if err != nil || len(page.Messages) == 0 {
		return 0, err
	}
	return page.Messages[0].ID, nil
}

// OpenDM gives the DM with a user, opened anew if Discord has closed it: one call (protocol B12).
func (r *REST) OpenDM(ctx context.Context, user gapless.UserID) (gapless.Channel, error) {
	c := call{
		route: "POST /users/@me/channels", path: "/users/@me/channels", priority: PriorityLookup, body: wire.OpenDM(user),
	}
	return fetch(ctx, r, c, wire.Channel)
}

// Channel reads one channel or thread: one call, with the priority of a look-up.
func (r *REST) Channel(ctx context.Context, id gapless.ChannelID) (gapless.Channel, error) {
	c := call{
		route: "GET /channels/{channel}", path: "/channels/" + id.String(), major: id.String(), priority: PriorityLookup,
	}
	return fetch(ctx, r, c, wire.Channel)
}

// Inventory lists a guild's channels and active threads: two calls. Its name and our membership are not in it.
func (r *REST) Inventory(ctx context.Context, guild gapless.GuildID) (gapless.Guild, error) {
	g := gapless.Guild{ID: guild}
	var err error
	list := func(b []byte) ([]gapless.Channel, error) { return wire.Channels(b, guild) }
	if g.Channels, err = fetch(ctx, r, guildCall(guild, "/channels"), list); err != nil {
		return g, err
	}
	list = func(b []byte) ([]gapless.Channel, error) { return wire.Threads(b, guild) }
	g.Threads, err = fetch(ctx, r, guildCall(guild, "/threads/active"), list)
	return g, err
}

func guildCall(guild gapless.GuildID, what string) call {
	return call{
		route: "GET /guilds/{guild}" + what, path: "/guilds/" + guild.String() + what, major: guild.String(),
		priority: PriorityRecovery,
	}
}
