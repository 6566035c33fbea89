package main

import (
	"strings"
	"testing"

	"gapless"
)

// Each shard has its row, those that there are no longer have none.
func TestStatusShowsEachShard(t *testing.T) {
	b := botStatus{LedgerStatus: gapless.LedgerStatus{Sessions: inUse([]gapless.SessionStatus{
		{Shard: 0, Shards: 2, State: "ready", Resumable: true}, {Shard: 1, Shards: 2, State: "resuming"}, {Shard: 2, Shards: 2, State: "stopped"},
	})}}
	var out strings.Builder
	if err := printStatus(&out, b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"shard 0 of 2", "ready", "shard 1 of 2", "resuming"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the status lacks %q:\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "shard 2 of 2") {
		t.Errorf("the status shows a shard that there is no longer:\n%s", out.String())
	}
	alone := inUse([]gapless.SessionStatus{{State: "ready"}, {Shard: 1, Shards: 1}})
	if len(alone) != 1 || sessionTitle(alone[0]) != "session" {
		t.Errorf("of one shard: %+v", alone)
	}
}
