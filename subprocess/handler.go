package subprocess

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"gapless"
)

// Handler hands each delivery to a process of its own. It is safe for
// concurrent use.
type Handler struct {
	cfg Config
	env []string
}

// New gives a Handler, or everything that is wrong with its configuration.
// Whether the command exists is asked at each delivery, not here: a program
// that is being replaced must not stop the daemon.
func New(c Config) (*Handler, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	return &Handler{cfg: c, env: ourEnviron(c.Env)}, nil
}

// Handle runs the command for the delivery and reads its verdict, as the
// package comment has it. It returns after the whole process group has ended.
//
// A process that we asked to end has not finished, whatever its status: many
// programs exit 0 when they are told to stop.
func (h *Handler) Handle(ctx context.Context, d *gapless.Delivery) error {
	input, err := h.input(d, time.Now())
	if err != nil {
		return err
	}
	run, end := context.WithCancelCause(ctx)
	defer end(nil)
	timer := time.AfterFunc(h.cfg.TimeLimit, func() { end(errTimeLimit) })
	defer timer.Stop()

	out := &answer{limit: h.cfg.MaxOutput, overflow: func() { end(errTooMuch) }}
	said := &complaints{
		logger: h.cfg.Logger, attrs: attrs(d), limit: maxLogLines, alive: d.Progress,
	}
	p, err := start(run, h.cfg, describe(h.env, d, time.Now()), out, said)
	if err != nil {
		return h.unreached(ctx, err)
	}
	go feed(p.stdin, input)
	state := p.wait()
	said.end()
	if out.over {
		return fmt.Errorf("command printed more than %d bytes and was ended", h.cfg.MaxOutput)
	}
	if p.asked.Load() {
		return h.ended(context.Cause(run))
	}
	if err := verdict(state, said.first); err != nil {
		return err
	}
	h.reply(d, out)
	return nil
}

// input is what the process reads.
func (h *Handler) input(d *gapless.Delivery, now time.Time) ([]byte, error) {
	if h.cfg.Input == Text {
		return bareText(d), nil
	}
	b, err := json.Marshal(gapless.NewEnvelope(d, now))
	if err != nil {
		return nil, fmt.Errorf("write delivery %s as JSON: %w", d.ID, err)
	}
	return append(b, '\n'), nil
}

// bareText is the text of the messages, each ended by a line's end.
func bareText(d *gapless.Delivery) []byte {
	var b bytes.Buffer
	for _, it := range d.Messages {
		b.WriteString(it.Message.Text)
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// feed writes all of the input. A process that does not read it is free to do
// so: the error is its own business.
func feed(stdin io.WriteCloser, input []byte) {
	_, _ = stdin.Write(input)
	_ = stdin.Close()
}

// unreached is the verdict on a process that did not start: no attempt, unless
// the turn was over before it could.
func (h *Handler) unreached(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("start command: %w", context.Cause(ctx))
	}
	return gapless.Unavailable(fmt.Errorf("start command: %w", err))
}

// ended is the verdict on a process that we ended.
func (h *Handler) ended(cause error) error {
	if errors.Is(cause, errTimeLimit) {
		return fmt.Errorf("command took longer than %s and was ended", h.cfg.TimeLimit)
	}
	return fmt.Errorf("command was ended: %w", cause)
}

func (h *Handler) reply(d *gapless.Delivery, out *answer) {
	text, repaired := out.text()
	if repaired {
		h.cfg.Logger.LogAttrs(context.Background(), slog.LevelWarn,
			"handler's answer is not UTF-8; the bytes in question were replaced", attrs(d)...)
	}
	d.Reply(text)
}

// attrs name a delivery in the log; never its text.
func attrs(d *gapless.Delivery) []slog.Attr {
	return []slog.Attr{
		slog.String("delivery", string(d.ID)),
		slog.String("channel", d.Place.ID.String()),
		slog.Int("attempt", d.Attempt),
	}
}
