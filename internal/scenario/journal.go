package scenario

import (
	"fmt"
	"sync"
	"time"

	"gapless"
	"gapless/discordsim"
)

// journal is everything that was seen to happen: by the ledger, by the handler, on the network and in the script.
// Expectations, trace and oracle read nothing else but it and what the simulator knows.
type journal struct {
	start time.Time

	mu      sync.Mutex
	changed chan struct{} // closed and replaced at each entry
	seq     int
	lines   []line
	fates   map[gapless.MessageID]*fate
	gaps    map[gapless.GapID]*gapFate
	opened  []gapless.GapID // in order
	ranges  []gapless.Range
	floors  map[gapless.ChannelID]gapless.MessageID
	passes  []gapless.Pass
	claims  map[gapless.DeliveryID]*claimed
	turns   []*turnSeen
	replies map[gapless.ReplyID]gapless.Reply
	letters map[gapless.ReplyID]gapless.Reply // replies that answer nothing, as notices
	calls   []callSeen
	stale   int      // deeds the ledger refused as stale
	wrong   []string // what can only be judged at the instant it happens
}

// fate is what the ledger was told of one message.
type fate struct {
	id       gapless.MessageID
	place    gapless.ChannelID
	admitted int // entry of the journal, 0 if not
	item     gapless.Item
	refused  gapless.Reason
	deleted  int  // entry of the journal, 0 if not
	open     int  // entry of the journal that left it undecided, 0 if none did
	ended    bool // stored as handled elsewhere
	delivery gapless.DeliveryID
}

// gapFate is a gap as the ledger has it.
type gapFate struct {
	gapless.Gap
	entry   int
	moving  int // changes of it that are under way
	hurdles int // readings that met an obstacle
}

// claimed is a delivery as the ledger last gave or took it.
type claimed struct {
	gapless.Delivery
	boots   []string // each lease
	settled int      // ends of turns stored
}

// turnSeen is one start of the handler.
type turnSeen struct {
	delivery gapless.DeliveryID
	lane     gapless.LaneID
	attempt  int
	boot     string
	messages []gapless.MessageID
	origins  []gapless.Origin
	grounds  []gapless.Ground
	texts    []string
	gap      gapless.GapID
	late     time.Duration
	began    time.Time
	told     time.Time // when it was told to stop and went on all the same
	ended    time.Time // zero while it runs
	verdict  string    // done, fails, retries, discards, away, stopped, crashed
	replies  []string
}

// callSeen is a REST call as the client saw it.
type callSeen struct {
	at      time.Time
	process string
	method  string
	route   string // template
	place   discordsim.ID
	query   string
	status  int // 0: no answer
}

func newJournal(start time.Time) *journal {
	return &journal{
		start: start, changed: make(chan struct{}),
		fates: map[gapless.MessageID]*fate{}, gaps: map[gapless.GapID]*gapFate{},
		floors: map[gapless.ChannelID]gapless.MessageID{}, claims: map[gapless.DeliveryID]*claimed{},
		replies: map[gapless.ReplyID]gapless.Reply{}, letters: map[gapless.ReplyID]gapless.Reply{},
	}
}

// enter makes an entry: f is called with the journal held and may use its fields.
func (j *journal) enter(f func()) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.seq++
	f()
	close(j.changed)
	j.changed = make(chan struct{})
}

// read calls f with the journal held.
func (j *journal) read(f func()) {
	j.mu.Lock()
	defer j.mu.Unlock()
	f()
}

// now is the number of the last entry, and news is closed at the next.
func (j *journal) now() (entry int, news <-chan struct{}) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.seq, j.changed
}

// tell adds a line to the trace. The caller is inside enter.
func (j *journal) tell(actor, format string, args ...any) {
	j.lines = append(j.lines, line{at: time.Now(), actor: actor, before: fmt.Sprintf(format, args...)})
}

// tellOf adds a line about messages.
func (j *journal) tellOf(actor, before string, names []string, after string) {
	if len(names) > 0 {
		j.lines = append(j.lines, line{at: time.Now(), actor: actor, before: before, names: names, after: after})
	}
}

func (j *journal) fate(id gapless.MessageID, place gapless.ChannelID) *fate {
	f := j.fates[id]
	if f == nil {
		f = &fate{id: id, place: place}
		j.fates[id] = f
	}
	return f
}

// complain notes something that must never happen.
func (j *journal) complain(format string, args ...any) {
	j.wrong = append(j.wrong, fmt.Sprintf("%s: %s", stamp(time.Since(j.start)), fmt.Sprintf(format, args...)))
}
