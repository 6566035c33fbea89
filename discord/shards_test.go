package discord_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gapless"
	"gapless/discord"
	"gapless/discordsim"
)

// sessions is a sink that keeps the session of each shard.
type sessions struct {
	mu    sync.Mutex
	byID  map[int]gapless.Session
	began []int // shards, one for each READY
}

func (s *sessions) Admit(_ context.Context, b gapless.Batch) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.byID[b.Session.Shard] = *b.Session
	for _, e := range b.Events {
		if e.Kind == gapless.SessionBegan {
			s.began = append(s.began, b.Session.Shard)
		}
	}
	return nil
}

func (s *sessions) Session(shard int) (gapless.Session, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	session, ok := s.byID[shard]
	return session, ok
}

func (s *sessions) begun() []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.began)
}

// fleet is the shards of a bot in front of the simulator.
type fleet struct {
	t      *testing.T
	sim    *discordsim.Server
	bot    discordsim.Bot
	rest   *discord.REST
	sink   *sessions
	client *http.Client

	*discord.Shards
	cancel context.CancelFunc
	ended  chan error
}

// sailed runs a test with a bot of several shards that are not open yet, in a bubble.
func sailed(t *testing.T, sim *discordsim.Server, test func(t *testing.T, f *fleet)) {
	t.Helper()
	bubble(t, func(t *testing.T) {
		memory := discordsim.NewMemory()
		f := &fleet{t: t, sim: sim, sink: &sessions{byID: map[int]gapless.Session{}}, client: memory.Client()}
		f.bot = sim.AddBot("helper")
		sim.AddGuild("home", f.bot.ID)
		served := make(chan struct{})
		go func() { defer close(served); _ = sim.Serve(memory) }()
		var err error
		f.rest, err = discord.NewREST(discord.RESTConfig{Token: f.bot.Token, BaseURL: "http://discord.test", Client: f.client})
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			f.close()
			f.client.CloseIdleConnections()
			sim.Close()
			<-served
		}()
		test(t, f)
	})
}

func (f *fleet) open(count int) {
	f.t.Helper()
	log, _ := logger(f.t, f.bot.Token)
	var err error
	f.Shards, err = discord.NewShards(discord.GatewayConfig{REST: f.rest, Sink: f.sink, Client: f.client, Logger: log, Seed: 5}, count)
	if err != nil {
		f.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	f.cancel, f.ended = cancel, make(chan error, 1)
	go func(s *discord.Shards, ended chan<- error) { ended <- s.Run(ctx) }(f.Shards, f.ended)
}

func (f *fleet) close() {
	f.t.Helper()
	if f.cancel == nil {
		return
	}
	f.cancel()
	f.cancel = nil
	if err := <-f.ended; err != nil {
		f.t.Errorf("Run: %v", err)
	}
}

// identifies are those that Discord got, in order.
func (f *fleet) identifies() (all []discordsim.Identify) {
	for _, c := range f.sim.Connections() {
		all = append(all, c.Identifies...)
	}
	slices.SortFunc(all, func(a, b discordsim.Identify) int { return a.At.Compare(b.At) })
	return all
}

func (f *fleet) resumed() (n int) {
	for _, c := range f.sim.Connections() {
		for _, r := range c.Resumes {
			if r.Result == "RESUMED" {
				n++
			}
		}
	}
	return n
}

// Shards identify in order, one after the other or as many side by side as Discord allows, five seconds apart
// (protocol A6); each has a session of its own, and all of them outlive the process.
func TestShardsIdentifyInTurns(t *testing.T) {
	for _, c := range []struct {
		concurrency int
		within      time.Duration
	}{{1, 26 * time.Second}, {2, 11 * time.Second}, {16, time.Second}} {
		t.Run(fmt.Sprintf("%d at a time", c.concurrency), func(t *testing.T) {
			sailed(t, &discordsim.Server{MaxConcurrency: c.concurrency}, func(t *testing.T, f *fleet) {
				f.open(6)
				if f.Ready() {
					t.Error("ready before anything was connected")
				}
				settle(c.within)
				if !f.Ready() || len(f.Status()) != 6 {
					t.Fatalf("not ready: %+v", f.Status())
				}
				last := map[int]time.Time{}
				for _, i := range f.identifies() {
					key := i.Shard[0] % c.concurrency
					if i.Result != "READY" || i.Shard[1] != 6 || i.At.Sub(last[key]) < 5*time.Second {
						t.Errorf("identify of %v at %s, %s after the one before: %s", i.Shard, i.At, i.At.Sub(last[key]), i.Result)
					}
					last[key] = i.At
				}
				if begun := f.sink.begun(); c.concurrency == 1 && !slices.Equal(begun, []int{0, 1, 2, 3, 4, 5}) {
					t.Errorf("sessions began in the order %v", begun)
				}
				f.close()
				f.open(6)
				settle(10 * time.Second)
				if n := f.resumed(); n != 6 || len(f.identifies()) != 6 || !f.Ready() {
					t.Errorf("%d resumes, %d identifies after a restart", n, len(f.identifies()))
				}
			})
		})
	}
}

// A session of another number of shards hears of other guilds: it is not resumed, and dropped where its shard is.
func TestSessionsOfAnotherNumber(t *testing.T) {
	sailed(t, &discordsim.Server{}, func(t *testing.T, f *fleet) {
		f.open(3)
		settle(time.Minute)
		f.close()
		f.sink.mu.Lock()
		third := f.sink.byID[2] // it has just identified
		third.Starts.IdentifiedAt = time.Now()
		f.sink.byID[2] = third
		f.sink.mu.Unlock()
		before := time.Now()
		f.open(2)
		settle(time.Minute)
		if all := f.identifies(); all[len(all)-2].At.Sub(before) < 5*time.Second {
			t.Errorf("an identify %s after that of a shard that there is no longer", all[len(all)-2].At.Sub(before))
		}
		if n := f.resumed(); n != 0 || len(f.Status()) != 2 || !f.Ready() {
			t.Errorf("%d resumes, %+v", n, f.Status())
		}
		for n, want := range map[int]bool{0: true, 1: true, 2: false} {
			if s, _ := f.sink.Session(n); (s.ID != "") != want || s.Shards != 2 {
				t.Errorf("the session of shard %d: %+v", n, s)
			}
		}
	})
}

// One shard that is out leaves the others alone.
func TestOneShardOut(t *testing.T) {
	sailed(t, &discordsim.Server{}, func(t *testing.T, f *fleet) {
		guild := f.sim.AddGuild("one", f.bot.ID)
		f.open(2)
		settle(time.Minute)
		out := gapless.ShardOf(gapless.GuildID(guild), 2)
		before := f.Status()[1-out].Status
		f.sim.ExpireShardOf(f.bot.ID, guild)
		settle(500 * time.Millisecond)
		if f.Ready() || f.Status()[out].State == discord.StateReady || f.State() == discord.StateReady {
			t.Errorf("the whole is said to be ready: %+v", f.Status())
		}
		settle(time.Minute)
		after := f.Status()
		if !f.Ready() || after[out].Identifies != 2 {
			t.Errorf("not back: %+v", after)
		}
		if other := after[1-out]; other.Since != before.Since || other.Connects != 1 {
			t.Errorf("the other shard was touched: %+v", other)
		}
	})
}

// The number of shards is Discord's where nobody gave one, and costs no session.
func TestShardsFollowDiscord(t *testing.T) {
	sailed(t, &discordsim.Server{Shards: 3}, func(t *testing.T, f *fleet) {
		f.open(0)
		settle(time.Minute)
		if len(f.Status()) != 3 || !f.Ready() || len(f.identifies()) != 3 {
			t.Fatalf("%d identifies, %+v", len(f.identifies()), f.Status())
		}
		f.close()
		f.sim.Shards = 5
		f.open(0)
		settle(time.Minute)
		if len(f.Status()) != 3 || f.resumed() != 3 {
			t.Errorf("sessions were given up for a recommendation: %+v", f.Status())
		}
		f.sim.Expire(0)
		settle(2 * time.Minute)
		if len(f.Status()) != 5 || !f.Ready() {
			t.Errorf("five are recommended and no session was left, but: %+v", f.Status())
		}
	})
}

// Discord's refusals of the number of shards end a fixed one, with a word on what to do, and change any other.
func TestRefusedNumberOfShards(t *testing.T) {
	for name, c := range map[string]struct {
		count, code int
		recommended []int // by /gateway/bot, one answer after the other
		want        string
		shards      int
	}{
		"too few, fixed":                   {1, 4011, []int{2}, "shards: auto", 0},
		"invalid, fixed":                   {2, 4010, []int{2}, "below the number of shards", 0},
		"too few":                          {0, 4011, []int{1, 3}, "", 3},
		"too few, and no more recommended": {0, 4011, []int{1}, "", 2},
		"invalid":                          {0, 4010, []int{1, 4}, "", 4},
		"invalid, whatever is recommended": {0, 4010, []int{1}, "close 4010", 0},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				first := true
				play := func(p *peer) {
					p.hello()
					p.await(2)
					if first {
						first = false
						p.close(c.code)
						return
					}
					p.ready("s" + fmt.Sprint(time.Now().Unix()))
					p.stay()
				}
				fake := newFakeGateway(t, slices.Repeat([]script{play}, 8)...)
				asked := 0
				fake.rest = func(w http.ResponseWriter, _ *http.Request) {
					n := c.recommended[min(asked, len(c.recommended)-1)]
					asked++
					answer(w, 200, strings.Replace(fullBudget, `"shards":1`, fmt.Sprintf(`"shards":%d`, n), 1))
				}
				client := fake.memory.Client()
				rest, err := discord.NewREST(discord.RESTConfig{Token: token, BaseURL: "http://discord.test", Client: client})
				if err != nil {
					t.Fatal(err)
				}
				sink := &sessions{byID: map[int]gapless.Session{}}
				s, err := discord.NewShards(discord.GatewayConfig{REST: rest, Sink: sink, Client: client}, c.count)
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithCancel(t.Context())
				ended := make(chan error, 1)
				go func() { ended <- s.Run(ctx) }()
				settle(2 * time.Minute)
				if c.want == "" && (len(s.Status()) != c.shards || !s.Ready()) {
					t.Errorf("%d shards: %+v", len(s.Status()), s.Status())
				}
				cancel()
				err = <-ended
				if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
					t.Errorf("Run: %v, want %q", err, c.want)
				}
				client.CloseIdleConnections()
			})
		})
	}
}

// The last identifies of the day are shared: however many shards want one, Discord gets no more than it said it would
// take, or it would end the bot (C14).
func TestShardsShareTheBudget(t *testing.T) {
	for _, c := range []struct{ concurrency, total int }{{1, 1000}, {2, 1000}, {4, 1000}, {4, 3}} {
		t.Run(fmt.Sprintf("%d at a time of %d", c.concurrency, c.total), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var used atomic.Int64
				resetAt := time.Now().Add(3 * time.Hour)
				play := func(p *peer) {
					p.hello()
					p.await(2)
					time.Sleep(2 * time.Second) // before Discord counts it
					used.Add(1)
					p.ready("s" + fmt.Sprint(time.Now().UnixNano()))
					p.stay()
				}
				fake := newFakeGateway(t, slices.Repeat([]script{play}, 4)...)
				fake.rest = func(w http.ResponseWriter, _ *http.Request) {
					left, reset := max(3-used.Load(), 0), time.Until(resetAt)
					if reset <= 0 {
						left, reset = 1000, 24*time.Hour
					}
					answer(w, 200, fmt.Sprintf(`{"url":"ws://discord.test/gateway","shards":1,"session_start_limit":{"total":%d,"remaining":%d,"reset_after":%d,"max_concurrency":%d}}`, c.total, left, reset.Milliseconds(), c.concurrency))
				}
				client := fake.memory.Client()
				rest, err := discord.NewREST(discord.RESTConfig{Token: token, BaseURL: "http://discord.test", Client: client})
				if err != nil {
					t.Fatal(err)
				}
				s, err := discord.NewShards(discord.GatewayConfig{REST: rest, Sink: &sessions{byID: map[int]gapless.Session{}}, Client: client}, 4)
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithCancel(t.Context())
				ended := make(chan error, 1)
				go func() { ended <- s.Run(ctx) }()
				settle(2 * time.Hour)
				if n := used.Load(); n != 3 {
					t.Errorf("%d identifies of 3 were used", n)
				}
				waiting := slices.DeleteFunc(s.Status(), func(s discord.ShardStatus) bool { return s.State == discord.StateReady })
				if len(waiting) != 1 || waiting[0].State != discord.StateWaiting || !strings.Contains(waiting[0].Reason, "identify budget is used up") {
					t.Errorf("who waits: %+v", waiting)
				}
				settle(2 * time.Hour)
				if n := used.Load(); n != 4 || !s.Ready() {
					t.Errorf("%d identifies after the reset: %+v", n, s.Status())
				}
				cancel()
				if err := <-ended; err != nil {
					t.Errorf("Run: %v", err)
				}
				client.CloseIdleConnections()
			})
		})
	}
}

func TestShardsConfigFaults(t *testing.T) {
	for _, count := range []int{-1, 1 << 20} {
		_, err := discord.NewShards(discord.GatewayConfig{}, count)
		if err == nil || !strings.Contains(err.Error(), "REST is required") || !strings.Contains(err.Error(), "the number of shards") {
			t.Errorf("%d shards: %v", count, err)
		}
	}
}

// A sink that refuses for good, or a token that Discord refuses, on any shard ends all.
func TestOneShardCannotGoOn(t *testing.T) {
	sailed(t, &discordsim.Server{}, func(t *testing.T, f *fleet) {
		f.open(3)
		settle(time.Minute)
		f.sim.RevokeToken(f.bot.ID)
		settle(time.Minute)
		select {
		case err := <-f.ended:
			if !errors.Is(err, gapless.ErrUnauthorized) {
				t.Errorf("Run: %v", err)
			}
			f.cancel()
			f.cancel = nil
		default:
			t.Errorf("it goes on: %+v", f.Status())
		}
		states := map[discord.State]int{}
		for _, s := range f.Status() {
			states[s.State]++
		}
		if !maps.Equal(states, map[discord.State]int{discord.StateStopped: 3}) {
			t.Errorf("states %v", states)
		}
	})
}
