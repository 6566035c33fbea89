package sqlite

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"gapless"
)

// verdict is one refused id with its reason.
type verdict struct {
	id     gapless.MessageID
	reason gapless.Reason
}

// refusals is what the writer remembers of a place's refusals.
type refusals struct {
	top  gapless.MessageID // the highest refused id; above it nothing need be asked
	rows gapless.MessageID // no message of the place above it has a row
	last int64             // the row that is still being filled, zero for none
	open packing           // what stands in it
	at   int64             // when it was begun
}

// A row of refusals takes this many, within this time: rows stay small, and a
// row can be forgotten whole.
const (
	rowRefusals = 256
	rowSpan     = int64(3600e9) // nanoseconds
)

// refusals is what is remembered of the place.
func (t *tx) refusals(place gapless.ChannelID) (*refusals, error) {
	k, err := t.known()
	if err != nil {
		return nil, err
	}
	if r := k.refusals[place]; r != nil {
		return r, nil
	}
	r := &refusals{}
	_, err = t.row("SELECT coalesce(max(highest), 0), (SELECT coalesce(max(id), 0) FROM messages) FROM refusals WHERE place = ?",
		[]any{int64(place)}, id(&r.top), id(&r.rows))
	if err != nil {
		return nil, fmt.Errorf("read refusals of %s: %w", place, err)
	}
	k.refusals[place] = r
	return r, nil
}

// refused reports whether the id was refused before.
func (t *tx) refused(place gapless.ChannelID, id gapless.MessageID) (bool, error) {
	r, err := t.refusals(place)
	if err != nil || id > r.top {
		return false, err
	}
	same := func(v verdict) bool { return v.id == id }
	if slices.ContainsFunc(r.open.verdicts, same) {
		return true, nil
	}
	found := false
	err = t.rows("SELECT ids FROM refusals WHERE place = ? AND highest >= ? AND lowest <= ?",
		[]any{int64(place), int64(id), int64(id)}, func(scan func(...any) error) error {
			var blob []byte
			if err := scan(&blob); err != nil {
				return err
			}
			all, err := unpack(blob)
			found = found || slices.ContainsFunc(all, same)
			return err
		})
	if err != nil {
		return false, fmt.Errorf("look for a refusal of message %s: %w", id, err)
	}
	return found, nil
}

// refuse stores decisions against messages, without text.
func (c *change) refuse(t *tx, out *gapless.Stored) error {
	type kind struct {
		place  gapless.ChannelID
		reason gapless.Reason
	}
	fresh := map[gapless.ChannelID][]verdict{}
	counts := map[kind]int{}
	for _, r := range c.Refused {
		known, err := t.decided(r.Place, r.ID)
		if err != nil {
			return err
		}
		if known || slices.ContainsFunc(fresh[r.Place], func(v verdict) bool { return v.id == r.ID }) {
			out.Known++
			continue
		}
		if err := t.explain(r, stamp(c.At)); err != nil {
			return fmt.Errorf("store refusal of message %s: %w", r.ID, err)
		}
		if err := t.dismiss(r); err != nil {
			return fmt.Errorf("refuse undecided message %s: %w", r.ID, err)
		}
		fresh[r.Place] = append(fresh[r.Place], verdict{r.ID, r.Reason})
		counts[kind{r.Place, r.Reason}]++
	}
	for place, verdicts := range fresh {
		if err := t.pack(place, verdicts, stamp(c.At)); err != nil {
			return fmt.Errorf("store refusals of %s: %w", place, err)
		}
	}
	for k, n := range counts {
		_, err := t.exec("INSERT INTO refused (place, reason, n) VALUES (?,?,?) ON CONFLICT DO UPDATE SET n = n + excluded.n",
			int64(k.place), string(k.reason), n)
		if err != nil {
			return fmt.Errorf("count refusals of %s: %w", k.place, err)
		}
	}
	return nil
}

// dismiss removes the row and text of a message that was undecided.
func (t *tx) dismiss(r gapless.Refusal) error {
	if !t.w.known.resolve(r.Place, r.ID) {
		return nil
	}
	if err := t.erase("DELETE FROM texts WHERE id = ?", int64(r.ID)); err != nil {
		return err
	}
	_, err := t.exec("DELETE FROM messages WHERE id = ?", int64(r.ID))
	return err
}

// decided reports whether the id has a refusal, or a row that is not undecided.
func (t *tx) decided(place gapless.ChannelID, id gapless.MessageID) (bool, error) {
	r, err := t.refusals(place)
	if err != nil || (id > r.top && id > r.rows) || t.w.known.suspended(place, id) {
		return false, err
	}
	refused, err := t.refused(place, id)
	if err != nil || refused {
		return refused, err
	}
	return t.row("SELECT 1 FROM messages WHERE id = ?", []any{int64(id)}, new(int))
}

// hasRow notes that a message of the place has a row.
func (t *tx) hasRow(place gapless.ChannelID, id gapless.MessageID) {
	if r := t.w.known.refusals[place]; r != nil {
		r.rows = max(r.rows, id)
	}
}

// explain keeps a row of a refusal that was meant for us, and drops an edit
// that waited for the decision.
func (t *tx) explain(r gapless.Refusal, now int64) error {
	if err := t.dropEdit(r.ID); err != nil || !r.Addressed {
		return err
	}
	_, err := t.exec("INSERT OR REPLACE INTO addressed (id, place, reason, origin, at) VALUES (?,?,?,?,?)",
		int64(r.ID), int64(r.Place), string(r.Reason), string(r.Origin), now)
	return err
}

// pack adds the verdicts to the place's row, or begins the next one.
func (t *tx) pack(place gapless.ChannelID, verdicts []verdict, now int64) error {
	r, err := t.refusals(place)
	if err != nil {
		return err
	}
	if r.last != 0 && (len(r.open.verdicts)+len(verdicts) > rowRefusals || now-r.at > rowSpan || now < r.at) {
		r.last, r.open = 0, packing{}
	}
	r.open.add(verdicts)
	lowest, highest := r.open.span()
	r.top = max(r.top, highest)
	if r.last != 0 {
		n, err := t.exec("UPDATE refusals SET lowest = ?, highest = ?, at = ?, ids = ? WHERE n = ? AND place = ?",
			int64(lowest), int64(highest), now, r.open.blob(), r.last, int64(place))
		if err == nil && n == 0 {
			err = errors.New("the row they belong to is gone")
		}
		return err
	}
	r.at = now
	_, err = t.row("SELECT coalesce(max(n), 0) + 1 FROM refusals", nil, &r.last)
	if err != nil {
		return err
	}
	_, err = t.exec("INSERT INTO refusals (n, place, lowest, highest, at, ids) VALUES (?,?,?,?,?,?)",
		r.last, int64(place), int64(lowest), int64(highest), now, r.open.blob())
	return err
}

// packing is verdicts, sorted, and how they are written: the reasons in use,
// then for each id the distance to the one before and the number of its reason.
type packing struct {
	verdicts []verdict
	reasons  []gapless.Reason
	body     []byte
}

// add takes in verdicts. Most come in order and are written behind the others.
func (p *packing) add(verdicts []verdict) {
	byID := func(a, b verdict) int { return cmp.Compare(a.id, b.id) }
	slices.SortFunc(verdicts, byID)
	if n := len(p.verdicts); n > 0 && p.verdicts[n-1].id > verdicts[0].id {
		verdicts = append(verdicts, p.verdicts...)
		slices.SortFunc(verdicts, byID)
		*p = packing{}
	}
	for _, v := range verdicts {
		p.write(v)
	}
}

func (p *packing) write(v verdict) {
	last := gapless.MessageID(0)
	if n := len(p.verdicts); n > 0 {
		last = p.verdicts[n-1].id
	}
	n := slices.Index(p.reasons, v.reason)
	if n < 0 {
		n = len(p.reasons)
		p.reasons = append(p.reasons, v.reason)
	}
	p.verdicts = append(p.verdicts, v)
	p.body = binary.AppendUvarint(p.body, uint64(v.id-last))
	p.body = binary.AppendUvarint(p.body, uint64(n))
}

// span is the lowest and the highest id; there must be one.
func (p *packing) span() (lowest, highest gapless.MessageID) {
	return p.verdicts[0].id, p.verdicts[len(p.verdicts)-1].id
}

func (p *packing) blob() []byte {
	b := binary.AppendUvarint(nil, uint64(len(p.reasons)))
	for _, r := range p.reasons {
		b = binary.AppendUvarint(b, uint64(len(r)))
		b = append(b, r...)
	}
	return append(b, p.body...)
}

var errPacked = errors.New("decode refusals: the row is damaged")

// unpack reads a packing.
func unpack(blob []byte) (out []verdict, err error) {
	bad := false
	next := func() uint64 {
		n, size := binary.Uvarint(blob)
		if size <= 0 {
			bad = true
			return 0
		}
		blob = blob[size:]
		return n
	}
	var reasons []gapless.Reason
	for range next() {
		size := next()
		if bad || size > uint64(len(blob)) {
			return nil, errPacked
		}
		reasons = append(reasons, gapless.Reason(blob[:size]))
		blob = blob[size:]
	}
	last := gapless.MessageID(0)
	for len(blob) > 0 && !bad {
		last += gapless.MessageID(next())
		n := next()
		if bad || n >= uint64(len(reasons)) {
			return nil, errPacked
		}
		out = append(out, verdict{last, reasons[n]})
	}
	return out, nil
}
