package discord_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"gapless"
	"gapless/discord"
)

func TestRESTConfigFaults(t *testing.T) {
	if _, err := discord.NewREST(discord.RESTConfig{BaseURL: "discord.com"}); err == nil ||
		!strings.Contains(err.Error(), "Token") || !strings.Contains(err.Error(), "address") {
		t.Errorf("got %v", err)
	}
}

func TestAnswersBecomeSentinels(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
		html   bool
		want   error
		says   string
		tries  int
	}{
		"unknown channel": {404, `{"message":"Unknown Channel","code":10003}`, false, gapless.ErrUnknownChannel, "Unknown Channel", 1},
		"unknown guild":   {404, `{"message":"Unknown Guild","code":10004}`, false, gapless.ErrUnknownGuild, "10004", 1},
		"unknown message": {404, `{"message":"Unknown Message","code":10008}`, false, gapless.ErrUnknownMessage, "10008", 1},
		"missing access":  {403, `{"message":"Missing Access","code":50001}`, false, gapless.ErrForbidden, "50001", 1},
		"token refused":   {401, `{"message":"401: Unauthorized","code":0}`, false, gapless.ErrUnauthorized, "401", 1},
		"bad request":     {400, `{"message":"Invalid Form Body","code":50035,"errors":{"limit":{"_errors":[{"code":"NUMBER_TYPE_MAX"}]}}}`, false, gapless.ErrUnavailable, "limit NUMBER_TYPE_MAX", 1},
		"user agent":      {403, `{"message":"fix it","code":40333}`, false, gapless.ErrUnavailable, "user agent", 1},
		"some web page":   {200, `<html><body>hello`, true, discord.ErrNotDiscord, "discord.test is not a Discord API: got HTML", 1},
		"some text":       {200, `hello`, false, discord.ErrNotDiscord, "got something that is no JSON", 1},
		"another's 404":   {404, `<html>`, true, discord.ErrNotDiscord, "is not a Discord API", 1},
		"a redirect":      {302, ``, false, gapless.ErrUnavailable, "status 302", 1},
		"cut off JSON":    {200, `[{"id":"5","content":"the te`, false, gapless.ErrUnavailable, "no JSON", 1},
		"other JSON":      {200, `{"content":"the text"}`, false, gapless.ErrUnavailable, "expected", 1},
		"502 with a page": {502, `<html>`, true, gapless.ErrUnavailable, "web page", 6},
		"overloaded":      {503, `{"message":"API overloaded","code":130000}`, false, gapless.ErrUnavailable, "server error 503", 6},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				r, api := newREST(t, discord.RESTConfig{}, func(_ int, w http.ResponseWriter, _ *http.Request) {
					kind := "application/json"
					if c.html {
						kind = "text/html; charset=utf-8"
					}
					answer(w, c.status, c.body, "Content-Type", kind, "Location", "http://evil.test/")
				})
				_, err := r.After(t.Context(), 1, 0, 100)
				if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "GET /channels/{channel}/messages") {
					t.Errorf("got %v", err)
				}
				if c.want == discord.ErrNotDiscord && !errors.Is(err, gapless.ErrUnavailable) {
					t.Errorf("%v does not say unavailable", err)
				}
				if strings.Contains(err.Error(), "the te") {
					t.Errorf("the error quotes a message: %v", err)
				}
				if n := len(api.requests()); n < c.tries || c.tries == 1 && n > 1 {
					t.Errorf("%d tries, want %d", n, c.tries)
				}
				if took := time.Since(newYear); took > 20*time.Second {
					t.Errorf("took %s", took)
				}
			})
		})
	}
}

func TestReadsSurviveAServerError(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r, api := newREST(t, discord.RESTConfig{}, func(n int, w http.ResponseWriter, r *http.Request) {
			switch n {
			case 0:
				answer(w, 502, `<html>`, "Content-Type", "text/html")
			case 1:
				panic(http.ErrAbortHandler) // a reset
			default:
				answer(w, 200, page)
			}
		})
		got, err := r.After(t.Context(), 7, 3, 17)
		if err != nil || len(got.Messages) != 1 || got.Messages[0].Text != "the text" {
			t.Fatalf("%+v, %v", got, err)
		}
		for _, s := range api.requests() {
			if s.path != "/api/v10/channels/7/messages" || s.query != "after=3&limit=17" || s.auth != "Bot "+token {
				t.Errorf("asked %+v", s)
			}
		}
	})
}

func TestAHangingServerCostsTheDeadline(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r, _ := newREST(t, discord.RESTConfig{Deadline: 10 * time.Second}, func(_ int, _ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		_, err := r.After(t.Context(), 1, 0, 100)
		if !errors.Is(err, gapless.ErrUnavailable) || errors.Is(err, gapless.ErrNotSent) || !strings.Contains(err.Error(), "no answer in time") {
			t.Errorf("got %v", err)
		}
		if took := time.Since(newYear); took != 10*time.Second {
			t.Errorf("took %s", took)
		}
	})
}

func TestInventoryIsTwoCalls(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r, api := newREST(t, discord.RESTConfig{}, func(_ int, w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/threads/active") {
				answer(w, 200, `{"threads":[{"id":"4","type":11,"parent_id":"2","last_message_id":"8"}],"members":[]}`)
				return
			}
			answer(w, 200, `[{"id":"2","type":0,"last_message_id":"7"}]`)
		})
		g, err := r.Inventory(t.Context(), 1)
		if err != nil || len(g.Channels) != 1 || g.Channels[0].Last != 7 || len(g.Threads) != 1 || g.Threads[0].Guild != 1 || len(api.requests()) != 2 {
			t.Errorf("%+v, %v", g, err)
		}
	})
}

func TestAccount(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r, _ := newREST(t, discord.RESTConfig{}, func(_ int, w http.ResponseWriter, r *http.Request) {
			answer(w, 200, map[string]string{
				"/api/v10/users/@me":        `{"id":"1","username":"helper","bot":true}`,
				"/api/v10/applications/@me": `{"id":"1","name":"Helper","flags":262144}`,
				"/api/v10/gateway/bot":      `{"url":"wss://x","shards":1,"session_start_limit":{"total":10,"remaining":9,"reset_after":1000,"max_concurrency":1}}`,
				"/api/v10/channels/5":       `{"id":"5","type":1,"recipients":[{"id":"6"}]}`,
			}[r.URL.Path])
		})
		if u, err := r.Me(t.Context()); err != nil || u.Name != "helper" || !u.Bot {
			t.Errorf("me %+v, %v", u, err)
		}
		if a, err := r.Application(t.Context()); err != nil || a.Flags != 1<<18 {
			t.Errorf("application %+v, %v", a, err)
		}
		if g, err := r.GatewayBot(t.Context()); err != nil || g.Remaining != 9 || g.ResetAfter != time.Second {
			t.Errorf("gateway %+v, %v", g, err)
		}
		if c, err := r.Channel(t.Context(), 5); err != nil || c.Kind != gapless.DM || c.Recipient != 6 {
			t.Errorf("channel %+v, %v", c, err)
		}
	})
}

func TestOffsetFollowsTheDateHeader(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r, _ := newREST(t, discord.RESTConfig{}, func(_ int, w http.ResponseWriter, _ *http.Request) {
			answer(w, 200, page, "Date", time.Now().Add(90*time.Second).UTC().Format(http.TimeFormat))
		})
		if r.Offset() != 0 {
			t.Errorf("offset %s before any answer", r.Offset())
		}
		if _, err := r.After(t.Context(), 1, 0, 100); err != nil {
			t.Fatal(err)
		}
		if got := r.Offset(); (got - 90*time.Second).Abs() > time.Second {
			t.Errorf("offset %s", got)
		}
	})
}

var reply = gapless.Reply{ID: "d.1.0", Place: 7, Text: "the text", Reference: 5, Nonce: "nonce"}

const sent = `{"id":"99","channel_id":"7","author":{"id":"1"},"content":"the text","nonce":"nonce"}`

func TestSend(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r, api := newREST(t, discord.RESTConfig{}, func(_ int, w http.ResponseWriter, _ *http.Request) { answer(w, 200, sent) })
		id, err := r.Send(t.Context(), reply)
		if err != nil || id != 99 {
			t.Fatalf("%s, %v", id, err)
		}
		var body map[string]any
		if err := json.Unmarshal([]byte(api.requests()[0].body), &body); err != nil {
			t.Fatal(err)
		}
		if body["enforce_nonce"] != true || body["nonce"] != "nonce" || body["content"] != "the text" {
			t.Errorf("posted %v", body)
		}
	})
}

func TestSendRepeatsThePost(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r, api := newREST(t, discord.RESTConfig{}, func(n int, w http.ResponseWriter, r *http.Request) {
			switch n {
			case 0:
				answer(w, 500, `{"message":"500: Internal Server Error","code":0}`)
			case 1:
				panic(http.ErrAbortHandler)
			case 2:
				answer(w, 200, sent[:20])
			case 3:
				answer(w, 429, `{"message":"x","retry_after":2}`)
			default:
				answer(w, 200, sent)
			}
		})
		if id, err := r.Send(t.Context(), reply); err != nil || id != 99 {
			t.Fatalf("%s, %v", id, err)
		}
		seen := api.requests()
		if len(seen) != 5 {
			t.Fatalf("%d posts", len(seen))
		}
		for _, s := range seen {
			if s.body != seen[0].body {
				t.Errorf("a repetition differs: %s", s.body)
			}
		}
	})
}

func TestSendIsNotRepeatedPastTheNonce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r, api := newREST(t, discord.RESTConfig{}, func(n int, w http.ResponseWriter, _ *http.Request) {
			if n == 0 {
				answer(w, 500, `{"message":"x","code":0}`)
				return
			}
			answer(w, 429, `{"message":"x","retry_after":150}`)
		})
		_, err := r.Send(t.Context(), reply)
		if !errors.Is(err, gapless.ErrUnavailable) || errors.Is(err, gapless.ErrNotSent) {
			t.Errorf("got %v", err)
		}
		if n := len(api.requests()); n != 2 {
			t.Errorf("%d posts", n)
		}
	})
}

func TestSendRefused(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
		code   int
	}{
		"no permission":               {403, `{"message":"Missing Permissions","code":50013}`, 50013},
		"too long":                    {400, `{"message":"Invalid Form Body","code":50035}`, 50035},
		"archived and locked (C57)":   {400, `{"message":"Thread is archived","code":50083}`, 50083},
		"place is gone":               {404, `{"message":"Unknown Channel","code":10003}`, 10003},
		"nonce's message was deleted": {404, `{"message":"Unknown Message","code":10008}`, 10008},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				r, api := newREST(t, discord.RESTConfig{}, func(_ int, w http.ResponseWriter, _ *http.Request) { answer(w, c.status, c.body) })
				_, err := r.Send(t.Context(), reply)
				if e, ok := errors.AsType[*gapless.RefusedError](err); !ok || e.Code != c.code || e.Status != c.status || e.Reason == "" {
					t.Errorf("got %v", err)
				}
				if n := len(api.requests()); n != 1 {
					t.Errorf("%d posts", n)
				}
			})
		})
	}
}

func TestSendIsNoRefusal(t *testing.T) {
	for name, c := range map[string]struct {
		status  int
		body    string
		headers []string
		want    error
	}{
		"token refused":  {401, `{"message":"401: Unauthorized","code":0}`, nil, gapless.ErrUnauthorized},
		"edge block":     {403, `<html>blocked`, []string{"Content-Type", "text/html", "Via", ""}, gapless.ErrUnavailable},
		"edge block, JS": {403, `{"code":0,"message":"You are being blocked from accessing our API temporarily"}`, nil, gapless.ErrUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				r, _ := newREST(t, discord.RESTConfig{}, func(_ int, w http.ResponseWriter, _ *http.Request) {
					answer(w, c.status, c.body, c.headers...)
				})
				_, err := r.Send(t.Context(), reply)
				if _, refused := errors.AsType[*gapless.RefusedError](err); refused || !errors.Is(err, c.want) || !errors.Is(err, gapless.ErrNotSent) {
					t.Errorf("got %v", err)
				}
			})
		})
	}
}

func TestSlowModeIsAWait(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r, api := newREST(t, discord.RESTConfig{}, func(n int, w http.ResponseWriter, _ *http.Request) {
			if n == 0 {
				answer(w, 429, `{"message":"slow","code":20016,"retry_after":30.5}`)
				return
			}
			answer(w, 200, sent)
		})
		if id, err := r.Send(t.Context(), reply); err != nil || id != 99 {
			t.Fatalf("%s, %v", id, err)
		}
		if at := api.requests()[1].at.Round(10 * time.Millisecond); at != 30500*time.Millisecond {
			t.Errorf("repeated at %s", at)
		}
	})
}

func TestNotSent(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r, _ := newREST(t, discord.RESTConfig{}, func(_ int, w http.ResponseWriter, _ *http.Request) {})
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := r.Send(ctx, reply); !errors.Is(err, gapless.ErrNotSent) || !errors.Is(err, context.Canceled) {
			t.Errorf("ended context: %v", err)
		}
	})
	bubble(t, func(t *testing.T) {
		memory := listen(t, http.NotFoundHandler())
		_ = memory.Close() // connections are refused from here on
		log, _ := logger(t)
		r, err := discord.NewREST(discord.RESTConfig{Token: token, BaseURL: "http://discord.test", Client: memory.Client(), Logger: log})
		if err != nil {
			t.Fatal(err)
		}
		_, err = r.Send(t.Context(), reply)
		if !errors.Is(err, gapless.ErrNotSent) || !errors.Is(err, gapless.ErrUnavailable) {
			t.Errorf("refused connection: %v", err)
		}
		if took := time.Since(newYear); took < 10*time.Second || took > 20*time.Second {
			t.Errorf("gave up after %s", took)
		}
	})
}

func TestFind(t *testing.T) {
	const others = `{"id":"%d","channel_id":"7","author":{"id":"2"},"content":"the text","message_reference":{"message_id":"5"}}`
	own := `{"id":"99","channel_id":"7","author":{"id":"1"},"content":"the text","message_reference":{"message_id":"5"}}`
	bare := `{"id":"98","channel_id":"7","author":{"id":"1"},"content":"the text"}`
	foreign := strings.Replace(others, "%d", "97", 1)
	for name, c := range map[string]struct {
		pages []string // in order; the last one repeats
		found gapless.MessageID
		err   error
		calls int
	}{
		"there":                   {[]string{"[" + foreign + "," + own + "]"}, 99, nil, 1},
		"on the second page":      {[]string{"[" + foreign + "]", "[" + own + "]"}, 99, nil, 2},
		"another's and unrelated": {[]string{"[" + foreign + "," + bare + "]", "[]"}, 0, nil, 2},
		"nothing since":           {[]string{"[]", "[" + foreign + "]"}, 0, nil, 2},
		"hidden history":          {[]string{"[]"}, 0, gapless.ErrForbidden, 2},
		"unreadable":              {[]string{"<html>"}, 0, gapless.ErrUnavailable, 1},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				r, api := newREST(t, discord.RESTConfig{}, func(n int, w http.ResponseWriter, _ *http.Request) {
					answer(w, 200, c.pages[min(n, len(c.pages)-1)])
				})
				want := reply
				want.IntentAt = time.Date(2015, 1, 1, 0, 0, 1, 0, time.UTC)
				id, found, err := r.Find(t.Context(), want, 1)
				if id != c.found || found != (c.found != 0) || !errors.Is(err, c.err) {
					t.Errorf("%s %t %v", id, found, err)
				}
				if n := len(api.requests()); n != c.calls {
					t.Errorf("%d calls", n)
				}
			})
		})
	}
}
