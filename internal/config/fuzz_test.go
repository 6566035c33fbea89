package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gapless/internal/config"
)

// Whatever is in a file, it is read or refused with a place in it, and no
// token in it is shown.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		whole, twoBots, botsExample, "a: &x [*x]\n", "? a\n: b\n", "<<: {a: b}\n", "discord: {missed_message_backfill: [a, {b: c}]}\n",
		"bots:\n  - name: |\n      x\n", "!!binary x: y\n", "policy: {users: [!!str 12345678901234567]}\n", "hold: !!int 5\n", "- - -\n", "\"\n", "a: *b\n",
		"recover: {places: {general: {a: b}}}\n", "bots: [{}]\n", "discord: &a {b: *a}\n", "\r0", "hold: 1s # MTIzNDU2Nzg5MDEyMzQ1Njc4.GabcdE.abcdefghijklmnopqrstuvwxyz0123456789\nx: 5\n",
	} {
		f.Add(text)
	}
	name := filepath.Join(f.TempDir(), "gapless.yaml")
	f.Fuzz(func(t *testing.T, text string) {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := config.Read(config.Sources{File: name, Env: env(map[string]string{"HOME": "/h"})})
		if (r == nil) == (err == nil) {
			t.Fatalf("report %v, error %v", r, err)
		}
		if err == nil {
			return
		}
		faults := config.Faults(err)
		if len(faults) == 0 {
			t.Fatalf("an error without faults: %v", err)
		}
		for _, fault := range faults {
			if fault.Line < 0 || fault.Line > strings.Count(text, "\n")+strings.Count(text, "\r")+1 {
				t.Errorf("line %d of %q: %v", fault.Line, text, fault)
			}
		}
	})
}
