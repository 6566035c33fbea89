package scenario

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
)

// logbook keeps what the processes log, as they would write it.
type logbook struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// Write takes one line of log.
func (b *logbook) Write(line []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(line)
}

// lines is the log so far.
func (b *logbook) lines() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Split(strings.TrimRight(b.buf.String(), "\n"), "\n")
}

// logger is one for a process: every level, every attribute.
func (b *logbook) logger(process string) *slog.Logger {
	return slog.New(slog.NewJSONHandler(b, &slog.HandlerOptions{Level: slog.LevelDebug})).With("process", process)
}
