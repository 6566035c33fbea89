package gapless

import (
	"cmp"
	"slices"
)

// created is a message heard on the connection: it raises the place's head and
// goes through the door.
func (d *draft) created(e Event) {
	if !e.Message.Ephemeral() {
		d.heard(e, e.Message)
	}
	d.decide(e.Message, e.Origin, "")
}

// heard applies R1, R3 and R4 to a message event.
func (d *draft) heard(e Event, m *Message) {
	_, guildKnown := d.guild(m.Guild)
	h := d.horizon(m.Guild, guildKnown)
	p, known := d.place(m.Place)
	switch {
	case p.Hidden: // it has come into sight: met for the first time (R4)
		h.Known = false
		l := Discovered(Channel{ID: p.ID, Guild: p.Guild, Parent: p.Parent, Kind: p.Kind}, m.ID, h)
		l.Change.Show = true
		d.learn(l)
		return
	case known:
		d.learn(p.Heard(m.ID, h))
		return
	}
	c := Channel{ID: m.Place, Guild: m.Guild, Kind: KindUnknown}
	if e.Channel != nil {
		c = *e.Channel
	}
	if c.Kind == KindUnknown && m.Guild == 0 {
		c.Kind = DM
	}
	if c.Kind == DM && m.Author.ID != d.self.ID {
		c.Recipient = m.Author.ID
	}
	d.learn(Discovered(c, m.ID, h))
}

// decide is the one door (promise 2): every message, whatever its origin,
// passes here and leaves its decision in the change (R10). It keeps nothing of
// one that is refused, which is most of what a bot hears.
func (d *draft) decide(m *Message, origin Origin, gap GapID) {
	p, _ := d.place(m.Place)
	if m.ID <= p.Verified.Less(Overlap) || (origin.Recovered() && (m.ID <= p.Floor || d.closed(m) || d.heldFrom(m, gap))) {
		d.skipped++
		return
	}
	if m.Guild == 0 && p.Guild != 0 { // a message read over REST lacks it (C58)
		completed := *m
		completed.Guild = p.Guild
		m = &completed
	}
	got := d.admit(m, p, gap)
	if got.Reason == ReasonOwn {
		d.own(m)
	}
	if !got.Admitted && !got.Undecided() {
		d.refuse(m, origin, got)
		return
	}
	d.keep(Item{Message: *m, Origin: origin, Gap: gap, FirstSeen: d.now}, got)
}

// admit is admission by what is known now. Whether the bot takes part in a
// thread may depend on what was said there before and is still to be read: the
// order in which messages come to us decides nothing.
func (d *draft) admit(m *Message, p Place, gap GapID) Decision {
	got := Admit(d.subject(m, p))
	if got.Admitted && hollow(m) {
		return Decision{Lack: LackText, Addressed: got.Addressed, RoleList: got.RoleList}
	}
	if got.Reason == ReasonThread && d.unreadBelow(m, gap) {
		return Decision{Lack: LackHistory, Addressed: got.Addressed, RoleList: got.RoleList}
	}
	return got
}

// hollow reports a message without anything in it, which nobody can write: what
// it says was left out.
func hollow(m *Message) bool {
	return m.Text == "" && m.Attachments == 0 && !m.Author.Bot && m.Webhook == 0 && m.Forwarded == 0
}

// unreadBelow reports whether a gap, other than the one being read, lies below
// the message and is being read.
func (d *draft) unreadBelow(m *Message, reading GapID) bool {
	below := func(g Gap) bool {
		return g.Place == m.Place && g.ID != reading && g.Open() && !g.Held() && g.Cause != CauseAudit && g.After+1 < m.ID
	}
	if slices.ContainsFunc(d.change.Opened, below) {
		return true
	}
	for _, g := range d.marks.gaps {
		if below(g) {
			return true
		}
	}
	return false
}

// judge takes a message through the door that was there before.
func (d *draft) judge(it Item) {
	p, _ := d.place(it.Message.Place)
	got := d.admit(&it.Message, p, it.Gap)
	if !got.Admitted && !got.Undecided() {
		d.refuse(&it.Message, it.Origin, got)
		return
	}
	d.keep(it, got)
}

// refuse leaves the decision, and nothing of the text.
func (d *draft) refuse(m *Message, origin Origin, got Decision) {
	d.change.Refused = append(d.change.Refused, Refusal{
		Place: m.Place, ID: m.ID, Reason: got.Reason, Addressed: got.Addressed, Origin: origin,
	})
}

// keep stores a message that is for us, or may be (R11). In a thread the bot
// takes part from then on (S40).
func (d *draft) keep(it Item, got Decision) {
	it.Ground, it.Lacks = got.Ground, got.Lack
	if got.Undecided() {
		it.NotBefore = d.now.Add(d.rules.hold)
		d.change.Undecided = append(d.change.Undecided, it)
		return
	}
	it.Plain = d.plain(&it.Message)
	it.NotBefore = d.rules.joinAt(it, d.now)
	d.change.Admitted = append(d.change.Admitted, it)
	if p, known := d.place(it.Message.Place); known && p.Kind.Thread() && p.TakesPart == 0 {
		d.learn(Learnt{Change: PlaceChange{ID: p.ID, TakesPart: it.Message.ID}})
	}
}

// subject is all that admission may look at.
func (d *draft) subject(m *Message, p Place) Subject {
	s := Subject{Policy: &d.rules.policy, Self: d.self.ID, Place: p, Message: m}
	channel := p
	if p.Kind.Thread() {
		s.Parent, _ = d.place(p.Parent)
		channel = s.Parent
	}
	if channel.Parent != 0 {
		s.Category, _ = d.place(channel.Parent)
	}
	guild := cmp.Or(m.Guild, p.Guild)
	if sight := d.sight(guild); sight != nil {
		s.OwnRoles = sight.Own
	}
	if len(d.rules.policy.Roles) > 0 {
		s.Member = d.marks.members.find(member{guild, m.Author.ID}, m.ID, d.now)
	}
	return s
}

func (d *draft) guildAt(place ChannelID) GuildID {
	p, _ := d.place(place)
	return p.Guild
}

// closed reports whether the message lies in a range that is not to be read (R14).
func (d *draft) closed(m *Message) bool {
	return slices.ContainsFunc(d.marks.ranges[m.Place], func(r Range) bool {
		return r.After < m.ID && m.ID <= r.Upto
	})
}

// own notes evidence: a reply of ours to a message, or one of our nonces. A
// forward is no reply (C62), and that we do not work is no answer (S27).
func (d *draft) own(m *Message) {
	o := OwnMessage{ID: m.ID, Place: m.Place, Nonce: m.Nonce}
	if m.Reference.Type == 0 && m.Type == 19 && !d.outageNotice(m) {
		o.Reference = m.Reference.Message
	}
	if o.Reference != 0 || o.Nonce != "" {
		d.change.Own = append(d.change.Own, o)
	}
}

// edited keeps the newest text of what is or may yet be decided (R12).
func (d *draft) edited(m Message) {
	if m.EditedAt.IsZero() {
		return
	}
	if d.rules.policy.OnEdit == EditAdmit {
		p, _ := d.place(m.Place)
		d.reopen(m, p)
	}
	d.renew(m)
}

// renew is the newest text of a message that is or may yet be decided.
func (d *draft) renew(m Message) {
	if p, _ := d.place(m.Place); m.ID > p.Verified.Less(Overlap) {
		d.change.Edited = append(d.change.Edited, m)
	}
}

// reopen lets an edit let in what was refused, where configuration wants that
// and the message is not older than what would be recovered (R10).
func (d *draft) reopen(m Message, p Place) {
	if m.ID.Time().Before(d.now.Add(-d.rules.window)) {
		return
	}
	if got := d.admit(&m, p, ""); got.Admitted {
		d.keep(Item{Message: m, Origin: OriginLive, FirstSeen: d.now, Reopens: true}, got)
	}
}

// deleted removes text wherever it is (R12).
func (d *draft) deleted(place ChannelID, ids []MessageID) {
	for _, id := range ids {
		d.change.Deleted = append(d.change.Deleted, Deletion{Place: place, ID: id})
	}
}

// page folds one page of history into the draft: every message of it is
// decided, its gap moves, and verified follows where the gap joins it (R8).
func (d *draft) page(g Gap, move GapMove, messages []Message) {
	origin := OriginHistory
	if g.Cause == CauseAudit || g.Cause == CauseSilent {
		origin = OriginAudit
	}
	for _, m := range messages {
		if origin == OriginAudit && m.ID > g.Upto && d.now.Before(m.ID.Time().Add(Overlap)) {
			continue // it may still be on its way to us: no loss yet
		}
		m.Place = g.Place
		d.tells(m)
		d.decide(&m, origin, g.ID)
		if !m.EditedAt.IsZero() {
			d.renew(m)
		}
	}
	d.goesOn(move, messages)
	p, known := d.place(g.Place)
	if d.rules.noticeAll && len(d.change.Admitted) > 0 {
		d.notice(p, g)
	}
	d.move(g, move)
	if !known {
		return
	}
	ranges := slices.Concat(d.marks.ranges[g.Place], d.change.Ranges)
	d.learn(Learnt{Change: PlaceChange{ID: g.Place, Verified: p.Joined(g.From, move.After, ranges)}})
}

// tells notes a thread that a message tells of: the notice in the parent refers
// to it, and one made from a message has the message's id (protocol B9, D3, D4).
func (d *draft) tells(m Message) {
	const threadCreated, hasThread = 18, 1 << 5
	switch {
	case m.Type == threadCreated && m.Reference.Place != 0:
		d.newest = append(d.newest, pointer{m.Place, m.Reference.Place})
	case m.Flags&hasThread != 0:
		d.newest = append(d.newest, pointer{m.Place, ChannelID(m.ID)})
	}
}
