package scenario

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"gapless"
	"gapless/discordsim"
)

// judgeTurns makes sure that the handler was started once per delivery, and again only for what the script did.
func (e *evidence) judgeTurns() []string {
	var wrong []string
	byDelivery := map[gapless.DeliveryID][]turnSeen{}
	home := map[gapless.MessageID]gapless.DeliveryID{}
	for _, t := range e.turns {
		byDelivery[t.delivery] = append(byDelivery[t.delivery], t)
		for _, id := range t.messages {
			if at, ok := home[id]; ok && at != t.delivery && e.claims[t.delivery].RetryOf == "" {
				wrong = append(wrong, fmt.Sprintf("%s is in two deliveries, %s and %s%s", e.name(id), at, t.delivery, e.story(id)))
			}
			home[id] = t.delivery
		}
	}
	for _, t := range e.turns {
		turns := byDelivery[t.delivery]
		if turns == nil {
			continue
		}
		delete(byDelivery, t.delivery)
		for i := range turns {
			if why := e.judgeStart(turns, i); why != "" {
				wrong = append(wrong, fmt.Sprintf("%s %s%s", e.name(t.messages[0]), why, e.story(t.messages[0])))
			}
		}
	}
	return wrong
}

// judgeStart is what is wrong with the i-th start of a delivery, or nothing.
func (e *evidence) judgeStart(turns []turnSeen, i int) string {
	t := turns[i]
	if leases := len(e.claims[t.delivery].boots); t.attempt > leases {
		return fmt.Sprintf("started as attempt %d with %d leases", t.attempt, leases)
	}
	if i == 0 {
		return ""
	}
	before := turns[i-1]
	if !before.told.IsZero() {
		before.ended = before.told // the turn is over for the engine, though its handler does not mind
	}
	switch {
	case before.ended.IsZero() || t.began.Before(before.ended):
		return "was started while its handler ran"
	case before.verdict == "away" && t.attempt == before.attempt:
		return ""
	case t.attempt <= before.attempt:
		return fmt.Sprintf("started as attempt %d after attempt %d", t.attempt, before.attempt)
	}
	switch before.verdict {
	case "fails", "panics", "retries", "away", "stopped", "crashed":
		return ""
	}
	if slices.ContainsFunc(e.kills, func(k time.Time) bool { return !k.Before(before.ended) && !k.After(t.began) }) {
		return "" // killed before the verdict was stored
	}
	return fmt.Sprintf("was started again although its handler had ended (%s)", before.verdict)
}

// judgeOrder holds the order of first starts in each lane to what had been stored then.
func (e *evidence) judgeOrder() []string {
	var wrong []string
	first := map[gapless.LaneID][]turnSeen{}
	for _, t := range e.turns {
		if t.origins[0] != gapless.OriginAudit && !slices.ContainsFunc(first[t.lane], func(o turnSeen) bool { return o.delivery == t.delivery }) {
			first[t.lane] = append(first[t.lane], t)
		}
	}
	for _, turns := range first {
		for i, later := range turns {
			for _, earlier := range turns[:i] {
				id := later.messages[0]
				f := e.fates[id]
				if id > earlier.messages[0] || f == nil || !f.item.FirstSeen.Before(earlier.began) {
					continue
				}
				wrong = append(wrong, fmt.Sprintf("order: %s started before %s, which had been stored%s", e.name(earlier.messages[0]), e.name(id), e.story(id)))
			}
		}
	}
	slices.Sort(wrong)
	return wrong
}

// judgeAnswers makes sure that Discord holds each answer once, with its parts in order, after its request, and
// nothing else from the bot.
func (e *evidence) judgeAnswers() []string {
	var wrong []string
	byNonce := map[string][]discordsim.Message{}
	for _, m := range e.truth {
		if m.Author == e.bot.ID && m.ByREST {
			byNonce[m.Nonce] = append(byNonce[m.Nonce], m)
		}
	}
	for _, r := range sortedReplies(e.replies) {
		if r.Kind.Courtesy() { // it is no message
			continue
		}
		held := byNonce[r.Nonce]
		delete(byNonce, r.Nonce)
		if why := e.judgeReply(r, held); why != "" {
			first := e.claims[r.Delivery].First().ID
			wrong = append(wrong, fmt.Sprintf("part %d of the answer to %s %s%s", r.Ordinal+1, e.name(first), why, e.story(first)))
		}
	}
	for _, r := range e.letters {
		if held := byNonce[r.Nonce]; len(held) > 1 || r.State == gapless.ReplySent && len(held) == 0 {
			wrong = append(wrong, fmt.Sprintf("the notice %q counts as %s and is held %d times", r.Text, r.State, len(held)))
		}
		delete(byNonce, r.Nonce)
	}
	for _, m := range e.truth {
		if m.Author == e.bot.ID && m.ByREST && byNonce[m.Nonce] != nil {
			wrong = append(wrong, fmt.Sprintf("discord holds %q, which belongs to no stored answer", m.Content))
		}
	}
	return slices.Concat(wrong, e.judgeParts(), e.judgeSaid())
}

// answering tells what a handler said from courtesies, and from the question whether a late message still matters.
func answering(r gapless.Reply) bool {
	return !r.Kind.Courtesy() && !strings.HasSuffix(string(r.ID), ".q")
}

func sortedReplies(all map[gapless.ReplyID]gapless.Reply) []gapless.Reply {
	var out []gapless.Reply
	for _, r := range all {
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b gapless.Reply) int {
		return cmp.Or(cmp.Compare(a.Delivery, b.Delivery), cmp.Compare(a.Ordinal, b.Ordinal))
	})
	return out
}

func (e *evidence) judgeReply(r gapless.Reply, held []discordsim.Message) string {
	d := e.claims[r.Delivery]
	switch {
	case len(held) > 1:
		return fmt.Sprintf("is held %d times", len(held))
	case r.State == gapless.ReplyRefused && len(held) > 0:
		return "counts as refused, but discord holds it"
	case r.State == gapless.ReplyRefused:
		return ""
	case r.State == gapless.ReplySent && len(held) == 0:
		return "counts as sent, but discord does not hold it"
	case r.State != gapless.ReplySent && !e.allow.pending[e.name(d.First().ID)]:
		return "was never finished: it is " + string(r.State)
	case len(held) == 0:
		return ""
	case held[0].Content != r.Text:
		return "has another text in discord"
	case e.made[discordsim.ID(d.First().ID)] >= e.made[held[0].ID]:
		return "stands before its request"
	}
	return ""
}

// judgeParts makes sure that the parts of an answer stand in order.
func (e *evidence) judgeParts() []string {
	var wrong []string
	last := map[gapless.DeliveryID]int{}
	for _, r := range sortedReplies(e.replies) {
		if r.Message == 0 || !answering(r) {
			continue
		}
		made := e.made[discordsim.ID(r.Message)]
		if made <= last[r.Delivery] {
			wrong = append(wrong, fmt.Sprintf("the parts of the answer to %s stand out of order", e.name(e.claims[r.Delivery].First().ID)))
		}
		last[r.Delivery] = made
	}
	return wrong
}

// judgeSaid compares what the handler said in the turn that was done with what was stored to be sent.
func (e *evidence) judgeSaid() []string {
	var wrong []string
	stored := map[gapless.DeliveryID][]string{}
	for _, r := range sortedReplies(e.replies) {
		if answering(r) {
			stored[r.Delivery] = append(stored[r.Delivery], r.Text)
		}
	}
	last := map[gapless.DeliveryID]turnSeen{}
	for _, t := range e.turns {
		last[t.delivery] = t
	}
	for _, t := range e.turns {
		state := e.claims[t.delivery].State
		if last[t.delivery].began != t.began || t.verdict != "done" || state != gapless.Settled && state != gapless.Answering {
			continue
		}
		var said []string
		for _, text := range t.replies {
			said = append(said, gapless.SplitText(text, gapless.MaxText)...)
		}
		if !slices.Equal(said, stored[t.delivery]) {
			wrong = append(wrong, fmt.Sprintf("the handler said %q about %s, but %q was stored to be sent%s", said, e.name(t.messages[0]),
				stored[t.delivery], e.story(t.messages[0])))
		}
	}
	return wrong
}
