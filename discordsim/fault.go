package discordsim

import (
	"fmt"
	"slices"
	"time"
)

// Fault is one way to misbehave, on what it matches, as often as it says.
type Fault struct {
	Kind  Kind  `json:"kind"`
	Match Match `json:"match"`

	// After lets that many matching things pass unharmed first.
	After int `json:"after"`
	// Count is how many matching things are hit. If zero, all until lifted.
	Count int `json:"count"`
	// Probability is the chance of each hit, drawn from Server.Seed. If zero, certain.
	Probability float64 `json:"probability"`
	// For lifts the fault by itself after that time. If zero, it stays.
	For time.Duration `json:"for"`

	// Status, Code and Body are what a REST fault answers: an HTTP status, Discord's error code, and a literal
	// body. Status is also what a gateway refuses an upgrade with. HTML makes the body a page.
	Status int    `json:"status"`
	Code   int    `json:"code"`
	Body   string `json:"body"`
	HTML   bool   `json:"html"`
	// Delay is the length of latencies, late things and staleness, and the wait a 429 asks for.
	Delay time.Duration `json:"delay"`
	// Jitter is added to Delay, up to its length, at random.
	Jitter time.Duration `json:"jitter"`
	// Scope of a 429: user (if empty), shared or global.
	Scope string `json:"scope"`
	// RetryAfter replaces the header of a 429: "-" leaves it out, anything else stands as it is ("1.5").
	RetryAfter string `json:"retry_after"`
	// CloseCode of a gateway close; zero sends a close frame without a code.
	CloseCode int `json:"close_code"`
	// Resumable is d of op 9.
	Resumable bool `json:"resumable"`
	// Field is the key to strip, or the name of the unknown event.
	Field string `json:"field"`
	// Keep lets a dropped dispatch be replayed after a resume.
	Keep bool `json:"keep"`
	// Size is the bytes of a huge frame.
	Size int `json:"size"`
	// Rate is the bytes a second of what trickles; below one counts as one.
	Rate int `json:"rate"`
	// Thread is the thread or channel a list leaves out.
	Thread ID `json:"thread"`
}

// Match narrows a fault down; empty fields match everything.
type Match struct {
	Bot     ID     `json:"bot"`
	Method  string `json:"method"`
	Route   string `json:"route"`   // template, such as "/channels/{channel}/messages"
	Channel ID     `json:"channel"` // the major parameter, or where the event belongs
	Guild   ID     `json:"guild"`
	Message ID     `json:"message"`
	Event   string `json:"event"` // dispatch type; also READY, RESUMED, GUILD_CREATE
}

func (m Match) covers(at Match) bool {
	return (m.Bot == 0 || m.Bot == at.Bot) && (m.Method == "" || m.Method == at.Method) &&
		(m.Route == "" || m.Route == at.Route) && (m.Channel == 0 || m.Channel == at.Channel) &&
		(m.Guild == 0 || m.Guild == at.Guild) && (m.Message == 0 || m.Message == at.Message) &&
		(m.Event == "" || m.Event == at.Event)
}

// FaultID names an injected fault.
type FaultID int

type plantedFault struct {
	Fault
	id     FaultID
	seen   int
	hits   int
	lifted chan struct{}
}

type faultBook struct {
	planted []*plantedFault
	last    FaultID
}

func newFaultBook() faultBook { return faultBook{} }

func (b *faultBook) liftAll() {
	for _, f := range b.planted {
		close(f.lifted)
	}
	b.planted = nil
}

// Inject plants a fault and returns its id. A kind that does not exist is an error.
func (s *Server) Inject(f Fault) (FaultID, error) {
	if !slices.Contains(Kinds(), f.Kind) {
		return 0, fmt.Errorf("inject fault: unknown kind %q", f.Kind)
	}
	s.lock()
	defer s.mu.Unlock()
	s.faults.last++
	id := s.faults.last
	s.faults.planted = append(s.faults.planted, &plantedFault{Fault: f, id: id, lifted: make(chan struct{})})
	if f.For > 0 {
		s.after(f.For, func() { s.lift(id) })
	}
	return id, nil
}

// Lift removes a fault; what hangs on it goes on. A fault that is gone is passed over.
func (s *Server) Lift(id FaultID) {
	s.lock()
	defer s.mu.Unlock()
	s.lift(id)
}

func (s *Server) lift(id FaultID) {
	s.faults.planted = slices.DeleteFunc(s.faults.planted, func(f *plantedFault) bool {
		if f.id == id {
			close(f.lifted)
		}
		return f.id == id
	})
}

// Planted is a fault at work.
type Planted struct {
	ID   FaultID `json:"id"`
	Seen int     `json:"seen"` // matching things so far
	Hits int     `json:"hits"` // of which it struck
	Fault
}

// Faults returns the faults that are not lifted, in the order they were injected.
func (s *Server) Faults() []Planted {
	s.lock()
	defer s.mu.Unlock()
	all := make([]Planted, len(s.faults.planted))
	for i, f := range s.faults.planted {
		all[i] = Planted{ID: f.id, Seen: f.seen, Hits: f.hits, Fault: f.Fault}
	}
	return all
}

// Hits is how often a fault has struck; zero for one that is lifted.
func (s *Server) Hits(id FaultID) int {
	s.lock()
	defer s.mu.Unlock()
	for _, f := range s.faults.planted {
		if f.id == id {
			return f.hits
		}
	}
	return 0
}

// strike asks whether a fault of a kind hits what is at hand, and counts the hit. The caller holds s.mu.
func (s *Server) strike(kind Kind, at Match) *plantedFault {
	for _, f := range s.faults.planted {
		if f.Kind != kind || !f.Match.covers(at) || (f.Count > 0 && f.hits >= f.Count) {
			continue
		}
		f.seen++
		if f.seen <= f.After || (f.Probability > 0 && s.rand.Float64() >= f.Probability) {
			continue
		}
		f.hits++
		return f
	}
	return nil
}

// pause is the delay of a fault with its jitter drawn.
func (s *Server) pause(f *plantedFault) time.Duration {
	if f.Jitter <= 0 {
		return f.Delay
	}
	return f.Delay + time.Duration(s.rand.Int64N(int64(f.Jitter)))
}
