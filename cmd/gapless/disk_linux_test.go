package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// mounted starts a daemon with its data in dir, which is a file system of its
// own that the daemon alone sees. Only root may do that.
func (w world) mounted(t *testing.T, dir, options string) *process {
	t.Helper()
	script := `mount -t tmpfs -o "$1" tmpfs "$2" && shift 2 && exec "$@"`
	args := []string{"-c", script, "sh", options, dir, os.Args[0], "run", "--api", w.API, "--data", dir, "--exec", "cat",
		"--input", "text", "--allow-everyone", "--free", "*"}
	if syscall.Geteuid() != 0 {
		t.Skip("only root may mount; what the ledger does on a full disk is tested in sqlite as well")
	}
	try := exec.Command("mount", "-t", "tmpfs", "tmpfs", dir)
	try.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	if out, err := try.CombinedOutput(); err != nil {
		t.Skipf("nothing can be mounted here: %v %s", err, out)
	}
	p := prepared(t, "/bin/sh", args...)
	p.cmd.Env = append(p.cmd.Env, "DISCORD_TOKEN="+w.Token)
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	p.start(t)
	w.daemons = append(w.daemons, p)
	return p
}

func TestReadOnlyDisk(t *testing.T) {
	w, dir := newWorld(t), t.TempDir()
	p := w.mounted(t, dir, "ro")
	if got := p.wait(t); got != exitData {
		t.Errorf("status %d, want %d", got, exitData)
	}
	p.says(t, dir, "read-only file system", "--data")
}

func TestDiskTooSmallToBegin(t *testing.T) {
	w, dir := newWorld(t), t.TempDir()
	p := w.mounted(t, dir, "size=100k")
	if got := p.wait(t); got != exitData {
		t.Errorf("status %d, want %d", got, exitData)
	}
	p.says(t, dir, "is full or fails", "--data")
}

// On a disk that fills while people write nothing counts as received, and once
// there is room again every message is answered, once.
func TestDiskFillsWhileItRuns(t *testing.T) {
	w, dir := newWorld(t), t.TempDir()
	p := w.mounted(t, dir, "size=16m")
	w.connected(t)
	first := w.say(t, "there is still room")
	eventually(t, "an answer", func() bool { return len(w.answers(first)) == 1 })
	ballast := filepath.Join("/proc", fmt.Sprint(p.cmd.Process.Pid), "root", dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 32<<20), 0o600); err == nil {
		t.Fatal("the disk took more than it holds")
	}
	noticed := func() bool { return strings.Contains(p.err.String(), "nothing is lost, trying again") }
	for n := 0; n < 4 || !noticed() && n < 100; n++ {
		w.say(t, fmt.Sprintf("message %d %s", n, strings.Repeat("long ", 200)))
		time.Sleep(10 * time.Millisecond)
	}
	eventually(t, "the disk to be noticed", noticed)
	p.says(t, "is full")
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	eventually(t, "all answers", func() bool {
		for _, m := range w.sim.In(w.Channel) {
			if m.Author == w.User && len(w.answers(m.ID)) == 0 {
				return false
			}
		}
		return true
	})
	for _, m := range w.sim.In(w.Channel) {
		if n := len(w.answers(m.ID)); m.Author == w.User && n != 1 {
			t.Errorf("%v has %d answers", m.ID, n)
		}
	}
}
