package discordsim_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"gapless/discordsim"
)

func TestEvents(t *testing.T) {
	scripts := []struct {
		name string
		sim  *discordsim.Server
		play func(sc *scene)
	}{
		{name: "F37_live_copy_is_complete_and_REST_copy_is_not", play: func(sc *scene) {
			c, _ := sc.ready(allIntents)
			id := sc.post(sc.anna, sc.text, "hello <@"+sc.bot.ID.String()+">")
			m := c.expect("MESSAGE_CREATE")
			if m.get("guild_id") != sc.guild.String() || m.get("channel_type") != "0" || !m.has("member") ||
				!strings.Contains(m.get("mentions"), `"member"`) {
				sc.t.Errorf("live %s", m.D)
			}
			rest := sc.call("GET", fmt.Sprintf("/channels/%d/messages/%d", sc.text, id), nil).object(sc.t)
			for _, field := range []string{"guild_id", "channel_type", "member"} {
				if _, there := rest[field]; there {
					sc.t.Errorf("REST copy has %s", field)
				}
			}
		}},
		{name: "F31_GUILD_CREATE_has_hidden_channels_and_visible_active_threads", play: func(sc *scene) {
			hidden := sc.AddChannel(sc.guild, discordsim.Text, "hidden")
			sc.SetPermission(hidden, sc.guild, 0, discordsim.ViewChannel)
			open := sc.thread("open", discordsim.ThreadOptions{})
			archived := sc.thread("archived", discordsim.ThreadOptions{})
			sc.Archive(archived, true)
			private := sc.thread("private", discordsim.ThreadOptions{Private: true})
			last := sc.post(sc.anna, sc.text, "last")
			c := sc.dial("/gateway/?v=10&encoding=json")
			c.expect("op 10")
			c.identify(1)
			c.expect("READY")
			guild := c.expect("GUILD_CREATE")
			var d struct {
				Channels, Threads []struct {
					ID   discordsim.ID `json:"id"`
					Last discordsim.ID `json:"last_message_id"`
				}
			}
			if err := json.Unmarshal(guild.D, &d); err != nil {
				sc.t.Fatal(err)
			}
			if len(d.Channels) != 2 || d.Channels[0].Last != last || d.Channels[1].ID != hidden {
				sc.t.Errorf("channels %+v", d.Channels)
			}
			if len(d.Threads) != 1 || d.Threads[0].ID != open {
				sc.t.Errorf("threads %+v, private is %d", d.Threads, private)
			}
		}},
		{name: "F32_no_guild_intent_no_GUILD_CREATE_but_messages", play: func(sc *scene) {
			c, _ := sc.ready(1 << 9)
			sc.post(sc.anna, sc.text, "x")
			c.expect("MESSAGE_CREATE")
		}},
		{name: "F33_G57_outage", play: func(sc *scene) {
			c, _ := sc.ready(allIntents)
			sc.GuildOutage(sc.guild, true)
			if gone := c.expect("GUILD_DELETE"); gone.get("unavailable") != "true" {
				sc.t.Errorf("GUILD_DELETE %s", gone.D)
			}
			id := sc.post(sc.anna, sc.text, "unheard")
			c.silent()
			sc.GuildOutage(sc.guild, false)
			if back := c.expect("GUILD_CREATE"); !strings.Contains(string(back.D), `"last_message_id":"`+id.String()) {
				sc.t.Error("GUILD_CREATE does not know the message of the outage")
			}
		}},
		{name: "F35_intents_gate", play: func(sc *scene) {
			c, _ := sc.ready(1)
			sc.post(sc.anna, sc.text, "not for me")
			sc.Typing(sc.anna, sc.text)
			sc.post(sc.anna, sc.OpenDM(sc.anna, sc.bot.ID), "nor this")
			c.silent()
		}},
		{name: "F34_shards_and_DMs", sim: &discordsim.Server{IdentifyInterval: -1}, play: func(sc *scene) {
			home := int(uint64(sc.guild) >> 22 % 2)
			var c [2]*client
			for shard := range 2 {
				c[shard] = sc.dial("/gateway/?v=10&encoding=json")
				c[shard].expect("op 10")
				c[shard].identify(allIntents, "shard", []int{shard, 2})
				c[shard].expect("READY")
			}
			c[home].expect("GUILD_CREATE")
			sc.post(sc.anna, sc.text, "guild")
			c[home].expect("MESSAGE_CREATE")
			sc.post(sc.anna, sc.OpenDM(sc.anna, sc.bot.ID), "dm")
			if m := c[0].expect("MESSAGE_CREATE"); m.get("content") != "dm" || m.has("guild_id") || m.get("channel_type") != "1" {
				sc.t.Errorf("DM %s", m.D)
			}
			c[1].silent()
		}},
		{name: "F36_hidden_channel_and_private_thread", play: func(sc *scene) {
			c, _ := sc.ready(allIntents)
			private := sc.thread("private", discordsim.ThreadOptions{Private: true})
			sc.post(sc.anna, private, "whisper")
			sc.SetPermission(sc.text, sc.guild, 0, discordsim.ViewChannel)
			c.expect("CHANNEL_UPDATE")
			sc.post(sc.anna, sc.text, "hidden")
			c.silent()
		}},
		{name: "F36_public_thread_without_joining", play: func(sc *scene) {
			c, _ := sc.ready(allIntents)
			id := sc.thread("public", discordsim.ThreadOptions{})
			if created := c.expect("THREAD_CREATE"); created.get("newly_created") != "true" || created.get("id") != id.String() {
				sc.t.Errorf("THREAD_CREATE %s", created.D)
			}
			if notice := c.expect("MESSAGE_CREATE"); notice.get("type") != "18" || notice.get("content") != "public" {
				sc.t.Errorf("notice %s", notice.D)
			}
			sc.post(sc.anna, id, "inside")
			if m := c.expect("MESSAGE_CREATE"); m.get("channel_type") != "11" {
				sc.t.Errorf("message %s", m.D)
			}
		}},
		{name: "F38_F39_F41_update_delete_bulk", play: func(sc *scene) {
			c, _ := sc.ready(allIntents)
			a, b := sc.post(sc.anna, sc.text, "a"), sc.post(sc.anna, sc.text, "b")
			last := sc.post(sc.anna, sc.text, "c")
			for range 3 {
				c.expect("MESSAGE_CREATE")
			}
			if err := sc.Edit(a, "edited"); err != nil {
				sc.t.Fatal(err)
			}
			if m := c.expect("MESSAGE_UPDATE"); m.get("content") != "edited" || m.get("edited_timestamp") == "null" || !m.has("author") {
				sc.t.Errorf("update %s", m.D)
			}
			if err := sc.Delete(last); err != nil {
				sc.t.Fatal(err)
			}
			c.expect("MESSAGE_DELETE")
			sc.BulkDelete(sc.text, a, b)
			c.expect("MESSAGE_DELETE_BULK")
			c.silent()
			channel := sc.call("GET", "/channels/"+sc.text.String(), nil).object(sc.t)
			if channel["last_message_id"] != last.String() {
				sc.t.Errorf("last_message_id went back to %v", channel["last_message_id"])
			}
		}},
		{name: "F42_forum", play: func(sc *scene) {
			forum := sc.AddChannel(sc.guild, discordsim.Forum, "forum")
			c, _ := sc.ready(allIntents)
			id, err := sc.ForumPost(sc.anna, forum, "title", "first")
			if err != nil {
				sc.t.Fatal(err)
			}
			c.expect("THREAD_CREATE")
			if m := c.expect("MESSAGE_CREATE"); m.get("id") != id.String() || m.get("channel_id") != id.String() {
				sc.t.Errorf("starter %s", m.D)
			}
			c.silent() // F40: no CHANNEL_UPDATE for the head
			if got := sc.call("GET", "/channels/"+forum.String(), nil).object(sc.t); got["last_message_id"] != id.String() {
				sc.t.Errorf("forum head %v", got["last_message_id"])
			}
		}},
		{name: "F43_posting_opens_an_archived_thread", play: func(sc *scene) {
			id := sc.thread("t", discordsim.ThreadOptions{})
			sc.Archive(id, true)
			c, _ := sc.ready(allIntents)
			sc.post(sc.anna, id, "wake up")
			if update := c.expect("THREAD_UPDATE"); !strings.Contains(update.get("thread_metadata"), `"archived":false`) {
				sc.t.Errorf("update %s", update.D)
			}
			c.expect("MESSAGE_CREATE")
		}},
		{name: "F44_auto_archive_on_the_clock", play: func(sc *scene) {
			id := sc.thread("t", discordsim.ThreadOptions{AutoArchive: time.Hour})
			time.Sleep(30 * time.Minute)
			sc.post(sc.anna, id, "still alive")
			start := time.Now()
			c := sc.dial("/gateway/?v=10&encoding=json")
			c.expect("op 10")
			c.identify(1)
			c.expect("READY")
			c.expect("GUILD_CREATE")
			update, err := c.tryNext(2 * time.Hour)
			if err != nil || update.T != "THREAD_UPDATE" {
				sc.t.Fatalf("%s, %v", update.T, err)
			}
			if waited := time.Since(start).Truncate(time.Millisecond); waited != time.Hour || !strings.Contains(update.get("thread_metadata"), `"archived":true`) {
				sc.t.Errorf("after %s: %s", waited, update.D)
			}
		}, sim: &discordsim.Server{HeartbeatGrace: -1}},
		{name: "F45_gained_access", play: func(sc *scene) {
			id := sc.thread("t", discordsim.ThreadOptions{})
			sc.SetPermission(sc.text, sc.guild, 0, discordsim.ViewChannel)
			c, _ := sc.ready(allIntents)
			sc.SetPermission(sc.text, sc.guild, 0, 0)
			c.expect("CHANNEL_UPDATE")
			if sync := c.expect("THREAD_LIST_SYNC"); !strings.Contains(sync.get("threads"), id.String()) {
				sc.t.Errorf("sync %s", sync.D)
			}
		}},
		{name: "F46_ephemeral", play: func(sc *scene) {
			c, _ := sc.ready(allIntents)
			sc.post(sc.bot.ID, sc.text, "only for you", discordsim.PostOptions{Flags: 64, Type: 20})
			if m := c.expect("MESSAGE_CREATE"); m.has("guild_id") || m.has("member") {
				sc.t.Errorf("ephemeral %s", m.D)
			}
			if got := sc.call("GET", "/channels/"+sc.text.String()+"/messages", nil); string(got.body) != "[]" {
				sc.t.Errorf("history %s", got.body)
			}
		}},
		{name: "F47_blank_without_the_intent", play: func(sc *scene) {
			c, _ := sc.ready(allIntents &^ (1 << 15))
			dm := sc.OpenDM(sc.anna, sc.bot.ID)
			for _, step := range []struct {
				author, channel discordsim.ID
				text, want      string
			}{
				{sc.anna, sc.text, "secret", ""},
				{sc.anna, sc.text, "hey <@" + sc.bot.ID.String() + ">", "hey <@" + sc.bot.ID.String() + ">"},
				{sc.anna, dm, "direct", "direct"},
				{sc.bot.ID, sc.text, "own", "own"},
			} {
				sc.post(step.author, step.channel, step.text)
				if m := c.expect("MESSAGE_CREATE"); m.get("content") != step.want {
					sc.t.Errorf("%q came as %q", step.text, m.get("content"))
				}
			}
			path := "/channels/" + sc.text.String() + "/messages?limit=1&after=0"
			if got := sc.call("GET", path, nil).list(sc.t, "content"); got[0] != "secret" {
				sc.t.Errorf("REST with the portal switch on: %q", got)
			}
			sc.SetMessageContent(sc.bot.ID, false)
			if got := sc.call("GET", path, nil).list(sc.t, "content"); got[0] != "" {
				sc.t.Errorf("REST with the portal switch off: %q", got)
			}
		}},
		{name: "F48_link_preview_is_no_edit", play: func(sc *scene) {
			c, _ := sc.ready(allIntents)
			sc.post(sc.anna, sc.text, "see https://example.test/")
			c.expect("MESSAGE_CREATE")
			if m := c.expect("MESSAGE_UPDATE"); m.get("edited_timestamp") != "null" || m.get("embeds") == "[]" {
				sc.t.Errorf("preview %s", m.D)
			}
		}},
		{name: "F65_typing", play: func(sc *scene) {
			c, _ := sc.ready(allIntents)
			if got := sc.call("POST", "/channels/"+sc.text.String()+"/typing", nil); got.status != 204 {
				sc.t.Errorf("typing %d", got.status)
			}
			c.expect("TYPING_START")
		}},
		{name: "A19_added_to_a_private_thread", play: func(sc *scene) {
			id := sc.thread("private", discordsim.ThreadOptions{Private: true})
			c, _ := sc.ready(allIntents)
			sc.JoinThread(id, sc.bot.ID)
			if created := c.expect("THREAD_CREATE"); !created.has("member") || created.has("newly_created") {
				sc.t.Errorf("created %s", created.D)
			}
			c.expect("THREAD_MEMBERS_UPDATE")
			sc.post(sc.anna, id, "welcome")
			c.expect("MESSAGE_CREATE")
		}},
		{name: "joins_a_guild_and_is_kicked", play: func(sc *scene) {
			c, _ := sc.ready(allIntents)
			second := sc.AddGuild("second")
			sc.Join(second, sc.bot.ID)
			if created := c.expect("GUILD_CREATE"); created.get("id") != second.String() {
				sc.t.Errorf("joined %s", created.get("id"))
			}
			sc.Leave(second, sc.bot.ID)
			if gone := c.expect("GUILD_DELETE"); gone.has("unavailable") {
				sc.t.Errorf("kicked %s", gone.D)
			}
		}},
	}
	for _, script := range scripts {
		t.Run(script.name, func(t *testing.T) { play(t, script.sim, script.play) })
	}
}

// thread opens a thread of anna's in the text channel.
func (sc *scene) thread(name string, opts discordsim.ThreadOptions) discordsim.ID {
	sc.t.Helper()
	id, err := sc.StartThread(sc.anna, sc.text, name, opts)
	if err != nil {
		sc.t.Fatal(err)
	}
	return id
}
