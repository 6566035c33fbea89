package witness

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gapless/discordsim"
)

// posts is the route the requests of this file are made to.
const posts = "/channels/{channel}/messages"

// refusal is one row of the table of requests: what the first POST of a message meets.
type refusal struct {
	name  string
	fault discordsim.Fault
}

// refusals are the rows, in the order of the page. The 429s ask for 1.1 s in the body and 2 s in the header, so that the
// waits tell which of the two was read.
func refusals() []refusal {
	limited := func(f discordsim.Fault) discordsim.Fault {
		f.Kind, f.Delay, f.Count = discordsim.Limited, 1100*time.Millisecond, 1
		return f
	}
	all := []refusal{
		{"429 user", limited(discordsim.Fault{})},
		{"429 shared", limited(discordsim.Fault{Scope: "shared"})},
		{"429 global", limited(discordsim.Fault{Scope: "global"})},
		{"429, Retry-After 1.1", limited(discordsim.Fault{RetryAfter: "1.1"})},
		{"429 without Retry-After", limited(discordsim.Fault{RetryAfter: "-"})},
		{"429 of Cloudflare", discordsim.Fault{Kind: discordsim.Banned, Delay: 2 * time.Second, Count: 1}},
	}
	for _, status := range []int{500, 502, 503, 504} {
		all = append(all, refusal{fmt.Sprint(status), discordsim.Fault{Kind: discordsim.Fail, Status: status, Count: 1}})
	}
	return append(all,
		refusal{"502 for ever", discordsim.Fault{Kind: discordsim.Fail, Status: 502}},
		refusal{"500 after the deed", discordsim.Fault{Kind: discordsim.FailAfter, Status: 500, Count: 1}},
		refusal{"502 after the deed", discordsim.Fault{Kind: discordsim.FailAfter, Status: 502, Count: 1}},
		refusal{"reset before the deed", discordsim.Fault{Kind: discordsim.Reset, Count: 1}},
		refusal{"reset after the deed", discordsim.Fault{Kind: discordsim.ResetAfter, Count: 1}},
	)
}

// REST plays every refusal to a client that posts a message and compares what it does with its column of the page.
func REST(t *testing.T, client string, connect Connect) {
	cells := column(t, "request", client)
	all := refusals()
	names := make([]string, len(all))
	for i, r := range all {
		names[i] = r.name
	}
	account(t, cells, names)
	for _, r := range all {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			r.play(t, cells[r.name], connect)
		})
	}
}

func (r refusal) play(t *testing.T, want cell, connect Connect) {
	r.fault.Match = discordsim.Match{Method: "POST", Route: posts}
	for try := 1; ; try++ {
		sc := NewScene(t, nil)
		c := connect(t, sc)
		sc.Plant(t, r.fault)
		failed := c.Send(sc.Text, "hello")
		got, waited := sc.posted(failed)
		if got != want.steps {
			t.Errorf("the client %s (%v); the page says %q", got, failed, want.steps)
			return
		}
		if waited < 0 || want.fits(exactly(waited), 800*time.Millisecond) {
			return
		}
		if try == tries {
			t.Errorf("tried again after %v, in each of %d tries; the page says %v", waited, try, want.least)
			return
		}
	}
}

// posted tells how often a message was posted, how that ended and how many messages came of it, and the time between the
// first two tries, negative when there was one only.
func (sc *Scene) posted(failed error) (story string, waited time.Duration) {
	var at []time.Time
	for _, q := range sc.Requests() {
		if q.Method == "POST" && q.Route == posts {
			at = append(at, q.At)
		}
	}
	waited = -1
	var steps []string
	switch {
	case len(at) == 2:
		steps = append(steps, "tries again")
	case len(at) > 2:
		steps = append(steps, fmt.Sprintf("tries %d times again", len(at)-1))
	}
	if len(at) > 1 {
		waited = at[1].Sub(at[0])
	}
	if failed != nil {
		steps = append(steps, "error")
	}
	steps = append(steps, map[int]string{0: "not posted", 1: "posted", 2: "posted twice"}[len(sc.In(sc.Text))])
	return strings.Join(steps, "; "), waited
}
