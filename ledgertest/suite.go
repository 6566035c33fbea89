package ledgertest

import (
	"errors"
	"testing"
	"time"

	"gapless"
)

// Fixture says how the ledger under test is had.
type Fixture struct {
	// Open gives a new, empty ledger and sees to its closing.
	Open func(t testing.TB) gapless.Ledger
	// Reopen closes the ledger and opens what it stored again, as a new
	// process would. Nil: the ledger forgets, and what needs it is skipped.
	Reopen func(t testing.TB, l gapless.Ledger) gapless.Ledger
}

// MemoryFixture is the fixture of [Memory].
func MemoryFixture() Fixture {
	return Fixture{
		Open: func(testing.TB) gapless.Ledger { return NewMemory() },
		Reopen: func(_ testing.TB, l gapless.Ledger) gapless.Ledger {
			return l.(*Memory).Reopen()
		},
	}
}

// Suite checks a ledger against each sentence of the contracts in
// gapless.Ledger, one subtest per sentence, each on a ledger of its own.
func Suite(t *testing.T, f Fixture) {
	for _, part := range []struct {
		name  string
		cases []sentence
	}{
		{"intake", intakeSentences},
		{"messages", messageSentences},
		{"undecided", undecidedSentences},
		{"claim", claimSentences},
		{"backlog", backlogSentences},
		{"parked", parkedSentences},
		{"turns", turnSentences},
		{"outbox", outboxSentences},
		{"courtesies", courtesySentences},
		{"operator", operatorSentences},
		{"story", storySentences},
		{"whole", wholeSentences},
	} {
		t.Run(part.name, func(t *testing.T) {
			for _, c := range part.cases {
				t.Run(c.says, func(t *testing.T) {
					c.check(&desk{T: t, f: f, l: f.Open(t), now: base})
				})
			}
		})
	}
}

// sentence is one sentence of a contract and its check.
type sentence struct {
	says  string
	check func(*desk)
}

// base is when everything in the suite begins; ids are minted around it.
var base = time.Date(2026, time.January, 2, 12, 0, 0, 0, time.UTC)

// The places of the suite.
const (
	place gapless.ChannelID = 700
	other gapless.ChannelID = 701
)

// lane is the lane of place.
var lane = gapless.LaneOf(place)

// msg is the id of a message written n seconds after base.
func msg(n int) gapless.MessageID {
	return gapless.At[gapless.MessageID](base.Add(time.Duration(n)*time.Second)) + gapless.MessageID(n&7)
}

// desk is one test at work on one ledger: each deed must succeed unless the
// test asks for its error.
type desk struct {
	*testing.T
	f   Fixture
	l   gapless.Ledger
	now time.Time
}

// item is an admitted message of place.
func item(id gapless.MessageID) gapless.Item { return itemIn(place, id) }

func itemIn(where gapless.ChannelID, id gapless.MessageID) gapless.Item {
	return gapless.Item{
		Message: gapless.Message{
			ID: id, Place: where, Guild: 5, Author: gapless.User{ID: 9, Name: "ann"}, Text: "text of " + id.String(),
			Mentions: []gapless.UserID{1}, Raw: []byte(`{"id":"` + id.String() + `"}`),
		},
		Origin: gapless.OriginLive, Ground: gapless.OnMention,
	}
}

func recovered(id gapless.MessageID, gap gapless.GapID) gapless.Item {
	it := item(id)
	it.Origin, it.Gap = gapless.OriginHistory, gap
	return it
}

// gap is an open gap of place that holds for half a minute.
func gap(after, upto gapless.MessageID) gapless.Gap {
	return gapless.Gap{
		ID: gapless.GapID(place.String() + "-" + upto.String()), Place: place, From: after, After: after, Upto: upto,
		Cause: gapless.CauseDiscontinuity, OpenedAt: base, HoldTill: base.Add(30 * time.Second),
	}
}

func (d *desk) append(c gapless.Change) gapless.Stored {
	d.Helper()
	if c.At.IsZero() {
		c.At = d.now
	}
	s, err := d.l.Append(d.Context(), c)
	if err != nil {
		d.Fatalf("append: %v", err)
	}
	return s
}

func (d *desk) admit(ids ...gapless.MessageID) gapless.Stored {
	d.Helper()
	var c gapless.Change
	for _, id := range ids {
		c.Admitted = append(c.Admitted, item(id))
	}
	return d.append(c)
}

func (d *desk) offer(l gapless.LaneID) gapless.Offer {
	d.Helper()
	return d.ask(gapless.Claim{Lane: l, Boot: "boot", Now: d.now})
}

func (d *desk) ask(c gapless.Claim) gapless.Offer {
	d.Helper()
	o, err := d.l.Claim(d.Context(), c)
	if err != nil {
		d.Fatalf("claim lane %s: %v", c.Lane, err)
	}
	return o
}

// claim takes the next turn of the lane; there must be one.
func (d *desk) claim(l gapless.LaneID) gapless.Delivery {
	d.Helper()
	o := d.offer(l)
	if o.Delivery == nil {
		d.Fatalf("claim lane %s: no delivery, next %v, paced %t", l, o.Next, o.Paced)
	}
	return *o.Delivery
}

// none says that the lane gives no delivery now.
func (d *desk) none(l gapless.LaneID) gapless.Offer {
	d.Helper()
	o := d.offer(l)
	if o.Delivery != nil {
		d.Fatalf("claim lane %s: got delivery %s, want none", l, o.Delivery.ID)
	}
	return o
}

// end ends the delivery's turn with the outcome, by the rules of the root.
func (d *desk) end(v gapless.Delivery, o gapless.Outcome, replies ...gapless.Reply) gapless.Delivery {
	d.Helper()
	o.Replies = messages(replies)
	next, err := v.Next(o, d.now, gapless.Retry{}, 0)
	if err != nil {
		d.Fatal(err)
	}
	if err := d.l.Settle(d.Context(), gapless.Settlement{Delivery: next, Replies: replies, At: d.now}); err != nil {
		d.Fatalf("settle %s as %s: %v", v.ID, o.Kind, err)
	}
	return next
}

// messages counts the replies that are no courtesies.
func messages(replies []gapless.Reply) (n int) {
	for _, r := range replies {
		if !r.Kind.Courtesy() {
			n++
		}
	}
	return n
}

// reply is the n-th reply of a delivery.
func reply(v gapless.Delivery, n int) gapless.Reply {
	id := gapless.ReplyID(string(v.ID) + ".1." + string(rune('0'+n)))
	return gapless.Reply{
		ID: id, Delivery: v.ID, Place: v.Place.ID, Ordinal: n, Text: "answer", Nonce: "nonce-" + string(id),
		State: gapless.ReplyIntended, IntentAt: base,
	}
}

// answer ends the turn with n replies on their way.
func (d *desk) answer(v gapless.Delivery, n int) (replies []gapless.Reply) {
	d.Helper()
	for i := range n {
		replies = append(replies, reply(v, i))
	}
	d.end(v, gapless.Outcome{Kind: gapless.TurnDone}, replies...)
	return replies
}

func (d *desk) sent(r gapless.Reply, s gapless.ReplyState) bool {
	d.Helper()
	r.State = s
	settled, err := d.l.Sent(d.Context(), r, d.now)
	if err != nil {
		d.Fatalf("sent %s: %v", r.ID, err)
	}
	return settled
}

func (d *desk) load() gapless.Memory {
	d.Helper()
	m, err := d.l.Load(d.Context())
	if err != nil {
		d.Fatalf("load: %v", err)
	}
	return m
}

func (d *desk) status() gapless.LedgerStatus {
	d.Helper()
	s, err := d.l.Status(d.Context())
	if err != nil {
		d.Fatalf("status: %v", err)
	}
	return s
}

// prune cleans up until nothing is left to remove.
func (d *desk) prune(text, rows time.Time) {
	d.Helper()
	for range 100 {
		more, err := d.l.Prune(d.Context(), gapless.Prune{Text: text, Rows: rows, Limit: 50})
		if err != nil {
			d.Fatalf("prune: %v", err)
		}
		if !more {
			return
		}
	}
	d.Fatal("prune never ends")
}

// stale says that a deed was refused because a newer owner exists.
func (d *desk) stale(err error) {
	d.Helper()
	if !errors.Is(err, gapless.ErrStale) {
		d.Fatalf("got error %v, want ErrStale", err)
	}
}

// eq compares a fact with what it must be.
func eq[T comparable](d *desk, what string, got, want T) {
	d.Helper()
	if got != want {
		d.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// instant compares two instants.
func (d *desk) instant(what string, got, want time.Time) {
	d.Helper()
	if !got.Equal(want) {
		d.Errorf("%s: got %v, want %v", what, got, want)
	}
}
