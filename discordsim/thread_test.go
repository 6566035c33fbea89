package discordsim_test

import (
	"fmt"
	"net/url"
	"testing"
	"time"

	"gapless/discordsim"
)

func TestThreads(t *testing.T) {
	scripts := []struct {
		name string
		play func(sc *scene)
	}{
		{"F60_from_a_message", func(sc *scene) {
			c, _ := sc.ready(allIntents)
			id := sc.post(sc.anna, sc.text, "topic")
			c.expect("MESSAGE_CREATE")
			path := fmt.Sprintf("/channels/%d/messages/%d/threads", sc.text, id)
			got := sc.call("POST", path, body{"name": "talk"})
			if got.status != 201 || got.object(sc.t)["id"] != id.String() || got.object(sc.t)["type"] != 11.0 {
				sc.t.Errorf("%d %s", got.status, got.body)
			}
			c.expect("THREAD_CREATE")
			if m := c.expect("MESSAGE_UPDATE"); m.get("flags") != "32" || !m.has("thread") {
				sc.t.Errorf("starter %s", m.D)
			}
			if m := c.expect("MESSAGE_CREATE"); m.get("type") != "21" || m.get("channel_id") != id.String() {
				sc.t.Errorf("stub %s", m.D)
			}
			if again := sc.call("POST", path, body{"name": "talk"}); again.code(sc.t) != "400 160004" {
				sc.t.Errorf("second thread: %s", again.body)
			}
		}},
		{"F60_private_by_default", func(sc *scene) {
			got := sc.call("POST", "/channels/"+sc.text.String()+"/threads", body{"name": "talk"})
			if got.status != 201 || got.object(sc.t)["type"] != 12.0 {
				sc.t.Errorf("%d %s", got.status, got.body)
			}
		}},
		{"F60_forum_answers_with_its_message", func(sc *scene) {
			forum := sc.AddChannel(sc.guild, discordsim.Forum, "forum")
			got := sc.call("POST", "/channels/"+forum.String()+"/threads", body{"name": "t", "message": body{"content": "first"}})
			thread := got.object(sc.t)
			if got.status != 201 || thread["message"].(body)["id"] != thread["id"] {
				sc.t.Errorf("%d %s", got.status, got.body)
			}
		}},
		{"F61_active_list_is_newest_id_first", func(sc *scene) {
			a, b := sc.thread("a", discordsim.ThreadOptions{}), sc.thread("b", discordsim.ThreadOptions{})
			private := sc.thread("p", discordsim.ThreadOptions{Private: true})
			sc.Archive(sc.thread("old", discordsim.ThreadOptions{}), true)
			sc.JoinThread(private, sc.bot.ID)
			got := sc.call("GET", "/guilds/"+sc.guild.String()+"/threads/active", nil).object(sc.t)
			if ids := fieldOf(got["threads"], "id"); ids != fmt.Sprint([]discordsim.ID{private, b, a}) || len(got["members"].([]any)) != 1 {
				sc.t.Errorf("threads %s", ids)
			}
			if _, has := got["has_more"]; has {
				sc.t.Error("has_more on the active list")
			}
		}},
		{"B10_active_threads_of_a_channel_in_v9_only", func(sc *scene) {
			id := sc.thread("t", discordsim.ThreadOptions{})
			other := sc.AddChannel(sc.guild, discordsim.Forum, "forum")
			if _, err := sc.ForumPost(sc.anna, other, "elsewhere", "x"); err != nil {
				sc.t.Fatal(err)
			}
			path := "/channels/" + sc.text.String() + "/threads/active"
			status, list := sc.plain("/api/v9"+path, "Bot "+sc.bot.Token)
			if status != 200 || fieldOf(list["threads"], "id") != fmt.Sprint([]discordsim.ID{id}) || list["has_more"] != false {
				sc.t.Errorf("v9: %d %v", status, list)
			}
			if got := sc.call("GET", path, nil); got.code(sc.t) != "404 0" {
				sc.t.Errorf("v10: %d %s", got.status, got.body)
			}
		}},
		{"F61_archived_public_pages_by_archive_timestamp", func(sc *scene) {
			var ids []discordsim.ID
			for i := range 5 {
				ids = append(ids, sc.thread(fmt.Sprint(i), discordsim.ThreadOptions{}))
			}
			for _, i := range []int{2, 0, 4, 1, 3} { // archived in this order
				time.Sleep(time.Minute)
				sc.Archive(ids[i], true)
			}
			base := "/channels/" + sc.text.String() + "/threads/archived/public?limit=2"
			first := sc.call("GET", base, nil).object(sc.t)
			if got := fieldOf(first["threads"], "id"); got != fmt.Sprint([]discordsim.ID{ids[3], ids[1]}) || first["has_more"] != true {
				sc.t.Errorf("first page %s more %v", got, first["has_more"])
			}
			meta := first["threads"].([]any)[1].(body)["thread_metadata"].(body)
			second := sc.call("GET", base+"&before="+url.QueryEscape(meta["archive_timestamp"].(string)), nil).object(sc.t)
			if got := fieldOf(second["threads"], "id"); got != fmt.Sprint([]discordsim.ID{ids[4], ids[0]}) {
				sc.t.Errorf("second page %s", got)
			}
		}},
		{"F61_archived_private_needs_permission_and_joined_pages_by_id", func(sc *scene) {
			var ids []discordsim.ID
			for i := range 3 {
				id := sc.thread(fmt.Sprint(i), discordsim.ThreadOptions{Private: true})
				sc.JoinThread(id, sc.bot.ID)
				time.Sleep(time.Second)
				ids = append(ids, id)
			}
			for _, i := range []int{1, 0, 2} {
				time.Sleep(time.Second)
				sc.Archive(ids[i], true)
			}
			base := "/channels/" + sc.text.String()
			if got := sc.call("GET", base+"/threads/archived/private", nil); got.code(sc.t) != "403 50013" {
				sc.t.Errorf("private list: %s", got.body)
			}
			joined := sc.call("GET", base+"/users/@me/threads/archived/private?limit=2", nil).object(sc.t)
			if got := fieldOf(joined["threads"], "id"); got != fmt.Sprint([]discordsim.ID{ids[2], ids[1]}) || joined["has_more"] != true {
				sc.t.Errorf("joined %s", got)
			}
			rest := sc.call("GET", base+"/users/@me/threads/archived/private?before="+ids[1].String(), nil).object(sc.t)
			if got := fieldOf(rest["threads"], "id"); got != fmt.Sprint([]discordsim.ID{ids[0]}) || rest["has_more"] != false {
				sc.t.Errorf("rest %s", got)
			}
			sc.SetPermission(sc.text, sc.bot.ID, discordsim.ManageThreads, 0)
			if got := fieldOf(sc.call("GET", base+"/threads/archived/private", nil).object(sc.t)["threads"], "id"); got !=
				fmt.Sprint([]discordsim.ID{ids[2], ids[0], ids[1]}) {
				sc.t.Errorf("private list %s", got)
			}
		}},
		{"F61_limit_1_is_refused", func(sc *scene) {
			got := sc.call("GET", "/channels/"+sc.text.String()+"/threads/archived/public?limit=1", nil)
			if got.code(sc.t) != "400 50035" {
				sc.t.Errorf("%s", got.body)
			}
		}},
		{"F62_guild_channels_hold_no_threads", func(sc *scene) {
			sc.thread("t", discordsim.ThreadOptions{})
			if got := sc.call("GET", "/guilds/"+sc.guild.String()+"/channels", nil).list(sc.t, "id"); len(got) != 1 {
				sc.t.Errorf("channels %v", got)
			}
		}},
		{"F63_my_guilds_page_after", func(sc *scene) {
			ids := []string{sc.guild.String()}
			for i := range 4 {
				ids = append(ids, sc.AddGuild(fmt.Sprint(i), sc.bot.ID).String())
			}
			got := sc.call("GET", "/users/@me/guilds?limit=2&after="+ids[1], nil).list(sc.t, "id")
			if fmt.Sprint(got) != fmt.Sprint(ids[2:4]) {
				sc.t.Errorf("got %v of %v", got, ids)
			}
		}},
		{"F64_G53_search", func(sc *scene) {
			for i := range 30 {
				sc.post(sc.anna, sc.text, fmt.Sprint("needle ", i))
			}
			sc.post(sc.anna, sc.text, "hay")
			path := "/guilds/" + sc.guild.String() + "/messages/search?content=needle"
			got := sc.call("GET", path, nil).object(sc.t)
			hits := got["messages"].([]any)
			if got["total_results"] != 30.0 || len(hits) != 25 || hits[0].([]any)[0].(body)["content"] != "needle 29" {
				sc.t.Errorf("found %v, shown %d", got["total_results"], len(hits))
			}
			sc.inject(discordsim.Fault{Kind: discordsim.Unindexed})
			if got := sc.call("GET", path, nil); got.code(sc.t) != "202 110000" {
				sc.t.Errorf("%d %s", got.status, got.body)
			}
		}},
		{"B12_DMs_open_again_and_are_not_listed", func(sc *scene) {
			dm := sc.OpenDM(sc.anna, sc.bot.ID)
			got := sc.call("POST", "/users/@me/channels", body{"recipient_id": sc.anna}).object(sc.t)
			if got["id"] != dm.String() || got["type"] != 1.0 {
				sc.t.Errorf("opened %v", got)
			}
			if list := sc.call("GET", "/users/@me/channels", nil); string(list.body) != "[]" {
				sc.t.Errorf("list %s", list.body)
			}
		}},
		{"B9_thread_membership_and_50083", func(sc *scene) {
			id := sc.thread("t", discordsim.ThreadOptions{})
			base := "/channels/" + id.String() + "/thread-members"
			if got := sc.call("PUT", base+"/@me", nil); got.status != 204 {
				sc.t.Errorf("join %d", got.status)
			}
			if got := sc.call("GET", base, nil).list(sc.t, "user_id"); len(got) != 2 {
				sc.t.Errorf("members %v", got)
			}
			sc.Archive(id, true)
			if got := sc.call("DELETE", base+"/@me", nil); got.code(sc.t) != "400 50083" {
				sc.t.Errorf("leave an archived thread: %s", got.body)
			}
		}},
	}
	for _, script := range scripts {
		t.Run(script.name, func(t *testing.T) { play(t, nil, script.play) })
	}
}

// fieldOf shows one field of each element of a list inside an answer.
func fieldOf(list any, field string) string {
	var got []any
	for _, item := range list.([]any) {
		got = append(got, item.(body)[field])
	}
	return fmt.Sprint(got)
}
