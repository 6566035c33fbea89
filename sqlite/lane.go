package sqlite

import (
	"context"
	"fmt"
	"time"

	"gapless"
)

// Claim takes the next turn of a lane.
func (l *Ledger) Claim(ctx context.Context, c gapless.Claim) (gapless.Offer, error) {
	return ask(ctx, l, "claim", func(t *tx) (gapless.Offer, error) {
		for {
			offer, found, err := t.begin(c)
			if err != nil || found {
				return offer, err
			}
			d, found, err := t.current(c)
			switch {
			case err != nil:
				return gapless.Offer{}, fmt.Errorf("read lane %s: %w", c.Lane, err)
			case !found:
				return gapless.Offer{}, nil
			case d.State == gapless.Leased:
				return gapless.Offer{}, nil
			case c.Now.Before(d.NotBefore):
				return t.later(d.NotBefore, c)
			}
			if err := t.sift(d, c.Now); err != nil {
				return gapless.Offer{}, fmt.Errorf("look at delivery %s: %w", d.ID, err)
			}
			if d.State == gapless.Settled {
				continue
			}
			return t.lease(d, c)
		}
	})
}

// resting holds for a parked delivery that is not due: its lane goes on.
const resting = "(state = 'parked' AND not_before > ?2)"

// current is the lane's leased delivery, or else the lowest that waits or is
// parked and due, or else the lowest that is parked.
func (t *tx) current(c gapless.Claim) (*delivery, bool, error) {
	d := new(delivery)
	found, err := t.row("SELECT "+deliveryColumns+" FROM deliveries WHERE lane = ?1 AND state <> 'answering' AND "+isOpen+
		" ORDER BY state <> 'leased', "+resting+", first LIMIT 1",
		[]any{string(c.Lane), stamp(c.Now)}, d.columns()...)
	if err == nil && found {
		err = d.decode()
	}
	return d, found, err
}

// later is the offer of a lane that waits until then, or until a parked
// delivery is due before.
func (t *tx) later(then time.Time, c gapless.Claim) (o gapless.Offer, err error) {
	o.Next = then
	var due time.Time
	_, err = t.row("SELECT coalesce(min(not_before), 0) FROM deliveries WHERE lane = ?1 AND state = 'parked' AND not_before > ?2 AND "+
		isOpen, []any{string(c.Lane), stamp(c.Now)}, at(&due))
	if err != nil {
		return gapless.Offer{}, fmt.Errorf("read parked deliveries of lane %s: %w", c.Lane, err)
	}
	if !due.IsZero() && due.Before(then) {
		o.Next = due
	}
	return o, nil
}

// sift drops deleted members, and settles a delivery that needs no turn any
// more: none of it is left, or an own message has answered what was interrupted.
func (t *tx) sift(d *delivery, now time.Time) error {
	answered := true
	var left []gapless.MessageID
	for _, id := range d.members {
		var gone, evidence bool
		found, err := t.row("SELECT gone, answered FROM messages WHERE id = ?", []any{int64(id)}, &gone, &evidence)
		if err != nil {
			return err
		}
		if found && !gone {
			left = append(left, id)
			answered = answered && evidence
			continue
		}
		_, err = t.exec("UPDATE messages SET state = 'deleted', delivery = 0, ended_at = ? WHERE id = ?", stamp(now), int64(id))
		if err != nil {
			return err
		}
	}
	dropped := len(left) < len(d.members)
	d.members = left
	switch {
	case len(left) == 0:
		d.State, d.Reason, d.EndedAt = gapless.Settled, gapless.Deleted, now
	case answered && d.Interruptions > 0:
		d.State, d.Reason, d.EndedAt = gapless.Settled, gapless.Answered, now
	case !dropped:
		return nil
	}
	_, err := t.exec("UPDATE deliveries SET members = ?, size = ?, state = ?, reason = ?, ended_at = ? WHERE n = ?",
		join(left), len(left), string(d.State), string(d.Reason), stamp(d.EndedAt), d.n)
	return err
}

// lease gives a waiting delivery to the claimer.
func (t *tx) lease(d *delivery, c gapless.Claim) (gapless.Offer, error) {
	d.State, d.Boot, d.NotBefore, d.Deadline = gapless.Leased, c.Boot, time.Time{}, time.Time{}
	d.Attempt++
	d.Fence++
	_, err := t.exec("UPDATE deliveries SET state = 'leased', boot = ?, not_before = 0, deadline = 0, attempt = ?, fence = ? WHERE n = ?",
		d.Boot, d.Attempt, int64(d.Fence), d.n)
	if err != nil {
		return gapless.Offer{}, fmt.Errorf("lease delivery %s: %w", d.ID, err)
	}
	if err := t.fill(d); err != nil {
		return gapless.Offer{}, err
	}
	return t.tell(d, c)
}

// beginning reads the message a new delivery is named after: the lowest pending
// one of a lane, or the newest. With it come whether others are pending behind
// or before it, and, if something is parked somewhere, what is of its author.
// It finds none while a delivery of the lane is leased or waits. That it asks
// for all this at once is most of what a claim costs.
func beginning(order, beyond string, parked bool) string {
	known, awake := "''", ""
	if parked {
		known, awake = "coalesce(("+parkedOf("m.author")+"), '')", " AND NOT "+resting
	}
	return "SELECT " + memberColumns + ", m.author, EXISTS (SELECT 1 FROM messages o WHERE o.lane = ?1 AND o.state = 'pending' " +
		"AND o.id " + beyond + " m.id), " + known + " FROM messages m LEFT JOIN texts x ON x.id = m.id " +
		"WHERE m.lane = ?1 AND m.state = 'pending' AND NOT EXISTS (SELECT 1 FROM deliveries WHERE lane = ?1 " +
		"AND state <> 'answering' AND " + isOpen + awake + ") ORDER BY m.id " + order + " LIMIT 1"
}

// beginnings are the queries by whether the newest is wanted, and whether
// anything is parked.
var beginnings = map[[2]bool]string{
	{false, false}: beginning("ASC", ">", false),
	{false, true}:  beginning("ASC", ">", true),
	{true, false}:  beginning("DESC", "<", false),
	{true, true}:   beginning("DESC", "<", true),
}

// begin makes a delivery of the lane's lowest pending message and those that
// go with it, or of the newest, or says what stands in its way.
func (t *tx) begin(c gapless.Claim) (o gapless.Offer, found bool, err error) {
	k, err := t.known()
	if err != nil {
		return gapless.Offer{}, true, err
	}
	var m member
	var others bool
	args := []any{string(c.Lane)}
	if k.parked {
		args = append(args, stamp(c.Now))
	}
	query := beginnings[[2]bool{c.Backlog == gapless.BacklogLatest, k.parked}]
	found, err = t.row(query, args, append(m.columns(), id(&m.author), &others, &o.Parked)...)
	if err != nil || !found {
		return gapless.Offer{}, false, err
	}
	at := m.NotBefore
	if held := k.heldTill(m.text.place, m.text.id, c); held.After(at) {
		at = held
	}
	if c.Now.Before(at) {
		o, err = t.later(at, c)
		return o, true, err
	}
	if c.Paced && m.Origin.Recovered() {
		heard, err := t.row("SELECT 1 FROM messages WHERE lane = ? AND state = 'pending' AND recovered = 0 LIMIT 1",
			[]any{string(c.Lane)}, new(int))
		if err != nil || !heard {
			return gapless.Offer{Paced: err == nil}, true, err
		}
	}
	if others && c.Backlog == gapless.BacklogLatest {
		if o.Older, err = t.supersede(&m, c); err != nil {
			return gapless.Offer{}, true, fmt.Errorf("supersede what waits in lane %s: %w", c.Lane, err)
		}
		others = false
	}
	err = t.create(&m, c, others, &o)
	return o, true, err
}

// create makes the delivery of a message, leased. Others wait above it: some
// may go with it, and some stay behind.
func (t *tx) create(m *member, c gapless.Claim, others bool, o *gapless.Offer) error {
	first := m.text.id
	d := gapless.Delivery{
		ID: gapless.DeliveryID(first.String()), Lane: c.Lane, State: gapless.Leased, Fence: 1, Boot: c.Boot, Attempt: 1, CreatedAt: c.Now,
	}
	it, err := m.item()
	if err != nil {
		return err
	}
	d.Messages = []gapless.Item{it}
	members := []gapless.MessageID{first}
	if others && (c.Join > 0 && m.Plain || c.Backlog == gapless.BacklogJoined) {
		if members, err = t.together(m, c); err != nil {
			return fmt.Errorf("read what goes with message %s: %w", first, err)
		}
	}
	joined := ""
	if len(members) > 1 {
		joined = join(members)
	}
	_, err = t.exec("INSERT INTO deliveries (n, id, lane, place, first, size, members, state, fence, boot, attempt, created_at) "+
		"VALUES (?1, '', ?2, ?3, ?1, ?4, ?5, 'leased', 1, ?6, 1, ?7)",
		int64(first), string(d.Lane), int64(m.text.place), len(members), joined, d.Boot, stamp(d.CreatedAt))
	for _, id := range members {
		if err == nil {
			_, err = t.exec("UPDATE messages SET state = 'claimed', delivery = ?1 WHERE id = ?2", int64(first), int64(id))
		}
	}
	for _, id := range members[1:] {
		if err == nil {
			err = t.add(&d, id)
		}
	}
	if err == nil {
		d.Place, err = t.place(m.text.place)
	}
	if err == nil && others {
		o.Later, err = t.behind(c.Lane, m.author, members[len(members)-1])
	}
	if err != nil {
		return fmt.Errorf("make delivery %s: %w", d.ID, err)
	}
	o.Delivery = &d
	return nil
}

// Ready gives the lanes that have something to claim.
func (l *Ledger) Ready(ctx context.Context) ([]gapless.LaneID, error) {
	return ask(ctx, l, "list ready lanes", func(t *tx) (lanes []gapless.LaneID, err error) {
		err = t.rows("SELECT lane FROM ("+
			"SELECT lane, min(id) AS lowest FROM messages WHERE state = 'pending' GROUP BY lane UNION ALL "+
			"SELECT lane, min(first) FROM deliveries WHERE (state = 'waiting' OR state = 'parked') AND "+isOpen+" GROUP BY lane) "+
			"WHERE lane NOT IN (SELECT lane FROM deliveries WHERE state = 'leased') "+
			"GROUP BY lane ORDER BY min(lowest), lane", nil, func(scan func(...any) error) error {
			var lane gapless.LaneID
			err := scan(&lane)
			lanes = append(lanes, lane)
			return err
		})
		return lanes, err
	})
}
