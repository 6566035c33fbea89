package discord

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"gapless"
)

// GatewayConfig is what a [Gateway] is made of. REST and Sink are required.
type GatewayConfig struct {
	REST *REST // for the gateway's address and budget; its token is used
	Sink Sink

	Intents int          // zero: [DefaultIntents]
	Shard   int          // this connection's shard
	Shards  int          // how many there are; zero: not sharded
	Client  *http.Client // opens the connections; nil: one that honours the proxy environment
	Logger  *slog.Logger // nil: silent
	Seed    uint64       // of the jitter

	// Wall reads the host's wall clock, which goes on while the host sleeps; nil: time.Now.
	Wall func() time.Time

	Uncompressed   bool          // do without zlib-stream
	Queue          int           // frames read ahead of the sink, default 1024
	Reserve        int           // identifies of Discord's daily budget that are never used
	Attempts       int           // failed resumes in a row before the session is given up, default 3 (C07)
	ReadLimit      int64         // the longest payload, default 64 MiB
	ConnectTimeout time.Duration // to open a connection, default 15 s
	HelloTimeout   time.Duration // from there to Hello, default 20 s
	ReadyTimeout   time.Duration // from there to READY, or between two replayed events, default 60 s
	CloseTimeout   time.Duration // to close a connection in good order, default 2 s
	DrainTimeout   time.Duration // to store what was read when Run's context ends, default 10 s
}

func (c GatewayConfig) withDefaults() (GatewayConfig, error) {
	var errs []error
	if c.REST == nil {
		errs = append(errs, errors.New("discord.GatewayConfig.REST is required"))
	}
	if c.Sink == nil {
		errs = append(errs, errors.New("discord.GatewayConfig.Sink is required"))
	}
	if c.Shards > 0 && c.Shard >= c.Shards || c.Shard < 0 {
		errs = append(errs, errors.New("discord.GatewayConfig.Shard must be below Shards"))
	}
	c.Intents = cmp.Or(c.Intents, DefaultIntents)
	c.Queue = cmp.Or(c.Queue, 1024)
	c.Attempts = cmp.Or(c.Attempts, 3)
	c.ReadLimit = cmp.Or(c.ReadLimit, 64<<20)
	c.ConnectTimeout = cmp.Or(c.ConnectTimeout, 15*time.Second)
	c.HelloTimeout = cmp.Or(c.HelloTimeout, 20*time.Second)
	c.ReadyTimeout = cmp.Or(c.ReadyTimeout, time.Minute)
	c.CloseTimeout = cmp.Or(c.CloseTimeout, 2*time.Second)
	c.DrainTimeout = cmp.Or(c.DrainTimeout, 10*time.Second)
	c.Logger = orSilent(c.Logger)
	if c.Wall == nil {
		c.Wall = time.Now
	}
	return c, errors.Join(errs...)
}

// Gateway holds one shard's connection to Discord and hands everything it reports to a [Sink]. Make one with
// [NewGateway].
type Gateway struct {
	// Fixed after NewGateway.
	cfg    GatewayConfig
	token  string
	client *http.Client
	log    *slog.Logger
	wall   func() time.Time // the host's wall clock, to notice that it slept
	doubt  chan string      // why somebody does not trust the connection
	turns  *turnstile       // shared by the shards of the bot
	// recommended is told how many shards Discord recommends, before an identify; its error ends the gateway.
	recommended func(shards int) error

	// Owned by Run's goroutine.
	random   *rand.Rand
	address  string         // the gateway's, once /gateway/bot has named it
	budgeted gapless.Starts // as found before the identify that comes
	failed   int            // resumes in a row that came to nothing
	missed   int            // dials for a resume in a row that failed
	answered bool           // Discord answered over REST after the last dial that failed
	losses   int            // connections in a row that did not last
	suspect  bool           // a connection was closed before its session stood: the token may be bad

	mu     sync.Mutex
	intake *intake // set when Run begins
	status Status
}

// NewGateway makes a gateway. It opens nothing; errors are faults of the configuration.
func NewGateway(cfg GatewayConfig) (*Gateway, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	g := &Gateway{
		cfg: cfg, token: cfg.REST.cfg.Token, client: dialer(cfg.Client), log: cfg.Logger, wall: cfg.Wall,
		doubt: make(chan string, 1), turns: newTurnstile(), recommended: func(int) error { return nil },
		random: rand.New(rand.NewPCG(cfg.Seed, 2)), status: Status{State: StateStopped},
	}
	if official(cfg.REST.base) {
		g.address = "wss://gateway.discord.gg"
	}
	return g, nil
}

// Reconnect makes the gateway close its present connection and resume, for a reason that is logged: an audit has found
// that the connection is deaf, say. It may be called at any time and does not wait.
func (g *Gateway) Reconnect(reason string) {
	select {
	case g.doubt <- reason:
	default:
	}
}

// dialer is the client that opens connections.
func dialer(given *http.Client) *http.Client {
	c := plain(given)
	c.Transport = closeGuard{c.Transport}
	return c
}

// Run connects, and reconnects for ever. It returns nil after ctx has ended, when what was read is stored and the
// session left to be resumed. Other errors are final: the token is refused ([gapless.ErrUnauthorized]), Discord
// does not let the bot connect as it is configured (the error says what to change), or the sink has refused for good.
// Run may be called once.
func (g *Gateway) Run(ctx context.Context) error {
	session, _ := g.cfg.Sink.Session(g.cfg.Shard)
	if max(session.Shards, 1) != max(g.cfg.Shards, 1) { // it was told of other guilds
		forget(&session)
	}
	session.Shard, session.Shards = g.cfg.Shard, g.cfg.Shards
	g.mu.Lock()
	g.intake = newIntake(g.cfg.Sink, session, g.cfg.Queue, g.cfg.Seed, g.log)
	g.mu.Unlock()

	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	var running sync.WaitGroup
	running.Go(func() { g.intake.run(work) })
	err := g.supervise(ctx)
	g.drain(work)
	stop()
	running.Wait()
	g.count(func(s *Status) { s.State, s.Reason, s.Since = StateStopped, reason(err), time.Now() })
	return err
}

func reason(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// supervise owns the reconnecting.
func (g *Gateway) supervise(ctx context.Context) error {
	for {
		end := g.cycle(ctx)
		switch {
		case end.final != nil:
			g.log.Error("the gateway cannot go on", "error", end.final)
			return end.final
		case g.refused() != nil:
			return fmt.Errorf("store what the gateway reports: %w", g.refused())
		case ctx.Err() != nil:
			return nil
		}
		if err := g.rest(ctx, end); err != nil {
			return nil
		}
	}
}

// refused is why the sink has refused for good, if it has.
func (g *Gateway) refused() error {
	select {
	case <-g.intake.failed:
		return g.intake.err
	default:
		return nil
	}
}

// cycle is one connection, from choosing what to do to its end.
func (g *Gateway) cycle(ctx context.Context) ending {
	defer g.turns.leave(g.cfg.Shard)
	if len(g.intake.queue) > 0 {
		g.become(StateWaiting, "for what was read to be stored")
	}
	if err := g.intake.flush(ctx); err != nil { // so that a resume asks for nothing twice
		return ending{err: err}
	}
	session := g.intake.stored()
	address, err := g.choose(ctx, &session)
	if err != nil {
		end := ending{err: err}
		if _, other := errors.AsType[*reshard](err); other || errors.Is(err, gapless.ErrUnauthorized) {
			end.final = err
		}
		return end
	}
	g.become(StateConnecting, "")
	ws, cut, err := g.dial(ctx, address)
	if err != nil {
		return g.unreachable(ctx, session, err)
	}
	g.missed = 0
	g.count(func(s *Status) { s.Connects++ })
	select {
	case <-g.doubt: // it was about an earlier connection
	default:
	}
	end := newConnection(g, ws, cut, session).run(ctx)
	g.judge(&end)
	if end.forget {
		if err := g.intake.put(ctx, forget); err != nil {
			end.err = errors.Join(end.err, err)
		}
	}
	return end
}

// choose gives the address to connect to: where the session can be resumed if there is one, else where a new one can
// begin, once the budget allows it. A session whose resumes came to nothing too often is given up (C07).
func (g *Gateway) choose(ctx context.Context, session *gapless.Session) (address string, err error) {
	if session.ID != "" && max(g.failed, g.missed) >= g.cfg.Attempts {
		g.log.Warn("giving the session up: it cannot be resumed", "resumes", g.failed, "dials", g.missed)
		if err := g.intake.put(ctx, forget); err != nil {
			return "", err
		}
		forget(session)
		g.failed, g.missed = 0, 0
	}
	if session.ID == "" {
		return g.budget(ctx)
	}
	if trusts(g.cfg.REST.base, g.address, session.ResumeURL) {
		return session.ResumeURL, nil
	}
	if g.address == "" || !official(g.cfg.REST.base) {
		bot, err := g.cfg.REST.GatewayBot(ctx)
		if err != nil {
			return "", fmt.Errorf("ask for the gateway: %w", err)
		}
		g.address = bot.URL
	}
	if trusts(g.cfg.REST.base, g.address, session.ResumeURL) {
		return session.ResumeURL, nil
	}
	g.log.Warn("not following a resume address that is not Discord's; resuming at the gateway itself")
	return g.address, nil
}

// unreachable is a connection that could not be opened. For a resume that counts as a failure only if Discord can be
// reached otherwise: while the whole network is away the session is worth keeping.
func (g *Gateway) unreachable(ctx context.Context, session gapless.Session, err error) ending {
	if session.ID == "" {
		return ending{err: fmt.Errorf("connect to the gateway: %w", err)}
	}
	last := g.missed+1 >= g.cfg.Attempts
	switch {
	case !last, g.answered: // Discord answered before this dial, and it failed all the same
		g.missed++
		g.answered = false
	default: // the network may only just have come back: ask, and dial once more before giving up
		short, cancel := context.WithTimeout(ctx, g.cfg.ConnectTimeout)
		defer cancel()
		_, asked := g.cfg.REST.GatewayBot(short)
		g.answered = asked == nil
	}
	return ending{err: fmt.Errorf("connect to the gateway: %w", err)}
}

// judge counts what the connection came to.
func (g *Gateway) judge(end *ending) {
	if end.closed && end.ready.IsZero() {
		g.suspect = true
	} else if !end.ready.IsZero() {
		g.suspect = false
	}
	if end.resume && end.ready.IsZero() && !end.moved && !end.stopped {
		g.failed++
	} else if !end.ready.IsZero() || end.moved {
		g.failed = 0
	}
	if end.forget {
		g.failed = 0
	}
}

// lasting is how long a session must have stood for its loss not to be one of a series.
const lasting = 10 * time.Second

// rest waits before the next connection: not at all after one that lasted, longer with each that did not. Its error is
// that ctx has ended.
func (g *Gateway) rest(ctx context.Context, end ending) error {
	lasted := !end.ready.IsZero() && time.Since(end.ready) >= lasting
	answered := end.resume && end.ready.IsZero() && end.forget // the session is over, but Discord is back
	if lasted || answered {
		g.losses = 0
	}
	wait := end.wait
	if g.losses > 0 {
		wait = max(wait, backoff(g.losses-1, time.Second, 30*time.Second, g.random))
	}
	g.losses++
	text := reason(end.err)
	g.count(func(s *Status) { s.LastError = text })
	g.log.Warn("gateway connection ended", "error", text, "session_kept", !end.forget, "next_in", wait)
	g.become(StateWaiting, "to reconnect: "+text)
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-g.intake.failed:
		return nil
	case <-time.After(wait + g.apart()):
		return nil
	}
}

// apart is how much later than shard 0 this one does what all of them would do in the same instant.
func (g *Gateway) apart() time.Duration { return time.Duration(g.cfg.Shard) * 20 * time.Millisecond }
