package sqlite

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"gapless"
)

// Status gives counts and lists for a person to read, all of one moment. It
// reads beside the writer and does not hold it up.
func (l *Ledger) Status(ctx context.Context) (gapless.LedgerStatus, error) {
	return view(ctx, l, "read status", status)
}

// shownPasses is how many passes a status lists.
const shownPasses = 10

// status reads everything a status says.
func status(read reader) (out gapless.LedgerStatus, err error) {
	out = gapless.LedgerStatus{
		Messages: map[string]int{}, Deliveries: map[gapless.DeliveryState]int{}, Ended: map[gapless.Reason]int{},
		Refused: map[gapless.Reason]int{}, Replies: map[gapless.ReplyState]int{}, Undecided: map[gapless.Lack]int{},
	}
	var gaps []gapless.Gap
	var places []gapless.Place
	var ranges []gapless.Range
	var lanes []gapless.LaneStatus
	for _, part := range []struct {
		name, query string
		scan        func(scan func(...any) error) error
	}{
		{"count of commits", "SELECT commits, behind FROM meta", func(scan func(...any) error) error { return scan(&out.Commits, &out.Behind) }},
		{"bot", "SELECT self, self_name, self_bot, self_system FROM sessions WHERE self <> 0 ORDER BY shard LIMIT 1",
			func(scan func(...any) error) error {
				return scan(id(&out.Bot.ID), &out.Bot.Name, &out.Bot.Bot, &out.Bot.System)
			}},
		{"sessions", sessionStatus, into(&out.Sessions, scanSessionStatus)},
		{"places", selectPlaces, into(&places, scanPlace)},
		{"open gaps", selectOpenGaps, into(&gaps, scanGap)},
		{"closed ranges", "SELECT place, after, upto, reason, at FROM ranges ORDER BY upto DESC, place, after", into(&ranges, scanRange)},
		{"lanes", laneStatus, into(&lanes, laneRow)},
		{"messages", messageStatus, count(out.Messages)},
		{"undecided messages", "SELECT lacks, count(*) FROM messages WHERE state = 'undecided' GROUP BY lacks", count(out.Undecided)},
		{"unsent letters", "SELECT count(*) FROM replies WHERE delivery = 0 AND " + notFinal,
			func(scan func(...any) error) error { return scan(&out.Letters) }},
		{"deliveries", deliveryStatus, countDeliveries(&out)},
		{"refusals", "SELECT reason, sum(n) FROM refused GROUP BY reason", count(out.Refused)},
		{"replies", "SELECT state, count(*) FROM replies GROUP BY state", count(out.Replies)},
		{"passes", fmt.Sprintf("SELECT body FROM passes ORDER BY started_at DESC, id DESC LIMIT %d", shownPasses),
			into(&out.Passes, scanPass)},
	} {
		if err := read(part.query, nil, part.scan); err != nil {
			return out, fmt.Errorf("read %s: %w", part.name, err)
		}
	}
	out.Lanes = showLanes(lanes)
	showCoverage(&out, places, gaps, ranges)
	return out, nil
}

// showCoverage puts marks, open gaps and closed ranges into the status.
func showCoverage(out *gapless.LedgerStatus, places []gapless.Place, gaps []gapless.Gap, ranges []gapless.Range) {
	for _, p := range places {
		out.Places = append(out.Places, gapless.PlaceStatus{
			ID: p.ID, Guild: p.Guild, Name: p.Name, Kind: int(p.Kind),
			Floor: p.Floor, Verified: p.Verified, Head: p.Head, Gone: p.Gone, Out: p.Out, Restored: p.Restored, Owes: p.Owes,
		})
	}
	gapless.ByRecency(gaps)
	for _, g := range gaps {
		out.Gaps = append(out.Gaps, gapless.GapStatus{
			ID: g.ID, Place: g.Place, After: g.After, Upto: g.Upto, Cause: g.Cause,
			OpenedAt: g.OpenedAt, Obstacle: g.Obstacle, Tries: g.Tries, DueAt: g.DueAt,
		})
	}
	for _, r := range ranges {
		out.Ranges = append(out.Ranges, gapless.RangeStatus(r))
	}
}

// sessionStatus joins sessions with the marks of their shards; either may be missing.
const sessionStatus = "SELECT n.shard, coalesce(s.shards, 0), coalesce(s.state, ''), coalesce(s.id, '') <> '', coalesce(s.seq, 0), coalesce(s.seen_at, 0), " +
	"coalesce(s.starts_left, 0), coalesce(s.starts_reset_at, 0), coalesce(m.epoch, 0), coalesce(m.at, 0), coalesce(m.since, 0) " +
	"FROM (SELECT shard FROM sessions UNION SELECT shard FROM shards) n " +
	"LEFT JOIN sessions s ON s.shard = n.shard LEFT JOIN shards m ON m.shard = n.shard ORDER BY n.shard"

func scanSessionStatus(scan func(...any) error) (s gapless.SessionStatus, err error) {
	err = scan(&s.Shard, &s.Shards, &s.State, &s.Resumable, &s.Seq, at(&s.SeenAt), &s.IdentifiesLeft, at(&s.IdentifiesResetAt),
		id(&s.Epoch), at(&s.DiscontinuityAt), at(&s.DiscontinuitySince))
	return s, err
}

// messageStatus counts messages by state. Members of deliveries are counted
// with these.
const messageStatus = "SELECT state, count(*) FROM messages WHERE state = 'undecided' GROUP BY state UNION ALL " +
	"SELECT state, count(*) FROM messages WHERE state = 'pending' GROUP BY state UNION ALL " +
	"SELECT state, count(*) FROM messages WHERE state = 'deleted' GROUP BY state"

// deliveryStatus counts deliveries and their members, each kind by its index.
const deliveryStatus = "SELECT state, '', count(*), sum(size) FROM deliveries WHERE " + isOpen + " GROUP BY state UNION ALL " +
	"SELECT 'settled', reason, count(*), sum(size) FROM deliveries WHERE state = 'settled' GROUP BY reason UNION ALL " +
	"SELECT 'dead', reason, count(*), sum(size) FROM deliveries WHERE state = 'dead' GROUP BY reason"

func countDeliveries(out *gapless.LedgerStatus) func(func(...any) error) error {
	return func(scan func(...any) error) error {
		var state gapless.DeliveryState
		var reason gapless.Reason
		var n, members int
		if err := scan(&state, &reason, &n, &members); err != nil {
			return err
		}
		d := gapless.Delivery{State: state}
		out.Deliveries[state] += n
		word := "claimed"
		if d.Final() {
			out.Ended[reason] += n
			word = string(state)
		}
		if members > 0 {
			out.Messages[word] += members
		}
		return nil
	}
}

// count adds rows of a name and a number to a map.
func count[K ~string](into map[K]int) func(func(...any) error) error {
	return func(scan func(...any) error) error {
		var name string
		var n int
		err := scan(&name, &n)
		into[K(name)] += n
		return err
	}
}

// laneStatus gives a row for what waits in each lane and one for each delivery
// that has not ended, the most urgent of a lane first.
const laneStatus = "SELECT lane, '' AS state, count(*), min(id) AS oldest, 0, 0, 0 AS urgency FROM messages WHERE state = 'pending' GROUP BY lane " +
	"UNION ALL SELECT lane, state, 0, first, attempt, not_before, " +
	"CASE state WHEN 'leased' THEN 1 WHEN 'waiting' THEN 2 WHEN 'answering' THEN 3 ELSE 4 END FROM deliveries WHERE " + isOpen + " ORDER BY lane, urgency, oldest"

// laneRow is one row of laneStatus.
func laneRow(scan func(...any) error) (l gapless.LaneStatus, err error) {
	var urgency int
	err = scan(&l.ID, &l.State, &l.Pending, id(&l.Oldest), &l.Attempt, at(&l.Until), &urgency)
	return l, err
}

// showLanes merges the rows of each lane and puts the longest waiting first.
func showLanes(rows []gapless.LaneStatus) (lanes []gapless.LaneStatus) {
	for _, l := range rows {
		if n := len(lanes); n > 0 && lanes[n-1].ID == l.ID {
			l = merged(lanes[n-1], l)
			lanes = lanes[:n-1]
		}
		lanes = append(lanes, l)
	}
	slices.SortFunc(lanes, func(a, b gapless.LaneStatus) int {
		return cmp.Or(cmp.Compare(a.Oldest, b.Oldest), cmp.Compare(a.ID, b.ID))
	})
	return lanes
}

// merged adds a later, less urgent row of a lane to the earlier ones.
func merged(old, l gapless.LaneStatus) gapless.LaneStatus {
	if old.State != "" {
		l.State, l.Attempt, l.Until = old.State, old.Attempt, old.Until
	}
	l.Pending += old.Pending
	l.Oldest = min(l.Oldest, old.Oldest)
	return l
}
