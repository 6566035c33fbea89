package discordsim_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"gapless/discordsim"
)

// reading is what a client saw: "MESSAGE_CREATE 3 a" for a dispatch, "op 7", "close 4000".
func (c *client) reading(count int) string {
	var got []string
	for range count {
		f, err := c.tryNext(time.Minute)
		switch {
		case errors.Is(err, errSilence):
			got = append(got, "silence")
		case err != nil:
			got = append(got, fmt.Sprint("close ", int(websocket.CloseStatus(err))))
		case f.T == "MALFORMED":
			got = append(got, "malformed")
		case f.Op != 0:
			got = append(got, fmt.Sprint("op ", f.Op, " ", string(f.D)))
		default:
			got = append(got, strings.TrimSpace(fmt.Sprint(*f.S, " ", f.get("content"))))
		}
	}
	return strings.Join(got, ", ")
}

func TestDispatchFaults(t *testing.T) {
	create := discordsim.Match{Event: "MESSAGE_CREATE"}
	cases := []struct {
		name  string
		fault discordsim.Fault
		want  string // of a, b, c posted, READY being 1 and GUILD_CREATE 2
	}{
		{"no_fault", discordsim.Fault{Kind: discordsim.Drop, Match: discordsim.Match{Event: "NOTHING"}}, "3 a, 4 b, 5 c"},
		{"G1_drop_leaves_a_hole", discordsim.Fault{Kind: discordsim.Drop, Match: create, After: 1, Count: 1}, "3 a, 5 c, silence"},
		{"G2_swallow_leaves_none", discordsim.Fault{Kind: discordsim.Swallow, Match: create, After: 1, Count: 1}, "3 a, 4 c, silence"},
		{"G3_duplicate_same_s", discordsim.Fault{Kind: discordsim.Duplicate, Match: create, Count: 1}, "3 a, 3 a, 4 b, 5 c"},
		{"G4_repeat_new_s", discordsim.Fault{Kind: discordsim.Repeat, Match: create, Count: 1}, "3 a, 4 a, 5 b, 6 c"},
		{"G5_swap", discordsim.Fault{Kind: discordsim.Swap, Match: create, Count: 1}, "4 b, 3 a, 5 c"},
		{"G6_late", discordsim.Fault{Kind: discordsim.Late, Match: create, Count: 1, Delay: time.Second}, "3 b, 4 c, 5 a"},
		{"G17_malformed", discordsim.Fault{Kind: discordsim.Malformed, Match: create, After: 1, Count: 1}, "3 a, malformed, 5 c"},
		{"G17_undecodable_d", discordsim.Fault{Kind: discordsim.Undecodable, Match: create, After: 1, Count: 1}, "3 a, 4, 5 c"},
		{"G16_unknown_event", discordsim.Fault{Kind: discordsim.Unknown, Match: create, Count: 1}, "3, 4 a, 5 b, 6 c"},
		{"G20_blank", discordsim.Fault{Kind: discordsim.Blank, Match: create, Count: 1}, "3, 4 b, 5 c"},
		{"G22_deaf", discordsim.Fault{Kind: discordsim.Deaf, Count: 2}, "5 c, silence"},
		{"G25_op_7", discordsim.Fault{Kind: discordsim.AskReconnect, Match: create, After: 1, Count: 1}, "3 a, op 7 null, 4 b, 5 c"},
		{"G26_op_9_true", discordsim.Fault{Kind: discordsim.Invalidate, Match: create, After: 1, Count: 1, Resumable: true}, "3 a, op 9 true, silence"},
		{"G26_op_9_false", discordsim.Fault{Kind: discordsim.Invalidate, Match: create, After: 1, Count: 1}, "3 a, op 9 false, silence"},
		{"G27_close_4000", discordsim.Fault{Kind: discordsim.Hangup, Match: create, After: 1, CloseCode: 4000}, "3 a, close 4000"},
		{"G27_close_without_code", discordsim.Fault{Kind: discordsim.Hangup, Match: create, After: 1}, "3 a, close 1005"},
		{"G28_FIN_without_a_close_frame", discordsim.Fault{Kind: discordsim.Fin, Match: create, After: 1}, "3 a, close -1"},
		{"G28_torn_frame", discordsim.Fault{Kind: discordsim.Tear, Match: create, After: 1}, "3 a, close -1"},
		{"G28_cut", discordsim.Fault{Kind: discordsim.Cut, Match: create}, "close -1"},
	}
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			play(t, nil, func(sc *scene) {
				c, _ := sc.ready(allIntents)
				sc.inject(test.fault)
				for _, text := range []string{"a", "b", "c"} {
					sc.post(sc.anna, sc.text, text)
					synctest.Wait()
				}
				if got := c.reading(1 + strings.Count(test.want, ", ")); got != test.want {
					t.Errorf("client saw %s, want %s", got, test.want)
				}
			})
		})
	}

	t.Run("G18_huge_and_G19_strip", func(t *testing.T) {
		play(t, nil, func(sc *scene) {
			c, _ := sc.ready(allIntents)
			sc.inject(discordsim.Fault{Kind: discordsim.Huge, Match: create, Size: 1 << 20})
			sc.inject(discordsim.Fault{Kind: discordsim.Strip, Match: create, Field: "guild_id"})
			sc.post(sc.anna, sc.text, "a")
			if m := c.expect("MESSAGE_CREATE"); len(m.D) < 1<<20 || m.has("guild_id") {
				t.Errorf("%d bytes, guild_id %v", len(m.D), m.has("guild_id"))
			}
		})
	})

	t.Run("probability_is_repeatable", func(t *testing.T) {
		run := func() (got string) {
			play(t, &discordsim.Server{Seed: 7}, func(sc *scene) {
				c, _ := sc.ready(allIntents)
				sc.inject(discordsim.Fault{Kind: discordsim.Drop, Match: create, Probability: 0.5})
				for range 20 {
					sc.post(sc.anna, sc.text, "x")
				}
				got = c.reading(8)
			})
			return got
		}
		if a, b := run(), run(); a != b || a == "3 x, 4 x, 5 x, 6 x, 7 x, 8 x, 9 x, 10 x" {
			t.Errorf("first %s, then %s", a, b)
		}
	})

	t.Run("unknown_kind_is_an_error", func(t *testing.T) {
		var sim discordsim.Server
		if _, err := sim.Inject(discordsim.Fault{Kind: "nonsense"}); err == nil {
			t.Error("injected nonsense")
		}
	})
}

func TestConnectFaults(t *testing.T) {
	t.Run("G30_no_hello", func(t *testing.T) {
		play(t, nil, func(sc *scene) {
			sc.inject(discordsim.Fault{Kind: discordsim.NoHello})
			sc.dial("/gateway/?v=10&encoding=json").silent()
		})
	})
	t.Run("G31_no_ready", func(t *testing.T) {
		play(t, nil, func(sc *scene) {
			sc.inject(discordsim.Fault{Kind: discordsim.NoReady})
			c := sc.dial("/gateway/?v=10&encoding=json")
			c.expect("op 10")
			c.identify(1)
			c.silent()
		})
	})
	t.Run("G25_op_7_before_hello", func(t *testing.T) {
		play(t, nil, func(sc *scene) {
			sc.inject(discordsim.Fault{Kind: discordsim.HelloReconnect})
			sc.dial("/gateway/?v=10&encoding=json").expect("op 7")
		})
	})
	t.Run("G35_refused_upgrade_G32_resume_url_only", func(t *testing.T) {
		play(t, nil, func(sc *scene) {
			sc.inject(discordsim.Fault{Kind: discordsim.Refuse, Status: 503, Count: 1, HTML: true})
			if _, err := sc.tryDial("/gateway/?v=10"); err == nil || !strings.Contains(err.Error(), "503") {
				t.Errorf("dial: %v", err)
			}
			sc.inject(discordsim.Fault{Kind: discordsim.RefuseResumeURL, Status: 502})
			if _, err := sc.tryDial("/resume/?v=10"); err == nil || !strings.Contains(err.Error(), "502") {
				t.Errorf("dial of the resume URL: %v", err)
			}
			sc.dial("/gateway/?v=10").expect("op 10")
		})
	})
	t.Run("G32_resume_url_resets_or_times_out_G35_429", func(t *testing.T) {
		play(t, nil, func(sc *scene) {
			sc.inject(discordsim.Fault{Kind: discordsim.RefuseResumeURL, Status: -1, Count: 1})
			if _, err := sc.tryDial("/resume/?v=10"); err == nil || !strings.Contains(err.Error(), "reset") {
				t.Errorf("reset: %v", err)
			}
			sc.inject(discordsim.Fault{Kind: discordsim.RefuseResumeURL, Delay: time.Hour, Status: -1, Count: 1})
			start := time.Now()
			if _, err := sc.tryDial("/resume/?v=10"); err == nil || time.Since(start) != time.Hour {
				t.Errorf("%v after %s", err, time.Since(start))
			}
			sc.inject(discordsim.Fault{Kind: discordsim.Refuse, Status: 429, Count: 1})
			if _, err := sc.tryDial("/gateway/?v=10"); err == nil || !strings.Contains(err.Error(), "429") {
				t.Errorf("429: %v", err)
			}
			if got := sc.Refusals(); len(got) != 3 || got[0].Status != -1 || got[2] != (discordsim.Refusal{At: got[2].At, Path: "/gateway/", Status: 429}) {
				t.Errorf("on record: %+v", got)
			}
		})
	})
	for _, keep := range []bool{false, true} {
		t.Run(fmt.Sprint("F29_G29_TCP_stays_after_the_handshake_", keep), func(t *testing.T) {
			play(t, nil, func(sc *scene) {
				if keep {
					sc.inject(discordsim.Fault{Kind: discordsim.KeepTCP})
				}
				raw, err := sc.net.DialContext(sc.t.Context(), "", "")
				if err != nil {
					sc.t.Fatal(err)
				}
				defer raw.Close()
				_, _ = io.WriteString(raw, "GET /gateway/?v=10 HTTP/1.1\r\nHost: discord.test\r\nUpgrade: websocket\r\n"+
					"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n")
				_, _ = raw.Write([]byte{0x88, 0x82, 0, 0, 0, 0, 0x0F, 0xA0}) // close 4000, mask of zeros
				_ = raw.SetReadDeadline(time.Now().Add(20 * time.Second))
				got, err := io.ReadAll(raw)
				if kept := errors.Is(err, os.ErrDeadlineExceeded); kept != keep || !bytes.HasSuffix(got, []byte{0x88, 2, 0x0F, 0xA0}) {
					t.Errorf("read % x, %v", got[len(got)-4:], err)
				}
			})
		})
	}
	t.Run("G58_outage", func(t *testing.T) {
		play(t, nil, func(sc *scene) {
			c, session := sc.ready(allIntents)
			sc.Pause()
			if code := c.closed(); code != -1 {
				t.Errorf("outage closed with %d", code)
			}
			if _, err := sc.tryCall(sc.t.Context(), "GET", "/users/@me", nil); err == nil {
				t.Error("REST answered during the outage")
			}
			sc.post(sc.anna, sc.text, "meanwhile")
			time.Sleep(30 * time.Second)
			sc.Unpause()
			again := sc.dial("/resume/?v=10")
			again.expect("op 10")
			again.resume(session, 2)
			again.expect("MESSAGE_CREATE")
			again.expect("RESUMED")
		})
	})
	t.Run("G13_G14_guilds", func(t *testing.T) {
		play(t, &discordsim.Server{IdentifyInterval: -1}, func(sc *scene) {
			thread := sc.thread("t", discordsim.ThreadOptions{})
			sc.inject(discordsim.Fault{Kind: discordsim.LateGuild, Count: 1, Delay: time.Minute})
			c := sc.dial("/gateway/?v=10")
			c.expect("op 10")
			c.identify(allIntents)
			c.expect("READY")
			sc.post(sc.anna, sc.text, "G7: before its guild")
			c.expect("MESSAGE_CREATE")
			c.expect("GUILD_CREATE")
			sc.inject(discordsim.Fault{Kind: discordsim.OmitThreads, Count: 1})
			sc.inject(discordsim.Fault{Kind: discordsim.NullHeads, Count: 1})
			again := sc.dial("/gateway/?v=10")
			again.expect("op 10")
			again.identify(allIntents)
			again.expect("READY")
			guild := string(again.expect("GUILD_CREATE").D)
			if strings.Contains(guild, thread.String()) || !strings.Contains(guild, `"last_message_id":null`) {
				t.Errorf("guild %s", guild)
			}
		})
	})
}

func TestRESTFaults(t *testing.T) {
	history := discordsim.Match{Method: "GET", Route: "/channels/{channel}/messages"}
	posting := discordsim.Match{Method: "POST", Route: "/channels/{channel}/messages"}
	cases := []struct {
		name   string
		fault  discordsim.Fault
		method string
		want   string // status and code, "error", or the texts of the page
		made   int    // messages there afterwards, three being there before
	}{
		{"no_fault", discordsim.Fault{Kind: discordsim.Fail, Match: posting}, "GET", "[c b a]", 3},
		{"G41_503_before", discordsim.Fault{Kind: discordsim.Fail, Match: posting, Status: 503}, "POST", "503 0", 3},
		{"G42_500_after", discordsim.Fault{Kind: discordsim.FailAfter, Match: posting, Status: 500}, "POST", "500 0", 4},
		{"G42_reset_after", discordsim.Fault{Kind: discordsim.ResetAfter, Match: posting}, "POST", "error", 4},
		{"G55_reset_before", discordsim.Fault{Kind: discordsim.Reset, Match: posting}, "POST", "error", 3},
		{"G55_cut_body", discordsim.Fault{Kind: discordsim.CutBody, Match: history}, "GET", "error", 3},
		{"G45_403", discordsim.Fault{Kind: discordsim.Fail, Match: history, Status: 403, Code: 50001}, "GET", "403 50001", 3},
		{"G46_404", discordsim.Fault{Kind: discordsim.Fail, Match: history, Status: 404, Code: 10003}, "GET", "404 10003", 3},
		{"G47_empty", discordsim.Fault{Kind: discordsim.EmptyPage, Match: history}, "GET", "[]", 3},
		{"G48_short", discordsim.Fault{Kind: discordsim.ShortPage, Match: history}, "GET", "[c b]", 3},
		{"G20_blank", discordsim.Fault{Kind: discordsim.BlankPage, Match: history}, "GET", "[  ]", 3},
		{"G49_stale", discordsim.Fault{Kind: discordsim.Stale, Match: history, Delay: 90 * time.Second}, "GET", "[b a]", 3},
		{"G44_null", discordsim.Fault{Kind: discordsim.Null, Match: history}, "GET", "[]", 3},
		{"G43_slow", discordsim.Fault{Kind: discordsim.Slow, Match: posting, Delay: time.Minute}, "POST", "error", 3},
		{"G43_hang", discordsim.Fault{Kind: discordsim.Hang, Match: posting}, "POST", "error", 3},
		{"G42_hang_after", discordsim.Fault{Kind: discordsim.HangAfter, Match: posting}, "POST", "error", 4},
	}
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			play(t, nil, func(sc *scene) {
				for _, text := range []string{"a", "b", "c"} {
					sc.post(sc.anna, sc.text, text)
					time.Sleep(time.Minute)
				}
				sc.inject(test.fault)
				ctx, cancel := context.WithTimeout(sc.t.Context(), 10*time.Second)
				defer cancel()
				got, err := sc.tryCall(ctx, test.method, "/channels/"+sc.text.String()+"/messages", body{"content": "d"})
				shown := "error"
				switch {
				case err != nil:
				case got.status != 200:
					shown = got.code(t)
				default:
					shown = fmt.Sprint(got.list(t, "content"))
				}
				if shown != test.want {
					t.Errorf("got %s, want %s", shown, test.want)
				}
				synctest.Wait()
				if made := len(sc.In(sc.text)); made != test.made {
					t.Errorf("%d messages, want %d", made, test.made)
				}
			})
		})
	}

	t.Run("G43_hang_until_lifted", func(t *testing.T) {
		play(t, nil, func(sc *scene) {
			id := sc.inject(discordsim.Fault{Kind: discordsim.Hang, Match: posting, For: time.Hour})
			start := time.Now()
			got := sc.call("POST", "/channels/"+sc.text.String()+"/messages", body{"content": "d"})
			if waited := time.Since(start); got.status != 200 || waited < time.Hour || sc.Hits(id) != 0 {
				t.Errorf("%d after %s", got.status, waited)
			}
		})
	})

	t.Run("G48_stuck_page", func(t *testing.T) {
		play(t, nil, func(sc *scene) {
			ids := sc.seven()
			sc.inject(discordsim.Fault{Kind: discordsim.StuckPage, Match: history})
			path := "/channels/" + sc.text.String() + "/messages?limit=2&after="
			first := fmt.Sprint(sc.call("GET", path+"0", nil).list(t, "content"))
			second := fmt.Sprint(sc.call("GET", path+ids[1].String(), nil).list(t, "content"))
			if first != "[m2 m1]" || second != first {
				t.Errorf("first %s, then %s", first, second)
			}
		})
	})

	t.Run("G48_overlap", func(t *testing.T) {
		play(t, nil, func(sc *scene) {
			ids := sc.seven()
			sc.inject(discordsim.Fault{Kind: discordsim.Overlap, Match: history})
			path := "/channels/" + sc.text.String() + "/messages?limit=2&"
			after := fmt.Sprint(sc.call("GET", path+"after="+ids[3].String(), nil).list(t, "content"))
			before := fmt.Sprint(sc.call("GET", path+"before="+ids[3].String(), nil).list(t, "content"))
			if after != "[m5 m4]" || before != "[m4 m3]" {
				t.Errorf("after %s, before %s", after, before)
			}
		})
	})

	t.Run("G50_G51_the_world_changes_between_pages", func(t *testing.T) {
		sim := &discordsim.Server{}
		play(t, sim, func(sc *scene) {
			ids := sc.seven()
			pages := 0
			sim.OnRequest = func(discordsim.Request) {
				if pages++; pages == 2 {
					if err := sc.Delete(ids[2]); err != nil {
						t.Error(err)
					}
					sc.post(sc.anna, sc.text, "new")
				}
			}
			path := "/channels/" + sc.text.String() + "/messages?limit=2&after="
			sc.call("GET", path+"0", nil)
			if got := fmt.Sprint(sc.call("GET", path+ids[1].String(), nil).list(t, "content")); got != "[m5 m4]" {
				t.Errorf("second page %s", got)
			}
		})
	})

	t.Run("G44_truncated_and_wrong_type", func(t *testing.T) {
		play(t, nil, func(sc *scene) {
			sc.inject(discordsim.Fault{Kind: discordsim.Truncate})
			sc.inject(discordsim.Fault{Kind: discordsim.WrongType})
			got := sc.call("GET", "/users/@me", nil)
			if strings.HasSuffix(string(got.body), "}") || !strings.HasPrefix(got.header.Get("Content-Type"), "text/html") {
				t.Errorf("%s %s", got.header.Get("Content-Type"), got.body)
			}
		})
	})
}
