package gapless_test

import (
	"strings"
	"testing"
	"time"

	"gapless"
)

// A limit below zero is refused with its name; it never quietly means "nothing" (C29).
func TestNegativeSettingsAreRefused(t *testing.T) {
	for name, set := range map[string]func(*gapless.Config){
		"Budget.Examined": func(c *gapless.Config) { c.Budget.Examined = -1 },
		"Budget.Window":   func(c *gapless.Config) { c.Budget.Window = -time.Hour },
		"Retry.Attempts":  func(c *gapless.Config) { c.Retry.Attempts = -3 },
		"Turns":           func(c *gapless.Config) { c.Turns = -16 },
		"Hold":            func(c *gapless.Config) { c.Hold = -1 },
	} {
		t.Run(name, func(t *testing.T) {
			var c gapless.Config
			set(&c)
			_, err := gapless.Open(t.Context(), c)
			if err == nil || !strings.Contains(err.Error(), "gapless.Config."+name+" is negative") {
				t.Fatalf("got %v, want it to name %s", err, name)
			}
		})
	}
}

// What is forgotten sooner than it can be read again could be handled twice (C80).
func TestRetentionBelowTheWindowIsRefused(t *testing.T) {
	_, err := gapless.Open(t.Context(), gapless.Config{Rows: time.Hour})
	if err == nil || !strings.Contains(err.Error(), "gapless.Config.Rows must be at least Budget.Window") {
		t.Fatalf("got %v", err)
	}
}
