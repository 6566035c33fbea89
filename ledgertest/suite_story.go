package ledgertest

import (
	"errors"
	"fmt"
	"reflect"
	"time"

	"gapless"
)

// storySentences are those of Story, Deliveries, Retry and Drop.
var storySentences = []sentence{
	{"an unknown id has no story, but every gap and range that contains it", func(d *desk) {
		elsewhere := gap(msg(1), msg(9))
		elsewhere.Place, elsewhere.ID, elsewhere.OpenedAt = other, "701-9", base.Add(time.Second)
		r := gapless.Range{Place: 702, After: msg(1), Upto: msg(9), Reason: gapless.EndExpired, At: base}
		d.append(gapless.Change{Opened: []gapless.Gap{elsewhere, gap(msg(1), msg(9)), gap(msg(20), msg(30))}, Ranges: []gapless.Range{r}})
		s := d.story(msg(5))
		want := gapless.Story{Message: msg(5), Gaps: []gapless.Gap{gap(msg(1), msg(9)), elsewhere}, Ranges: []gapless.Range{r}}
		same(d, "story", s, want)
		same(d, "lower end", d.story(msg(1)), gapless.Story{Message: msg(1)})
		eq(d, "upper end", len(d.story(msg(9)).Gaps), 2)
	}},
	{"a row is told with where it stands, without text", func(d *desk) {
		it := whole()
		it.Plain = true
		d.append(gapless.Change{
			Admitted: []gapless.Item{it}, Undecided: []gapless.Item{undecided(msg(2))},
			Deleted: []gapless.Deletion{{Place: place, ID: msg(3)}}, Edited: []gapless.Message{edited(msg(4), "early", 2)},
		})
		state := func(n int) string { return d.story(msg(n)).Row.State }
		row := d.story(msg(1)).Row
		same(d, "row", *row, gapless.StoryRow{Item: bare(it), State: "pending"})
		eq(d, "lacks", d.story(msg(2)).Row.Lacks, gapless.LackMember)
		eq(d, "states", state(2)+" "+state(3), "undecided deleted")
		eq(d, "deleted", d.story(msg(3)).Row.Deleted, true)
		eq(d, "kept edit", d.story(msg(4)).Edited && d.story(msg(4)).Row == nil && !d.story(msg(1)).Edited, true)
		v := d.claim(lane)
		eq(d, "claimed", state(1), "claimed")
		d.append(gapless.Change{Own: []gapless.OwnMessage{{ID: msg(60), Place: place, Reference: msg(1)}}})
		d.append(gapless.Change{Deleted: []gapless.Deletion{{Place: place, ID: msg(1)}}})
		d.end(v, gapless.Outcome{Kind: gapless.TurnDone})
		row = d.story(msg(1)).Row
		eq(d, "settled, answered, deleted", fmt.Sprintf("%s %t %t", row.State, row.Answered, row.Deleted), "settled true true")
	}},
	{"a refusal is told; its origin and instant if it was meant for us", func(d *desk) {
		d.append(gapless.Change{Refused: []gapless.Refusal{
			{Place: place, ID: msg(1), Reason: "bot", Origin: gapless.OriginLive},
			{Place: place, ID: msg(2), Reason: "mention", Origin: gapless.OriginReplay, Addressed: true},
		}, Places: []gapless.PlaceChange{{ID: place, Head: msg(9)}}, Opened: []gapless.Gap{gap(msg(1), msg(2))}})
		s := d.story(msg(1))
		same(d, "refusal", *s.Refusal, gapless.StoryRefusal{Place: place, Reason: "bot"})
		eq(d, "row", s.Row == nil, true)
		eq(d, "head", s.Place.Head, msg(9))
		s = d.story(msg(2))
		same(d, "refusal", *s.Refusal, gapless.StoryRefusal{Place: place, Reason: "mention", Origin: gapless.OriginReplay, At: base})
		eq(d, "gaps", len(s.Gaps), 1)
	}},
	{"of a known place only its own gaps and ranges, open or closed", func(d *desk) {
		elsewhere, closed := gap(msg(1), msg(9)), gap(msg(1), msg(5))
		elsewhere.Place, elsewhere.ID = other, "701-9"
		d.append(gapless.Change{Admitted: []gapless.Item{item(msg(5))}, Opened: []gapless.Gap{elsewhere, closed},
			Ranges: []gapless.Range{{Place: other, After: msg(1), Upto: msg(9), Reason: gapless.EndExpired, At: base}}})
		end := closed.Closed(gapless.EndFilled, base)
		d.append(gapless.Change{Moved: []gapless.GapMove{end}})
		s := d.story(msg(5))
		same(d, "gaps", s.Gaps, []gapless.Gap{closed.Apply(end)})
		eq(d, "ranges", len(s.Ranges), 0)
		eq(d, "place", s.Place, gapless.Place{ID: place})
	}},
	{"its deliveries are told with their replies, in order, and letters about it", tellsDeliveries},
	{"a story changes nothing", func(d *desk) {
		d.admit(msg(1))
		before := d.status().Commits
		d.story(msg(1))
		d.list(gapless.DeliveryFilter{})
		eq(d, "commits", d.status().Commits, before)
	}},
	{"deliveries are listed by filter, the newest first, in pages, without text", listsDeliveries},
	{"a retry of a dead one is a new delivery of the same messages, and settles it", retriesDead},
	{"a settled one can be retried, again and again, while its text is there", retriesSettled},
	{"a retry waits for its instant and goes before what is pending", func(d *desk) {
		d.admit(msg(1), msg(2))
		d.end(d.claim(lane), gapless.Outcome{Kind: gapless.TurnDiscarded})
		again := d.retry(gapless.RetryID(msg(1), 0), base.Add(time.Second))
		d.instant("next", d.none(lane).Next, base.Add(time.Second))
		d.now = base.Add(time.Second)
		eq(d, "claimed", d.claim(lane).ID, again)
	}},
	{"what cannot be retried says why", refusesRetries},
	{"deleted members drop out of a retry", func(d *desk) {
		d.append(gapless.Change{Admitted: []gapless.Item{by(9, msg(1)), by(9, msg(2)), by(9, msg(3))}})
		v := *d.ask(gapless.Claim{Lane: lane, Now: d.now, Backlog: gapless.BacklogJoined}).Delivery
		d.end(v, gapless.Outcome{Kind: gapless.TurnDiscarded})
		d.append(gapless.Change{Deleted: []gapless.Deletion{{Place: place, ID: msg(1)}}})
		again := d.retry(v.ID, d.now)
		o := d.offer(lane)
		d.members(o, 2, 3)
		eq(d, "id", o.Delivery.ID, again)
		eq(d, "messages", fmt.Sprint(d.status().Messages), "map[claimed:2 settled:1]")
		eq(d, "of the deleted", len(d.story(msg(1)).Deliveries), 2)
		eq(d, "of the others", len(d.story(msg(2)).Deliveries), 2)
	}},
	{"pruning the old one leaves its retry whole", func(d *desk) {
		d.admit(msg(1))
		d.end(d.claim(lane), gapless.Outcome{Kind: gapless.TurnDiscarded})
		d.retry(gapless.RetryID(msg(1), 0), d.now)
		d.prune(base.Add(time.Hour), base.Add(time.Hour))
		v := d.claim(lane)
		eq(d, "text", v.First().Text, item(msg(1)).Message.Text)
		eq(d, "known", d.admit(msg(1)).Known, 1)
		d.end(v, gapless.Outcome{Kind: gapless.TurnDone})
		d.prune(base.Add(time.Hour), base.Add(time.Hour))
		eq(d, "known", d.admit(msg(1)).Known, 0)
	}},
	{"a dead, waiting or parked one can be dropped, and no other", drops},
}

func (d *desk) story(id gapless.MessageID) gapless.Story {
	d.Helper()
	s, err := d.l.Story(d.Context(), id)
	if err != nil {
		d.Fatalf("story of %s: %v", id, err)
	}
	return s
}

func (d *desk) list(f gapless.DeliveryFilter) []gapless.Delivery {
	d.Helper()
	out, err := d.l.Deliveries(d.Context(), f)
	if err != nil {
		d.Fatalf("list deliveries: %v", err)
	}
	return out
}

func (d *desk) retry(id gapless.DeliveryID, at time.Time) gapless.DeliveryID {
	d.Helper()
	again, err := d.l.Retry(d.Context(), id, at)
	if err != nil {
		d.Fatalf("retry %s: %v", id, err)
	}
	return again
}

// same compares what == cannot.
func same[T any](d *desk, what string, got, want T) {
	d.Helper()
	if !reflect.DeepEqual(got, want) {
		d.Errorf("%s:\ngot  %+v\nwant %+v", what, got, want)
	}
}

func tellsDeliveries(d *desk) {
	d.append(gapless.Change{Admitted: []gapless.Item{by(9, msg(1)), by(9, msg(2)), by(8, msg(3))}})
	about, foreign := letter("about"), letter("foreign")
	about.Reference, foreign.Reference = msg(2), msg(3)
	d.append(gapless.Change{Letters: []gapless.Reply{about, foreign}})
	v := *d.ask(gapless.Claim{Lane: lane, Boot: "boot", Now: d.now, Backlog: gapless.BacklogJoined}).Delivery
	replies := d.answer(v, 2)
	d.sent(replies[0], gapless.ReplySent)
	d.answer(d.claim(lane), 1)
	s := d.story(msg(2))
	eq(d, "deliveries", len(s.Deliveries), 1)
	got := s.Deliveries[0]
	eq(d, "delivery", fmt.Sprint(got.ID, got.State, got.Attempt, got.Place.ID), fmt.Sprint(v.ID, gapless.Answering, 1, place))
	d.items("members", got.Messages, 1, 2)
	d.textless(got.Messages[1])
	var ids []gapless.ReplyID
	for _, r := range s.Replies {
		ids = append(ids, r.ID)
		eq(d, "text", r.Text, "")
	}
	eq(d, "replies", fmt.Sprint(ids), fmt.Sprint([]gapless.ReplyID{about.ID, replies[0].ID, replies[1].ID}))
	eq(d, "reply state", s.Replies[1].State, gapless.ReplySent)
}

func listsDeliveries(d *desk) {
	d.append(gapless.Change{
		Admitted: []gapless.Item{item(msg(1)), item(msg(2)), itemIn(other, msg(3)), item(msg(4))},
		Ended:    []gapless.Ending{{Place: other, ID: msg(0), Reason: gapless.Done}},
	})
	d.end(d.claim(lane), gapless.Outcome{Kind: gapless.TurnDiscarded, Detail: "words"})
	d.end(d.claim(lane), gapless.Outcome{Kind: gapless.TurnDone})
	d.retry(gapless.RetryID(msg(1), 0), d.now)
	d.end(d.claim(lane), gapless.Outcome{Kind: gapless.TurnDiscarded})
	d.retry(gapless.RetryID(msg(1), 1), d.now)
	d.claim(gapless.LaneOf(other))
	names := func(f gapless.DeliveryFilter) string {
		var out []gapless.DeliveryID
		for _, v := range d.list(f) {
			out = append(out, v.ID)
		}
		return fmt.Sprint(out)
	}
	id := func(n, again int) gapless.DeliveryID { return gapless.RetryID(msg(n), again) }
	want := func(ids ...gapless.DeliveryID) string { return fmt.Sprint(ids) }
	all := []gapless.DeliveryID{id(3, 0), id(2, 0), id(1, 2), id(1, 1), id(1, 0), id(0, 0)}
	eq(d, "all", names(gapless.DeliveryFilter{}), want(all...))
	for i, v := range all {
		page := all[i+1 : min(i+3, len(all))]
		eq(d, fmt.Sprintf("page after %s", v), names(gapless.DeliveryFilter{Before: v, Limit: 2}), want(page...))
	}
	eq(d, "state", names(gapless.DeliveryFilter{State: gapless.Leased}), want(id(3, 0)))
	eq(d, "reason", names(gapless.DeliveryFilter{Reason: gapless.Discarded}), want(id(1, 1), id(1, 0)))
	eq(d, "lane", names(gapless.DeliveryFilter{Lane: gapless.LaneOf(other), State: gapless.Settled}), want(id(0, 0)))
	v := d.list(gapless.DeliveryFilter{Reason: gapless.Discarded})[1]
	eq(d, "detail", v.Detail, "words")
	d.textless(v.Messages[0])
	_, err := d.l.Deliveries(d.Context(), gapless.DeliveryFilter{Before: "nonsense"})
	eq(d, "nonsense", err != nil, true)
}

func retriesDead(d *desk) {
	d.admit(msg(1))
	var v gapless.Delivery
	for range 3 {
		v = d.claim(lane)
		if err := d.l.Mark(d.Context(), gapless.Mark{Delivery: v.ID, Fence: v.Fence, Effect: true}); err != nil {
			d.Fatal(err)
		}
		v = d.end(v, gapless.Outcome{Kind: gapless.TurnInterrupted, Detail: "words"})
	}
	d.now = d.now.Add(time.Minute)
	again := d.retry(v.ID, d.now)
	eq(d, "id", again, gapless.RetryID(msg(1), 1))
	s := d.status()
	eq(d, "deliveries", fmt.Sprint(s.Deliveries), "map[settled:1 waiting:1]")
	eq(d, "ended", fmt.Sprint(s.Ended), "map[interrupted:1]")
	eq(d, "messages", fmt.Sprint(s.Messages), "map[claimed:1]")
	n := d.claim(lane)
	eq(d, "retry", fmt.Sprint(n.ID, n.RetryOf, n.Attempt, n.Failed, n.Interruptions, n.Effect), fmt.Sprint(again, v.ID, 1, 0, 0, false))
	eq(d, "text", n.First().Text, item(msg(1)).Message.Text)
	d.end(n, gapless.Outcome{Kind: gapless.TurnDone})
	told := d.story(msg(1))
	eq(d, "told", len(told.Deliveries), 2)
	old := told.Deliveries[0]
	eq(d, "old", fmt.Sprint(old.ID, old.State, old.Reason, old.Detail), fmt.Sprint(v.ID, gapless.Settled, gapless.Interrupted, "words"))
	d.instant("old ended", old.EndedAt, d.now)
	eq(d, "messages", fmt.Sprint(d.status().Messages), "map[settled:1]")
}

func retriesSettled(d *desk) {
	d.admit(msg(1))
	d.end(d.claim(lane), gapless.Outcome{Kind: gapless.TurnDone})
	first := gapless.RetryID(msg(1), 0)
	for n, of := range []gapless.DeliveryID{first, first, gapless.RetryID(msg(1), 1)} {
		again := d.retry(of, d.now)
		eq(d, "id", again, gapless.RetryID(msg(1), n+1))
		v := d.claim(lane)
		eq(d, "retry of", v.RetryOf, of)
		d.sent(d.answer(v, 1)[0], gapless.ReplySent)
	}
	eq(d, "ended", fmt.Sprint(d.status().Ended), "map[answered:3 done:1]")
	eq(d, "messages", fmt.Sprint(d.status().Messages), "map[settled:1]")
}

func refusesRetries(d *desk) {
	refused := func(what string, id gapless.DeliveryID, want error) {
		d.Helper()
		before := d.status()
		again, err := d.l.Retry(d.Context(), id, d.now)
		eq(d, what, errors.Is(err, want), true)
		eq(d, what, again, "")
		same(d, what, d.status(), before)
	}
	first := gapless.RetryID(msg(1), 0)
	d.admit(msg(1))
	refused("unknown", first, gapless.ErrUnknownDelivery)
	refused("unknown retry", gapless.RetryID(msg(1), 3), gapless.ErrUnknownDelivery)
	v := d.claim(lane)
	refused("leased", first, gapless.ErrWrongState)
	d.end(v, gapless.Outcome{Kind: gapless.TurnDone})
	again := d.retry(first, d.now)
	refused("its retry waits", first, gapless.ErrWrongState)
	refused("waiting", again, gapless.ErrWrongState)
	d.end(d.claim(lane), gapless.Outcome{Kind: gapless.TurnDone})
	d.prune(base.Add(time.Hour), base)
	refused("pruned", first, gapless.ErrNoText)
	d.append(gapless.Change{Ended: []gapless.Ending{{Place: place, ID: msg(2), Reason: gapless.Done}}})
	refused("ended elsewhere", gapless.RetryID(msg(2), 0), gapless.ErrNoText)
	d.admit(msg(3))
	d.end(d.claim(lane), gapless.Outcome{Kind: gapless.TurnDone})
	d.append(gapless.Change{Deleted: []gapless.Deletion{{Place: place, ID: msg(3)}}})
	refused("deleted", gapless.RetryID(msg(3), 0), gapless.ErrNoText)
}

func drops(d *desk) {
	d.admit(msg(1), msg(2), msg(3), msg(4))
	drop := func(id gapless.DeliveryID, why gapless.Reason) error { return d.l.Drop(d.Context(), id, why, d.now) }
	done := func(err error) {
		d.Helper()
		eq(d, "error", err, nil)
	}
	parked := d.claim(lane)
	eq(d, "leased", errors.Is(drop(parked.ID, ""), gapless.ErrWrongState), true)
	d.park(parked, base.Add(time.Hour))
	done(drop(parked.ID, gapless.Expired))
	waiting := d.end(d.claim(lane), gapless.Outcome{Kind: gapless.TurnRetryAfter, Wait: time.Hour})
	d.now = base.Add(time.Minute)
	done(drop(waiting.ID, ""))
	eq(d, "lane goes on", d.leases() == nil, true)
	for range 3 {
		d.end(d.claim(lane), gapless.Outcome{Kind: gapless.TurnInterrupted})
	}
	done(drop(gapless.RetryID(msg(3), 0), ""))
	eq(d, "ended", fmt.Sprint(d.status().Ended), "map[discarded:2 expired:1]")
	eq(d, "settled", errors.Is(drop(parked.ID, ""), gapless.ErrWrongState), true)
	eq(d, "unknown", errors.Is(drop("77", ""), gapless.ErrUnknownDelivery), true)
	d.answer(d.claim(lane), 1)
	eq(d, "answering", errors.Is(drop(gapless.RetryID(msg(4), 0), ""), gapless.ErrWrongState), true)
	d.instant("ended", d.list(gapless.DeliveryFilter{Reason: gapless.Discarded})[0].EndedAt, base.Add(time.Minute))
	d.none(lane)
}
