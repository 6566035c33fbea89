package sqlite

import (
	"context"
	"fmt"
	"time"

	"gapless"
)

// pruneLimit is how much goes at once where the caller set no bound.
const pruneLimit = 1000

// pruning is one kind of thing that may go: a query for keys, oldest first,
// with an instant and a bound, and what removes one of them.
type pruning struct {
	name   string
	keys   string
	before time.Time
	remove func(t *tx, key any) error
}

// prunings lists them all.
func prunings(p gapless.Prune) []pruning {
	return []pruning{
		{"text of settled deliveries", "SELECT n FROM deliveries WHERE state = 'settled' AND stripped = 0 AND ended_at > 0 " +
			"AND ended_at < ? AND " + owesNothing + " ORDER BY ended_at, n LIMIT ?", p.Text, (*tx).strip},
		{"settled deliveries", "SELECT n FROM deliveries WHERE state = 'settled' AND stripped IN (0, 1) AND ended_at > 0 " +
			"AND ended_at < ? AND " + owesNothing + " ORDER BY ended_at, n LIMIT ?", p.Rows, (*tx).forgetDelivery},
		{"text of letters", "SELECT seq FROM replies WHERE delivery = 0 AND ended_at > 0 AND ended_at < ? AND text <> '' " +
			"ORDER BY ended_at, seq LIMIT ?", p.Text, removal("UPDATE replies SET text = '' WHERE seq = ?")},
		{"letters", "SELECT seq FROM replies WHERE delivery = 0 AND ended_at > 0 AND ended_at < ? ORDER BY ended_at, seq LIMIT ?",
			p.Rows, removal("DELETE FROM replies WHERE seq = ?")},
		{"deleted messages", "SELECT id FROM messages WHERE state = 'deleted' AND ended_at < ? ORDER BY ended_at, id LIMIT ?",
			p.Rows, removal("DELETE FROM messages WHERE id = ?")},
		{"kept edits", "SELECT id FROM edits WHERE at < ? ORDER BY at, id LIMIT ?",
			p.Rows, removal("DELETE FROM edits WHERE id = ?")},
		{"refusals", "SELECT n FROM refusals WHERE at < ? ORDER BY at, n LIMIT ?",
			p.Rows, removal("DELETE FROM refusals WHERE n = ?")},
		{"addressed refusals", "SELECT id FROM addressed WHERE at < ? ORDER BY at, id LIMIT ?",
			p.Rows, removal("DELETE FROM addressed WHERE id = ?")},
		{"passes", "SELECT id FROM passes WHERE ended_at > 0 AND ended_at < ? ORDER BY ended_at, id LIMIT ?",
			p.Rows, removal("DELETE FROM passes WHERE id = ?")},
		{"closed gaps", "SELECT g.id FROM gaps g JOIN places p ON p.id = g.place " +
			"WHERE g.ended <> '' AND g.closed_at > 0 AND g.closed_at < ? AND g.upto <= p.head ORDER BY g.closed_at, g.id LIMIT ?",
			p.Rows, removal("DELETE FROM gaps WHERE id = ?")},
	}
}

// owesNothing holds for a delivery all of whose replies are final: courtesies
// may be on their way when it is settled.
const owesNothing = "NOT EXISTS (SELECT 1 FROM replies r WHERE r.delivery = n AND r.state IN ('intended', 'unknown'))"

// removal removes a row by its key.
func removal(query string) func(*tx, any) error {
	return func(t *tx, key any) error {
		return t.erase(query, key)
	}
}

// strip takes the text of a delivery's members and replies.
func (t *tx) strip(n any) error {
	if err := t.eachMember(n, "DELETE FROM texts WHERE id = ?1 AND "+held); err != nil {
		return err
	}
	if err := t.erase("UPDATE replies SET text = '' WHERE delivery = ?", n); err != nil {
		return err
	}
	_, err := t.exec("UPDATE deliveries SET stripped = 1 WHERE n = ?", n)
	return err
}

// forgetDelivery removes a delivery with everything that belongs to it.
func (t *tx) forgetDelivery(n any) error {
	if err := t.eachMember(n, "DELETE FROM texts WHERE id = ?1 AND "+held, "DELETE FROM messages WHERE id = ?1 AND delivery = ?2"); err != nil {
		return err
	}
	if err := t.erase("DELETE FROM replies WHERE delivery = ?", n); err != nil {
		return err
	}
	_, err := t.exec("DELETE FROM deliveries WHERE n = ?", n)
	return err
}

// held holds for a member ?1 that no retry has taken over from delivery ?2.
const held = "EXISTS (SELECT 1 FROM messages m WHERE m.id = ?1 AND m.delivery = ?2)"

// eachMember runs the statements for each member of a delivery.
func (t *tx) eachMember(n any, queries ...string) error {
	key, _ := n.(int64)
	d, _, err := t.delivery(key)
	if err != nil {
		return err
	}
	for _, id := range d.members {
		for _, q := range queries {
			if err := t.erase(q, int64(id), n); err != nil {
				return err
			}
		}
	}
	return nil
}

// Prune removes what nobody can miss, in one transaction of at most Limit
// things; a delivery counts as one with all that belongs to it.
func (l *Ledger) Prune(ctx context.Context, p gapless.Prune) (more bool, err error) {
	return ask(ctx, l, "prune", func(t *tx) (more bool, err error) {
		if err := t.flush(); err != nil {
			return false, err
		}
		limit := p.Limit
		if limit <= 0 {
			limit = pruneLimit
		}
		for _, kind := range prunings(p) {
			gone, more, err := t.prune(kind, limit)
			if err != nil {
				return false, fmt.Errorf("remove %s: %w", kind.name, err)
			}
			if limit -= gone; more {
				return true, t.forget()
			}
		}
		return t.pruneRanges(p, limit)
	})
}

// prune removes at most limit things of a kind and says whether more are left.
func (t *tx) prune(kind pruning, limit int) (gone int, more bool, err error) {
	var keys []any
	err = t.rows(kind.keys, []any{stamp(kind.before), limit + 1}, func(scan func(...any) error) error {
		var key any
		err := scan(&key)
		keys = append(keys, key)
		return err
	})
	if err != nil {
		return 0, false, err
	}
	if len(keys) > limit {
		keys, more = keys[:limit], true
	}
	for _, key := range keys {
		if err := kind.remove(t, key); err != nil {
			return 0, false, err
		}
	}
	return len(keys), more, nil
}

// pruneRanges removes closed ranges that verified has passed.
func (t *tx) pruneRanges(p gapless.Prune, limit int) (more bool, err error) {
	const passed = "FROM ranges r JOIN places p ON p.id = r.place WHERE r.at > 0 AND r.at < ? AND r.upto <= p.verified"
	n, err := t.exec("DELETE FROM ranges WHERE (place, after, upto, reason) IN (SELECT r.place, r.after, r.upto, r.reason "+
		passed+" ORDER BY r.at LIMIT ?)", stamp(p.Rows), limit)
	if err != nil {
		return false, fmt.Errorf("remove closed ranges: %w", err)
	}
	if int(n) == limit {
		more, err = t.row("SELECT 1 "+passed+" LIMIT 1", []any{stamp(p.Rows)}, new(int))
	}
	if err != nil {
		return false, err
	}
	return more, t.forget()
}

// forget drops what is remembered of rows that may just have gone.
func (t *tx) forget() error {
	k, err := t.known()
	if err != nil {
		return err
	}
	clear(k.refusals)
	_, err = t.row("SELECT count(*) FROM edits", nil, &k.edits)
	return err
}
