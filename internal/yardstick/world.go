package main

import (
	"context"
	"fmt"
	"net"
	"strings"
	"time"

	"gapless/discordsim"
)

// scale says what is not as it would be at Discord.
const scale = `Scale: outages of minutes last a second, the downstream's minute lasts three, a turn may take three seconds instead of
an hour, and a failed turn is repeated after 0.2 s. Discord's limit on posting is lifted, so that answers do not hide
what recovery takes, and the pace of recovered turns (30 a minute) too; all other limits are Discord's. Seconds run from
the mending of the fault to the last answer, and include the one to five that Discord asks for before a new session.`

// world is a simulated Discord with people who talk to one bot.
type world struct {
	sim      *discordsim.Server
	api      string
	token    string
	bot      discordsim.ID
	people   []discordsim.ID
	channels []discordsim.ID
	threads  []discordsim.ID // that are open
	parents  map[string]bool // of threads that came and were archived in the outage
	said     []discordsim.ID // messages meant for the bot
	from     int             // the first request that counts
}

const (
	post = "POST /channels/{channel}/messages"
	read = "GET /channels/{channel}/messages"
)

// newWorld is a world of one guild, on a socket of its own.
func newWorld(channels int) (*world, error) {
	return newWorldOf(1, channels, map[string]discordsim.Limit{post: {}})
}

// newWorldOf is a world of guilds with as many channels in each; limits replace
// those of Discord.
func newWorldOf(guilds, channels int, limits map[string]discordsim.Limit) (*world, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for the simulated Discord: %w", err)
	}
	sim := &discordsim.Server{Seed: 1, BufferSize: 1000, Limits: limits}
	w := &world{sim: sim, api: "http://" + ln.Addr().String() + "/api/v10", parents: map[string]bool{}}
	bot := sim.AddBot("helper")
	w.bot, w.token = bot.ID, bot.Token
	for i := range 5 {
		w.people = append(w.people, sim.AddUser(fmt.Sprintf("user%d", i), "User"))
	}
	for range guilds {
		guild := sim.AddGuild("home", append([]discordsim.ID{bot.ID}, w.people...)...)
		for i := range channels {
			w.channels = append(w.channels, sim.AddChannel(guild, discordsim.Text, fmt.Sprintf("room-%d", i)))
		}
	}
	go func() { _ = sim.Serve(ln) }() // it ends with Close
	return w, nil
}

// say has somebody say something to the bot in the i-th channel.
func (w *world) say(i int, more string) { w.sayIn(w.channels[i%len(w.channels)], more) }

func (w *world) sayIn(place discordsim.ID, more string) {
	n := len(w.said)
	text := fmt.Sprintf("<@%v> message %d %s", w.bot, n, more)
	id, err := w.sim.Post(w.people[n%len(w.people)], place, text)
	if err == nil { // the simulator refuses only what does not exist
		w.said = append(w.said, id)
	}
}

// answers is how often each message was answered.
func (w *world) answers() map[discordsim.ID]int {
	got := map[discordsim.ID]int{}
	for _, m := range w.sim.Messages() {
		if m.Author == w.bot && m.ReplyTo != 0 {
			got[m.ReplyTo]++
		}
	}
	return got
}

func (w *world) unanswered() int {
	got, open := w.answers(), 0
	for _, id := range w.said {
		if got[id] == 0 {
			open++
		}
	}
	return open
}

// calls is how many requests recovery has made: all that read, but what a
// start of a process or session asks.
func (w *world) calls() int {
	n := 0
	for _, r := range w.sim.Requests() {
		if r.Method == "GET" && !ofSession(r.Route) {
			n++
		}
	}
	return n
}

// ofSession reports whether a request is one that a start of a process or session makes.
func ofSession(route string) bool {
	return strings.HasPrefix(route, "/gateway") || strings.HasPrefix(route, "/users/@me") || strings.HasPrefix(route, "/applications")
}

// until waits for a condition, at most for the limit, and says if it came.
func until(ctx context.Context, limit time.Duration, holds func() bool) bool {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(limit)
	for !holds() {
		select {
		case <-tick.C:
		case <-deadline:
			return holds()
		case <-ctx.Done():
			return false
		}
	}
	return true
}

func (w *world) connected() bool { return w.sim.Connected(w.bot) > 0 }
