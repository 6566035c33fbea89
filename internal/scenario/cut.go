package scenario

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"gapless"
)

// cut is the ledger as one process of a script has it. It writes down what was stored, lets the script refuse or
// delay deeds, and after a kill lets nothing of the dying process take effect any more.
type cut struct {
	gapless.Ledger

	proc *process
	j    *journal
}

var errScripted = errors.New("the script lets the ledger refuse")

// pass is asked before each deed: nil if it may go on to the real ledger.
func (c *cut) pass(ctx context.Context, deed string) error {
	if c.proc.dead.Load() {
		return gapless.ErrClosed
	}
	hold, refuse := c.proc.player.troubles.strike(deed)
	if hold > 0 {
		t := time.NewTimer(hold)
		defer t.Stop()
		select {
		case <-t.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if c.proc.dead.Load() {
		return gapless.ErrClosed
	}
	if c.proc.player.troubles.deadly(deed, before) {
		c.proc.kill()
		return gapless.ErrClosed
	}
	if refuse {
		return fmt.Errorf("%s: %w", deed, errScripted)
	}
	return nil
}

// did is told after each deed that came to err: the process may have to die before anybody learns of it.
func (c *cut) did(deed string, err error) error {
	if err == nil && c.proc.player.troubles.deadly(deed, after) {
		c.proc.kill()
		return gapless.ErrClosed
	}
	return err
}

// Load reads all marks, and remembers the floors among them.
func (c *cut) Load(ctx context.Context) (gapless.Memory, error) {
	if err := c.pass(ctx, "load"); err != nil {
		return gapless.Memory{}, err
	}
	m, err := c.Ledger.Load(ctx)
	c.j.enter(func() {
		for _, p := range m.Places {
			c.j.floors[p.ID] = max(c.j.floors[p.ID], p.Floor)
		}
	})
	return m, err
}

// Append stores a change and writes down what became of it.
func (c *cut) Append(ctx context.Context, ch gapless.Change) (gapless.Stored, error) {
	if err := c.pass(ctx, "append"); err != nil {
		return gapless.Stored{}, err
	}
	c.moving(ch, 1)
	stored, err := c.Ledger.Append(ctx, ch)
	c.moving(ch, -1)
	c.j.enter(func() {
		switch {
		case errors.Is(err, gapless.ErrStale):
			c.j.stale++
		case err == nil:
			c.decided(ch, stored)
			c.covered(ch)
		}
	})
	return stored, c.did("append", err)
}

// moving marks the gaps that a change is about to move: while it is under way they may or may not hold.
func (c *cut) moving(ch gapless.Change, by int) {
	c.j.read(func() {
		for _, m := range ch.Moved {
			if g := c.j.gaps[m.ID]; g != nil {
				g.moving += by
			}
		}
	})
}

// decided writes down the decisions of a change.
func (c *cut) decided(ch gapless.Change, stored gapless.Stored) {
	for _, d := range ch.Deleted {
		if f := c.j.fate(d.ID, d.Place); f.deleted == 0 {
			f.deleted = c.j.seq
		}
	}
	byOrigin := map[gapless.Origin][]string{}
	left := slices.Clone(stored.New) // a change may bring one id twice; the row is one
	for _, it := range ch.Admitted {
		if i := slices.Index(left, it.Message.ID); i >= 0 {
			left = slices.Delete(left, i, i+1)
			f := c.j.fate(it.Message.ID, it.Message.Place)
			if f.admitted != 0 {
				c.j.complain("%s became a row twice", c.name(it.Message.ID))
			}
			f.admitted, f.item = c.j.seq, it
			byOrigin[it.Origin] = append(byOrigin[it.Origin], c.name(it.Message.ID))
		}
	}
	for _, o := range []gapless.Origin{gapless.OriginLive, gapless.OriginReplay, gapless.OriginHistory, gapless.OriginAudit} {
		c.j.tellOf(theEngine, fmt.Sprintf("admits (%s)", o), byOrigin[o], "")
	}
	for _, r := range ch.Refused {
		f := c.j.fate(r.ID, r.Place)
		if f.admitted != 0 || f.refused != "" || f.deleted != 0 {
			continue
		}
		f.refused = r.Reason
		if r.Reason != gapless.ReasonOwn {
			c.j.tellOf(theEngine, "refuses", []string{c.name(r.ID)}, "("+string(r.Reason)+")")
		}
	}
	for _, it := range ch.Undecided {
		f := c.j.fate(it.Message.ID, it.Message.Place)
		if f.admitted != 0 || f.refused != "" || f.deleted != 0 {
			continue
		}
		if f.open == 0 {
			c.j.tellOf(theEngine, "cannot decide yet", []string{c.name(it.Message.ID)}, "("+string(it.Lacks)+")")
		}
		f.open = c.j.seq
	}
	for _, e := range ch.Ended {
		c.j.fate(e.ID, e.Place).ended = true
	}
	for _, r := range ch.Letters {
		if _, known := c.j.letters[r.ID]; !known {
			c.j.letters[r.ID] = r
			c.j.tell(theEngine, "has something to say in %s", c.place(r.Place))
		}
	}
	for _, o := range ch.Own {
		for id, r := range c.j.replies {
			if o.Nonce != "" && r.Nonce == o.Nonce && (r.State == gapless.ReplyIntended || r.State == gapless.ReplyUnknown) {
				r.State, r.Message = gapless.ReplySent, o.ID
				c.j.replies[id] = r
			}
		}
	}
	for _, id := range stored.Closed {
		if d := c.j.claims[id]; d != nil {
			d.State, d.Reason = gapless.Settled, gapless.Answered
			c.j.tellOf(theEngine, "settles", c.members(d.Delivery), "(answered, heard)")
		}
	}
}

// covered writes down the coverage of a change.
func (c *cut) covered(ch gapless.Change) {
	for _, p := range ch.Places {
		c.j.floors[p.ID] = max(c.j.floors[p.ID], p.Floor)
	}
	for _, g := range ch.Opened {
		if c.j.gaps[g.ID] != nil {
			continue
		}
		c.j.gaps[g.ID] = &gapFate{Gap: g, entry: c.j.seq}
		c.j.opened = append(c.j.opened, g.ID)
		c.j.tell(theRecovery, "gap in %s opens, %s to %s (%s)", c.place(g.Place), c.after(g.After), c.upto(g.Upto), g.Cause)
	}
	for _, m := range ch.Moved {
		g := c.j.gaps[m.ID]
		if g == nil {
			continue
		}
		g.Gap = g.Apply(m)
		switch {
		case !g.Open():
			c.j.tell(theRecovery, "gap in %s closes (%s)", c.place(g.Place), g.End)
		case m.Obstacle != "":
			g.hurdles++
			c.j.tell(theRecovery, "gap in %s stays open, read up to %s (%s)", c.place(g.Place), c.upto(g.After), m.Obstacle)
		}
	}
	for _, r := range ch.Ranges {
		c.j.ranges = append(c.j.ranges, r)
		c.j.tell(theRecovery, "range in %s will not be read, %s to %s (%s)", c.place(r.Place), c.after(r.After), c.upto(r.Upto), r.Reason)
	}
}

// Claim takes a turn; the order of what it offers is judged on the spot.
func (c *cut) Claim(ctx context.Context, cl gapless.Claim) (gapless.Offer, error) {
	if err := c.pass(ctx, "claim"); err != nil {
		return gapless.Offer{}, err
	}
	asked, _ := c.j.now()
	offer, err := c.Ledger.Claim(ctx, cl)
	if err != nil || offer.Delivery == nil {
		return offer, err
	}
	d := *offer.Delivery
	c.j.enter(func() {
		c.superseded(offer.Older, d)
		c.judgeClaim(d, cl.Now, asked)
		seen := c.j.claims[d.ID]
		if seen == nil {
			seen = &claimed{}
			c.j.claims[d.ID] = seen
		}
		seen.Delivery = d
		seen.boots = append(seen.boots, cl.Boot)
		for _, it := range d.Messages {
			c.j.fate(it.Message.ID, it.Message.Place).delivery = d.ID
		}
	})
	return offer, c.did("claim", nil)
}

// superseded notes what a claim settled below the delivery it offers, each as one of its own.
func (c *cut) superseded(older []gapless.Item, d gapless.Delivery) {
	for _, it := range older {
		old := gapless.Delivery{
			ID: gapless.DeliveryID(it.Message.ID.String()), Lane: d.Lane, Place: d.Place, State: gapless.Settled, Reason: gapless.Superseded,
			Messages: []gapless.Item{it},
		}
		c.j.claims[old.ID] = &claimed{Delivery: old}
		c.j.fate(it.Message.ID, it.Message.Place).delivery = old.ID
		c.j.tellOf(theEngine, "settles", c.members(old), "("+string(old.Reason)+")")
	}
}

// Settle stores the end of a turn.
func (c *cut) Settle(ctx context.Context, s gapless.Settlement) error {
	if err := c.pass(ctx, "settle"); err != nil {
		return err
	}
	err := c.Ledger.Settle(ctx, s)
	c.j.enter(func() {
		switch {
		case errors.Is(err, gapless.ErrStale):
			c.j.stale++
		case err == nil:
			c.settled(s)
		}
	})
	return c.did("settle", err)
}

func (c *cut) settled(s gapless.Settlement) {
	seen := c.j.claims[s.Delivery.ID]
	if seen == nil {
		c.j.complain("delivery %s is settled although it was never claimed", s.Delivery.ID)
		return
	}
	members := seen.Messages
	seen.Delivery = s.Delivery
	if len(seen.Messages) == 0 {
		seen.Messages = members
	}
	seen.settled++
	for _, r := range s.Replies {
		c.j.replies[r.ID] = r
	}
	d := seen.Delivery
	switch d.State {
	case gapless.Settled, gapless.Dead:
		c.j.tellOf(theEngine, map[gapless.DeliveryState]string{gapless.Settled: "settles", gapless.Dead: "gives up"}[d.State],
			c.members(d), "("+string(d.Reason)+")")
	case gapless.Waiting:
		c.j.tellOf(theEngine, "will try again", c.members(d), "in "+max(0, d.NotBefore.Sub(s.At)).Round(time.Millisecond).String())
	}
}

// Sent stores what became of a reply.
func (c *cut) Sent(ctx context.Context, r gapless.Reply, at time.Time) (bool, error) {
	if err := c.pass(ctx, "sent"); err != nil {
		return false, err
	}
	settled, err := c.Ledger.Sent(ctx, r, at)
	if err == nil {
		c.j.enter(func() { c.sent(r, settled) })
	}
	return settled, c.did("sent", err)
}

func (c *cut) sent(r gapless.Reply, settled bool) {
	if r.Delivery == "" {
		c.j.letters[r.ID] = r
		return
	}
	c.j.replies[r.ID] = r
	d := c.j.claims[r.Delivery]
	if d == nil {
		c.j.complain("reply %s belongs to no delivery that was claimed", r.ID)
		return
	}
	if r.State == gapless.ReplyRefused || r.State == gapless.ReplyUnknown {
		c.j.tellOf(theEngine, "reply to", c.members(d.Delivery), "is "+string(r.State))
	}
	if !settled {
		return
	}
	d.State, d.Reason = gapless.Settled, gapless.Undeliverable
	for _, other := range c.j.replies {
		if other.Delivery == r.Delivery && other.State == gapless.ReplySent {
			d.Reason = gapless.Answered
		}
	}
	c.j.tellOf(theEngine, "settles", c.members(d.Delivery), "("+string(d.Reason)+")")
}

// Record stores a pass.
func (c *cut) Record(ctx context.Context, p gapless.Pass) error {
	if err := c.pass(ctx, "record"); err != nil {
		return err
	}
	err := c.Ledger.Record(ctx, p)
	if err == nil {
		c.j.enter(func() { c.passed(p) })
	}
	return err
}

func (c *cut) passed(p gapless.Pass) {
	i := slices.IndexFunc(c.j.passes, func(o gapless.Pass) bool { return o.ID == p.ID })
	if i < 0 {
		c.j.passes = append(c.j.passes, p)
	} else {
		c.j.passes[i] = p
	}
	if p.State != gapless.PassRunning {
		c.j.tell(theRecovery, "pass (%s) ends: %s, calls %d, examined %d, admitted %d, closed %d, remainder %d",
			p.Trigger, p.State, p.Calls, p.Examined, p.Admitted, p.Closed, len(p.Remainder))
	}
}

// Leases, Ready, Unsent, Status and Prune only ask whether the process lives.

// Leases gives what is leased.
func (c *cut) Leases(ctx context.Context) ([]gapless.Delivery, error) {
	if err := c.pass(ctx, "leases"); err != nil {
		return nil, err
	}
	return c.Ledger.Leases(ctx)
}

// Ready gives the lanes with something to do.
func (c *cut) Ready(ctx context.Context) ([]gapless.LaneID, error) {
	if err := c.pass(ctx, "ready"); err != nil {
		return nil, err
	}
	return c.Ledger.Ready(ctx)
}

// Unsent gives the replies to send.
func (c *cut) Unsent(ctx context.Context) ([]gapless.Reply, error) {
	if err := c.pass(ctx, "unsent"); err != nil {
		return nil, err
	}
	return c.Ledger.Unsent(ctx)
}

// Prune cleans up.
func (c *cut) Prune(ctx context.Context, pr gapless.Prune) (bool, error) {
	if err := c.pass(ctx, "prune"); err != nil {
		return false, err
	}
	return c.Ledger.Prune(ctx, pr)
}

func (c *cut) name(id gapless.MessageID) string    { return c.proc.player.nameOf(id) }
func (c *cut) place(id gapless.ChannelID) string   { return c.proc.player.placeOf(id) }
func (c *cut) after(id gapless.MessageID) string   { return "after " + c.proc.player.position(id) }
func (c *cut) upto(id gapless.MessageID) string    { return c.proc.player.position(id) }
func (c *cut) members(d gapless.Delivery) []string { return c.proc.player.namesOf(d.Messages) }
