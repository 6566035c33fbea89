package gapless

import (
	"cmp"
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"strings"
	"time"
)

// ReplyID names a reply: delivery, attempt and ordinal, never a counter, so a
// repeated attempt cannot take over the identity of an earlier answer.
type ReplyID string

// ReplyState is where an outgoing message stands (promise 8).
//
//	intended ──POST──▶ sent | refused
//	    └─no definite answer─▶ unknown ──same POST, or found in history──▶ sent | refused
type ReplyState string

// The states of a reply.
const (
	ReplyIntended ReplyState = "intended" // stored, not known to have been tried
	ReplySent     ReplyState = "sent"     // Discord has it; Message is its id
	ReplyRefused  ReplyState = "refused"  // Discord's definite no; Detail says why
	ReplyUnknown  ReplyState = "unknown"  // tried, and we do not know whether Discord took it
)

// Reply is one outgoing message.
type Reply struct {
	ID        ReplyID
	Kind      ReplyKind
	Delivery  DeliveryID // empty: it belongs to none, as a notice
	Place     ChannelID
	Ordinal   int
	Text      string    // of a reaction: its emoji
	Target    MessageID // the message that is reacted to or edited
	Reference MessageID // the message it answers, zero for none
	Nonce     string
	State     ReplyState
	IntentAt  time.Time // when it was stored
	TriedAt   time.Time // first try, once one ended without a definite answer
	DueAt     time.Time // not to be tried before
	Tries     int
	Message   MessageID
	Detail    string
}

// ReplyKind says what a reply does.
type ReplyKind string

// The kinds of reply. All but messages are courtesies: a delivery is settled
// without waiting for them, and they never make it undeliverable.
const (
	ReplyMessage ReplyKind = ""        // posts a message
	ReplyReact   ReplyKind = "react"   // adds the reaction Text to Target
	ReplyUnreact ReplyKind = "unreact" // takes it back
	ReplyRewrite ReplyKind = "rewrite" // edits Target, a message of ours, to Text
)

// Courtesy reports whether the delivery does not depend on it.
func (k ReplyKind) Courtesy() bool { return k != ReplyMessage }

// ReplyMode says which parts of an answer refer to the message they answer
// (S50). Completion never depends on it (C101).
type ReplyMode string

// The reply modes.
const (
	ReplyFirst ReplyMode = "first" // only the first part, the default
	ReplyAll   ReplyMode = "all"
	ReplyOff   ReplyMode = "off"
)

// NonceWindow is how long Discord answers a repeated nonce with the message it
// already has: "a few minutes" (protocol B5, I13). We count on two.
const NonceWindow = 2 * time.Minute

// MaxText is the longest message Discord takes, in UTF-16 code units as it
// counts them; we count runes of the higher planes twice.
const MaxText = 2000

// replyParts makes the replies of an answer: texts split to size, each with its
// identity, reference and nonce.
func replyParts(d Delivery, texts []string, mode ReplyMode, now time.Time) []Reply {
	var out []Reply
	place := d.AnswersIn()
	for _, text := range texts {
		for _, part := range SplitText(text, MaxText) {
			n := len(out)
			r := Reply{
				ID:       ReplyID(fmt.Sprintf("%s.%d.%d", d.ID, d.Attempt, n)),
				Delivery: d.ID, Place: place, Ordinal: n, Text: part,
				State: ReplyIntended, IntentAt: now,
			}
			r.Nonce = nonceOf(r.ID)
			if place == d.Place.ID && (mode == ReplyAll || (mode != ReplyOff && n == 0)) {
				r.Reference = d.First().ID
			}
			out = append(out, r)
		}
	}
	return out
}

// courtesies completes what goes along with the end of a turn: what is no
// courtesy is left out.
func courtesies(d Delivery, letters []Reply, now time.Time) []Reply {
	var out []Reply
	for _, r := range letters {
		if !r.Kind.Courtesy() {
			continue
		}
		r.ID = ReplyID(fmt.Sprintf("%s.%d.c%d", d.ID, d.Attempt, len(out)))
		r.Delivery, r.Place, r.Ordinal = d.ID, cmp.Or(r.Place, d.Place.ID), len(out)
		r.Nonce, r.State, r.IntentAt = nonceOf(r.ID), ReplyIntended, now
		out = append(out, r)
	}
	return out
}

// nonceOf is 24 characters that only this reply has; Discord allows 25.
func nonceOf(id ReplyID) string {
	sum := sha256.Sum256([]byte(id))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:15]))
}

// Repeatable reports whether the same POST is certain to yield the same
// message: every earlier try lies inside the nonce window.
func (r Reply) Repeatable(now time.Time) bool {
	first := r.TriedAt
	if first.IsZero() {
		first = r.IntentAt
	}
	return now.Before(first.Add(NonceWindow))
}
