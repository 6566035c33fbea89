package scenario_test

import (
	"strings"
	"testing"

	"gapless/internal/scenario"
)

// head is what most scripts of these tests begin with.
const head = "title x\nguild home with #general\nuser alice\n"

func TestParseRefuses(t *testing.T) {
	for _, tt := range []struct{ name, line, want string }{
		{"unknown command", "jump", `"jump" is no command and no user declared above`},
		{"missing argument", "wait", "expected a time to wait at the end of the line"},
		{"bad duration", "wait long", `expected a time to wait, a duration like 48m, 1h30m or 2d, found "long"`},
		{"too much", "wait 1m please", `expected the end of the line, found "please"`},
		{"unknown place", "alice in #ops: M1 hello", `expected a place declared above (#channel, #thread, or @user for a DM), found "#ops"`},
		{"unknown option", "alice in #general loudly: M1 hello", "expected `:` or an option of a message"},
		{"bad name of a message", "alice in #general: hello", "begins with a capital"},
		{"message of nobody", "expect dispatched M9", `expected a message declared above, found "M9"`},
		{"series of nobody", "expect dispatched M1..M3", "there is no message M1, of M1..M3"},
		{"coming message of nobody", "handler fails on M9", "nobody ever writes M9"},
		{"name twice", "user alice", "there is a place @alice already"},
		{"name that is a command", "user wait", "that is no command"},
		{"unknown setting", "set hopes high", `expected one of the settings`},
		{"bad value", "set budget.window long", `expected duration for budget.window, found "long"`},
		{"setting that names nobody", "set policy.users bob", `expected users declared above, found "bob"`},
		{"unknown kind of fault", "fault f gateway.sulks", "expected a kind of fault"},
		{"unknown key of a fault", "fault f rest.fail mood=bad", "expected KEY=VALUE with one of the keys"},
		{"bad value of a fault", "fault f rest.fail status=bad", `expected status=number, found "bad"`},
		{"fault of nobody", "lift f", `expected a fault declared above, found "f"`},
		{"bad comparison", "expect turns around 4", "expected a number of turns, a number, found \"around\""},
		{"quote without end", `expect log has "text`, "the quoted text at column 16 does not end"},
		{"repeat without end", "repeat 3", "has no end"},
		{"end without repeat", "end", "there is no repeat to end"},
		{"no mark", "expect turns = 1 since then", `expected the end of the line`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := scenario.Parse("x.txt", head+tt.line+"\n")
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("got %v, want it to say %q", err, tt.want)
			}
			if !strings.HasPrefix(err.Error(), "x.txt:4: ") {
				t.Errorf("got %v, want it to name the line", err)
			}
		})
	}
}

func TestParseTellsEveryMistake(t *testing.T) {
	_, err := scenario.Parse("x.txt", head+"jump\nwait\n")
	if err == nil || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("got %v, want two mistakes", err)
	}
}

func TestParseReads(t *testing.T) {
	for _, tt := range []struct{ name, line string }{
		{"a comment behind a command", "wait 1m # for the bell"},
		{"a channel is no comment", "deny bot view history in #general"},
		{"text to the end of the line", "alice in #general: M1 @bot # this: is \"text\""},
		{"options", "alice in #general every 2s silently type 7 with a.png: M1..M3 hello"},
		{"a field", `alice in #general field components "[{\"type\":9999}]": M1 hello`},
		{"a list setting", "set policy.users alice"},
		{"an empty list setting", "set policy.free"},
		{"a fault", "fault f rest.fail status=503 route=messages channel=#general count=2 for=1m html=on"},
		{"a handler that speaks of what comes", "handler fails 2 times on M1\nalice in #general: M1 hello"},
		{"parts and a place", "handler answers in 3 parts in #general"},
		{"a second process", "start second\nstop second"},
		{"a pass", "expect pass last state=partial remainder=1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := scenario.Parse("x.txt", head+tt.line+"\n"); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestTraceStandsBelowTheScript(t *testing.T) {
	s, err := scenario.Parse("x.txt", head)
	if err != nil {
		t.Fatal(err)
	}
	again, err := scenario.Parse("x.txt", s.Format("one\ntwo\n"))
	if err != nil {
		t.Fatal(err)
	}
	if !again.Traced || again.Trace != "one\ntwo\n" || s.Traced {
		t.Errorf("got trace %q", again.Trace)
	}
	if got := again.Format("three\n"); got != s.Format("three\n") {
		t.Errorf("a new trace must replace the old one, got %q", got)
	}
}
