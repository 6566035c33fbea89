package config_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gapless/internal/config"
)

// set reads a configuration in which one key has these values, given by a flag.
func set(t *testing.T, key config.Key, values ...string) (config.Config, error) {
	t.Helper()
	return config.Load(config.Sources{
		Env:   env(map[string]string{"HOME": "/h", "XDG_CONFIG_HOME": t.TempDir()}),
		Flags: []config.Setting{{Key: key.Name, Values: values, From: "--it"}},
	})
}

// written is a file that gives a key one value, quoted.
func written(key config.Key, value string) string {
	levels, text := strings.Split(key.Name, "."), ""
	for i, level := range levels {
		text += strings.Repeat("  ", i) + level + ":"
		if i < len(levels)-1 {
			text += "\n"
		}
	}
	if name, v, ok := strings.Cut(value, "="); ok && key.Named {
		return fmt.Sprintf("%s {'%s': '%s'}\n", text, name, v)
	}
	return fmt.Sprintf("%s '%s'\n", text, strings.ReplaceAll(value, "'", "''"))
}

func TestBadValuesOfEveryKey(t *testing.T) {
	for _, key := range config.Keys() {
		if len(key.Bad) == 0 || key.Accepts == "" {
			t.Errorf("%s has no bad values, or does not say what it accepts", key.Name)
		}
		for _, bad := range key.Bad {
			_, err := set(t, key, bad)
			faults := config.Faults(err)
			if len(faults) != 1 || faults[0].Key != key.Name || faults[0].Accepted != key.Accepts {
				t.Errorf("flag of %s with %q: %v", key.Name, bad, err)
			}
			if len(faults) == 1 && faults[0].Hint == "" {
				t.Errorf("%s with %q: nothing says what to do: %v", key.Name, bad, err)
			}
			if _, err := load(t, written(key, bad)); err == nil || !strings.Contains(err.Error(), ": "+key.Name) && bad != "" {
				t.Errorf("file with %q: %v", written(key, bad), err)
			}
		}
	}
}

func TestGoodValuesOfEveryKey(t *testing.T) {
	for _, key := range config.Keys() {
		if len(key.Good) == 0 {
			t.Errorf("%s has no good values", key.Name)
		}
		for _, good := range key.Good {
			if key.Name == "retry.ceiling" && good == "1ms" {
				continue // less than retry.base
			}
			c, err := set(t, key, good)
			if slices.Contains([]string{"retry.base 1d", "keep.settled 1h", "budget.window 29d"}, key.Name+" "+good) && err != nil {
				continue // at odds with another key's default
			}
			if err != nil {
				t.Errorf("%s with %q: %v", key.Name, good, err)
				continue
			}
			shown := key.Show(&c)
			again, err := set(t, key, shown...)
			if err != nil || !slices.Equal(key.Show(&again), shown) {
				t.Errorf("%s with %q is shown as %q, which gives %q (%v)", key.Name, good, shown, key.Show(&again), err)
			}
		}
	}
}

// What the table says the defaults are is what they are.
func TestDefaultsAreAsDocumented(t *testing.T) {
	c, err := config.Load(config.Sources{Env: env(map[string]string{"HOME": "/h", "XDG_CONFIG_HOME": t.TempDir()})})
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range config.Keys() {
		shown := strings.Join(key.Show(&c), ", ")
		switch {
		case key.Name == "data": // depends on the home directory
		case key.Name == "late.approval_words", key.Name == "late.denial_words": // too many to list
		case shown == "" && slices.Contains([]string{"", "none", "nobody", "all"}, key.Default):
		case shown != key.Default:
			t.Errorf("the default of %s is %q, and %q is documented", key.Name, shown, key.Default)
		}
	}
}

func TestLiveKeys(t *testing.T) {
	before, err := load(t, "policy: {everyone: true}\nhold: 1s\nlog: {level: info}\n")
	if err != nil {
		t.Fatal(err)
	}
	after, err := load(t, "policy: {bots: all}\nhold: 2s\nlog: {level: debug}\n")
	if err != nil {
		t.Fatal(err)
	}
	live, restart := config.Changed(before, after)
	if got := fmt.Sprint(live, restart); got != "[policy.everyone policy.bots] [hold log.level]" {
		t.Errorf("got %s", got)
	}
	if live, restart := config.Changed(before, before); live != nil || restart != nil {
		t.Errorf("nothing changed, got %v %v", live, restart)
	}
}
