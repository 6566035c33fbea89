package main

import (
	"fmt"
	"io"
	"strings"

	"gapless"
)

// printLastPass says of the newest pass what the table of passes has no room for: names that mean nothing (S18), how
// far the audit is behind (R13), what went wrong, and the places that it did not read to the end (S07).
func printLastPass(w io.Writer, passes []gapless.Pass) {
	if len(passes) == 0 {
		return
	}
	last := passes[0]
	if len(last.Unmatched) > 0 {
		row(w, "\nno such place", references(last.Unmatched)+": the configuration names it, and the bot sees nothing of that name or id")
	}
	if u := last.Unaudited; u.Places > 0 {
		row(w, "\nnot yet compared", fmt.Sprintf("%d channels, the oldest message from %s; all have their turn within %s", u.Places, instant(u.Since), u.Round))
	}
	if last.Error != "" {
		row(w, "\nlast error", last.Error)
	}
	printUnfinished(w, last.Places)
}

func references(refs []gapless.Ref) string {
	var names []string
	for _, r := range refs {
		names = append(names, string(r))
	}
	return strings.Join(names, ", ")
}

// printUnfinished lists the places whose reading did not come to its end.
func printUnfinished(w io.Writer, places []gapless.PlaceOutcome) {
	titled := false
	for _, p := range places {
		if p.Outcome == gapless.OutcomeComplete {
			continue
		}
		if !titled {
			heading(w, "not finished by the last reading", "channel", "ended as", "read up to", "because")
			titled = true
		}
		row(w, "", p.Place.String(), string(p.Outcome), mark(p.After), string(p.Why))
	}
}
