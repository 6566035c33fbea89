package discord_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"gapless"
	"gapless/discord"
)

const page = `[{"id":"5","channel_id":"1","author":{"id":"2"},"content":"the text"}]`

// inParallel runs n calls in so many goroutines and gives the time they took.
func inParallel(t *testing.T, goroutines, n int, do func(i int) error) time.Duration {
	t.Helper()
	began := time.Now()
	next := make(chan int, n)
	for i := range n {
		next <- i
	}
	close(next)
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			for i := range next {
				if err := do(i); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	return time.Since(began)
}

func TestOneBucketTakesTheIdealTime(t *testing.T) {
	for _, goroutines := range []int{1, 4, 50} {
		t.Run(fmt.Sprint(goroutines), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				limit := &window{limit: 5, length: 650 * time.Millisecond}
				r, _ := newREST(t, discord.RESTConfig{}, func(_ int, w http.ResponseWriter, _ *http.Request) {
					if limit.take(w) {
						answer(w, 200, page)
					}
				})
				took := inParallel(t, goroutines, 50, func(int) error {
					_, err := r.After(t.Context(), 1, 0, 100)
					return err
				})
				if ideal := 9 * 650 * time.Millisecond; took < ideal || took > ideal+20*time.Millisecond || limit.denied != 0 {
					t.Errorf("took %s of %s, with %d 429s", took, ideal, limit.denied)
				}
			})
		})
	}
}

func TestBucketsOfChannelsAreApart(t *testing.T) {
	bubble(t, func(t *testing.T) {
		limits := map[string]*window{}
		var mu sync.Mutex
		r, _ := newREST(t, discord.RESTConfig{}, func(_ int, w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			limit, ok := limits[r.URL.Path]
			if !ok {
				limit = &window{limit: 5, length: 5 * time.Second}
				limits[r.URL.Path] = limit
			}
			mu.Unlock()
			if limit.take(w) {
				answer(w, 200, page)
			}
		})
		took := inParallel(t, 8, 40, func(i int) error {
			_, err := r.After(t.Context(), gapless.ChannelID(1+i%8), 0, 100)
			return err
		})
		if took > 10*time.Millisecond {
			t.Errorf("five requests in each of eight channels took %s", took)
		}
	})
}

func TestUnknownBucketIsProbedByOne(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var mu sync.Mutex
		flying, most, first := 0, 0, true
		r, _ := newREST(t, discord.RESTConfig{}, func(_ int, w http.ResponseWriter, _ *http.Request) {
			mu.Lock()
			flying++
			if first {
				most = max(most, flying)
			}
			mu.Unlock()
			time.Sleep(time.Second)
			mu.Lock()
			flying--
			first = false
			mu.Unlock()
			answer(w, 200, page)
		})
		took := inParallel(t, 10, 10, func(int) error {
			_, err := r.After(t.Context(), 1, 0, 100)
			return err
		})
		if most != 1 || took != 2*time.Second {
			t.Errorf("%d requests before the first answer; all took %s", most, took)
		}
	})
}

func TestGlobalRate(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r, api := newREST(t, discord.RESTConfig{}, func(_ int, w http.ResponseWriter, _ *http.Request) { answer(w, 200, page) })
		inParallel(t, 60, 160, func(i int) error {
			_, err := r.After(t.Context(), gapless.ChannelID(1+i), 0, 100)
			return err
		})
		seen := api.requests()
		for i := range seen[50:] {
			if gap := seen[i+50].at - seen[i].at; gap < time.Second {
				t.Fatalf("51 requests within %s", gap)
			}
		}
		if last := seen[len(seen)-1].at; last > 3100*time.Millisecond {
			t.Errorf("160 requests took %s", last)
		}
	})
}

func TestPrioritiesAndRecoverysTenth(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r, api := newREST(t, discord.RESTConfig{Global: 10}, func(_ int, w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				answer(w, 200, `{"id":"9","channel_id":"1","author":{"id":"2"}}`)
				return
			}
			if strings.Count(r.URL.Path, "/") == 6 {
				answer(w, 200, `{"id":"9","channel_id":"1","author":{"id":"2"}}`)
				return
			}
			answer(w, 200, page)
		})
		var wg sync.WaitGroup
		for i := range 30 {
			wg.Go(func() {
				if _, err := r.Send(t.Context(), gapless.Reply{Place: gapless.ChannelID(100 + i), Text: "the text"}); err != nil {
					t.Error(err)
				}
			})
			wg.Go(func() {
				if _, err := r.After(t.Context(), gapless.ChannelID(100+i), 0, 100); err != nil {
					t.Error(err)
				}
			})
			wg.Go(func() {
				if _, err := r.Message(t.Context(), gapless.ChannelID(100+i), 9); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		seconds := map[int]map[string]int{}
		for _, s := range api.requests()[10:] { // the first ten go before there is a queue
			n := int(s.at / time.Second)
			if seconds[n] == nil {
				seconds[n] = map[string]int{}
			}
			kind := "recovery"
			switch {
			case s.method == http.MethodPost:
				kind = "reply"
			case s.query == "":
				kind = "lookup"
			}
			seconds[n][kind]++
		}
		if got := seconds[1]; got["recovery"] != 1 || got["reply"] != 9 {
			t.Errorf("second 1: %v", got)
		}
		for n := range 3 {
			if seconds[n+1]["recovery"] == 0 {
				t.Errorf("second %d: recovery had nothing: %v", n+1, seconds[n+1])
			}
		}
	})
}

func Test429(t *testing.T) {
	for name, c := range map[string]struct {
		body    string
		headers []string
		other   bool // another channel has to wait as well
		least   time.Duration
		most    time.Duration
	}{
		"as documented, fraction in the body": {`{"message":"x","retry_after":1.25,"global":false}`,
			[]string{"Retry-After", "2", "X-RateLimit-Scope", "user"}, false, 1250 * time.Millisecond, 1260 * time.Millisecond},
		"remaining 999 (C3)": {`{"message":"x","retry_after":3,"global":false}`,
			[]string{"Retry-After", "3", "X-RateLimit-Limit", "1000", "X-RateLimit-Remaining", "999", "X-RateLimit-Reset-After", "0.5", "X-RateLimit-Bucket", "h"},
			false, 3 * time.Second, 3010 * time.Millisecond},
		"header and body differ": {`{"message":"x","retry_after":1}`, []string{"Retry-After", "7"}, false, 7 * time.Second, 7010 * time.Millisecond},
		"fraction in the header": {`{"message":"x"}`, []string{"Retry-After", "1.5"}, false, 1500 * time.Millisecond, 1510 * time.Millisecond},
		"no figure at all":       {`{"message":"x"}`, nil, false, time.Second, time.Second + 10*time.Millisecond},
		"no JSON, but Discord's": {``, []string{"Retry-After", "2"}, false, 2 * time.Second, 2010 * time.Millisecond},
		"shared":                 {`{"message":"x","retry_after":2}`, []string{"Retry-After", "2", "X-RateLimit-Scope", "shared", "X-RateLimit-Remaining", "4"}, false, 2 * time.Second, 2010 * time.Millisecond},
		"global by body":         {`{"message":"x","retry_after":4.5,"global":true}`, nil, true, 4500 * time.Millisecond, 4510 * time.Millisecond},
		"global by header":       {``, []string{"Retry-After", "4", "X-RateLimit-Global", "true"}, true, 4 * time.Second, 4010 * time.Millisecond},
		"cloudflare":             {`error code: 1015`, []string{"Via", "", "Retry-After", "30"}, true, 30 * time.Second, 30010 * time.Millisecond},
		"cloudflare, no figure":  {`<html>`, []string{"Via", "", "Content-Type", "text/html"}, true, time.Minute, time.Minute + 10*time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				r, api := newREST(t, discord.RESTConfig{}, func(n int, w http.ResponseWriter, _ *http.Request) {
					if n > 0 {
						answer(w, 200, page)
						return
					}
					answer(w, 429, c.body, c.headers...)
				})
				var wg sync.WaitGroup
				wg.Go(func() {
					if _, err := r.After(t.Context(), 1, 0, 100); err != nil {
						t.Error(err)
					}
				})
				wg.Go(func() {
					time.Sleep(500 * time.Millisecond)
					if _, err := r.After(t.Context(), 2, 0, 100); err != nil {
						t.Error(err)
					}
				})
				wg.Wait()
				seen := api.requests()
				if len(seen) != 3 {
					t.Fatalf("%d requests", len(seen))
				}
				again, other := seen[2].at, seen[1].at
				if c.other == (other == 500*time.Millisecond) {
					t.Errorf("the other channel went at %s", other)
				}
				if again < c.least || again > c.most {
					t.Errorf("repeated at %s, want %s", again, c.least)
				}
			})
		})
	}
}

func TestLyingHeadersCostOne429AWindow(t *testing.T) {
	bubble(t, func(t *testing.T) {
		honest := &window{limit: 5, length: 5 * time.Second}
		r, _ := newREST(t, discord.RESTConfig{}, func(_ int, w http.ResponseWriter, _ *http.Request) {
			if honest.take(w) {
				answer(w, 200, page, "X-RateLimit-Limit", "1000", "X-RateLimit-Remaining", "999")
			}
		})
		inParallel(t, 8, 40, func(int) error {
			_, err := r.After(t.Context(), 1, 0, 100)
			return err
		})
		if honest.denied > 8+7 { // the first surprise meets all that were in flight, each later one meets one
			t.Errorf("%d 429s in eight windows", honest.denied)
		}
	})
}

func TestLongLimitsAreNotWaitedFor(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r, api := newREST(t, discord.RESTConfig{}, func(_ int, w http.ResponseWriter, _ *http.Request) {
			answer(w, 429, `{"message":"x","retry_after":3600,"global":true}`)
		})
		for range 3 {
			_, err := r.Send(t.Context(), gapless.Reply{Place: 1, Text: "the text"})
			if !errors.Is(err, gapless.ErrUnavailable) || !errors.Is(err, gapless.ErrNotSent) {
				t.Errorf("got %v", err)
			}
		}
		if n := len(api.requests()); n != 1 {
			t.Errorf("%d requests in a pause of an hour", n)
		}
		if s := r.Status(); time.Until(s.PausedUntil).Round(time.Second) != time.Hour || s.Invalid != 1 {
			t.Errorf("status %+v", s)
		}
	})
}

func TestInvalidRequestsStopReadsFirst(t *testing.T) {
	bubble(t, func(t *testing.T) {
		forbid := true
		r, api := newREST(t, discord.RESTConfig{Invalid: 20}, func(_ int, w http.ResponseWriter, r *http.Request) {
			switch {
			case forbid:
				answer(w, 403, `{"message":"Missing Access","code":50001}`)
			case r.Method == http.MethodPost:
				answer(w, 200, `{"id":"9","channel_id":"1","author":{"id":"2"}}`)
			default:
				answer(w, 200, page)
			}
		})
		for i := range 40 {
			if _, err := r.After(t.Context(), gapless.ChannelID(1+i), 0, 100); err == nil {
				t.Fatal("a 403 was no error")
			}
		}
		if n := len(api.requests()); n != 20 || !r.Status().Held {
			t.Errorf("%d requests went out, status %+v", n, r.Status())
		}
		forbid = false
		if _, err := r.Send(t.Context(), gapless.Reply{Place: 1, Text: "the text"}); err != nil {
			t.Errorf("a reply was held back: %v", err)
		}
		time.Sleep(10*time.Minute + 10*time.Second)
		if _, err := r.After(t.Context(), 1, 0, 100); err != nil || r.Status().Invalid != 0 {
			t.Errorf("ten minutes later: %v, %+v", err, r.Status())
		}
	})
}

func TestSharedLimitsAreNotCounted(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r, _ := newREST(t, discord.RESTConfig{}, func(n int, w http.ResponseWriter, _ *http.Request) {
			if n == 0 {
				answer(w, 429, `{"message":"x","retry_after":0.5}`, "X-RateLimit-Scope", "shared")
				return
			}
			answer(w, 200, page)
		})
		if _, err := r.After(t.Context(), 1, 0, 100); err != nil || r.Status().Invalid != 0 {
			t.Errorf("%v, %+v", err, r.Status())
		}
	})
}

func TestWaitingEndsWithTheContext(t *testing.T) {
	bubble(t, func(t *testing.T) {
		limit := &window{limit: 1, length: time.Minute}
		r, api := newREST(t, discord.RESTConfig{}, func(_ int, w http.ResponseWriter, _ *http.Request) {
			if limit.take(w) {
				answer(w, 200, page)
			}
		})
		if _, err := r.After(t.Context(), 1, 0, 100); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := r.After(ctx, 1, 0, 100)
		if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, gapless.ErrNotSent) {
			t.Errorf("got %v", err)
		}
		if _, err := r.After(t.Context(), 1, 0, 100); err != nil {
			t.Error(err)
		}
		if n := len(api.requests()); n != 2 || r.Status().Waiting != 0 {
			t.Errorf("%d requests, status %+v", n, r.Status())
		}
	})
}
