package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"gapless"
)

// printStatus writes a bot's status for a person.
func printStatus(w io.Writer, b botStatus) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	daemon := "not running"
	if b.Running {
		daemon = fmt.Sprintf("running, process %d", b.PID)
	}
	row(t, "bot", strings.TrimSpace(b.Bot.Name+" "+b.Bot.ID.String()))
	row(t, "daemon", daemon)
	row(t, "ledger", fmt.Sprintf("%s, %d commits", b.Directory, b.Commits))
	if b.Behind > 0 {
		row(t, "restored", fmt.Sprintf("from a backup that lacked %d commits; what may have been handled since is held and not read", b.Behind))
	}
	for _, s := range b.Sessions {
		row(t, sessionTitle(s), sessionLine(s))
	}
	row(t, "messages", counts(b.Messages))
	row(t, "deliveries", counts(b.Deliveries))
	row(t, "ended as", counts(b.Ended))
	row(t, "refused", counts(b.Refused))
	row(t, "replies", counts(b.Replies))
	if len(b.Undecided) > 0 {
		row(t, "undecided", "for want of: "+counts(b.Undecided))
	}
	if b.Letters > 0 {
		row(t, "notices", fmt.Sprintf("%d not sent yet", b.Letters))
	}
	printPlaces(t, b.Places)
	printGaps(t, b)
	printLanes(t, b.Lanes)
	printPasses(t, b.Passes)
	printLastPass(t, b.Passes)
	return t.Flush()
}

func row(w io.Writer, cells ...string) { fmt.Fprintln(w, strings.Join(cells, "\t")) }

// heading starts a list; its columns follow.
func heading(w io.Writer, title string, columns ...string) {
	fmt.Fprintf(w, "\n%s\n", title)
	row(w, append([]string{""}, columns...)...)
}

func sessionLine(s gapless.SessionStatus) string {
	kept := "cannot be resumed"
	if s.Resumable {
		kept = "can be resumed"
	}
	return fmt.Sprintf("%s since %s, sequence %d, %s, %d identifies left", cmp.Or(s.State, "unknown"), instant(s.SeenAt), s.Seq, kept, s.IdentifiesLeft)
}

// counts lists numbers by name, in the order of the names.
func counts[K ~string](m map[K]int) string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if m[k] != 0 {
			parts = append(parts, fmt.Sprintf("%d %s", m[k], k))
		}
	}
	return cmp.Or(strings.Join(parts, ", "), "none")
}

func printPlaces(w io.Writer, places []gapless.PlaceStatus) {
	if len(places) == 0 {
		return
	}
	heading(w, "channels", "id", "name", "verified", "head", "")
	for _, p := range places {
		note := ""
		switch {
		case p.Gone:
			note = "deleted"
		case p.Out:
			note = "heard live only: the configuration does not cover it"
		case p.Restored:
			note = "as the backup knew it"
		case p.Verified < p.Head:
			note = "heard, not yet compared"
		}
		row(w, "", p.ID.String(), cmp.Or(p.Name, "-"), mark(p.Verified), mark(p.Head), note)
	}
}

func printGaps(w io.Writer, b botStatus) {
	if len(b.Gaps) == 0 {
		row(w, "\nopen gaps", "none")
	} else {
		heading(w, "open gaps", "channel", "after", "up to", "because", "stands at", "again")
		for _, g := range b.Gaps {
			row(w, "", g.Place.String(), mark(g.After), mark(g.Upto), string(g.Cause), cmp.Or(string(g.Obstacle), "being read"), instant(g.DueAt))
		}
	}
	if len(b.Ranges) > 0 {
		heading(w, "not read", "channel", "after", "up to", "because")
		for _, r := range b.Ranges {
			row(w, "", r.Place.String(), mark(r.After), mark(r.Upto), string(r.Reason))
		}
	}
}

func printLanes(w io.Writer, lanes []gapless.LaneStatus) {
	if len(lanes) == 0 {
		row(w, "waiting", "nothing")
		return
	}
	heading(w, "waiting", "channel", "not begun", "oldest", "now", "attempt", "not before")
	for _, l := range lanes {
		row(w, "", string(l.ID), fmt.Sprint(l.Pending), mark(l.Oldest), cmp.Or(string(l.State), "pending"), fmt.Sprint(l.Attempt), instant(l.Until))
	}
}

func printPasses(w io.Writer, passes []gapless.Pass) {
	if len(passes) == 0 {
		return
	}
	heading(w, "last readings", "began", "because", "ended as", "calls", "examined", "new", "gaps closed", "left")
	for _, p := range passes {
		row(w, "", instant(p.StartedAt), string(p.Trigger), string(p.State), fmt.Sprint(p.Calls), fmt.Sprint(p.Examined),
			fmt.Sprint(p.Admitted), fmt.Sprint(p.Closed), fmt.Sprint(len(p.Remainder)))
	}
}

// mark is a position in a history: when it was written.
func mark(id gapless.MessageID) string {
	if id == 0 {
		return "-"
	}
	return instant(id.Time())
}

// instant is a time in the operator's zone, or a dash.
func instant(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Local().Format("2006-01-02 15:04:05")
}
