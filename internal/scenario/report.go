package scenario

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"gapless"
	"gapless/discordsim"
)

// Report is what came of playing a script.
type Report struct {
	Trace      string   // what was seen, in virtual time
	Failures   []error  // commands that failed and expectations that were not met, with file and line
	Violations []string // what the oracle found, each with the story of its message
}

// enough is how many violations are shown; more say the same.
const enough = 8

// Err is everything that went wrong, or nil.
func (r *Report) Err() error {
	errs := slices.Clone(r.Failures)
	for i, v := range r.Violations {
		if i == enough {
			errs = append(errs, fmt.Errorf("oracle: and %d more", len(r.Violations)-i))
			break
		}
		errs = append(errs, errors.New("oracle: "+v))
	}
	return errors.Join(errs...)
}

// report looks back at the whole run.
func (p *player) report() *Report {
	e := p.evidence()
	return &Report{Trace: p.trace(), Failures: p.failures, Violations: e.judge()}
}

// trace puts together what the journal has and what the simulator saw.
func (p *player) trace() string {
	lines := slices.Clone(p.journal.lines)
	for _, c := range p.sim.Connections() {
		lines = append(lines, gatewayLines(c)...)
	}
	for _, m := range p.sim.Messages() {
		if m.Author != p.bot.ID || p.strange[m.ID] {
			continue
		}
		lines = append(lines, line{at: m.Created, actor: theDiscord, before: "holds " + quoted(m.Content) + " in " + p.placeOf(gapless.ChannelID(m.Channel))})
	}
	if p.script.trace == traceBrief {
		lines = brief(lines)
	}
	return render(lines, p.journal.start)
}

// quoted is the text of an answer, cut.
func quoted(text string) string {
	if len(text) > 60 {
		text = text[:60] + "..."
	}
	return fmt.Sprintf("%q", text)
}

// gatewayLines are the lines about one connection.
func gatewayLines(c discordsim.Connection) []line {
	say := func(at time.Time, format string, args ...any) line {
		return line{at: at, actor: theGateway, before: fmt.Sprintf("connection %d: ", c.Number) + fmt.Sprintf(format, args...)}
	}
	lines := []line{say(c.Opened, "opens at %s", c.Path)}
	for _, i := range c.Identifies {
		lines = append(lines, say(i.At, "identify%s: %s", asShard(i.Shard), i.Result))
	}
	for _, r := range c.Resumes {
		lines = append(lines, say(r.At, "resume from %d: %s, %d replayed", r.Seq, r.Result, r.Replayed))
	}
	switch {
	case c.Closed.IsZero():
	case c.Cut:
		lines = append(lines, say(c.Closed, "reset"))
	case c.ServerClose >= 0:
		lines = append(lines, say(c.Closed, "closed by discord with %d", c.ServerClose))
	case c.ClientClose >= 0:
		lines = append(lines, say(c.Closed, "closed by the client with %d", c.ClientClose))
	default:
		lines = append(lines, say(c.Closed, "breaks"))
	}
	return lines
}
