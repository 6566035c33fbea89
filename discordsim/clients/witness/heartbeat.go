package witness

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"gapless/discordsim"
)

// Heartbeats watches when a client sends op 1 and compares it with its column of the table of heartbeats.
func Heartbeats(t *testing.T, client string, connect Connect) {
	cells := column(t, "heartbeat", client)
	observe := map[string]func(*testing.T, Connect) string{
		"first of a connection": first,
		"asked for by op 1":     asked,
	}
	account(t, cells, []string{"first of a connection", "asked for by op 1"})
	for name, look := range observe {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := cells[name].steps
			got := look(t, connect)
			for try := 1; try < tries && got != want; try++ {
				got = look(t, connect)
			}
			if got != want {
				t.Errorf("the heartbeat comes %s, in the last of %d tries; the page says %q", got, tries, want)
			}
		})
	}
}

// first tells when the first heartbeat comes after READY and after RESUMED, from several clients.
func first(t *testing.T, connect Connect) string {
	const interval, clients = 3 * time.Second, 8
	var mu sync.Mutex
	var all []delay
	t.Run("connections", func(t *testing.T) { // returns when all have their heartbeats
		for i := range clients {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				sc := NewScene(t, &discordsim.Server{HeartbeatInterval: interval, HeartbeatGrace: -1, IdentifyInterval: -1})
				connect(t, sc)
				ready := sc.firstBeat(t, 0)
				sc.DropConnections(0)
				resumed := sc.firstBeat(t, 1)
				mu.Lock()
				defer mu.Unlock()
				all = append(all, ready, resumed)
			})
		}
	})
	return habit(all, interval)
}

// firstBeat waits for the first heartbeat of a client after a number of connections. It began to wait for it between the
// beginning of its connection and its identify or resume.
func (sc *Scene) firstBeat(t *testing.T, after int) (d delay) {
	t.Helper()
	Await(t, "a first heartbeat", func() bool {
		for _, c := range sc.Connections()[after:] {
			if made := attempts(c); len(made) > 0 && len(c.Heartbeats) > 0 {
				at := c.Heartbeats[0].At
				d = delay{at.Sub(made[len(made)-1].at), at.Sub(c.Opened)}
				return true
			}
		}
		return false
	})
	return d
}

// habit tells what waits for a first heartbeat have in common. A busy machine makes some of them longer, so what is
// looked at is how short they can be; that random ones are all in the same half is one in thousands.
func habit(waits []delay, interval time.Duration) string {
	earliest := func(a, b delay) int { return cmp.Compare(a.least, b.least) }
	switch least, most := slices.MinFunc(waits, earliest).least, slices.MaxFunc(waits, earliest).least; {
	case most < interval/2:
		return "at once"
	case least > interval*3/2:
		return "after " + least.String()
	case !slices.ContainsFunc(waits, func(d delay) bool { return d.most < interval*9/10 }):
		return "after one interval"
	default:
		return "after a random part of an interval"
	}
}

// asked tells what the answer to op 1 is.
func asked(t *testing.T, connect Connect) string {
	sc := NewScene(t, &discordsim.Server{HeartbeatInterval: 30 * time.Second})
	connect(t, sc)
	before := len(sc.Connections()[0].Heartbeats)
	start := time.Now()
	sc.AskHeartbeat(0)
	Await(t, "an answer to op 1", func() bool { return len(sc.Connections()[0].Heartbeats) > before })
	answer := sc.Connections()[0].Heartbeats[before]
	switch last := sc.Sessions()[0].Seq; {
	case answer.At.Sub(start) >= time.Second:
		return "after " + answer.At.Sub(start).String()
	case answer.Seq == nil:
		return "at once, with null"
	case *answer.Seq != last:
		return "at once, with an old s"
	}
	return "at once, with the last s"
}
