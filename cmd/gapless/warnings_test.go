//go:build unix

package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestRunWarnings(t *testing.T) {
	w := newWorld(t)
	w.sim.RemoveGuild(w.Guild)
	p := w.run(t, t.TempDir(), "true")
	eventually(t, "the warnings", func() bool {
		said := p.err.String()
		return strings.Contains(said, "policy.users or --allow-user") && strings.Contains(said, "oauth2/authorize?client_id="+w.Bot.String())
	})
}

// A command that is not there is not the message's fault: it is said at once,
// and the message waits until the command has come.
func TestRunWithoutItsCommand(t *testing.T) {
	w, bot := newWorld(t), filepath.Join(t.TempDir(), "bot.sh")
	p := w.start(t, "run", "--api", w.API, "--data", t.TempDir(), "--exec", bot, "--allow-everyone", "--free", "*")
	eventually(t, "the warning", func() bool { return strings.Contains(p.err.String(), "correct --exec") })
	w.connected(t)
	id := w.say(t, "is anybody there")
	eventually(t, "the first try", func() bool { return strings.Contains(p.err.String(), "deliveries wait") })
	if err := os.WriteFile(bot, []byte("#!/bin/sh\necho \"attempt $GAPLESS_ATTEMPT\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	eventually(t, "an answer", func() bool { return len(w.answers(id)) == 1 })
	if got := w.answers(id)[0]; got != "attempt 1" {
		t.Errorf("the answer is %q: a command that is away costs no attempt", got)
	}
}

// Ids of users look like those of channels.
func TestFreeChannelThatIsNone(t *testing.T) {
	w := newWorld(t)
	p := w.run(t, t.TempDir(), "true", "--allow-everyone", "--free", w.User.String(), "--free", w.Channel.String())
	eventually(t, "the warning", func() bool { return strings.Contains(p.err.String(), "no channel") })
	for line := range strings.Lines(p.err.String()) {
		if strings.Contains(line, "no channel") && (!strings.Contains(line, w.User.String()) || strings.Contains(line, w.Channel.String())) {
			t.Errorf("it names the wrong one: %s", line)
		}
	}
}

// Names that no channel has are told of, those that one has are not (S18).
func TestListedNames(t *testing.T) {
	w := newWorld(t)
	file := configFile(t, "policy:\n  everyone: true\n  allowed_channels: ['#general', genral]\n  ignored_channels: [secret]\n")
	p := w.run(t, t.TempDir(), "true", "--config", file)
	eventually(t, "the warnings", func() bool { return strings.Count(p.err.String(), "is no channel the bot can see") == 2 })
	p.says(t, "policy.allowed_channels names", `"name":"genral"`, "policy.ignored_channels names", `"name":"secret"`)
}

// While nothing answers at the address an operator is told, and may stop.
func TestRunWithoutDiscord(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0") // accepts, and says nothing
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	w := newWorld(t)
	p := w.start(t, "run", "--api", fmt.Sprintf("http://%s/api/v10", ln.Addr()), "--data", t.TempDir(), "--exec", "true", "--allow-everyone")
	eventually(t, "the warning", func() bool { return strings.Contains(p.err.String(), "no answer yet") })
	p.signal(t, syscall.SIGTERM)
	if got := p.wait(t); got != exitOK {
		t.Errorf("status %d, want %d", got, exitOK)
	}
}
