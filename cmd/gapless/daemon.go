package main

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"gapless"
	"gapless/conversation"
	"gapless/discord"
	"gapless/internal/config"
	"gapless/sqlite"
)

// daemon is one bot from its start to its end.
type daemon struct {
	cfg   config.Config
	token config.Token
	log   *slog.Logger

	engine atomic.Pointer[gapless.Engine] // once it is open
}

// run keeps the bot running until ctx ends or somebody asks it to stop, or
// until Discord refuses it for good.
func (d *daemon) run(ctx context.Context) error {
	d.log.Info("gapless starts", "version", version())
	seed := newSeed()
	handler, err := newHandler(d.cfg.Handler, d.log)
	if err != nil {
		return failure(exitUsage, err)
	}
	rest, err := discord.NewREST(discord.RESTConfig{Token: d.token.Reveal(), BaseURL: d.cfg.API, Logger: d.log, Seed: seed, Mentions: d.cfg.Talk.Mentions})
	if err != nil {
		return failure(exitUsage, err)
	}
	abort := &onceAbort{}
	ctx, stop := untilAsked(ctx, abort.do)
	defer stop()
	self, err := d.whoAmI(ctx, rest)
	if errors.Is(err, errAsked) {
		d.log.Info("stopped before Discord said which bot this is")
		return nil
	}
	if err != nil {
		return err
	}
	ledger, err := d.openLedger(ctx, self.ID)
	if err != nil {
		return err
	}
	room := newRoom(d.cfg, self.Name, rest, d.log)
	var gateway *discord.Shards // known before the engine runs
	deaf := func(reason string) { gateway.Reconnect(reason) }
	engine, err := gapless.Open(ctx, d.engineConfig(ledger, rest, handler, room, seed, deaf))
	if err != nil {
		return failure(exitData, errors.Join(err, ledger.Close()))
	}
	abort.set(engine.Abort)
	d.engine.Store(engine)
	gateway, err = discord.NewShards(discord.GatewayConfig{
		REST: rest, Sink: listener{&greeter{Engine: engine, log: d.log}, room}, Logger: d.log, Seed: seed,
	}, d.cfg.Shards)
	if err != nil {
		return failure(exitUsage, errors.Join(err, ledger.Close()))
	}
	d.warnSilence()
	d.warnCommand()
	look := func(ctx context.Context) {
		d.warnChannels(ctx, ledger.Status, rest)
		d.warnNames(ctx, ledger.Status, rest)
	}
	return errors.Join(d.serve(ctx, engine, gateway, handler, look), ledger.Close())
}

// serve runs the parts in the order in which they may end: the connection
// first, then the engine with its turns, then what handles them. look runs
// beside them, once.
func (d *daemon) serve(ctx context.Context, engine *gapless.Engine, gateway *discord.Shards, handler handler, look func(context.Context)) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var parts sync.WaitGroup
	var refused error
	parts.Go(func() {
		if refused = gateway.Run(ctx); refused != nil && ctx.Err() == nil {
			stop(refused)
		}
	})
	parts.Go(func() { look(ctx) })
	keeping, release := context.WithCancel(context.WithoutCancel(ctx))
	var keeper sync.WaitGroup
	keeper.Go(func() { handler.keep(keeping) })
	defer context.AfterFunc(ctx, func() {
		d.log.Info("stopping; running commands may finish, a second signal does not wait for them", "drain", d.cfg.Drain)
	})()
	err := engine.Run(ctx)
	parts.Wait()
	release()
	keeper.Wait()
	if cause := context.Cause(ctx); refused != nil && errors.Is(cause, refused) {
		return refusal(refused)
	}
	if err == nil {
		d.log.Info("stopped; what is owed waits in the ledger")
	}
	return err
}

// engineConfig is the configuration of the engine.
func (d *daemon) engineConfig(l gapless.Ledger, rest *discord.REST, h gapless.Handler, room *conversation.Room, seed uint64, deaf func(string)) gapless.Config {
	c := d.cfg
	return gapless.Config{
		Ledger: l, History: rest, Replier: rest, Clock: rest, Handler: room.Wrap(h), Closing: room.Closing, Outages: c.Talk.Outages, Policy: c.Policy,
		Boot: fmt.Sprintf("%d-%d-%x", time.Now().Unix(), os.Getpid(), seed), Seed: seed,
		Audit: c.Audit.Interval, AuditCalls: c.Audit.Calls, NoAudit: c.Audit.Interval == 0, Deaf: deaf,
		Scope: c.Scope, Recover: c.Recover.Default, Exceptions: c.Recover.Places, LookBack: c.LookBack,
		Notice: notice(c.Recover.Notice), NoticeAll: c.Recover.NoticeAll,
		Late:   c.Late,
		Budget: c.Budget, Retry: c.Retry, Hold: c.Hold, Turn: c.TurnLimit, Drain: c.Drain, Turns: c.Concurrency, Readers: c.Readers,
		Text: c.Keep.Text, Rows: c.Keep.Settled,
		Replies: c.Replies, Logger: d.log,
	}
}

// openLedger opens the ledger of this bot, below the data directory.
func (d *daemon) openLedger(ctx context.Context, self gapless.UserID) (*sqlite.Ledger, error) {
	dir := filepath.Join(d.cfg.Data, self.String())
	ledger, err := sqlite.Open(ctx, sqlite.Config{Dir: dir, Logger: d.log})
	switch {
	case errors.Is(err, gapless.ErrLocked):
		return nil, failure(exitLocked, fmt.Errorf("another gapless runs this bot already: %w", err))
	case err != nil:
		return nil, failure(exitData, fmt.Errorf("%w; --data or GAPLESS_DATA names another directory", err))
	}
	d.log.Info("ledger open", "directory", dir)
	return ledger, nil
}

// newSeed is different at each start.
func newSeed() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // it never fails
	return binary.LittleEndian.Uint64(b[:])
}

// onceAbort is the second stage of a shutdown, for an engine that may not be
// there yet.
type onceAbort struct {
	mu    sync.Mutex
	asked bool
	abort func()
}

func (o *onceAbort) set(abort func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.abort = abort; o.asked {
		abort()
	}
}

func (o *onceAbort) do() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.asked = true; o.abort != nil {
		o.abort()
	}
}
