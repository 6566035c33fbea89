package scenario

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"gapless"
	"gapless/conversation"
	"gapless/discord"
	"gapless/discordsim"
)

// process is one run of the daemon: engine, clients and ledger, wired as the command wires them, with a network of
// its own.
type process struct {
	player *player
	name   string
	boot   string
	dialer *discordsim.Dialer
	client *http.Client
	store  store
	rest   *discord.REST
	engine *gapless.Engine
	gate   gateway
	room   *conversation.Room // nil: turns are all there is

	dead        atomic.Bool // killed: nothing it does counts any more
	stopGateway context.CancelFunc
	stopEngine  context.CancelFunc
	work        sync.WaitGroup
	once        sync.Once     // of the end
	over        chan struct{} // closed when nothing of it counts any more and its ledger is closed

	mu  sync.Mutex
	err error // why it ended by itself
}

// store is a ledger that can be closed.
type store interface {
	gapless.Ledger
	Close() error
}

// gateway is a gateway client, as far as a script needs it.
type gateway interface {
	Run(ctx context.Context) error
	State() string
	Shards() (all, ready int)
	Reconnect(reason string)
}

// apiURL is where the simulated Discord is reached, whatever the name.
const apiURL = "http://discord.test/api/v10"

// start begins a process on the ledger of the script.
func (p *player) start(name string) error {
	if len(p.processes) == 0 {
		p.serve()
	}
	if old := p.processes[name]; old != nil && !old.isOver() {
		return fmt.Errorf("%s runs already", name)
	}
	p.boots++
	proc := &process{player: p, name: name, boot: fmt.Sprintf("boot-%d", p.boots), dialer: p.memory.Dialer(), over: make(chan struct{})}
	if err := proc.open(); err != nil {
		proc.once.Do(proc.end)
		if proc.dead.Load() { // killed while it was opening, as the script wished
			p.processes[name] = proc
			return nil
		}
		return err
	}
	p.policies = append(p.policies, policyAt{time.Now(), p.config.Policy})
	p.processes[name] = proc
	proc.run()
	return nil
}

// open makes the parts.
func (proc *process) open() (err error) {
	p := proc.player
	log := p.book.logger(proc.name)
	if proc.store, err = openStore(p.ledgerDir(), log); err != nil {
		return err
	}
	inner := &http.Transport{DialContext: proc.dialer.DialContext}
	proc.client = &http.Client{Transport: &transport{proc: proc, next: inner, seen: map[string]int{}}}
	api := p.rest
	api.Token, api.BaseURL, api.Client, api.Logger, api.Seed = p.bot.Token, apiURL, proc.client, log, p.script.Seed
	if proc.rest, err = discord.NewREST(api); err != nil {
		return err
	}
	cfg := p.config
	cfg.Ledger, cfg.History, cfg.Replier, cfg.Clock = &cut{Ledger: proc.store, proc: proc, j: p.journal}, proc.rest, proc.rest, proc.rest
	cfg.Handler, cfg.Boot, cfg.Logger = &scripted{proc}, proc.boot, log
	if proc.room = proc.talk(log); proc.room != nil {
		cfg.Handler, cfg.Closing = proc.room.Wrap(cfg.Handler), proc.room.Closing
	}
	cfg.Deaf = func(reason string) { proc.gate.Reconnect(reason) }
	if proc.engine, err = gapless.Open(context.Background(), cfg); err != nil {
		return err
	}
	proc.gate, err = openGateway(proc, inner, log)
	return err
}

// run starts the parts and, when the gateway gives up for good, ends them.
func (proc *process) run() {
	intake, stopGateway := context.WithCancel(context.Background())
	work, stopEngine := context.WithCancel(context.Background())
	proc.stopGateway, proc.stopEngine = stopGateway, stopEngine
	var engine sync.WaitGroup
	engine.Go(func() {
		if err := proc.engine.Run(work); err != nil {
			proc.fail(fmt.Errorf("engine: %w", err))
			stopGateway()
		}
	})
	proc.work.Go(func() {
		if err := proc.gate.Run(intake); err != nil && intake.Err() == nil {
			proc.fail(fmt.Errorf("gateway: %w", err))
		}
		stopEngine()
		engine.Wait()
	})
	proc.player.deeds.Go(func() {
		proc.work.Wait()
		proc.once.Do(proc.end)
	})
}

// end closes what is left once nothing runs any more.
func (proc *process) end() {
	defer close(proc.over)
	if proc.client != nil {
		proc.client.CloseIdleConnections()
	}
	if t, ok := proc.transportOf(); ok {
		t.CloseIdleConnections()
	}
	if proc.store == nil {
		return
	}
	if st, err := proc.store.Status(context.Background()); err == nil {
		proc.player.journal.enter(func() { proc.player.last = &st })
	}
	if err := proc.store.Close(); err != nil {
		proc.fail(fmt.Errorf("close the ledger: %w", err))
	}
}

func (proc *process) transportOf() (*http.Transport, bool) {
	if proc.client == nil {
		return nil, false
	}
	t, ok := proc.client.Transport.(*transport)
	if !ok {
		return nil, false
	}
	inner, ok := t.next.(*http.Transport)
	return inner, ok
}

// stop ends the process in order: no more intake, running turns drain, replies leave.
func (proc *process) stop() error {
	proc.stopGateway()
	<-proc.over
	_, err := proc.ended()
	return err
}

// kill ends it at once: the network is cut, then the disk, and whatever it still does reaches neither.
func (proc *process) kill() {
	proc.player.journal.enter(func() {
		proc.dead.Store(true)
		proc.player.kills = append(proc.player.kills, time.Now())
		proc.player.journal.tell(theScript, "%s is killed", proc.name)
		for _, t := range proc.player.journal.turns {
			if t.boot == proc.boot && t.ended.IsZero() {
				t.ended, t.verdict = time.Now(), "crashed"
			}
		}
	})
	proc.dialer.Down(true)
	if proc.stopEngine != nil { // it runs
		proc.stopGateway()
		proc.stopEngine()
		proc.engine.Abort()
	}
	proc.once.Do(proc.end) // at once: what still runs finds everything closed
}

func (proc *process) fail(err error) {
	proc.mu.Lock()
	defer proc.mu.Unlock()
	proc.err = errors.Join(proc.err, err)
}

func (proc *process) isOver() bool {
	select {
	case <-proc.over:
		return true
	default:
		return false
	}
}

// ended reports whether the process has ended, and why if it did so by itself.
func (proc *process) ended() (bool, error) {
	proc.mu.Lock()
	defer proc.mu.Unlock()
	return proc.isOver(), proc.err
}

func (proc *process) gatewayState() string { return proc.gate.State() }

// process is a process that runs.
func (p *player) process(name string) (*process, error) {
	proc := p.processes[name]
	if proc == nil || proc.isOver() {
		return nil, fmt.Errorf("%s: %w", name, errNotRunning)
	}
	return proc, nil
}

// running are the processes that run, by name.
func (p *player) running() []*process {
	var all []*process
	for _, proc := range p.processes {
		if !proc.isOver() {
			all = append(all, proc)
		}
	}
	slices.SortFunc(all, func(a, b *process) int { return strings.Compare(a.name, b.name) })
	return all
}
