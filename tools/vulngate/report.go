package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// finding is one vulnerability as govulncheck reports it. The trace leads from the vulnerable function, its first frame,
// to the function of ours that reaches it. A finding at module or package level has no function in that frame.
type finding struct {
	OSV   string  `json:"osv"`
	Fixed string  `json:"fixed_version"`
	Trace []frame `json:"trace"`
}

// frame is one step of a trace.
type frame struct {
	Module   string `json:"module"`
	Version  string `json:"version"`
	Package  string `json:"package"`
	Receiver string `json:"receiver"`
	Function string `json:"function"`
}

// String names the function the way a reader would look it up.
func (f frame) String() string {
	if f.Receiver != "" {
		return f.Package + "." + strings.TrimPrefix(f.Receiver, "*") + "." + f.Function
	}
	return f.Package + "." + f.Function
}

// message is one value of the report's stream; exactly one field is set, kinds that do not matter here leave all empty.
type message struct {
	Config *struct {
		ScanLevel string `json:"scan_level"`
	} `json:"config"`
	SBOM *struct{} `json:"SBOM"`
	OSV  *struct {
		ID      string `json:"id"`
		Summary string `json:"summary"`
	} `json:"osv"`
	Finding *finding `json:"finding"`
}

// report is what counts of a run.
type report struct {
	summaries map[string]string  // by OSV id
	reached   map[string]finding // by OSV id and module, the first trace of each
	unreached map[string]bool    // OSV ids of third-party modules seen at module or package level
}

// read decodes a whole stream. It errs where the stream is cut off, is empty, or was not made at symbol level.
func read(in io.Reader) (report, error) {
	r := report{map[string]string{}, map[string]finding{}, map[string]bool{}}
	level, scanned := "", false
	for dec := json.NewDecoder(in); ; {
		var m message
		if err := dec.Decode(&m); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return r, fmt.Errorf("decode message: %w", err)
		}
		switch {
		case m.Config != nil:
			level = m.Config.ScanLevel
		case m.SBOM != nil:
			scanned = true
		case m.OSV != nil:
			r.summaries[m.OSV.ID] = m.OSV.Summary
		case m.Finding != nil:
			if err := r.add(*m.Finding); err != nil {
				return r, err
			}
		}
	}
	if level != "symbol" {
		return r, fmt.Errorf("scan level is %q, only \"symbol\" shows what is reached", level)
	}
	if !scanned {
		return r, errors.New("the report lists no modules: the scan did not run")
	}
	return r, nil
}

// add files one finding. Each vulnerability comes once per level, so the same id may stand in both maps.
func (r report) add(f finding) error {
	if len(f.Trace) == 0 {
		return fmt.Errorf("finding %s has no trace", f.OSV)
	}
	at := f.Trace[0]
	if at.Function == "" {
		if !standard(at.Module) {
			r.unreached[f.OSV] = true
		}
		return nil
	}
	if key := f.OSV + " " + at.Module; r.reached[key].OSV == "" {
		r.reached[key] = f
	}
	return nil
}

// standard says whether the module comes with Go itself.
func standard(module string) bool { return module == "stdlib" || module == "toolchain" }

// print writes the notes and the failures in the order of their ids and says whether there were no failures.
func (r report) print(out io.Writer) bool {
	ok := true
	quiet := maps.Clone(r.unreached)
	for _, key := range slices.Sorted(maps.Keys(r.reached)) {
		f, word := r.reached[key], "note"
		delete(quiet, f.OSV)
		if !standard(f.Trace[0].Module) {
			ok, word = false, "FAIL"
		}
		fmt.Fprintf(out, "%s: %s\n", word, r.line(f))
	}
	if n := len(quiet); n > 0 {
		fmt.Fprintf(out, "note: %d in required modules, none of them reached: %s\n",
			n, strings.Join(slices.Sorted(maps.Keys(quiet)), ", "))
	}
	return ok
}

// line says what it is, where it is reached from and what heals it.
func (r report) line(f finding) string {
	at, from := f.Trace[0], f.Trace[len(f.Trace)-1]
	fixed := "no fix yet"
	if f.Fixed != "" {
		fixed = "fixed in " + f.Fixed
	}
	return fmt.Sprintf("%s in %s@%s: %s: %s reaches %s (%s)",
		f.OSV, at.Module, at.Version, r.summaries[f.OSV], from, at, fixed)
}
