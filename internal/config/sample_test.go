package config_test

import (
	"reflect"
	"strings"
	"testing"

	"gapless/internal/config"
)

// The file to begin with says what would hold without it, but for the command;
// each of its comments can be taken away.
func TestSample(t *testing.T) {
	want, err := load(t, "handler: {exec: [./bot.sh]}\n")
	if err != nil {
		t.Fatal(err)
	}
	got, err := load(t, config.Sample())
	if err != nil {
		t.Fatal(err)
	}
	got.File, want.File = "", ""
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	lines, found := strings.Split(config.Sample(), "\n"), 1
	for i, line := range lines {
		bare, commented := strings.CutPrefix(strings.TrimSpace(line), "#")
		if !commented || strings.HasPrefix(bare, " ") {
			continue
		}
		found++
		open := append([]string{}, lines...)
		open[i] = strings.Replace(line, "#", "", 1)
		if _, err := load(t, strings.Join(open, "\n")); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
	if found != len(config.Keys()) {
		t.Errorf("%d keys of %d are in it", found, len(config.Keys()))
	}
	if wrong := checked(t, config.Sample()); len(wrong) > 0 {
		t.Errorf("the schema does not take it: %q", wrong)
	}
}
