package discordsim_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gapless/discordsim"
)

func TestGatewayFaults(t *testing.T) {
	created := discordsim.Match{Event: "MESSAGE_CREATE"}
	scripts := []struct {
		name string
		sim  *discordsim.Server
		play func(sc *scene)
	}{
		{name: "G7_a_message_before_its_thread", play: func(sc *scene) {
			c, _ := sc.ready(allIntents)
			sc.inject(discordsim.Fault{Kind: discordsim.Late, Match: discordsim.Match{Event: "THREAD_CREATE"}, Delay: time.Minute})
			id := sc.thread("t", discordsim.ThreadOptions{})
			c.expect("MESSAGE_CREATE") // of type 18, in the parent
			sc.post(sc.anna, id, "early")
			if m := c.expect("MESSAGE_CREATE"); m.get("channel_id") != id.String() {
				sc.t.Errorf("message %s", m.D)
			}
			c.expect("THREAD_CREATE")
		}},
		{name: "G8_a_delete_before_its_create", play: func(sc *scene) {
			c, _ := sc.ready(allIntents)
			sc.inject(discordsim.Fault{Kind: discordsim.Late, Match: created, Delay: time.Second})
			id := sc.post(sc.anna, sc.text, "short-lived")
			if err := sc.Delete(id); err != nil {
				sc.t.Fatal(err)
			}
			c.expect("MESSAGE_DELETE")
			if m := c.expect("MESSAGE_CREATE"); m.get("id") != id.String() {
				sc.t.Errorf("created %s", m.D)
			}
		}},
		{name: "G9_event_before_history_and_after", play: func(sc *scene) {
			c, _ := sc.ready(allIntents)
			path := "/channels/" + sc.text.String() + "/messages"
			lag := sc.inject(discordsim.Fault{Kind: discordsim.Stale, Delay: 3 * time.Second})
			sc.post(sc.anna, sc.text, "event first")
			c.expect("MESSAGE_CREATE")
			if got := sc.call("GET", path, nil); string(got.body) != "[]" {
				sc.t.Errorf("history has it already: %s", got.body)
			}
			time.Sleep(3 * time.Second)
			if got := sc.call("GET", path, nil).list(sc.t, "content"); len(got) != 1 {
				sc.t.Errorf("history %v", got)
			}
			sc.Lift(lag)
			sc.inject(discordsim.Fault{Kind: discordsim.Late, Match: created, Delay: 3 * time.Second})
			sc.post(sc.anna, sc.text, "history first")
			if got := sc.call("GET", path, nil).list(sc.t, "content"); got[0] != "history first" || len(c.frames) > 0 {
				sc.t.Errorf("history %v, %d frames", got, len(c.frames))
			}
			c.expect("MESSAGE_CREATE")
		}},
		{name: "G16_unknown_message_and_channel_types", play: func(sc *scene) {
			c, _ := sc.ready(allIntents)
			odd := sc.AddChannel(sc.guild, 99, "new kind")
			if made := c.expect("CHANNEL_CREATE"); made.get("type") != "99" {
				sc.t.Errorf("channel %s", made.D)
			}
			sc.post(sc.anna, odd, "x", discordsim.PostOptions{Type: 63})
			if m := c.expect("MESSAGE_CREATE"); m.get("type") != "63" || m.get("channel_type") != "99" {
				sc.t.Errorf("message %s", m.D)
			}
		}},
		{name: "G17_empty_frame_and_invalid_UTF8", play: func(sc *scene) {
			c, _ := sc.ready(allIntents)
			sc.SendRaw(sc.bot.ID, nil)
			if f := c.expect("MALFORMED"); len(f.D) != 0 {
				sc.t.Errorf("frame %q", f.D)
			}
			sc.inject(discordsim.Fault{Kind: discordsim.Malformed, Match: created, Body: "{\"op\":0,\"t\":\"\xff\"}"})
			sc.post(sc.anna, sc.text, "x")
			if f := c.next(); f.T != "\uFFFD" { // encoding/json's stand-in for what is no UTF-8
				sc.t.Errorf("frame %+v", f)
			}
		}},
		{name: "G19_member_is_missing", play: func(sc *scene) {
			c, _ := sc.ready(allIntents)
			sc.inject(discordsim.Fault{Kind: discordsim.Strip, Match: created, Field: "member"})
			sc.post(sc.anna, sc.text, "x")
			if m := c.expect("MESSAGE_CREATE"); m.has("member") || !m.has("guild_id") {
				sc.t.Errorf("message %s", m.D)
			}
		}},
		{name: "G13_guild_never_comes_or_comes_unavailable", sim: &discordsim.Server{IdentifyInterval: -1}, play: func(sc *scene) {
			sc.inject(discordsim.Fault{Kind: discordsim.OmitGuild, Count: 1})
			sc.inject(discordsim.Fault{Kind: discordsim.UnavailableGuild, Count: 1})
			var c [2]*client
			for i := range c {
				c[i] = sc.dial("/gateway/?v=10")
				c[i].expect("op 10")
				c[i].identify(allIntents)
				c[i].expect("READY")
			}
			sc.post(sc.anna, sc.text, "x")
			c[0].expect("MESSAGE_CREATE")
			if stub := c[1].expect("GUILD_CREATE"); stub.get("unavailable") != "true" || stub.has("channels") {
				sc.t.Errorf("guild %s", stub.D)
			}
			c[1].expect("MESSAGE_CREATE")
		}},
		{name: "G14_heads_of_a_minute_ago", play: func(sc *scene) {
			forum := sc.AddChannel(sc.guild, discordsim.Forum, "forum")
			thread, err := sc.ForumPost(sc.anna, forum, "t", "x")
			if err != nil {
				sc.t.Fatal(err)
			}
			old := sc.post(sc.anna, sc.text, "old")
			time.Sleep(2 * time.Minute)
			fresh := sc.post(sc.anna, sc.text, "new")
			sc.inject(discordsim.Fault{Kind: discordsim.StaleHeads, Delay: time.Minute})
			c := sc.dial("/gateway/?v=10")
			c.expect("op 10")
			c.identify(allIntents)
			c.expect("READY")
			guild := string(c.expect("GUILD_CREATE").D)
			for id, want := range map[discordsim.ID]int{old: 1, thread: 2, fresh: 0} { // the thread heads its forum and begins itself
				if got := strings.Count(guild, `"last_message_id":"`+id.String()+`"`); got != want {
					sc.t.Errorf("%d is the head of %d", id, got)
				}
			}
		}},
		{name: "G23_late_ACK", play: func(sc *scene) {
			c, _ := sc.ready(1)
			sc.inject(discordsim.Fault{Kind: discordsim.LateAck, Delay: 7 * time.Second})
			start := time.Now()
			c.send(1, 2)
			c.expect("op 11")
			if took := time.Since(start).Truncate(time.Millisecond); took != 7*time.Second {
				sc.t.Errorf("ACK after %s", took)
			}
		}},
		{name: "G24_op_1_in_a_burst_and_before_READY", play: func(sc *scene) {
			c := sc.dial("/gateway/?v=10")
			c.expect("op 10")
			synctest.Wait()
			for range 5 {
				sc.AskHeartbeat(0)
			}
			for range 5 {
				c.expect("op 1")
			}
			c.send(1, nil)
			c.expect("op 11")
			c.identify(1)
			c.expect("READY")
		}},
		{name: "G26_identify_refused", sim: &discordsim.Server{IdentifyInterval: -1}, play: func(sc *scene) {
			c := sc.dial("/gateway/?v=10")
			c.expect("op 10")
			for _, resumable := range []bool{false, true} {
				sc.inject(discordsim.Fault{Kind: discordsim.RefuseIdentify, Resumable: resumable, Count: 2})
				for range 2 {
					c.identify(1)
					if f := c.expect("op 9"); string(f.D) != fmt.Sprint(resumable) {
						sc.t.Errorf("op 9 %s", f.D)
					}
				}
			}
			c.identify(1)
			c.expect("READY")
		}},
		{name: "G38_bad_token_gets_4000", play: func(sc *scene) {
			sc.inject(discordsim.Fault{Kind: discordsim.VagueRefusal, Count: 2})
			sc.bot.Token = "wrong"
			for _, want := range []int{4000, 4000, 4004} {
				c := sc.dial("/gateway/?v=10")
				c.expect("op 10")
				c.identify(1)
				if code := c.closed(); code != want {
					sc.t.Errorf("closed with %d, want %d", code, want)
				}
			}
		}},
		{name: "G37_another_shard_s_guilds", sim: &discordsim.Server{IdentifyInterval: -1}, play: func(sc *scene) {
			home := int(uint64(sc.guild) >> 22 % 2)
			sc.inject(discordsim.Fault{Kind: discordsim.WrongShard})
			var c [2]*client
			for shard := range 2 {
				c[shard] = sc.dial("/gateway/?v=10")
				c[shard].expect("op 10")
				c[shard].identify(allIntents, "shard", []int{shard, 2})
				if ready := c[shard].expect("READY"); ready.get("shard") != fmt.Sprintf("[%d,2]", shard) {
					sc.t.Errorf("READY %s", ready.D)
				}
			}
			c[1-home].expect("GUILD_CREATE")
			sc.post(sc.anna, sc.text, "guild")
			c[1-home].expect("MESSAGE_CREATE")
			c[home].silent()
		}},
		{name: "G34_no_time_to_resume", sim: &discordsim.Server{SessionTTL: 1}, play: func(sc *scene) {
			c, session := sc.ready(allIntents)
			_ = c.ws.CloseNow()
			time.Sleep(time.Millisecond)
			again := sc.dial("/resume/?v=10")
			again.expect("op 10")
			again.resume(session, 2)
			again.expect("op 9")
		}},
		{name: "G34_all_the_time_and_room_there_is", sim: &discordsim.Server{SessionTTL: -1, BufferSize: -1}, play: func(sc *scene) {
			c, session := sc.ready(allIntents)
			_ = c.ws.CloseNow()
			for i := range 500 {
				sc.post(sc.anna, sc.text, fmt.Sprint(i))
			}
			time.Sleep(365 * 24 * time.Hour)
			again := sc.dial("/resume/?v=10")
			again.expect("op 10")
			again.resume(session, 2)
			for i := range 500 {
				if m := again.expect("MESSAGE_CREATE"); m.get("content") != fmt.Sprint(i) {
					sc.t.Fatalf("message %s", m.D)
				}
			}
			again.expect("RESUMED")
		}},
	}
	for _, script := range scripts {
		t.Run(script.name, func(t *testing.T) { play(t, script.sim, script.play) })
	}

	for _, code := range []int{1000, 1001, 1011, 4000, 4001, 4002, 4003, 4004, 4005, 4006, 4007, 4008, 4009, 4010, 4011, 4012, 4013, 4014} {
		t.Run(fmt.Sprint("G27_close_", code), func(t *testing.T) {
			play(t, nil, func(sc *scene) {
				c, session := sc.ready(1)
				sc.CloseConnections(sc.bot.ID, code)
				if got := c.closed(); got != code {
					t.Errorf("closed with %d", got)
				}
				again := sc.dial("/resume/?v=10")
				again.expect("op 10")
				again.resume(session, 2)
				again.expect("RESUMED")
			})
		})
	}
}

// TestFaultDoses holds one fault of each sort to After, Count and Probability: they work the same for all.
func TestFaultDoses(t *testing.T) {
	asks := map[discordsim.Kind]func(sc *scene, c *client) bool{
		discordsim.Swallow: func(sc *scene, c *client) bool {
			sc.post(sc.anna, sc.text, "x")
			synctest.Wait()
			if len(c.frames) == 0 {
				return true
			}
			c.expect("MESSAGE_CREATE")
			return false
		},
		discordsim.NoAck: func(_ *scene, c *client) bool {
			c.send(1, 2)
			synctest.Wait()
			if len(c.frames) == 0 {
				return true
			}
			c.expect("op 11")
			return false
		},
		discordsim.Fail: func(sc *scene, _ *client) bool { return sc.call("GET", "/users/@me", nil).status == 503 },
		discordsim.Refuse: func(sc *scene, _ *client) bool {
			c, err := sc.tryDial("/gateway/?v=10")
			if err == nil {
				_ = c.ws.CloseNow()
			}
			return err != nil
		},
	}
	for kind, ask := range asks {
		run := func(f discordsim.Fault, seed uint64) string {
			var struck strings.Builder
			play(t, &discordsim.Server{Seed: seed}, func(sc *scene) {
				c, _ := sc.ready(allIntents)
				f.Kind = kind
				sc.inject(f)
				for range 20 {
					if ask(sc, c) {
						struck.WriteByte('x')
					} else {
						struck.WriteByte('.')
					}
				}
			})
			return struck.String()
		}
		t.Run(string(kind), func(t *testing.T) {
			if got := run(discordsim.Fault{After: 3, Count: 2}, 1); got != "...xx..............." {
				t.Errorf("after 3, twice: %s", got)
			}
			first := run(discordsim.Fault{Probability: 0.5, After: 1}, 1)
			if again := run(discordsim.Fault{Probability: 0.5, After: 1}, 1); again != first {
				t.Errorf("%s, then %s", first, again)
			}
			if other := run(discordsim.Fault{Probability: 0.5, After: 1}, 2); other == first {
				t.Errorf("another seed struck the same: %s", other)
			}
			if hits := strings.Count(first, "x"); hits < 3 || hits > 17 || first[0] == 'x' {
				t.Errorf("struck %s", first)
			}
			if got := strings.Count(run(discordsim.Fault{Probability: 0.5, Count: 4}, 1), "x"); got != 4 {
				t.Errorf("four hits at most: %d", got)
			}
		})
	}
}
