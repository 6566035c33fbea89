package discord

import (
	"time"

	"gapless"
)

// State is what the gateway is doing.
type State string

// The states of a gateway.
const (
	StateConnecting  State = "connecting"  // opening a connection
	StateIdentifying State = "identifying" // beginning a session
	StateResuming    State = "resuming"    // going on with a session, what was missed being replayed
	StateReady       State = "ready"       // events are coming in
	StateWaiting     State = "waiting"     // before the next try; the reason says for what
	StateStopped     State = "stopped"     // Run is not running
)

// Status is how the gateway stands now. It follows the connection: there is no flag that could stay behind (C20).
type Status struct {
	State      State         `json:"state"`
	Reason     string        `json:"reason,omitempty"`
	Since      time.Time     `json:"since,omitzero"`       // of the state
	EventAt    time.Time     `json:"event_at,omitzero"`    // the last dispatch
	AckAt      time.Time     `json:"ack_at,omitzero"`      // the last acknowledged heartbeat
	Latency    time.Duration `json:"latency,omitempty"`    // of that heartbeat
	Seq        int64         `json:"seq"`                  // stored
	Queued     int           `json:"queued"`               // frames read and not stored yet
	Connects   int           `json:"connects"`             // connections opened since Run began
	Resumes    int           `json:"resumes"`              // of them, asked to resume
	Identifies int           `json:"identifies"`           // of them, began or tried to begin a session
	LastError  string        `json:"last_error,omitempty"` // why the last connection ended
}

// Status may be called at any time.
func (g *Gateway) Status() Status {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.status
	if g.intake != nil {
		s.Seq, s.Queued = g.intake.stored().Seq, len(g.intake.queue)
	}
	return s
}

// become enters a state and leaves a checkpoint of it, for readers of the ledger.
func (g *Gateway) become(state State, reason string) {
	changed := false
	g.count(func(s *Status) {
		changed = s.State != state
		if changed || s.Reason != reason {
			s.State, s.Reason, s.Since = state, reason, time.Now()
		}
	})
	if changed {
		g.log.Debug("gateway", "state", state, "reason", reason)
		g.intake.hint(func(s *gapless.Session) { s.State = string(state) })
	}
}

// count changes the status.
func (g *Gateway) count(change func(*Status)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	change(&g.status)
}

// heard notes a dispatch.
func (g *Gateway) heard(at time.Time) { g.count(func(s *Status) { s.EventAt = at }) }

// acknowledged notes an acknowledged heartbeat. While a session stands that is proof that nothing has been missed so
// far, and is stored now and then.
func (g *Gateway) acknowledged(p *pulse, standing bool) {
	at, latency := p.last()
	g.count(func(s *Status) { s.AckAt, s.Latency = at, latency })
	if standing && at.Sub(g.intake.stored().SeenAt) >= 30*time.Second {
		g.intake.hint(func(s *gapless.Session) {
			if at.After(s.SeenAt) {
				s.SeenAt = at
			}
		})
	}
}
