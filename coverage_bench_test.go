package gapless_test

import (
	"strings"
	"testing"

	"gapless"
)

// noiseCase is something a bot hears by the thousand and is not meant for.
type noiseCase struct {
	name   string
	policy gapless.Policy
	place  gapless.Place
	text   string
	author gapless.User
	reason gapless.Reason
}

func noiseCases() []noiseCase {
	chatter := strings.Repeat("what do <@3> and <@!4> say to this? ", 12)
	someone := gapless.User{ID: 9, Name: "ann"}
	room := gapless.Place{ID: 7, Guild: 1, Name: "general"}
	long := gapless.Policy{
		Users: []gapless.UserID{9}, UserNames: []string{"Ben", "@Cleo"}, Roles: []gapless.RoleID{5},
		Allowed: gapless.PlaceList{IDs: []gapless.ChannelID{7, 8}, Names: []string{"#help"}},
		Free:    gapless.PlaceList{Names: []string{"lounge", "#garden"}}, Ignored: gapless.PlaceList{IDs: []gapless.ChannelID{6}},
		Shared: gapless.PlaceList{IDs: []gapless.ChannelID{5}}, OwnRole: true, AnswerOthers: true,
		Names: []string{"helper", "hey helper"}, Prefixes: []string{"!ask", "/ask"},
	}
	return []noiseCase{
		{"chatter", gapless.Policy{Everyone: true}, room, "good morning, everybody", someone, gapless.ReasonMention},
		{"chatter of others", gapless.Policy{Everyone: true}, room, chatter, someone, gapless.ReasonOthers},
		{"a long policy", long, room, chatter, someone, gapless.ReasonMention},
		{"another bot", gapless.Policy{Everyone: true}, room, chatter, gapless.User{ID: 9, Bot: true}, gapless.ReasonBot},
		{"own", gapless.Policy{Everyone: true}, room, chatter, gapless.User{ID: 2, Bot: true}, gapless.ReasonOwn},
		{"a stranger", gapless.Policy{Users: []gapless.UserID{8}}, room, chatter, someone, gapless.ReasonUser},
	}
}

func (c noiseCase) subject() gapless.Subject {
	m := gapless.Message{ID: 100, Place: c.place.ID, Guild: 1, Author: c.author, Text: c.text}
	if strings.Contains(c.text, "<@3>") {
		m.Mentions = []gapless.UserID{3, 4}
	}
	return gapless.Subject{Policy: &c.policy, Self: 2, OwnRoles: []gapless.RoleID{}, Place: c.place, Message: &m}
}

// What is not meant for the bot is most of what it hears: deciding that costs
// no allocation, whatever the policy has to look at.
func TestNoiseCostsNoAllocation(t *testing.T) {
	for _, c := range noiseCases() {
		t.Run(c.name, func(t *testing.T) {
			s := c.subject()
			var got gapless.Decision
			if n := testing.AllocsPerRun(100, func() { got = gapless.Admit(s) }); n != 0 {
				t.Errorf("%v allocations", n)
			}
			if got.Admitted || got.Reason != c.reason {
				t.Errorf("decided %+v, want refused for %q", got, c.reason)
			}
		})
	}
}

// BenchmarkNoise is what deciding that costs.
func BenchmarkNoise(b *testing.B) {
	for _, c := range noiseCases() {
		b.Run(c.name, func(b *testing.B) {
			s := c.subject()
			b.ReportAllocs()
			for b.Loop() {
				if gapless.Admit(s).Admitted {
					b.Fatal("admitted")
				}
			}
		})
	}
}
