//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"gapless"
)

// On SIGHUP the configuration is read again: who is heard changes at once and
// for what was not decided before (R10), what cannot change while the bot runs
// is named, and mistakes change nothing.
func TestReload(t *testing.T) {
	w, data := newWorld(t), t.TempDir()
	bot := script(t, "echo heard")
	write := func(file, policy, more string) {
		t.Helper()
		text := fmt.Sprintf("api: %s\ndata: %s\nhandler: {exec: [%s], input: text}\npolicy: {%s}\n%s", w.API, data, bot, policy, more)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file := configFile(t, "")
	write(file, "everyone: true", "")
	p := w.start(t, "run", "--config", file)
	w.connected(t)
	hup := func(says string) {
		t.Helper()
		before := len(p.err.String())
		p.signal(t, syscall.SIGHUP)
		eventually(t, says, func() bool { return strings.Contains(p.err.String()[before:], says) })
	}

	refused := w.say(t, "without a mention")
	named := w.say(t, fmt.Sprintf("<@%v> with one", w.Bot))
	eventually(t, "an answer", func() bool { return len(w.answers(named)) == 1 })
	write(file, `everyone: true, free_channels: ["#general"]`, "")
	hup("policy.free_channels")
	free := w.say(t, "without a mention, again")
	eventually(t, "an answer where no mention is needed now", func() bool { return len(w.answers(free)) == 1 })
	write(file, "users: [123456789012345678]", "")
	hup("policy.users, policy.everyone, policy.free_channels")
	unheard := w.say(t, fmt.Sprintf("<@%v> of somebody who is not on the list", w.Bot))
	eventually(t, "both refusals", func() bool { return refusals(t, data) == 2 })

	write(file, "everyone: perhaps", "")
	hup("everything stays as it was")
	write(file, "everyone: true", "hold: 7s\nconcurrency: 3\n")
	hup("hold, concurrency")
	last := w.say(t, fmt.Sprintf("<@%v> of everybody again", w.Bot))
	eventually(t, "an answer to everybody", func() bool { return len(w.answers(last)) == 1 })
	if len(w.answers(refused))+len(w.answers(unheard)) != 0 {
		t.Error("what was refused before is answered by a later policy")
	}
	write(file, "everyone: true", "bots: [{token_env: A}]\n")
	hup("the list of bots has changed")

	p.signal(t, syscall.SIGTERM)
	if got := p.wait(t); got != exitOK {
		t.Errorf("status %d, want %d", got, exitOK)
	}
}

// refusals counts the messages that the ledger below data has refused, but for
// the bot's own.
func refusals(t *testing.T, data string) (n int) {
	t.Helper()
	_, out, _ := call(t, nil, "status", "--data", data, "--json")
	var status struct {
		Bots []struct{ Refused map[string]int }
	}
	if err := json.Unmarshal([]byte(out), &status); err != nil {
		t.Fatal(err)
	}
	for reason, count := range status.Bots[0].Refused {
		if reason != string(gapless.ReasonOwn) {
			n += count
		}
	}
	return n
}
