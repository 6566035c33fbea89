package sqlite

import (
	"fmt"
	"slices"
	"time"

	"gapless"
)

// heldTill is the end of each hold that is on the message now: of a gap, or of
// an undecided row below it. The newest of a lane is held by every gap.
func (k *known) heldTill(place gapless.ChannelID, id gapless.MessageID, c gapless.Claim) (till time.Time) {
	top := id
	if c.Backlog == gapless.BacklogLatest {
		top = ^gapless.MessageID(0)
	}
	for _, gap := range k.byPlace[place] {
		if g := k.gaps[gap]; g.Holds(top, c.Now) && g.HoldTill.After(till) {
			till = g.HoldTill
		}
	}
	for below, at := range k.undecided[c.Lane] {
		if below < id && c.Now.Before(at) && at.After(till) {
			till = at
		}
	}
	return till
}

// pendingStep is how many pending messages are looked at together.
const pendingStep = 64

// pendingMessage is as much of a pending message as decides whether it joins.
type pendingMessage struct {
	id     gapless.MessageID
	author gapless.UserID
	plain  bool
}

// together is the message and all that goes into its turn, by id.
func (t *tx) together(first *member, c gapless.Claim) (members []gapless.MessageID, err error) {
	k, err := t.known()
	if err != nil {
		return nil, err
	}
	last := pendingMessage{first.text.id, first.author, first.Plain}
	members, run := []gapless.MessageID{last.id}, c.Backlog == gapless.BacklogJoined
	for after, more := last.id, true; more; {
		var page []pendingMessage
		err := t.rows("SELECT id, author, plain FROM messages WHERE lane = ? AND state = 'pending' AND id > ? ORDER BY id LIMIT ?",
			[]any{string(c.Lane), int64(after), pendingStep}, into(&page, func(scan func(...any) error) (p pendingMessage, err error) {
				return p, scan(id(&p.id), id(&p.author), &p.plain)
			}))
		if err != nil {
			return nil, err
		}
		more = len(page) == pendingStep
		for _, p := range page {
			after = p.id
			run = run && p.author == first.author
			near := c.Join > 0 && last.plain && p.id.Time().Sub(last.id.Time()) <= c.Join
			if (!run && !near) || c.Now.Before(k.heldTill(first.text.place, p.id, c)) {
				return members, nil
			}
			if p.author == first.author && (run || p.plain) {
				members, last = append(members, p.id), p
			}
		}
	}
	return members, nil
}

// add reads a message into a delivery as its next member.
func (t *tx) add(d *gapless.Delivery, id gapless.MessageID) error {
	var m member
	found, err := t.row("SELECT "+memberColumns+" FROM messages m LEFT JOIN texts x ON x.id = m.id WHERE m.id = ?",
		[]any{int64(id)}, m.columns()...)
	if err == nil && !found {
		err = fmt.Errorf("it has no row")
	}
	if err != nil {
		return fmt.Errorf("read message %s of delivery %s: %w", id, d.ID, err)
	}
	it, err := m.item()
	d.Messages = append(d.Messages, it)
	return err
}

// supersede ends everything that is pending below the message, and gives the
// last of it.
func (t *tx) supersede(newest *member, c gapless.Claim) (older []gapless.Item, err error) {
	const below = "m.lane = ?1 AND m.state = 'pending' AND m.id < ?2"
	where := []any{string(c.Lane), int64(newest.text.id)}
	err = t.rows("SELECT "+memberColumns+" FROM messages m LEFT JOIN texts x ON x.id = m.id WHERE "+below+
		" ORDER BY m.id DESC LIMIT ?3", append(slices.Clone(where), gapless.LaterLimit), into(&older, scanItem))
	if err != nil {
		return nil, err
	}
	slices.Reverse(older)
	_, err = t.exec("INSERT INTO deliveries (n, id, lane, place, first, size, members, state, fence, boot, attempt, created_at, "+
		"ended_at, reason) SELECT m.id, '', m.lane, m.place, m.id, 1, '', 'settled', 0, '', 0, ?3, ?3, 'superseded' FROM messages m "+
		"WHERE "+below, append(slices.Clone(where), stamp(c.Now))...)
	if err == nil {
		_, err = t.exec("UPDATE messages AS m SET state = 'claimed', delivery = id WHERE "+below, where...)
	}
	return older, err
}

// behind is what an author wrote after a message and is still pending.
func (t *tx) behind(lane gapless.LaneID, author gapless.UserID, last gapless.MessageID) (out []gapless.Item, err error) {
	err = t.rows("SELECT "+memberColumns+" FROM messages m LEFT JOIN texts x ON x.id = m.id WHERE m.lane = ? AND m.state = 'pending' "+
		"AND m.id > ? AND m.author = ? ORDER BY m.id LIMIT ?",
		[]any{string(lane), int64(last), int64(author), gapless.LaterLimit}, into(&out, scanItem))
	return out, err
}

// parkedOf finds the lowest parked delivery of lane ?1 whose first member had
// the author.
func parkedOf(author string) string {
	return "SELECT CASE p.id WHEN '' THEN CAST(p.n AS TEXT) ELSE p.id END FROM deliveries p JOIN messages f ON f.id = p.first WHERE p.lane = ?1 " +
		"AND p.state = 'parked' AND p.state <> 'settled' AND p.state <> 'dead' AND f.author = " + author + " ORDER BY p.first LIMIT 1"
}

var parkedOfAuthor = parkedOf("?2")

// tell is the offer of a delivery that has just been leased again: with what
// its author wrote since, and what of theirs is parked.
func (t *tx) tell(d *delivery, c gapless.Claim) (gapless.Offer, error) {
	o := gapless.Offer{Delivery: &d.Delivery}
	var author gapless.UserID
	_, err := t.row("SELECT author FROM messages WHERE id = ?", []any{int64(d.members[0])}, id(&author))
	if err == nil {
		_, err = t.row(parkedOfAuthor, []any{string(c.Lane), int64(author)}, &o.Parked)
	}
	if err == nil {
		o.Later, err = t.behind(c.Lane, author, d.members[len(d.members)-1])
	}
	if err != nil {
		return gapless.Offer{}, fmt.Errorf("read what waits behind delivery %s: %w", d.ID, err)
	}
	return o, nil
}
