package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// demoCommand breaks a real daemon on a simulated Discord and counts.
type demoCommand struct {
	JSON bool   `help:"Print one JSON object at the end; what happens goes to standard error." name:"json"`
	Seed uint64 `help:"Decides who says what where." default:"1"`
	Keep bool   `help:"Leave simulator and daemon running at the end, until interrupted."`
}

// errDemo is a demonstration that did not hold.
var errDemo = errors.New("the promise was not kept")

// Run plays every incident and fails if anything was lost, answered twice or
// answered out of order.
func (c *demoCommand) Run(ctx context.Context, sys *system) error {
	ctx, stop := untilAsked(ctx, func() {})
	defer stop()
	dir, err := os.MkdirTemp("", "gapless-demo-")
	if err != nil {
		return failure(exitData, fmt.Errorf("make a directory for the demonstration: %w", err))
	}
	show := newShow(sys, c.JSON)
	s, err := newStage(dir, c.Seed, show)
	if err != nil {
		return err
	}
	report, err := s.perform(ctx)
	if err == nil {
		err = c.print(sys.out, report)
	}
	if err == nil && !report.kept() {
		err = failure(exitDemo, fmt.Errorf("%w; the daemon's log is %s", errDemo, s.daemon.logFile()))
	}
	if c.Keep && err == nil {
		s.explain(sys.err)
		<-ctx.Done()
	}
	s.close()
	if err == nil || errors.Is(err, errAsked) {
		_ = os.RemoveAll(dir)
	}
	return err
}

func (c *demoCommand) print(out io.Writer, r demoReport) error {
	if c.JSON {
		return json.NewEncoder(out).Encode(r)
	}
	return r.table(out)
}

// perform starts everything, plays the incidents one after the other, waits
// for the last answer and counts.
func (s *stage) perform(ctx context.Context) (demoReport, error) {
	began := time.Now()
	s.show.say("a simulated Discord on %s, %d channels and threads, %d people; rate limits are Discord's own",
		s.world.API, len(s.places)+1, len(s.people))
	if err := s.daemon.start(); err != nil {
		return demoReport{}, err
	}
	if err := s.until(ctx, 15*time.Second, "the daemon to connect", s.connected); err != nil {
		return demoReport{}, err
	}
	s.talk(ctx)
	defer s.silence()
	for i, a := range acts {
		s.show.step(i, len(acts), strings.Join(a.incidents, ", "))
		if err := s.play(ctx, a); err != nil {
			return demoReport{}, err
		}
	}
	s.show.step(len(acts), len(acts), "waiting for the last answers")
	err := s.until(ctx, 20*time.Second, "the last answers", func() bool { return s.count().unanswered == 0 })
	if ctx.Err() != nil {
		return demoReport{}, err
	}
	time.Sleep(500 * time.Millisecond) // for an answer too many, if there is one
	s.show.end()
	return s.report(time.Since(began)), nil
}
