package disgo_test

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"slices"
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

// scene is a simulator on a socket and a stock disgo client that is connected to it.
type scene struct {
	*discordsim.Server
	client  *bot.Client
	bot     discordsim.Bot
	anna    discordsim.ID
	text    discordsim.ID
	heard   chan discord.Message
	guilds  chan snowflake.ID
	readies chan string
}

// connect starts both and waits for the guild.
func connect(t *testing.T, compression gateway.CompressionType) *scene {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	sc := &scene{Server: &discordsim.Server{IdentifyInterval: -1},
		heard: make(chan discord.Message, 100), guilds: make(chan snowflake.ID, 10), readies: make(chan string, 10)}
	sc.bot = sc.AddBot("helper")
	sc.anna = sc.AddUser("anna", "Anna")
	guild := sc.AddGuild("home", sc.bot.ID, sc.anna)
	sc.text = sc.AddChannel(guild, discordsim.Text, "general")
	for i, kind := range []discordsim.ChannelType{discordsim.Voice, discordsim.Category, discordsim.Announcement,
		discordsim.Stage, discordsim.Forum, discordsim.Media} {
		sc.AddChannel(guild, kind, fmt.Sprint("other ", i))
	}
	go func() { _ = sc.Serve(ln) }()
	t.Cleanup(sc.Close)

	sc.client, err = disgo.New(sc.bot.Token,
		bot.WithLogger(slog.New(slog.DiscardHandler)),
		bot.WithRestClientConfigOpts(rest.WithURL("http://"+ln.Addr().String()+"/api/v10")),
		bot.WithGatewayConfigOpts(gateway.WithIntents(gateway.IntentGuilds, gateway.IntentGuildMessages,
			gateway.IntentDirectMessages, gateway.IntentMessageContent), gateway.WithCompression(compression)),
		bot.WithEventListenerFunc(func(e *events.Ready) { sc.readies <- e.SessionID }),
		bot.WithEventListenerFunc(func(e *events.GuildReady) { sc.guilds <- e.Guild.ID }),
		bot.WithEventListenerFunc(func(e *events.MessageCreate) { sc.heard <- e.Message }),
	)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), witness.Patience)
		defer cancel()
		sc.client.Close(ctx)
	})
	if err := sc.client.OpenGateway(t.Context()); err != nil {
		t.Fatal(err)
	}
	if id := wait(t, sc.guilds); id != snowflake.ID(guild) {
		t.Fatalf("guild %d is ready, want %d", id, guild)
	}
	return sc
}

func wait[T any](t *testing.T, from <-chan T) T {
	t.Helper()
	select {
	case got := <-from:
		return got
	case <-time.After(witness.Patience):
		t.Fatal("nothing came")
		panic("unreachable")
	}
}

func (sc *scene) post(t *testing.T, text string) snowflake.ID {
	t.Helper()
	id, err := sc.Post(sc.anna, sc.text, text)
	if err != nil {
		t.Fatal(err)
	}
	return snowflake.ID(id)
}

func TestF80_Disgo_receives_and_sends(t *testing.T) {
	for _, compression := range []gateway.CompressionType{gateway.CompressionNone, gateway.CompressionZlibPayload,
		gateway.CompressionZlibStream, gateway.CompressionZstdStream} {
		t.Run("compression "+compression.String(), func(t *testing.T) {
			sc := connect(t, compression)
			id := sc.post(t, "hello")
			if m := wait(t, sc.heard); m.ID != id || m.Content != "hello" || m.Author.Username != "anna" {
				t.Errorf("heard %d %q of %s", m.ID, m.Content, m.Author.Username)
			}
			sent, err := sc.client.Rest.CreateMessage(snowflake.ID(sc.text), discord.MessageCreate{Content: "hello yourself",
				Nonce: "n1", EnforceNonce: true, MessageReference: &discord.MessageReference{MessageID: &id}})
			if err != nil {
				t.Fatal(err)
			}
			if m := wait(t, sc.heard); m.ID != sent.ID || m.Type != discord.MessageTypeReply {
				t.Errorf("own message came back as %d, type %d", m.ID, m.Type)
			}
			if truth := sc.In(sc.text); len(truth) != 2 || truth[1].ReplyTo != discordsim.ID(id) {
				t.Errorf("the simulator holds %+v", truth)
			}
		})
	}
}

func TestF80_Disgo_resumes_after_a_cut(t *testing.T) {
	sc := connect(t, gateway.CompressionZstdStream)
	session := wait(t, sc.readies)
	sc.DropConnections(0)
	id := sc.post(t, "missed")
	if m := wait(t, sc.heard); m.ID != id {
		t.Errorf("heard %d, want the missed %d", m.ID, id)
	}
	resumes := slices.Concat(collect(sc.Connections(), func(c discordsim.Connection) []discordsim.Resume { return c.Resumes })...)
	if len(resumes) != 1 || resumes[0].Session != session || resumes[0].Result != "RESUMED" || resumes[0].Replayed != 1 {
		t.Errorf("resumes on record: %+v", resumes)
	}
	if sessions := sc.Sessions(); len(sessions) != 1 || !sessions[0].Connected {
		t.Errorf("sessions on record: %+v", sessions)
	}
}

func collect[A, B any](list []A, of func(A) B) (all []B) {
	for _, a := range list {
		all = append(all, of(a))
	}
	return all
}

func TestF80_Disgo_pages_history_both_ways(t *testing.T) {
	sc := connect(t, gateway.CompressionZlibStream)
	var want []snowflake.ID
	for i := range 12 {
		want = append(want, sc.post(t, fmt.Sprint("m", i)))
	}
	ids := func(page []discord.Message) []snowflake.ID {
		return collect(page, func(m discord.Message) snowflake.ID { return m.ID })
	}

	var forward []snowflake.ID
	page := sc.client.Rest.GetMessagesPage(snowflake.ID(sc.text), snowflake.ID(sc.text), 5)
	for page.Next() {
		older := ids(page.Items)
		slices.Reverse(older)
		forward = append(forward, older...)
	}
	if !slices.Equal(forward, want) {
		t.Errorf("forwards %v (%v), want %v", forward, page.Err, want)
	}

	var backward []snowflake.ID
	page = sc.client.Rest.GetMessagesPage(snowflake.ID(sc.text), want[11]+1, 5)
	for page.Previous() {
		backward = append(backward, ids(page.Items)...)
	}
	slices.Reverse(backward)
	if !slices.Equal(backward, want) {
		t.Errorf("backwards %v (%v), want %v", backward, page.Err, want)
	}
}

func TestF80_Disgo_reads_guild_threads_and_direct_messages(t *testing.T) {
	sc := connect(t, gateway.CompressionNone)
	dm := sc.OpenDM(sc.anna, sc.bot.ID)
	if _, err := sc.Post(sc.anna, dm, "psst"); err != nil {
		t.Fatal(err)
	}
	if m := wait(t, sc.heard); m.Content != "psst" || m.GuildID != nil {
		t.Errorf("direct message %q of guild %v", m.Content, m.GuildID)
	}
	opened, err := sc.client.Rest.CreateDMChannel(snowflake.ID(sc.anna))
	if err != nil || opened.ID() != snowflake.ID(dm) {
		t.Errorf("direct channel %v, %v, want %d", opened, err, dm)
	}
	thread, err := sc.client.Rest.CreateThread(snowflake.ID(sc.text), discord.GuildPublicThreadCreate{Name: "side talk"})
	if err != nil {
		t.Fatal(err)
	}
	active, err := sc.client.Rest.GetActiveGuildThreads(thread.GuildID())
	if err != nil || len(active.Threads) != 1 || active.Threads[0].ID() != thread.ID() {
		t.Errorf("active threads %+v, %v", active, err)
	}
	channels, err := sc.client.Rest.GetGuildChannels(thread.GuildID())
	if err != nil || len(channels) != 7 {
		t.Errorf("%d channels, %v", len(channels), err)
	}
}
