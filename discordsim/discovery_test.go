package discordsim_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"gapless/discordsim"
)

// plain asks for a path of any version with any authorization.
func (sc *scene) plain(path, authorization string) (int, body) {
	sc.t.Helper()
	req, _ := http.NewRequest("GET", "http://discord.test"+path, nil)
	if authorization != "" {
		req.Header.Set("Authorization", authorization)
	}
	resp, err := sc.http.Do(req)
	if err != nil {
		sc.t.Fatal(err)
	}
	defer resp.Body.Close()
	var out body
	if err := json.NewDecoder(resp.Body).Decode(&out); err != nil {
		sc.t.Fatal(err)
	}
	return resp.StatusCode, out
}

func TestDiscovery(t *testing.T) {
	scripts := []struct {
		name string
		sim  *discordsim.Server
		play func(sc *scene)
	}{
		{name: "F1_both_versions_and_who_needs_a_token", play: func(sc *scene) {
			bot := "Bot " + sc.bot.Token
			for _, step := range []struct {
				path, authorization string
				want                int
			}{
				{"/api/v9/gateway", "", 200}, {"/api/v10/gateway", "", 200},
				{"/api/v9/gateway/bot", bot, 200}, {"/api/v10/gateway/bot", bot, 200},
				{"/api/v10/gateway/bot", "", 401}, {"/api/v10/gateway/bot", "Bot wrong", 401}, {"/api/v10/gateway/bot", sc.bot.Token, 401},
			} {
				if status, out := sc.plain(step.path, step.authorization); status != step.want {
					sc.t.Errorf("%s with %q: %d %v, want %d", step.path, step.authorization, status, out, step.want)
				}
			}
		}},
		{name: "F2_the_url_takes_a_slash_and_a_query", play: func(sc *scene) {
			_, out := sc.plain("/api/v10/gateway", "")
			path := strings.TrimPrefix(out["url"].(string), "ws://discord.test")
			for _, tail := range []string{"", "/", "?v=10&encoding=json", "/?v=9&encoding=json", "/?encoding=json&v=10"} {
				sc.dial(strings.TrimSuffix(path, "/") + tail).expect("op 10")
			}
		}},
		{name: "F4_hello_comes_first_with_its_interval", sim: &discordsim.Server{HeartbeatInterval: 1234 * time.Millisecond}, play: func(sc *scene) {
			if hello := sc.dial("/gateway/?v=10").expect("op 10"); hello.get("heartbeat_interval") != "1234" {
				sc.t.Errorf("Hello %s", hello.D)
			}
		}},
		{name: "F28_a_session_is_resumed_on_any_url", play: func(sc *scene) {
			c, session := sc.ready(allIntents)
			seq := int64(2)
			for _, path := range []string{"/resume/?v=10&encoding=json", "/gateway/?v=10&encoding=json", "/elsewhere/entirely?v=10"} {
				_ = c.ws.CloseNow()
				c = sc.dial(path)
				c.expect("op 10")
				c.resume(session, seq)
				c.expect("RESUMED")
				seq++
			}
		}},
		{name: "G54_gateway_bot_fails_or_has_no_starts_left", play: func(sc *scene) {
			sc.inject(discordsim.Fault{Kind: discordsim.Fail, Match: discordsim.Match{Route: "/gateway/bot"}, Status: 500, Count: 1})
			if got := sc.call("GET", "/gateway/bot", nil); got.status != 500 {
				sc.t.Errorf("status %d", got.status)
			}
			sc.inject(discordsim.Fault{Kind: discordsim.NoStarts, Delay: time.Hour, Count: 1})
			limit := sc.call("GET", "/gateway/bot", nil).object(sc.t)["session_start_limit"].(body)
			if limit["remaining"] != 0.0 || limit["reset_after"] != 3600000.0 {
				sc.t.Errorf("limit %v", limit)
			}
			if limit := sc.call("GET", "/gateway/bot", nil).object(sc.t)["session_start_limit"].(body); limit["remaining"] != 1000.0 {
				sc.t.Errorf("then %v", limit)
			}
		}},
		{name: "F12_session_starts_come_back_after_a_day", sim: &discordsim.Server{SessionStarts: 2, IdentifyInterval: -1}, play: func(sc *scene) {
			left := func() string {
				limit := sc.call("GET", "/gateway/bot", nil).object(sc.t)["session_start_limit"].(body)
				return fmt.Sprint(limit["remaining"], " in ", time.Duration(limit["reset_after"].(float64))*time.Millisecond)
			}
			got := []string{left()}
			for range 2 {
				c, _ := sc.ready(allIntents)
				_ = c.ws.CloseNow()
				time.Sleep(time.Hour)
				got = append(got, left())
			}
			time.Sleep(22 * time.Hour)
			sc.ready(allIntents)
			got = append(got, left())
			if want := "[2 in 24h0m0s 1 in 23h0m0s 0 in 22h0m0s 1 in 24h0m0s]"; fmt.Sprint(got) != want {
				sc.t.Errorf("left %v, want %s", got, want)
			}
		}},
		{name: "F78_everything_follows_the_clock", play: func(sc *scene) {
			_, session := sc.ready(allIntents)
			thread := sc.thread("t", discordsim.ThreadOptions{AutoArchive: time.Hour})
			path := "/channels/" + sc.text.String() + "/messages"
			for range 5 {
				sc.call("GET", path, nil)
			}
			first := sc.call("GET", path, nil)
			before := sc.post(sc.anna, sc.text, "before")
			sc.DropConnections(0)
			sc.http.CloseIdleConnections()
			time.Sleep(30 * 24 * time.Hour)
			after := sc.post(sc.anna, sc.text, "after")
			second := sc.call("GET", path, nil)
			if days := after.Time().Sub(before.Time()); days != 30*24*time.Hour || !after.Time().Equal(time.Now().UTC().Truncate(time.Millisecond)) {
				sc.t.Errorf("ids are %s apart", days)
			}
			if first.status != 429 || second.status != 200 {
				sc.t.Errorf("rate limit: %d, then %d", first.status, second.status)
			}
			meta := sc.call("GET", "/channels/"+thread.String(), nil).object(sc.t)["thread_metadata"].(body)
			if meta["archived"] != true || meta["archive_timestamp"] != "2026-01-02T13:00:00.000000+00:00" {
				sc.t.Errorf("thread %v", meta)
			}
			c := sc.dial("/resume/?v=10")
			c.expect("op 10")
			c.resume(session, 2)
			c.expect("op 9")
		}},
	}
	for _, script := range scripts {
		t.Run(script.name, func(t *testing.T) { play(t, script.sim, script.play) })
	}
}

// TestSlowLines plays lines of so many bytes a second: the answers are whole, only late.
func TestSlowLines(t *testing.T) {
	scripts := []struct {
		name string
		play func(sc *scene)
	}{
		{"G36_frames_trickle_out", func(sc *scene) {
			c, _ := sc.ready(allIntents)
			sc.inject(discordsim.Fault{Kind: discordsim.Trickle, Rate: 100, Count: 1})
			start := time.Now()
			sc.post(sc.anna, sc.text, strings.Repeat("x", 1000))
			m := c.expect("MESSAGE_CREATE")
			if took := time.Since(start); took < 10*time.Second || len(m.get("content")) != 1000 {
				sc.t.Errorf("%d bytes after %s", len(m.D), took)
			}
			start = time.Now()
			sc.post(sc.anna, sc.text, "quick")
			if c.expect("MESSAGE_CREATE"); time.Since(start) > time.Second {
				sc.t.Errorf("the next took %s", time.Since(start))
			}
		}},
		{"G36_a_cut_ends_a_trickle", func(sc *scene) {
			c, _ := sc.ready(allIntents)
			sc.inject(discordsim.Fault{Kind: discordsim.Trickle, Rate: 10})
			start := time.Now()
			sc.post(sc.anna, sc.text, strings.Repeat("x", 1000))
			time.Sleep(time.Second)
			sc.DropConnections(0)
			if code := c.closed(); code != -1 || time.Since(start) > 2*time.Second {
				sc.t.Errorf("closed with %d after %s", code, time.Since(start))
			}
		}},
		{"G36_frames_are_read_slowly", func(sc *scene) {
			c, _ := sc.ready(allIntents)
			sc.inject(discordsim.Fault{Kind: discordsim.SlowRead, Rate: 2})
			start := time.Now()
			c.send(1, 2) // 14 bytes
			c.expect("op 11")
			if took := time.Since(start).Truncate(time.Second); took != 7*time.Second {
				sc.t.Errorf("ACK after %s", took)
			}
		}},
		{"G43_a_body_trickles_in", func(sc *scene) {
			sc.post(sc.anna, sc.text, strings.Repeat("x", 1000))
			sc.inject(discordsim.Fault{Kind: discordsim.TrickleBody, Rate: 100})
			start := time.Now()
			got := sc.call("GET", "/channels/"+sc.text.String()+"/messages", nil)
			if took := time.Since(start); took < 10*time.Second || len(got.list(sc.t, "content")[0]) != 1000 {
				sc.t.Errorf("%d bytes after %s", len(got.body), took)
			}
			ctx, cancel := context.WithTimeout(sc.t.Context(), time.Second)
			defer cancel()
			if _, err := sc.tryCall(ctx, "GET", "/channels/"+sc.text.String()+"/messages", nil); err == nil {
				sc.t.Error("a second was enough")
			}
		}},
		{"G43_latency_varies", func(sc *scene) {
			sc.inject(discordsim.Fault{Kind: discordsim.Slow, Delay: time.Second, Jitter: time.Second})
			seen := map[string]bool{}
			for range 8 {
				start := time.Now()
				sc.call("GET", "/users/@me", nil)
				took := time.Since(start)
				if took < time.Second || took >= 2*time.Second {
					sc.t.Errorf("took %s", took)
				}
				seen[fmt.Sprint(took.Milliseconds()/50)] = true
			}
			if len(seen) < 3 {
				sc.t.Errorf("latencies %v", seen)
			}
		}},
	}
	for _, script := range scripts {
		t.Run(script.name, func(t *testing.T) { play(t, nil, script.play) })
	}
}
