package discord

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"gapless"
)

// mostShards is more than Discord would ever recommend.
const mostShards = 1 << 14

// Shards is all connections of one bot: a [Gateway] for each shard, each with a session of its own, sharing the REST
// client, the sink and the identify budget. Make one with [NewShards].
type Shards struct {
	// Fixed after NewShards.
	cfg   GatewayConfig
	fixed int // the number that was asked for; zero: what Discord recommends
	log   *slog.Logger
	turns *turnstile

	mu    sync.Mutex
	gates []*Gateway // of the present number; empty before Run
	least int        // so many at least, as Discord has refused fewer
	told  int        // the recommendation that was logged
}

// ShardStatus is how one shard stands.
type ShardStatus struct {
	Shard  int `json:"shard"`
	Shards int `json:"shards"` // how many there are
	Status
}

// NewShards makes the connections of a bot: count of them, or with zero as many as Discord recommends. That number is
// looked at before an identify, so it costs no call of its own, and followed when no session is left that could be
// resumed, or when Discord refuses the present one (close 4010 or 4011). cfg says all else; its Shard and Shards are
// ignored. Errors are faults of the configuration.
func NewShards(cfg GatewayConfig, count int) (*Shards, error) {
	cfg.Shard, cfg.Shards = 0, 0
	_, err := cfg.withDefaults()
	if count < 0 || count > mostShards {
		err = errors.Join(err, fmt.Errorf("the number of shards must be from 1 to %d, or 0 for what Discord recommends", mostShards))
	}
	if err != nil {
		return nil, err
	}
	return &Shards{cfg: cfg, fixed: count, log: orSilent(cfg.Logger), turns: newTurnstile()}, nil
}

// Run keeps every shard connected, as [Gateway.Run] does. It returns nil after ctx has ended and every session has been
// left to be resumed; an error that is final for one shard ends all. Run may be called once.
func (f *Shards) Run(ctx context.Context) error {
	count := f.fixed
	if count == 0 {
		last, _ := f.cfg.Sink.Session(0)
		count = max(last.Shards, 1)
	}
	for {
		err := f.run(ctx, count)
		next, again := f.next(ctx, count, err)
		if !again {
			return err
		}
		f.log.Warn("the number of shards changes: sessions begin anew, and what was missed is read", "from", count, "to", next, "reason", err)
		count = next
	}
}

// run keeps so many shards connected until one cannot go on.
func (f *Shards) run(ctx context.Context, count int) error {
	gates, err := f.open(count)
	if err != nil {
		return err
	}
	if err := f.retire(ctx, count); err != nil {
		return nil
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var running sync.WaitGroup
	var once sync.Once
	for _, g := range gates {
		running.Go(func() {
			select {
			case <-time.After(g.apart()):
			case <-ctx.Done():
			}
			mine, end := trailing(ctx, time.Duration(g.cfg.Shard)*time.Millisecond)
			defer end()
			if failed := g.Run(mine); failed != nil {
				once.Do(func() { err = failed })
				stop()
			}
		})
	}
	running.Wait()
	return err
}

// trailing is a context that ends that much later than ctx: shards stop one after the other.
func trailing(ctx context.Context, by time.Duration) (context.Context, context.CancelFunc) {
	mine, end := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		time.Sleep(by)
		end(context.Cause(ctx))
	})
	return mine, func() { stop(); end(nil) }
}

// open makes the gateways. Those that will have to identify do so in the order of their numbers.
func (f *Shards) open(count int) ([]*Gateway, error) {
	gates := make([]*Gateway, count)
	var coming []int
	for n := range gates {
		cfg := f.cfg
		cfg.Shard, cfg.Seed = n, cfg.Seed+uint64(n)
		if count > 1 {
			cfg.Shards, cfg.Logger = count, f.log.With("shard", n)
		}
		g, err := NewGateway(cfg)
		if err != nil {
			return nil, err
		}
		g.turns, g.recommended = f.turns, f.follow
		gates[n] = g
		if s, _ := f.cfg.Sink.Session(n); s.ID == "" || max(s.Shards, 1) != count {
			coming = append(coming, n)
		}
	}
	f.turns.expect(coming...)
	for n := 0; ; n++ { // shards that there are no longer have identified too
		s, ok := f.cfg.Sink.Session(n)
		if !ok && n >= count {
			break
		}
		f.turns.note(n, s.Starts.IdentifiedAt)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.gates = gates
	return gates, nil
}

// retire drops the sessions of shards that there are no longer. Its error is that ctx has ended.
func (f *Shards) retire(ctx context.Context, count int) error {
	for n := count; ; n++ {
		s, ok := f.cfg.Sink.Session(n)
		if !ok {
			return nil
		}
		if s.ID == "" && s.Shards == count {
			continue
		}
		forget(&s)
		s.Shards, s.State = count, string(StateStopped)
		for try := 0; ; try++ {
			err := f.cfg.Sink.Admit(ctx, gapless.Batch{Session: &s})
			if err == nil || errors.Is(err, gapless.ErrStale) || errors.Is(err, gapless.ErrClosed) {
				break // what has refused for good tells the gateways too
			}
			select {
			case <-ctx.Done():
				return context.Cause(ctx)
			case <-time.After(min(time.Second<<min(try, 4), 10*time.Second)):
			}
		}
	}
}

// reshard ends the gateways because there are to be another number of them.
type reshard struct{ shards int }

func (r *reshard) Error() string { return fmt.Sprintf("discord recommends %d shards", r.shards) }

// follow says whether a recommendation is followed: only while no session is given up for it.
func (f *Shards) follow(recommended int) error {
	gates := f.gateways()
	kept := slices.ContainsFunc(gates, (*Gateway).resumable)
	f.mu.Lock()
	defer f.mu.Unlock()
	recommended = min(max(recommended, f.least), mostShards)
	switch {
	case f.fixed != 0, recommended < 1, recommended == len(gates):
	case !kept:
		return &reshard{recommended}
	case f.told != recommended:
		f.told = recommended
		f.log.Info("discord recommends another number of shards; it is taken when no session is left to resume", "recommended", recommended, "now", len(gates))
	}
	return nil
}

// next is how many shards there are to be after an error, if that mends it.
func (f *Shards) next(ctx context.Context, count int, err error) (shards int, again bool) {
	if r, ok := errors.AsType[*reshard](err); ok {
		return r.shards, true
	}
	few := errors.Is(err, errTooFewShards)
	if f.fixed != 0 || !few && !errors.Is(err, errInvalidShard) {
		return 0, false
	}
	recommended := f.ask(ctx)
	if few && recommended <= count {
		recommended = 2 * count
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if few {
		f.least = max(f.least, recommended)
	}
	return recommended, ctx.Err() == nil && recommended != count && recommended >= 1 && recommended <= mostShards
}

// ask asks Discord for its recommendation until it answers; zero if ctx ends before.
func (f *Shards) ask(ctx context.Context) int {
	for try := 0; ; try++ {
		bot, err := f.cfg.REST.GatewayBot(ctx)
		if err == nil || errors.Is(err, gapless.ErrUnauthorized) {
			return bot.Shards
		}
		select {
		case <-ctx.Done():
			return 0
		case <-time.After(min(time.Second<<min(try, 5), 30*time.Second)):
		}
	}
}

// Reconnect makes every shard close its connection and resume, one after the other: see [Gateway.Reconnect].
func (f *Shards) Reconnect(reason string) {
	for _, g := range f.gateways() {
		time.AfterFunc(g.apart(), func() { g.Reconnect(reason) })
	}
}

// Status is how each shard stands, in the order of their numbers; empty before Run. It may be called at any time.
func (f *Shards) Status() []ShardStatus {
	gates := f.gateways()
	out := make([]ShardStatus, len(gates))
	for n, g := range gates {
		out[n] = ShardStatus{Shard: n, Shards: len(gates), Status: g.Status()}
	}
	return out
}

// State is what the bot's connection is doing: that of the first shard that is not ready, or ready if all are.
func (f *Shards) State() State {
	state := State("")
	for _, s := range f.Status() {
		if state = s.State; state != StateReady {
			break
		}
	}
	return cmp.Or(state, StateStopped)
}

// Ready reports whether events come in on every shard.
func (f *Shards) Ready() bool { return f.State() == StateReady }

func (f *Shards) gateways() []*Gateway {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.gates)
}

// resumable reports whether the gateway has a session.
func (g *Gateway) resumable() bool {
	g.mu.Lock()
	in := g.intake
	g.mu.Unlock()
	if in == nil { // Run has not begun
		s, _ := g.cfg.Sink.Session(g.cfg.Shard)
		return s.ID != "" && max(s.Shards, 1) == max(g.cfg.Shards, 1)
	}
	return in.stored().ID != ""
}
