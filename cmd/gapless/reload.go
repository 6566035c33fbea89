package main

import (
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"gapless/internal/config"
)

// reloadWhenAsked reads the configuration again at each SIGHUP, until stop.
func (f *fleet) reloadWhenAsked() (stop func()) {
	asked, ended, gone := make(chan os.Signal, 1), make(chan struct{}), make(chan struct{})
	signal.Notify(asked, syscall.SIGHUP)
	go func() {
		defer close(gone)
		for {
			select {
			case <-asked:
				f.reload()
			case <-ended:
				return
			}
		}
	}()
	return func() {
		signal.Stop(asked)
		close(ended)
		<-gone
	}
}

// reload takes over what may change while the bots run, and says what may not.
// A configuration with mistakes changes nothing.
func (f *fleet) reload() {
	report, err := config.Read(f.sources)
	if err != nil {
		f.log.Error("the configuration has mistakes; everything stays as it was", "error", err)
		return
	}
	if !slices.Equal(names(report), names(f.report)) {
		f.log.Warn("the list of bots has changed, which needs a restart; everything stays as it was", "before", names(f.report), "now", names(report))
		return
	}
	for i, d := range f.bots {
		f.adjust(d, &f.report.Bots[i].Config, report.Bots[i].Config)
	}
}

// names are the bots of a configuration.
func names(r *config.Report) (all []string) {
	for _, b := range r.Bots {
		all = append(all, b.Config.Name)
	}
	return all
}

// adjust brings one bot to its new configuration, as far as that is safe.
func (f *fleet) adjust(d *daemon, now *config.Config, next config.Config) {
	live, restart := config.Changed(*now, next)
	engine := d.engine.Load()
	if engine == nil { // it is not open yet, or never will be
		live, restart = nil, append(live, restart...)
	}
	if len(live) > 0 {
		engine.SetPolicy(next.Policy)
		now.Policy = next.Policy
		d.log.Info("configuration changed", "keys", strings.Join(live, ", "))
	}
	if len(restart) > 0 {
		d.log.Warn("changed in the configuration, but in force only after a restart", "keys", strings.Join(restart, ", "))
	}
	if len(live)+len(restart) == 0 {
		d.log.Info("configuration read again; nothing has changed")
	}
}
