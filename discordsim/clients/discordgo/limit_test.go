package discordgo_test

import (
	"testing"
	"time"

	"gapless/discordsim"
	"gapless/discordsim/clients/witness"
)

// discordgo spaces reactions by 200 ms where Discord lets one through in 250, so it runs into a 429 and waits it out. A
// busy machine adds to the 200 ms what it likes, so reactions are sent until two have come that close together.
func TestReactions_come_too_fast(t *testing.T) {
	t.Parallel()
	sc := witness.NewScene(t, nil)
	s := open(t, sc)
	target := sc.Say(t, "hello").String()
	witness.Await(t, "a 429, of which discordgo used to get one right away", func() bool {
		if err := s.MessageReactionAdd(sc.Text.String(), target, "👀"); err != nil {
			t.Fatal(err)
		}
		return sc.Invalid() > 0
	})
	var at []time.Time
	for _, q := range sc.Requests() {
		if q.Method == "PUT" {
			at = append(at, q.At)
		}
	}
	for i := range len(at) - 1 {
		if gap := at[i+1].Sub(at[i]); gap < 200*time.Millisecond {
			t.Errorf("reactions %d and %d are %v apart; discordgo used to wait 200 ms", i, i+1, gap)
		}
	}
}

// Where identifies are limited as Discord limits them, op 9 soon after an identify is answered by another op 9, and that
// by another identify, until the frames of a minute are used up. Discord takes the token away after a thousand. One
// identify in a minute instead of five seconds is for busy machines, on which the first is old by the time of the op 9.
func TestOp_9_right_after_READY_makes_a_storm(t *testing.T) {
	t.Parallel()
	sc := witness.NewScene(t, &discordsim.Server{IdentifyInterval: time.Minute})
	open(t, sc)
	sc.InvalidateSessions(0, false)
	witness.Await(t, "the end of the storm", func() bool { return sc.Connections()[0].ServerClose == 4008 })
	if n := len(sc.Connections()[0].Identifies); n < 100 {
		t.Errorf("%d identifies on one connection; discordgo used to send more than a hundred", n)
	}
}
