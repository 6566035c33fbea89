//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gapless/discordsim"
)

// TestReportCountsTheTruth plants every way to break the promise.
func TestReportCountsTheTruth(t *testing.T) {
	w := newWorld(t)
	s := &stage{sim: w.sim, world: w.simWorld, runs: map[string]*played{}}
	for _, a := range acts {
		for _, name := range a.incidents {
			s.runs[name] = &played{}
		}
	}
	heard := func(incident string, answers int) discordsim.ID {
		id := w.say(t, "hello")
		s.sent = append(s.sent, utterance{id, incident})
		for range answers {
			w.answer(t, id)
		}
		return id
	}
	heard("", 1)
	heard(daemonKilled, 0)
	heard(daemonKilled, 2)
	heard(daemonKilled, 1)
	early := heard(channelBorn, 0)
	heard(channelBorn, 1)
	w.answer(t, early) // after the answer to a later message

	r := s.report(0)
	if r.Sent != 6 || r.AnsweredOnce != 4 || r.Lost != 1 || r.Twice != 1 || r.OutOfOrder != 1 || r.kept() {
		t.Errorf("%+v", r)
	}
	want := incidentReport{Name: daemonKilled, Missed: 3, Recovered: 1, Lost: 1, Twice: 1}
	if got := r.Incidents[1]; got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if s.open(daemonKilled) != 1 || s.open(channelBorn) != 0 {
		t.Errorf("open: %d and %d, want 1 and 0", s.open(daemonKilled), s.open(channelBorn))
	}
	var b strings.Builder
	if err := r.table(&b); err != nil || !strings.Contains(b.String(), "6 messages were meant for the bot") {
		t.Errorf("%v\n%s", err, b.String())
	}
}

func (w world) answer(t *testing.T, id discordsim.ID) {
	t.Helper()
	if _, err := w.sim.Post(w.Bot, w.Channel, "yes", discordsim.PostOptions{Reply: id}); err != nil {
		t.Fatal(err)
	}
}

// TestDemo plays the whole demonstration with real processes, and talks to what
// it leaves running.
func TestDemo(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes half a minute of real time; run without -short")
	}
	began := time.Now()
	p := command(t, nil, "demo", "--json", "--keep", "--seed", "2")
	var r demoReport
	for deadline := began.Add(3 * time.Minute); !strings.Contains(p.err.String(), "read the log"); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) || ended(p) {
			t.Fatalf("it does not come to its end:\n%s", p.err.String())
		}
	}
	t.Logf("it took %s; on a machine that is not busy it should stay below 40s", time.Since(began).Round(time.Second))
	out := json.NewDecoder(strings.NewReader(p.out.String()))
	out.DisallowUnknownFields()
	if err := out.Decode(&r); err != nil {
		t.Fatal(err)
	}
	if !r.kept() || r.Sent < 100 || r.AnsweredOnce != r.Sent {
		t.Errorf("%+v", r)
	}
	if len(r.Incidents) != 8 {
		t.Errorf("%d incidents are reported, want 8", len(r.Incidents))
	}
	for _, in := range r.Incidents {
		if in.Missed == 0 {
			t.Errorf("%s: nothing was missed, so nothing was shown", in.Name)
		}
	}
	talkToWhatIsLeft(t, p)
	p.signal(t, os.Interrupt)
	if got := p.wait(t); got != exitOK {
		t.Errorf("status %d, want %d", got, exitOK)
	}
}

func ended(p *process) bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

var (
	deedTold = regexp.MustCompile(`curl -s (http://\S+)post -d '(.+)'`)
	logTold  = regexp.MustCompile(`tail -f (\S+)`)
)

// held is what matters here of a message that the simulator holds.
type held struct {
	ReplyTo string `json:"reply_to"`
}

// talkToWhatIsLeft does what the demonstration tells at its end.
func talkToWhatIsLeft(t *testing.T, p *process) {
	t.Helper()
	deed, log := deedTold.FindStringSubmatch(p.err.String()), logTold.FindStringSubmatch(p.err.String())
	if deed == nil || log == nil {
		t.Fatalf("it does not say how to talk to it:\n%s", p.err.String())
	}
	var posted struct{ ID string }
	fetch(t, deed[1]+"post", deed[2], &posted)
	eventually(t, "an answer", func() bool {
		var truth []held
		fetch(t, deed[1]+"truth", "", &truth)
		return slices.ContainsFunc(truth, func(m held) bool { return m.ReplyTo == posted.ID })
	})
	text, err := os.ReadFile(log[1])
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(text, []byte("turn ended")); n < 100 || bytes.Contains(text, []byte("hello")) {
		t.Errorf("the daemon's log has %d turns, and the text of a message: %t", n, bytes.Contains(text, []byte("hello")))
	}
}

// fetch reads an answer of the simulator's control door.
func fetch(t *testing.T, url, body string, into any) {
	t.Helper()
	ask := http.Get
	if body != "" {
		ask = func(url string) (*http.Response, error) {
			return http.Post(url, "application/json", strings.NewReader(body))
		}
	}
	resp, err := ask(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(into); err != nil {
		t.Fatalf("%s: %v", url, err)
	}
}
