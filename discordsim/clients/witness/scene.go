package witness

import (
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"gapless/discordsim"
)

// Patience is how long anything on a real socket may take. On an idle machine nothing comes near it; a loaded one may
// need it, and a test that waits less would tell of the machine instead of the client.
const Patience = time.Minute

// tries is how often something is observed before a wait is said to be another than the page says: a busy machine makes
// one observation late, a client that has changed its ways makes all of them wrong.
const tries = 5

// Scene is a simulator on a socket with a small world: a guild with a bot, a user and a text channel.
type Scene struct {
	*discordsim.Server
	Addr  string // host:port; REST is at http://Addr/api
	Bot   discordsim.Bot
	Anna  discordsim.ID
	Guild discordsim.ID
	Text  discordsim.ID

	mu    sync.Mutex
	heard []discordsim.ID
}

// NewScene serves a world until the test ends. Knobs of sim are set by the caller; nil takes Discord's, without a
// limit on identifies.
func NewScene(t *testing.T, sim *discordsim.Server) *Scene {
	t.Helper()
	if sim == nil {
		sim = &discordsim.Server{IdentifyInterval: -1}
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	sc := &Scene{Server: sim, Addr: ln.Addr().String()}
	sc.Bot = sim.AddBot("helper")
	sc.Anna = sim.AddUser("anna", "Anna")
	sc.Guild = sim.AddGuild("home", sc.Bot.ID, sc.Anna)
	sc.Text = sim.AddChannel(sc.Guild, discordsim.Text, "general")
	go func() { _ = sim.Serve(ln) }() // Close ends it; what it returns then says nothing
	t.Cleanup(sim.Close)
	return sc
}

// Hear takes down that the application was handed a message.
func (sc *Scene) Hear(message discordsim.ID) {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	sc.heard = append(sc.heard, message)
}

// Heard returns what the application was handed so far, in that order.
func (sc *Scene) Heard() []discordsim.ID {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	return slices.Clone(sc.heard)
}

// Times is how often the application was handed a message.
func (sc *Scene) Times(message discordsim.ID) int {
	heard := sc.Heard()
	return len(heard) - len(slices.DeleteFunc(heard, func(id discordsim.ID) bool { return id == message }))
}

// Say lets Anna write to the text channel.
func (sc *Scene) Say(t *testing.T, text string) discordsim.ID {
	t.Helper()
	id, err := sc.Post(sc.Anna, sc.Text, text)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// Plant injects a fault on the scene's bot.
func (sc *Scene) Plant(t *testing.T, f discordsim.Fault) discordsim.FaultID {
	t.Helper()
	id, err := sc.Inject(f)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// Await waits until something holds and ends the test when it does not in time. What names it, as in "the guild".
func Await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(Patience); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not in %v", what, Patience)
		}
	}
}

// AwaitHeard waits until the application was handed a message.
func (sc *Scene) AwaitHeard(t *testing.T, message discordsim.ID) {
	t.Helper()
	Await(t, "the application hears "+message.String(), func() bool { return sc.Times(message) > 0 })
}
