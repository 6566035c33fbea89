package ledgertest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"gapless"
)

// Append stores one change: what can be refused is looked at before anything
// is touched.
func (m *Memory) Append(ctx context.Context, c gapless.Change) (out gapless.Stored, err error) {
	err = m.do(ctx, "Append", func(s *state) error {
		gaps, err := s.moved(c)
		if err != nil {
			return err
		}
		if i := slices.IndexFunc(c.Letters, func(r gapless.Reply) bool { return r.Delivery != "" }); i >= 0 {
			return fmt.Errorf("store letter %s: it belongs to delivery %s", c.Letters[i].ID, c.Letters[i].Delivery)
		}
		if c.Empty() {
			return nil
		}
		s.marks(c)
		for _, g := range gaps {
			s.gaps[g.ID] = g
		}
		fresh := s.admit(c, &out)
		s.suspend(c, &out)
		s.conclude(c, &out)
		s.refuse(c, &out)
		s.edit(c)
		s.delete(c)
		out.Closed = s.witness(c)
		s.post(c.Letters)
		s.noted = max(s.noted, c.Noted)
		for _, id := range fresh {
			r := s.rows[id]
			if !r.pending() {
				continue
			}
			out.New = append(out.New, id)
			if !slices.Contains(out.Lanes, r.lane) {
				out.Lanes = append(out.Lanes, r.lane)
			}
		}
		s.commits++
		return nil
	})
	return out, err
}

// moved is the gaps that the change opens or moves, as they are afterwards.
func (s *state) moved(c gapless.Change) (map[gapless.GapID]gapless.Gap, error) {
	after := map[gapless.GapID]gapless.Gap{}
	for _, g := range c.Opened {
		_, stored := s.gaps[g.ID]
		_, twice := after[g.ID]
		if !stored && !twice {
			after[g.ID] = g
		}
	}
	for _, move := range c.Moved {
		g, ok := after[move.ID]
		if !ok {
			g, ok = s.gaps[move.ID]
		}
		if !ok || !g.Open() || g.After != move.Was {
			return nil, fmt.Errorf("move gap %s: %w", move.ID, gapless.ErrStale)
		}
		after[move.ID] = g.Apply(move)
	}
	return after, nil
}

// marks stores sessions, epochs, places and closed ranges.
func (s *state) marks(c gapless.Change) {
	if c.Session != nil {
		s.sessions[c.Session.Shard] = *c.Session
	}
	for _, n := range c.Shards {
		n.Epoch = max(n.Epoch, s.shards[n.Shard].Epoch)
		s.shards[n.Shard] = n
	}
	for _, g := range c.Guilds {
		old := s.guilds[g.ID]
		g.Epoch, g.Listed = max(g.Epoch, old.Epoch), max(g.Listed, old.Listed)
		s.guilds[g.ID] = g
	}
	for _, p := range c.Places {
		s.places[p.ID] = s.places[p.ID].Apply(p)
	}
	for _, r := range c.Ranges {
		if !slices.ContainsFunc(s.ranges, func(o gapless.Range) bool {
			return o.Place == r.Place && o.After == r.After && o.Upto == r.Upto && o.Reason == r.Reason
		}) {
			s.ranges = append(s.ranges, r)
		}
	}
}

// decided reports whether the id has a refusal or a row that is not undecided.
func (s *state) decided(id gapless.MessageID) bool {
	_, refused := s.refused[id]
	r := s.rows[id]
	return refused || (r != nil && !r.undecided)
}

// admit makes rows and returns the ids of those it made.
func (s *state) admit(c gapless.Change, out *gapless.Stored) (fresh []gapless.MessageID) {
	for _, it := range c.Admitted {
		id := it.Message.ID
		if it.Reopens {
			delete(s.refused, id)
		}
		if s.decided(id) {
			out.Known++
			continue
		}
		it.Lacks, it.Reopens = "", false
		s.put(it, c.At, false)
		fresh = append(fresh, id)
	}
	return fresh
}

// suspend makes or renews rows that wait for a look-up.
func (s *state) suspend(c gapless.Change, out *gapless.Stored) {
	for _, it := range c.Undecided {
		if s.decided(it.Message.ID) {
			out.Known++
			continue
		}
		s.put(it, c.At, true)
	}
}

// put makes the message's row, or renews the undecided one that it has.
func (s *state) put(it gapless.Item, at time.Time, undecided bool) {
	id := it.Message.ID
	r := &row{author: it.Message.Author.ID, lane: gapless.LaneOf(it.Message.Place), undecided: undecided}
	it = copyItem(it)
	if e, ok := s.edits[id]; ok && e.message.EditedAt.After(it.Message.EditedAt) {
		it.Message = e.message
	}
	delete(s.edits, id)
	if it.FirstSeen.IsZero() {
		it.FirstSeen = at
	}
	if old := s.rows[id]; old != nil {
		if old.item.Message.EditedAt.After(it.Message.EditedAt) {
			it.Message = old.item.Message
		}
		it.Origin, it.Gap, it.FirstSeen = old.item.Origin, old.item.Gap, old.item.FirstSeen
		r.answered = old.answered
	}
	r.item = it
	s.rows[id] = r
}

// conclude stores what somebody else has handled.
func (s *state) conclude(c gapless.Change, out *gapless.Stored) {
	for _, e := range c.Ended {
		if s.decided(e.ID) {
			out.Known++
			continue
		}
		delete(s.edits, e.ID)
		r := s.rows[e.ID]
		if r == nil {
			r = &row{lane: gapless.LaneOf(e.Place), item: gapless.Item{
				Message: gapless.Message{ID: e.ID, Place: e.Place}, FirstSeen: c.At,
			}}
			s.rows[e.ID] = r
		}
		r.strip()
		r.textless = true
		s.overtake(r, e.Reason, c.At).stripped = true
	}
}

// overtake ends a message without a turn, in a delivery of its own.
func (s *state) overtake(r *row, why gapless.Reason, at time.Time) *delivery {
	m := r.item.Message
	d := &delivery{first: m.ID, members: []gapless.MessageID{m.ID}, Delivery: gapless.Delivery{
		ID: gapless.DeliveryID(m.ID.String()), Lane: r.lane, Place: gapless.Place{ID: m.Place}, State: gapless.Settled,
		CreatedAt: at, EndedAt: at, Reason: why,
	}}
	s.deliveries[d.ID] = d
	r.delivery, r.undecided, r.item.Lacks = d.ID, false, ""
	return d
}

func (s *state) refuse(c gapless.Change, out *gapless.Stored) {
	for _, r := range c.Refused {
		if s.decided(r.ID) {
			out.Known++
			continue
		}
		s.refused[r.ID] = refusal{r, c.At}
		s.reasons[r.Reason]++
		delete(s.edits, r.ID)
		delete(s.rows, r.ID)
	}
}

func (s *state) edit(c gapless.Change) {
	for _, m := range c.Edited {
		r := s.rows[m.ID]
		switch {
		case r != nil:
			if !r.deleted && !s.settled(r) && m.EditedAt.After(r.item.Message.EditedAt) {
				r.item.Message = copyMessage(m)
			}
		case s.decided(m.ID):
		default:
			old, ok := s.edits[m.ID]
			if !ok || m.EditedAt.After(old.message.EditedAt) {
				s.edits[m.ID] = edit{message: copyMessage(m), at: c.At}
			}
		}
	}
}

// settled reports whether the message's turn is over for good.
func (s *state) settled(r *row) bool {
	d := s.deliveries[r.delivery]
	return d != nil && d.State == gapless.Settled
}

func (s *state) delete(c gapless.Change) {
	for _, d := range c.Deleted {
		delete(s.edits, d.ID)
		r := s.rows[d.ID]
		if r == nil {
			if !s.decided(d.ID) {
				it := gapless.Item{Message: gapless.Message{ID: d.ID, Place: d.Place}, FirstSeen: c.At}
				s.rows[d.ID] = &row{item: it, lane: gapless.LaneOf(d.Place), deleted: true, ended: c.At}
			}
			continue
		}
		if r.delivery == "" && !r.deleted {
			r.ended = c.At
		}
		r.deleted, r.undecided, r.item.Lacks = true, false, ""
		r.strip()
	}
}

// witness notes our own messages: the rows they answer, the replies they are.
func (s *state) witness(c gapless.Change) (closed []gapless.DeliveryID) {
	for _, own := range c.Own {
		if r := s.rows[own.Reference]; r != nil && own.Reference != 0 {
			r.answered = true
		}
		for i, r := range s.replies {
			if own.Nonce == "" || r.Nonce != own.Nonce || final(r.State) {
				continue
			}
			s.replies[i].State, s.replies[i].Message = gapless.ReplySent, own.ID
			s.replied[r.ID] = c.At
			if s.afterReply(r, c.At) {
				closed = append(closed, r.Delivery)
			}
		}
	}
	return closed
}

// post stores letters, each once.
func (s *state) post(letters []gapless.Reply) {
	for _, r := range letters {
		if !slices.ContainsFunc(s.replies, func(o gapless.Reply) bool { return o.ID == r.ID }) {
			s.replies = append(s.replies, r)
		}
	}
}

// laneOrder sorts messages by id.
func laneOrder(a, b *row) int { return cmp.Compare(a.item.Message.ID, b.item.Message.ID) }
