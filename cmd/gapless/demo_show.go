package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
)

// show tells what happens while it happens: a line per event, and on a
// terminal a bar below them.
type show struct {
	out   io.Writer
	began time.Time

	mu  sync.Mutex
	bar *progressbar.ProgressBar // nil without a terminal
}

func newShow(sys *system, quiet bool) *show {
	s := &show{out: sys.out, began: time.Now()}
	if quiet {
		s.out = sys.err
	}
	if sys.terminal(s.out) {
		s.bar = progressbar.NewOptions(1, progressbar.OptionSetWriter(s.out), progressbar.OptionClearOnFinish(),
			progressbar.OptionSetWidth(24), progressbar.OptionSetPredictTime(false))
	}
	return s
}

// say prints a line with the seconds since the beginning.
func (s *show) say(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bar != nil {
		_ = s.bar.Clear()
	}
	fmt.Fprintf(s.out, "%5.1fs  %s\n", time.Since(s.began).Seconds(), fmt.Sprintf(format, args...))
	if s.bar != nil {
		_ = s.bar.RenderBlank()
	}
}

// step moves the bar.
func (s *show) step(done, of int, doing string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bar == nil {
		return
	}
	s.bar.ChangeMax(of)
	s.bar.Describe(doing)
	_ = s.bar.Set(done)
}

// end takes the bar away.
func (s *show) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bar != nil {
		_ = s.bar.Clear()
		s.bar = nil
	}
}
