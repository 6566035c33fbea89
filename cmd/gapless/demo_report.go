package main

import (
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"gapless/discordsim"
)

// demoReport is what a demonstration came to, counted from what the simulated
// Discord holds, never from what the daemon says of itself.
type demoReport struct {
	Sent         int              `json:"sent"`          // messages meant for the bot
	AnsweredOnce int              `json:"answered_once"` // with exactly one answer that refers to it
	Lost         int              `json:"lost"`
	Twice        int              `json:"twice"`
	OutOfOrder   int              `json:"out_of_order"` // answers in a channel before the answer to an older message
	Seconds      float64          `json:"-"`
	Incidents    []incidentReport `json:"incidents"`
}

// incidentReport is what one incident came to.
type incidentReport struct {
	Name      string  `json:"name"`
	Missed    int     `json:"missed"` // said while the daemon could not hear or handle it
	Recovered int     `json:"recovered"`
	Lost      int     `json:"lost"`
	Twice     int     `json:"twice"`
	RESTCalls int     `json:"rest_calls"` // of any kind but posting answers, until all was answered
	Seconds   float64 `json:"seconds"`    // from the end of the incident until all was answered
}

func (r demoReport) kept() bool {
	return r.Lost == 0 && r.Twice == 0 && r.OutOfOrder == 0 && r.Sent > 0
}

// tally counts the answers to what was said.
type tally struct {
	answers    map[discordsim.ID]int
	unanswered int
	disordered int
}

// count reads the truth.
func (s *stage) count() tally {
	t := tally{answers: map[discordsim.ID]int{}}
	latest := map[discordsim.ID]discordsim.ID{} // of each place, the newest message answered so far
	for _, m := range s.sim.Messages() {
		if m.Author != s.world.Bot || m.ReplyTo == 0 {
			continue
		}
		t.answers[m.ReplyTo]++
		if t.answers[m.ReplyTo] > 1 {
			continue
		}
		if m.ReplyTo < latest[m.Channel] {
			t.disordered++
		}
		latest[m.Channel] = max(latest[m.Channel], m.ReplyTo)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, u := range s.sent {
		if t.answers[u.id] == 0 {
			t.unanswered++
		}
	}
	return t
}

// open is how many of an incident's missed messages have no answer.
func (s *stage) open(incident string) int {
	t := s.count()
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, u := range s.sent {
		if u.incident == incident && t.answers[u.id] == 0 {
			n++
		}
	}
	return n
}

// missed is how many messages were missed in these incidents.
func (s *stage) missed(incidents []string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, u := range s.sent {
		if slices.Contains(incidents, u.incident) {
			n++
		}
	}
	return n
}

// report counts everything.
func (s *stage) report(took time.Duration) demoReport {
	t := s.count()
	r := demoReport{OutOfOrder: t.disordered, Seconds: tenths(took)}
	s.mu.Lock()
	defer s.mu.Unlock()
	by := map[string]*incidentReport{}
	for _, a := range acts {
		for _, name := range a.incidents {
			p := s.runs[name]
			by[name] = &incidentReport{Name: name, Seconds: tenths(p.closed.Sub(p.mended)), RESTCalls: s.calls(a, name)}
		}
	}
	for _, u := range s.sent {
		r.add(t.answers[u.id], by[u.incident])
	}
	for _, a := range acts {
		for _, name := range a.incidents {
			r.Incidents = append(r.Incidents, *by[name])
		}
	}
	return r
}

// add counts one message with so many answers; in is its incident or nil.
func (r *demoReport) add(answers int, in *incidentReport) {
	if in == nil {
		in = &incidentReport{}
	}
	r.Sent++
	in.Missed++
	switch answers {
	case 0:
		r.Lost++
		in.Lost++
	case 1:
		r.AnsweredOnce++
		in.Recovered++
	default:
		r.Twice++
		in.Twice++
	}
}

// calls counts the bot's requests during an incident, less the answers it
// posts. An incident about one channel has those about that channel; another of
// the same act has the rest.
func (s *stage) calls(a act, name string) int {
	p, n := s.runs[name], 0
	for _, r := range s.sim.Requests() {
		if r.Method != http.MethodPost && !r.At.Before(p.began) && !r.At.After(p.closed) && s.about(a, r) == p.place {
			n++
		}
	}
	return n
}

// about is the channel of an incident of the act that the request is about, or zero.
func (s *stage) about(a act, r discordsim.Request) discordsim.ID {
	for _, name := range a.incidents {
		if place := s.runs[name].place; place != 0 && strings.HasPrefix(r.Path, "/channels/"+place.String()+"/") {
			return place
		}
	}
	return 0
}

// table writes the report for people.
func (r demoReport) table(out io.Writer) error {
	fmt.Fprintln(out)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	row(t, "incident", "missed", "recovered", "lost", "twice", "REST calls", "seconds to close", "")
	for _, in := range r.Incidents {
		row(t, in.Name, fmt.Sprint(in.Missed), fmt.Sprint(in.Recovered), fmt.Sprint(in.Lost), fmt.Sprint(in.Twice),
			fmt.Sprint(in.RESTCalls), fmt.Sprintf("%.1f", in.Seconds), "")
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, `
%d messages were meant for the bot in %.0f seconds: %d answered exactly once, %d lost, %d twice, %d out of order.
REST calls are all of the daemon's but its answers. For a short show, retries begin after 0.3 s instead of 2 s and the
pace of recovered turns (30 a minute) is lifted; Discord's rate limits are in force.
`, r.Sent, r.Seconds, r.AnsweredOnce, r.Lost, r.Twice, r.OutOfOrder)
	return err
}

func tenths(d time.Duration) float64 { return math.Round(d.Seconds()*10) / 10 }
