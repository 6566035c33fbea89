package sqlite

import (
	"context"
	"fmt"
	"slices"

	"gapless"
)

// Append stores one change. Encoding happens on the caller's goroutine.
func (l *Ledger) Append(ctx context.Context, c gapless.Change) (gapless.Stored, error) {
	p, err := prepareChange(c)
	if err != nil {
		return gapless.Stored{}, err
	}
	return ask(ctx, l, "append", p.store)
}

// change is a gapless.Change ready to be stored. It shares nothing with the
// caller, who may be gone when it is.
type change struct {
	gapless.Change
	admitted  []text // the text of Admitted, in order
	undecided []text // the text of Undecided, in order
	edited    []text // the text of Edited, in order
}

func prepareChange(c gapless.Change) (*change, error) {
	p := &change{Change: c}
	if c.Session != nil {
		p.Session = new(*c.Session)
	}
	p.Shards, p.Guilds, p.Ranges = slices.Clone(c.Shards), slices.Clone(c.Guilds), slices.Clone(c.Ranges)
	p.Opened, p.Moved, p.Places = slices.Clone(c.Opened), slices.Clone(c.Moved), slices.Clone(c.Places)
	for i, n := range p.Places {
		if n.Describe != nil {
			p.Places[i].Describe = new(*n.Describe)
		}
	}
	p.Refused, p.Deleted, p.Ended = slices.Clone(c.Refused), slices.Clone(c.Deleted), slices.Clone(c.Ended)
	p.Own, p.Letters, p.Edited = slices.Clone(c.Own), slices.Clone(c.Letters), nil
	for _, r := range c.Letters {
		if r.Delivery != "" {
			return nil, fmt.Errorf("store letter %s: it belongs to delivery %s", r.ID, r.Delivery)
		}
	}
	var err error
	if p.Admitted, p.admitted, err = apart(c.Admitted); err != nil {
		return nil, err
	}
	if p.Undecided, p.undecided, err = apart(c.Undecided); err != nil {
		return nil, err
	}
	for _, m := range c.Edited {
		t, err := textOf(m)
		if err != nil {
			return nil, err
		}
		p.edited = append(p.edited, t)
	}
	return p, nil
}

// apart takes the texts out of items: of the message itself only what the row
// needs stays.
func apart(items []gapless.Item) (bare []gapless.Item, texts []text, err error) {
	bare = slices.Clone(items)
	for i, it := range items {
		t, err := textOf(it.Message)
		if err != nil {
			return nil, nil, err
		}
		texts = append(texts, t)
		m := it.Message
		bare[i].Message = gapless.Message{ID: m.ID, Place: m.Place, Author: gapless.User{ID: m.Author.ID}}
	}
	return bare, texts, nil
}

// store applies the change. What can be refused is read first, so that a stale
// change has written nothing.
func (c *change) store(t *tx) (out gapless.Stored, err error) {
	gaps, err := c.moved(t)
	if err != nil {
		return out, err
	}
	for _, g := range gaps {
		if err := t.putGap(g); err != nil {
			return out, fmt.Errorf("store gap %s: %w", g.ID, err)
		}
	}
	if err := c.marks(t); err != nil {
		return out, err
	}
	fresh, err := c.admit(t, &out)
	if err != nil {
		return out, err
	}
	for _, step := range []func(*tx, *gapless.Stored) error{c.suspend, c.conclude, c.refuse} {
		if err := step(t, &out); err != nil {
			return out, err
		}
	}
	if err := c.edit(t); err != nil {
		return out, err
	}
	if err := c.delete(t); err != nil {
		return out, err
	}
	if out.Closed, err = c.own(t); err != nil {
		return out, err
	}
	if err := c.post(t); err != nil {
		return out, err
	}
	for _, it := range fresh {
		if c.deletes(it.Message.ID) {
			continue
		}
		out.New = append(out.New, it.Message.ID)
		if lane := gapless.LaneOf(it.Message.Place); !slices.Contains(out.Lanes, lane) {
			out.Lanes = append(out.Lanes, lane)
		}
	}
	return out, nil
}

func (c *change) deletes(id gapless.MessageID) bool {
	return slices.ContainsFunc(c.Deleted, func(d gapless.Deletion) bool { return d.ID == id })
}

// moved is the gaps that the change opens or moves, as they are afterwards.
func (c *change) moved(t *tx) (after map[gapless.GapID]gapless.Gap, err error) {
	if len(c.Opened)+len(c.Moved) == 0 {
		return nil, nil
	}
	k, err := t.known()
	if err != nil {
		return nil, err
	}
	after = map[gapless.GapID]gapless.Gap{}
	for _, g := range c.Opened {
		if _, twice := after[g.ID]; twice {
			continue
		}
		stored, err := t.row("SELECT 1 FROM gaps WHERE id = ?", []any{string(g.ID)}, new(int))
		if err != nil {
			return nil, fmt.Errorf("look for gap %s: %w", g.ID, err)
		}
		if !stored {
			after[g.ID] = g
		}
	}
	for _, move := range c.Moved {
		g, ok := after[move.ID]
		if !ok {
			g, ok = k.gaps[move.ID]
		}
		if !ok || !g.Open() || g.After != move.Was {
			return nil, fmt.Errorf("move gap %s: %w", move.ID, gapless.ErrStale)
		}
		after[move.ID] = g.Apply(move)
	}
	return after, nil
}

func (t *tx) putGap(g gapless.Gap) error {
	k, err := t.known()
	if err != nil {
		return err
	}
	_, err = t.exec("INSERT INTO gaps ("+gapColumns+") VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?) "+
		"ON CONFLICT (id) DO UPDATE SET after = excluded.after, hold_till = excluded.hold_till, obstacle = excluded.obstacle, "+
		"tries = excluded.tries, due_at = excluded.due_at, ended = excluded.ended, closed_at = excluded.closed_at, next = excluded.next",
		string(g.ID), int64(g.Place), int64(g.From), int64(g.After), int64(g.Upto), string(g.Cause), stamp(g.OpenedAt),
		stamp(g.HoldTill), string(g.Obstacle), g.Tries, stamp(g.DueAt), string(g.End), stamp(g.ClosedAt), int64(g.Next))
	if err == nil {
		k.gap(g)
	}
	return err
}

// marks stores session, epochs, places and closed ranges.
func (c *change) marks(t *tx) error {
	if c.Session != nil {
		t.sessions[c.Session.Shard] = *c.Session
		t.writes++
	}
	for _, s := range c.Shards {
		_, err := t.exec("INSERT INTO shards (shard, epoch, since, at, restored) VALUES (?,?,?,?,?) ON CONFLICT (shard) DO UPDATE SET "+
			"epoch = max(epoch, excluded.epoch), since = excluded.since, at = excluded.at, restored = excluded.restored",
			s.Shard, int64(s.Epoch), stamp(s.Since), stamp(s.At), stamp(s.Restored))
		if err != nil {
			return fmt.Errorf("store marks of shard %d: %w", s.Shard, err)
		}
	}
	for _, g := range c.Guilds {
		_, err := t.exec("INSERT INTO guilds (id, shard, name, epoch, listed, away, joined_at, listed_at) VALUES (?,?,?,?,?,?,?,?) "+
			"ON CONFLICT (id) DO UPDATE SET shard = excluded.shard, name = excluded.name, away = excluded.away, "+
			"epoch = max(epoch, excluded.epoch), listed = max(listed, excluded.listed), joined_at = excluded.joined_at, listed_at = excluded.listed_at",
			int64(g.ID), g.Shard, g.Name, int64(g.Epoch), int64(g.Listed), g.Away, stamp(g.JoinedAt), stamp(g.ListedAt))
		if err != nil {
			return fmt.Errorf("store marks of guild %s: %w", g.ID, err)
		}
	}
	for _, p := range c.Places {
		if err := t.changePlace(p); err != nil {
			return fmt.Errorf("store marks of place %s: %w", p.ID, err)
		}
	}
	for _, r := range c.Ranges {
		_, err := t.exec("INSERT INTO ranges (place, after, upto, reason, at) VALUES (?,?,?,?,?) ON CONFLICT DO NOTHING",
			int64(r.Place), int64(r.After), int64(r.Upto), string(r.Reason), stamp(r.At))
		if err != nil {
			return fmt.Errorf("store closed range of place %s: %w", r.Place, err)
		}
	}
	return nil
}

func (t *tx) putSession(s gapless.Session) error {
	_, err := t.exec("INSERT OR REPLACE INTO sessions ("+sessionColumns+") VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
		s.Shard, s.Shards, s.ID, s.ResumeURL, s.Seq, int64(s.Self.ID), s.Self.Name, s.Self.Bot, s.Self.System, s.State,
		stamp(s.SeenAt), s.Starts.Remaining, stamp(s.Starts.ResetAt), stamp(s.Starts.IdentifiedAt))
	return err
}

func (t *tx) changePlace(c gapless.PlaceChange) error {
	k, err := t.known()
	if err != nil {
		return err
	}
	old, stored := k.places[c.ID]
	p := old.Apply(c)
	if stored && p == old {
		return nil
	}
	k.places[c.ID] = p
	t.places[c.ID] = true
	t.writes++
	return nil
}

func (t *tx) putPlace(p gapless.Place) error {
	_, err := t.exec("INSERT INTO places ("+placeColumns+") VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT (id) DO UPDATE SET "+
		"guild = excluded.guild, parent = excluded.parent, kind = excluded.kind, name = excluded.name, "+
		"recipient = excluded.recipient, floor = excluded.floor, verified = excluded.verified, head = excluded.head, "+
		"epoch = excluded.epoch, gone = excluded.gone, hidden = excluded.hidden, out = excluded.out, "+
		"restored = excluded.restored, takes_part = excluded.takes_part, owes = excluded.owes",
		int64(p.ID), int64(p.Guild), int64(p.Parent), int(p.Kind), p.Name, int64(p.Recipient), int64(p.Floor),
		int64(p.Verified), int64(p.Head), int64(p.Epoch), p.Gone, p.Hidden, p.Out, p.Restored, int64(p.TakesPart), stamp(p.Owes))
	return err
}
