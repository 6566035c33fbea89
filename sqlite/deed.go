package sqlite

import (
	"context"
	"sync/atomic"

	"gapless"
)

// deed is one call on its way through the writer.
type deed struct {
	name string
	run  func(*tx) error // may run again if its transaction was undone
	done chan struct{}   // closed once err is final
	err  error
	left atomic.Bool // the caller is gone: need not begin
}

// ask hands a deed to the writer and waits for its answer. A caller whose
// context ends meanwhile gets its error at once; the deed may be stored then.
func ask[T any](ctx context.Context, l *Ledger, name string, f func(*tx) (T, error)) (T, error) {
	var out, none T
	if err := ctx.Err(); err != nil {
		return none, err
	}
	d := &deed{name: name, done: make(chan struct{}), run: func(t *tx) (err error) {
		out, err = f(t)
		return err
	}}
	select {
	case l.queue <- d:
	case <-l.stop:
		return none, gapless.ErrClosed
	case <-ctx.Done():
		return none, ctx.Err()
	}
	select {
	case <-d.done:
	case <-ctx.Done():
		d.left.Store(true)
		return none, ctx.Err()
	}
	if d.err != nil {
		return none, d.err
	}
	return out, nil
}
