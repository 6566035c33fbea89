package discordsim_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/coder/websocket"

	"gapless/discordsim"
)

func TestSession(t *testing.T) {
	t.Run("F7_F18_F30_READY_then_guilds_then_messages", func(t *testing.T) {
		play(t, nil, func(sc *scene) {
			c := sc.dial("/gateway/?v=10&encoding=json")
			if hello := c.expect("op 10"); hello.get("heartbeat_interval") != "41250" {
				t.Errorf("Hello %s", hello.D)
			}
			c.identify(allIntents)
			ready := c.expect("READY")
			if *ready.S != 1 || ready.has("shard") || ready.get("resume_gateway_url") != "ws://discord.test/resume/" {
				t.Errorf("READY s=%d %s", *ready.S, ready.D)
			}
			if guild := c.expect("GUILD_CREATE"); *guild.S != 2 || guild.get("id") != sc.guild.String() {
				t.Errorf("GUILD_CREATE s=%d id=%s", *guild.S, guild.get("id"))
			}
			id := sc.post(sc.anna, sc.text, "hello")
			if m := c.expect("MESSAGE_CREATE"); *m.S != 3 || m.get("id") != id.String() || m.get("content") != "hello" {
				t.Errorf("MESSAGE_CREATE s=%d %s", *m.S, m.D)
			}
		})
	})

	t.Run("F19_G28_resume_replays_with_the_original_s", func(t *testing.T) {
		play(t, nil, func(sc *scene) {
			c, session := sc.ready(allIntents)
			sc.DropConnections(sc.bot.ID)
			if code := c.closed(); code != -1 {
				t.Errorf("a cut came as close %d", code)
			}
			for i := range 3 {
				sc.post(sc.anna, sc.text, fmt.Sprint("missed ", i))
			}
			time.Sleep(80 * time.Second)
			again := sc.dial("/resume/?v=10&encoding=json")
			again.expect("op 10")
			again.resume(session, 2)
			for i := range 3 {
				m := again.expect("MESSAGE_CREATE")
				if *m.S != int64(3+i) || m.get("content") != fmt.Sprint("missed ", i) {
					t.Errorf("replayed s=%d %s", *m.S, m.get("content"))
				}
			}
			if r := again.expect("RESUMED"); *r.S != 6 {
				t.Errorf("RESUMED s=%d", *r.S)
			}
			sc.post(sc.anna, sc.text, "live")
			if m := again.expect("MESSAGE_CREATE"); *m.S != 7 {
				t.Errorf("live s=%d", *m.S)
			}
			if log := sc.Connections()[1].Resumes; len(log) != 1 || log[0].Result != "RESUMED" || log[0].Replayed != 3 {
				t.Errorf("resumes on record: %+v", log)
			}
		})
	})

	ends := []struct {
		name string
		sim  *discordsim.Server
		end  func(sc *scene, c *client)
		seq  int64
		want string // op 9, or the close code
	}{
		{name: "F20_client_close_1000", end: func(_ *scene, c *client) { _ = c.ws.Close(1000, "") }, seq: 2, want: "op 9"},
		{name: "F20_client_close_1001", end: func(_ *scene, c *client) { _ = c.ws.Close(1001, "") }, seq: 2, want: "op 9"},
		{name: "F21_client_close_4000", end: func(_ *scene, c *client) { _ = c.ws.Close(4000, "") }, seq: 2, want: "RESUMED"},
		{name: "F21_just_in_time", end: func(_ *scene, c *client) { _ = c.ws.CloseNow(); time.Sleep(89 * time.Second) }, seq: 2, want: "RESUMED"},
		{name: "F22_too_late", end: func(_ *scene, c *client) { _ = c.ws.CloseNow(); time.Sleep(91 * time.Second) }, seq: 2, want: "op 9"},
		{name: "F22_expired_by_the_test", end: func(sc *scene, _ *client) { sc.Expire(0) }, seq: 2, want: "op 9"},
		{name: "F23_seq_from_the_future", end: func(sc *scene, _ *client) { sc.DropConnections(0) }, seq: 99, want: "4007"},
		{name: "F22_F24_buffer_overflow", sim: &discordsim.Server{BufferSize: 3}, end: func(sc *scene, _ *client) {
			sc.DropConnections(0)
			for range 4 {
				sc.post(sc.anna, sc.text, "flood")
			}
		}, seq: 2, want: "op 9"},
		{name: "F26_takes_over_an_open_connection", end: func(*scene, *client) {}, seq: 2, want: "RESUMED"},
		{name: "G26_resume_refused", end: func(sc *scene, _ *client) {
			sc.DropConnections(0)
			sc.inject(discordsim.Fault{Kind: discordsim.RefuseResume})
		}, seq: 2, want: "op 9"},
		{name: "G27_resume_closed_with_4009", end: func(sc *scene, _ *client) {
			sc.DropConnections(0)
			sc.inject(discordsim.Fault{Kind: discordsim.RefuseResume, CloseCode: 4009})
		}, seq: 2, want: "4009"},
		{name: "G33_resume_cut", end: func(sc *scene, _ *client) {
			sc.DropConnections(0)
			sc.inject(discordsim.Fault{Kind: discordsim.CutResume})
		}, seq: 2, want: "-1"},
	}
	for _, test := range ends {
		t.Run(test.name, func(t *testing.T) {
			play(t, test.sim, func(sc *scene) {
				c, session := sc.ready(allIntents)
				test.end(sc, c)
				again := sc.dial("/resume/?v=10&encoding=json")
				again.expect("op 10")
				again.resume(session, test.seq)
				f, err := again.tryNext(time.Minute)
				got := f.T
				switch {
				case err != nil:
					got = fmt.Sprint(int(websocket.CloseStatus(err)))
				case f.Op != 0:
					got = fmt.Sprintf("op %d", f.Op)
				}
				if got != test.want {
					t.Errorf("resume got %s, want %s", got, test.want)
				}
			})
		})
	}

	t.Run("F25_after_op_9_the_socket_takes_an_identify", func(t *testing.T) {
		play(t, &discordsim.Server{IdentifyInterval: -1}, func(sc *scene) {
			c := sc.dial("/gateway/?v=10&encoding=json")
			c.expect("op 10")
			c.resume("nobody", 5)
			c.expect("op 9")
			c.identify(allIntents)
			c.expect("READY")
		})
	})

	t.Run("F27_two_sessions_both_get_events", func(t *testing.T) {
		play(t, &discordsim.Server{IdentifyInterval: -1}, func(sc *scene) {
			a, _ := sc.ready(allIntents)
			b, _ := sc.ready(allIntents)
			sc.post(sc.anna, sc.text, "both")
			a.expect("MESSAGE_CREATE")
			b.expect("MESSAGE_CREATE")
		})
	})
}

func TestIdentify(t *testing.T) {
	cases := []struct {
		name string
		sim  *discordsim.Server
		do   func(sc *scene, c *client)
		want int
	}{
		{name: "F3_unknown_version", do: func(*scene, *client) {}, want: 4012},
		{name: "F9_bad_token", do: func(_ *scene, c *client) { c.identify(1, "token", "nonsense") }, want: 4004},
		{name: "F9_undefined_intent", do: func(_ *scene, c *client) { c.identify(1 << 17) }, want: 4013},
		{name: "F9_privileged_intent_off", do: func(sc *scene, c *client) {
			sc.SetMessageContent(sc.bot.ID, false)
			c.identify(allIntents)
		}, want: 4014},
		{name: "F9_bad_shard", do: func(_ *scene, c *client) { c.identify(1, "shard", []int{3, 2}) }, want: 4010},
		{name: "F9_sharding_required", sim: &discordsim.Server{GuildsPerShard: 1}, do: func(sc *scene, c *client) {
			sc.AddGuild("second", sc.bot.ID)
			c.identify(1)
		}, want: 4011},
		{name: "F10_twice", do: func(_ *scene, c *client) { c.identify(1); c.identify(1) }, want: 4005},
		{name: "F10_presence_first", do: func(_ *scene, c *client) { c.send(3, nil) }, want: 4003},
		{name: "F10_unknown_opcode", do: func(_ *scene, c *client) { c.send(99, nil) }, want: 4001},
		{name: "F10_no_JSON", do: func(_ *scene, c *client) { c.write([]byte("hello")) }, want: 4002},
		{name: "F10_oversize", do: func(_ *scene, c *client) { c.write(make([]byte, 4097)) }, want: 4002},
		{name: "F13_too_many_frames", do: func(_ *scene, c *client) {
			for range 121 {
				c.send(1, nil)
			}
		}, want: 4008},
		{name: "F12_starts_used_up", sim: &discordsim.Server{SessionStarts: 1, IdentifyInterval: -1}, do: func(sc *scene, c *client) {
			sc.ready(1)
			c.identify(1)
		}, want: 4004},
		{name: "G38_token_revoked", do: func(sc *scene, c *client) {
			c.identify(1)
			c.expect("READY")
			sc.RevokeToken(sc.bot.ID)
		}, want: 4004},
	}
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			play(t, test.sim, func(sc *scene) {
				path := "/gateway/?v=10&encoding=json"
				if test.want == 4012 {
					path = "/gateway/?v=5&encoding=json"
				}
				c := sc.dial(path)
				if test.want != 4012 {
					c.expect("op 10")
				}
				test.do(sc, c)
				if code := c.closed(); code != test.want {
					t.Errorf("closed with %d, want %d", code, test.want)
				}
			})
		})
	}

	t.Run("F5_F6_F8_token_with_Bot_legacy_fields_shard_echoed", func(t *testing.T) {
		play(t, nil, func(sc *scene) {
			c := sc.dial("/gateway?v=9&encoding=json")
			c.expect("op 10")
			c.identify(1, "token", "Bot "+sc.bot.Token, "shard", []int{0, 1}, "presence",
				map[string]any{"since": 0, "game": map[string]any{"name": "x"}, "status": "", "afk": false})
			if ready := c.expect("READY"); ready.get("shard") != "[0,1]" || ready.get("v") != "9" {
				t.Errorf("READY %s", ready.D)
			}
		})
	})

	t.Run("F11_second_identify_within_five_seconds_gets_op_9", func(t *testing.T) {
		play(t, nil, func(sc *scene) {
			sc.ready(1)
			c := sc.dial("/gateway/?v=10&encoding=json")
			c.expect("op 10")
			c.identify(1)
			if op9 := c.expect("op 9"); string(op9.D) != "false" {
				t.Errorf("op 9 %s", op9.D)
			}
			time.Sleep(5 * time.Second)
			c.identify(1)
			c.expect("READY")
		})
	})
}

func TestHeartbeat(t *testing.T) {
	t.Run("F14_F17_acked_and_recorded", func(t *testing.T) {
		play(t, nil, func(sc *scene) {
			c, _ := sc.ready(1)
			for _, d := range []any{nil, 0, 2} {
				c.send(1, d)
				c.expect("op 11")
			}
			beats := sc.Connections()[0].Heartbeats
			if len(beats) != 3 || beats[0].Seq != nil || *beats[1].Seq != 0 || *beats[2].Seq != 2 {
				t.Errorf("heartbeats on record: %+v", beats)
			}
		})
	})
	t.Run("F15_silence_closes_and_keeps_the_session", func(t *testing.T) {
		play(t, nil, func(sc *scene) {
			start := time.Now()
			c, session := sc.ready(1)
			if code := c.closed(); code != 4000 {
				t.Errorf("closed with %d", code)
			}
			if waited := time.Since(start).Truncate(time.Millisecond); waited != 61875*time.Millisecond {
				t.Errorf("closed after %s", waited)
			}
			again := sc.dial("/resume/?v=10&encoding=json")
			again.expect("op 10")
			again.resume(session, 2)
			again.expect("RESUMED")
		})
	})
	t.Run("G21_no_ack_while_events_go_on", func(t *testing.T) {
		play(t, nil, func(sc *scene) {
			c, _ := sc.ready(allIntents)
			sc.inject(discordsim.Fault{Kind: discordsim.NoAck})
			c.send(1, 2)
			sc.post(sc.anna, sc.text, "still here")
			c.expect("MESSAGE_CREATE")
			c.silent()
		})
	})
	t.Run("G22_acks_while_events_stop_and_replay_has_them", func(t *testing.T) {
		play(t, nil, func(sc *scene) {
			c, session := sc.ready(allIntents)
			deaf := sc.inject(discordsim.Fault{Kind: discordsim.Deaf})
			sc.post(sc.anna, sc.text, "unheard")
			c.send(1, 2)
			c.expect("op 11")
			sc.Lift(deaf)
			again := sc.dial("/resume/?v=10&encoding=json")
			again.expect("op 10")
			again.resume(session, 2)
			again.expect("MESSAGE_CREATE")
			again.expect("RESUMED")
		})
	})
}
