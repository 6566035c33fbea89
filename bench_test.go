package gapless_test

import (
	"strings"
	"testing"
	"time"

	"gapless"
)

// BenchmarkAdmit decides messages that come by the thousand: what is not meant
// for the bot must cost no allocation.
func BenchmarkAdmit(b *testing.B) {
	place := gapless.Place{ID: 7, Guild: 1}
	chatter := gapless.Message{
		ID: 100, Place: 7, Guild: 1, Author: gapless.User{ID: 9}, Mentions: []gapless.UserID{3, 4},
		Text: strings.Repeat("what do <@3> and <@!4> say to this? ", 12),
	}
	request := chatter
	request.Text += "<@2>"
	machine := chatter
	machine.Author.Bot = true
	for name, m := range map[string]*gapless.Message{"noise": &chatter, "bot": &machine, "request": &request} {
		b.Run(name, func(b *testing.B) {
			policy := gapless.Policy{Everyone: true}
			b.ReportAllocs()
			for b.Loop() {
				if gapless.Admit(gapless.Subject{Policy: &policy, Self: 2, Place: place, Message: m}).Admitted != (name == "request") {
					b.Fatal("decided otherwise")
				}
			}
		})
	}
}

// BenchmarkCoverage is what the coverage rules cost a message heard on a healthy
// connection, a place in an inventory after an outage, and a page read.
func BenchmarkCoverage(b *testing.B) {
	now := time.Date(2026, time.January, 2, 12, 0, 0, 0, time.UTC)
	head := gapless.At[gapless.MessageID](now.Add(-time.Hour))
	h := gapless.Horizon{
		Epoch: 1, Now: now, Window: 24 * time.Hour, Hold: 30 * time.Second, Known: true,
		Since: now.Add(-30 * time.Minute), Ended: now.Add(-time.Minute),
	}
	settled := gapless.Place{ID: 7, Guild: 1, Floor: head - 9, Verified: head, Head: head, Epoch: 1}
	b.Run("heard", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if settled.Heard(head+1, h).Change.Head != head+1 {
				b.Fatal("the head did not rise")
			}
		}
	})
	behind := h
	behind.Epoch++
	b.Run("listed with a gap", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if len(settled.Listed(head+1, behind).Gaps) != 1 {
				b.Fatal("no gap opened")
			}
		}
	})
	gap := settled.Listed(gapless.At[gapless.MessageID](now.Add(-time.Minute)), behind).Gaps[0]
	page := gapless.Reading{Begun: now}
	for n := range 100 {
		page.IDs = append(page.IDs, gap.After+1+gapless.MessageID(n))
	}
	b.Run("page of 100 read", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if gap.Read(page).After <= gap.After {
				b.Fatal("the gap did not move")
			}
		}
	})
}
