package scenario_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestManyChannelsCloseAsFastAsAllowed misses messages in a thousand channels: a page each, fifty requests a second in
// all. The twentieth second's worth begins after nineteen, and takes the four readers a little more than half a second;
// 1.05 times that is allowed, and no 429.
func TestManyChannelsCloseAsFastAsAllowed(t *testing.T) {
	const channels = 1000
	var s strings.Builder
	fmt.Fprintf(&s, `title many channels at once
trace brief
guild home
channel #c1..#c%[1]d in home
user bob
set budget.examined 1000000
set budget.calls 5000
start
wait until connected
wait 1m
kill
wait 10m
`, channels)
	for n := 1; n <= channels; n++ {
		fmt.Fprintf(&s, "bob in #c%d: N%d nothing that concerns the bot\n", n, n)
	}
	fmt.Fprintf(&s, `wait 1m
mark back
start
wait until connected
wait until nothing is owed within 20500ms
expect calls GET messages = %d since back
expect statuses 429 = 0
`, channels)
	perform(t, s.String())
}
