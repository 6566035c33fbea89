package discord_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gapless"
	"gapless/discord"
)

func TestIdentifyPace(t *testing.T) {
	now := newYear
	day := now.Add(24 * time.Hour)
	for name, c := range map[string]struct {
		starts         gapless.Starts
		total, reserve int
		wait           time.Duration
		why            string
	}{
		"never before":           {gapless.Starts{Remaining: 1000, ResetAt: day}, 1000, 0, 0, ""},
		"a second ago":           {gapless.Starts{Remaining: 1000, ResetAt: day, IdentifiedAt: now.Add(-time.Second)}, 1000, 0, 4 * time.Second, ""},
		"a minute ago":           {gapless.Starts{Remaining: 999, ResetAt: day, IdentifiedAt: now.Add(-time.Minute)}, 1000, 0, 0, ""},
		"none left":              {gapless.Starts{ResetAt: now.Add(3 * time.Hour)}, 1000, 0, 3 * time.Hour, "used up"},
		"only the reserve left":  {gapless.Starts{Remaining: 5, ResetAt: day}, 1000, 5, 24 * time.Hour, "used up"},
		"none left, but reset":   {gapless.Starts{ResetAt: now.Add(-time.Second)}, 0, 0, 0, ""},
		"half used":              {gapless.Starts{Remaining: 400, ResetAt: day, IdentifiedAt: now}, 1000, 0, 216 * time.Second, "low"},
		"nearly used":            {gapless.Starts{Remaining: 3, ResetAt: day, IdentifiedAt: now}, 1000, 0, 5 * time.Minute, "low"},
		"the clock was set back": {gapless.Starts{Remaining: 900, ResetAt: day, IdentifiedAt: now.Add(time.Hour)}, 1000, 0, 5 * time.Second, ""},
	} {
		at, why := discord.IdentifyAt(c.starts, c.total, c.reserve, now)
		if wait := max(at.Sub(now), 0); wait != c.wait || !strings.Contains(why, c.why) || (why == "") != (c.why == "") {
			t.Errorf("%s: wait %s (%s)", name, wait, why)
		}
	}
}

// A crash loop must not use up the budget: Discord would reset the token (C14).
func TestCrashLoop(t *testing.T) {
	bubble(t, func(t *testing.T) {
		sink := &store{}
		resetAt := time.Now().Add(3 * time.Hour)
		var used atomic.Int64
		scripts := make([]script, 20)
		for i := range scripts {
			scripts[i] = func(p *peer) {
				p.hello()
				p.await(2)
				used.Add(1)
				p.stay()
			}
		}
		fake := newFakeGateway(t, scripts...)
		fake.rest = func(w http.ResponseWriter, _ *http.Request) {
			left := max(3-used.Load(), 0)
			reset := time.Until(resetAt)
			if reset <= 0 {
				left, reset = 1000, 24*time.Hour
			}
			answer(w, 200, fmt.Sprintf(`{"url":"ws://discord.test/gateway","shards":1,"session_start_limit":{"total":1000,"remaining":%d,"reset_after":%d,"max_concurrency":1}}`, left, reset.Milliseconds()))
		}
		for range 10 {
			r := start(t, fake, sink)
			settle(3 * time.Second)
			if err := r.end(t); err != nil {
				t.Fatal(err)
			}
		}
		if n := used.Load(); n > 3 {
			t.Errorf("ten crashes cost %d identifies", n)
		}
		r := start(t, fake, sink)
		settle(time.Hour)
		if n := used.Load(); n != 3 {
			t.Errorf("%d identifies of 3 were used in an hour", n)
		}
		st := r.gateway.Status()
		if st.State != discord.StateWaiting || !strings.Contains(st.Reason, "identify budget is used up: 0 left") {
			t.Errorf("status %+v", st)
		}
		if s := r.stored(); s.State != "waiting" || s.Starts.Remaining != 0 {
			t.Errorf("checkpoint %+v", s)
		}
		settle(2*time.Hour + time.Minute)
		if n := used.Load(); n < 4 {
			t.Errorf("%d identifies after the reset", n)
		}
		if s := r.stored(); s.Starts.Remaining < 990 {
			t.Errorf("checkpoint %+v", s)
		}
	})
}

func TestIdentifiesAreCountedBeforeTheyAreSent(t *testing.T) {
	bubble(t, func(t *testing.T) {
		sink := &store{}
		var atIdentify gapless.Session
		r := start(t, newFakeGateway(t, func(p *peer) {
			p.hello()
			p.await(2)
			atIdentify = sink.stored()
			p.stay()
		}), sink)
		settle(time.Second)
		r.stop()
		if atIdentify.Starts.Remaining != 999 || atIdentify.Starts.IdentifiedAt.IsZero() {
			t.Errorf("checkpoint when the identify came: %+v", atIdentify)
		}
	})
}

func TestIdentifyByRememberedBudget(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var away atomic.Bool
		fake := newFakeGateway(t, func(p *peer) {
			p.begin("s1")
			time.Sleep(time.Minute)
			away.Store(true)
			p.send(`{"op":9,"d":false}`)
			p.stay()
		}, func(p *peer) {
			p.begin("s2")
			p.stay()
		})
		fake.rest = func(w http.ResponseWriter, _ *http.Request) {
			if away.Load() {
				answer(w, 503, "")
				return
			}
			answer(w, 200, fullBudget)
		}
		r := start(t, fake, &store{})
		settle(3 * time.Minute)
		r.want(t, "began began")
		if s := r.stored(); s.Starts.Remaining != 998 {
			t.Errorf("budget %+v", s.Starts)
		}
	})
}

func TestRefusedTokenIsFinal(t *testing.T) {
	bubble(t, func(t *testing.T) {
		fake := newFakeGateway(t)
		fake.rest = func(w http.ResponseWriter, _ *http.Request) {
			answer(w, 401, `{"message":"401: Unauthorized","code":0}`)
		}
		r := start(t, fake, &store{})
		if err := <-r.done; !errors.Is(err, gapless.ErrUnauthorized) {
			t.Errorf("Run: %v", err)
		}
		r.done <- nil
	})
}

func TestGatewayConfigFaults(t *testing.T) {
	_, err := discord.NewGateway(discord.GatewayConfig{Shard: 2, Shards: 2})
	for _, want := range []string{"REST", "Sink", "Shard"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no word about %s: %v", want, err)
		}
	}
}

func TestCloseCodes(t *testing.T) {
	for code := range 5000 {
		forgets, final := discord.Rule(code, discord.DefaultIntents)
		switch code {
		case 4003, 4006, 4007:
			if !forgets || final != nil {
				t.Errorf("%d: %t, %v", code, forgets, final)
			}
		case 4004, 4010, 4011, 4012, 4013, 4014:
			if final == nil {
				t.Errorf("%d is not final", code)
			}
		default:
			if forgets || final != nil {
				t.Errorf("%d: %t, %v", code, forgets, final)
			}
		}
	}
	_, err := discord.Rule(4014, 1<<1|1<<8)
	if !strings.Contains(err.Error(), "Server Members Intent and Presence Intent") || !strings.Contains(err.Error(), "Bot > Privileged Gateway Intents") {
		t.Errorf("got %v", err)
	}
}

func TestHeartbeatsOnDemand(t *testing.T) {
	play(t, func(t *testing.T, r *rig) {
		settle(20 * time.Second)
		if n := len(r.fake.connections()[0].heartbeats()); n < 2 || n > 6 {
			t.Errorf("%d heartbeats", n)
		}
		r.want(t, "began M2")
	}, func(p *peer) {
		p.hello()
		p.await(2)
		p.send(`{"op":1,"d":null}`) // before READY
		time.Sleep(time.Second)
		p.ready("s1")
		for range 200 { // a burst: answering each would break the limit on frames (protocol A15)
			p.send(`{"op":1,"d":null}`)
		}
		p.message(2)
		p.stay()
	})
}
