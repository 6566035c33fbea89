//go:build linux

package bench_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// rounds is how often one benchmark measures in one run; it reports medians.
const rounds = 5

// series is one figure of several rounds.
type series []float64

func (s series) median() float64 { return quantile(s, 0.5) }

// quantile is the value below which the share q of the values lies.
func quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

// lap is what a stretch of work cost.
type lap struct {
	at     time.Time
	cpu    time.Duration
	allocs uint64
}

func begin() lap {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return lap{at: time.Now(), cpu: cpuTime(), allocs: m.Mallocs}
}

// cpuTime is what this process has used so far, kernel included.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// cost collects the laps of a figure.
type cost struct{ rate, cpu, allocs series }

// end adds a lap in which n things were done.
func (c *cost) end(l lap, n int) {
	took, cpu := time.Since(l.at), cpuTime()-l.cpu
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	c.rate = append(c.rate, float64(n)/took.Seconds())
	c.cpu = append(c.cpu, float64(cpu.Microseconds())/float64(n))
	c.allocs = append(c.allocs, float64(m.Mallocs-l.allocs)/float64(n))
}

// report reports the medians under a name. The processor's time is that of the
// whole process, the writer of the frames included.
func (c *cost) report(b *testing.B, name string) {
	b.ReportMetric(c.rate.median(), name+"/s")
	b.ReportMetric(c.cpu.median(), name+"-cpu-us")
	b.ReportMetric(c.allocs.median(), name+"-allocs")
}

// quiet leaves out what go test reports of its own: a round is no operation.
func quiet(b *testing.B) {
	for _, unit := range []string{"ns/op", "B/op", "allocs/op"} {
		b.ReportMetric(0, unit)
	}
}

// memory reads a line of a process's status, such as VmHWM, in MB.
func memory(pid, name string) float64 {
	status, err := os.ReadFile(filepath.Join("/proc", pid, "status"))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			kb, _ := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return kb / 1024
		}
	}
	return 0
}

// forgetPeak makes the kernel count this process's peak of memory anew.
func forgetPeak() { _ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) }

// fsyncs writes n blocks of 4 KiB, each made durable, and gives how long each
// took in milliseconds.
func fsyncs(b *testing.B, n int) []float64 {
	f, err := os.Create(filepath.Join(b.TempDir(), "blocks"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	block := make([]byte, 4096)
	took := make([]float64, n)
	for i := range n {
		start := time.Now()
		if _, err := f.Write(block); err != nil {
			b.Fatal(err)
		}
		if err := syscall.Fdatasync(int(f.Fd())); err != nil {
			b.Fatal(err)
		}
		took[i] = float64(time.Since(start).Microseconds()) / 1000
	}
	return took
}
