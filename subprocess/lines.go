package subprocess

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"gapless"
)

// The waits between restarts of a process: doubling, and from the beginning
// again after one that lived for a while.
const (
	restartBase    = 500 * time.Millisecond
	restartCeiling = 30 * time.Second
	livedWell      = time.Minute
)

// Lines hands all deliveries to one long-lived process. [Lines.Run] keeps the
// process; without it every delivery finds the handler unavailable. It is safe
// for concurrent use.
type Lines struct {
	cfg   Config
	env   []string
	began chan struct{} // closed once Run has tried to start the process

	mu      sync.Mutex // guards the rest; never held while waiting
	current *worker    // the running process, or nil
	down    error      // why there is none
}

// NewLines gives a Lines, or everything that is wrong with its configuration.
// It starts nothing.
func NewLines(c Config) (*Lines, error) {
	if c.Input == Text {
		return nil, errors.New("subprocess.NewLines: a process that takes many deliveries needs JSON, not bare text")
	}
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	return &Lines{
		cfg: c, env: ourEnviron(c.Env), began: make(chan struct{}), down: errors.New("the command has not been started yet"),
	}, nil
}

// Run starts the process and starts it again whenever it ends, with back-off,
// until ctx ends. Then it closes the process's standard input, asks it to end
// once the grace is over and kills it after another; it returns when nothing
// of it is left. End ctx only after the engine has stopped.
func (l *Lines) Run(ctx context.Context) error {
	wait, began := restartBase, sync.OnceFunc(func() { close(l.began) })
	for ctx.Err() == nil {
		at := time.Now()
		err := l.runOnce(ctx, began)
		if ctx.Err() != nil {
			break
		}
		if time.Since(at) > livedWell {
			wait = restartBase
		}
		l.cfg.Logger.LogAttrs(ctx, slog.LevelWarn, "handler process is down",
			slog.String("error", err.Error()), slog.Duration("restart_in", wait))
		if !sleep(ctx, wait) {
			break
		}
		wait = min(wait*2, restartCeiling)
	}
	l.set(nil, errors.New("stopped"))
	began()
	return nil
}

// runOnce keeps one process from its start to its end, and says why it ended.
// began is called once it is known whether it starts.
func (l *Lines) runOnce(ctx context.Context, began func()) error {
	defer began()
	w, err := newWorker(l.cfg, l.env)
	if err != nil {
		err = fmt.Errorf("start command: %w", err)
		l.set(nil, err)
		return err
	}
	l.set(w, nil)
	began()
	l.cfg.Logger.LogAttrs(ctx, slog.LevelInfo, "handler process started", slog.Int("pid", w.pid()))
	defer context.AfterFunc(ctx, w.retire)()
	<-w.dead
	l.set(nil, w.err)
	return w.err
}

func (l *Lines) set(w *worker, down error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.current, l.down = w, down
}

func (l *Lines) get() (*worker, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.current, l.down
}

// Handle hands the delivery to the process and waits for its verdict. The time
// limit counts from the last reply or progress of the turn; when it passes and
// the process has not written anything at all in that time, the process is
// taken for hung and started anew.
//
// A delivery that comes before Run has started the process waits a moment.
func (l *Lines) Handle(ctx context.Context, d *gapless.Delivery) error {
	select {
	case <-l.began:
	case <-time.After(startPatience):
	case <-ctx.Done():
	}
	w, down := l.get()
	if w == nil {
		return gapless.Unavailable(down)
	}
	return w.handle(ctx, d)
}

// sleep waits, and reports false if ctx ended first.
func sleep(ctx context.Context, wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
