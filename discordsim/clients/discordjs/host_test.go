package discordjs_test

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"sync"
	"testing"

	"gapless/discordsim"
	"gapless/discordsim/clients/witness"
	"gapless/internal/require"
)

// host is the one Node process of these tests; it runs every client.
type host struct {
	in  io.WriteCloser
	cmd *exec.Cmd

	mu      sync.Mutex
	last    int
	waiting map[int]chan reply
	on      map[string]func(event)
}

// command is a line to the process; deeds ignore what they do not need.
type command struct {
	Number  int    `json:"number"`
	Client  string `json:"client"`
	Deed    string `json:"deed"`
	API     string `json:"api,omitempty"`
	Token   string `json:"token,omitempty"`
	Guild   string `json:"guild,omitempty"`
	Channel string `json:"channel,omitempty"`
	Message string `json:"message,omitempty"`
	Text    string `json:"text,omitempty"`
	Emoji   string `json:"emoji,omitempty"`
	Before  string `json:"before,omitempty"`
	After   string `json:"after,omitempty"`
	Limit   int    `json:"limit,omitempty"`

	Partials bool `json:"partials,omitempty"`
}

// message is a message as discord.js hands it out.
type message struct {
	ID      discordsim.ID `json:"id"`
	Text    string        `json:"text"`
	Author  discordsim.ID `json:"author"`
	Name    string        `json:"name"`
	Guild   discordsim.ID `json:"guild"`
	Type    int           `json:"type"`
	ReplyTo discordsim.ID `json:"replyTo"`
}

// event is something discord.js told its application.
type event struct {
	Client  string  `json:"client"`
	Kind    string  `json:"event"`
	Message message `json:"message"`
	Emoji   string  `json:"emoji"`
}

// reply is the answer to a command.
type reply struct {
	Number  int             `json:"number"`
	Error   string          `json:"error"`
	Message message         `json:"message"`
	Guilds  []discordsim.ID `json:"guilds"`
	IDs     []discordsim.ID `json:"ids"`
	Names   []string        `json:"names"`
	More    bool            `json:"more"`
}

var (
	starting sync.Once
	running  *host
	failed   error
)

// TestMain lets many incidents wait side by side, and ends the Node process with the tests.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "16"); err != nil {
		panic(err)
	}
	code := m.Run()
	if running != nil {
		_ = running.in.Close()
		_ = running.cmd.Wait() // it ends with its input; how says nothing about the tests
	}
	os.Exit(code)
}

// node returns the running Node process. Where there is no Node the test is skipped, visibly.
func node(t *testing.T) *host {
	t.Helper()
	program := require.Tool(t, "node")
	starting.Do(func() {
		if !installed() {
			failed = install(require.Tool(t, "npm"))
		}
		if failed == nil {
			running, failed = launch(program)
		}
	})
	if failed != nil {
		t.Fatal(failed)
	}
	if running == nil {
		t.Skip("discord.js could not be installed without npm; see the first test that was skipped")
	}
	return running
}

// installed tells whether node_modules holds what package-lock.json names: npm notes there what it has installed.
func installed() bool {
	var want, have struct {
		Packages map[string]struct {
			Version string `json:"version"`
		} `json:"packages"`
	}
	for name, list := range map[string]any{"package-lock.json": &want, "node_modules/.package-lock.json": &have} {
		text, err := os.ReadFile(name)
		if err != nil || json.Unmarshal(text, list) != nil {
			return false
		}
	}
	delete(want.Packages, "") // this directory itself
	return maps.Equal(want.Packages, have.Packages)
}

// install fetches what package-lock.json names, from the registry npm is set up with.
func install(npm string) error {
	out, err := exec.Command(npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund").CombinedOutput()
	if err != nil {
		return fmt.Errorf("install discord.js: %w\n%s", err, out)
	}
	return nil
}

func launch(program string) (*host, error) {
	h := &host{cmd: exec.Command(program, "host.mjs"), waiting: map[int]chan reply{}, on: map[string]func(event){}}
	h.cmd.Stderr = os.Stderr
	out, err := h.cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("open output of node: %w", err)
	}
	if h.in, err = h.cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("open input of node: %w", err)
	}
	if err := h.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start node: %w", err)
	}
	go h.read(out)
	return h, nil
}

// read hands answers and events to those who wait for them, until the process ends.
func (h *host) read(out io.Reader) {
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		var e event
		var r reply
		if json.Unmarshal(lines.Bytes(), &e) != nil || json.Unmarshal(lines.Bytes(), &r) != nil {
			fmt.Fprintf(os.Stderr, "node says %q\n", lines.Text())
			continue
		}
		h.mu.Lock()
		on, answer := h.on[e.Client], h.waiting[r.Number]
		delete(h.waiting, r.Number)
		h.mu.Unlock()
		if answer != nil {
			answer <- r
		} else if on != nil {
			on(e)
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for n, answer := range h.waiting {
		answer <- reply{Number: n, Error: "node has ended"}
	}
}

// do sends a command and waits for its answer.
func (h *host) do(c command) (reply, error) {
	answer := make(chan reply, 1)
	h.mu.Lock()
	h.last++
	c.Number = h.last
	h.waiting[c.Number] = answer
	line, err := json.Marshal(c)
	if err == nil {
		_, err = h.in.Write(append(line, '\n'))
	}
	h.mu.Unlock()
	if err != nil {
		return reply{}, fmt.Errorf("%s: %w", c.Deed, err)
	}
	r := <-answer
	if r.Error != "" {
		return r, fmt.Errorf("%s: %s", c.Deed, r.Error)
	}
	return r, nil
}

// client is a stock discord.js client as the witness needs it.
type client struct {
	*host
	name    string
	closing *sync.Once
	stopped chan struct{}
	events  chan event
}

// open starts a client on a scene and waits until it is ready, which it is when its guilds are there.
func open(t *testing.T, sc *witness.Scene) *client {
	t.Helper()
	return openWith(t, sc, command{})
}

// openWith starts one with settings of its own.
func openWith(t *testing.T, sc *witness.Scene, settings command) *client {
	t.Helper()
	h := node(t)
	c := &client{host: h, name: sc.Addr, closing: new(sync.Once), stopped: make(chan struct{}), events: make(chan event, 100)}
	h.mu.Lock()
	h.on[c.name] = func(e event) { c.take(sc, e) }
	h.mu.Unlock()
	settings.Deed, settings.API, settings.Token = "open", "http://"+sc.Addr+"/api", sc.Bot.Token
	r := c.must(t, settings)
	t.Cleanup(c.Close)
	if len(r.Guilds) != 1 || r.Guilds[0] != sc.Guild {
		t.Fatalf("guilds %v came, want %s", r.Guilds, sc.Guild)
	}
	return c
}

func (c *client) take(sc *witness.Scene, e event) {
	switch e.Kind {
	case "message":
		sc.Hear(e.Message.ID)
	case "stopped":
		close(c.stopped)
		return
	}
	c.events <- e
}

// must sends a command and ends the test when it fails.
func (c *client) must(t *testing.T, do command) reply {
	t.Helper()
	do.Client = c.name
	r, err := c.do(do)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Send posts a text.
func (c *client) Send(channel discordsim.ID, text string) error {
	_, err := c.do(command{Client: c.name, Deed: "send", Channel: channel.String(), Text: text})
	return err
}

// Stopped tells whether discord.js said that it will not reconnect.
func (c *client) Stopped() bool {
	select {
	case <-c.stopped:
		return true
	default:
		return false
	}
}

// Close ends the client.
func (c *client) Close() {
	c.closing.Do(func() { _, _ = c.do(command{Client: c.name, Deed: "close"}) })
}
