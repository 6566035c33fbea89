package main

import (
	"context"
	"fmt"
	"time"

	"gapless/discordsim"
)

// run is one way in which bots lose messages, made to happen.
type run struct {
	name     string
	channels int
	// bound is the least number of calls that can find what was missed: one per
	// hundred messages of each channel that has any.
	bound int
	// strike breaks something and mends it.
	strike func(ctx context.Context, w *world, s subject) error
}

var runs = []run{
	{"short outage, resumed", 10, 0, outage(50, false)},
	{"outage with expired session", 10, 10, outage(50, true)},
	{"kill -9 and restart", 10, 0, killed},
	{"restart under live traffic", 10, 10, restarted},
	{"more missed than any cap", 2, 4, crowd},
	{"nothing missed", 20, 0, outage(0, true)},
	{"a handler that never finishes", 4, 0, stuck},
	{"a downstream that refuses for a minute", 4, 0, refused},
}

func names() (out []string) {
	for _, r := range runs {
		out = append(out, r.name)
	}
	for _, e := range errands {
		out = append(out, e.name)
	}
	return out
}

// play plays the run for one subject in a world of its own.
func (r run) play(ctx context.Context, make func(*world) (subject, error)) (result, error) {
	w, err := newWorld(r.channels)
	if err != nil {
		return result{}, err
	}
	defer w.sim.Close()
	for i := range w.channels { // a bot that has been about for a while
		w.sim.Post(w.people[0], w.channels[i], "good morning")
	}
	s, err := make(w)
	if err != nil {
		return result{}, err
	}
	defer s.stop()
	if err := s.start(); err != nil {
		return result{}, err
	}
	if !until(ctx, 30*time.Second, func() bool { return w.connected() && s.settled() }) {
		return result{}, fmt.Errorf("%s: the bot did not connect", r.name)
	}
	for i := range w.channels {
		w.say(i, "before anything happens")
	}
	if !until(ctx, 20*time.Second, func() bool { return w.unanswered() == 0 }) {
		return result{}, fmt.Errorf("%s: %T leaves %d of %d unanswered even before anything happens", r.name, s, w.unanswered(), len(w.said))
	}
	until(ctx, time.Second, func() bool { return false }) // the bot hears its own answers
	before := w.calls()
	if err := r.strike(ctx, w, s); err != nil {
		return result{}, fmt.Errorf("%s: %w", r.name, err)
	}
	mended := time.Now()
	took := w.settle(ctx, mended)
	until(ctx, time.Second, func() bool { return false }) // for an answer too many, if there is one
	out := result{Name: r.name, Calls: w.calls() - before, LowerBound: r.bound, Seconds: took.Seconds()}
	got := w.answers()
	for _, id := range w.said {
		switch n := got[id]; {
		case n == 0:
			out.Lost++
		default:
			out.Delivered++
			out.Duplicates += n - 1
		}
	}
	return out, ctx.Err()
}

// quiet is how long nothing may be answered before what is open counts as
// lost: longer than any wait that Discord or the daemon asks for.
const quiet = 8 * time.Second

// settle waits until all is answered or nothing more comes, and says how long
// after the mending the last answer came.
func (w *world) settle(ctx context.Context, mended time.Time) time.Duration {
	open, last := -1, time.Now()
	until(ctx, time.Minute, func() bool {
		if n := w.unanswered(); n != open || !w.connected() {
			open, last = n, time.Now()
		}
		return open == 0 && w.connected() || time.Since(last) > quiet
	})
	return max(last.Sub(mended), 0)
}

// outage takes Discord away for a second, during which n messages are written.
func outage(n int, expire bool) func(context.Context, *world, subject) error {
	return func(ctx context.Context, w *world, _ subject) error {
		w.sim.Pause()
		if expire {
			w.sim.Expire(w.bot)
		}
		for i := range n {
			w.say(i, "in the outage")
		}
		until(ctx, time.Second, func() bool { return false })
		w.sim.Unpause()
		return nil
	}
}

// killed ends the process without a word while people talk.
func killed(ctx context.Context, w *world, s subject) error {
	for i := range 25 {
		w.say(i, "just before the kill")
	}
	s.kill()
	for i := range 25 {
		w.say(i, "after the kill")
	}
	until(ctx, time.Second, func() bool { return false })
	return s.start()
}

// restarted ends the process and lets the session expire; every channel gets a
// live message before anything can be recovered.
func restarted(ctx context.Context, w *world, s subject) error {
	s.kill()
	w.sim.Expire(w.bot)
	for i := range 50 {
		w.say(i, "while nobody listens")
	}
	late := discordsim.Fault{Kind: discordsim.Slow, Match: discordsim.Match{Method: "GET", Route: "/channels/{channel}/messages"}, Delay: 500 * time.Millisecond}
	id, err := w.sim.Inject(late)
	if err != nil {
		return err
	}
	defer w.sim.Lift(id)
	if err := s.start(); err != nil {
		return err
	}
	if !until(ctx, 10*time.Second, w.connected) {
		return fmt.Errorf("the bot did not connect again")
	}
	for i := range w.channels {
		w.say(i, "live again")
	}
	until(ctx, time.Second, func() bool { return false })
	return nil
}

// crowd has four hundred messages written in one channel.
func crowd(ctx context.Context, w *world, s subject) error {
	w.channels = w.channels[:1]
	return outage(400, true)(ctx, w, s)
}

// stuck has one message whose handler never returns, and others around it.
func stuck(ctx context.Context, w *world, _ subject) error {
	w.say(0, hangs)
	for i := range 20 {
		w.say(i, "behind it or beside it")
	}
	return nil
}

// refused makes the bot's program unreachable while messages come in.
func refused(ctx context.Context, w *world, s subject) error {
	if err := s.refuse(true); err != nil {
		return err
	}
	for i := range 20 {
		w.say(i, "while nobody is at home")
	}
	until(ctx, 3*time.Second, func() bool { return false })
	return s.refuse(false)
}
