package discordsim_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"gapless/discordsim"
)

func TestMoreRESTFaults(t *testing.T) {
	history := discordsim.Match{Method: "GET", Route: "/channels/{channel}/messages"}
	scripts := []struct {
		name string
		play func(sc *scene)
	}{
		{"G39_header_and_body_disagree", func(sc *scene) {
			sc.inject(discordsim.Fault{Kind: discordsim.Limited, Delay: 1500 * time.Millisecond, RetryAfter: "9", Count: 1})
			got := sc.call("GET", "/users/@me", nil)
			if got.status != 429 || got.header.Get("Retry-After") != "9" || got.object(sc.t)["retry_after"] != 1.5 {
				sc.t.Errorf("%d %v %s", got.status, got.header, got.body)
			}
		}},
		{"G39_no_JSON", func(sc *scene) {
			sc.inject(discordsim.Fault{Kind: discordsim.Limited, Delay: time.Second, Body: "slow down", Count: 1})
			if got := sc.call("GET", "/users/@me", nil); got.status != 429 || string(got.body) != "slow down" {
				sc.t.Errorf("%d %s", got.status, got.body)
			}
		}},
		{"G39_no_rate_limit_headers", func(sc *scene) {
			path := "/channels/" + sc.text.String() + "/messages"
			if got := sc.call("GET", path, nil); got.header.Get("X-RateLimit-Remaining") != "4" {
				sc.t.Errorf("without the fault: %v", got.header)
			}
			sc.inject(discordsim.Fault{Kind: discordsim.Bare})
			var last response
			for range 5 {
				last = sc.call("GET", path, nil)
				for name := range last.header {
					if strings.HasPrefix(name, "X-Ratelimit") {
						sc.t.Errorf("header %s", name)
					}
				}
			}
			if last.status != 429 || last.header.Get("Retry-After") != "5" || last.object(sc.t)["retry_after"] == nil {
				sc.t.Errorf("at the limit: %d %v", last.status, last.header)
			}
		}},
		{"G40_banned_by_the_edge", func(sc *scene) {
			sc.inject(discordsim.Fault{Kind: discordsim.Banned, Delay: time.Hour})
			got := sc.call("GET", "/users/@me", nil)
			if got.status != 429 || got.header.Get("Via") != "" || got.header.Get("Retry-After") != "3600" || string(got.body) != "error code: 1015" {
				sc.t.Errorf("%d %v %s", got.status, got.header, got.body)
			}
		}},
		{"G41_every_status_and_HTML", func(sc *scene) {
			for _, status := range []int{500, 502, 503, 504} {
				sc.inject(discordsim.Fault{Kind: discordsim.Fail, Status: status, HTML: status == 502, Count: 1})
				got := sc.call("GET", "/users/@me", nil)
				if html := strings.HasPrefix(string(got.body), "<html>"); got.status != status || html != (status == 502) {
					sc.t.Errorf("%d %s", got.status, got.body)
				}
			}
		}},
		{"G45_missing_permissions_come_and_go", func(sc *scene) {
			path := "/channels/" + sc.text.String() + "/messages"
			other := sc.AddChannel(sc.guild, discordsim.Text, "other")
			sc.inject(discordsim.Fault{Kind: discordsim.Fail, Match: discordsim.Match{Channel: sc.text}, After: 1, Count: 1, Status: 403, Code: 50013})
			var got []string
			for range 3 {
				got = append(got, fmt.Sprint(sc.call("GET", path, nil).status), fmt.Sprint(sc.call("GET", "/channels/"+other.String(), nil).status))
			}
			if fmt.Sprint(got) != "[200 200 403 200 200 200]" {
				sc.t.Errorf("statuses %v", got)
			}
		}},
		{"G48_unsorted", func(sc *scene) {
			sc.seven()
			path := "/channels/" + sc.text.String() + "/messages"
			sorted := sc.call("GET", path, nil).list(sc.t, "id")
			sc.inject(discordsim.Fault{Kind: discordsim.Unsorted, Match: history})
			mixed := sc.call("GET", path, nil).list(sc.t, "id")
			if fmt.Sprint(mixed) == fmt.Sprint(sorted) || len(mixed) != len(sorted) {
				sc.t.Errorf("sorted %v, mixed %v", sorted, mixed)
			}
		}},
		{"G48_one_millisecond_turned_round", func(sc *scene) {
			for _, text := range []string{"a", "b", "c"} {
				sc.post(sc.anna, sc.text, text) // all in one millisecond
			}
			time.Sleep(time.Second)
			sc.post(sc.anna, sc.text, "d")
			sc.inject(discordsim.Fault{Kind: discordsim.Flip, Match: history})
			if got := sc.call("GET", "/channels/"+sc.text.String()+"/messages", nil).list(sc.t, "content"); fmt.Sprint(got) != "[d a b c]" {
				sc.t.Errorf("page %v", got)
			}
		}},
		{"G52_a_thread_is_left_out_and_has_more_lies", func(sc *scene) {
			a, b := sc.thread("a", discordsim.ThreadOptions{}), sc.thread("b", discordsim.ThreadOptions{})
			sc.inject(discordsim.Fault{Kind: discordsim.OmitThreads, Thread: a})
			active := sc.call("GET", "/guilds/"+sc.guild.String()+"/threads/active", nil).object(sc.t)
			if ids := fieldOf(active["threads"], "id"); ids != fmt.Sprint([]discordsim.ID{b}) {
				sc.t.Errorf("active %s", ids)
			}
			sc.Archive(b, true)
			sc.inject(discordsim.Fault{Kind: discordsim.WrongMore})
			archived := sc.call("GET", "/channels/"+sc.text.String()+"/threads/archived/public", nil).object(sc.t)
			if archived["has_more"] != true || len(archived["threads"].([]any)) != 1 {
				sc.t.Errorf("archived %v", archived)
			}
		}},
		{"G52_ties_at_the_page_border_are_lost", func(sc *scene) {
			var ids []discordsim.ID
			for i := range 4 {
				ids = append(ids, sc.thread(fmt.Sprint(i), discordsim.ThreadOptions{}))
			}
			for _, id := range ids {
				sc.Archive(id, true) // at one instant
			}
			base := "/channels/" + sc.text.String() + "/threads/archived/public?limit=2"
			first := sc.call("GET", base, nil).object(sc.t)
			stamp := first["threads"].([]any)[1].(body)["thread_metadata"].(body)["archive_timestamp"].(string)
			second := sc.call("GET", base+"&before="+url.QueryEscape(stamp), nil).object(sc.t)
			if first["has_more"] != true || len(second["threads"].([]any)) != 0 {
				sc.t.Errorf("first %v, second %v", first["has_more"], second["threads"])
			}
		}},
		{"G53_half_of_what_a_search_should_find", func(sc *scene) {
			for i := range 10 {
				sc.post(sc.anna, sc.text, fmt.Sprint("needle ", i))
			}
			sc.inject(discordsim.Fault{Kind: discordsim.ShortPage, Match: discordsim.Match{Route: "/guilds/{guild}/messages/search"}})
			got := sc.call("GET", "/guilds/"+sc.guild.String()+"/messages/search?content=needle", nil).object(sc.t)
			if got["total_results"] != 5.0 || len(got["messages"].([]any)) != 5 {
				sc.t.Errorf("found %v", got["total_results"])
			}
		}},
	}
	for _, script := range scripts {
		t.Run(script.name, func(t *testing.T) { play(t, nil, script.play) })
	}
}

// TestDowntime changes the world while the bot is away, and looks at what a new session is told.
func TestDowntime(t *testing.T) {
	scripts := []struct {
		name string
		sim  *discordsim.Server
		play func(sc *scene)
	}{
		{name: "G59_permissions_change_meanwhile", play: func(sc *scene) {
			sc.thread("t", discordsim.ThreadOptions{})
			c, _ := sc.ready(allIntents)
			_ = c.ws.Close(1000, "")
			hidden := sc.AddChannel(sc.guild, discordsim.Text, "hidden later")
			seen := sc.post(sc.anna, hidden, "before it was hidden")
			sc.SetPermission(hidden, sc.guild, 0, discordsim.ViewChannel)
			unseen := sc.post(sc.anna, hidden, "and after")
			sc.SetPermission(sc.text, sc.guild, 0, discordsim.ReadMessageHistory)
			time.Sleep(time.Minute)
			again, _ := sc.ready(allIntents)
			sc.post(sc.anna, hidden, "unheard")
			again.silent()
			if got := sc.call("GET", "/channels/"+hidden.String()+"/messages", nil); got.code(sc.t) != "403 50001" {
				sc.t.Errorf("hidden: %s", got.body)
			}
			if got := sc.call("GET", "/channels/"+sc.text.String()+"/messages", nil); got.status != 200 || string(got.body) != "[]" {
				sc.t.Errorf("without history: %s", got.body)
			}
			for id, want := range map[discordsim.ID]bool{seen: true, unseen: false} {
				if m, _ := sc.Message(id); m.VisibleTo(sc.bot.ID) != want || sc.Readable(sc.bot.ID, id) {
					sc.t.Errorf("%s: visible %v", m.Content, !want)
				}
			}
		}},
		{name: "G60_places_come_and_go_meanwhile", play: func(sc *scene) {
			doomed := sc.AddChannel(sc.guild, discordsim.Text, "doomed")
			idle := sc.thread("idle", discordsim.ThreadOptions{})
			lost := sc.AddGuild("lost", sc.bot.ID)
			c := sc.dial("/gateway/?v=10")
			c.expect("op 10")
			c.identify(allIntents)
			c.expect("READY")
			_ = c.ws.Close(1000, "")
			if err := sc.DeleteChannel(doomed); err != nil {
				sc.t.Fatal(err)
			}
			sc.RemoveGuild(lost)
			sc.Archive(idle, true)
			made := sc.AddChannel(sc.guild, discordsim.Text, "made")
			open := sc.thread("opened", discordsim.ThreadOptions{})
			found := sc.AddGuild("found", sc.bot.ID)
			time.Sleep(time.Minute)
			again := sc.dial("/gateway/?v=10")
			again.expect("op 10")
			again.identify(allIntents)
			ready := string(again.expect("READY").D)
			home := string(again.expect("GUILD_CREATE").D)
			again.expect("GUILD_CREATE")
			for id, want := range map[discordsim.ID]bool{made: true, open: true, doomed: false, idle: false} {
				if strings.Contains(home, `"id":"`+id.String()+`"`) != want {
					sc.t.Errorf("%d in GUILD_CREATE: %v", id, !want)
				}
			}
			if strings.Contains(ready, lost.String()) || !strings.Contains(ready, found.String()) {
				sc.t.Errorf("READY %s", ready)
			}
			for path, want := range map[string]string{"/channels/" + doomed.String() + "/messages": "404 10003", "/guilds/" + lost.String(): "404 10004",
				"/channels/" + idle.String(): "200"} {
				if got := sc.call("GET", path, nil); got.code(sc.t) != want {
					sc.t.Errorf("%s: %s", path, got.body)
				}
			}
		}},
		{name: "G56_the_clock_is_skewed", sim: &discordsim.Server{Skew: -90 * time.Second}, play: func(sc *scene) {
			id := sc.post(sc.anna, sc.text, "x")
			got := sc.call("GET", "/channels/"+sc.text.String()+"/messages", nil)
			date, err := time.Parse("Mon, 02 Jan 2006 15:04:05 GMT", got.header.Get("Date"))
			if behind := time.Since(id.Time()); behind != 90*time.Second || err != nil || time.Since(date).Truncate(time.Second) != 90*time.Second {
				sc.t.Errorf("id %s behind, Date %s", behind, got.header.Get("Date"))
			}
		}},
		{name: "G56_ids_out_of_order", play: func(sc *scene) {
			c, _ := sc.ready(allIntents)
			first := sc.post(sc.anna, sc.text, "first")
			earlier := sc.post(sc.anna, sc.text, "of a slow worker", discordsim.PostOptions{ID: discordsim.IDAt(time.Now().Add(-time.Second))})
			if c.expect("MESSAGE_CREATE").get("id") != first.String() || c.expect("MESSAGE_CREATE").get("id") != earlier.String() || earlier >= first {
				sc.t.Errorf("%d, then %d", first, earlier)
			}
			path := "/channels/" + sc.text.String()
			if got := sc.call("GET", path+"/messages", nil).list(sc.t, "content"); fmt.Sprint(got) != "[first of a slow worker]" {
				sc.t.Errorf("history %v", got)
			}
			if got := sc.call("GET", path, nil).object(sc.t); got["last_message_id"] != first.String() {
				sc.t.Errorf("last_message_id %v", got["last_message_id"])
			}
		}},
		{name: "F40_nothing_tells_of_last_message_id", play: func(sc *scene) {
			thread := sc.thread("t", discordsim.ThreadOptions{})
			c, _ := sc.ready(allIntents)
			a, b := sc.post(sc.anna, sc.text, "a"), sc.post(sc.anna, thread, "b")
			c.expect("MESSAGE_CREATE")
			c.expect("MESSAGE_CREATE")
			c.silent()
			for id, want := range map[discordsim.ID]discordsim.ID{sc.text: a, thread: b} {
				if got := sc.call("GET", "/channels/"+id.String(), nil).object(sc.t)["last_message_id"]; got != want.String() {
					sc.t.Errorf("last_message_id %v, want %d", got, want)
				}
			}
		}},
	}
	for _, script := range scripts {
		t.Run(script.name, func(t *testing.T) { play(t, script.sim, script.play) })
	}
}
