package discordsim_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"gapless/discordsim"
)

func TestRateLimits(t *testing.T) {
	t.Run("F69_F70_F76_five_per_five_seconds_and_channel", func(t *testing.T) {
		play(t, nil, func(sc *scene) {
			path := "/channels/" + sc.text.String() + "/messages"
			for i := range 5 {
				got := sc.call("GET", path, nil)
				if got.status != 200 || got.header.Get("X-RateLimit-Remaining") != strconv.Itoa(4-i) ||
					got.header.Get("X-RateLimit-Limit") != "5" || got.header.Get("X-RateLimit-Bucket") == "" {
					t.Errorf("request %d: %d %v", i, got.status, got.header)
				}
				time.Sleep(100 * time.Millisecond)
			}
			got := sc.call("GET", path, nil)
			limited := got.object(t)
			if got.status != 429 || got.header.Get("Retry-After") != "5" || limited["retry_after"] != 4.5 ||
				limited["global"] != false || got.header.Get("X-RateLimit-Scope") != "user" || got.header.Get("Via") == "" ||
				got.header.Get("X-RateLimit-Remaining") != "0" || got.header.Get("X-RateLimit-Reset-After") != "4.500" {
				t.Errorf("%d %s %v", got.status, got.body, got.header)
			}
			reset, err := strconv.ParseFloat(got.header.Get("X-RateLimit-Reset"), 64)
			if err != nil || reset != float64(time.Now().UnixMilli())/1000+4.5 {
				t.Errorf("Reset %s", got.header.Get("X-RateLimit-Reset"))
			}
			other := sc.AddChannel(sc.guild, discordsim.Text, "other")
			if got := sc.call("GET", "/channels/"+other.String()+"/messages", nil); got.status != 200 {
				t.Errorf("another channel: %d", got.status)
			}
			time.Sleep(4500 * time.Millisecond)
			if got := sc.call("GET", path, nil); got.status != 200 {
				t.Errorf("after the reset: %d", got.status)
			}
		})
	})

	t.Run("F69_to_wait_as_told_is_enough", func(t *testing.T) {
		play(t, nil, func(sc *scene) {
			path := "/channels/" + sc.text.String() + "/messages"
			for range 5 {
				sc.call("GET", path, nil)
			}
			time.Sleep(200*time.Millisecond + 700*time.Microsecond) // leaves 4.7993 s
			limited := sc.call("GET", path, nil)
			if got := limited.header.Get("X-RateLimit-Reset-After"); got != "4.800" {
				t.Errorf("Reset-After %s", got)
			}
			wait, err := time.ParseDuration(limited.header.Get("X-RateLimit-Reset-After") + "s")
			if err != nil {
				sc.t.Fatal(err)
			}
			time.Sleep(wait)
			if got := sc.call("GET", path, nil); got.status != 200 {
				t.Errorf("after %s: %d", wait, got.status)
			}
		})
	})

	t.Run("F75_reactions_share_one_bucket", func(t *testing.T) {
		play(t, nil, func(sc *scene) {
			id := sc.post(sc.anna, sc.text, "x")
			path := fmt.Sprintf("/channels/%d/messages/%d/reactions/%%E2%%9C%%85/@me", sc.text, id)
			if got := sc.call("PUT", path, nil); got.status != 204 {
				t.Errorf("first: %d", got.status)
			}
			if got := sc.call("DELETE", path, nil); got.status != 429 || got.object(t)["retry_after"] != 0.25 {
				t.Errorf("second: %d %s", got.status, got.body)
			}
		})
	})

	t.Run("F71_F73_fifty_a_second_for_all", func(t *testing.T) {
		play(t, nil, func(sc *scene) {
			for range 50 {
				if got := sc.call("GET", "/users/@me", nil); got.status != 200 {
					sc.t.Fatalf("%d", got.status)
				}
			}
			got := sc.call("GET", "/users/@me", nil)
			if got.status != 429 || got.header.Get("X-RateLimit-Global") != "true" || got.object(t)["global"] != true ||
				got.header.Get("X-RateLimit-Bucket") != "" {
				t.Errorf("%d %v %s", got.status, got.header, got.body)
			}
		})
	})

	t.Run("F74_too_many_invalid_requests_bring_a_ban", func(t *testing.T) {
		play(t, &discordsim.Server{InvalidLimit: 3, BanFor: time.Minute}, func(sc *scene) {
			sc.SetPermission(sc.text, sc.guild, 0, discordsim.ViewChannel)
			for range 3 {
				sc.call("GET", "/channels/"+sc.text.String(), nil)
			}
			got := sc.call("GET", "/users/@me", nil)
			if got.status != 429 || got.header.Get("Via") != "" || strings.HasPrefix(string(got.body), "{") {
				t.Errorf("%d %v %s", got.status, got.header, got.body)
			}
			time.Sleep(time.Minute)
			if got := sc.call("GET", "/users/@me", nil); got.status != 200 {
				t.Errorf("after the ban: %d", got.status)
			}
		})
	})

	faults := []struct {
		name  string
		fault discordsim.Fault
		check func(r response) bool
	}{
		{"G39_F72_shared", discordsim.Fault{Scope: "shared", Delay: 2 * time.Second}, func(r response) bool {
			return r.header.Get("X-RateLimit-Scope") == "shared" && r.header.Get("X-RateLimit-Remaining") == "9" && r.header.Get("Retry-After") == "2"
		}},
		{"G39_global", discordsim.Fault{Scope: "global", Delay: 1500 * time.Millisecond}, func(r response) bool {
			return r.header.Get("X-RateLimit-Global") == "true" && r.header.Get("X-RateLimit-Bucket") == "" && r.header.Get("Retry-After") == "2"
		}},
		{"G39_fraction", discordsim.Fault{RetryAfter: "1.5", Delay: time.Second}, func(r response) bool {
			return r.header.Get("Retry-After") == "1.5"
		}},
		{"G39_missing", discordsim.Fault{RetryAfter: "-", Delay: time.Second}, func(r response) bool {
			return r.header.Get("Retry-After") == ""
		}},
		{"G40_edge", discordsim.Fault{HTML: true, Delay: time.Hour}, func(r response) bool {
			return r.header.Get("Via") == "" && r.header.Get("Retry-After") == "3600"
		}},
	}
	for _, test := range faults {
		t.Run(test.name, func(t *testing.T) {
			play(t, nil, func(sc *scene) {
				test.fault.Kind, test.fault.Count = discordsim.Limited, 1
				sc.inject(test.fault)
				if got := sc.call("GET", "/users/@me", nil); got.status != 429 || !test.check(got) {
					t.Errorf("%d %v %s", got.status, got.header, got.body)
				}
				if got := sc.call("GET", "/users/@me", nil); got.status != 200 {
					t.Errorf("then %d", got.status)
				}
			})
		})
	}

	t.Run("G39_lying_headers", func(t *testing.T) {
		play(t, nil, func(sc *scene) {
			sc.inject(discordsim.Fault{Kind: discordsim.LyingHeaders})
			path := "/channels/" + sc.text.String() + "/messages"
			for range 5 {
				if got := sc.call("GET", path, nil); got.header.Get("X-RateLimit-Remaining") != "999" {
					t.Errorf("Remaining %s", got.header.Get("X-RateLimit-Remaining"))
				}
			}
			if got := sc.call("GET", path, nil); got.status != 429 || got.header.Get("X-RateLimit-Remaining") != "0" {
				t.Errorf("%d %v", got.status, got.header)
			}
		})
	})
}
