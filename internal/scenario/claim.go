package scenario

import (
	"slices"
	"time"

	"gapless"
)

// judgeClaim holds promises 3 and 4 to what the ledger had stored when the claim was made: entries of the journal
// up to asked. The caller is inside enter.
func (c *cut) judgeClaim(d gapless.Delivery, now time.Time, asked int) {
	if len(d.Messages) == 0 {
		c.j.complain("delivery %s has no messages", d.ID)
		return
	}
	first := d.First()
	for _, other := range c.j.claims {
		if other.Lane == d.Lane && other.ID != d.ID && other.State == gapless.Leased {
			c.j.complain("%s starts although a turn of its lane runs (%s)", c.name(first.ID), c.members(other.Delivery))
		}
	}
	if seen := c.j.claims[d.ID]; seen != nil {
		c.judgeAgain(seen.Delivery, d)
		return
	}
	if d.Messages[0].Origin == gapless.OriginAudit {
		return // exempt: its neighbours were handled before anybody knew of it
	}
	for _, f := range c.j.fates {
		older := f.place == first.Place && f.id < first.ID && f.admitted != 0 && f.admitted <= asked
		if older && f.delivery == "" && f.deleted == 0 && !has(d.Messages, f.id) {
			c.j.complain("order: %s starts before %s, which waits in the same lane", c.name(first.ID), c.name(f.id))
		}
	}
	for _, g := range c.j.gaps {
		if g.Place == first.Place && g.entry <= asked && g.moving == 0 && g.Holds(first.ID, now) {
			c.j.complain("order: %s starts although a gap below it is being recovered (%s to %s)", c.name(first.ID),
				c.after(g.After), c.upto(g.Upto))
		}
	}
}

// judgeAgain compares a delivery claimed again with what it was.
func (c *cut) judgeAgain(was, is gapless.Delivery) {
	switch was.State {
	case gapless.Settled, gapless.Dead, gapless.Answering:
		c.j.complain("%s starts again although it is %s (%s)", c.name(is.First().ID), was.State, was.Reason)
	}
	if is.Fence <= was.Fence {
		c.j.complain("%s is leased again with fence %d after %d", c.name(is.First().ID), is.Fence, was.Fence)
	}
	for _, it := range is.Messages {
		if !has(was.Messages, it.Message.ID) {
			c.j.complain("%s joined a delivery between its attempts", c.name(it.Message.ID))
		}
	}
}

func has(items []gapless.Item, id gapless.MessageID) bool {
	return slices.ContainsFunc(items, func(it gapless.Item) bool { return it.Message.ID == id })
}
