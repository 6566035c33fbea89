package sqlite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gapless"
)

// Story gives all that is known of one message. Like Status it does not hold up
// the writer.
func (l *Ledger) Story(ctx context.Context, id gapless.MessageID) (gapless.Story, error) {
	return view(ctx, l, "read story of message "+id.String(), storyOf(id))
}

// Deliveries lists the deliveries that the filter names. Like Status it does not
// hold up the writer.
func (l *Ledger) Deliveries(ctx context.Context, f gapless.DeliveryFilter) ([]gapless.Delivery, error) {
	list, err := listing(f)
	if err != nil {
		return nil, err
	}
	return view(ctx, l, "list deliveries", list)
}

// storyOf reads the story of a message.
func storyOf(id gapless.MessageID) func(reader) (gapless.Story, error) {
	return func(r reader) (gapless.Story, error) {
		s := gapless.Story{Message: id}
		for _, step := range []func(reader, *gapless.Story) error{
			storyRow, storyRefusal, storyPlace, storyCoverage, storyDeliveries, storyReplies,
		} {
			if err := step(r, &s); err != nil {
				return gapless.Story{}, err
			}
		}
		return s, nil
	}
}

const rowColumns = "m.id, m.place, m.origin, m.ground, m.gap, m.first_seen, m.not_before, m.plain, m.lacks"

// rowItem is where rowColumns are scanned to.
func rowItem(it *gapless.Item) []any {
	return []any{
		id(&it.Message.ID), id(&it.Message.Place), &it.Origin, &it.Ground, &it.Gap, at(&it.FirstSeen), at(&it.NotBefore), &it.Plain, &it.Lacks,
	}
}

func storyRow(r reader, s *gapless.Story) error {
	row := &gapless.StoryRow{}
	var state string
	var turn gapless.DeliveryState
	found, err := r.one("SELECT "+rowColumns+", m.state, m.answered, m.gone, coalesce(d.state, '') FROM messages m "+
		"LEFT JOIN deliveries d ON d.n = m.delivery AND m.delivery <> 0 WHERE m.id = ?", []any{int64(s.Message)},
		append(rowItem(&row.Item), &state, &row.Answered, &row.Deleted, &turn)...)
	if err != nil || !found {
		return err
	}
	row.State = state
	if final := (gapless.Delivery{State: turn}).Final(); state == "claimed" && final {
		row.State = string(turn)
	}
	s.Row, s.Place.ID = row, row.Message.Place
	return nil
}

func storyRefusal(r reader, s *gapless.Story) error {
	_, err := r.one("SELECT count(*) > 0 FROM edits WHERE id = ?", []any{int64(s.Message)}, &s.Edited)
	if err != nil || s.Row != nil {
		return err
	}
	known := gapless.StoryRefusal{}
	found, err := r.one("SELECT place, reason, origin, at FROM addressed WHERE id = ?", []any{int64(s.Message)},
		id(&known.Place), &known.Reason, &known.Origin, at(&known.At))
	if err == nil && !found {
		err = r("SELECT place, ids FROM refusals WHERE lowest <= ?1 AND highest >= ?1", []any{int64(s.Message)},
			func(scan func(...any) error) error {
				var where gapless.ChannelID
				var blob []byte
				if err := scan(id(&where), &blob); err != nil {
					return err
				}
				all, err := unpack(blob)
				i := slices.IndexFunc(all, func(v verdict) bool { return v.id == s.Message })
				if i >= 0 {
					known, found = gapless.StoryRefusal{Place: where, Reason: all[i].reason}, true
				}
				return err
			})
	}
	if err != nil || !found {
		return err
	}
	s.Refusal, s.Place.ID = &known, known.Place
	return nil
}

func storyPlace(r reader, s *gapless.Story) error {
	return r("SELECT "+placeColumns+" FROM places WHERE id = ?", []any{int64(s.Place.ID)}, func(scan func(...any) error) (err error) {
		s.Place, err = scanPlace(scan)
		return err
	})
}

func storyCoverage(r reader, s *gapless.Story) error {
	args := []any{int64(s.Message), int64(s.Place.ID)}
	const there = " AND (place = ?2 OR ?2 = 0) "
	err := r("SELECT "+gapColumns+" FROM gaps WHERE began < ?1 AND upto >= ?1"+there+"ORDER BY opened_at, id", args, into(&s.Gaps, scanGap))
	if err != nil {
		return err
	}
	return r("SELECT place, after, upto, reason, at FROM ranges WHERE after < ?1 AND upto >= ?1"+there+
		"ORDER BY place, after, upto, reason", args, into(&s.Ranges, scanRange))
}

// storyDeliveries finds the delivery that holds the message, and with it all
// that are named after the same one; or those that are named after the message.
func storyDeliveries(r reader, s *gapless.Story) error {
	first := int64(s.Message)
	_, err := r.one("SELECT d.first FROM messages m JOIN deliveries d ON d.n = m.delivery WHERE m.id = ? AND m.delivery <> 0",
		[]any{first}, &first)
	if err != nil {
		return err
	}
	all, err := readDeliveries(r, "WHERE n = ?1 OR (id <> '' AND first = ?1)", first)
	if err != nil {
		return err
	}
	for _, d := range all {
		member := slices.ContainsFunc(d.Messages, func(it gapless.Item) bool { return it.Message.ID == s.Message })
		if member || first == int64(s.Message) {
			s.Deliveries = append(s.Deliveries, d)
		}
	}
	slices.SortFunc(s.Deliveries, func(a, b gapless.Delivery) int {
		return cmp.Or(cmp.Compare(len(a.ID), len(b.ID)), cmp.Compare(a.ID, b.ID))
	})
	return nil
}

func storyReplies(r reader, s *gapless.Story) error {
	var replies []gapless.Reply
	first := s.Message
	if len(s.Deliveries) > 0 {
		first, _, _ = s.Deliveries[0].ID.Parts() // ours, so it can be read
	}
	err := r("SELECT "+unsentColumns+" FROM replies r LEFT JOIN deliveries d ON d.n = r.delivery WHERE r.delivery IN "+
		"(SELECT n FROM deliveries WHERE n = ?1 OR (id <> '' AND first = ?1)) OR (r.delivery = 0 AND (r.reference = ?2 OR r.target = ?2)) "+
		"ORDER BY r.seq", []any{int64(first), int64(s.Message)}, into(&replies, scanReply))
	for _, one := range replies {
		of := func(d gapless.Delivery) bool { return d.ID == one.Delivery }
		if one.Delivery == "" || slices.ContainsFunc(s.Deliveries, of) {
			one.Text = ""
			s.Replies = append(s.Replies, one)
		}
	}
	return err
}

// listing reads the deliveries of a filter.
func listing(f gapless.DeliveryFilter) (func(reader) ([]gapless.Delivery, error), error) {
	var where []string
	var args []any
	add := func(condition string, values ...any) {
		where, args = append(where, condition), append(args, values...)
	}
	if f.State != "" {
		add("state = ?", string(f.State))
	}
	if f.Reason != "" {
		add("reason = ?", string(f.Reason))
	}
	if f.Lane != "" {
		add("lane = ?", string(f.Lane))
	}
	if f.Before != "" {
		first, n, err := f.Before.Parts()
		if err != nil {
			return nil, err
		}
		add("first < ?", int64(first))
		if n > 0 {
			where[len(where)-1] = "(first < ? OR (first = ? AND n > (SELECT n FROM deliveries WHERE id = ? AND id <> '')))"
			args = append(args, int64(first), string(f.Before))
		}
	}
	add("1")
	args = append(args, cmp.Or(max(f.Limit, 0), gapless.DefaultDeliveries))
	return func(r reader) ([]gapless.Delivery, error) {
		return readDeliveries(r, "WHERE "+strings.Join(where, " AND ")+" ORDER BY first DESC, n LIMIT ?", args...)
	}, nil
}

// readDeliveries reads deliveries with their places, and members without text.
func readDeliveries(r reader, where string, args ...any) (out []gapless.Delivery, err error) {
	var all []*delivery
	err = r("SELECT "+deliveryColumns+" FROM deliveries "+where, args, func(scan func(...any) error) error {
		d := new(delivery)
		all = append(all, d)
		return errors.Join(scan(d.columns()...), d.decode())
	})
	if err != nil {
		return nil, err
	}
	for _, d := range all {
		if err := shown(r, d); err != nil {
			return nil, fmt.Errorf("read delivery %s: %w", d.ID, err)
		}
		out = append(out, d.Delivery)
	}
	return out, nil
}

// shown gives a delivery its place, and members without text.
func shown(r reader, d *delivery) error {
	d.Place.ID = d.place
	err := r("SELECT "+placeColumns+" FROM places WHERE id = ?", []any{int64(d.place)}, func(scan func(...any) error) (err error) {
		d.Place, err = scanPlace(scan)
		return err
	})
	for _, m := range d.members {
		it := gapless.Item{Message: gapless.Message{ID: m, Place: d.place}}
		if err == nil {
			_, err = r.one("SELECT "+rowColumns+" FROM messages m WHERE m.id = ?", []any{int64(m)}, rowItem(&it)...)
		}
		d.Messages = append(d.Messages, it)
	}
	return err
}
