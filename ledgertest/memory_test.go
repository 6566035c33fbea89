package ledgertest_test

import (
	"context"
	"errors"
	"testing"

	"gapless"
	"gapless/ledgertest"
)

func TestMemory(t *testing.T) { ledgertest.Suite(t, ledgertest.MemoryFixture()) }

func TestMemoryBefore(t *testing.T) {
	broken := errors.New("disk on fire")
	var deeds []string
	m := ledgertest.NewMemory()
	m.Before = func(_ context.Context, deed string) error {
		deeds = append(deeds, deed)
		if deed == "Append" {
			return broken
		}
		return nil
	}
	change := gapless.Change{Places: []gapless.PlaceChange{{ID: 1, Head: 2}}}
	if _, err := m.Append(t.Context(), change); !errors.Is(err, broken) {
		t.Errorf("append: got %v, want %v", err, broken)
	}
	got, err := m.Load(t.Context())
	if err != nil || len(got.Places) != 0 {
		t.Errorf("load: got %d places and %v, want none", len(got.Places), err)
	}
	if len(deeds) != 2 || deeds[0] != "Append" || deeds[1] != "Load" {
		t.Errorf("deeds asked about: %v", deeds)
	}
}

func TestMemoryReopenShutsOut(t *testing.T) {
	old := ledgertest.NewMemory()
	now := old.Reopen()
	if _, err := old.Ready(t.Context()); !errors.Is(err, gapless.ErrClosed) {
		t.Errorf("old owner: got %v, want ErrClosed", err)
	}
	if _, err := now.Ready(t.Context()); err != nil {
		t.Errorf("new owner: %v", err)
	}
}

func TestMemorySame(t *testing.T) { ledgertest.Same(t, ledgertest.MemoryFixture()) }
