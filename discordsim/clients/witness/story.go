package witness

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"gapless/discordsim"
)

// attempt is one identify or resume.
type attempt struct {
	at     time.Time
	deed   string
	result string
}

// attempts are those of one connection, in their order.
func attempts(c discordsim.Connection) []attempt {
	var all []attempt
	for _, i := range c.Identifies {
		all = append(all, attempt{i.At, "identifies", strings.TrimPrefix(i.Result, "READY")})
	}
	for _, r := range c.Resumes {
		all = append(all, attempt{r.At, "resumes", strings.TrimPrefix(r.Result, "RESUMED")})
	}
	slices.SortFunc(all, func(a, b attempt) int { return a.at.Compare(b.at) })
	return all
}

// Story tells in steps what the client did after its first READY.
func (sc *Scene) Story() string {
	var steps []string
	for i, c := range sc.Connections() {
		steps = append(steps, deeds(c, i == 0)...)
		steps = append(steps, ending(c)...)
	}
	return strings.Join(fold(steps), "; ")
}

// deeds are the identifies and resumes of a connection; the first one of all is where the story starts.
func deeds(c discordsim.Connection, first bool) (steps []string) {
	for i, a := range attempts(c) {
		if first && i == 0 {
			continue
		}
		where := c.Path
		if i > 0 {
			where = "the same socket"
		}
		step := a.deed + " on " + where
		if a.result != "" {
			step += " (" + a.result + ")"
		}
		steps = append(steps, step)
	}
	return steps
}

// ending is how the client left a connection, if it did.
func ending(c discordsim.Connection) []string {
	switch {
	case c.ClientClose != -1 && c.ServerClose != -1:
		return []string{fmt.Sprintf("answers %d", c.ClientClose)}
	case c.ClientClose != -1:
		return []string{fmt.Sprintf("closes %d", c.ClientClose)}
	case !c.Closed.IsZero() && c.ServerClose == -1 && !c.Cut:
		return []string{"hangs up"}
	}
	return nil
}

// fold shortens a story whose end repeats itself.
func fold(steps []string) []string {
	for from := range steps {
		rest := steps[from:]
		for period := 1; period <= len(rest)/2; period++ {
			if repeats(rest, period) {
				return append(slices.Clone(steps[:from+period]), "again and again")
			}
		}
	}
	return steps
}

func repeats(steps []string, period int) bool {
	for i := period; i < len(steps); i++ {
		if steps[i] != steps[i-period] {
			return false
		}
	}
	return true
}

// delay tells between which bounds a client waited, as what can be seen begins before or after its own wait does.
type delay struct{ least, most time.Duration }

// none tells that the client did nothing it could have waited for.
func (d delay) none() bool { return d.most < 0 }

func (d delay) String() string {
	if d.least == d.most {
		return d.most.String()
	}
	return fmt.Sprintf("%v to %v", d.least, d.most)
}

// exactly is a wait whose beginning is known.
func exactly(d time.Duration) delay { return delay{d, d} }

// delay is the wait until the first identify or resume of the story. The client begins it after the incident, so it is no
// longer than measured from there, and about when the simulator notices the end of the first connection, which a busy
// machine makes late. For one on the same socket it counts from the incident.
func (sc *Scene) delay(incident time.Time) delay {
	conns := sc.Connections()
	if same := attempts(conns[0])[1:]; len(same) > 0 {
		return exactly(same[0].at.Sub(incident))
	}
	for _, c := range conns[1:] {
		if all := attempts(c); len(all) > 0 {
			return delay{all[0].at.Sub(conns[0].Closed), all[0].at.Sub(incident)}
		}
	}
	return exactly(-1)
}
