package subprocess

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"gapless"
)

// lineTurn is one delivery in the hands of a long-lived process.
type lineTurn struct {
	d       *gapless.Delivery
	verdict chan error    // takes one
	alive   chan struct{} // woken at each reply or progress
	ended   bool          // it has its verdict; guarded by the worker's lock
}

// handle is Lines.Handle on one process.
func (w *worker) handle(ctx context.Context, d *gapless.Delivery) error {
	select {
	case <-ctx.Done():
		return fmt.Errorf("wait for the command to start: %w", context.Cause(ctx))
	case <-w.dead:
		return gapless.Unavailable(w.err)
	case <-w.ready:
	}
	select {
	case <-w.ending:
		return gapless.Unavailable(errors.New("the command is being ended"))
	default:
	}
	line, err := encode(deliverLine{lineDeliver, gapless.NewEnvelope(d, time.Now())})
	if err != nil {
		return fmt.Errorf("write delivery %s as JSON: %w", d.ID, err)
	}
	key := turnKey{d.ID, d.Fence}
	t := w.enter(key, d)
	defer w.leave(key)
	select {
	case <-ctx.Done():
		return fmt.Errorf("hand delivery over: %w", context.Cause(ctx))
	case <-w.dead:
		return gapless.Unavailable(w.err)
	case <-time.After(w.cfg.TimeLimit):
		w.stop(errors.New("it does not read its input"))
		return gapless.Unavailable(errors.New("the command does not read its input"))
	case w.queue <- line:
	}
	return w.await(ctx, key, t)
}

// await waits for the verdict on a delivery that was handed over.
func (w *worker) await(ctx context.Context, key turnKey, t *lineTurn) error {
	began := time.Now()
	limit := time.NewTimer(w.cfg.TimeLimit)
	defer limit.Stop()
	for {
		select {
		case v := <-t.verdict:
			return v
		case <-w.dead:
			return w.lost(t)
		case <-t.alive:
			began = time.Now()
			limit.Reset(w.cfg.TimeLimit)
		case <-ctx.Done():
			w.cancel(key, context.Cause(ctx))
			return fmt.Errorf("command was told to stop: %w", context.Cause(ctx))
		case <-limit.C:
			if w.silentSince(began) {
				w.stop(errors.New("it was silent for longer than the time limit"))
			}
			w.cancel(key, errTimeLimit)
			return fmt.Errorf("command took longer than %s", w.cfg.TimeLimit)
		}
	}
}

// lost is the verdict on a turn whose process died: what it said before counts.
func (w *worker) lost(t *lineTurn) error {
	select {
	case v := <-t.verdict:
		return v
	default:
		return fmt.Errorf("in the middle of the turn: %w", w.err)
	}
}

// cancel tells the process that nobody waits for the turn any more. One that
// does not read its input is not waited for.
func (w *worker) cancel(key turnKey, cause error) {
	line, err := encode(cancelLine{lineCancel, key, cause.Error()})
	if err != nil {
		return // keys and causes are plain text
	}
	timer := time.NewTimer(time.Second)
	defer timer.Stop()
	select {
	case w.queue <- line:
	case <-w.dead:
	case <-timer.C:
	}
}

func (w *worker) enter(key turnKey, d *gapless.Delivery) *lineTurn {
	t := &lineTurn{d: d, verdict: make(chan error, 1), alive: make(chan struct{}, 1)}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.turns[key] = t
	return t
}

// leave makes sure that nothing is added to the delivery from here on.
func (w *worker) leave(key turnKey) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.turns, key)
}

func (w *worker) silentSince(began time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.heard.Before(began)
}

// line takes one line of the process.
func (w *worker) line(raw []byte) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return
	}
	w.started()
	var a answerLine
	err := json.Unmarshal(raw, &a)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.heard = time.Now()
	t := w.turns[a.turnKey]
	switch {
	case t != nil && err != nil:
		t.end(fmt.Errorf("command wrote a line that cannot be read: %w", err))
	case err != nil:
		w.log("handler wrote a line that is no JSON object; anything else belongs on standard error", slog.Int("bytes", len(raw)))
	case a.Type == lineReady:
	case t == nil:
		w.log("handler answered a turn that is not running; echo delivery_id and fence", attrsOf(a)...)
	case !t.apply(a):
		w.log("handler wrote a line of an unknown type", attrsOf(a)...)
	}
}

// apply does what the line says and reports whether that is anything. The
// worker's lock is held, so the turn is still running; nothing in it waits.
func (t *lineTurn) apply(a answerLine) bool {
	if v, ok := a.final(); ok {
		t.end(v)
		return true
	}
	if a.Type != lineReply && a.Type != lineProgress {
		return false
	}
	if t.ended {
		return true // said after its verdict: too late
	}
	if a.Type == lineReply {
		t.d.Reply(a.Text)
	}
	t.d.Progress()
	select {
	case t.alive <- struct{}{}:
	default:
	}
	return true
}

// end gives the turn its verdict, unless it has one.
func (t *lineTurn) end(verdict error) {
	if !t.ended {
		t.ended = true
		t.verdict <- verdict
	}
}

func (w *worker) log(msg string, attrs ...slog.Attr) {
	w.cfg.Logger.LogAttrs(context.Background(), slog.LevelWarn, msg, attrs...)
}

func attrsOf(a answerLine) []slog.Attr {
	return []slog.Attr{
		slog.String("type", a.Type), slog.String("delivery", string(a.Delivery)), slog.Int64("fence", int64(a.Fence)),
	}
}
