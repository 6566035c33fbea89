package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"sync"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "bot" {
		bot()
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := measure(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "yardstick:", err)
		os.Exit(1)
	}
}

// measure plays what the flags ask for and prints the results.
func measure(ctx context.Context, args []string) error {
	set := flag.NewFlagSet("yardstick", flag.ContinueOnError)
	asJSON := set.Bool("json", false, "print one JSON object")
	only := set.String("run", "", "play only the run of this name")
	binary := set.String("binary", "", "the gapless program to measure; built from this module if empty")
	calls := set.Bool("calls", false, "measure calls against the lower bound instead")
	if err := set.Parse(args); err != nil {
		return err
	}
	chosen, sent := runs, errands
	if *only != "" {
		chosen = slices.DeleteFunc(slices.Clone(runs), func(r run) bool { return r.name != *only })
		sent = slices.DeleteFunc(slices.Clone(errands), func(e errand) bool { return e.name != *only })
		if !*calls && len(chosen) == 0 || *calls && len(sent) == 0 {
			return fmt.Errorf("there is no run %q; there are %q", *only, names())
		}
	}
	dir, err := os.MkdirTemp("", "yardstick-")
	if err != nil {
		return fmt.Errorf("make a directory for the runs: %w", err)
	}
	defer os.RemoveAll(dir)
	if *binary == "" {
		if *binary, err = build(ctx, dir); err != nil {
			return err
		}
	}
	if *calls {
		bill, err := charge(ctx, sent, *binary, dir)
		if err != nil {
			return err
		}
		return bill.print(os.Stdout, *asJSON)
	}
	r, err := play(ctx, chosen, *binary, dir)
	if err != nil {
		return err
	}
	return r.print(os.Stdout, *asJSON)
}

// build makes the program that is measured.
func build(ctx context.Context, dir string) (string, error) {
	out := filepath.Join(dir, "gapless")
	cmd := exec.CommandContext(ctx, "go", "build", "-o", out, "gapless/cmd/gapless")
	if msg, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the daemon: %w\n%s", err, msg)
	}
	return out, nil
}

// abreast is how many runs go on side by side: most of a run is waiting.
const abreast = 8

// play plays the runs, several side by side.
func play(ctx context.Context, chosen []run, binary, dir string) (report, error) {
	r := report{
		Scale: scale, Runs: make([]result, len(chosen)), Reference: make([]result, len(chosen)),
	}
	errs := make([]error, 2*len(chosen))
	slots := make(chan struct{}, abreast)
	var all sync.WaitGroup
	for i, what := range chosen {
		for j, player := range []func(*world) (subject, error){
			func(w *world) (subject, error) { return newDaemon(w, binary, filepath.Join(dir, fmt.Sprint(i))) },
			func(w *world) (subject, error) { return newModel(w), nil },
		} {
			all.Go(func() {
				slots <- struct{}{}
				defer func() { <-slots }()
				got, err := what.play(ctx, player)
				errs[2*i+j] = err
				if j == 0 {
					r.Runs[i] = got
				} else {
					r.Reference[i] = got
				}
			})
		}
	}
	all.Wait()
	return r, errors.Join(errs...)
}

// report is all that was measured.
type report struct {
	Scale     string   `json:"scale"`
	Runs      []result `json:"runs"`
	Reference []result `json:"reference"`
}

// result is what one run came to.
type result struct {
	Name       string  `json:"name"`
	Delivered  int     `json:"delivered"`
	Duplicates int     `json:"duplicates"`
	Lost       int     `json:"lost"`
	Calls      int     `json:"rest_calls"`
	LowerBound int     `json:"lower_bound"`
	Seconds    float64 `json:"seconds"`
}

// print writes the report as a table or as JSON.
func (r report) print(out io.Writer, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(out).Encode(r)
	}
	fmt.Fprintln(out, r.Scale)
	for _, part := range []struct {
		title string
		runs  []result
	}{{"gapless", r.Runs}, {"the reference's rules, played by a model", r.Reference}} {
		fmt.Fprintf(out, "\n%s\n%40s %10s %10s %6s %11s %11s %8s\n", part.title, "run", "delivered", "duplicates", "lost", "rest calls", "lower bound", "seconds")
		for _, x := range part.runs {
			if _, err := fmt.Fprintf(out, "%40s %10d %10d %6d %11d %11d %8.1f\n", x.Name, x.Delivered, x.Duplicates, x.Lost, x.Calls, x.LowerBound, x.Seconds); err != nil {
				return err
			}
		}
	}
	return nil
}
