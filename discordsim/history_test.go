package discordsim_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"gapless/discordsim"
)

// seven posts m1 to m7 a second apart and returns their ids.
func (sc *scene) seven() (ids []discordsim.ID) {
	for i := range 7 {
		ids = append(ids, sc.post(sc.anna, sc.text, fmt.Sprint("m", i+1)))
		time.Sleep(time.Second)
	}
	return ids
}

func TestHistory(t *testing.T) {
	cases := []struct {
		name  string
		query func(ids []discordsim.ID) string
		want  string
	}{
		{"F50_default_is_newest_first", func([]discordsim.ID) string { return "" }, "[m7 m6 m5 m4 m3 m2 m1]"},
		{"F50_limit_takes_the_newest", func([]discordsim.ID) string { return "?limit=2" }, "[m7 m6]"},
		{"F50_before_is_exclusive_and_nearest", func(ids []discordsim.ID) string { return fmt.Sprintf("?limit=2&before=%d", ids[4]) }, "[m4 m3]"},
		{"F50_after_is_newest_first", func(ids []discordsim.ID) string { return fmt.Sprintf("?after=%d", ids[3]) }, "[m7 m6 m5]"},
		{"F50_after_gives_the_nearest", func(ids []discordsim.ID) string { return fmt.Sprintf("?limit=2&after=%d", ids[0]) }, "[m3 m2]"},
		{"F50_after_zero_is_the_beginning", func([]discordsim.ID) string { return "?limit=1&after=0" }, "[m1]"},
		{"F50_after_a_cursor_that_is_no_message", func(ids []discordsim.ID) string { return fmt.Sprintf("?limit=1&after=%d", ids[2]+1) }, "[m4]"},
		{"F50_after_the_last_is_empty", func(ids []discordsim.ID) string { return fmt.Sprintf("?after=%d", ids[6]) }, "[]"},
		{"F50_around_includes_the_id", func(ids []discordsim.ID) string { return fmt.Sprintf("?limit=3&around=%d", ids[3]) }, "[m5 m4 m3]"},
		{"F50_around_at_the_end", func(ids []discordsim.ID) string { return fmt.Sprintf("?limit=3&around=%d", ids[6]) }, "[m7 m6]"},
	}
	play(t, &discordsim.Server{NoLimits: true}, func(sc *scene) {
		ids := sc.seven()
		for _, test := range cases {
			got := sc.call("GET", "/channels/"+sc.text.String()+"/messages"+test.query(ids), nil)
			if list := fmt.Sprint(got.list(t, "content")); list != test.want {
				t.Errorf("%s: got %s, want %s", test.name, list, test.want)
			}
		}
	})

	t.Run("F50_default_50_at_most_100", func(t *testing.T) {
		play(t, nil, func(sc *scene) {
			for i := range 120 {
				sc.post(sc.anna, sc.text, fmt.Sprint(i))
			}
			path := "/channels/" + sc.text.String() + "/messages"
			if n := len(sc.call("GET", path, nil).list(t, "id")); n != 50 {
				t.Errorf("default gave %d", n)
			}
			page := sc.call("GET", path+"?limit=100&after=0", nil).list(t, "content")
			if len(page) != 100 || page[0] != "99" || page[99] != "0" {
				t.Errorf("first page after 0: %d messages from %s to %s", len(page), page[0], page[len(page)-1])
			}
		})
	})

	t.Run("F79_timestamps_equal_the_id", func(t *testing.T) {
		play(t, nil, func(sc *scene) {
			id := sc.post(sc.anna, sc.text, "now")
			m := sc.call("GET", fmt.Sprintf("/channels/%d/messages/%d", sc.text, id), nil).object(t)
			if m["timestamp"] != "2026-01-02T12:00:00.000000+00:00" || len(id.String()) != 19 {
				t.Errorf("timestamp %v of id %d", m["timestamp"], id)
			}
		})
	})

	t.Run("F77_ids_rise_and_PostAt_lands_in_its_place", func(t *testing.T) {
		play(t, nil, func(sc *scene) {
			a := sc.post(sc.anna, sc.text, "a")
			b := sc.post(sc.anna, sc.text, "b")
			old, err := sc.PostAt(time.Now().Add(-time.Hour), sc.anna, sc.text, "old")
			if err != nil || a >= b || old >= a {
				t.Errorf("ids %d %d %d, %v", old, a, b, err)
			}
			list := sc.call("GET", "/channels/"+sc.text.String()+"/messages", nil).list(t, "content")
			if !slices.Equal(list, []string{"b", "a", "old"}) {
				t.Errorf("history %v", list)
			}
		})
	})
}

func TestHistoryRefusals(t *testing.T) {
	cases := []struct {
		name string
		path func(sc *scene) string
		want string // status and code, or the body of a list
	}{
		{"F51_limit_0", func(sc *scene) string { return sc.text.String() + "/messages?limit=0" }, "400 50035"},
		{"F51_limit_101", func(sc *scene) string { return sc.text.String() + "/messages?limit=101" }, "400 50035"},
		{"F50_before_and_after", func(sc *scene) string { return sc.text.String() + "/messages?before=1&after=1" }, "400 50035"},
		{"F52_no_history_permission", func(sc *scene) string {
			sc.SetPermission(sc.text, sc.guild, 0, discordsim.ReadMessageHistory)
			return sc.text.String() + "/messages"
		}, "[]"},
		{"F53_no_view", func(sc *scene) string {
			sc.SetPermission(sc.text, sc.guild, 0, discordsim.ViewChannel)
			return sc.text.String() + "/messages"
		}, "403 50001"},
		{"F53_voice_without_connect", func(sc *scene) string {
			voice := sc.AddChannel(sc.guild, discordsim.Voice, "voice")
			sc.SetPermission(voice, sc.bot.ID, 0, discordsim.Connect)
			return voice.String() + "/messages"
		}, "403 50001"},
		{"F54_category", func(sc *scene) string {
			return sc.AddChannel(sc.guild, discordsim.Category, "c").String() + "/messages"
		}, "[]"},
		{"F54_forum", func(sc *scene) string {
			return sc.AddChannel(sc.guild, discordsim.Forum, "f").String() + "/messages"
		}, "[]"},
		{"F55_unknown_channel", func(*scene) string { return "1234567890123456789/messages" }, "404 10003"},
		{"F55_deleted_channel", func(sc *scene) string {
			if err := sc.DeleteChannel(sc.text); err != nil {
				sc.t.Fatal(err)
			}
			return sc.text.String() + "/messages"
		}, "404 10003"},
		{"F55_unknown_message", func(sc *scene) string { return sc.text.String() + "/messages/1234567890123456789" }, "404 10008"},
		{"F55_deleted_message", func(sc *scene) string {
			id := sc.post(sc.anna, sc.text, "x")
			if err := sc.Delete(id); err != nil {
				sc.t.Fatal(err)
			}
			return fmt.Sprintf("%d/messages/%d", sc.text, id)
		}, "404 10008"},
		{"F67_unknown_route", func(sc *scene) string { return sc.text.String() + "/nothing" }, "404 0"},
	}
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			play(t, nil, func(sc *scene) {
				sc.post(sc.anna, sc.text, "there is something")
				got := sc.call("GET", "/channels/"+test.path(sc), nil)
				if test.want == "[]" {
					if got.status != 200 || string(got.body) != "[]" {
						t.Errorf("got %d %s", got.status, got.body)
					}
				} else if code := got.code(t); code != test.want {
					t.Errorf("got %s, want %s", code, test.want)
				}
			})
		})
	}

	t.Run("F51_error_body", func(t *testing.T) {
		play(t, nil, func(sc *scene) {
			got := sc.call("GET", "/channels/"+sc.text.String()+"/messages?limit=101", nil)
			want := `{"code":50035,"errors":{"limit":{"_errors":[{"code":"NUMBER_TYPE_MAX",` +
				`"message":"int value should be less than or equal to 100."}]}},"message":"Invalid Form Body"}`
			if string(got.body) != want {
				t.Errorf("got %s", got.body)
			}
		})
	})

	t.Run("F3_F68_version_and_authorization", func(t *testing.T) {
		play(t, nil, func(sc *scene) {
			sc.bot.Token = "wrong"
			if got := sc.call("GET", "/users/@me", nil); got.code(t) != "401 0" {
				t.Errorf("bad token: %d %s", got.status, got.body)
			}
			if got := sc.call("GET", "/gateway", nil); got.object(t)["url"] != "ws://discord.test/gateway/" {
				t.Errorf("/gateway without authorization: %s", got.body)
			}
			resp, err := sc.http.Get("http://discord.test/api/v5/gateway")
			if err != nil || resp.StatusCode != 400 {
				t.Errorf("v5: %v %v", resp, err)
			}
			resp.Body.Close()
		})
	})
}
