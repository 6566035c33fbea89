package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// subject is what is measured: our daemon, or the model of the reference.
type subject interface {
	start() error
	kill()
	stop()
	// settled reports whether the session of the running process stands.
	settled() bool
	// refuse makes what the subject hands messages to unreachable, or reachable again.
	refuse(bool) error
}

// daemon is our program as a real process, with a bot that is a process too.
type daemon struct {
	w           *world
	binary, dir string
	cmd         *exec.Cmd // running, or nil
	passes      int       // that earlier processes have logged
	env         []string  // that this run adds
}

func newDaemon(w *world, binary, dir string) (*daemon, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the directory of a run: %w", err)
	}
	d := &daemon{w: w, binary: binary, dir: dir}
	return d, d.refuse(false)
}

func (d *daemon) bot() string { return filepath.Join(d.dir, "bot") }

// refuse takes the bot's program away or puts it back.
func (d *daemon) refuse(on bool) error {
	if on {
		return os.Remove(d.bot())
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	return os.Symlink(self, d.bot())
}

func (d *daemon) start() error {
	log, err := os.OpenFile(filepath.Join(d.dir, "log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("open the daemon's log: %w", err)
	}
	defer log.Close()
	d.passes = d.logged()
	d.cmd = exec.Command(d.binary, "run", "--api", d.w.api, "--data", filepath.Join(d.dir, "data"),
		"--allow-everyone", "--input", "text", "--exec", d.bot(), "bot")
	d.cmd.Dir, d.cmd.Stdout, d.cmd.Stderr = d.dir, log, log
	d.cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + d.dir, "DISCORD_TOKEN=" + d.w.token,
		"GAPLESS_BUDGET_TURNS_PER_MINUTE=100000", "GAPLESS_RETRY_BASE=200ms", "GAPLESS_TURN_LIMIT=3s", "GAPLESS_DRAIN=2s", "GAPLESS_LOG_FORMAT=json",
	}
	d.cmd.Env = append(d.cmd.Env, d.env...)
	if err := d.cmd.Start(); err != nil {
		return fmt.Errorf("start the daemon: %w", err)
	}
	return nil
}

// settled reports whether the daemon has looked for what was missed, which it
// does once its session is stored.
func (d *daemon) settled() bool { return d.logged() > d.passes }

func (d *daemon) logged() int { return len(d.ended()) }

// pass is what the daemon logs of a pass.
type pass struct {
	Message   string `json:"msg"`
	ID        string `json:"pass"` // status and log name what it left over by it
	State     string `json:"state"`
	Examined  int    `json:"examined"`
	Remainder int    `json:"remainder"`
}

// ended is the passes that all processes of this run have logged.
func (d *daemon) ended() (all []pass) {
	text, err := os.ReadFile(filepath.Join(d.dir, "log"))
	if err != nil {
		return nil
	}
	for line := range bytes.Lines(text) {
		var p pass
		if json.Unmarshal(line, &p) == nil && p.Message == "pass ended" {
			all = append(all, p)
		}
	}
	return all
}

func (d *daemon) kill() {
	if d.cmd != nil {
		_ = d.cmd.Process.Kill()
		_ = d.cmd.Wait() // it was killed: its status says nothing
		d.cmd = nil
	}
}

func (d *daemon) stop() {
	if d.cmd == nil {
		return
	}
	hard := time.AfterFunc(5*time.Second, func() { _ = d.cmd.Process.Kill() })
	defer hard.Stop()
	_ = d.cmd.Process.Signal(syscall.SIGTERM)
	_ = d.cmd.Wait()
	d.cmd = nil
}

// hangs in a message makes the bot never finish its first attempt.
const hangs = "(hangs)"

// bot is the program that handles messages: it answers each.
func bot() {
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		os.Exit(75)
	}
	if strings.Contains(string(text), hangs) && cmp.Or(os.Getenv("GAPLESS_ATTEMPT"), "1") == "1" {
		select {}
	}
	fmt.Println("heard:", len(text), "bytes")
}
