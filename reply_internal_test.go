package gapless

import (
	"strings"
	"testing"
	"time"
)

var instant = time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)

func answered(attempt int) Delivery {
	return Delivery{
		ID: "1000", Attempt: attempt, Place: Place{ID: 10},
		Messages: []Item{{Message: Message{ID: 1000}}, {Message: Message{ID: 1001}}},
	}
}

func TestReplyPartsCarryReferencesByMode(t *testing.T) {
	texts := []string{"one", strings.Repeat("two ", 800), "", "three"}
	for _, c := range []struct {
		mode ReplyMode
		want []MessageID
	}{
		{ReplyFirst, []MessageID{1000, 0, 0, 0}},
		{ReplyAll, []MessageID{1000, 1000, 1000, 1000}},
		{ReplyOff, []MessageID{0, 0, 0, 0}},
	} {
		t.Run(string(c.mode), func(t *testing.T) {
			got := replyParts(answered(1), texts, c.mode, instant)
			if len(got) != len(c.want) {
				t.Fatalf("got %d replies, want %d", len(got), len(c.want))
			}
			for i, r := range got {
				if r.Reference != c.want[i] || r.Ordinal != i || r.Delivery != "1000" || r.Place != 10 || r.State != ReplyIntended || !r.IntentAt.Equal(instant) {
					t.Errorf("reply %d is %+v", i, r)
				}
			}
			if got[0].Text != "one" || got[3].Text != "three" {
				t.Errorf("the texts are out of order: %q, %q", got[0].Text, got[3].Text)
			}
		})
	}
}

// Identity and nonce come from delivery, attempt and ordinal: the same again
// for the same reply, another for every other one.
func TestRepliesHaveAnIdentityOfTheirOwn(t *testing.T) {
	ids, nonces := map[ReplyID]bool{}, map[string]bool{}
	for _, id := range []DeliveryID{"1000", "1000-r1", "1000-r11", "10001"} {
		for attempt := 1; attempt <= 12; attempt++ {
			d := answered(attempt)
			d.ID = id
			replies := replyParts(d, []string{"a", "a", "a"}, ReplyFirst, instant)
			for i, again := range replyParts(d, []string{"b", "b", "b"}, ReplyAll, instant.Add(time.Hour)) {
				r := replies[i]
				if again.ID != r.ID || again.Nonce != r.Nonce {
					t.Fatalf("%s became %s", r.ID, again.ID)
				}
				if ids[r.ID] || nonces[r.Nonce] {
					t.Fatalf("%s (nonce %s) was there before", r.ID, r.Nonce)
				}
				ids[r.ID], nonces[r.Nonce] = true, true
				if n := len(r.Nonce); n == 0 || n > 25 {
					t.Fatalf("nonce %q has %d characters", r.Nonce, n)
				}
			}
		}
	}
}

func TestRepeatableInsideTheNonceWindow(t *testing.T) {
	for _, c := range []struct {
		name  string
		reply Reply
		after time.Duration
		want  bool
	}{
		{"just stored", Reply{IntentAt: instant}, 0, true},
		{"stored, the last instant", Reply{IntentAt: instant}, NonceWindow - 1, true},
		{"stored two minutes ago", Reply{IntentAt: instant}, NonceWindow, false},
		{"counted from the first try", Reply{IntentAt: instant, TriedAt: instant.Add(time.Hour)}, time.Hour + NonceWindow - 1, true},
		{"tried two minutes ago", Reply{IntentAt: instant, TriedAt: instant.Add(time.Hour)}, time.Hour + NonceWindow, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.reply.Repeatable(instant.Add(c.after)); got != c.want {
				t.Errorf("repeatable %t, want %t", got, c.want)
			}
		})
	}
}
