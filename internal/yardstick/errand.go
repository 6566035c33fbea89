package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gapless/discordsim"
)

// errand is something missed while the process was down, its session expired:
// what it takes to find it, in calls, is its price.
type errand struct {
	name     string
	guilds   int
	channels int      // in each guild
	env      []string // of the daemon
	// history is the least number of history calls: one for each hundred missed
	// messages of a place; listings the same for archived threads, a public and
	// a private list for each parent that something points to.
	history, listings int
	// before makes what is there before the bot connects, missed what it misses.
	before, missed func(*world) error
}

var errands = []errand{
	{name: "20 channels, nothing missed", guilds: 1, channels: 20},
	{name: "500 channels, nothing missed", guilds: 1, channels: 500},
	{name: "10,000 channels, nothing missed", guilds: 20, channels: 500},
	{name: "100 missed in 20 channels", guilds: 1, channels: 20, history: 20, missed: spread(100)},
	{
		name: "5,000 missed in one channel", guilds: 1, channels: 1, history: 50, missed: flood(5000, 50),
		env: []string{"GAPLESS_BUDGET_EXAMINED=10000"},
	},
	{
		name: "400 in one, 200 a pass", guilds: 1, channels: 1, history: 4, missed: flood(400, 1),
		env: []string{"GAPLESS_BUDGET_EXAMINED=200"},
	},
	{
		name: "40 of 500 channels, 20 + 10 threads", guilds: 20, channels: 25, history: 70, listings: 20,
		before: activeThreads, missed: threadsToo,
	},
}

// spread has n messages for the bot written, over all channels.
func spread(n int) func(*world) error {
	return func(w *world) error {
		for i := range n {
			w.say(i, "in the outage")
		}
		return nil
	}
}

// flood has n messages written in the first channel, every step-th for the bot.
func flood(n, step int) func(*world) error {
	return func(w *world) error {
		for i := range n {
			if i%step == step-1 {
				w.say(0, "in the flood")
			} else if _, err := w.sim.Post(w.people[0], w.channels[0], "never mind"); err != nil {
				return err
			}
		}
		return nil
	}
}

// Twenty threads are open before the outage; in it they, forty channels and ten
// threads that are new and archived by its end are written in. The parents of
// these are among the forty.
const changed, opened, archived = 40, 20, 10

func activeThreads(w *world) error {
	for i := range opened {
		id, err := w.sim.StartThread(w.people[0], w.channels[(changed+i*23)%len(w.channels)], fmt.Sprintf("open %d", i), discordsim.ThreadOptions{})
		if err != nil {
			return err
		}
		w.threads = append(w.threads, id)
	}
	return nil
}

func threadsToo(w *world) error {
	for i := range changed {
		w.say(i*12, "in a channel")
	}
	for _, id := range w.threads {
		w.sayIn(id, "in an open thread")
	}
	for i := range archived {
		id, err := w.sim.StartThread(w.people[1], w.channels[i*12], fmt.Sprintf("short %d", i), discordsim.ThreadOptions{From: w.said[i]})
		if err != nil {
			return err
		}
		w.parents[w.channels[i*12].String()] = true
		w.sayIn(id, "in a short thread")
		w.sim.Archive(id, true)
	}
	return nil
}

// ripe is how long the outage lasts after the last message was written: no
// reading vouches for the ten seconds before it, and would be repeated.
const ripe = 11 * time.Second

// play runs the errand with the built daemon: it meets its places, is killed,
// misses what it misses, and is started again with its session expired.
func (e errand) play(ctx context.Context, binary, dir string) (price, error) {
	w, err := newWorldOf(e.guilds, e.channels, map[string]discordsim.Limit{post: {}, read: {}})
	if err != nil {
		return price{}, err
	}
	defer w.sim.Close()
	for _, c := range w.channels {
		w.sim.Post(w.people[0], c, "good morning")
	}
	d, err := newDaemon(w, binary, dir)
	if err != nil {
		return price{}, err
	}
	d.env = append(e.env, "GAPLESS_AUDIT_INTERVAL=off")
	defer d.stop()
	for _, step := range []func() error{
		func() error { return e.world(e.before, w) },
		func() error { return e.connect(ctx, w, d) },
		func() error { d.kill(); w.sim.Expire(w.bot); return e.world(e.missed, w) },
		func() error {
			until(ctx, ripe, func() bool { return false })
			w.from = len(w.sim.Requests())
			return nil
		},
		func() error { return e.connect(ctx, w, d) },
	} {
		if err := step(); err != nil {
			return price{}, fmt.Errorf("%s: %w", e.name, err)
		}
	}
	w.quieten(ctx)
	return e.tell(w, d), ctx.Err()
}

func (e errand) world(deed func(*world) error, w *world) error {
	if deed == nil {
		return nil
	}
	return deed(w)
}

// connect starts the daemon and waits until it has looked for what was missed.
func (e errand) connect(ctx context.Context, w *world, d *daemon) error {
	if err := d.start(); err != nil {
		return err
	}
	if !until(ctx, patience, func() bool { return w.connected() && d.settled() }) {
		return fmt.Errorf("the bot did not connect")
	}
	return w.reach(ctx)
}

// patience is for a machine that has other things to do.
const patience = 3 * time.Minute

// reach makes a guild, speaks to the bot there until it answers, and removes
// the guild: whatever the session brought before is stored then.
func (w *world) reach(ctx context.Context) error {
	guild := w.sim.AddGuild("lobby", w.bot, w.people[0])
	defer w.sim.RemoveGuild(guild)
	lobby := w.sim.AddChannel(guild, discordsim.Text, "lobby")
	answered := func() bool {
		return slices.ContainsFunc(w.sim.In(lobby), func(m discordsim.Message) bool { return m.Author == w.bot })
	}
	for begun := time.Now(); !until(ctx, time.Second, answered); {
		if ctx.Err() != nil || time.Since(begun) > patience {
			return fmt.Errorf("the bot does not answer what it hears")
		}
		if _, err := w.sim.Post(w.people[0], lobby, fmt.Sprintf("<@%v> are you there?", w.bot)); err != nil {
			return err
		}
	}
	return nil
}
