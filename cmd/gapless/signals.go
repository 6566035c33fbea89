package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// errAsked is the cause with which a context ends when somebody asks us to stop.
var errAsked = errors.New("asked to stop")

// untilAsked gives a context that ends at the first SIGINT or SIGTERM. At the
// second, again is called; from then on the system's own way holds, so a third
// one ends the process. stop gives the signals back.
func untilAsked(ctx context.Context, again func()) (asked context.Context, stop func()) {
	asked, cancel := context.WithCancelCause(ctx)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	ended := make(chan struct{})
	go func() {
		for _, deed := range []func(){func() { cancel(errAsked) }, again} {
			select {
			case <-signals:
				deed()
			case <-ended:
				return
			}
		}
		signal.Stop(signals)
	}()
	return asked, func() {
		signal.Stop(signals)
		close(ended)
		cancel(nil)
	}
}
