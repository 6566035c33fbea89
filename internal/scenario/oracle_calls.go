package scenario

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"gapless"
	"gapless/discordsim"
)

// judgeCalls holds the number of requests to what a pass may cost (DESIGN 3), and identifies to the sessions lost.
func (e *evidence) judgeCalls() []string {
	var wrong []string
	if got, bound := e.count("/channels/{channel}/messages", "GET"), e.historyBound(); got > bound {
		wrong = append(wrong, fmt.Sprintf("%d calls for history, where %d would do: one for each page of a gap, two more to see its end, for each obstacle and each pass the last ten seconds again, and one for each DM after a discontinuity", got, bound))
	}
	if got, bound := e.count("", "POST"), e.postBound(); got > bound {
		wrong = append(wrong, fmt.Sprintf("%d posts, where %d would do", got, bound))
	}
	if got, bound := e.inventories(), e.inventoryBound(); got > bound {
		wrong = append(wrong, fmt.Sprintf("%d calls for inventories, where %d would do: two per guild and discontinuity or audit", got, bound))
	}
	if got, bound := e.listings(), e.listingBound(); got > bound {
		wrong = append(wrong, fmt.Sprintf("%d calls for archived threads, where %d would do: three per parent and discontinuity", got, bound))
	}
	return slices.Concat(wrong, e.judgeInvalid(), e.judgeIdentifies())
}

func (e *evidence) count(route, method string) int {
	n := 0
	for _, c := range e.calls {
		if (route == "" || c.route == route) && c.method == method {
			n++
		}
	}
	return n
}

// failed counts calls without a good answer: each may be repeated.
func (e *evidence) failed(method string) int {
	n := 0
	for _, c := range e.calls {
		if c.method == method && (c.status < 200 || c.status > 299) {
			n++
		}
	}
	return n
}

// historyBound is how many pages the gaps explain: one per page's worth of messages, two more to see the end, and for
// each obstacle, and each pass that looked, the last ten seconds once more, for which no reading vouches (R8). DMs are asked for their newest message after a
// discontinuity (R6) and by each round of audits, as far as its calls go (R13).
func (e *evidence) historyBound() int {
	bound := e.failed("GET") + len(e.passes) + e.allow.calls + e.directs()*e.discontinuities() + min(e.directs(), e.round)*e.audits
	for _, g := range e.gaps {
		missed := e.between(g.Place, g.From, g.Upto)
		again := g.hurdles
		for _, p := range e.passes {
			if p.EndedAt.After(g.OpenedAt) && (g.Open() || p.StartedAt.Before(g.ClosedAt)) {
				again++
			}
		}
		bound += e.pages(len(missed)) + 2 + again*max(1, e.pages(densest(missed)))
	}
	for _, r := range e.replies {
		since := e.between(r.Place, gapless.At[gapless.MessageID](r.IntentAt.Add(-gapless.Overlap)), math.MaxUint64)
		bound += max(0, r.Tries-1) * (e.pages(len(since)) + 1) // looked for after an unknown result
	}
	return bound
}

// directs is how many DMs there are: each is owed one reading after a discontinuity (R6).
func (e *evidence) directs() int {
	seen := map[discordsim.ID]bool{}
	for _, m := range e.truth {
		if m.Guild == 0 {
			seen[m.Channel] = true
		}
	}
	return len(seen)
}

// discontinuities is how many sessions began, or were resumed, or jumped.
func (e *evidence) discontinuities() int {
	n := e.jumps
	for _, c := range e.conns {
		n += len(c.Identifies) + len(c.Resumes)
	}
	return n
}

// pages is how many pages so many messages fill.
func (e *evidence) pages(n int) int { return (n + e.page - 1) / e.page }

// between are the instants of a place's messages in a range, in order.
func (e *evidence) between(place gapless.ChannelID, after, upto gapless.MessageID) []time.Time {
	var all []time.Time
	for _, m := range e.truth {
		if id := gapless.MessageID(m.ID); gapless.ChannelID(m.Channel) == place && id > after && id <= upto {
			all = append(all, m.Created)
		}
	}
	slices.SortFunc(all, time.Time.Compare)
	return all
}

// densest is the most messages there were within ten seconds.
func densest(all []time.Time) int {
	most, first := 0, 0
	for i, t := range all {
		for t.Sub(all[first]) > gapless.Overlap {
			first++
		}
		most = max(most, i-first+1)
	}
	return most
}

func (e *evidence) postBound() int {
	return len(e.replies) + len(e.letters) + e.failed("POST") + e.starts + e.allow.calls
}

func (e *evidence) inventories() int {
	return e.count("/guilds/{guild}/channels", "GET") + e.count("/guilds/{guild}/threads/active", "GET")
}

func (e *evidence) inventoryBound() int {
	return 2*e.guilds*(e.discontinuities()+e.audits) + e.failed("GET") + e.allow.calls
}

// listings counts the pages of archived threads that were asked for.
func (e *evidence) listings() int {
	n := 0
	for _, c := range e.calls {
		if strings.Contains(c.route, "/archived/") {
			n++
		}
	}
	return n
}

func (e *evidence) listingBound() int {
	return 3*e.places*(e.discontinuities()+1) + e.failed("GET") + e.allow.calls
}

// judgeIdentifies allows one identify to begin with, one for each session that Discord or the script ended, and one
// for each that Discord refused; never two within five seconds, but as max_concurrency allows.
func (e *evidence) judgeIdentifies() []string {
	var wrong []string
	var all []discordsim.Identify
	for _, c := range e.conns {
		all = append(all, c.Identifies...)
	}
	slices.SortFunc(all, func(a, b discordsim.Identify) int { return a.At.Compare(b.At) })
	ours := 0
	for _, s := range e.sessions {
		if strings.Contains(s.Reason, "client") {
			ours++
		}
	}
	refused, before := 0, map[int]time.Time{}
	for _, id := range all {
		if id.Result != "READY" {
			refused++
		}
		key := keyOf(id, e.concurrency)
		if last, ok := before[key]; ok && id.At.Sub(last).Seconds() < 4.9 {
			wrong = append(wrong, fmt.Sprintf("two identifies within %s", id.At.Sub(last)))
		}
		before[key] = id.At
	}
	ended := 0
	for _, s := range e.sessions {
		if !s.Ended.IsZero() {
			ended++
		}
	}
	if bound := 1 + ended - ours + refused + e.forced + e.allow.identifies; len(all) > bound {
		wrong = append(wrong, fmt.Sprintf("%d identifies, where %d would do", len(all), bound))
	}
	return wrong
}
