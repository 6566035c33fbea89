package gapless

import (
	"time"
)

// draft turns events, in their order, into one Change: coverage by the rules
// of gap.go, decisions by admission. It reads the marks and keeps what it
// changes in overlays, so that it can be thrown away.
type draft struct {
	marks *marks
	rules rules
	self  User
	now   time.Time
	shard int
	// sourced: a session reported the events, so they tell whose guilds are.
	sourced bool
	change  Change

	places map[ChannelID]Place
	guilds map[GuildID]GuildMark
	shards map[int]ShardMark
	// What marks keep of sight.
	sights     map[GuildID]*Sight
	overwrites map[ChannelID][]Overwrite
	relist     map[GuildID]bool

	noticed map[ChannelID]time.Time // the outages that places were told of
	moved   []Gap                   // the gaps that change.Moved moves, as they were

	newest  []pointer    // threads that parents name, to be known or listed
	resumed time.Time    // when the shard resumed
	stormed time.Time    // when a GUILD_CREATE came
	unripe  bool         // an inventory showed what is too fresh to call it lost
	trigger Trigger      // set if recovery should look
	done    func(Stored) // told once it is stored
	skipped int          // messages that need no row: decided before verified passed them, below the floor, in a closed range
}

// pointer is a thread that its parent tells of.
type pointer struct{ parent, thread ChannelID }

// rules is the part of the configuration that coverage and admission use.
type rules struct {
	policy     Policy
	window     time.Duration
	hold       time.Duration
	scope      Scope
	recover    Recover
	exceptions []RecoverRule
	lookBack   time.Duration
	notices    []Pattern
	join       time.Duration // texts that follow each other within this are one turn; what may go on behind a page waits for the next
	late       LatePolicy
	notice     func(from, to time.Time) string // nil: nobody is told
	noticeAll  bool                            // also where recovery is on, once something was found
}

func newDraft(k *marks, r rules, session Session, now time.Time) *draft {
	if session.Self.ID == 0 { // the shard has not met the bot yet
		session.Self = k.self()
	}
	return &draft{
		marks: k, rules: r, self: session.Self, now: now, shard: session.Shard,
		change: Change{At: now},
		places: map[ChannelID]Place{}, guilds: map[GuildID]GuildMark{}, shards: map[int]ShardMark{},
		sights: map[GuildID]*Sight{}, overwrites: map[ChannelID][]Overwrite{}, relist: map[GuildID]bool{}, noticed: map[ChannelID]time.Time{},
	}
}

func (d *draft) place(id ChannelID) (Place, bool) {
	if p, ok := d.places[id]; ok {
		return p, true
	}
	p, ok := d.marks.places[id]
	return p, ok
}

func (d *draft) guild(id GuildID) (GuildMark, bool) {
	if g, ok := d.guilds[id]; ok {
		return g, true
	}
	g, ok := d.marks.guilds[id]
	return g, ok
}

func (d *draft) shardMark(n int) ShardMark {
	if s, ok := d.shards[n]; ok {
		return s
	}
	if s, ok := d.marks.shards[n]; ok {
		return s
	}
	return ShardMark{Shard: n}
}

// horizon is what the rules may know about a place of the guild. known says
// whether the guild was known before the frame being read.
func (d *draft) horizon(guild GuildID, known bool) Horizon {
	g, _ := d.guild(guild)
	s := d.hears(guild)
	h := Horizon{
		Epoch: s.Epoch + g.Epoch, Now: d.now, Window: d.rules.window, Hold: d.rules.hold,
		Since: s.Since, Ended: s.At, Known: known, Listed: g.ListedAt,
	}
	if !known {
		h.Back = d.rules.lookBack
	}
	if !g.JoinedAt.IsZero() {
		h.Joined = At[MessageID](g.JoinedAt)
	}
	return h
}

// event folds one event into the draft.
func (d *draft) event(e Event) {
	if d.sourced {
		d.adopt(e.guild())
	}
	switch e.Kind {
	case MessageCreated:
		d.present(e.Message.Guild)
		d.created(e)
	case MessageEdited:
		d.edited(*e.Message)
	case MessagesDeleted:
		d.deleted(e.Place, e.IDs)
	case ChannelSeen:
		_, known := d.guild(e.Channel.Guild)
		d.overwritten(*e.Channel)
		d.listed(*e.Channel, d.horizon(e.Channel.Guild, known))
	case ChannelGone:
		d.gone(e.Place)
	case ThreadsListed:
		// What comes into sight is met for the first time (R4).
		for _, c := range e.Guild.Threads {
			h := d.horizon(c.Guild, false)
			h.Back = 0
			d.listed(c, h)
		}
	case GuildSeen:
		d.guildSeen(*e.Guild, true)
	case GuildGone:
		d.guildGone(*e.Guild)
	case RolesSeen, RolesGone, MembersSeen:
		d.sightChanged(e.Kind, *e.Guild)
	case SessionBegan:
		d.began(e)
	case SessionResumed:
		d.heardAgain()
		d.resumed = d.now
		d.look(TriggerResumed)
	case SequenceJumped, Unreadable:
		d.raiseShard()
		d.look(TriggerJump)
	}
}

func (d *draft) look(t Trigger) {
	if d.trigger == "" || d.trigger == TriggerGap {
		d.trigger = t
	}
}

// began is READY: nothing of what happened before it will be replayed (R2).
func (d *draft) began(e Event) {
	d.self = e.Self
	d.raiseShard()
	d.look(TriggerBegan)
	named := map[GuildID]bool{}
	for _, id := range e.Guilds {
		named[id] = true
		d.adopt(id)
	}
	for id := range d.marks.guilds {
		if g, _ := d.guild(id); g.Shard == d.shard && !named[id] && !g.Away {
			g.Away = true
			d.putGuild(g)
		}
	}
}

// raiseShard records a discontinuity of the whole shard: one row, however many
// places it touches. The outage began when the connection was last known good;
// before the very first session there is nothing to miss.
func (d *draft) raiseShard() {
	s := d.shardMark(d.shard)
	s.Since = d.outage(s)
	s.Epoch++
	s.At = d.now
	d.putShard(s)
}

// unlisted reports whether a guild of the shard has not shown its inventory
// since the last discontinuity.
func (d *draft) unlisted(s ShardMark) bool {
	for id := range d.marks.guilds {
		g, _ := d.guild(id)
		if g.Shard == s.Shard && !g.Away && g.Listed < g.Epoch+s.Epoch {
			return true
		}
	}
	return false
}

// learn adds what the rules concluded, unless it changes nothing.
func (d *draft) learn(l Learnt) {
	before, known := d.place(l.Change.ID)
	l = d.bounded(before, l)
	l = d.aboveHeld(before.restored(known, l, d.hears(l.Change.guildOf(before))))
	after := before.Apply(l.Change)
	if known && after == before && len(l.Gaps)+len(l.Closed) == 0 {
		return
	}
	d.places[after.ID] = after
	d.change.Places = append(d.change.Places, l.Change)
	d.change.Opened = append(d.change.Opened, l.Gaps...)
	d.change.Ranges = append(d.change.Ranges, l.Closed...)
	if len(l.Gaps) > 0 && d.trigger == "" {
		d.trigger = TriggerGap
	}
}

// gone is a deleted channel or thread: its gaps can never be read.
func (d *draft) gone(id ChannelID) {
	if _, known := d.place(id); !known {
		return
	}
	d.learn(Learnt{Change: PlaceChange{ID: id, Gone: true}})
	for _, g := range d.marks.openGaps() {
		if g.Place == id {
			d.move(g, g.Closed(EndGone, d.now))
		}
	}
}

func (d *draft) move(g Gap, m GapMove) {
	d.moved = append(d.moved, g)
	d.change.Moved = append(d.change.Moved, m)
}
