package scenario

import (
	"fmt"
	"slices"
	"strings"
)

func expectCommands() []command {
	return slices.Concat(turnExpectations(), stateExpectations(), callExpectations(), coverageExpectations(),
		gatewayExpectations(), operatorExpectations(), conversationExpectations())
}

// unless is an unmet expectation, unless it is met.
func unless(met bool, format string, args ...any) error {
	if met {
		return nil
	}
	return &unmet{fmt.Errorf(format, args...)}
}

// about reads an expectation about one or more messages, each judged alone.
func about(judge func(p *player, name string) error) func(*phrase) func(*player) error {
	return func(ph *phrase) func(*player) error {
		messages := ph.messages()
		return each(messages, judge)
	}
}

func each(messages []string, judge func(p *player, name string) error) func(*player) error {
	return func(p *player) error {
		for _, m := range messages {
			if err := judge(p, m); err != nil {
				return err
			}
		}
		return nil
	}
}

func turnExpectations() []command {
	return []command{
		{"expect dispatched", "expect dispatched MESSAGE... [once|N times]", "The handler was started for each, exactly that often; once if not said.", readDispatched},
		{"expect not dispatched", "expect not dispatched MESSAGE...", "The handler was not started for any of them.", about(func(p *player, m string) error {
			n := len(p.turnsOf(m))
			return unless(n == 0, "%s was dispatched %d times", m, n)
		})},
		{"expect together", "expect together MESSAGE...", "One delivery has exactly these messages.", readTogether},
		{"expect order", "expect order MESSAGE...", "Their first starts came in this order.", readOrder},
		{"expect turns", "expect turns [in #PLACE] COMPARISON", "How many starts of the handler there were.", readTurns},
		{"expect recovered", "expect recovered MESSAGE...", "The handler was told that they were read, not heard.", readOrigin(true)},
		{"expect heard", "expect heard MESSAGE...", "The handler was told that they were heard, live or in a replay.", readOrigin(false)},
		{"expect late", "expect late MESSAGE by DURATION", "At its last start it was at least that long ago that it was written.", func(ph *phrase) func(*player) error {
			name := ph.message()
			ph.need("by")
			d := ph.duration("how late")
			return func(p *player) error {
				turns := p.turnsOf(name)
				if len(turns) == 0 {
					return unless(false, "%s was never dispatched", name)
				}
				got := turns[len(turns)-1].late
				return unless(got >= d, "%s was started %s after it was written", name, got)
			}
		}},
		{"expect within", "expect within DURATION MESSAGE...", "Each started no later than that after it was written.", func(ph *phrase) func(*player) error {
			d := ph.duration("a bound")
			return each(ph.messages(), func(p *player, m string) error {
				turns := p.turnsOf(m)
				return unless(len(turns) > 0 && turns[0].late <= d, "%s did not start within %s", m, d)
			})
		}},
		{"expect attempts", "expect attempts MESSAGE... N", "The handler was told at the last start that it is the Nth attempt.", func(ph *phrase) func(*player) error {
			messages, want := ph.messages(), ph.number("which attempt")
			return each(messages, lastTurn(func(_ *player, t turnSeen, _ int) (bool, string) {
				return t.attempt == want, fmt.Sprintf("attempt %d", t.attempt)
			}))
		}},
		{"expect ground", "expect ground GROUND MESSAGE...", "The handler was told that they were admitted on this ground: dm, mention, free and so on.", func(ph *phrase) func(*player) error {
			want := ph.word("a ground of admission")
			return each(ph.messages(), lastTurn(func(_ *player, t turnSeen, i int) (bool, string) {
				return string(t.grounds[i]) == want, "admitted on " + string(t.grounds[i])
			}))
		}},
		{"expect saw", `expect saw MESSAGE "TEXT"`, "The handler was given this text at the last start; `@name` in it stands for a mention.", func(ph *phrase) func(*player) error {
			messages, want := ph.messages(), ph.word("a text in quotes")
			return each(messages, lastTurn(func(p *player, t turnSeen, i int) (bool, string) {
				return t.texts[i] == p.world.text(want), fmt.Sprintf("given %q", t.texts[i])
			}))
		}},
		{"expect verdict", "expect verdict VERDICT MESSAGE...", "How the last turn ended: done, silent, fails, panics, discards, retries, away or stopped.", func(ph *phrase) func(*player) error {
			v := ph.oneOf("a verdict", "done", "silent", "fails", "panics", "discards", "retries", "away", "stopped")
			return each(ph.messages(), func(p *player, m string) error {
				turns := p.turnsOf(m)
				return unless(len(turns) > 0 && turns[len(turns)-1].verdict == v, "the last turn of %s did not end so", m)
			})
		}},
	}
}

// lastTurn judges the last start of each message; i is its place in the delivery.
func lastTurn(judge func(p *player, t turnSeen, i int) (bool, string)) func(*player, string) error {
	return func(p *player, m string) error {
		turns := p.turnsOf(m)
		if len(turns) == 0 {
			return unless(false, "%s never started", m)
		}
		t := turns[len(turns)-1]
		ok, got := judge(p, t, slices.Index(t.messages, p.messageID(m)))
		return unless(ok, "%s: %s", m, got)
	}
}

func readDispatched(ph *phrase) func(*player) error {
	messages, want := ph.messages(), 1
	if !ph.accept("once") && !ph.done() {
		want = ph.number("how often")
		ph.need("times")
	}
	return each(messages, func(p *player, m string) error {
		n := len(p.turnsOf(m))
		return unless(n == want, "%s was dispatched %d times, not %d", m, n, want)
	})
}

func readTogether(ph *phrase) func(*player) error {
	messages := ph.messages()
	return func(p *player) error {
		for _, t := range p.turnsOf(messages[0]) {
			var got []string
			for _, id := range t.messages {
				got = append(got, p.nameOf(id))
			}
			if slices.Equal(got, messages) {
				return nil
			}
		}
		return unless(false, "no delivery has just these")
	}
}

func readOrder(ph *phrase) func(*player) error {
	messages := ph.messages()
	return func(p *player) error {
		last := -1
		for i, m := range messages {
			at := p.firstTurn(m)
			if at < 0 {
				return unless(false, "%s never started", m)
			}
			if at <= last {
				return unless(false, "%s started before %s", m, messages[i-1])
			}
			last = at
		}
		return nil
	}
}

// firstTurn is which start of the handler was the first one of a message, -1 if there was none.
func (p *player) firstTurn(name string) (at int) {
	id := p.messageID(name)
	p.journal.read(func() {
		at = slices.IndexFunc(p.journal.turns, func(t *turnSeen) bool { return slices.Contains(t.messages, id) })
	})
	return at
}

func readTurns(ph *phrase) func(*player) error {
	place := ""
	if ph.accept("in") {
		place = ph.place()
	}
	want := ph.comparison("a number of turns")
	return func(p *player) error {
		n := 0
		p.journal.read(func() {
			for _, t := range p.journal.turns {
				if place == "" || p.placeOf(laneOwner(t.lane)) == place {
					n++
				}
			}
		})
		return unless(want.holds(n), "there were %d turns", n)
	}
}

func readOrigin(recovered bool) func(*phrase) func(*player) error {
	return about(func(p *player, m string) error {
		turns := p.turnsOf(m)
		if len(turns) == 0 {
			return unless(false, "%s never started", m)
		}
		id := p.messageID(m)
		got := turns[0].origins[slices.Index(turns[0].messages, id)]
		return unless(got.Recovered() == recovered, "%s came as %s", m, got)
	})
}

func stateExpectations() []command {
	return []command{
		{"expect settled", "expect settled MESSAGE... [REASON]", "The ledger has settled them, for that reason.", readState("settled")},
		{"expect dead", "expect dead MESSAGE... [REASON]", "They were given up and are kept for the operator.", readState("dead")},
		{"expect refused", "expect refused MESSAGE... [REASON]", "Admission refused them.", readState("refused")},
		{"expect deleted", "expect deleted MESSAGE...", "The ledger knows that they were deleted before they were handled.", readState("deleted")},
		{"expect pending", "expect pending MESSAGE...", "They wait for their first turn.", readState("pending")},
		{"expect waiting", "expect waiting MESSAGE...", "They wait for another turn.", readState("waiting")},
		{"expect running", "expect running MESSAGE...", "A turn has them.", readState("leased")},
		{"expect unknown", "expect unknown MESSAGE...", "The ledger has decided nothing about them.", readState("unknown")},
		{"expect answered", "expect answered MESSAGE... [N times]", "Discord holds an answer to each, once if not said otherwise.", func(ph *phrase) func(*player) error {
			messages, want := ph.messages(), 1
			if !ph.done() {
				want = ph.number("how often")
				ph.need("times")
			}
			return each(messages, func(p *player, m string) error {
				n := len(p.answersTo(m))
				return unless(n == want, "discord holds %d answers to %s", n, m)
			})
		}},
		{"expect not answered", "expect not answered MESSAGE...", "Discord holds no answer to any of them.", about(func(p *player, m string) error {
			n := len(p.answersTo(m))
			return unless(n == 0, "discord holds %d answers to %s", n, m)
		})},
		{"expect replies", "expect replies [in #PLACE] COMPARISON", "How many messages the bot's account has written.", func(ph *phrase) func(*player) error {
			place := ""
			if ph.accept("in") {
				place = ph.place()
			}
			want := ph.comparison("a number of replies")
			return func(p *player) error {
				n := 0
				for _, m := range p.sim.Messages() {
					if m.Author == p.bot.ID && m.Deleted.IsZero() && !p.strange[m.ID] && (place == "" || p.place(place) == m.Channel) {
						n++
					}
				}
				return unless(want.holds(n), "the bot wrote %d messages", n)
			}
		}},
		{"expect reference", "expect reference MESSAGE yes|no", "Whether an answer to it refers to it.", func(ph *phrase) func(*player) error {
			name := ph.message()
			want := ph.oneOf("yes or no", "yes", "no") == "yes"
			return func(p *player) error {
				id := p.world.of(aMessage, name)
				got := false
				for _, m := range p.answersTo(name) {
					got = got || m.ReplyTo == id
				}
				return unless(got == want, "reference: %t", got)
			}
		}},
	}
}

func readState(state string) func(*phrase) func(*player) error {
	return func(ph *phrase) func(*player) error {
		messages, reason := ph.messages(), ""
		if !ph.done() {
			reason = ph.word("a reason")
		}
		return each(messages, func(p *player, m string) error {
			got := p.stateOf(m)
			return unless(got.state == state && (reason == "" || got.reason == reason), "%s is %s", m, got)
		})
	}
}

func callExpectations() []command {
	return []command{
		{"expect calls", "expect calls METHOD ROUTE [in #PLACE] COMPARISON [since MARK]",
			"How many REST calls were made. METHOD may be `any`; ROUTE is a template or one of " + listed(words(shortRoutes)) + " or `any`; a MARK is `start` or one named by `mark`.",
			func(ph *phrase) func(*player) error {
				match := ph.request()
				want := ph.comparison("a number of calls")
				since := ph.since()
				return func(p *player) error {
					n := p.calls(match, p.marks[since])
					return unless(want.holds(n), "there were %d", n)
				}
			}},
		{"expect statuses", "expect statuses CODE COMPARISON [since MARK]", "How many REST calls were answered with that status; 0 is no answer.", func(ph *phrase) func(*player) error {
			code := ph.number("an HTTP status")
			want := ph.comparison("a number of answers")
			since := ph.since()
			return func(p *player) error {
				n := 0
				p.journal.read(func() {
					for _, c := range p.journal.calls {
						if c.status == code && !c.at.Before(p.marks[since]) {
							n++
						}
					}
				})
				return unless(want.holds(n), "there were %d", n)
			}
		}},
	}
}

// request takes METHOD ROUTE [in #PLACE].
func (ph *phrase) request() requests {
	r := requests{method: ph.oneOf("a method", "GET", "POST", "PATCH", "PUT", "DELETE", "any"), route: ph.word("a route")}
	if r.method == "any" {
		r.method = ""
	}
	if r.route == "any" {
		r.route = ""
	}
	if _, short := shortRoutes[r.route]; !short && r.route != "" && !strings.HasPrefix(r.route, "/") {
		ph.fail("expected a route (%s, any, or a template), found %q", strings.Join(words(shortRoutes), ", "), r.route)
	}
	if ph.accept("in") {
		r.place = ph.place()
	}
	return r
}

// since takes `since MARK`; the beginning if it is not there.
func (ph *phrase) since() string {
	if ph.accept("since") {
		return ph.known(aMark)
	}
	return "start"
}
