package scenario_test

import (
	"fmt"
	"strings"
	"testing"

	"gapless/internal/scenario"
)

// perform plays a script that a test has put together, and fails when an expectation or the oracle does.
func perform(t *testing.T, text string) *scenario.Report {
	t.Helper()
	s, err := scenario.Parse(t.Name()+".txt", text)
	if err != nil {
		t.Fatal(err)
	}
	r := play(t, s)
	if err := r.Err(); err != nil {
		t.Errorf("%v\nthe end of the trace:\n%s", err, tail(r.Trace, 60))
	}
	return r
}

// tail is the last lines of a text.
func tail(text string, n int) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// TestManyDirectMessages remembers a thousand DMs. After an outage in which one of them, the longest silent, was written
// in, each is asked once: a budget's worth of calls a minute, the most recently active first, until the one is found (R6).
func TestManyDirectMessages(t *testing.T) {
	const people = 1000
	var s strings.Builder
	fmt.Fprintf(&s, "title a thousand DMs\ntrace brief\nset policy.everyone off\nset budget.calls 100\n")
	for n := 1; n <= people; n += 50 {
		s.WriteString("user")
		for i := n; i < n+50; i++ {
			fmt.Fprintf(&s, " u%d", i)
		}
		s.WriteString("\n")
	}
	s.WriteString("set policy.users u1\nstart\nwait until connected\n")
	for n := 1; n <= people; n++ {
		fmt.Fprintf(&s, "u%d in @u%d: A%d hello\n", n, n, n)
	}
	s.WriteString(`wait until A1 is answered
wait 1m
kill
wait 5m
u1 in @u1: M1 are you there?
mark back
start
wait until connected
wait 59s
expect calls GET messages <= 101 since back
wait 60s
expect calls GET messages <= 202 since back
wait 60s
expect calls GET messages <= 303 since back
expect not dispatched M1
wait 10m
expect calls GET messages >= 1000 since back
expect calls GET messages <= 1002 since back
expect dispatched M1 once
expect recovered M1
mark done
wait 1h
expect calls GET messages = 0 since done
`)
	perform(t, s.String())
}

// TestAuditsOfGuilds loses a message silently in one of many guilds. While the budget covers all of them within the
// interval it is found within one; beyond, the guilds take turns, and none waits longer than a whole turn (R13).
func TestAuditsOfGuilds(t *testing.T) {
	for _, tt := range []struct {
		name   string
		guilds int
		within string
		says   string // of the last pass
	}{
		{"5 guilds are covered by the budget", 5, "5m15s", "round=5m0s"},
		{"60 guilds still are", 60, "5m15s", "round=5m0s"},
		{"500 guilds take turns", 500, "35m", "state=success"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var s strings.Builder
			s.WriteString("title audits of many guilds\ntrace brief\nset no-audit off\nuser alice\n")
			for n := 1; n <= tt.guilds; n++ {
				fmt.Fprintf(&s, "guild g%d with #c%d\n", n, n)
			}
			s.WriteString("start\nwait until connected\nwait 11m\n")
			lost := []int{1, tt.guilds / 2, tt.guilds}
			for i, n := range lost {
				fmt.Fprintf(&s, "alice in #c%d silently: M%d @bot do you hear me?\nwait 37s\n", n, i+1)
			}
			fmt.Fprintf(&s, "mark lost\nwait 40m\nexpect dispatched M1..M3 once\nexpect recovered M1..M3\nexpect within %s M1..M3\n", tt.within)
			fmt.Fprintf(&s, "expect calls any any <= %d since lost\nexpect pass last trigger=audit %s\n", 30*44, tt.says)
			perform(t, s.String())
		})
	}
}

// TestStormOfGuilds brings two hundred guilds in slowly, one every half second, after an outage in which something was
// missed in each tenth of them. Heartbeats go on, live messages flow, and each guild is compared as it comes (C116).
func TestStormOfGuilds(t *testing.T) {
	const guilds = 200
	var s strings.Builder
	s.WriteString("title a storm of guilds\ntrace brief\ndiscord guild-delay 500ms\nset budget.turns 1000\nuser alice bob\n")
	for n := 1; n <= guilds; n++ {
		fmt.Fprintf(&s, "guild g%d with #c%d\n", n, n)
	}
	s.WriteString("start\nwait until connected\nwait 2m\nkill\nwait 10m\n")
	for n := 10; n <= guilds; n += 10 {
		fmt.Fprintf(&s, "alice in #c%d: M%d @bot please look at this\n", n, n/10)
	}
	fmt.Fprintf(&s, `wait 1m
mark back
start
wait until connected
wait 5s
bob in #c1: L1 @bot does this go through?
wait 5s
expect dispatched L1 once
expect not dispatched M%[1]d
wait 2m
settle
expect dispatched M1..M%[1]d L1 once
expect recovered M1..M%[1]d
expect connections <= 2 since back # the first finds its session gone
expect calls GET messages <= %[2]d since back
`, guilds/10, 2*guilds/10)
	perform(t, s.String())
}

// TestAuditsOfDirectMessages loses a DM silently among three hundred, all active within the window, more than a round of
// audits can ask. They take turns, so that the one whose owner was silent longest is found within one turn of all.
func TestAuditsOfDirectMessages(t *testing.T) {
	const people = 300
	var s strings.Builder
	fmt.Fprintf(&s, "title audits of many DMs\ntrace brief\nset no-audit off\nset policy.everyone off\n")
	for n := 1; n <= people; n += 50 {
		s.WriteString("user")
		for i := n; i < n+50; i++ {
			fmt.Fprintf(&s, " u%d", i)
		}
		s.WriteString("\n")
	}
	s.WriteString("guild home with #general\nset policy.users u1 u2\nstart\nwait until connected\n")
	for n := 1; n <= people; n++ {
		fmt.Fprintf(&s, "u%d in @u%d: A%d hello\n", n, n, n)
	}
	fmt.Fprintf(&s, `wait 31m
u1 in @u1 silently: M1 are you there?
wait 20m
u2 in #general: B1 @bot the first of three
u2 in #general silently: M2 @bot the second of three
u2 in #general: B3 @bot the third of three
wait 30m
expect dispatched M1 M2 B1 B3 once
expect recovered M1 M2
expect within 20m M1 M2
`)
	perform(t, s.String())
}
