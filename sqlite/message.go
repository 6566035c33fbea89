package sqlite

import (
	"fmt"

	"gapless"
)

// admit makes rows and returns those it made.
func (c *change) admit(t *tx, out *gapless.Stored) (fresh []gapless.Item, err error) {
	for i, it := range c.Admitted {
		known, err := t.refused(it.Message.Place, it.Message.ID)
		if err != nil {
			return nil, err
		}
		if known = known && !it.Reopens; !known {
			if it.FirstSeen.IsZero() {
				it.FirstSeen = c.At
			}
			it.Lacks = ""
			known, err = t.insert(it, c.admitted[i], "pending")
		}
		if err != nil {
			return nil, fmt.Errorf("store message %s: %w", it.Message.ID, err)
		}
		if known {
			out.Known++
			continue
		}
		fresh = append(fresh, it)
	}
	return fresh, nil
}

// insert makes the message's row, or renews the undecided one that it has. A
// message that has been decided is known.
func (t *tx) insert(it gapless.Item, txt text, state string) (known bool, err error) {
	k, err := t.known()
	if err != nil {
		return false, err
	}
	if txt, err = t.newest(txt); err != nil {
		return false, err
	}
	if k.resolve(txt.place, txt.id) {
		err = t.renew(it, txt, state)
	} else {
		known, err = t.make(it, txt, state)
	}
	if err == nil && !known && state == "undecided" {
		k.suspend(gapless.LaneOf(txt.place), txt.id, it.NotBefore)
	}
	return known, err
}

// make makes the message's row, unless it has one.
func (t *tx) make(it gapless.Item, txt text, state string) (known bool, err error) {
	made, err := t.exec("INSERT INTO messages (id, place, lane, state, author, plain, recovered, origin, ground, gap, edited_at, "+
		"first_seen, not_before, lacks) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT DO NOTHING",
		int64(txt.id), int64(txt.place), string(gapless.LaneOf(txt.place)), state, int64(it.Message.Author.ID), it.Plain,
		it.Origin.Recovered(), string(it.Origin), string(it.Ground), string(it.Gap), txt.edited, stamp(it.FirstSeen),
		stamp(it.NotBefore), string(it.Lacks))
	if err != nil || made == 0 {
		return made == 0, err
	}
	t.hasRow(txt.place, txt.id)
	_, err = t.exec("INSERT INTO texts (id, body, raw) VALUES (?,?,?)", int64(txt.id), txt.body, txt.raw)
	return false, err
}

// renew decides an undecided row, or puts off its decision. Its origin stays;
// its text too if it is the newer.
func (t *tx) renew(it gapless.Item, txt text, state string) error {
	_, err := t.exec("UPDATE messages SET state = ?, author = ?, plain = ?, ground = ?, not_before = ?, lacks = ? WHERE id = ?",
		state, int64(it.Message.Author.ID), it.Plain, string(it.Ground), stamp(it.NotBefore), string(it.Lacks), int64(txt.id))
	if err != nil {
		return err
	}
	newer, err := t.exec("UPDATE messages SET edited_at = ?1 WHERE id = ?2 AND edited_at <= ?1", txt.edited, int64(txt.id))
	if err != nil || newer == 0 {
		return err
	}
	return t.erase("UPDATE texts SET body = ?, raw = ? WHERE id = ?", txt.body, txt.raw, int64(txt.id))
}

// suspend makes or renews rows that wait for a look-up (R11).
func (c *change) suspend(t *tx, out *gapless.Stored) error {
	for i, it := range c.Undecided {
		m := it.Message
		known, err := t.refused(m.Place, m.ID)
		if err != nil {
			return err
		}
		if !known {
			if it.FirstSeen.IsZero() {
				it.FirstSeen = c.At
			}
			known, err = t.insert(it, c.undecided[i], "undecided")
		}
		if err != nil {
			return fmt.Errorf("store undecided message %s: %w", m.ID, err)
		}
		if known {
			out.Known++
		}
	}
	return nil
}

// conclude stores what somebody else has handled.
func (c *change) conclude(t *tx, out *gapless.Stored) error {
	for _, e := range c.Ended {
		known, err := t.decided(e.Place, e.ID)
		if err == nil && known {
			out.Known++
			continue
		}
		if err == nil {
			err = t.conclude(e, stamp(c.At))
		}
		if err != nil {
			return fmt.Errorf("store message %s as %s elsewhere: %w", e.ID, e.Reason, err)
		}
	}
	return nil
}

func (t *tx) conclude(e gapless.Ending, now int64) error {
	if err := t.dropEdit(e.ID); err != nil {
		return err
	}
	lane := string(gapless.LaneOf(e.Place))
	var err error
	if t.w.known.resolve(e.Place, e.ID) {
		if err = t.erase("DELETE FROM texts WHERE id = ?", int64(e.ID)); err == nil {
			_, err = t.exec("UPDATE messages SET state = 'claimed', lacks = '', delivery = ?1 WHERE id = ?1", int64(e.ID))
		}
	} else {
		_, err = t.exec("INSERT INTO messages (id, place, lane, state, recovered, origin, ground, gap, edited_at, first_seen, "+
			"not_before, delivery) VALUES (?1,?2,?3,'claimed',0,'','','',0,?4,0,?1)", int64(e.ID), int64(e.Place), lane, now)
		t.hasRow(e.Place, e.ID)
	}
	if err != nil {
		return err
	}
	_, err = t.exec("INSERT INTO deliveries (n, id, lane, place, first, size, members, state, fence, boot, attempt, created_at, "+
		"ended_at, reason, stripped) VALUES (?1,'',?2,?3,?1,1,'','settled',0,'',0,?4,?4,?5,1)",
		int64(e.ID), lane, int64(e.Place), now, string(e.Reason))
	return err
}

// newest is the text, or that of an edit which came before its message. A kept
// edit is used up: from here on its id is decided.
func (t *tx) newest(txt text) (text, error) {
	k, err := t.known()
	if err != nil || k.edits == 0 {
		return txt, err
	}
	e := text{id: txt.id, place: txt.place}
	found, err := t.row("SELECT edited_at, body, raw FROM edits WHERE id = ?", []any{int64(txt.id)}, &e.edited, &e.body, &e.raw)
	if err != nil || !found {
		return txt, err
	}
	if err := t.dropEdit(txt.id); err != nil {
		return txt, err
	}
	if e.edited > txt.edited {
		return e, nil
	}
	return txt, nil
}

// dropEdit forgets an edit that is kept for the id.
func (t *tx) dropEdit(id gapless.MessageID) error {
	k, err := t.known()
	if err != nil || k.edits == 0 {
		return err
	}
	n, err := t.exec("DELETE FROM edits WHERE id = ?", int64(id))
	k.edits -= int(n)
	t.erased = t.erased || n > 0
	return err
}

// edit renews the text of rows, and keeps what no row is there for.
func (c *change) edit(t *tx) error {
	for _, txt := range c.edited {
		if err := t.edit(txt, stamp(c.At)); err != nil {
			return fmt.Errorf("store edit of message %s: %w", txt.id, err)
		}
	}
	return nil
}

func (t *tx) edit(txt text, now int64) error {
	var edited, delivery int64
	var gone bool
	var state string
	found, err := t.row("SELECT edited_at, state, gone, delivery FROM messages WHERE id = ?", []any{int64(txt.id)},
		&edited, &state, &gone, &delivery)
	switch {
	case err != nil:
		return err
	case !found:
		return t.keepEdit(txt, now)
	case gone || state == "deleted" || txt.edited <= edited:
		return nil
	}
	if delivery != 0 {
		var ended bool
		_, err := t.row("SELECT state = 'settled' FROM deliveries WHERE n = ?", []any{delivery}, &ended)
		if err != nil || ended {
			return err
		}
	}
	if _, err := t.exec("UPDATE messages SET edited_at = ? WHERE id = ?", txt.edited, int64(txt.id)); err != nil {
		return err
	}
	return t.erase("UPDATE texts SET body = ?, raw = ? WHERE id = ?", txt.body, txt.raw, int64(txt.id))
}

// keepEdit keeps an edit until its message is decided, the newest one only.
func (t *tx) keepEdit(txt text, now int64) error {
	k, err := t.known()
	if err != nil {
		return err
	}
	refused, err := t.refused(txt.place, txt.id)
	if err != nil || refused {
		return err
	}
	var edited int64
	had, err := t.row("SELECT edited_at FROM edits WHERE id = ?", []any{int64(txt.id)}, &edited)
	if err != nil || (had && txt.edited <= edited) {
		return err
	}
	_, err = t.exec("INSERT OR REPLACE INTO edits (id, edited_at, at, body, raw) VALUES (?,?,?,?,?)",
		int64(txt.id), txt.edited, now, txt.body, txt.raw)
	if err == nil && !had {
		k.edits++
	}
	return err
}

// delete takes the text from every row and ends what was pending.
func (c *change) delete(t *tx) error {
	for _, d := range c.Deleted {
		if err := t.delete(d, stamp(c.At)); err != nil {
			return fmt.Errorf("store deletion of message %s: %w", d.ID, err)
		}
	}
	return nil
}

func (t *tx) delete(d gapless.Deletion, now int64) error {
	if err := t.dropEdit(d.ID); err != nil {
		return err
	}
	var state string
	found, err := t.row("SELECT state FROM messages WHERE id = ?", []any{int64(d.ID)}, &state)
	if err != nil {
		return err
	}
	if !found {
		return t.bury(d, now)
	}
	if state == "claimed" {
		_, err = t.exec("UPDATE messages SET gone = 1 WHERE id = ? AND gone = 0", int64(d.ID))
	} else {
		t.w.known.resolve(d.Place, d.ID)
		_, err = t.exec("UPDATE messages SET state = 'deleted', gone = 1, lacks = '', ended_at = ? WHERE id = ? AND state <> 'deleted'",
			now, int64(d.ID))
	}
	if err == nil {
		err = t.erase("DELETE FROM texts WHERE id = ?", int64(d.ID))
	}
	return err
}

// bury stores an unknown id as deleted, unless it was refused.
func (t *tx) bury(d gapless.Deletion, now int64) error {
	refused, err := t.refused(d.Place, d.ID)
	if err != nil || refused {
		return err
	}
	_, err = t.exec("INSERT INTO messages (id, place, lane, state, recovered, origin, ground, gap, edited_at, first_seen, "+
		"not_before, gone, ended_at) VALUES (?,?,?,'deleted',0,'','','',0,?,0,1,?)",
		int64(d.ID), int64(d.Place), string(gapless.LaneOf(d.Place)), now, now)
	t.hasRow(d.Place, d.ID)
	return err
}

// own notes messages of our own: the rows they answer, the replies they are.
func (c *change) own(t *tx) (closed []gapless.DeliveryID, err error) {
	for _, m := range c.Own {
		if m.Reference != 0 {
			if _, err := t.exec("UPDATE messages SET answered = 1 WHERE id = ? AND answered = 0", int64(m.Reference)); err != nil {
				return nil, fmt.Errorf("note the answer to message %s: %w", m.Reference, err)
			}
		}
		if m.Nonce == "" {
			continue
		}
		ended, err := t.heard(m, c.At)
		if err != nil {
			return nil, fmt.Errorf("note own message %s: %w", m.ID, err)
		}
		closed = append(closed, ended...)
	}
	return closed, nil
}
