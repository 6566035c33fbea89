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

// evidence is all the oracle looks at. It judges nothing by what the engine says of itself, except where the engine
// names a reason, which it then checks.
type evidence struct {
	bot      discordsim.Bot
	truth    []discordsim.Message
	made     map[discordsim.ID]int // from 1, in the order in which the messages were made; ids need not tell it
	readable map[discordsim.ID]bool
	around   map[discordsim.ID]discordsim.Circumstances
	kinds    map[discordsim.ID]gapless.ChannelKind // of places, as far as admission needs it
	contact  []time.Time                           // the READY after each instant at which the ledger was empty
	conns    []discordsim.Connection
	sessions []discordsim.Session
	guilds   int
	// concurrency is how many identifies Discord allows side by side.
	concurrency int
	starts      int
	forced      int  // times the script ended a session
	limited     bool // the script let Discord answer 429
	policies    []policyAt
	edited      map[discordsim.ID]time.Time
	partaken    map[discordsim.ID]discordsim.ID // threads the bot takes part in, and the message since which it does
	log         []string
	texts       map[string]bool
	kills       []time.Time
	allow       allowances
	failures    int // attempts after which a delivery is given up
	stops       int // interruptions after which it is given up
	page        int // messages a page may have within the budget

	fates   map[gapless.MessageID]*fate
	gaps    []gapFate
	ranges  []gapless.Range
	floors  map[gapless.ChannelID]gapless.MessageID
	passes  []gapless.Pass
	jumps   int
	audits  int
	round   int // calls a round of audits may make
	places  int // that the script made, DMs included
	claims  map[gapless.DeliveryID]*claimed
	turns   []turnSeen
	replies map[gapless.ReplyID]gapless.Reply
	letters map[gapless.ReplyID]gapless.Reply
	calls   []callSeen
	wrong   []string

	name     func(gapless.MessageID) string
	standing func(gapless.MessageID) standing
	lines    []line
	start    time.Time
	skew     time.Duration // of Discord's clock
}

// evidence collects what the oracle needs, after everything has ended.
func (p *player) evidence() *evidence {
	retry := p.config.Retry.WithDefaults()
	e := &evidence{
		bot: p.bot, truth: p.sim.Messages(), made: map[discordsim.ID]int{}, readable: map[discordsim.ID]bool{}, kinds: map[discordsim.ID]gapless.ChannelKind{},
		conns: p.sim.Connections(), sessions: p.sim.Sessions(), guilds: len(p.world.ids[aGuild]), concurrency: p.sim.MaxConcurrency, starts: p.boots, forced: p.forced, limited: p.limited,
		policies: p.policies, edited: p.versions, log: p.book.lines(), texts: p.texts, kills: p.kills, allow: p.allow,
		failures: retry.Attempts, stops: retry.Interruptions, page: min(100, p.config.Budget.WithDefaults().Examined),
		fates: p.journal.fates, ranges: p.journal.ranges, floors: p.journal.floors, claims: p.journal.claims,
		replies: p.journal.replies, letters: p.journal.letters, calls: p.journal.calls, wrong: p.journal.wrong,
		name: p.nameOf, standing: p.standing, lines: p.journal.lines, start: p.journal.start, skew: p.sim.Skew,
	}
	for i, m := range e.truth {
		e.made[m.ID] = i + 1
		e.readable[m.ID] = p.sim.Readable(p.bot.ID, m.ID)
		if m.Author != p.bot.ID {
			e.texts[m.Content] = true
		}
	}
	e.around = map[discordsim.ID]discordsim.Circumstances{}
	for _, m := range e.truth {
		e.around[m.ID], _ = p.sim.Around(m.ID)
	}
	e.places, e.round = len(p.world.ids[aPlace]), cmp.Or(p.config.AuditCalls, 30)
	for _, id := range p.journal.opened {
		e.gaps = append(e.gaps, *p.journal.gaps[id])
	}
	for _, t := range p.journal.turns {
		e.turns = append(e.turns, *t)
	}
	for _, pass := range p.journal.passes {
		e.passes = append(e.passes, pass)
		switch pass.Trigger {
		case gapless.TriggerJump:
			e.jumps++
		case gapless.TriggerAudit:
			e.audits++
		}
	}
	e.contact = contacts(e.conns, p.emptied)
	return e
}

// contacts are the instants of first contact: the first READY after each instant at which the ledger was empty.
func contacts(conns []discordsim.Connection, emptied []time.Time) []time.Time {
	var out []time.Time
	for _, empty := range emptied {
		for _, c := range conns {
			i := slices.IndexFunc(c.Identifies, func(i discordsim.Identify) bool { return i.Result == "READY" && !i.At.Before(empty) })
			if i >= 0 {
				out = append(out, c.Identifies[i].At)
				break
			}
		}
	}
	return out
}

// judge gives everything that is not as it must be.
func (e *evidence) judge() []string {
	return slices.Concat(e.wrong, e.judgeMessages(), e.judgeTurns(), e.judgeOrder(), e.judgeAnswers(), e.judgeCalls(), e.judgeLog())
}

// story is everything the trace has about a message, for whoever has to find out what went wrong.
func (e *evidence) story(id gapless.MessageID) string {
	name := e.name(id)
	var own []line
	for _, l := range e.lines {
		if slices.Contains(l.names, name) || slices.Contains(strings.Fields(l.before), name) {
			own = append(own, line{at: l.at, actor: l.actor, before: l.before, names: only(l.names, name), after: l.after})
		}
	}
	return fmt.Sprintf("\n  the story of %s (%s):\n%s", name, e.standing(id), indent(render(own, e.start)))
}

// only leaves this name of a list that has it.
func only(list []string, name string) []string {
	if list == nil {
		return nil
	}
	return []string{name}
}

func indent(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n    ")
}
