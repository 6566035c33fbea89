package discord_test

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"gapless/discord"
	"gapless/discordsim"
)

const token = "MTIzNDU2Nzg5MDEyMzQ1Njc4.secret.token"

var newYear = time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)

// bubble runs a test in virtual time, after Discord's epoch.
func bubble(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(newYear))
		test(t)
	})
}

// journal collects what is logged. Nothing may ever log the token.
type journal struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (j *journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.buf.Write(b)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.buf.String()
}

// logger logs to a journal that is searched for secrets when the test ends.
func logger(t *testing.T, secrets ...string) (*slog.Logger, *journal) {
	j := &journal{}
	t.Cleanup(func() {
		for _, s := range append(secrets, token) {
			if strings.Contains(j.String(), s) {
				t.Errorf("the log holds %q:\n%s", s, j)
			}
		}
		if t.Failed() {
			t.Logf("log:\n%s", j)
		}
	})
	return slog.New(slog.NewTextHandler(j, &slog.HandlerOptions{Level: slog.LevelDebug})), j
}

// seen is one request as the fake API got it.
type seen struct {
	at     time.Duration // since the API began
	method string
	path   string
	query  string
	auth   string
	body   string
}

// fakeAPI answers requests with a test's function and keeps a record of them.
type fakeAPI struct {
	mu    sync.Mutex
	began time.Time
	seen  []seen
	serve func(n int, w http.ResponseWriter, r *http.Request) // n counts from 0
}

func (f *fakeAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	f.mu.Lock()
	n := len(f.seen)
	f.seen = append(f.seen, seen{time.Since(f.began), r.Method, r.URL.Path, r.URL.RawQuery, r.Header.Get("Authorization"), string(body)})
	f.mu.Unlock()
	f.serve(n, w, r)
}

func (f *fakeAPI) requests() []seen {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]seen(nil), f.seen...)
}

// listen serves handler in memory until the test ends.
func listen(t *testing.T, handler http.Handler) *discordsim.Memory {
	t.Helper()
	memory := discordsim.NewMemory()
	server := &http.Server{Handler: handler}
	done := make(chan struct{})
	go func() { defer close(done); _ = server.Serve(memory) }()
	t.Cleanup(func() {
		_ = server.Close()
		_ = memory.Close()
		<-done
	})
	return memory
}

// newREST makes a client of a fake API, inside a bubble.
func newREST(t *testing.T, cfg discord.RESTConfig, serve func(n int, w http.ResponseWriter, r *http.Request)) (*discord.REST, *fakeAPI) {
	t.Helper()
	api := &fakeAPI{began: time.Now(), serve: serve}
	memory := listen(t, api)
	client := memory.Client()
	t.Cleanup(client.CloseIdleConnections)
	cfg.Token, cfg.BaseURL, cfg.Client = "Bot "+token, "http://discord.test", client
	if cfg.Logger == nil {
		cfg.Logger, _ = logger(t, "the text")
	}
	r, err := discord.NewREST(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return r, api
}

// bot answers as Discord does: JSON, and a Via header.
func answer(w http.ResponseWriter, status int, body string, headers ...string) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Via", "1.1 google")
	for i := 0; i+1 < len(headers); i += 2 {
		w.Header().Set(headers[i], headers[i+1])
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

// window is a rate limit of so many requests in a fixed window, as a server keeps it.
type window struct {
	mu     sync.Mutex
	limit  int
	length time.Duration
	end    time.Time
	used   int
	denied int
}

// take counts one request and answers its headers, or 429 with ok false.
func (b *window) take(w http.ResponseWriter) (ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	if !now.Before(b.end) {
		b.end, b.used = now.Add(b.length), 0
	}
	ok = b.used < b.limit
	if ok {
		b.used++
	} else {
		b.denied++
	}
	h := w.Header()
	h.Set("X-RateLimit-Limit", fmt.Sprint(b.limit))
	h.Set("X-RateLimit-Remaining", fmt.Sprint(b.limit-b.used))
	h.Set("X-RateLimit-Reset-After", fmt.Sprintf("%.3f", b.end.Sub(now).Seconds()))
	h.Set("X-RateLimit-Bucket", "hash")
	if !ok {
		wait := b.end.Sub(now).Seconds()
		answer(w, 429, fmt.Sprintf(`{"message":"You are being rate limited.","retry_after":%.3f,"global":false}`, wait),
			"Retry-After", fmt.Sprint(int(wait)+1), "X-RateLimit-Scope", "user")
	}
	return ok
}
