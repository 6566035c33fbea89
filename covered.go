package gapless

import (
	"cmp"
	"slices"
	"time"
)

// site is the place with what it lies in, as far as that is known.
func (d *draft) site(p Place) Site {
	s := Site{Place: p, Channel: p}
	if p.Kind.Thread() {
		s.Channel, _ = d.place(p.Parent)
	}
	if c := s.Channel; !c.Kind.Thread() && c.Parent != 0 {
		if up, known := d.place(c.Parent); known && up.Kind == GuildCategory {
			s.Category = up
		}
	}
	s.Guild, _ = d.guild(p.Guild)
	return s
}

// covers reports whether configuration covers the place, and how what was
// missed in it is recovered.
func (d *draft) covers(p Place) (covered bool, how Recover) {
	if d.rules.everything() {
		return true, RecoverOn
	}
	s := d.site(p)
	return d.rules.scope.Covers(s), RecoverAt(s, d.rules.recover, d.rules.exceptions)
}

// everything reports whether all places are covered and recovered alike: then
// nobody need ask.
func (r *rules) everything() bool {
	return r.scope.Whole() && len(r.scope.Except)+len(r.exceptions) == 0 && (r.recover == "" || r.recover == RecoverOn)
}

// read reports whether the place's history is read at all.
func (d *draft) read(p Place) bool {
	covered, how := d.covers(p)
	return covered && how == RecoverOn
}

// bounded applies configuration to what the rules concluded of a place. Out of
// scope, marks follow what is heard and nothing is owed; one that comes into
// scope is met for the first time (R4). Where recovery is off, what would have
// been a gap is a closed range (S54).
func (d *draft) bounded(before Place, l Learnt) Learnt {
	after := before.Apply(l.Change)
	covered, how := d.covers(after)
	switch {
	case !covered && !after.Kind.HoldsMessages() && !after.Kind.BearsThreads():
		return l
	case !covered:
		l.Change.Leave = true
		l.Gaps, l.Closed, l.Change.Owe = nil, nil, time.Time{}
		for _, g := range d.gapsOf(before.ID) {
			d.move(g, g.Closed(EndScope, d.now))
		}
		return l
	case after.Out:
		l.Gaps, l.Closed = nil, nil
		l.baseline(after.Head)
		l.Change.Enter = true
		h := d.horizon(after.Guild, true)
		h.Back = d.rules.lookBack
		l.lookBack(after.Head, h)
	}
	if how != RecoverOn {
		l.Change.Owe = time.Time{}
		for _, g := range l.Gaps {
			why := EndOff
			if how == RecoverNotice {
				why = EndNotice
				d.notice(after, g)
			}
			l.Closed = append(l.Closed, Range{Place: g.Place, After: g.After, Upto: g.Upto, Reason: why, At: d.now})
		}
		l.Gaps = nil
	}
	return l
}

// gapsOf is the open gaps of a place.
func (d *draft) gapsOf(id ChannelID) (out []Gap) {
	for _, g := range d.marks.gaps {
		if g.Place == id {
			out = append(out, g)
		}
	}
	slices.SortFunc(out, func(a, b Gap) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

// rescope closes the gaps that configuration no longer has read, before
// anything is planned. Places that came into scope are met when they are listed.
func (d *draft) rescope() {
	if d.rules.everything() {
		return
	}
	for _, g := range d.marks.openGaps() {
		p, known := d.place(g.Place)
		if !known {
			continue
		}
		switch covered, how := d.covers(p); {
		case !covered:
			d.learn(Learnt{Change: PlaceChange{ID: p.ID}}) // leaves it
		case how == RecoverOff:
			d.move(g, g.Closed(EndOff, d.now))
		case how == RecoverNotice:
			d.move(g, g.Closed(EndNotice, d.now))
		}
	}
}

// unmatched is what of the configuration means no place that is known.
func (d *draft) unmatched() []Ref {
	if d.rules.everything() {
		return nil
	}
	var sites []Site
	for _, p := range d.marks.places {
		if !p.Gone {
			sites = append(sites, d.site(p))
		}
	}
	for _, g := range d.marks.guilds {
		sites = append(sites, Site{Guild: g})
	}
	return d.rules.scope.Unmatched(d.rules.exceptions, sites)
}

// unwanted is the guilds in which nothing is to be read. It is called with
// coverage held.
func (e *Engine) unwanted() map[GuildID]bool {
	if e.rules.everything() {
		return nil
	}
	d := newDraft(e.marks, e.rules, Session{}, e.now())
	wanted, unwanted := map[GuildID]bool{}, map[GuildID]bool{}
	for _, p := range e.marks.places {
		wanted[p.Guild] = wanted[p.Guild] || d.read(p)
		unwanted[p.Guild] = !wanted[p.Guild]
	}
	return unwanted
}

// unmatched records, and says once, what of the configured scope means no place
// that the bot can see: most likely it is misspelt (S18).
func (w *pass) unmatched() {
	w.e.coverage <- struct{}{}
	d := newDraft(w.e.marks, w.e.rules, Session{}, w.e.now())
	refs := d.unmatched()
	<-w.e.coverage
	w.record.Unmatched = refs
	if len(refs) > 0 && !w.unlisted && !slices.Equal(refs, w.r.nobody) {
		w.r.nobody = refs
		w.e.log.Warn("configuration names places that the bot cannot see; correct the names, or let the bot in", "names", refs)
	}
}
