package gapless

import "time"

// interrupted is the lanes whose turn an earlier boot left unfinished. They are
// not asked before what happened since has been heard or read, as it may hold
// the answer, an edit or a deletion (S25); but no longer than the hold.
type interrupted map[LaneID]time.Time

// askAgain is how often it is looked whether the evidence has come, should
// nobody wake the lane.
const askAgain = time.Second

// evident reports whether what happened since in the lane's place is known: the
// session resumed, which replays it, or the place was compared.
func (e *Engine) evident(lane LaneID) bool {
	id, err := ParseID[ChannelID](string(lane))
	if err != nil {
		return true
	}
	select {
	case e.coverage <- struct{}{}:
	case <-time.After(askAgain): // a change cannot be stored just now
		return false
	}
	defer func() { <-e.coverage }()
	p, known := e.marks.places[id]
	if !known {
		return true
	}
	g := e.marks.guilds[p.Guild]
	if !e.marks.resumed[g.Shard].IsZero() {
		return true
	}
	shard := e.marks.shards[g.Shard]
	if shard.Epoch <= e.opened[g.Shard] || p.Epoch < shard.Epoch+g.Epoch {
		return false
	}
	now := e.now()
	for _, gap := range e.marks.gaps {
		if gap.Place == id && now.Before(gap.HoldTill) {
			return false
		}
	}
	return true
}

// awaits is until when the lane is not to be asked yet.
func (d *dispatcher) awaits(id LaneID, now time.Time) (until time.Time, waits bool) {
	d.mu.Lock()
	until, waits = d.interrupted[id]
	d.mu.Unlock()
	if !waits {
		return until, false
	}
	if now.Before(until) && !d.e.evident(id) {
		if again := now.Add(askAgain); again.Before(until) {
			return again, true
		}
		return until, true
	}
	d.mu.Lock()
	delete(d.interrupted, id)
	d.mu.Unlock()
	return until, false
}

// news has the lanes that await evidence asked again.
func (d *dispatcher) news() {
	d.mu.Lock()
	var lanes []LaneID
	for id := range d.interrupted {
		lanes = append(lanes, id)
	}
	d.mu.Unlock()
	for _, id := range lanes {
		d.wake(id)
	}
}
