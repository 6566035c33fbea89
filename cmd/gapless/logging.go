package main

import (
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/lmittmann/tint"
	"golang.org/x/term"

	"gapless/internal/config"
)

// newLogger writes to w: readable on a terminal, JSON elsewhere, unless the
// format is configured.
func newLogger(w io.Writer, terminal bool, c config.Log) *slog.Logger {
	if c.Format == "json" || (c.Format == "auto" && !terminal) {
		return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: c.Level, ReplaceAttr: spell}))
	}
	return slog.New(tint.NewTextHandler(w, &tint.Options{Level: c.Level, TimeFormat: time.TimeOnly, NoColor: !terminal}))
}

// spell writes durations as people do; JSON would have them in nanoseconds.
func spell(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() == slog.KindDuration {
		a.Value = slog.StringValue(a.Value.Duration().String())
	}
	return a
}

// isTerminal reports whether somebody watches what is written to w.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
