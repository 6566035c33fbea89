package main

import (
	"fmt"
	"strings"
	"time"
)

// notice is what a place is told of an outage; Discord shows each reader the
// times in the reader's own zone.
func notice(text string) func(from, to time.Time) string {
	return func(from, to time.Time) string {
		return strings.NewReplacer("{from}", moment(from), "{to}", moment(to)).Replace(text)
	}
}

// moment is a time as Discord's messages mark it.
func moment(t time.Time) string { return fmt.Sprintf("<t:%d:f>", t.Unix()) }
