package conversation

import (
	"testing"

	"gapless"
)

// What is remembered is bounded by place and over all; what was used last stays.
func TestMemoryIsBounded(t *testing.T) {
	m := newMemory()
	for i := range 3 * maxContext {
		m.add(gapless.Message{ID: gapless.MessageID(i + 1), Place: 1, Raw: make([]byte, maxBytes+1)})
	}
	said, enough := m.below(1, 3*maxContext+1, maxContext)
	if len(said) != maxContext || !enough || said[0].ID != 2*maxContext+1 || said[0].Raw != nil {
		t.Errorf("remembers %d from %d, enough: %t", len(said), said[0].ID, enough)
	}
	for i := range 2 * maxPlaces {
		m.add(gapless.Message{ID: 5, Place: gapless.ChannelID(i + 2)})
		m.below(1, 1, 1) // in use
	}
	if _, kept := m.places[1]; len(m.places) != maxPlaces || !kept {
		t.Errorf("%d places, the one in use among them: %t", len(m.places), kept)
	}
}

// A place that was filled and has since lost its oldest is whole no more, and
// nothing is kept that may have a hole above it.
func TestMemoryKnowsWhatItLacks(t *testing.T) {
	m := newMemory()
	m.add(gapless.Message{ID: 1000, Place: 1})
	m.fill(1, 500, []gapless.Message{{ID: 499, Place: 1}})
	if said, enough := m.below(1, 1000, 10); len(said) != 0 || enough {
		t.Errorf("kept %d below a hole, enough: %t", len(said), enough)
	}
	m.fill(1, 1000, []gapless.Message{{ID: 999, Place: 1}})
	if said, enough := m.below(1, 1000, 10); len(said) != 1 || !enough {
		t.Errorf("kept %d, enough: %t", len(said), enough)
	}
	for i := range maxContext {
		m.add(gapless.Message{ID: gapless.MessageID(2000 + i), Place: 1})
	}
	if _, enough := m.below(1, 2001, 10); enough {
		t.Error("what was dropped is not missed")
	}
}
