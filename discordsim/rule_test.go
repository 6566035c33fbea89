package discordsim_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gapless/discordsim"
)

// TestRules plays the rules of places: who may write where and when, and what a channel is made of.
func TestRules(t *testing.T) {
	scripts := []struct {
		name string
		sim  *discordsim.Server
		play func(sc *scene)
	}{
		{name: "slow_mode_20016_for_users", play: func(sc *scene) {
			c, _ := sc.ready(allIntents)
			sc.SetSlowMode(sc.text, 10*time.Second)
			if u := c.expect("CHANNEL_UPDATE"); u.get("rate_limit_per_user") != "10" {
				sc.t.Errorf("update %s", u.D)
			}
			sc.post(sc.anna, sc.text, "one")
			if _, err := sc.Post(sc.anna, sc.text, "two"); err == nil || !strings.Contains(err.Error(), "20016") {
				sc.t.Errorf("two: %v", err)
			}
			sc.post(sc.AddUser("ben", ""), sc.text, "another's first")
			time.Sleep(10 * time.Second)
			sc.post(sc.anna, sc.text, "two")
			for range 3 {
				if got := sc.call("POST", "/channels/"+sc.text.String()+"/messages", body{"content": "bots do not wait"}); got.status != 200 {
					sc.t.Errorf("bot: %s", got.body)
				}
			}
		}},
		{name: "slow_mode_20016_for_bots_if_asked", sim: &discordsim.Server{SlowBots: true}, play: func(sc *scene) {
			sc.SetSlowMode(sc.text, 10*time.Second)
			path := "/channels/" + sc.text.String() + "/messages"
			sc.call("POST", path, body{"content": "one"})
			time.Sleep(2500 * time.Millisecond)
			got := sc.call("POST", path, body{"content": "two"})
			if got.code(sc.t) != "429 20016" || got.object(sc.t)["retry_after"] != 7.5 || got.header.Get("Retry-After") != "8" {
				sc.t.Errorf("two: %v %s", got.header, got.body)
			}
			sc.SetPermission(sc.text, sc.bot.ID, discordsim.BypassSlowMode, 0)
			if got := sc.call("POST", path, body{"content": "two"}); got.status != 200 {
				sc.t.Errorf("with the permission: %s", got.body)
			}
		}},
		{name: "D6_timed_out_members_only_read", play: func(sc *scene) {
			c, _ := sc.ready(allIntents)
			path := "/channels/" + sc.text.String() + "/messages"
			sc.TimeOut(sc.guild, sc.bot.ID, time.Minute)
			if m := c.expect("GUILD_MEMBER_UPDATE"); m.get("communication_disabled_until") != "2026-01-02T12:01:00.000000+00:00" {
				sc.t.Errorf("member %s", m.D)
			}
			sc.post(sc.anna, sc.text, "still heard")
			c.expect("MESSAGE_CREATE")
			if got := sc.call("GET", path, nil).list(sc.t, "content"); len(got) != 1 {
				sc.t.Errorf("read %v", got)
			}
			if got := sc.call("POST", path, body{"content": "x"}); got.code(sc.t) != "403 50013" {
				sc.t.Errorf("post: %s", got.body)
			}
			time.Sleep(time.Minute + time.Millisecond)
			if got := sc.call("POST", path, body{"content": "x"}); got.status != 200 {
				sc.t.Errorf("a minute later: %s", got.body)
			}
			c.expect("MESSAGE_CREATE")
			sc.TimeOut(sc.guild, sc.bot.ID, time.Hour)
			sc.TimeOut(sc.guild, sc.bot.ID, 0)
			c.expect("GUILD_MEMBER_UPDATE")
			if m := c.expect("GUILD_MEMBER_UPDATE"); m.get("communication_disabled_until") != "null" {
				sc.t.Errorf("member %s", m.D)
			}
			if got := sc.call("POST", path, body{"content": "x"}); got.status != 200 {
				sc.t.Errorf("let go: %s", got.body)
			}
		}},
		{name: "B9_forum_tags_40067", play: func(sc *scene) {
			forum := sc.AddChannel(sc.guild, discordsim.Forum, "forum")
			tag := sc.AddForumTag(forum, "bug")
			sc.RequireTag(forum, true)
			path := "/channels/" + forum.String() + "/threads"
			post := func(tags ...any) response {
				return sc.call("POST", path, body{"name": "t", "message": body{"content": "x"}, "applied_tags": tags})
			}
			for want, tags := range map[string][]any{"400 40067": {}, "400 50035": {"1"}} {
				if got := post(tags...); got.code(sc.t) != want {
					sc.t.Errorf("%v: %s", tags, got.body)
				}
			}
			if got := post(tag, tag, tag, tag, tag, tag); got.code(sc.t) != "400 50035" {
				sc.t.Errorf("six tags: %s", got.body)
			}
			got := post(tag)
			if thread := got.object(sc.t); got.status != 201 || fmt.Sprint(thread["applied_tags"]) != fmt.Sprint([]any{tag.String()}) {
				sc.t.Errorf("posted %s", got.body)
			}
			if channel := sc.call("GET", "/channels/"+forum.String(), nil).object(sc.t); channel["flags"] != 16.0 ||
				channel["available_tags"].([]any)[0].(body)["name"] != "bug" {
				sc.t.Errorf("forum %v", channel)
			}
			if _, err := sc.ForumPost(sc.anna, forum, "t", "x"); err == nil || !strings.Contains(err.Error(), "40067") {
				sc.t.Errorf("a user without a tag: %v", err)
			}
			if _, err := sc.ForumPost(sc.anna, forum, "t", "x", discordsim.ThreadOptions{Tags: []discordsim.ID{tag}}); err != nil {
				sc.t.Error(err)
			}
		}},
		{name: "B9_moderated_tags", play: func(sc *scene) {
			sc.SetRole(sc.guild, sc.guild, discordsim.EveryoneDefault|discordsim.ManageChannels)
			made := sc.call("POST", "/guilds/"+sc.guild.String()+"/channels", body{"name": "forum", "type": 15,
				"available_tags": []body{{"name": "official", "moderated": true}}}).object(sc.t)
			tag := made["available_tags"].([]any)[0].(body)["id"]
			path := fmt.Sprintf("/channels/%v/threads", made["id"])
			in := body{"name": "t", "message": body{"content": "x"}, "applied_tags": []any{tag}}
			if got := sc.call("POST", path, in); got.code(sc.t) != "403 50013" {
				sc.t.Errorf("stranger: %s", got.body)
			}
			sc.SetRole(sc.guild, sc.guild, discordsim.EveryoneDefault|discordsim.ManageThreads)
			if got := sc.call("POST", path, in); got.status != 201 {
				sc.t.Errorf("moderator: %s", got.body)
			}
		}},
		{name: "A19_pins", play: func(sc *scene) {
			c, _ := sc.ready(allIntents)
			a, b := sc.post(sc.anna, sc.text, "a"), sc.post(sc.anna, sc.text, "b")
			c.expect("MESSAGE_CREATE")
			c.expect("MESSAGE_CREATE")
			base := "/channels/" + sc.text.String()
			if got := sc.call("PUT", fmt.Sprintf("%s/messages/pins/%d", base, a), nil); got.code(sc.t) != "403 50013" {
				sc.t.Errorf("pin: %s", got.body)
			}
			sc.SetPermission(sc.text, sc.bot.ID, discordsim.PinMessages, 0)
			c.expect("CHANNEL_UPDATE")
			if got := sc.call("PUT", fmt.Sprintf("%s/messages/pins/%d", base, a), nil); got.status != 204 {
				sc.t.Errorf("pin: %d %s", got.status, got.body)
			}
			if u := c.expect("CHANNEL_PINS_UPDATE"); u.get("last_pin_timestamp") == "null" || u.get("guild_id") != sc.guild.String() {
				sc.t.Errorf("pins update %s", u.D)
			}
			if m := c.expect("MESSAGE_UPDATE"); m.get("pinned") != "true" || m.get("edited_timestamp") != "null" {
				sc.t.Errorf("pinned %s", m.D)
			}
			if m := c.expect("MESSAGE_CREATE"); m.get("type") != "6" || !strings.Contains(m.get("message_reference"), a.String()) || m.has("referenced_message") {
				sc.t.Errorf("notice %s", m.D)
			}
			time.Sleep(time.Second)
			if err := sc.Pin(sc.anna, b); err != nil {
				sc.t.Fatal(err)
			}
			if got := sc.call("GET", base+"/pins", nil).list(sc.t, "content"); fmt.Sprint(got) != "[b a]" {
				sc.t.Errorf("pins %v", got)
			}
			page := sc.call("GET", base+"/messages/pins?limit=1", nil).object(sc.t)
			first := page["items"].([]any)[0].(body)
			if first["message"].(body)["content"] != "b" || page["has_more"] != true {
				sc.t.Errorf("page %v", page)
			}
			next := sc.call("GET", base+"/messages/pins?before="+strings.ReplaceAll(first["pinned_at"].(string), "+", "%2B"), nil).object(sc.t)
			if items := next["items"].([]any); len(items) != 1 || items[0].(body)["message"].(body)["content"] != "a" || next["has_more"] != false {
				sc.t.Errorf("next page %v", next)
			}
			for range 3 {
				c.next()
			}
			if err := sc.Delete(b); err != nil {
				sc.t.Fatal(err)
			}
			c.expect("MESSAGE_DELETE") // and no CHANNEL_PINS_UPDATE
			if got := sc.call("DELETE", fmt.Sprintf("%s/pins/%d", base, a), nil); got.status != 204 {
				sc.t.Errorf("unpin: %s", got.body)
			}
			c.expect("CHANNEL_PINS_UPDATE")
			if err := sc.Pin(sc.anna, b); err == nil {
				sc.t.Error("pinned a deleted message")
			}
			if truth, _ := sc.Message(sc.In(sc.text)[1].ID); truth.Type != 6 || truth.ReplyTo != 0 {
				sc.t.Errorf("truth of the notice %+v", truth)
			}
		}},
		{name: "B1_channels_over_REST", play: func(sc *scene) {
			c, _ := sc.ready(allIntents)
			path := "/guilds/" + sc.guild.String() + "/channels"
			if got := sc.call("POST", path, body{"name": "x"}); got.code(sc.t) != "403 50013" {
				sc.t.Errorf("without permission: %s", got.body)
			}
			sc.SetRole(sc.guild, sc.guild, discordsim.EveryoneDefault|discordsim.ManageChannels|discordsim.ManageRoles)
			c.expect("GUILD_ROLE_UPDATE")
			for _, in := range []body{{}, {"name": ""}, {"name": "x", "type": 11}, {"name": "x", "rate_limit_per_user": 21601}, {"name": "x", "parent_id": sc.text},
				{"name": "x", "permission_overwrites": []body{{"id": sc.guild, "allow": "lots"}}}, {"name": "x", "topic": strings.Repeat("x", 4097)}} {
				if got := sc.call("POST", path, in); got.code(sc.t) != "400 50035" {
					sc.t.Errorf("%v: %s", in, got.body)
				}
			}
			category := sc.call("POST", path, body{"name": "rooms", "type": 4}).object(sc.t)["id"]
			c.expect("CHANNEL_CREATE")
			got := sc.call("POST", path, body{"name": "new", "topic": "of the day", "nsfw": true, "rate_limit_per_user": 5, "parent_id": category,
				"permission_overwrites": []body{{"id": sc.anna, "type": 1, "deny": "2048"}}})
			made := got.object(sc.t)
			if got.status != 201 || made["topic"] != "of the day" || made["nsfw"] != true || made["rate_limit_per_user"] != 5.0 || made["parent_id"] != category ||
				made["permission_overwrites"].([]any)[0].(body)["deny"] != "2048" {
				sc.t.Errorf("made %s", got.body)
			}
			if e := c.expect("CHANNEL_CREATE"); e.get("id") != made["id"] || e.get("topic") != "of the day" {
				sc.t.Errorf("event %s", e.D)
			}
			mine := fmt.Sprintf("/channels/%v", made["id"])
			changed := sc.call("PATCH", mine, body{"name": "newer", "parent_id": nil}).object(sc.t)
			if changed["name"] != "newer" || changed["parent_id"] != nil || changed["topic"] != "of the day" {
				sc.t.Errorf("changed %v", changed)
			}
			c.expect("CHANNEL_UPDATE")
			if got := sc.call("PUT", fmt.Sprintf("%s/permissions/%d", mine, sc.guild), body{"type": 0, "deny": "1024"}); got.status != 204 {
				sc.t.Errorf("hide: %s", got.body)
			}
			c.expect("CHANNEL_UPDATE")
			if got := sc.call("GET", mine, nil); got.code(sc.t) != "403 50001" {
				sc.t.Errorf("hidden: %s", got.body)
			}
			sc.call("DELETE", fmt.Sprintf("/channels/%v", category), nil)
			c.expect("CHANNEL_DELETE")
		}},
		{name: "a_category_leaves_its_channels", play: func(sc *scene) {
			category := sc.AddChannel(sc.guild, discordsim.Category, "rooms")
			sc.MoveChannel(sc.text, category)
			c, _ := sc.ready(allIntents)
			if err := sc.DeleteChannel(category); err != nil {
				sc.t.Fatal(err)
			}
			c.expect("CHANNEL_DELETE")
			if u := c.expect("CHANNEL_UPDATE"); u.get("id") != sc.text.String() || u.get("parent_id") != "null" {
				sc.t.Errorf("update %s", u.D)
			}
		}},
		{name: "B9_a_thread_has_its_own_slow_mode", play: func(sc *scene) {
			got := sc.call("POST", "/channels/"+sc.text.String()+"/threads", body{"name": "t", "type": 11, "rate_limit_per_user": 30}).object(sc.t)
			if got["rate_limit_per_user"] != 30.0 {
				sc.t.Errorf("thread %v", got)
			}
		}},
	}
	for _, script := range scripts {
		t.Run(script.name, func(t *testing.T) { play(t, script.sim, script.play) })
	}
}

// TestMembers asks for members over the gateway (op 8).
func TestMembers(t *testing.T) {
	const members = allIntents | 1<<1
	scripts := []struct {
		name string
		play func(sc *scene)
	}{
		{"everybody_in_chunks_of_a_thousand", func(sc *scene) {
			for i := range 1200 {
				sc.Join(sc.guild, sc.AddUser(fmt.Sprint("user", i), ""))
			}
			c, _ := sc.ready(members)
			c.send(8, body{"guild_id": sc.guild, "query": "", "limit": 0, "nonce": "n"})
			var sizes []int
			for i := range 2 {
				chunk := c.expect("GUILD_MEMBERS_CHUNK")
				if chunk.get("chunk_index") != fmt.Sprint(i) || chunk.get("chunk_count") != "2" || chunk.get("nonce") != "n" {
					sc.t.Errorf("chunk %s", chunk.get("chunk_index"))
				}
				sizes = append(sizes, strings.Count(string(chunk.D), `"user":`))
			}
			if fmt.Sprint(sizes) != "[1000 203]" { // and the owner, the bot and anna
				sc.t.Errorf("sizes %v", sizes)
			}
		}},
		{"A16_everybody_once_in_30_seconds", func(sc *scene) {
			c, _ := sc.ready(members)
			ask := body{"guild_id": sc.guild, "query": "", "limit": 0, "nonce": "n"}
			c.send(8, ask)
			c.expect("GUILD_MEMBERS_CHUNK")
			time.Sleep(10 * time.Second)
			c.send(8, ask)
			limited := c.expect("RATE_LIMITED")
			if limited.get("opcode") != "8" || limited.get("retry_after") != "20" || limited.get("meta") != fmt.Sprintf(`{"guild_id":"%d","nonce":"n"}`, sc.guild) {
				sc.t.Errorf("limited %s", limited.D)
			}
			c.send(8, body{"guild_id": sc.guild, "query": "an", "limit": 10})
			c.expect("GUILD_MEMBERS_CHUNK")
			time.Sleep(20 * time.Second)
			c.send(8, ask)
			c.expect("GUILD_MEMBERS_CHUNK")
		}},
		{"by_prefix_and_by_id_without_the_intent", func(sc *scene) {
			c, _ := sc.ready(allIntents)
			c.send(8, body{"guild_id": sc.guild, "query": "AN", "limit": 5})
			if chunk := c.expect("GUILD_MEMBERS_CHUNK"); !strings.Contains(string(chunk.D), sc.anna.String()) || strings.Contains(string(chunk.D), "helper") {
				sc.t.Errorf("chunk %s", chunk.D)
			}
			c.send(8, body{"guild_id": sc.guild, "user_ids": []any{sc.anna, "1"}, "limit": 0, "presences": true, "nonce": strings.Repeat("n", 33)})
			chunk := c.expect("GUILD_MEMBERS_CHUNK")
			if chunk.get("not_found") != `["1"]` || chunk.has("nonce") || !chunk.has("presences") {
				sc.t.Errorf("chunk %s", chunk.D)
			}
			c.send(8, body{"guild_id": sc.guild, "user_ids": sc.anna, "limit": 0})
			c.expect("GUILD_MEMBERS_CHUNK")
			c.send(8, body{"guild_id": sc.guild, "query": "nobody", "limit": 5})
			if chunk := c.expect("GUILD_MEMBERS_CHUNK"); chunk.get("members") != "[]" {
				sc.t.Errorf("chunk %s", chunk.D)
			}
		}},
		{"left_unanswered", func(sc *scene) {
			c, _ := sc.ready(allIntents)
			c.send(8, body{"guild_id": sc.guild, "query": "", "limit": 0})
			c.send(8, body{"guild_id": "1", "query": "a", "limit": 1})
			c.silent()
		}},
		{"undecodable", func(sc *scene) {
			c, _ := sc.ready(allIntents)
			c.send(8, body{"guild_id": 1.5})
			if code := c.closed(); code != 4002 {
				sc.t.Errorf("closed with %d", code)
			}
		}},
	}
	for _, script := range scripts {
		t.Run(script.name, func(t *testing.T) { play(t, nil, script.play) })
	}
}
