package discordjs_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"gapless/discordsim"
	"gapless/discordsim/clients/witness"
)

func TestF80_Incidents(t *testing.T) {
	t.Parallel()
	node(t)
	witness.Gateway(t, "discord.js", func(t *testing.T, sc *witness.Scene) witness.Client { return open(t, sc) })
}

func TestF80_Heartbeats(t *testing.T) {
	t.Parallel()
	node(t)
	witness.Heartbeats(t, "discord.js", func(t *testing.T, sc *witness.Scene) witness.Client { return open(t, sc) })
}

func TestF80_Events(t *testing.T) {
	t.Parallel()
	node(t)
	witness.Events(t, "discord.js", func(t *testing.T, sc *witness.Scene) witness.Client { return open(t, sc) })
}

func TestF80_Refusals(t *testing.T) {
	t.Parallel()
	node(t)
	witness.REST(t, "discord.js", func(t *testing.T, sc *witness.Scene) witness.Client { return open(t, sc) })
}

func TestF80_Receives_sends_replies_and_reacts(t *testing.T) {
	t.Parallel()
	sc := witness.NewScene(t, nil)
	c := open(t, sc)
	asked := sc.Say(t, "hello")
	if m := (<-c.events).Message; m.ID != asked || m.Text != "hello" || m.Name != "anna" || m.Guild != sc.Guild {
		t.Errorf("received %+v", m)
	}
	text, target := sc.Text.String(), asked.String()
	replied := c.must(t, command{Deed: "reply", Channel: text, Message: target, Text: "hello yourself"}).Message
	if m := (<-c.events).Message; m.ID != replied.ID || m.Type != 19 || m.ReplyTo != asked || m.Author != sc.Bot.ID {
		t.Errorf("the reply came back as %+v", m)
	}
	c.must(t, command{Deed: "react", Channel: text, Message: target, Emoji: "👀"})
	if e := <-c.events; e.Kind != "reaction" || e.Emoji != "👀" || e.Message.ID != asked || e.Message.Author != sc.Bot.ID {
		t.Errorf("the reaction came back as %+v", e)
	}
	if truth := sc.In(sc.Text); len(truth) != 2 || truth[1].ReplyTo != asked || truth[1].Content != "hello yourself" {
		t.Errorf("the simulator holds %+v", truth)
	}
}

// Direct messages come from channels no guild announces: discord.js hands them out with the partial for channels only.
func TestDirect_messages_need_a_partial(t *testing.T) {
	t.Parallel()
	for _, partials := range []bool{false, true} {
		t.Run(fmt.Sprint("partials ", partials), func(t *testing.T) {
			t.Parallel()
			sc := witness.NewScene(t, nil)
			openWith(t, sc, command{Partials: partials})
			direct, err := sc.Post(sc.Anna, sc.OpenDM(sc.Anna, sc.Bot.ID), "psst")
			if err != nil {
				t.Fatal(err)
			}
			sc.AwaitHeard(t, sc.Say(t, "hello"))
			if heard := sc.Times(direct) == 1; heard != partials {
				t.Errorf("the direct message was heard: %t", heard)
			}
		})
	}
}

func TestF80_Pages_history_both_ways(t *testing.T) {
	t.Parallel()
	sc := witness.NewScene(t, nil)
	var want []discordsim.ID
	for i := range 12 {
		want = append(want, sc.Say(t, fmt.Sprint("m", i)))
	}
	c := open(t, sc)
	page := func(do command) []discordsim.ID {
		do.Deed, do.Channel, do.Limit = "history", sc.Text.String(), 5
		return c.must(t, do).IDs
	}

	var forward []discordsim.ID
	for after := sc.Text; ; after = forward[len(forward)-1] {
		got := page(command{After: after.String()})
		slices.Reverse(got)
		if forward = append(forward, got...); len(got) < 5 {
			break
		}
	}
	if !slices.Equal(forward, want) {
		t.Errorf("forwards %v, want %v", forward, want)
	}

	var backward []discordsim.ID
	for before := want[11] + 1; ; before = backward[len(backward)-1] {
		got := page(command{Before: before.String()})
		if backward = append(backward, got...); len(got) < 5 {
			break
		}
	}
	slices.Reverse(backward)
	if !slices.Equal(backward, want) {
		t.Errorf("backwards %v, want %v", backward, want)
	}
	if n := sc.Invalid(); n != 0 {
		t.Errorf("six pages cost %d answers of 429; discord.js reads the headers and waits", n)
	}
}

func TestF80_Lists_threads(t *testing.T) {
	t.Parallel()
	sc := witness.NewScene(t, nil)
	for i := range 5 {
		thread, err := sc.StartThread(sc.Anna, sc.Text, fmt.Sprint("talk ", i), discordsim.ThreadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		sc.Archive(thread, i > 0)
		time.Sleep(2 * time.Millisecond) // see below
	}
	c := open(t, sc)
	if got := c.must(t, command{Deed: "active", Guild: sc.Guild.String()}); !slices.Equal(got.Names, []string{"talk 0"}) {
		t.Errorf("active threads %v", got.Names)
	}
	list := command{Deed: "archived", Channel: sc.Text.String(), Limit: 2}
	first := c.must(t, list)
	if !slices.Equal(first.Names, []string{"talk 4", "talk 3"}) || !first.More {
		t.Errorf("first page of archived threads %v, more %t", first.Names, first.More)
	}
	// Given a thread as cursor discord.js sends its time of archiving, in milliseconds and so rounded down: within one
	// millisecond threads are passed over, which is why these are archived apart.
	list.Before = first.IDs[1].String()
	rest := c.must(t, list)
	if !slices.Equal(rest.Names, []string{"talk 2", "talk 1"}) || rest.More {
		t.Errorf("second page of archived threads %v, more %t", rest.Names, rest.More)
	}
}

// Before the first dispatch discord.js says null, as it should. What it does when it is destroyed then, it should not.
func TestHeartbeat_before_READY(t *testing.T) {
	t.Parallel()
	h := node(t)
	// A busy machine must have the ACK there before the next heartbeat: without it the client would leave by itself.
	sc := witness.NewScene(t, &discordsim.Server{HeartbeatInterval: 3 * time.Second, HeartbeatGrace: -1})
	sc.Plant(t, discordsim.Fault{Kind: discordsim.NoReady})
	go func() { // the process answers when the client is ready, which it will not be
		_, _ = h.do(command{Client: sc.Addr, Deed: "open", API: "http://" + sc.Addr + "/api", Token: sc.Bot.Token})
	}()
	witness.Await(t, "a heartbeat", func() bool {
		conns := sc.Connections()
		return len(conns) > 0 && len(conns[0].Heartbeats) > 0
	})
	if seq := sc.Connections()[0].Heartbeats[0].Seq; seq != nil {
		t.Errorf("the heartbeat carries %d, want null", *seq)
	}
	// Destroyed while it waits for READY, it closes the connection and opens another.
	go func() { _, _ = h.do(command{Client: sc.Addr, Deed: "close"}) }()
	witness.Await(t, "a second connection", func() bool { return len(sc.Connections()) > 1 })
	if c := sc.Connections()[0]; c.ClientClose != 1000 {
		t.Errorf("the first connection was closed with %d", c.ClientClose)
	}
}
