package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"gapless/internal/config"
)

// fleet is the bots of one process. They share the process and its log, and
// nothing else: each has its own connection, policy, ledger and command.
type fleet struct {
	sys     *system
	sources config.Sources

	log    *slog.Logger
	report *config.Report // what is in force
	bots   []*daemon      // in the order of the report
}

// run keeps every bot running until the process is asked to stop. A bot that
// fails is reported and does not disturb the others; its error is the
// process's when all have ended.
func (f *fleet) run(ctx context.Context) error {
	if err := f.muster(); err != nil {
		return failure(exitUsage, err)
	}
	defer f.reloadWhenAsked()()
	if !f.report.Several() {
		return f.bots[0].run(ctx)
	}
	f.log.Info("several bots run in this process", "bots", len(f.bots))
	failed := make([]error, len(f.bots))
	var running sync.WaitGroup
	for i, d := range f.bots {
		running.Go(func() {
			if err := d.run(ctx); err != nil {
				failed[i] = fmt.Errorf("bot %s: %w", d.cfg.Name, err)
				d.log.Error("the bot has ended; the others go on", "error", err)
			}
		})
	}
	running.Wait()
	for _, err := range failed {
		if err != nil {
			return failure(statusOf(err), errors.Join(failed...))
		}
	}
	return nil
}

// muster reads the configuration and makes the bots.
func (f *fleet) muster() error {
	report, err := config.Read(f.sources)
	if err != nil {
		return err
	}
	f.report = report
	f.log = newLogger(f.sys.err, f.sys.terminal(f.sys.err), report.Common.Config.Log)
	if report.File != "" {
		f.log.Info("configuration read", "file", report.File)
	}
	f.tell()
	tokens, notes, err := config.FindTokens(f.sys.env, report)
	for _, note := range notes {
		f.log.Warn(note)
	}
	if err != nil {
		return err
	}
	for i, b := range report.Bots {
		log := f.log
		if report.Several() {
			log = log.With("bot", b.Config.Name)
			if _, err := newHandler(b.Config.Handler, log); err != nil {
				return fmt.Errorf("bot %s: %w", b.Config.Name, err)
			}
		}
		f.bots = append(f.bots, &daemon{cfg: b.Config, token: tokens[i].Token, log: log})
	}
	return nil
}

// tell logs what an operator should know of the configuration.
func (f *fleet) tell() {
	for _, n := range f.report.Notes {
		f.log.Warn("configuration: "+n.Text, "about", n.About)
	}
	for _, b := range f.report.Bots {
		for _, m := range b.Mapped {
			f.log.Info("a setting of the reference was taken over", "setting", m.From, "as", m.Key)
		}
		for _, n := range b.Notes {
			f.log.Warn("configuration: "+n.Text, "about", n.About)
		}
	}
}
