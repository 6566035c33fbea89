package scenario

import (
	"cmp"
	"time"
)

// allowances is what a script asks the oracle, and the settling before it, to let pass.
type allowances struct {
	wait       time.Duration
	keep       map[string]bool // faults that stay, and "outage"
	lost       map[string]bool // messages nobody can know of
	pending    map[string]bool // messages that may end unfinished
	calls      int
	identifies int
	invalid    int
}

func (a *allowances) settle() time.Duration { return cmp.Or(a.wait, 10*time.Minute) }

func oracleCommands() []command {
	return []command{
		{"finally wait", "finally wait DURATION", "How long at most to wait, after the last line, until nothing is owed; 10m if not said.", func(ph *phrase) func(*player) error {
			d := ph.duration("a bound")
			return func(p *player) error {
				p.allow.wait = d
				return nil
			}
		}},
		{"finally keep", "finally keep FAULT...|outage", "These are not lifted at the end; without this line everything is.", func(ph *phrase) func(*player) error {
			var keep []string
			for len(keep) == 0 || !ph.done() {
				if ph.accept("outage") {
					keep = append(keep, "outage")
					continue
				}
				keep = append(keep, ph.known(aFault))
			}
			return func(p *player) error {
				for _, k := range keep {
					p.allow.keep[k] = true
				}
				return nil
			}
		}},
		{"lost", "lost MESSAGE...", "Nothing could tell of these, or the configuration leaves them out: the oracle makes sure that they were neither decided nor covered.", func(ph *phrase) func(*player) error {
			messages := ph.messages()
			return each(messages, func(p *player, m string) error {
				p.allow.lost[m] = true
				return nil
			})
		}},
		{"unfinished", "unfinished MESSAGE...", "These may end waiting, running or half sent, for the script's own reasons.", func(ph *phrase) func(*player) error {
			messages := ph.messages()
			return each(messages, func(p *player, m string) error {
				p.allow.pending[m] = true
				return nil
			})
		}},
		{"slack", "slack calls|identifies|invalid N", "So many more REST calls, identifies, or answers of 401, 403 and 429 are within bounds.", func(ph *phrase) func(*player) error {
			what := ph.oneOf("what", "calls", "identifies", "invalid")
			n := ph.number("how many")
			return func(p *player) error {
				switch what {
				case "calls":
					p.allow.calls += n
				case "identifies":
					p.allow.identifies += n
				default:
					p.allow.invalid += n
				}
				return nil
			}
		}},
		{"settle", "settle [DURATION]", "Does what happens at the end of a script anyway: lifts faults and waits until nothing is owed, at most that long. Expectations below it see the outcome.",
			func(ph *phrase) func(*player) error {
				limit := time.Duration(0)
				if !ph.done() {
					limit = ph.duration("a bound")
				}
				return func(p *player) error {
					p.settle(cmp.Or(limit, p.allow.settle()))
					return nil
				}
			}},
	}
}
