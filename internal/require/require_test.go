package require_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"gapless/internal/require"
)

// ending is what a test ended with.
type ending struct {
	testing.TB
	failed, skipped bool
	reason          string
}

func (e *ending) Helper()      {}
func (e *ending) Name() string { return "TestOfSomebody" }
func (e *ending) Fatalf(format string, args ...any) {
	e.failed, e.reason = true, fmt.Sprintf(format, args...)
	runtime.Goexit()
}
func (e *ending) Skipf(format string, args ...any) {
	e.skipped, e.reason = true, fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// ask calls Tool as a test would and waits for the end of it.
func ask(t *testing.T, name string) (string, *ending) {
	t.Helper()
	e, path := &ending{TB: t}, ""
	done := make(chan struct{})
	go func() {
		defer close(done)
		path = require.Tool(e, name)
	}()
	<-done
	return path, e
}

// programs puts empty programs of these names into a directory that is the whole PATH.
func programs(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, n := range names {
		if err := os.WriteFile(filepath.Join(dir, n), []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
	return dir
}

func TestTool(t *testing.T) {
	for _, tt := range []struct {
		name, there, ask, env string
		want                  string
		failed, skipped       bool
	}{
		{name: "present", there: "frob", ask: "frob", want: "frob"},
		{name: "present under another name", there: "google-chrome", ask: "chromium", want: "google-chrome"},
		{name: "absent", there: "frob", ask: "grob", skipped: true},
		{name: "absent but required", there: "frob", ask: "grob", env: "all", failed: true},
		{name: "present and required", there: "frob", ask: "frob", env: "all", want: "frob"},
		{name: "a value other than all requires nothing", there: "frob", ask: "grob", env: "none", skipped: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := programs(t, tt.there)
			t.Setenv(require.Env, tt.env)
			t.Setenv(require.SkipsEnv, "")
			path, end := ask(t, tt.ask)
			if want := tt.want; want != "" && path != filepath.Join(dir, want) {
				t.Errorf("path is %q, want %s in %s", path, want, dir)
			}
			if end.failed != tt.failed || end.skipped != tt.skipped {
				t.Errorf("failed %v, skipped %v; want %v, %v", end.failed, end.skipped, tt.failed, tt.skipped)
			}
			if (tt.failed || tt.skipped) && !strings.Contains(end.reason, tt.ask) {
				t.Errorf("reason %q does not name the program", end.reason)
			}
		})
	}
}

func TestToolListsSkips(t *testing.T) {
	programs(t)
	list := filepath.Join(t.TempDir(), "skips")
	t.Setenv(require.Env, "")
	t.Setenv(require.SkipsEnv, list)
	for _, name := range []string{"grob", "node"} {
		if _, end := ask(t, name); !end.skipped {
			t.Fatalf("asking for %s did not skip", name)
		}
	}
	got, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	want := "skipped TestOfSomebody: grob is absent\nskipped TestOfSomebody: node is absent\n"
	if string(got) != want {
		t.Errorf("list of skips is %q, want %q", got, want)
	}
}
