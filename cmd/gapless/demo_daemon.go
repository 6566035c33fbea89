package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// child is the daemon of the demonstration: a real process of this program.
type child struct {
	self, dir  string
	api, token string
	cmd        *exec.Cmd // the running process, or nil
	passes     int       // that earlier processes have logged
}

func newChild(dir, api, token string) (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	c := &child{self: self, dir: dir, api: api, token: token}
	return c, c.lendBot()
}

func (c *child) botFile() string { return filepath.Join(c.dir, "bot") }
func (c *child) logFile() string { return filepath.Join(c.dir, "daemon.log") }
func (c *child) data() string    { return filepath.Join(c.dir, "data") }

// lendBot puts the bot's program where the daemon looks for it.
func (c *child) lendBot() error {
	if err := os.Symlink(c.self, c.botFile()); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("put the bot in its place: %w", err)
	}
	return nil
}

// takeBot takes it away: the daemon cannot start it any more.
func (c *child) takeBot() error { return os.Remove(c.botFile()) }

// quick shortens what would make a demonstration long, and lifts the pace that
// keeps a backlog from flooding a channel.
var quick = []string{
	"GAPLESS_BUDGET_TURNS_PER_MINUTE=100000",
	"GAPLESS_RETRY_BASE=300ms",
	"GAPLESS_DRAIN=5s",
	"GAPLESS_LOG_FORMAT=json",
}

// start runs the daemon as anybody would.
func (c *child) start() error {
	log, err := os.OpenFile(c.logFile(), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("open the daemon's log: %w", err)
	}
	defer log.Close()
	c.passes = c.logged()
	cmd := exec.Command(c.self, "run", "--api", c.api, "--data", c.data(), "--allow-everyone", "--input", "text",
		"--exec", c.botFile(), "demo-bot")
	cmd.Env = append(plainEnviron(), "DISCORD_TOKEN="+c.token)
	cmd.Env = append(cmd.Env, quick...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = c.dir, log, log
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the daemon: %w", err)
	}
	c.cmd = cmd
	return nil
}

// settled reports whether the running process has looked for what was missed:
// it does so once its session is stored.
func (c *child) settled() bool { return c.logged() > c.passes }

// logged is how many passes the daemon's log tells of.
func (c *child) logged() int {
	text, err := os.ReadFile(c.logFile())
	if err != nil {
		return 0
	}
	return bytes.Count(text, []byte(`"msg":"pass ended"`))
}

// plainEnviron is our environment without what configures a daemon.
func plainEnviron() []string {
	var env []string
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "GAPLESS_") && !strings.HasPrefix(entry, "DISCORD_") && !strings.HasPrefix(entry, "XDG_CONFIG_HOME=") {
			env = append(env, entry)
		}
	}
	return append(env, "XDG_CONFIG_HOME="+os.DevNull)
}

// kill ends the daemon as a power cut would: it learns nothing of it.
func (c *child) kill() {
	if c.cmd != nil {
		_ = c.cmd.Process.Kill()
		_ = c.cmd.Wait()
		c.cmd = nil
	}
}

// stop asks the daemon to end, and makes it after ten seconds.
func (c *child) stop() {
	if c.cmd == nil {
		return
	}
	hard := time.AfterFunc(10*time.Second, func() { _ = c.cmd.Process.Kill() })
	defer hard.Stop()
	if c.cmd.Process.Signal(syscall.SIGTERM) != nil {
		_ = c.cmd.Process.Kill()
	}
	_ = c.cmd.Wait()
	c.cmd = nil
}
