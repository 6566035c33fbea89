package discordsim_test

import (
	"strings"
	"testing"
	"time"

	"gapless/discordsim"
)

func TestReplayFaults(t *testing.T) {
	create := discordsim.Match{Event: "MESSAGE_CREATE"}
	cases := []struct {
		name  string
		fault discordsim.Fault
		want  string // a, b, c were missed: 3, 4, 5; RESUMED is 6
	}{
		{"G10_omit", discordsim.Fault{Kind: discordsim.ReplayOmit, Match: create, After: 1, Count: 1}, "3 a, 5 c, 6"},
		{"G10_twice", discordsim.Fault{Kind: discordsim.ReplayTwice, Match: create, Count: 1}, "3 a, 3 a, 4 b, 5 c, 6"},
		{"G10_truncate", discordsim.Fault{Kind: discordsim.ReplayTruncate, Match: create, After: 1}, "3 a, 6, silence"},
		{"G10_reverse", discordsim.Fault{Kind: discordsim.ReplayReverse}, "5 c, 4 b, 3 a, 6"},
		{"G11_no_resumed", discordsim.Fault{Kind: discordsim.NoResumed}, "3 a, 4 b, 5 c, silence"},
		{"G12_slow", discordsim.Fault{Kind: discordsim.ReplaySlow, Delay: time.Second}, "3 a, 4 b, 5 c, 6"},
		{"G25_op_7_mid_replay", discordsim.Fault{Kind: discordsim.ReplayReconnect, Match: create, After: 1}, "3 a, op 7 null, silence"},
		{"G28_cut_mid_replay", discordsim.Fault{Kind: discordsim.ReplayCut, Match: create}, "close -1"},
	}
	t.Run("G17_damaged_on_the_way_and_whole_in_the_replay", func(t *testing.T) {
		play(t, nil, func(sc *scene) {
			c, session := sc.ready(allIntents)
			sc.inject(discordsim.Fault{Kind: discordsim.Malformed, Match: create, Count: 1})
			sc.post(sc.anna, sc.text, "a")
			c.expect("MALFORMED")
			_ = c.ws.CloseNow()
			again := sc.dial("/resume/?v=10&encoding=json")
			again.expect("op 10")
			again.resume(session, 2)
			if got := again.reading(2); got != "3 a, 4" {
				t.Errorf("replayed %s", got)
			}
		})
	})
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			play(t, nil, func(sc *scene) {
				_, session := sc.ready(allIntents)
				sc.DropConnections(0)
				for _, text := range []string{"a", "b", "c"} {
					sc.post(sc.anna, sc.text, text)
				}
				sc.inject(test.fault)
				c := sc.dial("/resume/?v=10&encoding=json")
				c.expect("op 10")
				c.resume(session, 2)
				if got := c.reading(1 + strings.Count(test.want, ", ")); got != test.want {
					t.Errorf("client saw %s, want %s", got, test.want)
				}
			})
		})
	}
}
