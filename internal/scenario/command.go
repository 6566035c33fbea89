package scenario

import (
	"slices"
	"strings"
)

// command is one sentence of the language.
type command struct {
	words string // the fixed words it begins with
	usage string // its whole form
	says  string // what it does
	read  func(*phrase) func(*player) error
}

// chapter is a group of commands that belong together.
type chapter struct {
	title    string
	says     string
	commands []command
}

// language is every command there is, in the order of the documentation.
func language() []chapter {
	return []chapter{
		{"Head", "What the script is. A title is required.", headCommands()},
		{"Configuration", "", slices.Concat(configCommands(), shardSettings())},
		{"World", "Who and what there is, before the first `start` or at any time later.", worldCommands()},
		{"Messages", "", messageCommands()},
		{"Time", "", timeCommands()},
		{"Process", "The daemon: engine, clients and ledger. Nothing runs before `start`.", processCommands()},
		{"Handler", "What the bot does with what it is given. Without a rule it answers each delivery with `answer to M1`; from the second " +
			"attempt on the answer says which attempt it is.", handlerCommands()},
		{"Discord and the network", "", slices.Concat(faultCommands(), shardCommands())},
		{"Expectations", "Each is judged when its line is reached; the script goes on if it is not met. " +
			"A COMPARISON is a number, or one of `=`, `!=`, `<`, `<=`, `>`, `>=` and a number.", slices.Concat(expectCommands(), shardExpectations())},
		{"Oracle", "What the oracle is asked to let pass, beyond what holds for every run.", oracleCommands()},
	}
}

// vocabulary is every command, the one with the most fixed words first, so that a longer beginning wins.
func vocabulary() []command {
	var all []command
	for _, ch := range language() {
		all = append(all, ch.commands...)
	}
	slices.SortStableFunc(all, func(a, b command) int {
		return strings.Count(b.words, " ") - strings.Count(a.words, " ")
	})
	return all
}

// commandFor takes the fixed words of the command a line begins with.
func (ph *phrase) commandFor() (command, bool) {
	for _, c := range ph.p.vocabulary {
		if c.words != "" && ph.accept(strings.Fields(c.words)...) {
			return c, true
		}
	}
	return command{}, false
}

// reserved reports whether a command begins with this word.
func (p *parser) reserved(word string) bool {
	return slices.ContainsFunc(p.vocabulary, func(c command) bool {
		first, _, _ := strings.Cut(c.words, " ")
		return c.words != "" && first == word
	})
}

// noted are commands that stand in the trace as they are written, once a process has been started.
func noted(all []command) []command {
	out := slices.Clone(all)
	for i, c := range all {
		out[i].read = func(ph *phrase) func(*player) error {
			line := ph.line
			do := c.read(ph)
			return func(p *player) error {
				if p.boots > 0 {
					p.note(theScript, "%s", trimmed(line))
				}
				return do(p)
			}
		}
	}
	return out
}

// trimmed is a line without its comment.
func trimmed(line string) string {
	line, _, _ = strings.Cut(line, " # ")
	return strings.TrimSpace(line)
}
