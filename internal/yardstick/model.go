package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"gapless/discordsim"
)

// model plays the reference's rules in this process: it hears on a session
// that it resumes but does not keep over a restart; after READY it looks back
// once, within its caps; it believes in replies that refer to their message.
// The numbers are its defaults (S12 to S16, S25).
type model struct {
	w    *world
	rest restClient

	life  context.CancelFunc // ends the process, or nil
	ready atomic.Bool        // the look back after its first READY is over
	done  chan struct{}

	mu       sync.Mutex
	away     bool
	claimed  map[discordsim.ID]bool          // dies with the process (S35)
	answered map[discordsim.ID]bool          // the ledger (S22)
	cursors  map[discordsim.ID]discordsim.ID // the ledger (S20)
}

const (
	scanLimit     = 100 // messages looked at in a pass (S13)
	dispatchLimit = 10  // recovered messages handed over in a pass (S14)
	evidenceLimit = 25  // messages looked through for an answer (S25)
)

func newModel(w *world) *model {
	return &model{
		w: w, rest: restClient{base: w.api, token: w.token},
		answered: map[discordsim.ID]bool{}, cursors: map[discordsim.ID]discordsim.ID{},
	}
}

func (m *model) start() error {
	ctx, cancel := context.WithCancel(context.Background())
	m.life, m.done = cancel, make(chan struct{})
	m.claimed = map[discordsim.ID]bool{}
	m.ready.Store(false)
	go func() {
		defer close(m.done)
		listener{m}.run(ctx)
	}()
	return nil
}

func (m *model) settled() bool { return m.ready.Load() }

func (m *model) kill() { m.stop() }

func (m *model) stop() {
	if m.life != nil {
		m.life()
		<-m.done
		m.life = nil
	}
}

func (m *model) refuse(on bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.away = on
	return nil
}

// heard is a live message: claimed in the cache, then handed over (S34).
func (m *model) heard(ctx context.Context, msg message) {
	if !m.meant(msg) || !m.claim(msg.ID) {
		return
	}
	go m.handle(ctx, msg)
}

func (m *model) meant(msg message) bool {
	return msg.Author.ID != m.w.bot && strings.Contains(msg.Content, fmt.Sprintf("<@%v>", m.w.bot))
}

func (m *model) claim(id discordsim.ID) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.claimed[id] || m.answered[id] {
		return false
	}
	m.claimed[id] = true
	return true
}

// handle answers a message. What fails is not tried again before the next
// READY (S09); what hangs, hangs.
func (m *model) handle(ctx context.Context, msg message) {
	m.mu.Lock()
	away := m.away
	m.mu.Unlock()
	if strings.Contains(msg.Content, hangs) {
		<-ctx.Done()
		return
	}
	if away || m.rest.reply(ctx, msg) != nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.claimed, msg.ID)
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.answered[msg.ID] = true
	m.cursors[msg.Channel] = msg.ID // without comparing (S20)
}

// lookBack is the pass after READY (S01): of each channel the newest messages
// above its cursor and its archived threads, then round robin within the caps.
func (m *model) lookBack(ctx context.Context) {
	defer m.ready.Store(true)
	var lists [][]message
	channels := slices.Clone(m.w.channels)
	slices.SortFunc(channels, func(a, b discordsim.ID) int { return cmp.Compare(a.String(), b.String()) })
	for _, ch := range channels {
		m.mu.Lock()
		cursor := m.cursors[ch]
		m.mu.Unlock()
		cursor = max(cursor, discordsim.IDAt(time.Now().Add(-6*time.Hour)))
		page := m.rest.newest(ctx, ch, scanLimit)
		page = slices.DeleteFunc(page, func(x message) bool { return x.ID <= cursor })
		m.rest.archived(ctx, ch)
		lists = append(lists, page)
	}
	scanned, dispatched := 0, 0
	for i := 0; scanned < scanLimit && dispatched < dispatchLimit; i++ {
		any := false
		for _, list := range lists {
			if i >= len(list) || scanned >= scanLimit || dispatched >= dispatchLimit {
				continue
			}
			any = true
			scanned++
			if m.owed(ctx, list[i]) {
				dispatched++
				m.handle(ctx, list[i])
			}
		}
		if !any {
			return
		}
	}
}

// owed looks for evidence that a message was answered: in the ledger, then
// among the messages that follow it.
func (m *model) owed(ctx context.Context, msg message) bool {
	m.mu.Lock()
	known := m.answered[msg.ID] || m.claimed[msg.ID]
	m.mu.Unlock()
	if known || msg.Author.ID == m.w.bot {
		return false
	}
	for _, later := range m.rest.after(ctx, msg.Channel, msg.ID, evidenceLimit) {
		if later.Author.ID == m.w.bot && later.Reference.Message == msg.ID {
			return false
		}
	}
	return m.meant(msg)
}
