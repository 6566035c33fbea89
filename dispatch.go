package gapless

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// dispatcher runs the turns of all lanes: of one lane one at a time, of all
// together at most Config.Turns. The ledger decides what may run; what is kept
// here is only which lanes to ask and when.
type dispatcher struct {
	e     *Engine
	pace  *pace
	reach *reach

	circles *circles
	slots   chan struct{}
	work    sync.WaitGroup
	stuck   atomic.Bool // the ledger refuses claims, and the log has it

	mu sync.Mutex

	interrupted interrupted

	lanes  map[LaneID]*lane
	queue  []LaneID // lanes to ask, in order
	paced  []LaneID // lanes that only pacing stops, in order
	queued chan struct{}
}

// lane is what the dispatcher remembers of a lane; an idle one is forgotten.
type lane struct {
	running bool
	queued  bool
	paced   bool
	again   bool        // woken while running
	reach   bool        // rests because the handler cannot be reached
	timer   *time.Timer // wakes it; nil if none is set
}

func newDispatcher(e *Engine) *dispatcher {
	return &dispatcher{
		e: e, pace: &pace{limit: e.cfg.Budget.Turns}, reach: &reach{}, circles: newCircles(), interrupted: e.left,
		slots: make(chan struct{}, e.cfg.Turns),
		lanes: map[LaneID]*lane{}, queued: make(chan struct{}, 1),
	}
}

// pollEvery is how often the ledger is asked for lanes that nobody woke.
const pollEvery = 30 * time.Second

// run asks lanes until ctx ends, then waits for the turns that run.
func (d *dispatcher) run(ctx, work context.Context) {
	defer d.stop()
	defer d.work.Wait()
	poll := time.NewTicker(pollEvery)
	defer poll.Stop()
	d.poll(ctx)
	for {
		if id, ok := d.next(); ok {
			select {
			case d.slots <- struct{}{}:
				d.work.Go(func() { d.serve(work, id) })
			case <-ctx.Done():
				return
			case <-d.e.aborted:
				return
			}
			continue
		}
		select {
		case <-d.queued:
		case <-poll.C:
			d.poll(ctx)
		case <-ctx.Done():
			return
		case <-d.e.aborted:
			return
		}
	}
}

// poll wakes every lane that the ledger says has something.
func (d *dispatcher) poll(ctx context.Context) {
	ready, err := d.e.cfg.Ledger.Ready(ctx)
	if err != nil && ctx.Err() == nil {
		d.e.log.Error("the ledger cannot say which lanes are ready; asked again later", "error", err, "in", pollEvery)
	}
	for _, id := range ready {
		d.mu.Lock()
		l := d.lanes[id]
		resting := l != nil && (l.timer != nil || l.paced)
		d.mu.Unlock()
		if !resting {
			d.wake(id)
		}
	}
}

// wake asks for a look at the lane, now or after its running turn.
func (d *dispatcher) wake(id LaneID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	l := d.lanes[id]
	if l == nil {
		l = &lane{}
		d.lanes[id] = l
	}
	if l.timer != nil {
		l.timer.Stop()
		l.timer = nil
	}
	switch {
	case l.running:
		l.again = true
	case !l.queued:
		l.queued = true
		d.queue = append(d.queue, id)
		select {
		case d.queued <- struct{}{}:
		default:
		}
	}
}

// next takes the lane that has waited longest to be asked.
func (d *dispatcher) next() (LaneID, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.queue) == 0 {
		return "", false
	}
	id := d.queue[0]
	d.queue = d.queue[1:]
	l := d.lanes[id]
	l.queued, l.running, l.reach = false, true, false
	return id, true
}

// serve asks the lane for one turn, runs it, and puts the lane back in the
// queue if there may be more: lanes take turns with each other.
func (d *dispatcher) serve(work context.Context, id LaneID) {
	leave := sync.OnceFunc(func() { <-d.slots })
	defer leave()
	now := d.e.now()
	if until, waits := d.awaits(id, now); waits {
		d.rest(id, until)
		return
	}
	if ok, again := d.reach.enter(now); !ok {
		d.restForReach(id, again)
		return
	}
	free := d.pace.take(now)
	// A stop does not end the claim: a lease whose answer nobody awaits would
	// count as an interruption. What was claimed still runs, within the drain.
	offer, err := d.e.cfg.Ledger.Claim(work, Claim{
		Lane: id, Boot: d.e.cfg.Boot, Now: now, Paced: !free, Backlog: d.e.backlog(id), Join: d.e.cfg.Join,
	})
	if free && (offer.Delivery == nil || !recoveredStart(offer.Delivery)) {
		d.pace.untake()
	}
	if err == nil && d.stuck.Load() && d.stuck.Swap(false) {
		d.e.log.Info("turns can be claimed again")
	}
	switch {
	case err != nil:
		d.reach.leave()
		if work.Err() == nil && !d.stuck.Swap(true) {
			d.e.log.Error("turns cannot be claimed, and nothing is dispatched without a claim; tried again every second", "lane", id, "error", err)
		}
		d.rest(id, now.Add(time.Second))
	case offer.Delivery != nil:
		if out := d.e.turn(work, d, offer, leave); free && !out.handedOver() && recoveredStart(offer.Delivery) {
			d.pace.untake()
		}
		d.rest(id, now)
	case offer.Paced:
		d.reach.leave()
		d.park(id)
	default:
		d.reach.leave()
		d.rest(id, offer.Next)
	}
}

// recoveredStart reports whether a turn counts against the pace: the first
// start of a message that was read, not heard.
func recoveredStart(d *Delivery) bool {
	return d.Attempt == 1 && len(d.Messages) > 0 && d.Messages[0].Origin.Recovered()
}

// rest ends the look at a lane: it is asked again at the instant, at once if
// it was woken meanwhile, and forgotten if at is zero.
func (d *dispatcher) rest(id LaneID, at time.Time) {
	d.mu.Lock()
	l := d.lanes[id]
	l.running = false
	wait := at.Sub(d.e.now())
	switch {
	case l.again || (!at.IsZero() && wait <= 0):
		l.again = false
		d.mu.Unlock()
		d.wake(id)
		return
	case at.IsZero():
		delete(d.lanes, id)
	default:
		l.timer = time.AfterFunc(wait, func() { d.wake(id) })
	}
	d.mu.Unlock()
}

// restForReach has a lane rest until the handler may be asked again; it is
// asked at once if another lane reaches it.
func (d *dispatcher) restForReach(id LaneID, at time.Time) {
	d.mu.Lock()
	d.lanes[id].reach = true
	d.mu.Unlock()
	d.rest(id, at)
}

// wakeResting asks the lanes that rest because of the handler: it is back.
func (d *dispatcher) wakeResting() {
	d.mu.Lock()
	var lanes []LaneID
	for id, l := range d.lanes {
		if l.reach {
			l.reach = false
			lanes = append(lanes, id)
		}
	}
	d.mu.Unlock()
	slices.Sort(lanes)
	for _, id := range lanes {
		d.wake(id)
	}
}

// park sets a lane aside until the pace allows another recovered turn.
func (d *dispatcher) park(id LaneID) {
	d.mu.Lock()
	l := d.lanes[id]
	l.running = false
	if l.again {
		l.again = false
		d.mu.Unlock()
		d.wake(id)
		return
	}
	first := len(d.paced) == 0
	if !l.paced {
		l.paced = true
		d.paced = append(d.paced, id)
	}
	d.mu.Unlock()
	if first {
		d.unparkLater()
	}
}

// unparkLater wakes as many parked lanes as the pace has room for, when it has.
func (d *dispatcher) unparkLater() {
	at, _ := d.pace.free(d.e.now())
	time.AfterFunc(max(at.Sub(d.e.now()), time.Millisecond), d.unpark)
}

func (d *dispatcher) unpark() {
	_, room := d.pace.free(d.e.now())
	d.mu.Lock()
	n := min(room, len(d.paced))
	woken := d.paced[:n:n]
	d.paced = d.paced[n:]
	for _, id := range woken {
		if l := d.lanes[id]; l != nil {
			l.paced = false
		}
	}
	left := len(d.paced)
	d.mu.Unlock()
	for _, id := range woken {
		d.wake(id)
	}
	if left > 0 {
		d.unparkLater()
	}
}

// stop lets no timer wake a lane any more.
func (d *dispatcher) stop() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, l := range d.lanes {
		if l.timer != nil {
			l.timer.Stop()
		}
	}
	d.paced = nil
}
