package discord

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"gapless"
	"gapless/internal/wire"
)

// DefaultUserAgent is sent where none is configured; Discord blocks clients without a proper one (protocol B1).
const DefaultUserAgent = "DiscordBot (https://github.com/gapless/gapless, 1)"

// RESTConfig is what a [REST] is made of. Token is required.
type RESTConfig struct {
	Token     string        // with or without "Bot " in front
	BaseURL   string        // any Discord-compatible server, with or without /api/v10; empty: [DefaultBaseURL]
	Client    *http.Client  // nil: one that honours the proxy environment. Redirects are never followed.
	UserAgent string        // empty: [DefaultUserAgent]
	Logger    *slog.Logger  // nil: silent
	Seed      uint64        // of the jitter between repetitions
	Deadline  time.Duration // for a call and its repetitions, waiting for rate limits aside; default 20 s, half for one try
	Patience  time.Duration // the longest wait for a rate limit; a call that would wait longer fails; default 5 min
	Global    int           // requests a second over all routes; default 50 (protocol C3)
	Mentions  []string      // whom messages may mention: everyone, roles, users, replied_user; nil: the last two (S53)
	Invalid   int           // 401, 403 and 429 answers in ten minutes at which reads stop; default 5000
}

// REST is Discord's HTTP API as far as we need it. It implements [gapless.History], [gapless.Replier] and
// [gapless.Clock]. Its methods may be called from any goroutine; it owns none.
type REST struct {
	// Fixed after NewREST.
	cfg    RESTConfig
	base   *url.URL
	client *http.Client
	log    *slog.Logger
	limits *limiter
	clock  *skew

	mu     sync.Mutex // guards random
	random *rand.Rand
}

var (
	_ gapless.History = (*REST)(nil)
	_ gapless.Replier = (*REST)(nil)
	_ gapless.Clock   = (*REST)(nil)
)

// NewREST makes a client. It sends nothing; errors are faults of the configuration.
func NewREST(cfg RESTConfig) (*REST, error) {
	cfg.Token = bare(cfg.Token)
	base, err := apiURL(cfg.BaseURL)
	if cfg.Token == "" {
		err = errors.Join(err, errors.New("discord.RESTConfig.Token is required"))
	}
	if err != nil {
		return nil, err
	}
	cfg.UserAgent = cmp.Or(cfg.UserAgent, DefaultUserAgent)
	cfg.Deadline = cmp.Or(cfg.Deadline, 20*time.Second)
	cfg.Patience = cmp.Or(cfg.Patience, 5*time.Minute)
	cfg.Global = cmp.Or(cfg.Global, 50)
	cfg.Invalid = cmp.Or(cfg.Invalid, 5000)
	r := &REST{
		cfg: cfg, base: base, client: plain(cfg.Client), log: orSilent(cfg.Logger), clock: &skew{},
		limits: &limiter{s: newSchedule(cfg.Global, cfg.Patience, cfg.Invalid, max(cfg.Invalid, 9000))},
		random: rand.New(rand.NewPCG(cfg.Seed, 1)),
	}
	return r, nil
}

// bare is the token without its scheme.
func bare(token string) string {
	return strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(token), "Bot "))
}

func orSilent(l *slog.Logger) *slog.Logger {
	if l == nil {
		return slog.New(slog.DiscardHandler)
	}
	return l
}

// plain is the client without redirects, cookies and a deadline of its own: a redirect could carry the token to
// another host.
func plain(given *http.Client) *http.Client {
	c := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	if given != nil {
		c.Transport = given.Transport
	}
	if c.Transport == nil {
		c.Transport = transport()
	}
	return c
}

// transport is net/http's own, which honours the proxy environment, except that it notices dead HTTP/2 connections:
// otherwise one that died in silence would take all requests with it until TCP gives up.
func transport() http.RoundTripper {
	t, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultTransport
	}
	t = t.Clone()
	t.HTTP2 = &http.HTTP2Config{SendPingTimeout: 15 * time.Second, PingTimeout: 10 * time.Second}
	return t
}

// Offset is how far Discord's clock is ahead of the host's, by the last answers; less than a second is zero.
func (r *REST) Offset() time.Duration { return r.clock.offset() }

// RESTStatus is how the client stands.
type RESTStatus struct {
	Waiting     int           `json:"waiting"`                // requests waiting for a limit
	Invalid     int           `json:"invalid"`                // 401, 403 and 429 answers of the last ten minutes
	Held        bool          `json:"held,omitempty"`         // reads are held back because of them
	PausedUntil time.Time     `json:"paused_until,omitzero"`  // end of a pause of everything
	Offset      time.Duration `json:"clock_offset,omitempty"` // of Discord's clock
}

// Status tells how the client stands.
func (r *REST) Status() RESTStatus {
	waiting, invalid, paused := r.limits.load()
	return RESTStatus{
		Waiting: waiting, Invalid: invalid, Held: invalid >= r.cfg.Invalid, PausedUntil: paused, Offset: r.Offset(),
	}
}

// Me is the bot's own user: one call.
func (r *REST) Me(ctx context.Context) (gapless.User, error) {
	return fetch(ctx, r, call{route: "GET /users/@me", path: "/users/@me", priority: PriorityReply}, wire.User)
}

// Application is the bot's own application: one call. Its flags say which privileged intents are switched on.
func (r *REST) Application(ctx context.Context) (Application, error) {
	c := call{route: "GET /applications/@me", path: "/applications/@me", priority: PriorityReply}
	return fetch(ctx, r, c, wire.ReadApplication)
}

// GatewayBot says where and how often a session may begin: one call.
func (r *REST) GatewayBot(ctx context.Context) (GatewayBot, error) {
	c := call{route: "GET /gateway/bot", path: "/gateway/bot", priority: PriorityReply}
	return fetch(ctx, r, c, wire.ReadGatewayBot)
}

// Application is the bot's own application.
type Application = wire.Application

// GatewayBot is where and how often a bot may begin a session (protocol A1).
type GatewayBot = wire.GatewayBot
