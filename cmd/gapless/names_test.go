//go:build unix

package main

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"gapless"
)

// directory is who has which name in each guild.
type directory map[gapless.GuildID][]gapless.User

func (dir directory) Named(_ context.Context, guild gapless.GuildID, name string) (found []gapless.User, err error) {
	if _, ok := dir[guild]; !ok {
		return nil, errors.New("away")
	}
	return slices.DeleteFunc(slices.Clone(dir[guild]), func(u gapless.User) bool { return !strings.EqualFold(u.Name, name) }), nil
}

// Names on the list that nobody has, or several people, are told of (S38).
func TestNamesOnTheList(t *testing.T) {
	ann, other := gapless.User{ID: 1, Name: "ann"}, gapless.User{ID: 2, Name: "Ann"}
	for name, c := range map[string]struct {
		policy gapless.Policy
		people directory
		says   string
	}{
		"somebody has it":           {gapless.Policy{UserNames: []string{"@Ann"}}, directory{7: {ann}, 8: {ann}}, ""},
		"nobody has it":             {gapless.Policy{UserNames: []string{"anna"}}, directory{7: {ann}, 8: {}}, "nobody in the bot's servers"},
		"two people have it":        {gapless.Policy{UserNames: []string{"ann"}}, directory{7: {ann}, 8: {other}}, "several people"},
		"it cannot be found out":    {gapless.Policy{UserNames: []string{"anna"}}, directory{7: {ann}}, ""},
		"nobody has to be found":    {gapless.Policy{UserNames: []string{"anna"}, Everyone: true}, directory{7: {}, 8: {}}, ""},
		"too many to be looked for": {gapless.Policy{UserNames: slices.Repeat([]string{"anna"}, 26)}, directory{7: {}, 8: {}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log strings.Builder
				d := &daemon{log: slog.New(slog.NewTextHandler(&log, nil))}
				d.cfg.Policy = c.policy
				status := func(context.Context) (gapless.LedgerStatus, error) {
					return gapless.LedgerStatus{Places: []gapless.PlaceStatus{{ID: 1, Guild: 7}, {ID: 2, Guild: 7}, {ID: 3, Guild: 8}, {ID: 4}}}, nil
				}
				d.warnNames(t.Context(), status, c.people)
				if got := log.String(); (c.says == "") != (got == "") || !strings.Contains(got, c.says) {
					t.Errorf("said %q, want %q", got, c.says)
				}
			})
		})
	}
}
