package gapless_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"gapless"
)

// try shows what a handler makes of one message, without an engine: the same
// way works in a test.
func try(h gapless.Handler, text string) {
	d := gapless.NewTurn(gapless.Delivery{
		ID: "1", Attempt: 1, Messages: []gapless.Item{{Message: gapless.Message{ID: 1, Text: text, Author: gapless.User{Name: "ann"}}}},
	})
	err := h.Handle(context.Background(), d)
	fmt.Printf("%q, verdict: %v\n", d.Replies(), err)
}

// A handler answers through the delivery it was given, and says with what it
// returns what has become of it.
func ExampleHandler() {
	greet := gapless.HandlerFunc(func(_ context.Context, d *gapless.Delivery) error {
		d.Reply("hello " + d.First().Author.Name)
		return nil
	})
	try(greet, "hi")
	// Output: ["hello ann"], verdict: <nil>
}

// A delivery may hold several messages of one author, and may come a second
// time: what must not be done twice looks at Attempt.
func ExampleDelivery() {
	remember := gapless.HandlerFunc(func(_ context.Context, d *gapless.Delivery) error {
		if d.Attempt > 1 {
			d.Reply("I may have done this before; I look first.")
		}
		for _, it := range d.Messages {
			d.Reply("noted: " + it.Message.Text)
		}
		return nil
	})
	try(remember, "buy bread")
	// Output: ["noted: buy bread"], verdict: <nil>
}

// What is not there now is asked again when it said it would be.
func ExampleRetryAfter() {
	model := func() (string, error) { return "", errors.New("429, retry after 20 s") }
	ask := gapless.HandlerFunc(func(_ context.Context, d *gapless.Delivery) error {
		text, err := model()
		if err != nil {
			return gapless.RetryAfter(20 * time.Second)
		}
		d.Reply(text)
		return nil
	})
	try(ask, "what is new?")
	// Output: [], verdict: retry after 20s
}

// What is not worth another attempt is settled, with the reason for whoever
// asks later.
func ExampleDiscard() {
	picky := gapless.HandlerFunc(func(_ context.Context, d *gapless.Delivery) error {
		if strings.Contains(d.First().Text, "http://") {
			return gapless.Discard("a link that is not https")
		}
		return nil
	})
	try(picky, "see http://example.com")
	// Output: [], verdict: discard: a link that is not https
}

// What could not be reached at all costs the delivery no attempt, however long
// it takes.
func ExampleUnavailable() {
	dial := func() error { return errors.New("connection refused") }
	ask := gapless.HandlerFunc(func(context.Context, *gapless.Delivery) error {
		if err := dial(); err != nil {
			return gapless.Unavailable(err)
		}
		return nil
	})
	try(ask, "hi")
	// Output: [], verdict: handler unavailable: connection refused
}

// Wrappers do what every turn needs, and leave the verdict alone.
func ExampleChain() {
	counted := func(next gapless.Handler) gapless.Handler {
		return gapless.HandlerFunc(func(ctx context.Context, d *gapless.Delivery) error {
			err := next.Handle(ctx, d)
			fmt.Println("a turn of", d.First().Author.Name, "has ended")
			return err
		})
	}
	silent := gapless.HandlerFunc(func(context.Context, *gapless.Delivery) error { return nil })
	try(gapless.Chain(silent, counted), "hi")
	// Output:
	// a turn of ann has ended
	// [], verdict: <nil>
}
