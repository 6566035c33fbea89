package gapless

import "time"

// view is what turns need to know of coverage: a copy, so that they need not
// wait while a change is being stored.
type view struct {
	policy   Policy
	self     UserID
	shards   int       // how many the bot has, at least 1
	restored time.Time // when the ledger was last found restored; zero: never (R15)
}

// show takes a copy for those who may not wait. It is called with coverage held.
func (e *Engine) show() {
	v := &view{policy: e.rules.policy, self: e.marks.self().ID, shards: max(e.marks.sessions[0].Shards, 1)}
	for _, s := range e.marks.shards {
		if s.Restored.After(v.restored) {
			v.restored = s.Restored
		}
	}
	e.seen.Store(v)
}

// shown reports whether a stored change may have changed the view.
func (d *draft) shown() bool { return d.change.Session != nil || len(d.change.Shards) > 0 }
