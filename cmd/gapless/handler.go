package main

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"gapless"
	"gapless/internal/config"
	"gapless/subprocess"
)

// handler handles deliveries, and has something that must be kept running for
// it until ctx ends.
type handler interface {
	gapless.Handler
	keep(ctx context.Context)
}

// newHandler makes the handler that is configured.
func newHandler(c config.Handler, log *slog.Logger) (handler, error) {
	if len(c.Exec) == 0 {
		return nil, errors.New(`no command handles the messages: give it with --exec ./bot.sh, or as handler.exec in gapless.yaml`)
	}
	s := subprocess.Config{Command: c.Exec, TimeLimit: c.TimeLimit, Logger: log}
	if c.Mode == "lines" {
		l, err := subprocess.NewLines(s)
		return lines{l}, err
	}
	s.Input = subprocess.Input(c.Input)
	h, err := subprocess.New(s)
	return processes{h, &sync.WaitGroup{}}, err
}

// processes starts a process per delivery.
type processes struct {
	*subprocess.Handler
	running *sync.WaitGroup
}

// Handle runs the turn's process.
func (p processes) Handle(ctx context.Context, d *gapless.Delivery) error {
	p.running.Add(1)
	defer p.running.Done()
	return p.Handler.Handle(ctx, d)
}

// keep returns once every process has ended: the engine does not wait for them
// when it stops at once.
func (p processes) keep(ctx context.Context) {
	<-ctx.Done()
	p.running.Wait()
}

// lines talks to one process.
type lines struct{ *subprocess.Lines }

func (l lines) keep(ctx context.Context) { _ = l.Run(ctx) } // it only returns when ctx has ended
