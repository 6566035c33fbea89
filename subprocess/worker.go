package subprocess

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// startPatience is how long a silent process must live to count as started.
const startPatience = 500 * time.Millisecond

// worker is one process of a Lines, from its start to its end.
type worker struct {
	cfg  Config
	proc *process
	stop context.CancelCauseFunc

	ending <-chan struct{} // closed once stop was called
	queue  chan []byte     // lines on their way to the process; unbuffered, so taken means handed over
	ready  chan struct{}   // closed when the process counts as started
	dead   chan struct{}   // closed after the process has ended and all it wrote was read
	err    error           // why it ended; set before dead is closed

	mu    sync.Mutex // guards the rest; never held while waiting
	turns map[turnKey]*lineTurn
	heard time.Time // of the last line of any kind
	up    bool      // ready was closed
}

// newWorker starts the process and what serves it; all of it ends with the
// process.
func newWorker(c Config, env []string) (*worker, error) {
	ctx, stop := context.WithCancelCause(context.Background())
	w := &worker{
		cfg: c, stop: stop, ending: ctx.Done(), turns: map[turnKey]*lineTurn{},
		queue: make(chan []byte), ready: make(chan struct{}), dead: make(chan struct{}),
	}
	said := &complaints{logger: c.Logger}
	var err error
	if w.proc, err = start(ctx, c, env, &lineReader{limit: c.MaxOutput, line: w.line, overflow: w.overflow}, said); err != nil {
		stop(nil)
		return nil, err
	}
	go w.write()
	patience := time.AfterFunc(startPatience, w.started)
	go func() {
		state := w.proc.wait()
		patience.Stop()
		said.end()
		w.err = fmt.Errorf("command ended: %s", state)
		if cause := context.Cause(ctx); cause != nil {
			w.err = fmt.Errorf("command was ended: %w", cause)
		}
		close(w.dead)
		stop(nil)
	}()
	return w, nil
}

func (w *worker) pid() int { return w.proc.cmd.Process.Pid }

// write passes the queue on until the process ends.
func (w *worker) write() {
	for {
		select {
		case <-w.dead:
			return
		case line := <-w.queue:
			if line == nil {
				w.proc.stdin.Close()
				return
			}
			if _, err := w.proc.stdin.Write(line); err != nil {
				w.unread()
				return
			}
		}
	}
}

// unread deals with a process that no longer takes input: it is about to end,
// or it is made to.
func (w *worker) unread() {
	timer := time.NewTimer(w.cfg.Grace)
	defer timer.Stop()
	select {
	case <-w.dead:
	case <-timer.C:
		w.stop(errors.New("it closed its input"))
	}
}

// retire lets the process end by itself: the end of its input first, then a
// request, then force. It returns at once.
func (w *worker) retire() {
	go func() {
		timer := time.NewTimer(w.cfg.Grace)
		defer timer.Stop()
		queue := w.queue
		for {
			select {
			case <-w.dead:
				return
			case queue <- nil:
				queue = nil
			case <-timer.C:
				w.stop(errors.New("it did not end with its input"))
				return
			}
		}
	}()
}

// started notes that the process counts as started.
func (w *worker) started() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.up {
		w.up = true
		close(w.ready)
	}
}

func (w *worker) overflow() {
	w.stop(fmt.Errorf("it wrote a line of more than %d bytes", w.cfg.MaxOutput))
}
