package scenario

import (
	"cmp"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing/synctest"
	"time"

	"gapless"
	"gapless/conversation"
	"gapless/discord"
	"gapless/discordsim"
)

// mainProcess is the name of the process that commands mean when they name none.
const mainProcess = "gapless"

// player plays one script.
type player struct {
	script  *Script
	dir     string // where ledgers lie
	sim     *discordsim.Server
	memory  *discordsim.Memory
	bot     discordsim.Bot
	world   *world
	journal *journal
	book    *logbook
	serving sync.WaitGroup

	config    gapless.Config
	talk      conversation.Options
	gateway   discord.GatewayConfig
	rest      discord.RESTConfig
	shards    int        // connections; zero: what Discord recommends
	policies  []policyAt // every policy that was in force
	latency   atomic.Int64
	slept     atomic.Int64 // how long the host has slept so far
	troubles  *troubles
	faults    map[string]discordsim.FaultID
	limited   bool // the script has limited requests beyond what Discord allows
	marks     map[string]time.Time
	strange   map[discordsim.ID]bool      // messages of the bot's account that the engine did not send
	versions  map[discordsim.ID]time.Time // messages that were edited, and when
	texts     map[string]bool             // what must not be in the log
	posts     map[discordsim.ID]posting   // the circumstances of each message
	processes map[string]*process
	boots     int
	kills     []time.Time
	emptied   []time.Time           // instants at which the ledger was empty
	forced    int                   // times the script ended a session
	renewed   string                // the token that replaces a revoked one
	asked     time.Time             // when the ledger was last asked what is owed
	last      *gapless.LedgerStatus // of the process that ended last
	deeds     sync.WaitGroup        // kills a handler asked for
	released  chan struct{}         // closed when handlers that ignore everything may go
	allow     allowances            // what the script asks the oracle to let pass
	failures  []error

	conductMu sync.Mutex
	conducts  []*conduct
}

// policyAt is a policy and when it came into force.
type policyAt struct {
	since  time.Time
	policy gapless.Policy
}

// posting is how things stood when a message was written.
type posting struct {
	place   string
	started bool // an engine had been connected before
}

// epoch is when every script begins: the bubble's own clock stands before Discord's.
var epoch = time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)

// Play runs the script to its end and judges it. It must be called inside a testing/synctest bubble, in a directory
// of its own, and ends every goroutine it starts.
func (s *Script) Play(dir string) *Report { return s.run(dir).report() }

// run plays the script and ends everything it started.
func (s *Script) run(dir string) *player {
	time.Sleep(time.Until(epoch))
	p := newPlayer(s, dir)
	for _, st := range s.steps {
		if err := p.step(st); err != nil {
			p.failures = append(p.failures, err)
			if !errors.As(err, new(*unmet)) {
				break
			}
		}
	}
	p.finish()
	return p
}

func newPlayer(s *Script, dir string) *player {
	p := &player{
		script: s, dir: dir, sim: &discordsim.Server{Seed: s.Seed, Pace: 1}, memory: discordsim.NewMemory(),
		world: newWorld(), journal: newJournal(time.Now()), book: &logbook{}, troubles: &troubles{},
		faults: map[string]discordsim.FaultID{}, marks: map[string]time.Time{"start": time.Now()},
		strange: map[discordsim.ID]bool{}, versions: map[discordsim.ID]time.Time{}, texts: map[string]bool{},
		posts: map[discordsim.ID]posting{}, emptied: []time.Time{time.Now()}, processes: map[string]*process{}, released: make(chan struct{}),
	}
	p.allow = allowances{keep: map[string]bool{}, lost: map[string]bool{}, pending: map[string]bool{}}
	p.shards = 1
	p.latency.Store(int64(40 * time.Millisecond))
	p.bot = p.sim.AddBot(botName)
	p.world.add(aUser, botName, p.bot.ID)
	p.config.Seed = s.Seed
	p.config.Policy.Everyone = true
	p.config.NoAudit = true // a script about audits switches them on
	return p
}

// step plays one command. Each takes a millisecond, so that no two things a script does share an instant, with each
// other or with a timer that an earlier one started.
func (p *player) step(st step) (err error) {
	p.sleep(time.Millisecond + time.Duration(st.line)*time.Microsecond)
	defer func() {
		if why := recover(); why != nil {
			err = fmt.Errorf("%v", why)
		}
		if err != nil {
			err = fmt.Errorf("%s:%d: %s: %w", p.script.File, st.line, st.text, err)
		}
	}()
	if err := st.do(p); err != nil {
		return err
	}
	p.quiet()
	return nil
}

// unmet is an expectation that is not so.
type unmet struct{ error }

func (u *unmet) Unwrap() error { return u.error }

// sleep lets time pass and everything that is due happen.
func (p *player) sleep(d time.Duration) {
	time.Sleep(d)
	p.quiet()
}

// quiet waits until nobody has anything left to do at this instant.
func (p *player) quiet() { synctest.Wait() }

// note adds a line to the trace about something the script did.
func (p *player) note(actor, format string, args ...any) {
	p.journal.enter(func() { p.journal.tell(actor, format, args...) })
}

// posted remembers the circumstances of a message.
func (p *player) posted(name, place string) {
	id := p.world.of(aMessage, name)
	p.posts[id] = posting{place: place, started: p.boots > 0}
	p.remember(id)
}

// remember keeps the text of a message, to look for it in the log.
func (p *player) remember(id discordsim.ID) {
	if m, ok := p.sim.Message(id); ok && m.Author != p.bot.ID {
		p.texts[m.Content] = true
	}
}

// edited remembers that a message has another text now.
func (p *player) edited(name string) { p.versions[p.world.of(aMessage, name)] = time.Now() }

// serve begins to answer, once the knobs are set.
func (p *player) serve() {
	p.serving.Go(func() { _ = p.sim.Serve(p.memory) })
}

// finish ends what the script left open: troubles are lifted, time passes until nothing is owed, and processes stop.
func (p *player) finish() {
	if len(p.failures) == 0 {
		p.settle(p.allow.settle())
	}
	for _, proc := range p.running() {
		if err := proc.stop(); err != nil {
			p.failures = append(p.failures, fmt.Errorf("stop at the end: %w", err))
		}
	}
	close(p.released)
	p.deeds.Wait()
	p.sim.Close()
	_ = p.memory.Close()
	p.serving.Wait()
	p.sleep(time.Minute) // last frames leave, last timers find nobody
}

// settle lifts faults and lets time pass until nothing is owed, at most that long.
func (p *player) settle(limit time.Duration) {
	p.troubles.clear()
	for name, id := range p.faults {
		if !p.allow.keep[name] {
			p.sim.Lift(id)
		}
	}
	if !p.allow.keep["outage"] {
		p.sim.Unpause()
		for _, proc := range p.running() {
			proc.dialer.Down(false)
			proc.dialer.Freeze(false)
		}
	}
	if len(p.running()) == 0 {
		return
	}
	p.until(func(p *player, _ time.Time) bool { return p.connected() || len(p.running()) == 0 }, limit)
	p.sleep(min(limit, 20*time.Second)) // what is on its way arrives
	p.until(func(p *player, _ time.Time) bool { return len(p.owed()) == 0 }, limit)
	if !p.config.NoAudit { // what was lost silently is owed only once an audit has found it
		p.sleep(min(limit, 3*cmp.Or(p.config.Audit, 5*time.Minute)))
		p.until(func(p *player, _ time.Time) bool { return len(p.owed()) == 0 }, limit)
	}
}
