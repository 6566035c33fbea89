//go:build unix

package main

import (
	"net"
	"strings"
	"syscall"
	"testing"

	"gapless/discordsim"
)

// Discord recommends two shards, so the daemon has two connections, each with a row in the status, and both are
// resumed after a restart.
func TestDaemonOfTwoShards(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	sim := &discordsim.Server{Shards: 2, MaxConcurrency: 2}
	w, data := world{furnish(sim, ln), sim, &memory{}}, t.TempDir()
	go func() { _ = sim.Serve(ln) }()
	t.Cleanup(sim.Close)

	p := w.run(t, data, `echo yes`, "--input", "text", "--allow-everyone", "--free", "*")
	eventually(t, "both shards to connect", func() bool { return sim.Connected(w.Bot) == 2 })
	first := w.say(t, "hello")
	eventually(t, "an answer", func() bool { return len(w.answers(first)) == 1 })
	eventually(t, "both sessions in the status", func() bool {
		_, out, _ := call(t, nil, "status", "--data", data)
		return strings.Contains(out, "shard 0 of 2") && strings.Contains(out, "shard 1 of 2") && strings.Count(out, "can be resumed") == 2
	})
	stopped(t, p)

	p = w.run(t, data, `echo yes`, "--input", "text", "--allow-everyone", "--free", "*")
	resumed := func() (n int) {
		for _, c := range sim.Connections() {
			for _, r := range c.Resumes {
				if r.Result == "RESUMED" {
					n++
				}
			}
		}
		return n
	}
	eventually(t, "both shards to resume", func() bool { return resumed() == 2 })
	stopped(t, p)
	if resumed() != 2 || len(sim.Sessions()) != 2 {
		t.Errorf("%d resumes of %d sessions", resumed(), len(sim.Sessions()))
	}
	w.search(t, p.out.String()+p.err.String())
}

// stopped asks a daemon to stop and waits until it has.
func stopped(t *testing.T, p *process) {
	t.Helper()
	p.signal(t, syscall.SIGTERM)
	if status := p.wait(t); status != exitOK {
		t.Errorf("status %d: %s", status, p.err.String())
	}
}
