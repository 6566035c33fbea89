package discordsim_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gapless/discordsim"
)

func TestDeeds(t *testing.T) {
	scripts := []struct {
		name string
		play func(sc *scene)
	}{
		{"G25_op_7_F16_op_1_G17_raw", func(sc *scene) {
			c, _ := sc.ready(1)
			sc.AskReconnect(sc.bot.ID)
			c.expect("op 7")
			sc.AskHeartbeat(sc.bot.ID)
			c.expect("op 1")
			sc.SendRaw(sc.bot.ID, []byte("{half"))
			c.expect("MALFORMED")
		}},
		{"G26_op_9_true_can_be_resumed_on_the_same_socket", func(sc *scene) {
			c, session := sc.ready(1)
			sc.InvalidateSessions(sc.bot.ID, true)
			c.expect("op 9")
			c.resume(session, 2)
			c.expect("RESUMED")
			sc.InvalidateSessions(sc.bot.ID, false)
			c.expect("op 9")
			c.resume(session, 3)
			c.expect("op 9")
		}},
		{"G27_close_with_1011", func(sc *scene) {
			c, session := sc.ready(1)
			sc.CloseConnections(sc.bot.ID, 1011)
			if code := c.closed(); code != 1011 {
				sc.t.Errorf("closed with %d", code)
			}
			synctest.Wait()
			if got := sc.Sessions()[0]; got.ID != session || got.Connected || !got.Ended.IsZero() || got.Seq != 2 {
				sc.t.Errorf("session on record: %+v", got)
			}
		}},
		{"D6_order_of_overwrites", func(sc *scene) {
			c, _ := sc.ready(allIntents)
			heard := func(want bool, why string) {
				sc.t.Helper()
				sc.post(sc.anna, sc.text, why)
				synctest.Wait()
				got := false
				for len(c.frames) > 0 {
					got = c.next().T == "MESSAGE_CREATE" || got
				}
				if got != want {
					sc.t.Errorf("%s: heard %v", why, got)
				}
			}
			role := sc.AddRole(sc.guild, "readers", 0)
			sc.SetPermission(sc.text, sc.guild, 0, discordsim.ViewChannel)
			heard(false, "everyone is denied")
			sc.GiveRole(sc.guild, sc.bot.ID, role, true)
			sc.SetPermission(sc.text, role, discordsim.ViewChannel, 0)
			heard(true, "a role's allow beats everyone's deny")
			sc.SetPermission(sc.text, sc.bot.ID, 0, discordsim.ViewChannel)
			heard(false, "a member's deny beats a role's allow")
			sc.SetRole(sc.guild, role, discordsim.Administrator)
			heard(true, "administrators see everything")
			sc.GiveRole(sc.guild, sc.bot.ID, role, false)
			heard(false, "and no more without the role")
		}},
		{"A20_reactions", func(sc *scene) {
			c, _ := sc.ready(allIntents)
			id := sc.post(sc.anna, sc.text, "x")
			c.expect("MESSAGE_CREATE")
			if err := sc.React(sc.anna, id, "party:12345678901234567"); err != nil {
				sc.t.Fatal(err)
			}
			if r := c.expect("MESSAGE_REACTION_ADD"); r.get("emoji") != `{"id":"12345678901234567","name":"party"}` || !r.has("member") {
				sc.t.Errorf("reaction %s", r.D)
			}
			m := sc.call("GET", fmt.Sprintf("/channels/%d/messages/%d", sc.text, id), nil).object(sc.t)
			if got := m["reactions"].([]any)[0].(body); got["count"] != 1.0 || got["me"] != false {
				sc.t.Errorf("reactions %v", m["reactions"])
			}
			path := fmt.Sprintf("/channels/%d/messages/%d/reactions/party:12345678901234567", sc.text, id)
			if got := sc.call("GET", path, nil).list(sc.t, "id"); got[0] != sc.anna.String() {
				sc.t.Errorf("who reacted: %v", got)
			}
			sc.Unreact(sc.anna, id, "party:12345678901234567")
			c.expect("MESSAGE_REACTION_REMOVE")
		}},
		{"guild_and_channel_change_and_go", func(sc *scene) {
			c, _ := sc.ready(allIntents)
			sc.RenameChannel(sc.text, "renamed")
			if u := c.expect("CHANNEL_UPDATE"); u.get("name") != "renamed" {
				sc.t.Errorf("update %s", u.D)
			}
			thread := sc.thread("t", discordsim.ThreadOptions{})
			c.expect("THREAD_CREATE")
			c.expect("MESSAGE_CREATE")
			if err := sc.DeleteChannel(thread); err != nil {
				sc.t.Fatal(err)
			}
			if gone := c.expect("THREAD_DELETE"); gone.get("parent_id") != sc.text.String() || gone.has("name") {
				sc.t.Errorf("thread gone %s", gone.D)
			}
			if err := sc.DeleteChannel(sc.text); err != nil {
				sc.t.Fatal(err)
			}
			c.expect("CHANNEL_DELETE")
			if _, err := sc.Post(sc.anna, sc.text, "late"); err == nil {
				sc.t.Error("posted in a deleted channel")
			}
			sc.RemoveGuild(sc.guild)
			c.expect("GUILD_DELETE")
		}},
		{"G15_outage_unmarked", func(sc *scene) {
			c, _ := sc.ready(1)
			sc.inject(discordsim.Fault{Kind: discordsim.OutageUnmarked})
			sc.GuildOutage(sc.guild, true)
			if gone := c.expect("GUILD_DELETE"); gone.has("unavailable") {
				sc.t.Errorf("gone %s", gone.D)
			}
		}},
		{"B9_patch_a_thread", func(sc *scene) {
			id := sc.thread("t", discordsim.ThreadOptions{})
			path := "/channels/" + id.String()
			if got := sc.call("PATCH", path, body{"archived": true}); got.code(sc.t) != "403 50013" {
				sc.t.Errorf("archive another's thread: %s", got.body)
			}
			sc.SetPermission(sc.text, sc.bot.ID, discordsim.ManageThreads, 0)
			if got := sc.call("PATCH", path, body{"auto_archive_duration": 61}); got.code(sc.t) != "400 50035" {
				sc.t.Errorf("61 minutes: %s", got.body)
			}
			got := sc.call("PATCH", path, body{"archived": true, "locked": true, "name": "done", "auto_archive_duration": 60}).object(sc.t)
			meta := got["thread_metadata"].(body)
			if got["name"] != "done" || meta["archived"] != true || meta["locked"] != true || meta["auto_archive_duration"] != 60.0 {
				sc.t.Errorf("patched %v", got)
			}
			sc.SetPermission(sc.text, sc.bot.ID, discordsim.ManageThreads|discordsim.ManageChannels, 0)
			if got := sc.call("DELETE", path, nil); got.status != 200 {
				sc.t.Errorf("delete: %s", got.body)
			}
			if got := sc.call("GET", path, nil); got.code(sc.t) != "404 10003" {
				sc.t.Errorf("then: %s", got.body)
			}
		}},
		{"B7_bulk_delete", func(sc *scene) {
			path := "/channels/" + sc.text.String() + "/messages/bulk-delete"
			a, b := sc.post(sc.anna, sc.text, "a"), sc.post(sc.anna, sc.text, "b")
			old, err := sc.PostAt(time.Now().Add(-15*24*time.Hour), sc.anna, sc.text, "old")
			if err != nil {
				sc.t.Fatal(err)
			}
			sc.SetPermission(sc.text, sc.bot.ID, discordsim.ManageMessages, 0)
			for _, step := range []struct {
				ids  []discordsim.ID
				want string
			}{{[]discordsim.ID{a}, "400 50016"}, {[]discordsim.ID{a, old}, "400 50034"}} {
				if got := sc.call("POST", path, body{"messages": step.ids}); got.code(sc.t) != step.want {
					sc.t.Errorf("%v: %s", step.ids, got.body)
				}
			}
			if got := sc.call("POST", path, body{"messages": []discordsim.ID{a, b}}); got.status != 204 || len(sc.In(sc.text)) != 1 {
				sc.t.Errorf("%d, %d remain", got.status, len(sc.In(sc.text)))
			}
		}},
		{"A1_A8_B12_who_and_where", func(sc *scene) {
			sc.ready(1)
			limit := sc.call("GET", "/gateway/bot", nil).object(sc.t)["session_start_limit"].(body)
			if limit["total"] != 1000.0 || limit["remaining"] != 999.0 || limit["max_concurrency"] != 1.0 {
				sc.t.Errorf("session_start_limit %v", limit)
			}
			if app := sc.call("GET", "/applications/@me", nil).object(sc.t); app["flags"] != float64(1<<19|1<<15|1<<13) {
				sc.t.Errorf("application flags %v", app["flags"])
			}
			guild := "/guilds/" + sc.guild.String()
			for path, want := range map[string]string{"/users/@me": "200", "/users/" + sc.anna.String(): "200", "/users/1": "404 10013",
				guild: "200", guild + "/members/" + sc.anna.String(): "200", guild + "/members/1": "404 10007", "/guilds/1": "404 10004"} {
				if got := sc.call("GET", path, nil); got.code(sc.t) != want {
					sc.t.Errorf("%s: %s %s, want %s", path, got.code(sc.t), got.body, want)
				}
			}
			if roles := sc.call("GET", guild+"/roles", nil).list(sc.t, "name"); roles[0] != "@everyone" {
				sc.t.Errorf("roles %v", roles)
			}
		}},
		{"truth_and_requests_on_record", func(sc *scene) {
			hidden := sc.AddChannel(sc.guild, discordsim.Text, "hidden")
			sc.SetPermission(hidden, sc.guild, 0, discordsim.ViewChannel)
			secret := sc.post(sc.anna, hidden, "<@"+sc.bot.ID.String()+">")
			open := sc.post(sc.anna, sc.text, "<@"+sc.bot.ID.String()+">")
			own := sc.post(sc.bot.ID, sc.text, "answer", discordsim.PostOptions{Reply: open})
			back := sc.post(sc.anna, sc.text, "thanks", discordsim.PostOptions{Reply: own, NoPing: true})
			chatter := sc.post(sc.anna, sc.text, "to nobody")
			for id, want := range map[discordsim.ID][3]bool{secret: {false, false, false}, open: {true, true, true},
				own: {true, false, true}, back: {true, true, true}, chatter: {true, false, true}} {
				m, known := sc.Message(id)
				if got := [3]bool{m.VisibleTo(sc.bot.ID), m.Addresses(sc.bot.ID), sc.Readable(sc.bot.ID, id)}; !known || got != want {
					sc.t.Errorf("%s: visible, addressed, readable %v, want %v", m.Content, got, want)
				}
			}
			sc.call("GET", "/channels/"+sc.text.String()+"/messages?limit=1", nil)
			log := sc.Requests()
			if len(log) != 1 || log[0].Route != "/channels/{channel}/messages" || log[0].Status != 200 || log[0].Bot != sc.bot.ID ||
				log[0].Query != "limit=1" || sc.Count("GET /channels/{channel}/messages") != 1 || sc.Count("") != 1 || sc.Invalid() != 0 {
				sc.t.Errorf("requests %+v", log)
			}
		}},
		{"B9_leave_a_thread_and_webhooks", func(sc *scene) {
			id := sc.thread("t", discordsim.ThreadOptions{})
			sc.JoinThread(id, sc.bot.ID)
			c, _ := sc.ready(allIntents)
			sc.LeaveThread(id, sc.bot.ID)
			if left := c.expect("THREAD_MEMBERS_UPDATE"); !strings.Contains(left.get("removed_member_ids"), sc.bot.ID.String()) {
				sc.t.Errorf("left %s", left.D)
			}
			hook := sc.AddUser("hook", "")
			sc.post(hook, sc.text, "from outside", discordsim.PostOptions{Webhook: true})
			if m := c.expect("MESSAGE_CREATE"); m.get("webhook_id") != hook.String() || m.has("member") {
				sc.t.Errorf("webhook message %s", m.D)
			}
		}},
	}
	for _, script := range scripts {
		t.Run(script.name, func(t *testing.T) { play(t, nil, script.play) })
	}
}
