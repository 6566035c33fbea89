package ledgertest

import (
	"fmt"
	"reflect"
	"time"

	"gapless"
)

// operatorSentences are those of Record, Status and Prune.
var operatorSentences = []sentence{
	{"a pass replaces that of its id; the last ten are shown, newest first", func(d *desk) {
		record := func(n int, s gapless.PassState) {
			p := gapless.Pass{
				ID: fmt.Sprintf("p%02d", n), Trigger: gapless.TriggerBegan, StartedAt: base.Add(time.Duration(n) * time.Second),
				EndedAt: base.Add(time.Minute), State: s, Calls: n, Examined: 2, Known: 3, Admitted: 4, Closed: 5, Error: "e",
				Remainder: []gapless.Remainder{{Place: place, After: msg(1), Upto: msg(2), Reason: gapless.ObstacleBlind, DueAt: base}},
			}
			if err := d.l.Record(d.Context(), p); err != nil {
				d.Fatal(err)
			}
			if got := d.status().Passes[0]; !reflect.DeepEqual(got, p) {
				d.Errorf("got  %+v\nwant %+v", got, p)
			}
		}
		for n := range 12 {
			record(n, gapless.PassRunning)
			record(n, gapless.PassPartial)
		}
		got := d.status().Passes
		eq(d, "shown", len(got), 10)
		eq(d, "oldest shown", got[9].ID, "p02")
	}},
	{"status counts and lists", showsStatus},
	{"a lane shows its turn, what waits and the lowest unsettled", showsLanes},
	{"commits rise with every change", func(d *desk) {
		before := d.status().Commits
		d.admit(msg(1))
		middle := d.status().Commits
		d.claim(lane)
		eq(d, "append", middle > before, true)
		eq(d, "claim", d.status().Commits > middle, true)
	}},
	{"prune takes the text of what settled before", func(d *desk) {
		d.admit(msg(1), msg(2), msg(3))
		d.sent(d.answer(d.claim(lane), 1)[0], gapless.ReplySent)
		d.now = d.now.Add(time.Minute)
		d.end(d.claim(lane), gapless.Outcome{Kind: gapless.TurnDone})
		before := d.status()
		d.prune(d.now, base.Add(-time.Hour))
		after := d.status()
		eq(d, "messages", fmt.Sprint(after.Messages), fmt.Sprint(before.Messages))
		eq(d, "replies", after.Replies[gapless.ReplySent], 1)
		eq(d, "owed text", d.claim(lane).First().Text, item(msg(3)).Message.Text)
	}},
	{"prune removes settled deliveries with all that is theirs", func(d *desk) {
		d.admit(msg(1), msg(2), msg(3))
		d.sent(d.answer(d.claim(lane), 1)[0], gapless.ReplySent)
		d.append(gapless.Change{Deleted: []gapless.Deletion{{Place: place, ID: msg(2)}, {Place: place, ID: msg(9)}}})
		d.now = d.now.Add(time.Hour)
		d.end(d.claim(lane), gapless.Outcome{Kind: gapless.TurnDone})
		d.prune(base.Add(time.Minute), base.Add(time.Minute))
		s := d.status()
		eq(d, "messages", fmt.Sprint(s.Messages), fmt.Sprint(map[string]int{"settled": 1}))
		eq(d, "deliveries", s.Deliveries[gapless.Settled], 1)
		eq(d, "replies", len(s.Replies), 0)
		eq(d, "known", d.admit(msg(1), msg(2), msg(9)).Known, 0) // no row is left of them
	}},
	{"prune never touches what is owed (S57)", prunesNothingOwed},
	{"refusals are kept until they are old, their counts for ever", func(d *desk) {
		refused := gapless.Change{Refused: []gapless.Refusal{{Place: place, ID: msg(1), Reason: "bot", Addressed: true}}}
		d.append(refused)
		d.append(gapless.Change{Places: []gapless.PlaceChange{{ID: place, Verified: msg(5), Head: msg(100)}}})
		d.prune(base.Add(1000*time.Hour), base)
		eq(d, "young", d.append(refused).Known, 1)
		d.prune(base.Add(1000*time.Hour), base.Add(1000*time.Hour))
		eq(d, "counted", d.status().Refused["bot"], 1)
		d.now = base.Add(1001 * time.Hour)
		eq(d, "forgotten", d.append(refused).Known, 0)
		eq(d, "known again", d.append(refused).Known, 1)
		eq(d, "counted", d.status().Refused["bot"], 2)
	}},
	{"prune goes in steps of its limit and says when it is through", func(d *desk) {
		for n := range 7 {
			d.append(gapless.Change{Deleted: []gapless.Deletion{{Place: place, ID: msg(n)}}})
		}
		long := base.Add(time.Hour)
		left := 7
		for range 20 {
			more, err := d.l.Prune(d.Context(), gapless.Prune{Text: long, Rows: long, Limit: 2})
			if err != nil {
				d.Fatal(err)
			}
			now := d.status().Messages["deleted"]
			if left-now > 2 || (more && now == left) {
				d.Fatalf("a step of 2 went from %d rows to %d, more: %t", left, now, more)
			}
			left = now
			if !more {
				break
			}
		}
		eq(d, "left", left, 0)
	}},
}

func showsStatus(d *desk) {
	g := gap(msg(1), msg(90))
	g.Obstacle, g.Tries, g.DueAt = gapless.ObstacleBlind, 3, base.Add(time.Hour)
	younger := gap(msg(90), msg(95))
	d.append(gapless.Change{
		Session: &gapless.Session{
			Shard: 0, Shards: 2, ID: "sid", Seq: 7, State: "connected", SeenAt: base, Self: gapless.User{ID: 1, Name: "bot", Bot: true},
			Starts: gapless.Starts{Remaining: 9, ResetAt: base.Add(time.Hour)},
		},
		Shards:   []gapless.ShardMark{{Shard: 0, Epoch: 2, Since: base.Add(-time.Minute), At: base}},
		Places:   []gapless.PlaceChange{{ID: place, Floor: msg(1), Verified: msg(2), Head: msg(3), Describe: &gapless.Channel{Guild: 5, Name: "talk", Kind: 11}}},
		Opened:   []gapless.Gap{g, younger},
		Ranges:   []gapless.Range{{Place: place, After: msg(1), Upto: msg(2), Reason: gapless.EndExpired, At: base}},
		Admitted: []gapless.Item{item(msg(1))},
		Refused:  []gapless.Refusal{{Place: place, ID: msg(2), Reason: "bot"}, {Place: place, ID: msg(3), Reason: "bot"}},
	})
	s := d.status()
	eq(d, "bot", s.Bot, gapless.User{ID: 1, Name: "bot", Bot: true})
	eq(d, "session", s.Sessions[0], gapless.SessionStatus{
		Shards: 2, State: "connected", Resumable: true, Seq: 7, SeenAt: base, IdentifiesLeft: 9, IdentifiesResetAt: base.Add(time.Hour),
		Epoch: 2, DiscontinuityAt: base, DiscontinuitySince: base.Add(-time.Minute),
	})
	eq(d, "place", s.Places[0], gapless.PlaceStatus{ID: place, Guild: 5, Name: "talk", Kind: 11, Floor: msg(1), Verified: msg(2), Head: msg(3)})
	eq(d, "gaps", len(s.Gaps), 2)
	eq(d, "most recent gap", s.Gaps[0].Upto, msg(95))
	eq(d, "gap", s.Gaps[1], gapless.GapStatus{
		ID: g.ID, Place: place, After: msg(1), Upto: msg(90), Cause: g.Cause, OpenedAt: base,
		Obstacle: gapless.ObstacleBlind, Tries: 3, DueAt: base.Add(time.Hour),
	})
	eq(d, "range", s.Ranges[0], gapless.RangeStatus{Place: place, After: msg(1), Upto: msg(2), Reason: gapless.EndExpired, At: base})
	eq(d, "messages", fmt.Sprint(s.Messages), fmt.Sprint(map[string]int{"pending": 1}))
	eq(d, "refused", fmt.Sprint(s.Refused), fmt.Sprint(map[gapless.Reason]int{"bot": 2}))
}

func showsLanes(d *desk) {
	d.append(gapless.Change{Admitted: []gapless.Item{itemIn(other, msg(2)), itemIn(702, msg(5))}})
	d.admit(msg(3), msg(4), msg(6))
	answered := d.claim(gapless.LaneOf(other))
	d.answer(answered, 1)
	v := d.claim(lane)
	eq(d, "lanes", fmt.Sprint(d.status().Lanes), fmt.Sprint([]gapless.LaneStatus{
		{ID: gapless.LaneOf(other), State: gapless.Answering, Oldest: msg(2), Attempt: 1},
		{ID: lane, State: gapless.Leased, Pending: 2, Oldest: msg(3), Attempt: 1},
		{ID: gapless.LaneOf(702), Pending: 1, Oldest: msg(5)},
	}))
	eq(d, "claimed", d.status().Messages["claimed"], 2)
	v = d.end(v, gapless.Outcome{Kind: gapless.TurnRetryAfter, Wait: time.Minute})
	l := d.status().Lanes[1]
	eq(d, "state", l.State, gapless.Waiting)
	d.instant("until", l.Until, v.NotBefore)
	d.sent(reply(answered, 0), gapless.ReplySent)
	eq(d, "lanes", len(d.status().Lanes), 2)
}

func prunesNothingOwed(d *desk) {
	d.append(gapless.Change{
		Places: []gapless.PlaceChange{{ID: place, Head: msg(99)}, {ID: other, Gone: true}},
		Opened: []gapless.Gap{gap(msg(80), msg(99))},
		Ranges: []gapless.Range{{Place: place, After: msg(1), Upto: msg(99), Reason: gapless.EndExpired, At: base}},
		Guilds: []gapless.GuildMark{{ID: 5, Away: true}},
		Admitted: []gapless.Item{
			item(msg(1)), itemIn(702, msg(2)), itemIn(703, msg(3)), itemIn(704, msg(4)), itemIn(705, msg(5)),
		},
	})
	leased := d.claim(gapless.LaneOf(702))
	d.end(d.claim(gapless.LaneOf(703)), gapless.Outcome{Kind: gapless.TurnRetryAfter})
	d.answer(d.claim(gapless.LaneOf(704)), 1)
	for range 3 {
		d.end(d.claim(gapless.LaneOf(705)), gapless.Outcome{Kind: gapless.TurnInterrupted})
	}
	before, stored := d.status(), d.load()
	long := base.Add(1000 * time.Hour)
	d.prune(long, long)
	after, kept := d.status(), d.load()
	before.Commits, after.Commits = 0, 0
	if !reflect.DeepEqual(before, after) || !reflect.DeepEqual(stored, kept) {
		d.Errorf("before %+v\nafter  %+v", before, after)
	}
	d.now = long
	eq(d, "pending text", d.claim(lane).First().Text, item(msg(1)).Message.Text)
	eq(d, "leased text", d.leases()[1].First().Text, leased.First().Text)
	eq(d, "waiting text", d.claim(gapless.LaneOf(703)).First().Text, item(msg(3)).Message.Text)
	eq(d, "unsent text", d.unsent()[0].Text, "answer")
}
