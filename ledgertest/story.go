package ledgertest

import (
	"cmp"
	"context"
	"slices"

	"gapless"
)

// Story gives all that is known of one message.
func (m *Memory) Story(ctx context.Context, id gapless.MessageID) (out gapless.Story, err error) {
	err = m.do(ctx, "Story", func(s *state) error {
		out = gapless.Story{Message: id}
		_, out.Edited = s.edits[id]
		s.tellDecision(&out)
		s.tellCoverage(&out)
		for _, d := range s.deliveries {
			if d.first == id || slices.Contains(d.members, id) {
				out.Deliveries = append(out.Deliveries, s.shown(d))
			}
		}
		slices.SortFunc(out.Deliveries, func(a, b gapless.Delivery) int { return byFirst(s.deliveries[a.ID], s.deliveries[b.ID]) })
		for _, r := range s.replies {
			letter := r.Delivery == "" && (r.Reference == id || r.Target == id)
			if letter || slices.ContainsFunc(out.Deliveries, func(d gapless.Delivery) bool { return d.ID == r.Delivery }) {
				r.Text = ""
				out.Replies = append(out.Replies, r)
			}
		}
		return nil
	})
	return out, err
}

// tellDecision tells the row or the refusal, and with it the place.
func (s *state) tellDecision(out *gapless.Story) {
	if r := s.rows[out.Message]; r != nil {
		out.Row = &gapless.StoryRow{Item: bare(r.item), State: s.stateOf(r), Answered: r.answered, Deleted: r.deleted}
		out.Place = s.place(r.item.Message.Place)
	}
	if r, ok := s.refused[out.Message]; ok {
		out.Refusal = &gapless.StoryRefusal{Place: r.Place, Reason: r.Reason}
		if r.Addressed {
			out.Refusal.Origin, out.Refusal.At = r.Origin, r.at
		}
		out.Place = s.place(r.Place)
	}
}

// tellCoverage tells the gaps and closed ranges that contain the message.
func (s *state) tellCoverage(out *gapless.Story) {
	there := func(place gapless.ChannelID, after, upto gapless.MessageID) bool {
		return (out.Place.ID == 0 || out.Place.ID == place) && after < out.Message && out.Message <= upto
	}
	for _, g := range s.gaps {
		if there(g.Place, g.From, g.Upto) {
			out.Gaps = append(out.Gaps, g)
		}
	}
	slices.SortFunc(out.Gaps, func(a, b gapless.Gap) int {
		return cmp.Or(a.OpenedAt.Compare(b.OpenedAt), cmp.Compare(a.ID, b.ID))
	})
	for _, r := range s.ranges {
		if there(r.Place, r.After, r.Upto) {
			out.Ranges = append(out.Ranges, r)
		}
	}
	slices.SortFunc(out.Ranges, byRange)
}

// bare is the item without its text.
func bare(it gapless.Item) gapless.Item {
	it.Message = gapless.Message{ID: it.Message.ID, Place: it.Message.Place}
	return it
}

// place is the place as stored, or its id alone.
func (s *state) place(id gapless.ChannelID) gapless.Place {
	p := s.places[id]
	p.ID = id
	return p
}

// shown is the delivery as lists show it: with place and members, without text.
func (s *state) shown(d *delivery) gapless.Delivery {
	out := d.Delivery
	out.Place = s.place(d.Place.ID)
	for _, id := range d.members {
		it := gapless.Item{Message: gapless.Message{ID: id, Place: d.Place.ID}}
		if r := s.rows[id]; r != nil {
			it = bare(r.item)
		}
		out.Messages = append(out.Messages, it)
	}
	return out
}

// Deliveries lists the deliveries that the filter names.
func (m *Memory) Deliveries(ctx context.Context, f gapless.DeliveryFilter) (out []gapless.Delivery, err error) {
	err = m.do(ctx, "Deliveries", func(s *state) error {
		after := &delivery{first: ^gapless.MessageID(0)}
		if f.Before != "" {
			first, _, err := f.Before.Parts()
			if err != nil {
				return err
			}
			after = &delivery{first: first, Delivery: gapless.Delivery{ID: f.Before}}
		}
		var found []*delivery
		for _, d := range s.deliveries {
			if (f.State == "" || d.State == f.State) && (f.Reason == "" || d.Reason == f.Reason) && (f.Lane == "" || d.Lane == f.Lane) &&
				byFirst(d, after) < 0 {
				found = append(found, d)
			}
		}
		slices.SortFunc(found, func(a, b *delivery) int { return byFirst(b, a) })
		for _, d := range found[:min(len(found), cmp.Or(max(f.Limit, 0), gapless.DefaultDeliveries))] {
			out = append(out, s.shown(d))
		}
		return nil
	})
	return out, err
}
