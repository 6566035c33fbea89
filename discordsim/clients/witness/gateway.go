package witness

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gapless/discordsim"
)

// Client is a client library as the incidents need it.
type Client interface {
	// Send posts a text, with whatever retries the library makes, and returns its error.
	Send(channel discordsim.ID, text string) error
	// Stopped tells whether the library has given up the gateway for good.
	Stopped() bool
	// Close ends the client the way an application does. It may be called more than once.
	Close()
}

// Connect starts a client on a scene and returns it when the guild is there. Each message the application is handed
// goes to Scene.Hear; the client is closed when the test ends.
type Connect func(t *testing.T, sc *Scene) Client

// incident is one row of the table of connections.
type incident struct {
	name  string
	beat  time.Duration // if zero, Discord's
	deed  func(t *testing.T, sc *Scene, c Client)
	then  func(t *testing.T, sc *Scene) // after the message meanwhile
	quiet bool                          // nothing is written meanwhile
}

// incidents are the rows, in the order of the page.
func incidents() []incident {
	drop := func(sc *Scene) { sc.DropConnections(sc.Bot.ID) }
	all := []incident{
		{name: "TCP reset", deed: func(_ *testing.T, sc *Scene, _ Client) { drop(sc) }},
		{name: "no ACK, no events", beat: time.Second, deed: silence, then: listenAgain},
		{name: "op 7", deed: func(_ *testing.T, sc *Scene, _ Client) { sc.AskReconnect(sc.Bot.ID) }},
		{name: "op 9 true", deed: func(_ *testing.T, sc *Scene, _ Client) { sc.InvalidateSessions(sc.Bot.ID, true) }},
		{name: "op 9 false", deed: func(_ *testing.T, sc *Scene, _ Client) { sc.InvalidateSessions(sc.Bot.ID, false) }},
		{name: "op 9 true on resume", deed: func(t *testing.T, sc *Scene, _ Client) {
			sc.Plant(t, discordsim.Fault{Kind: discordsim.RefuseResume, Count: 1, Resumable: true})
			drop(sc)
		}},
		{name: "op 9 false on resume", deed: func(_ *testing.T, sc *Scene, _ Client) { sc.Expire(sc.Bot.ID) }},
		{name: "4007 on resume", deed: func(t *testing.T, sc *Scene, _ Client) {
			sc.Plant(t, discordsim.Fault{Kind: discordsim.RefuseResume, Count: 1, CloseCode: 4007})
			drop(sc)
		}},
		{name: "resume URL answers 503 twice", deed: func(t *testing.T, sc *Scene, _ Client) {
			sc.Plant(t, discordsim.Fault{Kind: discordsim.RefuseResumeURL, Count: 2})
			drop(sc)
		}},
	}
	for _, code := range []int{1000, 1001, 1011, 4000, 4003, 4005, 4007, 4008, 4009, 4014} {
		all = append(all, incident{name: fmt.Sprint("close ", code),
			deed: func(_ *testing.T, sc *Scene, _ Client) { sc.CloseConnections(sc.Bot.ID, code) }})
	}
	return append(all,
		incident{name: "close without a code", deed: func(_ *testing.T, sc *Scene, _ Client) { sc.CloseConnections(sc.Bot.ID, 0) }},
		incident{name: "token revoked (4004)", quiet: true,
			deed: func(_ *testing.T, sc *Scene, _ Client) { sc.RevokeToken(sc.Bot.ID) }},
		incident{name: "the application closes", quiet: true, deed: func(_ *testing.T, _ *Scene, c Client) { c.Close() }},
	)
}

// silence leaves the connection open and says nothing more on it.
func silence(t *testing.T, sc *Scene, _ Client) {
	sc.Plant(t, discordsim.Fault{Kind: discordsim.NoAck})
	sc.Plant(t, discordsim.Fault{Kind: discordsim.Deaf})
}

// listenAgain ends the silence when the client has left the connection.
func listenAgain(t *testing.T, sc *Scene) {
	Await(t, "the client notices the silence", func() bool { return !sc.Connections()[0].Closed.IsZero() })
	sc.Lift(1)
	sc.Lift(2)
}

// Gateway plays every incident of connections to a client and compares what it does with its column of the page.
func Gateway(t *testing.T, client string, connect Connect) {
	cells := column(t, "connection", client)
	all := incidents()
	names := make([]string, len(all))
	for i, in := range all {
		names[i] = in.name
	}
	account(t, cells, names)
	for _, in := range all {
		t.Run(in.name, func(t *testing.T) {
			t.Parallel()
			in.play(t, cells[in.name], connect)
		})
	}
}

// play lets one incident happen and compares the story and the wait in it with the cell. It happens again when the
// machine was too busy for it to tell anything.
func (in incident) play(t *testing.T, want cell, connect Connect) {
	for try := 1; ; try++ {
		story, d, overtaken := in.happen(t, want.steps, connect)
		fits := d.none() || want.fits(d, 3*time.Second)
		if try < tries && (overtaken || story == want.steps && !fits) {
			continue
		}
		if story != want.steps {
			t.Errorf("the client %s; the page says %q", story, want.steps)
		}
		if !fits {
			t.Errorf("first identify or resume after %v, in each of %d tries; the page says %v", d, try, want.least)
		}
		return
	}
}

// happen lets the incident happen on a scene of its own and waits until the story is the expected one, and stays so.
// It was overtaken if the client was back before the message that it should miss was written.
func (in incident) happen(t *testing.T, want string, connect Connect) (story string, d delay, overtaken bool) {
	sc := NewScene(t, &discordsim.Server{HeartbeatInterval: in.beat, HeartbeatGrace: -1, IdentifyInterval: -1})
	c := connect(t, sc)
	start := time.Now()
	in.deed(t, sc, c)
	var between discordsim.ID
	if !in.quiet {
		between = sc.Say(t, "meanwhile")
		overtaken = !sc.delay(start).none()
	}
	if in.then != nil {
		in.then(t, sc)
	}
	story = sc.settle(t, c, want, between)
	return story, sc.delay(start), overtaken
}

// settle waits until the story reads as wanted, and adds what became of the message meanwhile. When it never does, the
// story as it stands is returned.
func (sc *Scene) settle(t *testing.T, c Client, want string, between discordsim.ID) string {
	t.Helper()
	want, fate := cutFate(want)
	for end := time.Now().Add(Patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if sc.Story() == want && (fate != "stops" || c.Stopped()) {
			break
		}
	}
	story := sc.Story()
	if story == want && (fate == "heard" || fate == "lost") {
		sc.AwaitHeard(t, sc.Say(t, "afterwards"))
		if fate == "heard" {
			sc.AwaitHeard(t, between)
		}
		story = sc.Story()
	}
	switch {
	case fate != "" && c.Stopped():
		story += "; stops"
	case fate != "" && sc.Times(between) == 1:
		story += "; heard"
	case fate != "" && sc.Times(between) == 0:
		story += "; lost"
	case fate != "":
		story += fmt.Sprintf("; heard %d times", sc.Times(between))
	}
	return strings.TrimPrefix(story, "; ")
}

// cutFate takes the last step off when it tells of the message or of giving up.
func cutFate(want string) (steps, fate string) {
	at := max(strings.LastIndex(want, "; "), 0)
	switch last := strings.TrimPrefix(want[at:], "; "); last {
	case "heard", "lost", "stops":
		return want[:at], last
	}
	return want, ""
}
