package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync"
)

// terms says what is not as it would be at Discord when calls are counted.
const terms = `Real process, real sockets, real time: the daemon is killed with everything known, its session expires, messages are
written, and once the youngest is eleven seconds old it is started again. Limits on reading and posting in one channel
are lifted, audits are off. Bound: one call for each hundred missed messages of a place.`

// bill is what all errands came to.
type bill struct {
	Terms  string  `json:"terms"`
	Prices []price `json:"prices"`
}

// charge plays the errands, a few side by side: most of one is waiting.
func charge(ctx context.Context, all []errand, binary, dir string) (bill, error) {
	b := bill{Terms: terms, Prices: make([]price, len(all))}
	errs := make([]error, len(all))
	slots := make(chan struct{}, abreast)
	var group sync.WaitGroup
	for i, e := range all {
		group.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			b.Prices[i], errs[i] = e.play(ctx, binary, filepath.Join(dir, fmt.Sprint("errand-", i)))
		})
	}
	group.Wait()
	return b, errors.Join(errs...)
}

// print writes the bill as a table or as JSON.
func (b bill) print(out io.Writer, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(out).Encode(b)
	}
	fmt.Fprintf(out, "%s\n\n%38s %9s %13s %11s %5s %13s %5s  %s\n", b.Terms,
		"missed", "answered", "history calls", "lower bound", "ratio", "listings", "other", "passes")
	for _, p := range b.Prices {
		_, err := fmt.Fprintf(out, "%38s %4d/%4d %13d %11d %5.2f %6d of %3d %5d  %s\n", p.Name, p.Delivered, p.Asked,
			p.History, p.Bound, p.Ratio, p.Listings, p.Listed, p.Other, ends(p.Passes))
		if err != nil {
			return err
		}
	}
	return nil
}
