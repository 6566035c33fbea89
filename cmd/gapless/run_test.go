//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"gapless/discordsim"
	"gapless/internal/require"
)

// world is a simulated Discord in this process, with what a test needs of it.
// At the end no output of a daemon may hold the token or what ann said.
type world struct {
	simWorld
	sim *discordsim.Server
	*memory
}

// memory is what must not be in a log, and whose logs.
type memory struct {
	said    []string
	daemons []*process
}

func newWorld(t *testing.T) world {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	sim := &discordsim.Server{IdentifyInterval: -1}
	w := world{furnish(sim, ln), sim, &memory{}}
	go func() { _ = sim.Serve(ln) }()
	t.Cleanup(func() {
		sim.Close()
		for _, p := range w.daemons {
			w.search(t, p.out.String()+p.err.String())
		}
	})
	return w
}

// search fails if a log holds the token or something that ann said.
func (w world) search(t *testing.T, log string) {
	t.Helper()
	for _, secret := range append(w.said, w.Token) {
		if strings.Contains(log, secret) {
			t.Errorf("the log holds %q:\n%s", secret, log)
		}
	}
}

// start starts a daemon with the bot's token.
func (w world) start(t *testing.T, args ...string) *process {
	t.Helper()
	p := command(t, []string{"DISCORD_TOKEN=" + w.Token}, args...)
	w.daemons = append(w.daemons, p)
	return p
}

// say has ann say something in #general.
func (w world) say(t *testing.T, text string) discordsim.ID {
	t.Helper()
	id, err := w.sim.Post(w.User, w.Channel, text)
	if err != nil {
		t.Fatal(err)
	}
	w.said = append(w.said, text)
	return id
}

// answers are the texts with which the bot answered a message.
func (w world) answers(id discordsim.ID) []string {
	var texts []string
	for _, m := range w.sim.In(w.Channel) {
		if m.Author == w.Bot && m.ReplyTo == id {
			texts = append(texts, m.Content)
		}
	}
	return texts
}

// run starts a daemon whose command is a shell script.
func (w world) run(t *testing.T, data, script string, args ...string) *process {
	t.Helper()
	name := filepath.Join(t.TempDir(), "bot.sh")
	if err := os.WriteFile(name, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	args = append([]string{"run", "--api", w.API, "--data", data, "--exec", name}, args...)
	return w.start(t, args...)
}

func (w world) connected(t *testing.T) {
	t.Helper()
	eventually(t, "the daemon to connect", func() bool { return w.sim.Connected(w.Bot) == 1 })
}

func TestRun(t *testing.T) {
	w, data := newWorld(t), t.TempDir()
	p := w.run(t, data, `echo "$GAPLESS_AUTHOR said: $(cat)"`, "--input", "text", "--allow-everyone", "--free", "*")
	w.connected(t)
	first := w.say(t, "hello")
	eventually(t, "an answer", func() bool { return len(w.answers(first)) == 1 })
	if got := w.answers(first)[0]; got != "ann said: hello" {
		t.Errorf("the answer is %q", got)
	}

	t.Run("status beside the daemon", func(t *testing.T) {
		var out string
		eventually(t, "the ledger to have the answer", func() bool {
			status, text, errs := call(t, nil, "status", "--data", data)
			if status != exitOK {
				t.Fatalf("status %d: %s", status, errs)
			}
			out = text
			return strings.Contains(out, "1 answered")
		})
		for _, want := range []string{w.Bot.String(), fmt.Sprintf("running, process %d", p.cmd.Process.Pid), "general", "open gaps  none"} {
			if !strings.Contains(out, want) {
				t.Errorf("it lacks %q:\n%s", want, out)
			}
		}
	})
	t.Run("a second one is refused", func(t *testing.T) {
		second := w.run(t, data, "true")
		if got := second.wait(t); got != exitLocked {
			t.Errorf("status %d, want %d", got, exitLocked)
		}
		if said := second.err.String(); !strings.Contains(said, fmt.Sprint(p.cmd.Process.Pid)) || !strings.Contains(said, "another gapless runs this bot") {
			t.Errorf("it does not name the first: %s", said)
		}
	})

	p.signal(t, syscall.SIGTERM)
	if got := p.wait(t); got != exitOK {
		t.Errorf("status %d after SIGTERM, want %d", got, exitOK)
	}
	missed := w.say(t, "while you were away")
	p = w.run(t, data, `cat`, "--input", "text", "--allow-everyone", "--free", w.Channel.String())
	eventually(t, "an answer to what was missed", func() bool { return len(w.answers(missed)) == 1 })
	if got := w.answers(first); len(got) != 1 {
		t.Errorf("the first message now has the answers %q", got)
	}
	p.signal(t, os.Interrupt)
	p.wait(t)

	t.Run("status without the daemon", func(t *testing.T) {
		_, out, _ := call(t, nil, "status", "--data", data, "--json")
		var got struct{ Bots []botStatus }
		if err := json.Unmarshal([]byte(out), &got); err != nil {
			t.Fatal(err)
		}
		if len(got.Bots) != 1 || got.Bots[0].Running || got.Bots[0].Ended["answered"] != 2 || !got.Bots[0].Sessions[0].Resumable {
			t.Errorf("%s", out)
		}
	})
}

func TestRunLines(t *testing.T) {
	w := newWorld(t)
	script := `while read -r line; do
  id=$(echo "$line" | sed 's/.*"delivery_id":"\([0-9]*\)".*/\1/'); fence=$(echo "$line" | sed 's/.*"fence":\([0-9]*\).*/\1/')
  echo "{\"type\":\"reply\",\"delivery_id\":\"$id\",\"fence\":$fence,\"text\":\"by line\"}"
  echo "{\"type\":\"done\",\"delivery_id\":\"$id\",\"fence\":$fence}"
done`
	w.run(t, t.TempDir(), script, "--mode", "lines", "--allow-user", w.User.String())
	w.connected(t)
	id := w.say(t, fmt.Sprintf("<@%v> hello", w.Bot))
	eventually(t, "an answer", func() bool { return len(w.answers(id)) == 1 })
}

func TestExamples(t *testing.T) {
	examples, err := filepath.Abs(filepath.Join("..", "..", "examples"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, needs string
		args        []string
		say, want   string
	}{
		{"echo.sh", "sh", []string{"--input", "text"}, "hello", "ann said: hello"},
		{"verdicts.sh", "sh", []string{"--input", "text"}, "hello", "attempt 1: hello"},
		{"lines.py", "python3", []string{"--mode", "lines"}, "hello", "ann said: hello"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.Tool(t, tt.needs)
			w := newWorld(t)
			w.start(t, append([]string{"run", "--api", w.API, "--data", t.TempDir(), "--exec", filepath.Join(examples, tt.name),
				"--allow-everyone", "--free", "*"}, tt.args...)...)
			w.connected(t)
			id := w.say(t, tt.say)
			eventually(t, "an answer", func() bool { return len(w.answers(id)) == 1 })
			if got := w.answers(id)[0]; got != tt.want {
				t.Errorf("the answer is %q, want %q", got, tt.want)
			}
		})
	}
}

func TestRunDrains(t *testing.T) {
	w := newWorld(t)
	p := w.run(t, t.TempDir(), `sleep 1; echo finished`, "--allow-everyone", "--free", "*")
	w.connected(t)
	id := w.say(t, "take your time")
	eventually(t, "the turn to start", func() bool { return strings.Contains(p.err.String(), "turn starts") })
	p.signal(t, syscall.SIGTERM)
	if got := p.wait(t); got != exitOK {
		t.Errorf("status %d, want %d", got, exitOK)
	}
	if got := w.answers(id); len(got) != 1 || got[0] != "finished" {
		t.Errorf("answers %q, want that of the turn that was running", got)
	}
}

func TestRunStopsAtOnce(t *testing.T) {
	w, file := newWorld(t), filepath.Join(t.TempDir(), "pid")
	p := w.run(t, t.TempDir(), `echo $$ > `+file+`; exec sleep 60`, "--allow-everyone", "--free", "*")
	w.connected(t)
	w.say(t, "this takes a minute")
	eventually(t, "the turn to start", func() bool { b, _ := os.ReadFile(file); return len(b) > 1 })
	p.signal(t, syscall.SIGTERM)
	eventually(t, "the first signal to be noted", func() bool { return strings.Contains(p.err.String(), "a second signal does not wait") })
	p.signal(t, syscall.SIGTERM)
	if got := p.wait(t); got != exitOK {
		t.Errorf("status %d, want %d", got, exitOK)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Sscan(string(b), &pid); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the command to end with the daemon", func() bool { return syscall.Kill(pid, 0) != nil })
}
