package scenario

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Script is an incident, read and checked. It may be played any number of times.
type Script struct {
	File      string // name of the file, for messages
	Title     string
	Incidents []string // the entries and behaviours it plays, such as C01
	Seed      uint64
	Trace     string // what is expected to be seen, line by line; empty if the script does not say
	Traced    bool   // whether it says

	trace  string // how much of it is told
	source string // everything above the trace
	steps  []step
}

// step is one command, ready to be played.
type step struct {
	line int
	text string
	do   func(*player) error
}

// divider stands between the script and its trace.
const divider = "----"

// Read reads the script in a file.
func Read(path string) (*Script, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read script: %w", err)
	}
	return Parse(filepath.Base(path), string(text))
}

// Parse reads a script. The error lists every line that was not understood, each with file, line and what was
// expected.
func Parse(file, text string) (*Script, error) {
	s := &Script{File: file, Seed: 1, source: text}
	above, below, found := strings.Cut(text, "\n"+divider+"\n")
	if found {
		s.source, s.Trace, s.Traced = above+"\n", below, true
	}
	p := &parser{script: s, vocabulary: vocabulary(), coming: map[string]int{}, known: map[kind]map[string]bool{
		aUser: {botName: true}, aProcess: {mainProcess: true}, aMark: {"start": true},
	}}
	var errs []error
	for line := range strings.Lines(s.source) {
		p.line++
		if err := p.read(strings.TrimRight(line, "\r\n")); err != nil {
			errs = append(errs, fmt.Errorf("%s:%d: %w", file, p.line, err))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.coming)) {
		if !p.known[aMessage][name] {
			errs = append(errs, fmt.Errorf("%s:%d: nobody ever writes %s", file, p.coming[name], name))
		}
	}
	if len(p.open) > 0 {
		errs = append(errs, fmt.Errorf("%s:%d: the repeat of this line has no end", file, p.open[len(p.open)-1].line))
	}
	if s.Title == "" {
		errs = append(errs, fmt.Errorf("%s: it has no title", file))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return s, nil
}

// Long reports whether the script is one of those that take a while to play: those that keep a brief trace.
func (s *Script) Long() bool { return s.trace == traceBrief }

// Format is the script with this trace below it.
func (s *Script) Format(trace string) string {
	above := strings.TrimRight(s.source, "\n") + "\n"
	if s.trace == traceOff {
		return above
	}
	return above + divider + "\n" + trace
}

// parser reads a script line by line and remembers the names that were declared.
type parser struct {
	script     *Script
	vocabulary []command
	line       int
	open       []*repeat      // blocks without their end so far
	coming     map[string]int // messages spoken of before they are written, and on which line
	known      map[kind]map[string]bool
}

// read understands one line.
func (p *parser) read(line string) (err error) {
	defer func() {
		switch why := recover().(type) {
		case nil:
		case misread:
			err = errors.New(string(why))
		default:
			panic(why)
		}
	}()
	ph := &phrase{p: p, line: line}
	if ph.done() {
		return nil
	}
	do := p.command(ph)
	ph.end()
	if do != nil {
		p.add(step{line: p.line, text: strings.TrimSpace(line), do: do})
	}
	return nil
}

// add puts a step where it belongs: into the innermost open repeat, or into the script.
func (p *parser) add(s step) {
	if n := len(p.open); n > 0 {
		p.open[n-1].steps = append(p.open[n-1].steps, s)
		return
	}
	p.script.steps = append(p.script.steps, s)
}

// command finds what a line is: a command by its first words, or somebody who writes.
func (p *parser) command(ph *phrase) func(*player) error {
	if c, ok := ph.commandFor(); ok {
		return c.read(ph)
	}
	if first := ph.peek(); p.known[aUser][first] {
		return readPost(ph)
	}
	ph.fail("%q is no command and no user declared above; docs/scenarios.md lists the commands", ph.peek())
	return nil
}
