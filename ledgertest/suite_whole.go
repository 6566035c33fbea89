package ledgertest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gapless"
)

// wholeSentences are those of Ledger itself: durability, concurrency, contexts.
var wholeSentences = []sentence{
	{"everything is there again after reopening", reopens},
	{"a hundred claims at once of distinct ids are all kept (C78)", func(d *desk) {
		var wg sync.WaitGroup
		for n := range 100 {
			wg.Go(func() {
				where := gapless.ChannelID(1000 + n)
				_, err := d.l.Append(d.Context(), gapless.Change{At: d.now, Admitted: []gapless.Item{itemIn(where, msg(n))}})
				if err != nil {
					d.Errorf("append %d: %v", n, err)
					return
				}
				o, err := d.l.Claim(d.Context(), gapless.Claim{Lane: gapless.LaneOf(where), Boot: "boot", Now: d.now})
				if err != nil || o.Delivery == nil {
					d.Errorf("claim %d: %+v, %v", n, o, err)
				}
			})
		}
		wg.Wait()
		eq(d, "leases", len(d.leases()), 100)
		if d.f.Reopen != nil {
			d.l = d.f.Reopen(d, d.l)
			eq(d, "leases after reopening", len(d.leases()), 100)
		}
	}},
	{"of many that claim one lane at once, one gets it", func(d *desk) {
		d.admit(msg(1), msg(2))
		var wg sync.WaitGroup
		var got atomic.Int32
		for range 32 {
			wg.Go(func() {
				o, err := d.l.Claim(d.Context(), gapless.Claim{Lane: lane, Boot: "boot", Now: d.now})
				if err != nil {
					d.Errorf("claim: %v", err)
				}
				if o.Delivery != nil {
					got.Add(1)
				}
			})
		}
		wg.Wait()
		eq(d, "claims", got.Load(), 1)
	}},
	{"of many that admit one id at once, one makes the row", func(d *desk) {
		var wg sync.WaitGroup
		var fresh, known atomic.Int32
		for range 32 {
			wg.Go(func() {
				s, err := d.l.Append(d.Context(), gapless.Change{At: d.now, Admitted: []gapless.Item{item(msg(1))}})
				if err != nil {
					d.Errorf("append: %v", err)
				}
				fresh.Add(int32(len(s.New)))
				known.Add(int32(s.Known))
			})
		}
		wg.Wait()
		eq(d, "new", fresh.Load(), 1)
		eq(d, "known", known.Load(), 31)
	}},
	{"one that fails among many fails alone", func(d *desk) {
		var wg sync.WaitGroup
		var stale atomic.Int32
		for n := range 40 {
			wg.Go(func() {
				c := gapless.Change{At: d.now, Admitted: []gapless.Item{item(msg(n))}}
				if n%4 == 0 {
					c.Moved = []gapless.GapMove{{ID: "none", Was: 1, After: 2}}
				}
				_, err := d.l.Append(d.Context(), c)
				switch {
				case errors.Is(err, gapless.ErrStale) && n%4 == 0:
					stale.Add(1)
				case err != nil || n%4 == 0:
					d.Errorf("append %d: %v", n, err)
				}
			})
		}
		wg.Wait()
		eq(d, "stale", stale.Load(), 10)
		eq(d, "pending", d.status().Messages["pending"], 30)
	}},
	{"a context that has ended ends the deed", func(d *desk) {
		ctx, cancel := context.WithCancel(d.Context())
		cancel()
		_, err := d.l.Append(ctx, gapless.Change{At: d.now, Admitted: []gapless.Item{item(msg(1))}})
		eq(d, "append", errors.Is(err, context.Canceled), true)
		_, err = d.l.Claim(ctx, gapless.Claim{Lane: lane, Now: d.now})
		eq(d, "claim", errors.Is(err, context.Canceled), true)
		_, err = d.l.Status(ctx)
		eq(d, "status", errors.Is(err, context.Canceled), true)
	}},
	{"what a caller does to its values afterwards changes nothing", func(d *desk) {
		it := item(msg(1))
		d.append(gapless.Change{Admitted: []gapless.Item{it}})
		it.Message.Raw[0], it.Message.Mentions[0] = 'X', 77
		v := d.claim(lane)
		eq(d, "raw", string(v.Messages[0].Message.Raw), string(item(msg(1)).Message.Raw))
		v.Messages[0].Message.Raw[0] = 'Y'
		again := d.leases()[0].Messages[0].Message
		eq(d, "raw", string(again.Raw), string(item(msg(1)).Message.Raw))
		eq(d, "mention", again.Mentions[0], 1)
	}},
	{"after closing, every deed says so", func(d *desk) {
		c, ok := d.l.(interface{ Close() error })
		if !ok {
			d.Skip("this ledger has no Close")
		}
		if err := c.Close(); err != nil {
			d.Fatal(err)
		}
		_, err := d.l.Append(d.Context(), gapless.Change{At: d.now, Admitted: []gapless.Item{item(msg(1))}})
		eq(d, "append", errors.Is(err, gapless.ErrClosed), true)
		_, err = d.l.Load(d.Context())
		eq(d, "load", errors.Is(err, gapless.ErrClosed), true)
		_, err = d.l.Status(d.Context())
		eq(d, "status", errors.Is(err, gapless.ErrClosed), true)
	}},
}

func reopens(d *desk) {
	if d.f.Reopen == nil {
		d.Skip("this ledger forgets: its fixture has no Reopen")
	}
	g := gap(msg(1), msg(9))
	d.append(gapless.Change{
		Session: &gapless.Session{ID: "sid", Seq: 7}, Shards: []gapless.ShardMark{{Epoch: 2, At: base}},
		Guilds: []gapless.GuildMark{{ID: 5, Epoch: 1}}, Places: []gapless.PlaceChange{{ID: place, Head: msg(9), Epoch: 3}},
		Opened: []gapless.Gap{g}, Ranges: []gapless.Range{{Place: place, Upto: msg(1), Reason: gapless.EndExpired, At: base}},
		Admitted: []gapless.Item{item(msg(10)), itemIn(702, msg(3)), itemIn(703, msg(4)), itemIn(704, msg(5))},
		Refused:  []gapless.Refusal{{Place: place, ID: msg(2), Reason: "bot"}},
		Edited:   []gapless.Message{edited(msg(11), "kept", 3)},
		Deleted:  []gapless.Deletion{{Place: place, ID: msg(12)}},
		Own:      []gapless.OwnMessage{{ID: msg(60), Place: 704, Reference: msg(5)}},
	})
	leased := d.claim(gapless.LaneOf(702))
	replies := d.answer(d.claim(gapless.LaneOf(703)), 2)
	d.sent(replies[0], gapless.ReplySent)
	d.end(d.claim(gapless.LaneOf(704)), gapless.Outcome{Kind: gapless.TurnInterrupted})
	u := undecided(msg(20))
	u.NotBefore = base.Add(time.Hour)
	d.append(gapless.Change{
		Admitted: []gapless.Item{itemIn(705, msg(6)), itemIn(705, msg(7)), itemIn(706, msg(30))}, Letters: []gapless.Reply{letter("a")},
		Undecided: []gapless.Item{u}, Ended: []gapless.Ending{{Place: place, ID: msg(21), Reason: gapless.Done}}, Noted: 3,
	})
	parked := d.claim(gapless.LaneOf(705))
	d.park(parked, base.Add(time.Minute))
	d.end(d.claim(gapless.LaneOf(706)), gapless.Outcome{Kind: gapless.TurnDiscarded})
	again := d.retry(gapless.RetryID(msg(30), 0), base.Add(time.Minute))
	loaded, shown, told := d.load(), d.status(), d.story(msg(30))

	d.l = d.f.Reopen(d, d.l)
	eq(d, "status", fmt.Sprint(d.status()), fmt.Sprint(shown))
	same(d, "story", d.story(msg(30)), told)
	eq(d, "parked", d.offer(gapless.LaneOf(705)).Parked, parked.ID)
	d.instant("retry", d.none(gapless.LaneOf(706)).Next, base.Add(time.Minute))
	eq(d, "retry", d.list(gapless.DeliveryFilter{State: gapless.Waiting})[0].ID, again)
	d.end(d.leases()[1], gapless.Outcome{Kind: gapless.TurnDone})
	eq(d, "load", fmt.Sprint(d.load()), fmt.Sprint(loaded))
	d.instant("hold", d.none(lane).Next, g.HoldTill)
	eq(d, "lease", fmt.Sprint(d.leases()), fmt.Sprint([]gapless.Delivery{leased}))
	d.end(d.leases()[0], gapless.Outcome{Kind: gapless.TurnDone})
	eq(d, "settled", d.sent(replies[1], gapless.ReplySent), true)
	eq(d, "letter", d.unsent()[0], letter("a"))
	eq(d, "known", d.admit(msg(2), msg(12), msg(10), msg(21)).Known, 4)
	d.none(gapless.LaneOf(704))
	eq(d, "evidence", d.status().Ended[gapless.Answered], 2)
	d.append(gapless.Change{Moved: []gapless.GapMove{g.Closed(gapless.EndFilled, base)}})
	d.end(d.claim(lane), gapless.Outcome{Kind: gapless.TurnDone})
	d.admit(msg(11))
	eq(d, "kept edit", d.claim(lane).First().Text, "kept")
	d.end(d.leases()[0], gapless.Outcome{Kind: gapless.TurnDone})
	d.admit(msg(22))
	d.instant("undecided", d.none(lane).Next, u.NotBefore)
	eq(d, "decided", len(d.admit(msg(20)).New), 1)
	eq(d, "then", d.claim(lane).First().ID, msg(20))
}

var _ testing.TB = (*desk)(nil)
