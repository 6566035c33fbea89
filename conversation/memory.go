package conversation

import (
	"maps"
	"slices"
	"sync"

	"gapless"
)

// The bounds of what is remembered: more is fetched when it is needed.
const (
	maxContext = 100  // messages of a place
	maxPlaces  = 200  // places
	maxBytes   = 8192 // of one message, its payload included; a longer one is kept without it
)

// memory is what was said lately.
type memory struct {
	mu     sync.Mutex // guards the rest
	places map[gapless.ChannelID]*recent
	clock  uint64 // counts uses
}

// recent is what was said lately in a place, oldest first.
type recent struct {
	messages []gapless.Message
	whole    bool // nothing above the first one is missing and nothing below it is wanted
	used     uint64
}

func newMemory() *memory { return &memory{places: map[gapless.ChannelID]*recent{}} }

// forget leaves nothing: something may have been missed.
func (m *memory) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.places)
}

// add takes a message over, or its newer text.
func (m *memory) add(msg gapless.Message) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p := m.at(msg.Place)
	p.put(msg)
}

// change is the newer text of a message that is remembered.
func (m *memory) change(msg gapless.Message) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, known := m.places[msg.Place]
	if !known {
		return
	}
	if i, found := p.find(msg.ID); found {
		p.messages[i] = light(msg)
	}
}

// remove takes messages out.
func (m *memory) remove(place gapless.ChannelID, ids []gapless.MessageID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if p, known := m.places[place]; known {
		p.messages = slices.DeleteFunc(p.messages, func(o gapless.Message) bool { return slices.Contains(ids, o.ID) })
	}
}

// fill takes over what was fetched below an id. If the message of that id was
// heard, the place is whole from then on; otherwise something may lie between
// what was fetched and what was heard, and nothing is kept.
func (m *memory) fill(place gapless.ChannelID, id gapless.MessageID, messages []gapless.Message) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, known := m.places[place]
	if !known {
		return
	}
	if _, heard := p.find(id); !heard {
		return
	}
	p.whole = true
	for _, msg := range messages {
		p.put(msg)
	}
}

// below is what is remembered before an id, oldest first, and whether that is
// all that is wanted.
func (m *memory) below(place gapless.ChannelID, id gapless.MessageID, want int) (out []gapless.Message, enough bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, known := m.places[place]
	if !known {
		return nil, false
	}
	m.clock++
	p.used = m.clock
	i, _ := p.find(id)
	out = slices.Clone(p.messages[max(i-want, 0):i])
	return out, p.whole || len(out) >= want
}

// at is the place's memory; the one that was not used for longest goes for it.
func (m *memory) at(place gapless.ChannelID) *recent {
	m.clock++
	p, known := m.places[place]
	if !known {
		if len(m.places) >= maxPlaces {
			oldest := slices.MinFunc(slices.Collect(maps.Keys(m.places)), func(a, b gapless.ChannelID) int {
				return int(int64(m.places[a].used) - int64(m.places[b].used))
			})
			delete(m.places, oldest)
		}
		p = &recent{}
		m.places[place] = p
	}
	p.used = m.clock
	return p
}

func (p *recent) find(id gapless.MessageID) (int, bool) {
	return slices.BinarySearchFunc(p.messages, id, func(m gapless.Message, id gapless.MessageID) int {
		switch {
		case m.ID < id:
			return -1
		case m.ID > id:
			return 1
		}
		return 0
	})
}

// put keeps a message in its order; the oldest goes for it.
func (p *recent) put(msg gapless.Message) {
	i, found := p.find(msg.ID)
	if found {
		p.messages[i] = light(msg)
		return
	}
	p.messages = slices.Insert(p.messages, i, light(msg))
	if over := len(p.messages) - maxContext; over > 0 {
		p.messages, p.whole = slices.Delete(p.messages, 0, over), false
	}
}

// light is the message without a payload that is too large to keep.
func light(msg gapless.Message) gapless.Message {
	if len(msg.Raw) > maxBytes {
		msg.Raw = nil
	}
	return msg
}
