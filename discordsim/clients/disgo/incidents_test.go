package disgo_test

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/disgoorg/disgo"
	"github.com/disgoorg/disgo/bot"
	"github.com/disgoorg/disgo/discord"
	"github.com/disgoorg/disgo/events"
	"github.com/disgoorg/disgo/gateway"
	"github.com/disgoorg/disgo/rest"
	"github.com/disgoorg/snowflake/v2"

	"gapless/discordsim"
	"gapless/discordsim/clients/witness"
)

// TestMain lets many incidents wait side by side: they spend their time on timers, not on the processor.
// Under the race detector none is played: disgo has data races of its own whenever it connects.
func TestMain(m *testing.M) {
	flag.Parse()
	if raceDetector {
		fmt.Println("skipped: the race detector finds fault with disgo itself")
		return
	}
	if err := flag.Set("test.parallel", "16"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// subject is a stock disgo client as the witness needs it.
type subject struct {
	*bot.Client
	gaveUp chan struct{}
	closed *sync.Once // a second Close of disgo waits for ever
}

// Send posts a text.
func (s subject) Send(channel discordsim.ID, text string) error {
	_, err := s.Rest.CreateMessage(snowflake.ID(channel), discord.MessageCreate{Content: text})
	return err
}

// Stopped tells whether disgo called the close handler, which it does when it will not reconnect.
func (s subject) Stopped() bool {
	select {
	case <-s.gaveUp:
		return true
	default:
		return false
	}
}

// Close ends the client.
func (s subject) Close() {
	s.closed.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), witness.Patience)
		defer cancel()
		s.Client.Close(ctx)
	})
}

// open starts a client on a scene and waits for its guild.
func open(t *testing.T, sc *witness.Scene) witness.Client {
	t.Helper()
	guilds := make(chan snowflake.ID, 10)
	s := fresh(t, sc, bot.WithEventListenerFunc(func(e *events.GuildReady) { guilds <- e.Guild.ID }))
	if err := s.OpenGateway(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := wait(t, guilds); got != snowflake.ID(sc.Guild) {
		t.Fatalf("guild %s came, want %s", got, sc.Guild)
	}
	return s
}

// fresh makes a client for a scene, which the end of the test closes.
func fresh(t *testing.T, sc *witness.Scene, more ...bot.ConfigOpt) subject {
	t.Helper()
	gaveUp := make(chan struct{})
	client, err := disgo.New(sc.Bot.Token, append(more,
		bot.WithLogger(slog.New(slog.DiscardHandler)),
		bot.WithRestClientConfigOpts(rest.WithURL("http://"+sc.Addr+"/api/v10")),
		bot.WithGatewayConfigOpts(gateway.WithIntents(gateway.IntentGuilds, gateway.IntentGuildMessages,
			gateway.IntentGuildMessageReactions, gateway.IntentMessageContent), gateway.WithCloseHandler(func(gateway.Gateway, error, bool) { close(gaveUp) })),
		bot.WithEventListenerFunc(func(e *events.MessageCreate) { sc.Hear(discordsim.ID(e.Message.ID)) }),
	)...)
	if err != nil {
		t.Fatal(err)
	}
	s := subject{client, gaveUp, new(sync.Once)}
	t.Cleanup(s.Close)
	return s
}

func TestF80_Disgo_incidents(t *testing.T) {
	t.Parallel()
	witness.Gateway(t, "disgo", open)
}

func TestF80_Disgo_heartbeats(t *testing.T) {
	t.Parallel()
	witness.Heartbeats(t, "disgo", open)
}

func TestF80_Disgo_events(t *testing.T) {
	t.Parallel()
	witness.Events(t, "disgo", open)
}

func TestF80_Disgo_refusals(t *testing.T) {
	t.Parallel()
	witness.REST(t, "disgo", open)
}

// Before the first dispatch disgo says null, as it should; version 0.18 panicked instead.
func TestDisgo_heartbeat_before_READY(t *testing.T) {
	t.Parallel()
	sc := witness.NewScene(t, &discordsim.Server{HeartbeatInterval: 200 * time.Millisecond, HeartbeatGrace: -1})
	sc.Plant(t, discordsim.Fault{Kind: discordsim.NoReady})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	s := fresh(t, sc)
	go func() { ended <- s.OpenGateway(ctx) }()
	witness.Await(t, "a heartbeat", func() bool {
		conns := sc.Connections()
		return len(conns) > 0 && len(conns[0].Heartbeats) > 0
	})
	if seq := sc.Connections()[0].Heartbeats[0].Seq; seq != nil {
		t.Errorf("the heartbeat carries %d, want null", *seq)
	}
	cancel()
	if err := <-ended; err == nil {
		t.Error("opened without READY")
	}
}

func TestF80_Disgo_reacts_and_lists_archived_threads(t *testing.T) {
	t.Parallel()
	sc := witness.NewScene(t, nil)
	for i := range 2 {
		thread, err := sc.StartThread(sc.Anna, sc.Text, fmt.Sprint("talk ", i), discordsim.ThreadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		sc.Archive(thread, i > 0)
	}
	message := sc.Say(t, "hello")
	reacted := make(chan *events.MessageReactionAdd, 1)
	s := fresh(t, sc, bot.WithEventListenerFunc(func(e *events.MessageReactionAdd) { reacted <- e }))
	if err := s.OpenGateway(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Rest.AddReaction(snowflake.ID(sc.Text), snowflake.ID(message), "👀"); err != nil {
		t.Fatal(err)
	}
	if r := wait(t, reacted); r.MessageID != snowflake.ID(message) || *r.Emoji.Name != "👀" {
		t.Errorf("the reaction came back as %v on %d", r.Emoji.Name, r.MessageID)
	}
	archived, err := s.Rest.GetPublicArchivedThreads(snowflake.ID(sc.Text), time.Time{}, 2)
	if err != nil || len(archived.Threads) != 1 || archived.Threads[0].Name() != "talk 1" {
		t.Errorf("archived threads %+v, %v", archived, err)
	}
}
