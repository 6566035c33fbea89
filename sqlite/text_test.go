package sqlite_test

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gapless"
	"gapless/sqlite"
)

const secret = "the-words-nobody-else-may-read"

// rows counts the rows of a table.
func rows(t *testing.T, dir, table string) (n int) {
	t.Helper()
	db := raw(t, dir)
	if err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM "+table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return n
}

func spoken(n int64, text string) gapless.Item {
	it := payload(1000, n)
	it.Message.Text, it.Message.Raw = text, []byte(`{"content":"`+text+`"}`)
	return it
}

// What is deleted, or settled and past its grace, is nowhere in the files a
// minute later, while the ledger is open.
func TestTextGoesFromTheFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(now))
		var log strings.Builder
		l := open(t, sqlite.Config{Dir: t.TempDir(), Logger: logger(&log)})
		say(t, l)
		more, err := l.Prune(t.Context(), gapless.Prune{Text: now.Add(time.Second), Limit: 100})
		if err != nil || more {
			t.Fatal(more, err)
		}
		if n := rows(t, l.Dir(), "texts"); n != 0 {
			t.Errorf("%d texts are left", n)
		}
		time.Sleep(time.Minute + time.Second)
		for name, bytes := range contents(t, l.Dir()) {
			if strings.Contains(string(bytes), secret) {
				t.Errorf("%s still holds the text", name)
			}
		}
		if strings.Contains(log.String(), secret) {
			t.Error("the log holds the text")
		}
	})
}

// say stores the secret in every way there is, and deletes or settles it.
func say(t *testing.T, l *sqlite.Ledger) {
	t.Helper()
	change := func(c gapless.Change) {
		t.Helper()
		c.At = now
		if _, err := l.Append(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	claim := func() gapless.Delivery {
		t.Helper()
		o, err := l.Claim(t.Context(), gapless.Claim{Lane: "1000", Now: now})
		if err != nil || o.Delivery == nil {
			t.Fatal(o, err)
		}
		return *o.Delivery
	}
	pending, settled, running, edited := spoken(1, secret), spoken(2, secret), spoken(3, secret), spoken(9, secret)
	gone := func(it gapless.Item) gapless.Change {
		return gapless.Change{Deleted: []gapless.Deletion{{Place: 1000, ID: it.Message.ID}}}
	}
	change(gapless.Change{Admitted: []gapless.Item{pending, settled}, Edited: []gapless.Message{edited.Message}})
	change(gone(pending))
	change(gone(edited))
	d, err := claim().Next(gapless.Outcome{Kind: gapless.TurnDone, Replies: 1}, now, gapless.Retry{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	r := gapless.Reply{ID: "r", Delivery: d.ID, Place: 1000, Text: secret, Nonce: "n", State: gapless.ReplyIntended}
	if err := l.Settle(t.Context(), gapless.Settlement{Delivery: d, Replies: []gapless.Reply{r}, At: now}); err != nil {
		t.Fatal(err)
	}
	change(gapless.Change{Own: []gapless.OwnMessage{{ID: 5, Place: 1000, Nonce: "n"}}, Admitted: []gapless.Item{running}})
	claim()
	change(gone(running))
}

// Owed text is in the files, so the test above looks in the right place.
func TestOwedTextIsInTheFiles(t *testing.T) {
	dir := t.TempDir()
	l := open(t, sqlite.Config{Dir: dir})
	if _, err := l.Append(t.Context(), gapless.Change{At: now, Admitted: []gapless.Item{spoken(1, secret)}}); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(contents(t, dir)["gapless.db"], []byte(secret)) {
		t.Error("the text is not where it is looked for")
	}
}

func TestPrunedRowsLeaveNothingBehind(t *testing.T) {
	dir := used(t)
	l := open(t, sqlite.Config{Dir: dir})
	for more, err := true, error(nil); more; {
		if more, err = l.Prune(t.Context(), gapless.Prune{Rows: now.Add(time.Hour), Limit: 30}); err != nil {
			t.Fatal(err)
		}
	}
	for _, table := range []string{"deliveries", "messages", "texts", "replies"} {
		if n := rows(t, dir, table); n != 0 {
			t.Errorf("%d %s are left", n, table)
		}
	}
}
