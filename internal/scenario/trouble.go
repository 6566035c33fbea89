package scenario

import (
	"sync"
	"time"
)

// ledgerDeeds are the deeds of a ledger that a script can refuse or delay.
var ledgerDeeds = []string{"any", "append", "claim", "settle", "sent", "record", "load", "leases", "ready", "unsent", "prune"}

// troubles is what the script does to the ledger.
type troubles struct {
	mu   sync.Mutex
	list []*trouble
}

type trouble struct {
	deed  string // or any
	times int    // how often still; negative: until the time is over
	until time.Time
	hold  bool // deeds wait until then instead of being refused
	kill  moment
}

// moment is when the process is killed at a deed of its ledger.
type moment string

const (
	before moment = "before" // the deed has no effect
	after  moment = "after"  // the deed has its effect, and whoever asked for it never learns so
)

func (t *troubles) add(tr trouble) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.list = append(t.list, &tr)
}

// clear lifts everything.
func (t *troubles) clear() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.list = nil
}

// strike says what is to happen to a deed now.
func (t *troubles) strike(deed string) (hold time.Duration, refuse bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, tr := range t.list {
		if tr.kill != "" || tr.deed != deed && tr.deed != "any" || tr.times == 0 || !tr.until.IsZero() && !time.Now().Before(tr.until) {
			continue
		}
		if tr.hold {
			hold = max(hold, time.Until(tr.until))
			continue
		}
		tr.times--
		return hold, true
	}
	return hold, false
}

// deadly reports whether the process is to be killed at this moment of a deed.
func (t *troubles) deadly(deed string, m moment) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, tr := range t.list {
		if tr.kill != m || tr.deed != deed && tr.deed != "any" || tr.times == 0 {
			continue
		}
		if tr.times--; tr.times == 0 {
			return true
		}
	}
	return false
}
