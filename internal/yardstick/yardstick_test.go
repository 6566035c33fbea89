package main

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "bot" {
		bot() // the daemon starts this program as its bot
		return
	}
	os.Exit(m.Run())
}

// The daemon loses nothing where the reference's rules lose most, and asks no
// more than it must; the report has the form that is documented.
func TestRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("starts daemons and simulators as processes: not in short mode")
	}
	dir := t.TempDir()
	binary, err := build(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	chosen := slices.DeleteFunc(slices.Clone(runs), func(r run) bool {
		return r.name != "outage with expired session" && r.name != "nothing missed"
	})
	r, err := play(t.Context(), chosen, binary, dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, got := range r.Runs {
		if got.Lost != 0 || got.Duplicates != 0 || got.Delivered == 0 {
			t.Errorf("gapless, %s: %+v", got.Name, got)
		}
		// An end younger than ten seconds is read once more, and an own answer that the cut swallowed costs a call.
		if got.Calls < got.LowerBound || got.Calls > 2*got.LowerBound+2 {
			t.Errorf("gapless, %s: %d calls, the bound is %d", got.Name, got.Calls, got.LowerBound)
		}
	}
	if r.Reference[0].Lost == 0 {
		t.Errorf("the model of the reference loses nothing after an outage: %+v", r.Reference[0])
	}
	if got := r.Reference[1].Calls; got != 40 { // two a channel, as measured on the reference
		t.Errorf("the model asks %d times where nothing was missed, want 40", got)
	}
	var out bytes.Buffer
	if err := r.print(&out, true); err != nil {
		t.Fatal(err)
	}
	var form struct {
		Runs []map[string]any `json:"runs"`
	}
	if err := json.Unmarshal(out.Bytes(), &form); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"name", "delivered", "duplicates", "lost", "rest_calls", "lower_bound", "seconds"} {
		if _, ok := form.Runs[0][key]; !ok {
			t.Errorf("the JSON lacks %s: %s", key, out.String())
		}
	}
	out.Reset()
	if err := r.print(&out, false); err != nil || !strings.Contains(out.String(), "Scale:") {
		t.Errorf("the table does not print its scale: %v", err)
	}
}

// A run that does not exist is an error that names those that do.
func TestUnknownRun(t *testing.T) {
	err := measure(t.Context(), []string{"-run", "a walk"})
	if err == nil || !strings.Contains(err.Error(), "nothing missed") {
		t.Errorf("got %v", err)
	}
}
