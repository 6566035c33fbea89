package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// price is what an errand came to.
type price struct {
	Name       string  `json:"name"`
	Asked      int     `json:"asked"` // messages meant for the bot
	Delivered  int     `json:"delivered"`
	Duplicates int     `json:"duplicates"`
	History    int     `json:"history_calls"`
	Bound      int     `json:"lower_bound"`
	Ratio      float64 `json:"ratio"` // 1 where nothing is asked and nothing is to be asked
	Listings   int     `json:"listing_calls"`
	Listed     int     `json:"listings_owed"`
	Other      int     `json:"other_calls"` // inventories, single messages, listings that nothing points to
	Passes     []pass  `json:"passes"`
}

// quieten waits until all is answered, and a little for what may come after it.
func (w *world) quieten(ctx context.Context) {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(patience)
	for w.unanswered() > 0 {
		select {
		case <-tick.C:
		case <-limit:
			return
		case <-ctx.Done():
			return
		}
	}
	until(ctx, 2*time.Second, func() bool { return false })
}

// tell counts what was asked since the restart.
func (e errand) tell(w *world, d *daemon) price {
	p := price{Name: e.name, Asked: len(w.said), Bound: e.history, Listed: e.listings, Ratio: 1, Passes: d.ended()[d.passes:]}
	got := w.answers()
	for _, id := range w.said {
		p.Delivered += min(got[id], 1)
		p.Duplicates += max(got[id]-1, 0)
	}
	for _, r := range w.sim.Requests()[w.from:] {
		switch {
		case r.Method != "GET" || ofSession(r.Route):
		case "GET "+r.Route == read:
			p.History++
		case strings.Contains(r.Route, "/archived/") && w.parents[strings.Split(r.Path, "/")[2]]:
			p.Listings++
		default:
			p.Other++
		}
	}
	if p.Bound > 0 || p.History > 0 {
		p.Ratio = float64(p.History) / float64(max(p.Bound, 1))
	}
	return p
}

// ends counts passes by their ends, in the order of their first.
func ends(all []pass) string {
	var states []string
	n := map[string]int{}
	for _, p := range all {
		if n[p.State]++; !slices.Contains(states, p.State) {
			states = append(states, p.State)
		}
	}
	for i, s := range states {
		states[i] = fmt.Sprintf("%d %s", n[s], s)
	}
	return strings.Join(states, ", ")
}
