package gapless_test

import (
	"context"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"gapless"
	"gapless/ledgertest"
)

// The engine's tests run in virtual time. A rig is a bot and its world: one
// guild, its channels, a Discord that keeps what was posted, and a handler that
// notes what it was given.
type rig struct {
	*discord
	t      *testing.T
	ledger *ledgertest.Memory
	wrap   func(gapless.Ledger) gapless.Ledger // what the bot sees of the ledger; nil: itself
	cfg    gapless.Config
	boots  int

	journal lockedBuilder // what every boot logged

	engine *gapless.Engine
	cancel context.CancelFunc
	ended  chan struct{}

	mu     sync.Mutex
	starts []start
	handle func(context.Context, *gapless.Delivery) error // nil: answers "re: <text>"

	deed     string // of the ledger that is counted, and refused at first
	refusals int
	asked    int
}

// start is one start of the handler.
type start struct {
	id      gapless.MessageID
	attempt int
	at      time.Time
	origin  gapless.Origin
}

const home = gapless.GuildID(1)

// bubble runs f in virtual time, after Discord's epoch, with a rig that is not
// open yet. What still runs at the end is closed; handlers that do not listen
// have some hours to return.
func bubble(t *testing.T, f func(t *testing.T, r *rig)) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(zero))
		r := &rig{t: t, discord: newDiscord(), ledger: ledgertest.NewMemory()}
		r.ledger.Before = r.before
		r.cfg = gapless.Config{
			History: r.discord, Replier: r.discord, Handler: gapless.HandlerFunc(r.run), Seed: 1,
			Policy:  gapless.Policy{Everyone: true, Free: gapless.PlaceList{All: true}},
			NoAudit: true, // tests of audits switch them on
			Logger:  slog.New(slog.NewTextHandler(&r.journal, &slog.HandlerOptions{Level: slog.LevelDebug})),
		}
		defer r.leaks()
		defer time.Sleep(3 * time.Hour)
		defer r.close()
		f(t, r)
	})
}

func (r *rig) run(ctx context.Context, d *gapless.Delivery) error {
	r.mu.Lock()
	first := d.Messages[0]
	r.starts = append(r.starts, start{first.Message.ID, d.Attempt, time.Now(), first.Origin})
	handle := r.handle
	r.mu.Unlock()
	if handle != nil {
		return handle(ctx, d)
	}
	d.Reply("re: " + d.First().Text)
	return nil
}

func (r *rig) handles(f func(context.Context, *gapless.Delivery) error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.handle = f
}

// quiet is a handler that is done and says nothing.
func quiet(context.Context, *gapless.Delivery) error { return nil }

// open starts a boot of the bot on the rig's ledger.
func (r *rig) open() {
	r.t.Helper()
	r.boots++
	cfg := r.cfg
	cfg.Ledger, cfg.Boot = r.ledger, fmt.Sprintf("boot%d", r.boots)
	if r.wrap != nil {
		cfg.Ledger = r.wrap(cfg.Ledger)
	}
	engine, err := gapless.Open(r.t.Context(), cfg)
	if err != nil {
		r.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(r.t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := engine.Run(ctx); err != nil {
			r.t.Errorf("run: %v", err)
		}
	}()
	r.engine, r.cancel, r.ended = engine, cancel, ended
}

// close stops the bot as an operator would, and waits for it.
func (r *rig) close() {
	if r.engine != nil {
		r.cancel()
		<-r.ended
		r.engine = nil
	}
}

// crash takes the ledger and the network from the bot before it stops it:
// nothing that the dying process still does takes effect. What is left of it
// ends when it likes.
func (r *rig) crash() {
	r.ledger = r.ledger.Reopen()
	r.cut()
	r.engine.Abort()
	r.cancel()
	<-r.ended
	r.restore()
	r.engine = nil
}

// begin is a READY with its GUILD_CREATE: a fresh session.
func (r *rig) begin() {
	r.t.Helper()
	r.admit(
		gapless.Event{Kind: gapless.SessionBegan, Self: gapless.User{ID: self, Bot: true}, Guilds: []gapless.GuildID{home}},
		gapless.Event{Kind: gapless.GuildSeen, Guild: new(r.inventory())},
	)
}

// admit hands over one batch, as a gateway session known good now would.
func (r *rig) admit(events ...gapless.Event) {
	r.t.Helper()
	if err := r.engine.Admit(r.t.Context(), r.batch(events...)); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) batch(events ...gapless.Event) gapless.Batch {
	s := gapless.Session{ID: "s", Self: gapless.User{ID: self, Bot: true}, SeenAt: time.Now()}
	return gapless.Batch{Events: events, Session: &s}
}

// hear reports a message as heard on the connection.
func (r *rig) hear(m gapless.Message) {
	r.t.Helper()
	r.admit(created(m))
}

func created(m gapless.Message) gapless.Event {
	return gapless.Event{Kind: gapless.MessageCreated, Origin: gapless.OriginLive, Message: &m}
}

// say posts a message and has it heard.
func (r *rig) say(place gapless.ChannelID, text string) gapless.MessageID {
	r.t.Helper()
	m := r.post(place, text)
	r.hear(m)
	return m.ID
}

// started is the messages that handlers were started for, in order.
func (r *rig) started() []gapless.MessageID {
	var out []gapless.MessageID
	for _, s := range r.log() {
		out = append(out, s.id)
	}
	return out
}

func (r *rig) log() []start {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.starts)
}

// expect fails unless handlers were started for exactly these, in this order.
func (r *rig) expect(ids ...gapless.MessageID) {
	r.t.Helper()
	if got := r.started(); !slices.Equal(got, ids) {
		r.t.Fatalf("handlers were started for %v, want %v", got, ids)
	}
}

func (r *rig) status() gapless.LedgerStatus {
	r.t.Helper()
	s, err := r.ledger.Status(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	return s
}

// settled fails unless every message ended, in n deliveries with the reason,
// and no gap is open.
func (r *rig) settled(why gapless.Reason, n int) {
	r.t.Helper()
	s := r.status()
	if s.Ended[why] != n || len(s.Lanes) != 0 || len(s.Gaps) != 0 {
		r.t.Fatalf("ended %v, want %d %s; lanes %+v, gaps %+v", s.Ended, n, why, s.Lanes, s.Gaps)
	}
}

// refuse has the ledger answer the next n deeds of the name with an error, and
// counts them from now on.
func (r *rig) refuse(deed string, n int) (asked func() int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.deed, r.refusals, r.asked = deed, n, 0
	return func() int {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.asked
	}
}

func (r *rig) before(_ context.Context, deed string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if deed != r.deed {
		return nil
	}
	if r.asked++; r.asked <= r.refusals {
		return fmt.Errorf("%s: %w", deed, errLocked)
	}
	return nil
}

// leaks fails if a text that Discord holds stands in the log, as a word and
// not as one of the log's own.
func (r *rig) leaks() {
	log := r.journal.String()
	for _, text := range slices.Compact(slices.Sorted(slices.Values(r.texts()))) {
		ours := slices.Contains([]string{"live", "done", "settled", "expired"}, text)
		if len(text) > 2 && !ours && strings.Contains(log, text) && regexp.MustCompile(`(^|\W)`+regexp.QuoteMeta(text)+`(\W|$)`).MatchString(log) {
			r.t.Errorf("the log holds the text %.40q", text)
		}
	}
}

type lockedBuilder struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lockedBuilder) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuilder) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
