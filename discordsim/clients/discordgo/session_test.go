package discordgo_test

import (
	"context"
	"errors"
	"flag"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/bwmarrin/discordgo"

	"gapless/discordsim"
	"gapless/discordsim/clients/witness"
)

// TestMain lets many incidents wait side by side: they spend their time on timers, not on the processor.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "16"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// detour sends requests for Discord to the simulator. It is the other way to change base URLs: the endpoints of
// discordgo are variables of the package and would be shared by all tests that run at once.
type detour struct{ to string }

// RoundTrip keeps the path of a request and changes its host.
func (d detour) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Scheme, r.URL.Host = "http", d.to
	r.Host = d.to
	return http.DefaultTransport.RoundTrip(r)
}

// session is a stock discordgo session as the witness needs it.
type session struct {
	*discordgo.Session
}

// Send posts a text.
func (s session) Send(channel discordsim.ID, text string) error {
	_, err := s.ChannelMessageSend(channel.String(), text)
	return err
}

// Stopped is false for ever: discordgo has no such state.
func (session) Stopped() bool { return false }

// Close ends the session; discordgo sleeps a second in it.
func (s session) Close() { _ = s.Session.Close() }

// open starts a session on a scene and waits for its guild.
func open(t *testing.T, sc *witness.Scene) session {
	t.Helper()
	return start(t, sc, fresh(t, sc))
}

// fresh makes a session for a scene.
func fresh(t *testing.T, sc *witness.Scene) *discordgo.Session {
	t.Helper()
	s, err := discordgo.New("Bot " + sc.Bot.Token)
	if err != nil {
		t.Fatal(err)
	}
	s.LogLevel = -1
	s.Client.Transport = detour{sc.Addr}
	return s
}

// start connects a session and waits for its guild.
func start(t *testing.T, sc *witness.Scene, s *discordgo.Session) session {
	t.Helper()
	s.Identify.Intents = discordgo.IntentsAllWithoutPrivileged | discordgo.IntentMessageContent
	guilds := make(chan string, 10)
	s.AddHandler(func(_ *discordgo.Session, g *discordgo.GuildCreate) { guilds <- g.ID })
	s.AddHandler(func(_ *discordgo.Session, m *discordgo.MessageCreate) { sc.Hear(id(t, m.ID)) })
	hangUp := dialed(s)
	if err := s.Open(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		hangUp()
		go session{s}.Close() // it would sleep a second for nothing
	})
	if got := <-guilds; got != sc.Guild.String() {
		t.Fatalf("guild %s came, want %s", got, sc.Guild)
	}
	// A connection that ends while discordgo is about to send its first heartbeat makes it close the next one with 1000.
	witness.Await(t, "the first heartbeat", func() bool { return len(sc.Connections()[0].Heartbeats) > 0 })
	return session{s}
}

// dialed gives the session a dialer that fails once hangUp is called: it would go on reconnecting after its test.
// ShouldReconnectOnError is read without a lock, so it cannot be changed while the session lives.
func dialed(s *discordgo.Session) (hangUp func()) {
	var ended atomic.Bool
	dialer := *s.Dialer
	dialer.NetDialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		if ended.Load() {
			return nil, errors.New("the test is over")
		}
		return new(net.Dialer).DialContext(ctx, network, addr)
	}
	s.Dialer = &dialer
	return func() { ended.Store(true) }
}

// id reads an id; discordgo hands out messages it could not decode without any, which is zero here.
func id(t *testing.T, text string) discordsim.ID {
	if text == "" {
		return 0
	}
	got, err := discordsim.ParseID(text)
	if err != nil {
		t.Errorf("discordgo hands out the id %q: %v", text, err)
	}
	return got
}

func TestF80_Incidents(t *testing.T) {
	t.Parallel()
	witness.Gateway(t, "discordgo", func(t *testing.T, sc *witness.Scene) witness.Client { return open(t, sc) })
}

func TestF80_Heartbeats(t *testing.T) {
	t.Parallel()
	witness.Heartbeats(t, "discordgo", func(t *testing.T, sc *witness.Scene) witness.Client { return open(t, sc) })
}

func TestF80_Events(t *testing.T) {
	t.Parallel()
	witness.Events(t, "discordgo", func(t *testing.T, sc *witness.Scene) witness.Client { return open(t, sc) })
}

func TestF80_Refusals(t *testing.T) {
	t.Parallel()
	witness.REST(t, "discordgo", func(t *testing.T, sc *witness.Scene) witness.Client { return open(t, sc) })
}

// endpoints points the variables of the package at the simulator, for the rest of the process.
func endpoints(t *testing.T, addr string) {
	t.Helper()
	for _, v := range []*string{
		&discordgo.EndpointDiscord, &discordgo.EndpointAPI, &discordgo.EndpointGuilds, &discordgo.EndpointChannels,
		&discordgo.EndpointUsers, &discordgo.EndpointGateway, &discordgo.EndpointGatewayBot,
		&discordgo.EndpointWebhooks, &discordgo.EndpointApplications,
	} {
		u, err := url.Parse(*v)
		if err != nil {
			t.Fatal(err)
		}
		*v = strings.Replace(*v, u.Scheme+"://"+u.Host, "http://"+addr, 1)
	}
}
