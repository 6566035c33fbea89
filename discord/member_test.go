package discord_test

import (
	"net/http"
	"testing"

	"gapless/discord"
)

// People are found by user name, not by a nickname, and bots are none.
func TestNamed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		asked := ""
		r, _ := newREST(t, discord.RESTConfig{}, func(_ int, w http.ResponseWriter, q *http.Request) {
			asked = q.URL.Path + "?" + q.URL.Query().Get("query")
			answer(w, 200, `[{"user":{"id":"1","username":"ann","discriminator":"0"}},{"user":{"id":"2","username":"bob"},"nick":"Ann"},
				{"user":{"id":"3","username":"ann","bot":true}},{"user":{"id":"4","username":"ann","discriminator":"0042"}}]`)
		})
		got, err := r.Named(t.Context(), 7, "Ann")
		if err != nil || len(got) != 1 || got[0].ID != 1 || asked != "/api/v10/guilds/7/members/search?Ann" {
			t.Errorf("got %+v, %v; asked for %s", got, err, asked)
		}
		if got, err := r.Named(t.Context(), 7, "ann#0042"); err != nil || len(got) != 1 || got[0].ID != 4 || asked != "/api/v10/guilds/7/members/search?ann" {
			t.Errorf("an old name: %+v, %v; asked for %s", got, err, asked)
		}
	})
}
