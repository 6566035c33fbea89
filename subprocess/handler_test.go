//go:build unix

package subprocess_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gapless"
	"gapless/subprocess"
)

// outcome is a verdict in words.
func outcome(err error) string {
	switch {
	case err == nil:
		return "done"
	case strings.HasPrefix(err.Error(), "discard: "), strings.HasPrefix(err.Error(), "handler unavailable: "),
		strings.HasPrefix(err.Error(), "retry after "):
		return err.Error()
	}
	return "retry: " + err.Error()
}

func TestVerdicts(t *testing.T) {
	for _, tt := range []struct {
		name    string
		command []string
		want    string // a prefix
		replies []string
	}{
		{"done with an answer", child("deaf"), "done", []string{"done anyway"}},
		{"done in silence", child("exit", "0", ""), "done", []string{"half an answer"}},
		{"retry", child("exit", "75", "busy\nsecond line\n"), "retry: exit 75: busy", nil},
		{"discard with a reason", child("exit", "65", "\n  not for me \n"), "discard: not for me", nil},
		{"discard without", child("exit", "65", ""), "discard: exit 65", nil},
		{"any other status", child("exit", "3", ""), "retry: exit 3", nil},
		{"an exit of 1 with words and no line's end", child("exit", "1", "oops"), "retry: exit 1: oops", nil},
		{"died by a signal", child("die"), "retry: command died: signal: killed", nil},
		{"missing", []string{"/nowhere/to/be/found"}, "handler unavailable: start command: ", nil},
		{"missing in PATH", []string{"gapless-no-such-command"}, "handler unavailable: start command: ", nil},
		{"not executable", []string{"doc.go"}, "handler unavailable: start command: ", nil},
		{"a directory", []string{"/"}, "handler unavailable: start command: ", nil},
		{"too much output", child("print", "10000000"), "retry: command printed more than 65536 bytes and was ended", nil},
		{"as much output as allowed", child("print", "65000"), "done", []string{strings.Repeat("x", 65000)}},
		{"broken UTF-8", child("bytes"), "done", []string{"a\uFFFDb"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHandler(t, subprocess.Config{Command: tt.command})
			d := delivery("hello")
			if got := outcome(h.Handle(t.Context(), d)); !strings.HasPrefix(got, tt.want) {
				t.Errorf("outcome %q, want %q", got, tt.want)
			}
			if got := d.Replies(); !slices.Equal(got, tt.replies) {
				t.Errorf("replies %.100q, want %.100q", got, tt.replies)
			}
		})
	}
}

func TestSilence(t *testing.T) {
	d := delivery(" \n ")
	if err := newHandler(t, subprocess.Config{Command: child("echo"), Input: subprocess.Text}).Handle(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	if got := d.Replies(); got != nil {
		t.Errorf("replies %q to white space, want none", got)
	}
}

func TestInputJSON(t *testing.T) {
	d := delivery("hello", "world")
	if err := newHandler(t, subprocess.Config{Command: child("echo")}).Handle(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	var e gapless.Envelope
	if err := json.Unmarshal([]byte(d.Replies()[0]), &e); err != nil {
		t.Fatal(err)
	}
	if e.Delivery != d.ID || e.Fence != d.Fence || e.Attempt != 2 || len(e.Messages) != 2 || e.Messages[1].Text != "world" || e.LateBy < 3599 {
		t.Errorf("the command read %+v", e)
	}
}

func TestInputText(t *testing.T) {
	d := delivery("hello", "world")
	if err := newHandler(t, subprocess.Config{Command: child("echo"), Input: subprocess.Text}).Handle(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	if got := d.Replies(); !slices.Equal(got, []string{"hello\nworld"}) {
		t.Errorf("the command read %q", got)
	}
}

func TestLargeInputToADeafCommand(t *testing.T) {
	d := delivery(strings.Repeat("m", 1<<20))
	if err := newHandler(t, subprocess.Config{Command: child("deaf")}).Handle(t.Context(), d); err != nil {
		t.Fatal(err)
	}
}

func TestEnvironment(t *testing.T) {
	for _, name := range []string{"DISCORD_TOKEN", "DISCORD_TOKEN_FILE", "CREDENTIALS_DIRECTORY", "GAPLESS_TEST_HIDDEN", "GAPLESS_TEST_SHOWN"} {
		t.Setenv(name, "secret")
	}
	t.Setenv("LC_TIME", "C")
	d := delivery("hello")
	h := newHandler(t, subprocess.Config{Command: child("env"), Env: []string{"GAPLESS_TEST_SHOWN"}})
	if err := h.Handle(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	env := strings.Split(d.Replies()[0], "\n")
	for _, want := range []string{
		"PATH=" + os.Getenv("PATH"), "LC_TIME=C", "GAPLESS_TEST_SHOWN=secret", "GAPLESS_DELIVERY_ID=1000000000000000001",
		"GAPLESS_ATTEMPT=2", "GAPLESS_CHANNEL_ID=200000000000000002", "GAPLESS_GUILD_ID=300000000000000003", "GAPLESS_PARENT_ID=",
		"GAPLESS_MESSAGE_ID=" + d.First().ID.String(), "GAPLESS_AUTHOR_ID=400000000000000004", "GAPLESS_AUTHOR=ann",
		"GAPLESS_MESSAGES=1", "GAPLESS_RECOVERED=true",
	} {
		if !slices.Contains(env, want) {
			t.Errorf("the command's environment lacks %s", want)
		}
	}
	for _, entry := range env {
		if strings.HasSuffix(entry, "=secret") && entry != "GAPLESS_TEST_SHOWN=secret" {
			t.Errorf("the command sees %s", entry)
		}
	}
}

func TestConfigIsChecked(t *testing.T) {
	for _, tt := range []struct {
		name string
		cfg  subprocess.Config
		want string
	}{
		{"no command", subprocess.Config{}, "Command is required"},
		{"token asked for", subprocess.Config{Command: []string{"x"}, Env: []string{"DISCORD_TOKEN"}}, "not for the command"},
		{"unknown input", subprocess.Config{Command: []string{"x"}, Input: "xml"}, "must be json or text"},
		{"negative limit", subprocess.Config{Command: []string{"x"}, TimeLimit: -1}, "negative"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := subprocess.New(tt.cfg); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one about %q", err, tt.want)
			}
		})
	}
	if _, err := subprocess.NewLines(subprocess.Config{Command: []string{"x"}, Input: subprocess.Text}); err == nil {
		t.Error("lines of bare text were accepted")
	}
}

func TestTimeLimitEndsTheGroup(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	limit := time.Second
	for ; limit < 30*time.Second; limit *= 4 { // until a busy machine lets the grandchild start within it
		h := newHandler(t, subprocess.Config{Command: child("family", file), TimeLimit: limit, Grace: 100 * time.Millisecond})
		began := time.Now()
		if got, want := outcome(h.Handle(t.Context(), delivery("x"))), fmt.Sprintf("retry: command took longer than %s and was ended", limit); got != want {
			t.Errorf("outcome %q, want %q", got, want)
		}
		if took := time.Since(began) - limit; took > 30*time.Second {
			t.Errorf("ending the group took %s", took)
		}
		if b, _ := os.ReadFile(file); len(b) > 0 {
			break
		}
	}
	if outlives(t, file) {
		t.Error("a grandchild outlived the turn")
	}
}

func TestLeftoversEndWithTheirProcess(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	d := delivery("x")
	began := time.Now()
	if err := newHandler(t, subprocess.Config{Command: child("leaver", file)}).Handle(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	if got := d.Replies(); !slices.Equal(got, []string{"answer"}) {
		t.Errorf("replies %q", got)
	}
	if took := time.Since(began); took > 50*time.Second { // it runs for a minute
		t.Errorf("the answer waited %s for a process in the background", took)
	}
	if outlives(t, file) {
		t.Error("a process in the background outlived the turn")
	}
}

func TestStopIsNotDone(t *testing.T) {
	file := filepath.Join(t.TempDir(), "up")
	ctx, stop := context.WithCancelCause(t.Context())
	go func() {
		for {
			if _, err := os.Stat(file); err == nil {
				stop(gapless.ErrStopped)
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	d := delivery("x")
	err := newHandler(t, subprocess.Config{Command: child("polite", file)}).Handle(ctx, d)
	if !errors.Is(err, gapless.ErrStopped) {
		t.Errorf("a command that ended with 0 because it was told to gave %v, want %v", err, gapless.ErrStopped)
	}
	if got := d.Replies(); got != nil {
		t.Errorf("replies %q of an unfinished turn", got)
	}
}

func TestStoppedBeforeTheStart(t *testing.T) {
	ctx, stop := context.WithCancelCause(t.Context())
	stop(gapless.ErrStopped)
	if err := newHandler(t, subprocess.Config{Command: child("deaf")}).Handle(ctx, delivery("x")); !errors.Is(err, gapless.ErrStopped) {
		t.Errorf("got %v, want %v", err, gapless.ErrStopped)
	}
}

func TestStandardErrorIsBounded(t *testing.T) {
	var log bytes.Buffer
	h := newHandler(t, subprocess.Config{Command: child("complain", "150"), Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err := h.Handle(t.Context(), delivery("secret words")); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(log.String(), "handler says"); got != 100 {
		t.Errorf("%d lines were logged, want 100", got)
	}
	if !strings.Contains(log.String(), "lines_left_out=50") || !strings.Contains(log.String(), "delivery=1000000000000000001") {
		t.Errorf("the log does not say what was cut and of whom:\n%.400s", log.String())
	}
	for line := range strings.Lines(log.String()) {
		if len(line) > 800 {
			t.Errorf("a line of %d bytes was logged", len(line))
		}
	}
	if strings.Contains(log.String(), "secret words") {
		t.Error("the log holds the text of a message")
	}
}
