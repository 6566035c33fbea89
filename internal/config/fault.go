package config

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Fault is one mistake in the configuration, for a person to correct.
type Fault struct {
	Source string `json:"source"`          // the file, variable or flag it stands in
	Line   int    `json:"line,omitzero"`   // of the file, from 1; zero for other sources
	Column int    `json:"column,omitzero"` // from 1
	Text   string `json:"-"`               // the line itself, with secrets masked
	What   string `json:"what"`            // what is wrong
	Hint   string `json:"hint,omitempty"`  // what to do, may be empty

	Key      string `json:"key,omitempty"`      // the key it is about, empty for none
	Given    string `json:"given,omitempty"`    // its value as written; never a secret
	Accepted string `json:"accepted,omitempty"` // what the key takes, in words
}

// Error is the fault over several lines: place and mistake, the line with a
// caret, and what to do.
func (f *Fault) Error() string {
	var b strings.Builder
	if f.Line > 0 {
		fmt.Fprintf(&b, "%s:%d:%d: %s", f.Source, f.Line, f.Column, f.What)
		number := fmt.Sprintf("%5d | ", f.Line)
		fmt.Fprintf(&b, "\n%s%s\n%s^", number, f.Text, strings.Repeat(" ", len(number)+f.Column-1))
	} else {
		fmt.Fprintf(&b, "%s: %s", f.Source, f.What)
	}
	if f.Hint != "" {
		b.WriteString("\n  " + f.Hint)
	}
	return b.String()
}

// joined is all faults as one error, those of the file first and in its order,
// or nil.
func joined(faults []*Fault) error {
	slices.SortStableFunc(faults, func(a, b *Fault) int {
		if a.Line == 0 || b.Line == 0 {
			return cmp.Compare(b.Line, a.Line)
		}
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	var errs []error
	for _, f := range faults {
		errs = append(errs, f)
	}
	return errors.Join(errs...)
}

// Faults are the mistakes in an error of [Read] or [Load].
func Faults(err error) []*Fault {
	if f, ok := err.(*Fault); ok {
		return []*Fault{f}
	}
	var all []*Fault
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range many.Unwrap() {
			all = append(all, Faults(e)...)
		}
	}
	return all
}

// guess suggests what was meant, or lists what there is.
func guess(written string, known []string) string {
	best, least := "", 3
	for _, k := range known {
		if d := distance(strings.ToLower(written), k); d < least {
			best, least = k, d
		}
	}
	if best != "" {
		return fmt.Sprintf("did you mean %q?", best)
	}
	return "there is " + strings.Join(known, ", ")
}

// distance counts the letters to change, add or remove to get from a to b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			step := diagonal
			if a[i] != b[j] {
				step++
			}
			diagonal = row[j+1]
			row[j+1] = min(step, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
