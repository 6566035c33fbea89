package subprocess

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
)

// How much of a process's standard error is logged.
const (
	maxLogLine  = 500 // bytes of one line
	maxLogLines = 100 // lines of one turn; without a limit for Lines
)

// complaints passes the standard error of a process to the log, line by line.
type complaints struct {
	logger *slog.Logger
	attrs  []slog.Attr
	limit  int    // lines logged, 0 for no limit
	alive  func() // called at each line, may be nil

	line    []byte // the unfinished line, bounded
	first   string // the first line that is not blank
	lines   int
	dropped int
}

// Write never fails.
func (c *complaints) Write(p []byte) (int, error) {
	n := len(p)
	for {
		head, rest, ended := bytes.Cut(p, []byte{'\n'})
		if room := maxLogLine - len(c.line); room > 0 {
			c.line = append(c.line, head[:min(room, len(head))]...)
		}
		if !ended {
			return n, nil
		}
		c.flush()
		p = rest
	}
}

// end logs what came without a line's end, and how much was left out.
func (c *complaints) end() {
	if len(c.line) > 0 {
		c.flush()
	}
	if c.dropped > 0 {
		c.log(slog.LevelWarn, "handler's standard error was cut", slog.Int("lines_left_out", c.dropped))
	}
}

func (c *complaints) flush() {
	said := strings.TrimSpace(strings.ToValidUTF8(string(c.line), "\uFFFD"))
	c.line = c.line[:0]
	if c.alive != nil {
		c.alive()
	}
	if said == "" {
		return
	}
	if c.first == "" {
		c.first = said
	}
	if c.limit > 0 && c.lines >= c.limit {
		c.dropped++
		return
	}
	c.lines++
	c.log(slog.LevelInfo, "handler says", slog.String("stderr", said))
}

func (c *complaints) log(level slog.Level, msg string, more slog.Attr) {
	c.logger.LogAttrs(context.Background(), level, msg, append(c.attrs[:len(c.attrs):len(c.attrs)], more)...)
}
