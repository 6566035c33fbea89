package subprocess

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"time"
)

// Input says what a process finds on its standard input.
type Input string

// The inputs.
const (
	JSON Input = "json" // the whole delivery, gapless.Envelope
	Text Input = "text" // the text of the messages, one after the other
)

// Config is what [New] and [NewLines] take. Zero values below Command mean
// their documented defaults.
type Config struct {
	Command   []string      // the program and its arguments; looked up in PATH, no shell
	Dir       string        // where it runs, default our own working directory
	Input     Input         // default JSON; Lines knows only JSON
	TimeLimit time.Duration // a turn that takes longer is ended and tried again, default 10 min
	Grace     time.Duration // between asking a process to end and killing it, default 5 s
	Env       []string      // names of variables of ours that the process may see, beyond the clean set
	MaxOutput int           // bytes of one answer, default 64 KiB: already some thirty messages
	Logger    *slog.Logger  // nil: silent
}

// withDefaults is the configuration with defaults filled in, or everything
// that is wrong with it.
func (c Config) withDefaults() (Config, error) {
	var errs []error
	if len(c.Command) == 0 || c.Command[0] == "" {
		errs = append(errs, errors.New("subprocess.Config.Command is required"))
	}
	c.Input = cmp.Or(c.Input, JSON)
	if c.Input != JSON && c.Input != Text {
		errs = append(errs, fmt.Errorf("subprocess.Config.Input is %q: it must be json or text", c.Input))
	}
	for _, name := range c.Env {
		if secret(name) {
			errs = append(errs, fmt.Errorf("subprocess.Config.Env names %s: the bot's token is not for the command", name))
		}
	}
	c.TimeLimit = cmp.Or(c.TimeLimit, 10*time.Minute)
	c.Grace = cmp.Or(c.Grace, 5*time.Second)
	c.MaxOutput = cmp.Or(c.MaxOutput, 64<<10)
	if c.TimeLimit < 0 || c.Grace < 0 || c.MaxOutput < 0 {
		errs = append(errs, errors.New("subprocess.Config: limits must not be negative"))
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c, errors.Join(errs...)
}
