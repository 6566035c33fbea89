package scenario

import (
	"strconv"
	"time"

	"gapless"
)

func headCommands() []command {
	return []command{
		{"title", "title TEXT", "Names the incident in a sentence.", func(ph *phrase) func(*player) error {
			ph.p.script.Title = ph.text()
			return nil
		}},
		{"incident", "incident ID...", "The entries of the collection, and the behaviours, that this script plays, such as C01 or S08.",
			func(ph *phrase) func(*player) error {
				for all := &ph.p.script.Incidents; len(*all) == 0 || !ph.done(); {
					*all = append(*all, ph.word("an incident such as C01"))
				}
				return nil
			}},
		{"seed", "seed NUMBER", "Feeds every die: latencies, jitter, session ids. 1 if not given.",
			func(ph *phrase) func(*player) error {
				w := ph.word("a seed")
				n, err := strconv.ParseUint(w, 10, 64)
				if err != nil {
					ph.fail("expected a seed, a number, found %q", w)
				}
				ph.p.script.Seed = n
				return nil
			}},
		{"trace", "trace full|brief|off", "How much the trace tells: with `brief` not the ends of turns, posts, settled deliveries and what Discord holds; with " +
			"`off` the script keeps none, because something in it cannot be repeated to the millisecond.",
			func(ph *phrase) func(*player) error {
				ph.p.script.trace = ph.oneOf("how much", traceFull, traceBrief, traceOff)
				return nil
			}},
	}
}

// The ways to keep a trace.
const (
	traceFull  = "full"
	traceBrief = "brief"
	traceOff   = "off"
)

func configCommands() []command {
	return append(conversationCommands(), []command{
		{"set", "set SETTING VALUE...", "Sets a field of the engine's configuration, from the next `start` on. " +
			"A script that sets no policy lets everybody through.",
			readKnob(engineSettings, func(p *player) any { return &p.config })},
		{"discord", "discord KNOB VALUE", "Turns a knob of the simulated Discord, before the first `start`.",
			readKnob(discordSettings, func(p *player) any { return p.sim })},
		{"gateway", "gateway KNOB VALUE", "Turns a knob of the gateway client, from the next `start` on.", readKnob(gatewaySettings, func(p *player) any { return &p.gateway })},
		{"rest", "rest KNOB VALUE", "Turns a knob of the REST client, from the next `start` on.", readKnob(restSettings, func(p *player) any { return &p.rest })},
		{"recovery", "recovery on|notice|off [in #PLACE...]", "What becomes of messages that are missed, in these places or, without any, everywhere; from the next `start` on. A notice says " + quoted(absence) + ".",
			readRecovery},
		{"latency", "latency DURATION", "How long a REST call takes; each call takes a little more, by seed and route. 40ms if not given.",
			func(ph *phrase) func(*player) error {
				d := ph.duration("a latency")
				return func(p *player) error {
					p.latency.Store(int64(d))
					return nil
				}
			}},
	}...)
}

// readKnob reads a setting of one of the structs that make up a run.
func readKnob(all func() []setting, target func(*player) any) func(*phrase) func(*player) error {
	return func(ph *phrase) func(*player) error {
		s := ph.setting(all())
		value := ph.value(s)
		return func(p *player) error {
			v, err := value(p)
			if err == nil {
				s.assign(target(p), v)
			}
			return err
		}
	}
}

// absence is what a notice says.
const absence = "I was away and have not read what was said meanwhile."

func readRecovery(ph *phrase) func(*player) error {
	how := gapless.Recover(ph.oneOf("on, notice or off", "on", "notice", "off"))
	var places []string
	if ph.accept("in") {
		places = ph.places()
	}
	return func(p *player) error {
		p.config.Notice = func(time.Time, time.Time) string { return absence }
		if places == nil {
			p.config.Recover = how
		}
		for _, name := range places {
			p.config.Exceptions = append(p.config.Exceptions, gapless.RecoverRule{Place: gapless.Ref(p.place(name).String()), How: how})
		}
		return nil
	}
}
