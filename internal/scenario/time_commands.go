package scenario

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// patience is how long `wait until` waits if the script does not say.
const patience = 10 * time.Minute

func timeCommands() []command {
	return append([]command{
		{"wait until", "wait until CONDITION [within DURATION]", "Waits for something; without a bound, 10m. Conditions: `connected`, `disconnected`, `stopped` (no process runs), `MESSAGE starts`, " +
			"`MESSAGE ends` (its turn), `MESSAGE settles`, `MESSAGE is answered`, `MESSAGE is stored` (decided), `pass ends`, `pass starts`, `request METHOD ROUTE [in #PLACE]` (one begins after this line), " +
			"`nothing is owed` (no gap open, nothing waiting, every reply sent).", readWaitUntil},
		{"wait", "wait DURATION", "Lets time pass: virtual time, so a day costs nothing.", func(ph *phrase) func(*player) error {
			d := ph.duration("a time to wait")
			return func(p *player) error {
				p.sleep(d)
				return nil
			}
		}},
		{"at", "at DURATION", "Lets time pass until that long after the script began.", func(ph *phrase) func(*player) error {
			d := ph.duration("a time since the beginning")
			return func(p *player) error {
				left := time.Until(p.journal.start.Add(d))
				if left < 0 {
					return fmt.Errorf("it is later than %s already: %s", d, stamp(time.Since(p.journal.start)))
				}
				p.sleep(left)
				return nil
			}
		}},
		{"mark", "mark NAME", "Names this instant for `since NAME` in expectations.", func(ph *phrase) func(*player) error {
			name := ph.declare(aMark, ph.word("a name for the instant"))
			return func(p *player) error {
				p.marks[name] = time.Now()
				return nil
			}
		}},
	}, repeatCommands()...)
}

// condition says whether something is so by now; begun is when the waiting began.
type condition func(p *player, begun time.Time) bool

func readWaitUntil(ph *phrase) func(*player) error {
	said := strings.TrimSpace(ph.line[ph.at:])
	is := ph.condition()
	limit := patience
	if ph.accept("within") {
		limit = ph.duration("a bound")
	}
	return func(p *player) error {
		if p.until(is, limit) {
			return nil
		}
		return fmt.Errorf("waited %s in vain until %s", limit, said)
	}
}

func (ph *phrase) condition() condition {
	switch {
	case ph.accept("connected"):
		return func(p *player, _ time.Time) bool { return p.connected() }
	case ph.accept("disconnected"):
		return func(p *player, _ time.Time) bool { return !p.connected() }
	case ph.accept("stopped"):
		return func(p *player, _ time.Time) bool { return len(p.running()) == 0 }
	case ph.accept("pass", "ends"):
		return func(p *player, begun time.Time) bool { return p.passSince(begun, true) }
	case ph.accept("pass", "starts"):
		return func(p *player, begun time.Time) bool { return p.passSince(begun, false) }
	case ph.accept("nothing", "is", "owed"):
		return func(p *player, _ time.Time) bool { return len(p.owed()) == 0 }
	case ph.accept("request"):
		match := ph.request()
		return func(p *player, begun time.Time) bool { return p.calls(match, begun) > 0 }
	}
	return ph.messageCondition()
}

func (ph *phrase) messageCondition() condition {
	name := ph.message()
	switch {
	case ph.accept("starts"):
		return func(p *player, _ time.Time) bool { return len(p.turnsOf(name)) > 0 }
	case ph.accept("ends"):
		return func(p *player, _ time.Time) bool {
			turns := p.turnsOf(name)
			return len(turns) > 0 && !turns[len(turns)-1].ended.IsZero()
		}
	case ph.accept("settles"):
		return func(p *player, _ time.Time) bool { return p.stateOf(name).state == "settled" }
	case ph.accept("is", "answered"):
		return func(p *player, _ time.Time) bool { return len(p.answersTo(name)) > 0 }
	case ph.accept("is", "stored"):
		return func(p *player, _ time.Time) bool { return p.stateOf(name).state != "unknown" }
	}
	ph.fail("expected starts, ends, settles, is answered or is stored after %s", name)
	return nil
}

// until waits for a condition; false when the limit passed first.
func (p *player) until(is condition, limit time.Duration) bool {
	begun := time.Now()
	deadline := time.NewTimer(limit)
	defer deadline.Stop()
	for {
		p.quiet()
		if is(p, begun) {
			return true
		}
		_, news := p.journal.now()
		look := time.NewTimer(97 * time.Millisecond) // what the simulator knows makes no entry
		select {
		case <-news:
		case <-look.C:
		case <-deadline.C:
			look.Stop()
			p.quiet()
			return is(p, begun)
		}
		look.Stop()
	}
}

var errNotRunning = errors.New("the process does not run")
