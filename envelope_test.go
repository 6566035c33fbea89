package gapless_test

import (
	"encoding/json"
	"testing"
	"time"

	"gapless"
)

// The envelope is what handlers outside this process are written against: its
// shape changes only together with gapless.EnvelopeVersion.
const goldenEnvelope = `{
  "v": 1,
  "delivery_id": "1455945706905600007",
  "attempt": 2,
  "fence": 9,
  "retry_of": "1455945706905600001",
  "shard": 3,
  "guild_id": "1",
  "channel_id": "11",
  "parent_id": "10",
  "channel_type": 11,
  "channel_name": "help",
  "late_by": 61.5,
  "messages": [
    {
      "id": "1455945706905600007",
      "author_id": "501",
      "author": "ann",
      "text": "hello \u003c@500\u003e",
      "origin": "history",
      "recovered": true,
      "gap_id": "11-900",
      "admitted_on": "mention",
      "sent_at": "2025-12-31T15:28:26.689Z",
      "first_seen": "2026-01-02T00:00:01Z",
      "message": {
        "id": "1455945706905600007",
        "new_field": [
          1
        ]
      }
    }
  ]
}`

const smallEnvelope = `{
  "v": 1,
  "delivery_id": "5",
  "attempt": 1,
  "fence": 1,
  "shard": 0,
  "channel_id": "12",
  "channel_type": 1,
  "late_by": 0,
  "messages": []
}`

func TestEnvelopeShape(t *testing.T) {
	id := gapless.MessageID(1455945706905600007)
	full := gapless.Delivery{
		ID: "1455945706905600007", Attempt: 2, Fence: 9, RetryOf: "1455945706905600001", Brief: gapless.Brief{Shard: 3},
		Place: gapless.Place{ID: 11, Guild: 1, Parent: 10, Kind: gapless.PublicThread, Name: "help"},
		Messages: []gapless.Item{{
			Message: gapless.Message{
				ID: id, Author: gapless.User{ID: 501, Name: "ann"}, Text: "hello <@500>",
				Raw: json.RawMessage(`{"id":"1455945706905600007","new_field":[1]}`),
			},
			Origin: gapless.OriginHistory, Ground: gapless.OnMention, Gap: "11-900", FirstSeen: sec(1),
		}},
	}
	small := gapless.Delivery{ID: "5", Attempt: 1, Fence: 1, Place: direct}
	for _, c := range []struct {
		name string
		d    gapless.Delivery
		want string
	}{{"full", full, goldenEnvelope}, {"small", small, smallEnvelope}} {
		t.Run(c.name, func(t *testing.T) {
			got, err := json.MarshalIndent(gapless.NewEnvelope(&c.d, id.Time().Add(61500*time.Millisecond)), "", "  ")
			if err != nil || string(got) != c.want {
				t.Errorf("got %s, %v", got, err)
			}
		})
	}
}

// What is told beyond the messages is left out where there is nothing to say.
func TestEnvelopeTellsTheBrief(t *testing.T) {
	said := func(id gapless.MessageID) gapless.Message {
		return gapless.Message{ID: id, Author: gapless.User{ID: 501, Name: "ann"}, Text: "x", Raw: json.RawMessage(`{}`)}
	}
	d := gapless.NewTurn(gapless.Delivery{ID: "5", Place: direct, Brief: gapless.Brief{
		Late: true, MayApprove: true, RoleList: true, Prompt: "be brief",
		Context: []gapless.Message{said(1)}, Older: []gapless.Item{{Message: said(2)}}, Later: []gapless.Item{{Message: said(3)}},
	}})
	d.AnswerIn(99)
	e := gapless.NewEnvelope(d, sec(0))
	if !e.Late || !e.MayApprove || !e.RoleList || e.Prompt != "be brief" || e.AnswerIn != 99 {
		t.Errorf("told %+v", e)
	}
	for i, list := range [][]gapless.EnvelopeContext{e.Context, e.Older, e.Later} {
		if len(list) != 1 || list[0].ID != gapless.MessageID(i+1) || list[0].Username != "ann" {
			t.Errorf("list %d has %+v", i, list)
		}
	}
}

func TestOnlyReadMessagesAreRecovered(t *testing.T) {
	for origin, want := range map[gapless.Origin]bool{
		gapless.OriginLive: false, gapless.OriginReplay: false, gapless.OriginHistory: true, gapless.OriginAudit: true,
	} {
		if origin.Recovered() != want {
			t.Errorf("%s is recovered: %t", origin, !want)
		}
	}
}
