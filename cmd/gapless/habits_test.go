//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"gapless/discordsim"
)

// adopt gives the server habits by its control door, as another process does.
func (w world) adopt(t *testing.T, h discordsim.Habits) {
	t.Helper()
	body, err := json.Marshal(map[string]any{"habits": h})
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.Post(w.Control+"habits", "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if _ = resp.Body.Close(); resp.StatusCode != http.StatusOK {
		t.Fatalf("status %d", resp.StatusCode)
	}
}

// The command on a server that has every habit that is not Discord's: broken connections, a kill, a channel it is not
// told of and a token that is reset cost no message and no second answer.
func TestServerOfOtherHabits(t *testing.T) {
	w, data := newWorld(t), t.TempDir()
	w.adopt(t, discordsim.Habits{NoResume: true, OldestFirst: true, ZeroSeq: true, OneSession: true, Jumble: time.Second,
		MuteNewChannels: true, VagueRefusal: true, NoLimitHeaders: true})
	config := filepath.Join(t.TempDir(), "gapless.yaml") // what an audit finds is to be found within the test's time
	if err := os.WriteFile(config, []byte("audit:\n  interval: 10s\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func() *process {
		return w.run(t, data, "cat", "--input", "text", "--allow-everyone", "--free", "*", "--config", config)
	}
	var all []discordsim.ID
	say := func(texts ...string) {
		for _, text := range texts {
			all = append(all, w.say(t, text))
		}
	}
	answered := func(what string) {
		t.Helper()
		within(t, time.Minute, "answers to "+what, func() bool {
			return !slices.ContainsFunc(all, func(id discordsim.ID) bool { return len(w.answers(id)) == 0 })
		})
	}
	p := run()
	w.connected(t)
	say("one while all is well", "two while all is well")
	answered("what was said live")

	later := w.sim.AddChannel(w.Guild, discordsim.Text, "later")
	unheard, err := w.sim.Post(w.User, later, "where nobody hears it")
	if err != nil {
		t.Fatal(err)
	}
	w.said = append(w.said, "where nobody hears it")
	w.sim.DropConnections(w.Bot)
	say("three while it is down", "four while it is down")
	answered("what was said while the connection was down")
	within(t, time.Minute, "an answer in the new channel", func() bool {
		for _, m := range w.sim.In(later) {
			if m.Author == w.Bot && m.ReplyTo == unheard {
				return true
			}
		}
		return false
	})

	p.signal(t, syscall.SIGKILL)
	p.wait(t)
	say("five while nobody listens", "six while nobody listens")
	p = run()
	answered("what was said while nobody listened")

	began := identifies(w)
	fresh := w.sim.RevokeToken(w.Bot)
	if got := p.wait(t); got != exitRefused {
		t.Errorf("status %d after the token was reset, want %d", got, exitRefused)
	}
	if got := identifies(w) - began; got != 0 {
		t.Errorf("%d identifies with a bad token, want none", got)
	}
	p.says(t, "Discord refuses the token")
	say("seven while the token is bad")
	w.Token, w.said = fresh, append(w.said, fresh)
	run()
	answered("what was said while the token was bad")

	for _, id := range all {
		if got := w.answers(id); len(got) != 1 {
			t.Errorf("one message has the answers %q", got)
		}
	}
}

// identifies counts the identifies the server got.
func identifies(w world) (n int) {
	for _, c := range w.sim.Connections() {
		n += len(c.Identifies)
	}
	return n
}
