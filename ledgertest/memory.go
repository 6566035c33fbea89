package ledgertest

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"gapless"
)

// Memory is a ledger that keeps everything in memory behind one mutex. It
// copies deeply on the way in and out, so that callers share nothing with it.
// The zero value is not usable; see [NewMemory].
//
// It is durable as long as somebody holds it: [Memory.Reopen] gives the same
// state to a new owner and shuts the old one out, as a restart would.
type Memory struct {
	// Before, if set before first use, is called with the name of each deed
	// ("Append", "Claim", ...) and no lock held. What it answers is the error
	// of the deed, which then does nothing; waiting in it delays the deed.
	Before func(ctx context.Context, deed string) error

	mu     sync.Mutex
	state  *state // nil once closed
	closed bool
}

var _ gapless.Ledger = (*Memory)(nil)

// NewMemory is an empty ledger.
func NewMemory() *Memory { return &Memory{state: newState()} }

// state is all that a Memory remembers.
type state struct {
	sessions   map[int]gapless.Session
	shards     map[int]gapless.ShardMark
	guilds     map[gapless.GuildID]gapless.GuildMark
	places     map[gapless.ChannelID]gapless.Place
	gaps       map[gapless.GapID]gapless.Gap
	ranges     []gapless.Range
	rows       map[gapless.MessageID]*row
	refused    map[gapless.MessageID]refusal
	reasons    map[gapless.Reason]int
	edits      map[gapless.MessageID]edit
	deliveries map[gapless.DeliveryID]*delivery
	replies    []gapless.Reply               // in the order they were stored
	replied    map[gapless.ReplyID]time.Time // when they became final
	passes     map[string]gapless.Pass
	commits    int64

	behind, noted int64 // commits lacking when it was restored, and how many of them the engine knows of
}

func newState() *state {
	return &state{
		sessions:   map[int]gapless.Session{},
		shards:     map[int]gapless.ShardMark{},
		guilds:     map[gapless.GuildID]gapless.GuildMark{},
		places:     map[gapless.ChannelID]gapless.Place{},
		gaps:       map[gapless.GapID]gapless.Gap{},
		rows:       map[gapless.MessageID]*row{},
		refused:    map[gapless.MessageID]refusal{},
		reasons:    map[gapless.Reason]int{},
		edits:      map[gapless.MessageID]edit{},
		deliveries: map[gapless.DeliveryID]*delivery{},
		replied:    map[gapless.ReplyID]time.Time{},
		passes:     map[string]gapless.Pass{},
	}
}

// row is one message.
type row struct {
	item      gapless.Item
	author    gapless.UserID // of the message, also once its text is gone
	lane      gapless.LaneID
	undecided bool               // it waits for a look-up (R11)
	delivery  gapless.DeliveryID // the one it is a member of
	answered  bool               // an own message referred to it
	deleted   bool               // its text is gone and stays gone
	textless  bool               // its text has been pruned, or was never stored
	ended     time.Time          // deleted without or before a turn: when
}

// pending reports whether the message waits for its first turn.
func (r *row) pending() bool { return r.delivery == "" && !r.deleted && !r.undecided }

// strip takes the text; who and where it was stays.
func (r *row) strip() {
	m := r.item.Message
	r.item.Message = gapless.Message{ID: m.ID, Place: m.Place}
}

// refusal is a decision against a message.
type refusal struct {
	gapless.Refusal
	at time.Time
}

// edit is a message as edited before it was decided (R12).
type edit struct {
	message gapless.Message
	at      time.Time
}

// delivery is a stored delivery with its members by id.
type delivery struct {
	gapless.Delivery // Place.ID alone; Messages unused
	first            gapless.MessageID
	members          []gapless.MessageID
	stripped         bool // its text has been pruned
}

// Close shuts everybody out: later deeds answer [gapless.ErrClosed].
func (m *Memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	return nil
}

// Restored makes the ledger one that was put back from a backup and lacks so
// many commits more, as [gapless.Memory] tells it in Behind. It is for before
// the first use, or for between [Memory.Close] and [Memory.Reopen].
func (m *Memory) Restored(commits int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.state.behind += commits
}

// Reopen closes the ledger and gives its state to a new one, as a new process
// would find it. It may be called on a closed ledger, once.
func (m *Memory) Reopen() *Memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	next := &Memory{Before: m.Before, state: m.state}
	m.closed, m.state = true, nil
	return next
}

// do runs one deed under the lock.
func (m *Memory) do(ctx context.Context, deed string, f func(*state) error) error {
	if m.Before != nil {
		if err := m.Before(ctx, deed); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return gapless.ErrClosed
	}
	return f(m.state)
}

// Load gives the engine's working memory, sorted by id.
func (m *Memory) Load(ctx context.Context) (out gapless.Memory, err error) {
	err = m.do(ctx, "Load", func(s *state) error {
		out = gapless.Memory{
			Sessions: sorted(s.sessions),
			Shards:   sorted(s.shards),
			Guilds:   sorted(s.guilds),
			Places:   sorted(s.places),
			Gaps:     s.openGaps(),

			Undecided: s.undecided(),
			Behind:    s.behind,
			Noted:     s.noted,
		}
		for _, r := range s.ranges {
			if r.Upto > s.places[r.Place].Verified {
				out.Ranges = append(out.Ranges, r)
			}
		}
		slices.SortFunc(out.Ranges, byRange)
		return nil
	})
	return out, err
}

func byRange(a, b gapless.Range) int {
	return cmp.Or(cmp.Compare(a.Place, b.Place), cmp.Compare(a.After, b.After), cmp.Compare(a.Upto, b.Upto),
		cmp.Compare(a.Reason, b.Reason))
}

// sorted lists a map's values by key.
func sorted[K int | gapless.GuildID | gapless.ChannelID, V any](m map[K]V) (out []V) {
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out = append(out, m[k])
	}
	return out
}

// openGaps lists the open gaps by id.
func (s *state) openGaps() (out []gapless.Gap) {
	for _, id := range slices.Sorted(maps.Keys(s.gaps)) {
		if g := s.gaps[id]; g.Open() {
			out = append(out, g)
		}
	}
	return out
}

// undecided lists the rows that wait for a look-up, the lowest id first.
func (s *state) undecided() (out []gapless.Item) {
	for _, id := range slices.Sorted(maps.Keys(s.rows)) {
		if r := s.rows[id]; r.undecided {
			out = append(out, copyItem(r.item))
		}
	}
	return out
}

// Record stores a pass.
func (m *Memory) Record(ctx context.Context, p gapless.Pass) error {
	return m.do(ctx, "Record", func(s *state) error {
		p.Remainder = slices.Clone(p.Remainder)
		s.passes[p.ID] = p
		s.commits++
		return nil
	})
}

func copyMessage(m gapless.Message) gapless.Message {
	m.Mentions, m.MentionRoles, m.Raw = slices.Clone(m.Mentions), slices.Clone(m.MentionRoles), slices.Clone(m.Raw)
	m.MentionBots, m.Roles = slices.Clone(m.MentionBots), slices.Clone(m.Roles)
	return m
}

func copyItem(it gapless.Item) gapless.Item {
	it.Message = copyMessage(it.Message)
	return it
}
