package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	config  = `{"config":{"protocol_version":"v1.0.0","scan_level":"symbol"}}`
	modules = `{"SBOM":{"modules":[{"path":"gapless"}]}}`
	osvs    = `{"osv":{"id":"GO-1","summary":"Panic in stdlib"}}
{"osv":{"id":"GO-2","summary":"Smuggling in web"}}
{"osv":{"id":"GO-3","summary":"Nothing of ours"}}`
	stdlib = `{"finding":{"osv":"GO-1","fixed_version":"v1.26.9","trace":[
{"module":"stdlib","version":"v1.26.8","package":"net/http","receiver":"*Client","function":"Do"},
{"module":"gapless","package":"gapless/discord","function":"dial"}]}}`
	required = `{"finding":{"osv":"GO-2","trace":[{"module":"example.org/web","version":"v1.0.0"}]}}`
	imported = `{"finding":{"osv":"GO-3","trace":[{"module":"example.org/ssh","version":"v1.0.0","package":"example.org/ssh"}]}}`
	reached  = `{"finding":{"osv":"GO-2","trace":[
{"module":"example.org/web","version":"v1.0.0","package":"example.org/web","function":"Serve"},
{"module":"gapless","package":"gapless/control","receiver":"Server","function":"Run"}]}}`
)

func TestGate(t *testing.T) {
	const (
		noteStdlib = "note: GO-1 in stdlib@v1.26.8: Panic in stdlib: gapless/discord.dial reaches net/http.Client.Do (fixed in v1.26.9)\n"
		failWeb    = "FAIL: GO-2 in example.org/web@v1.0.0: Smuggling in web: gapless/control.Server.Run reaches example.org/web.Serve (no fix yet)\n"
	)
	for _, tt := range []struct {
		name  string
		lines []string
		pass  bool
		out   string
	}{
		{"nothing found", nil, true, ""},
		{"the standard library is a note", []string{stdlib, stdlib}, true, noteStdlib},
		{"required or imported only is counted", []string{required, imported}, true,
			"note: 2 in required modules, none of them reached: GO-2, GO-3\n"},
		{"a reached function of another module fails", []string{required, reached}, false, failWeb},
		{"notes do not hide a failure", []string{stdlib, reached, imported}, false,
			noteStdlib + failWeb + "note: 1 in required modules, none of them reached: GO-3\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := write(t, append([]string{config, modules, osvs}, tt.lines...)...)
			var out strings.Builder
			pass, err := gate(path, &out)
			if err != nil {
				t.Fatal(err)
			}
			if pass != tt.pass {
				t.Errorf("pass is %v, want %v", pass, tt.pass)
			}
			if out.String() != tt.out {
				t.Errorf("printed\n%swant\n%s", out.String(), tt.out)
			}
		})
	}
}

func TestGateTrustsNoBrokenReport(t *testing.T) {
	for _, tt := range []struct {
		name  string
		lines []string
		want  string
	}{
		{"empty", nil, "scan level"},
		{"module level", []string{`{"config":{"scan_level":"module"}}`, modules}, "scan level"},
		{"cut off in a message", []string{config, modules, stdlib[:40]}, "decode message"},
		{"stopped before the scan", []string{config}, "lists no modules"},
		{"no trace", []string{config, modules, `{"finding":{"osv":"GO-1"}}`}, "GO-1 has no trace"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			pass, err := gate(write(t, tt.lines...), &strings.Builder{})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error is %v, want one that says %q", err, tt.want)
			}
			if pass {
				t.Error("a broken report passed")
			}
		})
	}
	if _, err := gate(filepath.Join(t.TempDir(), "none"), &strings.Builder{}); err == nil {
		t.Error("a missing report passed")
	}
}

// write makes a report of the lines.
func write(t *testing.T, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "report.json")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}
