package gapless

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"
)

// restored applies R15 to what the rules concluded of a place: what lies
// between the head of a restored ledger and the inventory may have been
// handled after the backup, so it is held for the operator. What was written
// since the restoration was noticed cannot have been.
func (p Place) restored(known bool, l Learnt, s ShardMark) Learnt {
	switch {
	case s.Restored.IsZero():
		return l
	case known && (!p.Restored || l.Change.Epoch <= p.Epoch):
		return l
	}
	l.Change.Compare = known
	cut := At[MessageID](s.Restored)
	var gaps []Gap
	for _, g := range l.Gaps {
		if g.After >= cut {
			gaps = append(gaps, g)
			continue
		}
		lower := g
		if g.Upto > cut {
			lower.ID, lower.Upto = gapID(g.Place, cut), cut
			g.From, g.After = cut, cut
			gaps = append(gaps, g)
		}
		gaps = append(gaps, lower.held())
	}
	l.Gaps = gaps
	return l
}

func gapID(place ChannelID, upto MessageID) GapID { return GapID(fmt.Sprintf("%s-%s", place, upto)) }

// held is the gap as one that only the operator can have read.
func (g Gap) held() Gap {
	g.Cause, g.Obstacle = CauseRestored, ObstacleRestored
	g.HoldTill = g.OpenedAt
	return g
}

// noteRestored takes note of a ledger that lacks what its witness knew of: its
// sessions are not resumed, and its marks are not trusted until they have met
// an inventory (R15).
func (e *Engine) noteRestored(ctx context.Context, m Memory) error {
	if m.Behind <= m.Noted {
		return nil
	}
	e.log.Error("the ledger was restored from a backup: what it lacks is held for the operator, and its sessions are not resumed",
		"commits_behind", m.Behind-m.Noted)
	for _, s := range m.Sessions {
		err := e.change(ctx, "drop a session of a restored ledger", func() *draft {
			d := newDraft(e.marks, e.rules, s, e.now())
			s.ID, s.ResumeURL, s.Seq = "", "", 0
			d.change.Session = &s
			return d
		})
		if err != nil {
			return fmt.Errorf("take note of a restored ledger: %w", err)
		}
	}
	err := e.change(ctx, "mark what was restored", func() *draft {
		d := newDraft(e.marks, e.rules, Session{}, e.now())
		for n := range e.marks.shards {
			d.shard = n
			d.raiseShard()
		}
		for i, s := range d.change.Shards {
			s.Restored = d.now
			d.change.Shards[i], d.shards[s.Shard] = s, s
		}
		for _, p := range e.marks.places {
			d.distrust(p)
		}
		d.change.Noted = m.Behind
		return d
	})
	if err != nil {
		return fmt.Errorf("take note of a restored ledger: %w", err)
	}
	return nil
}

// heldFrom reports whether the message lies in a held gap, and another one is
// being read.
func (d *draft) heldFrom(m *Message, reading GapID) bool {
	p, _ := d.place(m.Place)
	if d.hears(cmp.Or(p.Guild, m.Guild)).Restored.IsZero() {
		return false
	}
	for _, g := range d.marks.gaps {
		if g.Held() && g.Place == m.Place && g.ID != reading && g.After < m.ID && m.ID <= g.Upto {
			return true
		}
	}
	return false
}

// distrust holds what a restored ledger has not compared with history: what was
// found missing there may have been found, and handled, after the backup.
func (d *draft) distrust(p Place) {
	d.learn(Learnt{Change: PlaceChange{ID: p.ID, Restore: true}})
	gaps := d.gapsOf(p.ID)
	for _, g := range gaps {
		m := g.still()
		m.Obstacle, m.HoldTill = ObstacleRestored, time.Time{}
		d.move(g, m)
	}
	if len(gaps) == 0 && p.Verified < p.Head && p.Kind.HoldsMessages() && !p.Gone && !p.Hidden {
		g := Gap{ID: gapID(p.ID, p.Head) + "-restored", Place: p.ID, From: p.Verified, After: p.Verified, Upto: p.Head, OpenedAt: d.now}
		d.change.Opened = append(d.change.Opened, g.held())
	}
}

// aboveHeld lets no new gap reach into one that is held: what lies there may
// have been handled.
func (d *draft) aboveHeld(l Learnt) Learnt {
	if len(l.Gaps) == 0 {
		return l
	}
	for _, held := range d.gapsOf(l.Change.ID) {
		if !held.Held() {
			continue
		}
		for i := range l.Gaps {
			l.Gaps[i].From = max(l.Gaps[i].From, held.Upto)
			l.Gaps[i].After = max(l.Gaps[i].After, held.Upto)
		}
	}
	l.Gaps = slices.DeleteFunc(l.Gaps, func(g Gap) bool { return g.After >= g.Upto })
	return l
}
