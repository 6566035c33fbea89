package discordgo_test

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"gapless/discordsim"
	"gapless/discordsim/clients/witness"
)

// This test changes variables of the discordgo package, which sessions of others read even after their tests: it runs in
// a process of its own.
func TestF80_Endpoints_as_variables(t *testing.T) {
	const alone = "GAPLESS_TEST_ALONE"
	if os.Getenv(alone) == "" {
		t.Parallel()
		child := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
		child.Env = append(os.Environ(), alone+"=1")
		if out, err := child.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	sc := witness.NewScene(t, nil)
	endpoints(t, sc.Addr)
	s, err := discordgo.New("Bot " + sc.Bot.Token)
	if err != nil {
		t.Fatal(err)
	}
	start(t, sc, s)
	sc.AwaitHeard(t, sc.Say(t, "hello"))
	if c := sc.Connections()[0]; c.Query != "v=9&encoding=json" {
		t.Errorf("connected with %q, want version 9", c.Query)
	}
}

func TestF80_Receives_sends_replies_and_reacts(t *testing.T) {
	t.Parallel()
	sc := witness.NewScene(t, nil)
	s := open(t, sc)
	got := make(chan *discordgo.MessageCreate, 10)
	s.AddHandler(func(_ *discordgo.Session, m *discordgo.MessageCreate) { got <- m })
	asked := sc.Say(t, "hello")
	if m := <-got; m.Content != "hello" || m.Author.Username != "anna" || m.GuildID != sc.Guild.String() {
		t.Errorf("received %q of %s in guild %s", m.Content, m.Author.Username, m.GuildID)
	}
	reply, err := s.ChannelMessageSendReply(sc.Text.String(), "hello yourself",
		&discordgo.MessageReference{MessageID: asked.String(), ChannelID: sc.Text.String()})
	if err != nil {
		t.Fatal(err)
	}
	if m := <-got; m.ID != reply.ID || m.Type != discordgo.MessageTypeReply || m.ReferencedMessage.Content != "hello" {
		t.Errorf("the reply came back as %s, type %d", m.ID, m.Type)
	}
	reacted := make(chan *discordgo.MessageReactionAdd, 1)
	s.AddHandler(func(_ *discordgo.Session, r *discordgo.MessageReactionAdd) { reacted <- r })
	if err := s.MessageReactionAdd(sc.Text.String(), asked.String(), "👀"); err != nil {
		t.Fatal(err)
	}
	if r := <-reacted; r.MessageID != asked.String() || r.Emoji.Name != "👀" || r.UserID != sc.Bot.ID.String() {
		t.Errorf("the reaction came back as %s on %s", r.Emoji.Name, r.MessageID)
	}
	if truth := sc.In(sc.Text); len(truth) != 2 || truth[1].ReplyTo != asked || truth[1].Content != "hello yourself" {
		t.Errorf("the simulator holds %+v", truth)
	}
}

func TestF80_Pages_history_both_ways(t *testing.T) {
	t.Parallel()
	sc := witness.NewScene(t, nil)
	var want []string
	for i := range 12 {
		want = append(want, sc.Say(t, fmt.Sprint("m", i)).String())
	}
	s := open(t, sc)
	page := func(before, after string) (ids []string) {
		messages, err := s.ChannelMessages(sc.Text.String(), 5, before, after, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range messages {
			ids = append(ids, m.ID)
		}
		return ids
	}

	var forward []string
	for after := sc.Text.String(); ; after = forward[len(forward)-1] {
		got := page("", after)
		slices.Reverse(got)
		if forward = append(forward, got...); len(got) < 5 {
			break
		}
	}
	if !slices.Equal(forward, want) {
		t.Errorf("forwards %v, want %v", forward, want)
	}

	var backward []string
	for before := ""; ; before = backward[len(backward)-1] {
		got := page(before, "")
		if backward = append(backward, got...); len(got) < 5 {
			break
		}
	}
	slices.Reverse(backward)
	if !slices.Equal(backward, want) {
		t.Errorf("backwards %v, want %v", backward, want)
	}
	// It reads the headers and waits, a millisecond too short at times, for it rounds down.
	if n := sc.Invalid(); n > 1 {
		t.Errorf("six pages cost %d answers of 429", n)
	}
}

// threads makes an active thread and a number of archived ones.
func threads(t *testing.T, sc *witness.Scene, archived int) {
	t.Helper()
	for i := range archived + 1 {
		thread, err := sc.StartThread(sc.Anna, sc.Text, fmt.Sprint("talk ", i), discordsim.ThreadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		sc.Archive(thread, i > 0)
	}
}

func TestF80_Lists_threads(t *testing.T) {
	t.Parallel()
	sc := witness.NewScene(t, nil)
	threads(t, sc, 3)
	s := open(t, sc)
	active, err := s.GuildThreadsActive(sc.Guild.String())
	if err != nil || len(active.Threads) != 1 || active.Threads[0].Name != "talk 0" {
		t.Errorf("active threads %+v, %v", active, err)
	}
	archived, err := s.ThreadsArchived(sc.Text.String(), nil, 2)
	if err != nil || len(archived.Threads) != 2 || archived.Threads[0].Name != "talk 3" || !archived.HasMore {
		t.Errorf("archived threads %+v, %v", archived, err)
	}
}

// discordgo writes the cursor of archived threads in whole seconds, so threads archived in the second of the cursor are
// passed over.
func TestArchived_pages_skip_the_second_of_the_cursor(t *testing.T) {
	t.Parallel()
	var sc *witness.Scene
	for busy := true; busy; { // until all are archived in one second
		sc = witness.NewScene(t, nil)
		second := time.Now().Truncate(time.Second).Add(time.Second)
		time.Sleep(time.Until(second))
		threads(t, sc, 4)
		busy = time.Since(second) > 900*time.Millisecond
	}
	s := open(t, sc)
	first, err := s.ThreadsArchived(sc.Text.String(), nil, 2)
	if err != nil || len(first.Threads) != 2 || !first.HasMore {
		t.Fatalf("first page %+v, %v", first, err)
	}
	cursor := first.Threads[1].ThreadMetadata.ArchiveTimestamp
	rest, err := s.ThreadsArchived(sc.Text.String(), &cursor, 2)
	if err != nil || len(rest.Threads) != 0 {
		t.Errorf("second page %+v, %v: discordgo used to miss two threads here", rest, err)
	}
}

// discordgo sends no heartbeat before READY, so a gateway that is slow to answer an identify loses it.
func TestNo_heartbeat_before_READY(t *testing.T) {
	t.Parallel()
	sc := witness.NewScene(t, &discordsim.Server{HeartbeatInterval: 200 * time.Millisecond})
	sc.Plant(t, discordsim.Fault{Kind: discordsim.NoReady})
	if err := fresh(t, sc).Open(); err == nil {
		t.Error("opened without READY")
	}
	if c := sc.Connections()[0]; len(c.Heartbeats) != 0 || c.ServerClose != 4000 {
		t.Errorf("%d heartbeats, closed by the simulator with %d; want none and 4000", len(c.Heartbeats), c.ServerClose)
	}
}
