package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// TestMain lets the test binary be the command: called with the name of a
// command instead of flags, it runs that and no tests. The demonstration starts
// itself again in this way, too.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-") {
		main()
	}
	os.Exit(m.Run())
}

// output is what a process writes, readable while it runs.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

// process is one run of the command.
type process struct {
	cmd      *exec.Cmd
	out, err output
	ended    chan struct{}
	status   int
}

// command is the program with arguments and an environment of its own.
func command(t *testing.T, env []string, args ...string) *process {
	t.Helper()
	p := prepared(t, os.Args[0], args...)
	p.cmd.Env = append(p.cmd.Env, env...)
	p.start(t)
	return p
}

// prepared is a process that is not started yet, in a directory and a home of
// its own.
func prepared(t *testing.T, name string, args ...string) *process {
	t.Helper()
	p := &process{cmd: exec.Command(name, args...), ended: make(chan struct{})}
	p.cmd.Env = append(plainEnviron(), "HOME="+t.TempDir())
	p.cmd.Stdout, p.cmd.Stderr, p.cmd.Dir = &p.out, &p.err, t.TempDir()
	return p
}

// start starts the process, which ends with the test.
func (p *process) start(t *testing.T) {
	t.Helper()
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = p.cmd.Wait()
		p.status = p.cmd.ProcessState.ExitCode()
		close(p.ended)
	}()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		<-p.ended
		if t.Failed() {
			t.Logf("%v\n%s%s", p.cmd.Args, p.out.String(), p.err.String())
		}
	})
}

// patience is how long a process may take for what it does at once on an idle
// machine.
const patience = time.Minute

// wait is the exit status, once it has ended.
func (p *process) wait(t *testing.T) int {
	t.Helper()
	select {
	case <-p.ended:
		return p.status
	case <-time.After(patience):
		t.Fatalf("%v does not end", p.cmd.Args)
		return -1
	}
}

func (p *process) signal(t *testing.T, sig os.Signal) {
	t.Helper()
	if err := p.cmd.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
}

// eventually waits until something holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	within(t, patience, what, holds)
}

// within waits for as long as it may take on a busy machine.
func within(t *testing.T, limit time.Duration, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(limit); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// call runs a command in this process.
func call(t *testing.T, env map[string]string, args ...string) (status int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	if env == nil {
		env = map[string]string{}
	}
	if env["XDG_CONFIG_HOME"] == "" {
		env["XDG_CONFIG_HOME"] = t.TempDir()
	}
	sys := &system{out: &o, err: &e, terminal: func(io.Writer) bool { return false }, env: func(name string) (string, bool) {
		v, ok := env[name]
		return v, ok
	}}
	status = execute(context.Background(), sys, args)
	return status, o.String(), e.String()
}

func TestMistakesAreExplained(t *testing.T) {
	config := filepath.Join(t.TempDir(), "gapless.yaml")
	if err := os.WriteFile(config, []byte("retry:\n  atempts: 3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		env    map[string]string
		args   []string
		status int
		want   string
	}{
		{"unknown command", nil, []string{"frobnicate"}, exitUsage, "gapless --help"},
		{"unknown flag", nil, []string{"run", "--exe", "x"}, exitUsage, "unknown flag --exe"},
		{"no token", nil, []string{"run", "--exec", "true"}, exitUsage, "one of three ways"},
		{"no command", map[string]string{"DISCORD_TOKEN": "x"}, []string{"run"}, exitUsage, "--exec ./bot.sh"},
		{"arguments of nothing", nil, []string{"run", "x"}, exitUsage, "no --exec names the command"},
		{"bad id", nil, []string{"run", "--exec", "true", "--allow-user", "12345"}, exitUsage, `--allow-user: "12345" is no Discord id`},
		{"bad file", nil, []string{"run", "--exec", "true", "--config", config}, exitUsage, `gapless.yaml:2:3: unknown key "atempts"`},
		{"bad API", nil, []string{"run", "--exec", "true", "--api", "localhost"}, exitUsage, "--api: this is no http or https URL"},
		{"quoted token", map[string]string{"DISCORD_TOKEN": "'x'"}, []string{"run", "--exec", "true"}, exitUsage, "quotation mark"},
		{"text to lines", map[string]string{"DISCORD_TOKEN": "x"}, []string{"run", "--exec", "true", "--mode", "lines", "--input", "text"}, exitUsage, "needs JSON"},
		{"no ledger", map[string]string{"HOME": t.TempDir()}, []string{"status"}, exitData, "there is no ledger in"},
		{"no directory", nil, []string{"status", "--data", file}, exitData, "look for ledgers"},
		{"address of nobody", nil, []string{"sim", "--listen", "256.0.0.1:0"}, exitUsage, "--listen 127.0.0.1:0 takes any free port"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, _, errs := call(t, tt.env, tt.args...)
			if status != tt.status || !strings.Contains(errs, tt.want) {
				t.Errorf("status %d, %q; want %d and %q", status, errs, tt.status, tt.want)
			}
		})
	}
}

func TestVersion(t *testing.T) {
	status, out, _ := call(t, nil, "version")
	if status != exitOK || !strings.HasPrefix(out, "gapless ") || !strings.Contains(out, "go1.") {
		t.Errorf("status %d, %q", status, out)
	}
}

func TestSimEndsWhenAsked(t *testing.T) {
	p := command(t, nil, "sim")
	eventually(t, "the simulator to speak", func() bool { return strings.Contains(p.out.String(), "Say something to it:") })
	scan := bufio.NewScanner(strings.NewReader(p.out.String()))
	found := false
	for scan.Scan() {
		found = found || strings.Contains(scan.Text(), "gapless run --api http://127.0.0.1:")
	}
	if !found {
		t.Error("it does not say how to start a bot on it")
	}
	p.signal(t, syscall.SIGTERM)
	if got := p.wait(t); got != exitOK {
		t.Errorf("status %d, want %d", got, exitOK)
	}
}
