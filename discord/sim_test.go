package discord_test

import (
	"context"
	"net"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"gapless"
	"gapless/discord"
	"gapless/discordsim"
)

// world is a gateway and a REST client in front of the simulator.
type world struct {
	*store
	sim     *discordsim.Server
	bot     discordsim.Bot
	ann     discordsim.ID
	general discordsim.ID
	guild   discordsim.ID
	rest    *discord.REST
	gateway *discord.Gateway
}

func newWorld(t *testing.T, sim *discordsim.Server, ln net.Listener, base string, client *http.Client) *world {
	t.Helper()
	w := &world{store: &store{}, sim: sim}
	w.bot = sim.AddBot("helper")
	w.ann = sim.AddUser("ann", "Ann")
	w.guild = sim.AddGuild("home", w.bot.ID, w.ann)
	w.general = sim.AddChannel(w.guild, discordsim.Text, "general")
	served := make(chan struct{})
	go func() { defer close(served); _ = sim.Serve(ln) }()
	log, _ := logger(t, w.bot.Token, "the text")
	var err error
	w.rest, err = discord.NewREST(discord.RESTConfig{Token: w.bot.Token, BaseURL: base, Client: client, Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	w.gateway, err = discord.NewGateway(discord.GatewayConfig{REST: w.rest, Sink: w.store, Client: client, Logger: log, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- w.gateway.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
		client.CloseIdleConnections()
		sim.Close()
		<-served
	})
	return w
}

// simulated runs a test against the simulator in a bubble.
func simulated(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	bubble(t, func(t *testing.T) {
		memory := discordsim.NewMemory()
		w := newWorld(t, &discordsim.Server{}, memory, "http://discord.test", memory.Client())
		settle(10 * time.Second)
		test(t, w)
	})
}

func (w *world) post(t *testing.T, opts ...discordsim.PostOptions) gapless.MessageID {
	t.Helper()
	id, err := w.sim.Post(w.ann, w.general, "the text", opts...)
	if err != nil {
		t.Fatal(err)
	}
	return gapless.MessageID(id)
}

// heard are the messages stored, in order, and where each came from.
func (w *world) heard() (ids []gapless.MessageID, replayed int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, b := range w.batches {
		for _, e := range b.Events {
			if e.Kind == gapless.MessageCreated {
				ids = append(ids, e.Message.ID)
				if e.Origin == gapless.OriginReplay {
					replayed++
				}
			}
		}
	}
	return ids, replayed
}

func (w *world) count(kind gapless.EventKind) (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, b := range w.batches {
		for _, e := range b.Events {
			if e.Kind == kind {
				n++
			}
		}
	}
	return n
}

// noOrderlyEnd says that no close of ours ended a session (C11).
func (w *world) noOrderlyEnd(t *testing.T) {
	t.Helper()
	for i, c := range w.sim.Connections() {
		if c.ClientClose == 1000 || c.ClientClose == 1001 {
			t.Errorf("connection %d was closed with %d, which ends the session", i, c.ClientClose)
		}
	}
}

func TestSimulatedSessions(t *testing.T) {
	for name, c := range map[string]struct {
		trouble func(w *world) // between the first message and the second
		begins  int            // sessions, in the end
	}{
		"connection cut":        {func(w *world) { w.sim.DropConnections(0) }, 1},
		"op 7":                  {func(w *world) { w.sim.AskReconnect(0) }, 1},
		"op 9, resumable":       {func(w *world) { w.sim.InvalidateSessions(0, true) }, 1},
		"op 9, over":            {func(w *world) { w.sim.InvalidateSessions(0, false) }, 2},
		"closed without a code": {func(w *world) { w.sim.CloseConnections(0, 0) }, 1},
		"closed with 4000":      {func(w *world) { w.sim.CloseConnections(0, 4000) }, 1},
		"closed with 1011":      {func(w *world) { w.sim.CloseConnections(0, 1011) }, 1},
		"closed with 1000":      {func(w *world) { w.sim.CloseConnections(0, 1000) }, 1},
		"closed with 1001":      {func(w *world) { w.sim.CloseConnections(0, 1001) }, 1},
		"session expired":       {func(w *world) { w.sim.Expire(0) }, 2},
	} {
		t.Run(name, func(t *testing.T) {
			simulated(t, func(t *testing.T, w *world) {
				first := w.post(t)
				synctest.Wait()
				c.trouble(w)
				second := w.post(t)
				settle(30 * time.Second)
				third := w.post(t)
				settle(time.Second)
				ids, replayed := w.heard()
				if c.begins == 1 && (!slices.Equal(ids, []gapless.MessageID{first, second, third}) || replayed != 1 && name != "op 7") {
					t.Errorf("heard %v, %d replayed; posted %v", ids, replayed, []gapless.MessageID{first, second, third})
				}
				if !slices.Contains(ids, third) || w.count(gapless.SessionBegan) != c.begins {
					t.Errorf("heard %v in %d sessions", ids, w.count(gapless.SessionBegan))
				}
				w.noOrderlyEnd(t)
			})
		})
	}
}

func TestSimulatedFaults(t *testing.T) {
	for name, c := range map[string]struct {
		fault   discordsim.Fault
		after   func(w *world)
		begins  int // sessions at most
		jumps   int
		unread  int
		missing bool // the second message never comes
	}{
		"a lost event":         {discordsim.Fault{Kind: discordsim.Drop, Count: 1, Match: discordsim.Match{Event: "MESSAGE_CREATE"}}, nil, 1, 1, 0, true},
		"an undecodable event": {discordsim.Fault{Kind: discordsim.Undecodable, Count: 1, Match: discordsim.Match{Event: "MESSAGE_CREATE"}}, nil, 1, 0, 1, true},
		"a malformed frame":    {discordsim.Fault{Kind: discordsim.Malformed, Count: 1, Match: discordsim.Match{Event: "MESSAGE_CREATE"}}, nil, 1, 0, 1, true},
		"a late event":         {discordsim.Fault{Kind: discordsim.Late, Delay: time.Second, Count: 1, Match: discordsim.Match{Event: "MESSAGE_CREATE"}}, nil, 1, 0, 0, false},
		"no acknowledgements":  {discordsim.Fault{Kind: discordsim.NoAck, Count: 4}, nil, 1, 0, 0, false},
		"no RESUMED":           {discordsim.Fault{Kind: discordsim.NoResumed, Count: 2}, func(w *world) { w.sim.DropConnections(0) }, 2, 0, 0, false},
		"resume cut":           {discordsim.Fault{Kind: discordsim.CutResume, Count: 2}, func(w *world) { w.sim.DropConnections(0) }, 1, 0, 0, false},
		"no Hello":             {discordsim.Fault{Kind: discordsim.NoHello, Count: 1}, func(w *world) { w.sim.DropConnections(0) }, 1, 0, 0, false},
		"op 7 before Hello":    {discordsim.Fault{Kind: discordsim.HelloReconnect, Count: 2}, func(w *world) { w.sim.DropConnections(0) }, 1, 0, 0, false},
		"refused connections":  {discordsim.Fault{Kind: discordsim.Refuse, Status: 503, Count: 2}, func(w *world) { w.sim.DropConnections(0) }, 1, 0, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			simulated(t, func(t *testing.T, w *world) {
				w.post(t)
				settle(time.Second)
				if _, err := w.sim.Inject(c.fault); err != nil {
					t.Fatal(err)
				}
				if c.after != nil {
					c.after(w)
				}
				second := w.post(t)
				settle(time.Second)
				w.post(t)
				settle(5 * time.Minute)
				last := w.post(t)
				settle(time.Second)
				ids, _ := w.heard()
				if !slices.Contains(ids, last) {
					t.Errorf("deaf in the end: %+v", w.gateway.Status())
				}
				if n := w.count(gapless.SessionBegan); n > c.begins {
					t.Errorf("%d sessions", n)
				}
				if slices.Contains(ids, second) == c.missing && w.count(gapless.SessionBegan) == 1 {
					t.Errorf("the second message was heard: %t", !c.missing)
				}
				if got := w.count(gapless.SequenceJumped); got != c.jumps {
					t.Errorf("%d jumps", got)
				}
				if got := w.count(gapless.Unreadable); got != c.unread {
					t.Errorf("%d unreadable", got)
				}
				w.noOrderlyEnd(t)
			})
		})
	}
}

func TestSimulatedRepliesAndHistory(t *testing.T) {
	simulated(t, func(t *testing.T, w *world) {
		asked := w.post(t)
		for i := range 30 {
			if _, err := w.sim.Inject(discordsim.Fault{Kind: discordsim.FailAfter, Status: 502, Count: 1, Match: discordsim.Match{Method: "POST"}}); err != nil {
				t.Fatal(err)
			}
			r := gapless.Reply{
				ID: "d.1.0", Place: gapless.ChannelID(w.general), Text: "answer", Reference: asked,
				Nonce: "nonce" + string(rune('a'+i)), IntentAt: time.Now(),
			}
			id, err := w.rest.Send(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			found, ok, err := w.rest.Find(t.Context(), r, gapless.UserID(w.bot.ID))
			if err != nil || !ok || i == 0 && found != id {
				t.Errorf("find: %s %t %v, sent %s", found, ok, err, id)
			}
		}
		if n := len(w.sim.In(w.general)); n != 31 {
			t.Errorf("the channel holds %d messages, want one question and thirty answers", n)
		}
		page, err := w.rest.After(t.Context(), gapless.ChannelID(w.general), 0, 100)
		if err != nil || len(page.Messages) != 31 {
			t.Errorf("history has %d, %v", len(page.Messages), err)
		}
		g, err := w.rest.Inventory(t.Context(), gapless.GuildID(w.guild))
		if err != nil || !slices.ContainsFunc(g.Channels, func(c gapless.Channel) bool { return c.ID == gapless.ChannelID(w.general) }) {
			t.Errorf("inventory %+v, %v", g, err)
		}
		if me, err := w.rest.Me(t.Context()); err != nil || me.ID != gapless.UserID(w.bot.ID) {
			t.Errorf("me %+v, %v", me, err)
		}
		if n := w.sim.Invalid(); n != 0 {
			t.Errorf("%d invalid requests", n)
		}
	})
}

// A long recovery beside answers costs no 429 at all with the simulator's real limits.
func TestSimulatedLimits(t *testing.T) {
	simulated(t, func(t *testing.T, w *world) {
		var places []gapless.ChannelID
		for range 20 {
			places = append(places, gapless.ChannelID(w.sim.AddChannel(w.guild, discordsim.Text, "more")))
		}
		inParallel(t, 12, 200, func(i int) error {
			if i%4 == 0 {
				_, err := w.rest.Send(t.Context(), gapless.Reply{Place: places[i%20], Text: "answer"})
				return err
			}
			_, err := w.rest.After(t.Context(), places[i%20], 0, 100)
			return err
		})
		for _, r := range w.sim.Requests() {
			if r.Status == http.StatusTooManyRequests {
				t.Errorf("429 on %s %s", r.Method, r.Path)
			}
		}
	})
}

func TestRealSockets(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{}}
	w := newWorld(t, &discordsim.Server{}, ln, "http://"+ln.Addr().String(), client)
	deadline := time.Now().Add(time.Minute)
	wait := func(what string, done func() bool) {
		for !done() {
			if time.Now().After(deadline) {
				t.Fatalf("no %s: %+v", what, w.gateway.Status())
			}
			time.Sleep(2 * time.Millisecond)
		}
	}
	wait("session", func() bool { return w.gateway.Status().State == discord.StateReady })
	id := w.post(t)
	wait("message", func() bool { ids, _ := w.heard(); return slices.Contains(ids, id) })
	w.sim.DropConnections(0)
	id = w.post(t)
	wait("replay", func() bool { ids, _ := w.heard(); return slices.Contains(ids, id) })
}
