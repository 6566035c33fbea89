package discord_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"gapless/discord"
)

// unlabelled is a limit that only the bodies of its 429s tell of.
type unlabelled struct {
	mu     sync.Mutex
	limit  int
	length time.Duration
	end    time.Time
	used   int
	denied int
}

func (u *unlabelled) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	u.mu.Lock()
	defer u.mu.Unlock()
	now := time.Now()
	if !now.Before(u.end) {
		u.end, u.used = now.Add(u.length), 0
	}
	if u.used++; u.used <= u.limit {
		answer(w, 200, page)
		return
	}
	u.denied++
	answer(w, 429, fmt.Sprintf(`{"message":"You are being rate limited.","retry_after":%.3f,"global":false}`, u.end.Sub(now).Seconds()))
}

// A server that tells of its limits only when they are overrun is overrun once, or twice where its windows could not be
// told apart before; after that it gets what it takes, and no less.
func TestUntoldLimit(t *testing.T) {
	for _, tt := range []struct {
		name   string
		slow   time.Duration // between some requests that go before
		denied int
	}{
		{"in one go", 0, 1},
		{"after a time of quiet use", 2 * time.Second, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				limit := &unlabelled{limit: 5, length: 5 * time.Second}
				r, _ := newREST(t, discord.RESTConfig{}, func(_ int, w http.ResponseWriter, req *http.Request) { limit.ServeHTTP(w, req) })
				get := func(int) error {
					_, err := r.After(t.Context(), 1, 0, 100)
					return err
				}
				if tt.slow > 0 {
					for i := range 20 {
						if err := get(i); err != nil {
							t.Fatal(err)
						}
						time.Sleep(tt.slow)
					}
				}
				took := inParallel(t, 1, 60, get)
				if limit.denied != tt.denied {
					t.Errorf("%d 429s, want %d", limit.denied, tt.denied)
				}
				if least, most := 11*5*time.Second-5*time.Second, 12*5*time.Second+time.Second; took < least || took > most {
					t.Errorf("60 requests took %s, want %s to %s", took, least, most)
				}
			})
		})
	}
}

// What a 429 once said is not held against a server for ever.
func TestUntoldLimitIsForgotten(t *testing.T) {
	bubble(t, func(t *testing.T) {
		limit := &unlabelled{limit: 1, length: time.Minute}
		r, _ := newREST(t, discord.RESTConfig{}, func(_ int, w http.ResponseWriter, req *http.Request) { limit.ServeHTTP(w, req) })
		get := func(int) error {
			_, err := r.After(t.Context(), 1, 0, 100)
			return err
		}
		if inParallel(t, 1, 2, get); limit.denied != 1 {
			t.Fatalf("%d 429s, want one", limit.denied)
		}
		time.Sleep(12 * time.Minute)
		limit.limit = 1000
		if took := inParallel(t, 1, 50, get); took > 2*time.Second {
			t.Errorf("50 requests took %s long after the limit was lifted", took)
		}
	})
}
