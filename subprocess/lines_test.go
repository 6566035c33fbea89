//go:build unix

package subprocess_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gapless"
	"gapless/subprocess"
)

// log is a buffer that a handler's goroutines may write while a test reads.
type log struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// startLines runs a Lines until the test ends.
func startLines(t *testing.T, c subprocess.Config) (*subprocess.Lines, *log) {
	t.Helper()
	said := &log{}
	c.Logger = slog.New(slog.NewTextHandler(said, nil))
	l, err := subprocess.NewLines(c)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- l.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return l, said
}

// handled asks until the handler is there.
func handled(t *testing.T, l *subprocess.Lines, d *gapless.Delivery) string {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		got := outcome(l.Handle(t.Context(), d))
		if !strings.HasPrefix(got, "handler unavailable") || time.Now().After(deadline) {
			return got
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func TestLinesVerdicts(t *testing.T) {
	l, said := startLines(t, subprocess.Config{Command: child("lines")})
	for _, tt := range []struct {
		text, want string
		replies    []string
	}{
		{"say hi there", "done", []string{"hi there"}},
		{"retry", "retry after 2.5s", nil},
		{"again", "retry: command asks to try again: busy", nil},
		{"discard not for me", "discard: not for me", nil},
		{"discard", "discard: without a reason", nil},
		{"stale", "done", nil},
		{"chatter", "done", nil},
		{"last", "done", []string{"last words"}},
		{"crash", "retry: in the middle of the turn: command ended: exit status 3", nil},
		{"say again", "done", []string{"again"}},
		{"garble", "retry: command wrote a line that cannot be read", nil},
	} {
		d := delivery(tt.text)
		if got := handled(t, l, d); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s: outcome %q, want %q", tt.text, got, tt.want)
		}
		if got := d.Replies(); !slices.Equal(got, tt.replies) {
			t.Errorf("%s: replies %q, want %q", tt.text, got, tt.replies)
		}
	}
	for _, want := range []string{
		"answered a turn that is not running", "no JSON object", "unknown type", "handler process is down", "got deliver 1000000000000000001",
	} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("the log lacks %q", want)
		}
	}
	if strings.Contains(said.String(), "hi there") || strings.Contains(said.String(), "not for me") {
		t.Error("the log holds the text of a message")
	}
}

func TestLinesManyInFlight(t *testing.T) {
	l, _ := startLines(t, subprocess.Config{Command: child("lines")})
	handled(t, l, delivery("say up"))
	var all sync.WaitGroup
	for i := range 50 {
		d := delivery("hold answer " + string(rune('A'+i)))
		d.ID, d.Fence = gapless.DeliveryID(rune('A'+i)), gapless.Fence(i+1)
		all.Go(func() {
			if got := outcome(l.Handle(t.Context(), d)); got != "done" {
				t.Errorf("%s: outcome %q", d.ID, got)
			}
			if got := d.Replies(); !slices.Equal(got, []string{"answer " + string(d.ID)}) {
				t.Errorf("%s: replies %q", d.ID, got)
			}
		})
	}
	released := make(chan struct{})
	go func() { all.Wait(); close(released) }()
	for { // what was held after a release waits for the next
		if got := handled(t, l, delivery("release")); got != "done" {
			t.Fatal(got)
		}
		select {
		case <-released:
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// A turn may take longer than the limit as long as there is progress. The limit is long for the sake of busy machines.
func TestLinesProgress(t *testing.T) {
	t.Parallel()
	l, _ := startLines(t, subprocess.Config{Command: child("lines"), TimeLimit: 3 * time.Second})
	began := time.Now()
	if got := handled(t, l, delivery("work 3500ms")); got != "done" {
		t.Errorf("outcome %q, want done", got)
	}
	if took := time.Since(began); took < 3500*time.Millisecond {
		t.Errorf("it was done after %s, sooner than it can be", took)
	}
}

// Only a turn that hangs has to end within the limit here: on a busy machine others are asked again.
func TestLinesTimeLimit(t *testing.T) {
	l, said := startLines(t, subprocess.Config{Command: child("lines"), TimeLimit: 300 * time.Millisecond, Grace: 100 * time.Millisecond})
	until := func(text, want string) {
		t.Helper()
		got := handled(t, l, delivery(text))
		for end := time.Now().Add(patience); got != want && time.Now().Before(end); {
			got = handled(t, l, delivery(text))
		}
		if got != want {
			t.Errorf("%s: outcome %q, want %q", text, got, want)
		}
	}
	until("discard", "discard: without a reason") // it runs, and nothing it has written is still to come
	if got := outcome(l.Handle(t.Context(), delivery("hang"))); got != "retry: command took longer than 300ms" {
		t.Errorf("outcome %q, want a retry", got)
	}
	until("say hi", "done") // by a process that was started anew
	if !strings.Contains(said.String(), "silent for longer than the time limit") {
		t.Errorf("the log does not say why the process was ended:\n%s", said)
	}
}

func TestLinesLongLine(t *testing.T) {
	l, _ := startLines(t, subprocess.Config{Command: child("lines"), MaxOutput: 1000, Grace: 100 * time.Millisecond})
	want := "retry: in the middle of the turn: command was ended: it wrote a line of more than 1000 bytes"
	if got := handled(t, l, delivery("flood")); got != want {
		t.Errorf("outcome %q, want %q", got, want)
	}
}

func TestLinesCancel(t *testing.T) {
	l, said := startLines(t, subprocess.Config{Command: child("lines")})
	handled(t, l, delivery("say up"))
	ctx, stop := context.WithCancelCause(t.Context())
	go func() {
		for strings.Count(said.String(), "got deliver") < 2 && t.Context().Err() == nil {
			time.Sleep(5 * time.Millisecond)
		}
		stop(gapless.ErrStopped)
	}()
	d := delivery("hold on")
	if err := l.Handle(ctx, d); !errors.Is(err, gapless.ErrStopped) {
		t.Errorf("got %v, want %v", err, gapless.ErrStopped)
	}
	handled(t, l, delivery("release"))
	if got := d.Replies(); got != nil {
		t.Errorf("replies %q were added after the turn", got)
	}
	for deadline := time.Now().Add(patience); !strings.Contains(said.String(), "got cancel 1000000000000000001"); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) { // what it says about it comes on another pipe than its answers
			t.Fatal("the process was not told that its turn is over")
		}
	}
}

func TestLinesUnavailable(t *testing.T) {
	for _, tt := range []struct {
		name    string
		command []string
		want    string
	}{
		{"missing", []string{"/nowhere/to/be/found"}, "start command: "},
		{"ends at once", child("lines", "broken"), "command ended: exit status 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l, _ := startLines(t, subprocess.Config{Command: tt.command})
			for deadline := time.Now().Add(patience); ; {
				began := time.Now()
				got := outcome(l.Handle(t.Context(), delivery("say hi")))
				// On a busy machine the process may live for the half second after which a silent one counts as started.
				started := strings.HasPrefix(got, "retry: in the middle of the turn: command ended") && time.Since(began) > 400*time.Millisecond
				if !strings.HasPrefix(got, "handler unavailable: ") && !started {
					t.Fatalf("outcome %q, want unavailable", got)
				}
				if !started && strings.Contains(got, tt.want) {
					return
				}
				if time.Now().After(deadline) {
					t.Fatalf("outcome %q never says %q", got, tt.want)
				}
				time.Sleep(10 * time.Millisecond)
			}
		})
	}
}

func TestLinesEnd(t *testing.T) {
	l, err := subprocess.NewLines(subprocess.Config{Command: child("lines"), Grace: 100 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if got := outcome(l.Handle(t.Context(), delivery("say hi"))); !strings.HasPrefix(got, "handler unavailable: ") {
		t.Errorf("outcome %q before Run, want unavailable", got)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- l.Run(ctx) }()
	handled(t, l, delivery("say up"))
	hung := make(chan string, 1)
	go func() { hung <- outcome(l.Handle(t.Context(), delivery("hang"))) }()
	time.Sleep(50 * time.Millisecond) // either way the turn ends; a longer wait only makes it likelier to be handed over
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if got := <-hung; got == "done" {
		t.Error("a turn whose process was ended is done")
	}
	if got := outcome(l.Handle(t.Context(), delivery("say hi"))); got != "handler unavailable: stopped" {
		t.Errorf("outcome %q after Run", got)
	}
}
