package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"time"

	"gapless/discordsim"
)

// stage is the demonstration's world: a simulated Discord, people who talk,
// and the daemon that must not miss any of it.
type stage struct {
	sim     *discordsim.Server
	world   simWorld
	people  []discordsim.ID
	daemon  *child
	show    *show
	busy    discordsim.ID // a channel where people talk to each other
	silence func()        // ends the chatter
	mended  time.Time     // when the act that is played ended; owned by perform

	mu     sync.Mutex // guards the rest
	random *rand.Rand
	places []discordsim.ID // where people talk
	sent   []utterance
	away   string // the incident during which what is said is missed, or empty
	runs   map[string]*played
}

// utterance is one message meant for the bot.
type utterance struct {
	id       discordsim.ID
	incident string // during which it was missed, or empty
}

// newStage makes the world and serves it; the daemon is not started.
func newStage(dir string, seed uint64, show *show) (*stage, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for the simulated Discord: %w", err)
	}
	s := &stage{
		sim: &discordsim.Server{Seed: seed}, show: show, random: rand.New(rand.NewPCG(seed, 0)), runs: map[string]*played{},
	}
	s.world = furnish(s.sim, ln)
	s.settle()
	if s.daemon, err = newChild(dir, s.world.API, s.world.Token); err != nil {
		return nil, err
	}
	go func() { _ = s.sim.Serve(ln) }() // it ends with close
	return s, nil
}

// settle fills the guild with people, channels and threads.
func (s *stage) settle() {
	s.people = []discordsim.ID{s.world.User}
	for _, name := range []string{"bea", "cem", "dan", "eva", "fay"} {
		id := s.sim.AddUser(name, name)
		s.sim.Join(s.world.Guild, id)
		s.people = append(s.people, id)
	}
	s.busy = s.sim.AddChannel(s.world.Guild, discordsim.Text, "busy")
	s.places = []discordsim.ID{s.world.Channel}
	for i := range 19 {
		s.places = append(s.places, s.sim.AddChannel(s.world.Guild, discordsim.Text, fmt.Sprintf("room-%d", i+1)))
	}
	for i, parent := range s.places[:4] {
		thread, err := s.sim.StartThread(s.people[i], parent, fmt.Sprintf("thread-%d", i+1), discordsim.ThreadOptions{})
		if err == nil { // a refusal would only make the world smaller
			s.places = append(s.places, thread)
		}
	}
}

// talk has people chat from now on, until s.silence is called.
func (s *stage) talk(ctx context.Context) {
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	s.silence = func() { stop(); <-ended }
	go func() { defer close(ended); s.chat(ctx) }()
}

// chat has people talk to the bot, now here and now there, until ctx ends.
func (s *stage) chat(ctx context.Context) {
	tick := time.NewTicker(90 * time.Millisecond)
	defer tick.Stop()
	for {
		s.speak(0, "", "")
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// speak has somebody say something to the bot: in the place or, if it is zero,
// anywhere; missed in the incident or, if that is empty, in the one that is on.
func (s *stage) speak(place discordsim.ID, incident, more string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	who := s.people[s.random.IntN(len(s.people))]
	if place == 0 {
		place = s.places[s.random.IntN(len(s.places))]
	}
	text := fmt.Sprintf("<@%v> this is message %d %s", s.world.Bot, len(s.sent)+1, more)
	id, err := s.sim.Post(who, place, text)
	if err != nil {
		s.show.say("somebody could not speak: %v", err)
		return
	}
	s.sent = append(s.sent, utterance{id, cmp.Or(incident, s.away)})
}

// murmur has people talk to each other; the bot is not meant.
func (s *stage) murmur(place discordsim.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = s.sim.Post(s.people[s.random.IntN(len(s.people))], place, "just among ourselves")
}

// missing marks what is said from here on as missed in an incident; an empty
// name ends it.
func (s *stage) missing(incident string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.away = incident
}

// connected reports whether the daemon has a session and has stored that: what
// is said to a bot before its very first session stands is not missed, but was
// never meant to be heard.
func (s *stage) connected() bool { return s.sim.Connected(s.world.Bot) > 0 && s.daemon.settled() }

// until waits for a condition, or fails after the limit.
func (s *stage) until(ctx context.Context, limit time.Duration, what string, holds func() bool) error {
	deadline := time.Now().Add(limit)
	for !holds() {
		if time.Now().After(deadline) {
			return fmt.Errorf("waited %s in vain for %s; the daemon's log is %s", limit, what, s.daemon.logFile())
		}
		if !pause(ctx, 20*time.Millisecond) {
			return errAsked
		}
	}
	return nil
}

// pause waits, and reports false if ctx ended first.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

// close ends the daemon and the simulated Discord.
func (s *stage) close() {
	s.daemon.stop()
	s.sim.Close()
}

// explain says how to talk to what was left running.
func (s *stage) explain(out io.Writer) {
	fmt.Fprintf(out, `
All of it is still running; Ctrl-C ends it.
  say something   curl -s %spost -d '{"user":"%v","channel":"%v","text":"<@%v> hello"}'
  see the ledger  gapless status --data %s
  read the log    tail -f %s
`, s.world.Control, s.world.User, s.world.Channel, s.world.Bot, s.daemon.data(), s.daemon.logFile())
}
