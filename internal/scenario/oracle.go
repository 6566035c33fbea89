package scenario

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"gapless"
	"gapless/discordsim"
)

// judgeMessages holds the first promise of all: each message the bot could read ends in exactly one of a settled
// delivery, a refusal with a true reason, or a gap or closed range that covers it.
func (e *evidence) judgeMessages() []string {
	var wrong []string
	e.partake(slices.SortedFunc(slices.Values(e.truth), func(a, b discordsim.Message) int { return cmp.Compare(a.ID, b.ID) }))
	for _, m := range e.truth {
		if m.Author == e.bot.ID || !m.VisibleTo(e.bot.ID) {
			continue
		}
		if why := e.judgeMessage(m); why != "" {
			wrong = append(wrong, e.name(gapless.MessageID(m.ID))+" "+why+e.story(gapless.MessageID(m.ID)))
		}
	}
	return wrong
}

// judgeMessage is what is wrong with the end of one message, or nothing.
func (e *evidence) judgeMessage(m discordsim.Message) string {
	id := gapless.MessageID(m.ID)
	s := e.standing(id)
	switch s.state {
	case "unknown":
		return e.judgeUnknown(m)
	case "refused":
		return e.judgeRefused(m, gapless.Reason(s.reason))
	case "deleted":
		if m.Deleted.IsZero() {
			return "counts as deleted, but it exists"
		}
		return ""
	case string(gapless.Settled), string(gapless.Dead):
		return e.judgeEnded(m, s)
	}
	if e.allow.pending[e.name(id)] {
		return ""
	}
	return "was never finished: it is " + s.String()
}

// judgeUnknown is about a message of which the ledger has no decision.
func (e *evidence) judgeUnknown(m discordsim.Message) string {
	id, place := gapless.MessageID(m.ID), gapless.ChannelID(m.Channel)
	covered := e.covers(id, place)
	switch lost := e.allow.lost[e.name(id)]; {
	case lost && covered:
		return "was said to be lost, but a gap or range covers it"
	case lost, covered, !m.Deleted.IsZero(), !e.readable[m.ID], ephemeral(m):
		return ""
	case id <= e.floors[place] && e.firstContact(m):
		return ""
	}
	return "was lost: neither decided nor covered by a gap or a closed range"
}

func ephemeral(m discordsim.Message) bool { return m.Flags&(1<<6) != 0 }

// covers reports whether an open gap, or a range closed for a reason other than having been read, has the id.
func (e *evidence) covers(id gapless.MessageID, place gapless.ChannelID) bool {
	return slices.ContainsFunc(e.gaps, func(g gapFate) bool {
		return g.Place == place && g.End != gapless.EndFilled && g.After < id && id <= g.Upto
	}) || slices.ContainsFunc(e.ranges, func(r gapless.Range) bool {
		return r.Place == place && r.After < id && id <= r.Upto
	})
}

// firstContact reports whether a message is older than the first thing we ever heard of its place: then it is not
// ours to handle (promise 10). A DM nobody has written in since is unknown until somebody does.
func (e *evidence) firstContact(m discordsim.Message) bool {
	for _, at := range e.contact {
		if m.Created.Before(at.Add(e.skew + time.Second)) {
			return true
		}
	}
	if m.Guild != 0 {
		return false
	}
	for _, f := range e.fates {
		if f.place == gapless.ChannelID(m.Channel) {
			return false
		}
	}
	return true
}

// judgeRefused recomputes admission from the truth: the reason must be one that some policy in force since the
// message was written gives.
func (e *evidence) judgeRefused(m discordsim.Message, reason gapless.Reason) string {
	if !e.edited[m.ID].IsZero() {
		return "" // which text was judged is not known any more
	}
	var would []gapless.Reason
	for _, d := range e.decisions(m) {
		if !d.Admitted && d.Reason == reason {
			return ""
		}
		would = append(would, d.Reason)
	}
	return fmt.Sprintf("was refused as %q, which is not true: %q", reason, would)
}

// judgeEnded is about a message that was handled or given up.
func (e *evidence) judgeEnded(m discordsim.Message, s standing) string {
	admitted := slices.ContainsFunc(e.decisions(m), func(d gapless.Decision) bool { return d.Admitted })
	switch {
	case !admitted && e.edited[m.ID].IsZero():
		return "was handled although no policy lets it through"
	case gapless.Reason(s.reason) == gapless.Deleted && m.Deleted.IsZero():
		return "counts as deleted, but it exists"
	case s.state == string(gapless.Dead):
		return e.judgeDead(gapless.MessageID(m.ID), gapless.Reason(s.reason))
	}
	return ""
}

// judgeDead makes sure that a delivery was given up only after all that the script did to it.
func (e *evidence) judgeDead(id gapless.MessageID, reason gapless.Reason) string {
	failed, stopped := 0, 0
	for _, t := range e.turns {
		if !slices.Contains(t.messages, id) {
			continue
		}
		switch t.verdict {
		case "fails", "panics", "retries":
			failed++
		case "stopped", "crashed":
			stopped++
		case "done", "silent", "discards":
			return "was given up although its handler had been done"
		}
	}
	switch {
	case reason == gapless.Attempts && failed+stopped < e.failures:
		return fmt.Sprintf("was given up after %d failures, not %d", failed+stopped, e.failures)
	case reason == gapless.Interrupted && stopped < e.stops:
		return fmt.Sprintf("was given up after %d interruptions, not %d", stopped, e.stops)
	}
	return ""
}

// decisions is what admission says of the true message, by each policy that was in force.
func (e *evidence) decisions(m discordsim.Message) []gapless.Decision {
	subject := e.subject(m)
	var out []gapless.Decision
	for i := range e.policies {
		subject.Policy = &e.policies[i].policy
		out = append(out, gapless.Admit(subject))
		if e.around[m.ID].Lost { // it may have been judged before or after what it answers was deleted
			orphan, alone := subject, *subject.Message
			alone.Reference.Author = 0
			orphan.Message = &alone
			out = append(out, gapless.Admit(orphan))
		}
		if since, ok := e.partaken[m.Channel]; ok { // what came to the bot before it took part was judged without that
			part := subject
			part.Place.TakesPart = gapless.MessageID(since)
			out = append(out, gapless.Admit(part))
		}
	}
	return out
}

// partake finds the threads in which the bot takes part: from the first message on that was for it (S40).
func (e *evidence) partake(messages []discordsim.Message) {
	e.partaken = map[discordsim.ID]discordsim.ID{}
	for _, m := range messages {
		if m.Parent == 0 {
			continue
		}
		_, ok := e.partaken[m.Channel]
		if !ok && slices.ContainsFunc(e.decisions(m), func(d gapless.Decision) bool { return d.Admitted }) {
			e.partaken[m.Channel] = m.ID
		}
	}
}
