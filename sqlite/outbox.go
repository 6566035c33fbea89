package sqlite

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"gapless"
)

const (
	replyColumns = "id, delivery, kind, place, ordinal, text, target, reference, nonce, state, intent_at, tried_at, due_at, tries, " +
		"message, detail"
	// unsentColumns reads what replyColumns wrote, with the id of the delivery.
	unsentColumns = "r.id, r.delivery, coalesce(d.id, ''), r.kind, r.place, r.ordinal, r.text, r.target, r.reference, r.nonce, " +
		"r.state, r.intent_at, r.tried_at, r.due_at, r.tries, r.message, r.detail"
	notFinal = "state IN ('intended', 'unknown')"
)

// final reports whether nothing more can become of a reply in this state.
func final(s gapless.ReplyState) bool { return s == gapless.ReplySent || s == gapless.ReplyRefused }

// intend stores a reply before it is sent (promise 8).
func (t *tx) intend(r gapless.Reply, delivery int64) error {
	_, err := t.exec("INSERT INTO replies ("+replyColumns+") VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", intended(r, delivery)...)
	return err
}

// intended is what replyColumns take.
func intended(r gapless.Reply, delivery int64) []any {
	return []any{
		string(r.ID), delivery, string(r.Kind), int64(r.Place), r.Ordinal, r.Text, int64(r.Target), int64(r.Reference), r.Nonce,
		string(r.State), stamp(r.IntentAt), stamp(r.TriedAt), stamp(r.DueAt), r.Tries, int64(r.Message), r.Detail,
	}
}

// post stores letters, each once, and what the engine has noted.
func (c *change) post(t *tx) error {
	for _, r := range c.Letters {
		_, err := t.exec("INSERT INTO replies ("+replyColumns+") VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT (id) DO NOTHING",
			intended(r, 0)...)
		if err != nil {
			return fmt.Errorf("store letter %s: %w", r.ID, err)
		}
	}
	if c.Noted == 0 {
		return nil
	}
	if _, err := t.exec("UPDATE meta SET noted = ?1 WHERE noted < ?1", c.Noted); err != nil {
		return fmt.Errorf("store what was noted of the backup: %w", err)
	}
	return nil
}

// Unsent gives the replies that are not final, in the order they were stored.
func (l *Ledger) Unsent(ctx context.Context) ([]gapless.Reply, error) {
	return ask(ctx, l, "list unsent replies", func(t *tx) (out []gapless.Reply, err error) {
		err = t.rows("SELECT "+unsentColumns+" FROM replies r LEFT JOIN deliveries d ON d.n = r.delivery WHERE r."+notFinal+
			" ORDER BY r.seq", nil, into(&out, scanReply))
		return out, err
	})
}

func scanReply(scan func(...any) error) (r gapless.Reply, err error) {
	var n int64
	err = scan(&r.ID, &n, &r.Delivery, &r.Kind, id(&r.Place), &r.Ordinal, &r.Text, id(&r.Target), id(&r.Reference), &r.Nonce,
		&r.State, at(&r.IntentAt), at(&r.TriedAt), at(&r.DueAt), &r.Tries, id(&r.Message), &r.Detail)
	if r.Delivery == "" && n != 0 {
		r.Delivery = named(n)
	}
	return r, err
}

// Sent stores what became of a reply. One that the ledger does not know is
// answered with [gapless.ErrStale].
func (l *Ledger) Sent(ctx context.Context, r gapless.Reply, now time.Time) (settled bool, err error) {
	return ask(ctx, l, "store what became of a reply", func(t *tx) (bool, error) {
		var delivery int64
		var kind gapless.ReplyKind
		var state gapless.ReplyState
		found, err := t.row("SELECT delivery, kind, state FROM replies WHERE id = ?", []any{string(r.ID)}, &delivery, &kind, &state)
		switch {
		case err != nil:
			return false, fmt.Errorf("read reply %s: %w", r.ID, err)
		case !found:
			return false, fmt.Errorf("reply %s: %w", r.ID, gapless.ErrStale)
		case final(state):
			return false, nil
		}
		ended := int64(0)
		if final(r.State) {
			ended = stamp(now)
		}
		_, err = t.exec("UPDATE replies SET state = ?, message = ?, tried_at = ?, due_at = ?, tries = ?, detail = ?, ended_at = ? "+
			"WHERE id = ?", string(r.State), int64(r.Message), stamp(r.TriedAt), stamp(r.DueAt), r.Tries, r.Detail, ended, string(r.ID))
		if err != nil {
			return false, fmt.Errorf("store reply %s: %w", r.ID, err)
		}
		if !final(r.State) || kind.Courtesy() || delivery == 0 {
			return false, nil
		}
		closed, err := t.afterReply(delivery, now)
		return closed != "", err
	})
}

// heard notes that an own message is the reply of its nonce.
func (t *tx) heard(m gapless.OwnMessage, now time.Time) (closed []gapless.DeliveryID, err error) {
	var replies []gapless.ReplyID
	var deliveries []int64
	err = t.rows("SELECT id, CASE kind WHEN '' THEN delivery ELSE 0 END FROM replies WHERE nonce = ? AND "+notFinal+" ORDER BY seq",
		[]any{m.Nonce}, func(scan func(...any) error) error {
			var r gapless.ReplyID
			var d int64 // zero where nothing depends on the reply
			err := scan(&r, &d)
			replies, deliveries = append(replies, r), append(deliveries, d)
			return err
		})
	if err != nil {
		return nil, err
	}
	for i, r := range replies {
		_, err := t.exec("UPDATE replies SET state = 'sent', message = ?, ended_at = ? WHERE id = ?", int64(m.ID), stamp(now), string(r))
		if err != nil {
			return nil, err
		}
		if deliveries[i] == 0 {
			continue
		}
		ended, err := t.afterReply(deliveries[i], now)
		if err != nil {
			return nil, err
		}
		if ended != "" {
			closed = append(closed, ended)
		}
	}
	return closed, nil
}

// afterReply ends the delivery if its last reply has become final, and then
// gives its id.
func (t *tx) afterReply(n int64, now time.Time) (ended gapless.DeliveryID, err error) {
	d := gapless.Delivery{ID: named(n)}
	var left, sent int
	var id gapless.DeliveryID
	found, err := t.row("SELECT id, state, "+
		"(SELECT count(*) FROM replies r WHERE r.delivery = n AND r.state IN ('intended', 'unknown') AND r.kind = ''), "+
		"(SELECT count(*) FROM replies r WHERE r.delivery = n AND r.state = 'sent' AND r.kind = '') FROM deliveries WHERE n = ?",
		[]any{n}, &id, &d.State, &left, &sent)
	if err != nil || !found || d.Final() {
		return "", err
	}
	if d = d.AfterReply(left, sent, now); !d.Final() {
		return "", nil
	}
	_, err = t.exec("UPDATE deliveries SET state = ?, reason = ?, ended_at = ? WHERE n = ?",
		string(d.State), string(d.Reason), stamp(d.EndedAt), n)
	if err != nil {
		return "", fmt.Errorf("settle delivery %s: %w", d.ID, err)
	}
	return cmp.Or(id, d.ID), nil
}
