package main

import (
	"strings"
	"testing"
	"time"

	"gapless"
)

// What an operator has to act on stands in the table, not in the JSON alone; where there is nothing to do, no row says so.
func TestStatusShowsWhatIsOwed(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	pass := gapless.Pass{ID: "p", State: "degraded", Error: "disk full", Unmatched: []gapless.Ref{"genral", "#nix"},
		Unaudited: gapless.Unaudited{Places: 3, Since: at, Round: 5 * time.Minute},
		Places: []gapless.PlaceOutcome{
			{Place: 111, Outcome: gapless.OutcomeComplete}, {Place: 222, Outcome: gapless.OutcomeForbidden, Why: "no_history"},
		}}
	for _, c := range []struct {
		name   string
		status gapless.LedgerStatus
		want   string
	}{
		{"restored ledger", gapless.LedgerStatus{Behind: 19}, "lacked 19 commits"},
		{"undecided", gapless.LedgerStatus{Undecided: map[gapless.Lack]int{gapless.LackMember: 2}}, "2 member"},
		{"notices", gapless.LedgerStatus{Letters: 4}, "4 not sent yet"},
		{"out of scope", gapless.LedgerStatus{Places: []gapless.PlaceStatus{{ID: 1, Out: true, Head: 2}}}, "heard live only"},
		{"place of a backup", gapless.LedgerStatus{Places: []gapless.PlaceStatus{{ID: 1, Restored: true, Head: 2}}}, "as the backup knew it"},
		{"names without a place", gapless.LedgerStatus{Passes: []gapless.Pass{pass}}, "genral, #nix"},
		{"audit behind", gapless.LedgerStatus{Passes: []gapless.Pass{pass}}, "within 5m0s"},
		{"error of a pass", gapless.LedgerStatus{Passes: []gapless.Pass{pass}}, "disk full"},
		{"place that is not read", gapless.LedgerStatus{Passes: []gapless.Pass{pass}}, "forbidden"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := table(t, c.status); !strings.Contains(got, c.want) {
				t.Errorf("the status lacks %q:\n%s", c.want, got)
			}
			if quiet := table(t, gapless.LedgerStatus{Passes: []gapless.Pass{{ID: "q"}}}); strings.Contains(quiet, c.want) {
				t.Errorf("the status says %q without cause:\n%s", c.want, quiet)
			}
		})
	}
	if strings.Contains(table(t, gapless.LedgerStatus{Passes: []gapless.Pass{pass}}), "111") {
		t.Error("a place that was read to the end is among the unfinished")
	}
}

func table(t *testing.T, s gapless.LedgerStatus) string {
	t.Helper()
	var out strings.Builder
	if err := printStatus(&out, botStatus{LedgerStatus: s}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
