package main

import (
	"context"
	"errors"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"time"

	"gapless"
)

// What is configured may be wrong without being impossible. The daemon then
// runs, and says once what an operator should look at.

// warnSilence says that nobody is heard.
func (d *daemon) warnSilence() {
	if d.cfg.Policy.Silent() {
		d.log.Warn("nobody is allowed to use this bot, so nothing will be handled: name users with policy.users or --allow-user ID, or allow all with policy.everyone or --allow-everyone")
	}
}

// warnCommand says that the command cannot be started as things stand.
func (d *daemon) warnCommand() {
	if _, err := exec.LookPath(d.cfg.Handler.Exec[0]); err != nil {
		d.log.Warn("the command cannot be started as things stand, and messages wait until it can: see that the file is there and executable, or correct --exec (handler.exec)",
			"error", err)
	}
}

const (
	// slowAnswer is how long Discord may take for its first answer unnoticed.
	slowAnswer = 3 * time.Second
	// introduced is how long after the start Discord has shown its guilds, as
	// a rule.
	introduced = 5 * time.Second
)

// warnSlow says that Discord has not answered yet, unless it is stopped in time.
func (d *daemon) warnSlow() (stop func() bool) {
	return time.AfterFunc(slowAnswer, func() {
		d.log.Warn("no answer yet, trying on; if this stays, check the network and --api", "api", d.cfg.API)
	}).Stop
}

// channels is where channels can be asked for.
type channels interface {
	Channel(ctx context.Context, id gapless.ChannelID) (gapless.Channel, error)
}

// listedPlaces are the lists of places of the policy, by their keys.
func (d *daemon) listedPlaces() map[string]gapless.PlaceList {
	p := d.cfg.Policy
	return map[string]gapless.PlaceList{
		"policy.allowed_channels": p.Allowed, "policy.ignored_channels": p.Ignored, "policy.free_channels (--free)": p.Free, "policy.shared_channels": p.Shared,
	}
}

// warnChannels looks at the listed places that the ledger does not know once
// Discord has had time to show what there is: ids of users look the same, and
// names are easily misspelt (S18).
func (d *daemon) warnChannels(ctx context.Context, status func(context.Context) (gapless.LedgerStatus, error), rest channels) {
	lists := d.listedPlaces()
	if !slices.ContainsFunc(slices.Collect(maps.Values(lists)), func(l gapless.PlaceList) bool { return len(l.IDs)+len(l.Names) > 0 }) {
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
	for _, key := range slices.Sorted(maps.Keys(lists)) {
		d.warnList(ctx, key, lists[key], known.Places, rest)
	}
}

// warnList looks at one list.
func (d *daemon) warnList(ctx context.Context, key string, l gapless.PlaceList, places []gapless.PlaceStatus, rest channels) {
	knows := func(is func(gapless.PlaceStatus) bool) bool {
		return slices.ContainsFunc(places, func(p gapless.PlaceStatus) bool { return !p.Gone && is(p) })
	}
	for _, name := range l.Names {
		if !knows(func(p gapless.PlaceStatus) bool { return strings.EqualFold(p.Name, strings.TrimPrefix(name, "#")) }) {
			d.log.Warn(key+" names something that is no channel the bot can see: correct the name, or give the channel's id", "name", name)
		}
	}
	for _, id := range l.IDs {
		if knows(func(p gapless.PlaceStatus) bool { return p.ID == id }) {
			continue
		}
		switch _, err := rest.Channel(ctx, id); {
		case errors.Is(err, gapless.ErrUnknownChannel):
			d.log.Warn(key+" names something that is no channel, or is one no more: copy the channel's id, not a user's or a server's", "id", id)
		case errors.Is(err, gapless.ErrForbidden):
			d.log.Warn("the bot cannot see a channel that "+key+" names: let it view the channel there", "id", id)
		}
	}
}
