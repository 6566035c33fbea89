//go:build linux

package bench_test

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"gapless/discordsim"
)

// BenchmarkIdle builds the daemon, connects it to a simulated Discord and lets
// it be for some seconds: what it then keeps in memory, and what it uses of the
// processor; in one guild, and in 200 with 500 channels each.
func BenchmarkIdle(b *testing.B) {
	binary := filepath.Join(b.TempDir(), "gapless")
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", binary, "gapless/cmd/gapless")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("build the daemon: %v\n%s", err, out)
	}
	b.Run("channels=200", func(b *testing.B) { idle(b, binary, 1, channels) })
	b.Run("channels=100000", func(b *testing.B) { idle(b, binary, trackedGuilds, stormChannels) })
}

func idle(b *testing.B, binary string, guilds, each int) {
	sim, bot, api, token := idleWorld(b, guilds, each)
	b.ResetTimer()
	for b.Loop() {
		daemon := startDaemon(b, binary, api, token)
		for deadline := time.Now().Add(20 * time.Second); sim.Connected(bot) == 0; time.Sleep(50 * time.Millisecond) {
			if time.Now().After(deadline) {
				b.Fatal("the daemon did not connect")
			}
		}
		pid := strconv.Itoa(daemon.Process.Pid)
		time.Sleep(2 * time.Second)
		before := usedBy(b, pid)
		time.Sleep(3 * time.Second)
		b.ReportMetric((usedBy(b, pid)-before)/3*100, "idle-cpu-%")
		b.ReportMetric(memory(pid, "VmRSS"), "idle-RSS-MB")
		b.ReportMetric(memory(pid, "VmHWM"), "peak-RSS-MB")
		if err := daemon.Process.Signal(syscall.SIGTERM); err != nil {
			b.Fatal(err)
		}
		_ = daemon.Wait() // its exit status is no figure
	}
	quiet(b)
}

// idleWorld is guilds with channels, and a bot that is a member.
func idleWorld(b *testing.B, guilds, each int) (sim *discordsim.Server, bot discordsim.ID, api, token string) {
	sim = &discordsim.Server{}
	helper := sim.AddBot("helper")
	ann := sim.AddUser("ann", "Ann")
	for range guilds {
		guild := sim.AddGuild("home", helper.ID, ann)
		for range each {
			sim.AddChannel(guild, discordsim.Text, "channel")
		}
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	go func() { _ = sim.Serve(ln) }() // it ends with Close
	b.Cleanup(sim.Close)
	return sim, helper.ID, "http://" + ln.Addr().String() + "/api/v10", helper.Token
}

func startDaemon(b *testing.B, binary, api, token string) *exec.Cmd {
	daemon := exec.Command(binary, "run", "--api", api, "--data", b.TempDir(), "--allow-everyone", "--exec", "/bin/true")
	daemon.Dir = b.TempDir()
	daemon.Env = append(os.Environ(), "DISCORD_TOKEN="+token)
	daemon.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := daemon.Start(); err != nil {
		b.Fatal(err)
	}
	return daemon
}

// usedBy is the processor's time a process has used, in seconds.
func usedBy(b *testing.B, pid string) float64 {
	stat, err := os.ReadFile(filepath.Join("/proc", pid, "stat"))
	if err != nil {
		b.Fatalf("the daemon is gone: %v", err)
	}
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	user, _ := strconv.ParseFloat(fields[11], 64)
	system, _ := strconv.ParseFloat(fields[12], 64)
	return (user + system) / 100 // the kernel's ticks a second
}
