package gapless_test

import (
	"cmp"
	"maps"
	"slices"
	"testing"
	"time"

	"gapless"

	"gapless/internal/property"
	"pgregory.net/rapid"
)

// world is a naive model of one channel: it keeps every message ever posted,
// where the rules keep four numbers and a few ranges.
type world struct {
	now      time.Time
	posts    map[gapless.MessageID]*post
	inFlight []gapless.MessageID // posted while we listened, not heard yet
	online   bool
	last     gapless.MessageID // what an inventory says

	epoch   uint64
	window  time.Duration
	place   gapless.Place
	gaps    map[gapless.GapID]gapless.Gap
	ranges  []gapless.Range
	decided map[gapless.MessageID]bool
}

type post struct {
	gone    bool
	heardAt time.Time // while we listen
	shownAt time.Time // in history
	missed  bool      // lost below the head: nothing but an audit can know of it (R13)
}

func newWorld(window time.Duration) *world {
	w := &world{
		now: sec(0), online: true, epoch: 1, window: window, last: mid(-100),
		posts: map[gapless.MessageID]*post{}, gaps: map[gapless.GapID]gapless.Gap{}, decided: map[gapless.MessageID]bool{},
	}
	h := w.horizon()
	h.Known = false
	w.learn(gapless.Discovered(gapless.Channel{ID: gapless.ChannelID(mid(-1000)), Guild: 1}, w.last, h))
	return w
}

func (w *world) horizon() gapless.Horizon {
	return gapless.Horizon{Epoch: w.epoch, Now: w.now, Window: w.window, Hold: 30 * time.Second, Known: true}
}

func (w *world) learn(l gapless.Learnt) {
	if len(l.Gaps)+len(l.Closed) > 0 {
		for id, p := range w.posts { // what was lost just below the head is found with the rest
			p.missed = p.missed && id <= w.place.Head.Less(gapless.Overlap)
		}
	}
	w.place = w.place.Apply(l.Change)
	for _, g := range l.Gaps {
		if _, open := w.gaps[g.ID]; !open {
			w.gaps[g.ID] = g
		}
	}
	w.ranges = append(w.ranges, l.Closed...)
}

func (w *world) post(low uint64, delay, lag time.Duration) {
	id := gapless.At[gapless.MessageID](w.now) + gapless.MessageID(low)
	if w.posts[id] != nil {
		return
	}
	w.posts[id] = &post{heardAt: w.now.Add(delay), shownAt: w.now.Add(lag), missed: !w.online && id < w.place.Head}
	w.last = max(w.last, id)
	if w.online {
		w.inFlight = append(w.inFlight, id)
	}
}

func (w *world) pass(d time.Duration) {
	w.now = w.now.Add(d)
	if !w.online {
		return
	}
	slices.SortStableFunc(w.inFlight, func(a, b gapless.MessageID) int { return w.posts[a].heardAt.Compare(w.posts[b].heardAt) })
	for len(w.inFlight) > 0 && !w.posts[w.inFlight[0]].heardAt.After(w.now) {
		id := w.inFlight[0]
		w.inFlight = w.inFlight[1:]
		w.learn(w.place.Heard(id, w.horizon()))
		w.decide(id, false)
	}
}

func (w *world) drop() {
	for _, id := range w.inFlight {
		w.posts[id].missed = id < w.place.Head
	}
	w.online, w.inFlight = false, nil
}

// connect takes a second, so that what we hear is newer than what was lost.
func (w *world) connect() {
	if !w.online {
		w.pass(time.Second)
		w.online, w.epoch = true, w.epoch+1
	}
}

// decide does what the one door does with a message of the place.
func (w *world) decide(id gapless.MessageID, read bool) {
	if id <= w.place.Verified.Less(gapless.Overlap) || (read && (id <= w.place.Floor || w.closed(id))) {
		return
	}
	w.decided[id] = true
}

func (w *world) closed(id gapless.MessageID) bool {
	return slices.ContainsFunc(w.ranges, func(r gapless.Range) bool { return r.After < id && id <= r.Upto })
}

// read reads one page of the next gap that is due.
func (w *world) read(limit int) bool {
	g, ok := gapless.NextGap(slices.Collect(maps.Values(w.gaps)), nil, w.now)
	if !ok {
		return false
	}
	r := gapless.Reading{Begun: w.now}
	for id, p := range w.posts {
		if id > g.Cursor() && !p.gone && !p.shownAt.After(w.now) {
			r.IDs = append(r.IDs, id)
		}
	}
	slices.Sort(r.IDs)
	r.IDs = r.IDs[:min(limit, len(r.IDs))]
	slices.Reverse(r.IDs)
	if p := w.posts[g.Upto]; len(r.IDs) == 0 && p != nil && !p.gone {
		r.Upto = gapless.UptoThere
	} else {
		r.Upto = gapless.UptoGone
	}
	move := g.Read(r)
	for _, id := range r.IDs {
		w.decide(id, true)
	}
	if g = g.Apply(move); g.Open() {
		w.gaps[g.ID] = g
	} else {
		delete(w.gaps, g.ID)
	}
	w.learn(gapless.Learnt{Change: gapless.PlaceChange{ID: w.place.ID, Verified: w.place.Joined(g.From, move.After, w.ranges)}})
	return true
}

// restart forgets what a ledger need not keep.
func (w *world) restart() {
	for id, g := range w.gaps {
		g.Next = 0
		w.gaps[id] = g
	}
}

// check is the oracle: while we listen and the place is settled, each message
// that exists is decided, on its way, or covered by a gap or a closed range.
func (w *world) check(t *rapid.T) {
	for _, id := range slices.SortedFunc(maps.Keys(w.posts), func(a, b gapless.MessageID) int { return cmp.Compare(a, b) }) {
		p := w.posts[id]
		covered := w.decided[id] || w.closed(id) || slices.Contains(w.inFlight, id)
		for _, g := range w.gaps {
			covered = covered || (g.After < id && id <= g.Upto)
		}
		if p.gone || covered {
			continue
		}
		if id <= w.place.Verified {
			t.Fatalf("message %s is called verified, and nobody has seen it", id.Time())
		}
		if w.online && w.place.Epoch == w.epoch && !p.missed {
			t.Fatalf("message %s is lost: head %s, verified %s", id.Time(), w.place.Head.Time(), w.place.Verified.Time())
		}
	}
}

func (w *world) list(t *rapid.T) {
	if !w.online {
		return
	}
	entry := rapid.SampledFrom([]gapless.MessageID{w.last, w.last, 0, w.place.Head.Less(time.Second)}).Draw(t, "entry")
	w.learn(w.place.Listed(entry, w.horizon()))
}

func (w *world) remove(t *rapid.T) {
	if len(w.posts) > 0 {
		w.posts[rapid.SampledFrom(slices.Sorted(maps.Keys(w.posts))).Draw(t, "deleted")].gone = true
	}
}

// However messages, losses, listings, readings and deletions follow each other,
// no message that still exists is lost, and recovery comes to an end.
func TestCoverageAgainstANaiveModel(t *testing.T) {
	atLeast(t, 10000)
	property.Check(t, func(t *rapid.T) {
		w := newWorld(rapid.SampledFrom([]time.Duration{6 * time.Hour, 6 * time.Hour, 40 * time.Second}).Draw(t, "window"))
		seconds := func(most int, label string) time.Duration {
			return time.Duration(rapid.IntRange(0, most*1000).Draw(t, label)) * time.Millisecond
		}
		t.Repeat(map[string]func(*rapid.T){
			"post": func(t *rapid.T) {
				w.post(rapid.Uint64Range(0, 1<<22-1).Draw(t, "low"), seconds(3, "delay"), seconds(5, "lag"))
			},
			"pass":    func(t *rapid.T) { w.pass(seconds(15, "time")) },
			"drop":    func(*rapid.T) { w.drop() },
			"connect": func(*rapid.T) { w.connect() },
			"list":    w.list,
			"read":    func(t *rapid.T) { w.read(rapid.IntRange(1, 4).Draw(t, "limit")) },
			"delete":  w.remove,
			"restart": func(*rapid.T) { w.restart() },
			"":        w.check,
		})
		w.connect()
		w.pass(20 * time.Second)
		w.learn(w.place.Listed(w.last, w.horizon()))
		for step := 0; len(w.gaps) > 0; step++ {
			if step > 1000 {
				t.Fatalf("reading does not end: %+v", w.gaps)
			}
			if !w.read(3) {
				w.pass(time.Second)
			}
		}
		w.check(t)
	})
}
