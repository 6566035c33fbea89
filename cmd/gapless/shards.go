package main

import (
	"fmt"
	"slices"

	"gapless"
)

// inUse leaves out the rows of shards that there are no longer.
func inUse(all []gapless.SessionStatus) []gapless.SessionStatus {
	return slices.DeleteFunc(all, func(s gapless.SessionStatus) bool { return s.Shard >= max(s.Shards, 1) })
}

// sessionTitle is what a row of the status calls a session.
func sessionTitle(s gapless.SessionStatus) string {
	if s.Shards < 2 {
		return "session"
	}
	return fmt.Sprintf("shard %d of %d", s.Shard, s.Shards)
}
