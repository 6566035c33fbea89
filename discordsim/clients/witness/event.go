package witness

import (
	"fmt"
	"testing"
	"time"

	"gapless/discordsim"
)

// mishap is one row of the table of events: what befalls the dispatch of one message.
type mishap struct {
	name   string
	fault  discordsim.Fault
	thread bool          // the message is written in a thread that was there before the client
	beat   time.Duration // if zero, Discord's
}

// mishaps are the rows, in the order of the page.
func mishaps() []mishap {
	on := func(kind discordsim.Kind) discordsim.Fault {
		return discordsim.Fault{Kind: kind, Count: 1, Match: discordsim.Match{Event: "MESSAGE_CREATE"}}
	}
	return []mishap{
		{name: "the same dispatch twice", fault: on(discordsim.Duplicate)},
		{name: "the same message with a new s", fault: on(discordsim.Repeat)},
		{name: "an event of an unknown type before it", fault: on(discordsim.Unknown)},
		{name: "cut JSON instead of it", fault: on(discordsim.Malformed), beat: 5 * time.Second},
		{name: "a list as its d", fault: on(discordsim.Undecodable)},
		{name: "a megabyte more in it", fault: func() discordsim.Fault {
			f := on(discordsim.Huge)
			f.Size = 1 << 20
			return f
		}()},
		{name: "no guild_id in it", fault: func() discordsim.Fault {
			f := on(discordsim.Strip)
			f.Field = "guild_id"
			return f
		}()},
		{name: "lost on the wire, a hole in s", fault: on(discordsim.Drop)},
		{name: "its thread was never announced", fault: discordsim.Fault{Kind: discordsim.OmitThreads}, thread: true},
	}
}

// Events lets every mishap befall a message and compares what the application gets to hear with its column of the page.
func Events(t *testing.T, client string, connect Connect) {
	cells := column(t, "event", client)
	all := mishaps()
	names := make([]string, len(all))
	for i, m := range all {
		names[i] = m.name
	}
	account(t, cells, names)
	for _, m := range all {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			m.play(t, cells[m.name].steps, connect)
		})
	}
}

func (m mishap) play(t *testing.T, want string, connect Connect) {
	sc := NewScene(t, &discordsim.Server{HeartbeatInterval: m.beat, HeartbeatGrace: -1, IdentifyInterval: -1})
	place := sc.Text
	if m.thread {
		var err error
		if place, err = sc.StartThread(sc.Anna, sc.Text, "side talk", discordsim.ThreadOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	sc.Plant(t, m.fault)
	connect(t, sc)
	struck, err := sc.Post(sc.Anna, place, "struck")
	if err != nil {
		t.Fatal(err)
	}
	after := sc.Say(t, "afterwards")
	for end := time.Now().Add(Patience); sc.fate(struck, after) != want && time.Now().Before(end); {
		time.Sleep(5 * time.Millisecond)
	}
	if got := sc.fate(struck, after); got != want {
		t.Errorf("the message is %s; the page says %q", got, want)
	}
}

// fate tells what the client did, how often the application heard a message, and whether it heard the one after it.
func (sc *Scene) fate(struck, after discordsim.ID) string {
	story := sc.Story()
	if story != "" {
		story += "; "
	}
	switch n := sc.Times(struck); {
	case n == 0 && sc.Times(0) > 0:
		story += "heard without content"
	case n == 0:
		story += "lost"
	case n == 1:
		story += "heard"
	default:
		story += fmt.Sprintf("heard %d times", n)
	}
	if sc.Times(after) == 0 {
		story += "; the next too"
	}
	return story
}
