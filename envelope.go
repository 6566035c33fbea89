package gapless

import (
	"encoding/json"
	"time"
)

// EnvelopeVersion is raised when a field changes its meaning or goes.
const EnvelopeVersion = 1

// Envelope is a delivery as handlers outside this process get it, in JSON. It
// is the same for every kind of handler. Discord's own payload is untouched in
// Messages[].Raw.
type Envelope struct {
	Version   int               `json:"version"`
	Delivery  DeliveryID        `json:"delivery_id"`
	Attempt   int               `json:"attempt"` // from 1; 2 or more: an earlier turn may have run
	Fence     Fence             `json:"fence"`
	RetryOf   DeliveryID        `json:"retry_of,omitempty"`
	Guild     GuildID           `json:"guild_id,omitzero"`
	Channel   ChannelID         `json:"channel_id"`
	Parent    ChannelID         `json:"parent_id,omitzero"`
	ChannelIs ChannelKind       `json:"channel_type"`
	Name      string            `json:"channel_name,omitempty"`
	LateBy    float64           `json:"late_by"` // seconds since the first message was written
	Messages  []EnvelopeMessage `json:"messages"`

	// What is known beyond the messages; left out where there is nothing to say.
	AnswerIn   ChannelID         `json:"answer_in,omitzero"`    // the thread the answer goes to, if not the channel
	Late       bool              `json:"late,omitempty"`        // the answer should take into account how late it comes (C118)
	MayApprove bool              `json:"may_approve,omitempty"` // the text may be taken for the answer to a question (C71)
	RoleList   bool              `json:"role_list,omitempty"`   // a list of roles was in force for the author (S38)
	Prompt     string            `json:"prompt,omitempty"`      // what configuration says about the channel
	Context    []EnvelopeContext `json:"context,omitempty"`     // what was said before, oldest first (S49)
	Older      []EnvelopeContext `json:"older,omitempty"`       // what this turn superseded, oldest first (C120)
	Later      []EnvelopeContext `json:"later,omitempty"`       // what the author wrote since, with turns of its own to come
}

// EnvelopeContext is a message that is told but not to be handled.
type EnvelopeContext struct {
	ID       MessageID       `json:"id"`
	Author   UserID          `json:"author_id"`
	Username string          `json:"author"`
	Bot      bool            `json:"bot,omitempty"`
	Text     string          `json:"text"`
	SentAt   time.Time       `json:"sent_at"`
	Raw      json.RawMessage `json:"message,omitempty"` // Discord's payload, where it was kept
}

// EnvelopeMessage is one member of the delivery.
type EnvelopeMessage struct {
	ID        MessageID       `json:"id"`
	Author    UserID          `json:"author_id"`
	Username  string          `json:"author"`
	Text      string          `json:"text"`
	Origin    Origin          `json:"origin"`
	Recovered bool            `json:"recovered"`
	Gap       GapID           `json:"gap_id,omitempty"`
	Admitted  Ground          `json:"admitted_on"`
	SentAt    time.Time       `json:"sent_at"`
	FirstSeen time.Time       `json:"first_seen"`
	Raw       json.RawMessage `json:"message"` // Discord's payload
}

// NewEnvelope describes the delivery as handed over at now.
func NewEnvelope(d *Delivery, now time.Time) Envelope {
	e := Envelope{
		Version: EnvelopeVersion, Delivery: d.ID, Attempt: d.Attempt, Fence: d.Fence, RetryOf: d.RetryOf,
		Guild: d.Place.Guild, Channel: d.Place.ID, Parent: d.Place.Parent, ChannelIs: d.Place.Kind, Name: d.Place.Name,
		LateBy: d.LateBy(now).Seconds(),
		Late:   d.Brief.Late, MayApprove: d.Brief.MayApprove, RoleList: d.Brief.RoleList, Prompt: d.Brief.Prompt,
		Older: told(d.Brief.Older), Later: told(d.Brief.Later),
	}
	if place := d.AnswersIn(); place != d.Place.ID {
		e.AnswerIn = place
	}
	for _, m := range d.Brief.Context {
		e.Context = append(e.Context, tell(m))
	}
	for _, it := range d.Messages {
		m := it.Message
		e.Messages = append(e.Messages, EnvelopeMessage{
			ID: m.ID, Author: m.Author.ID, Username: m.Author.Name, Text: m.Text,
			Origin: it.Origin, Recovered: it.Origin.Recovered(), Gap: it.Gap, Admitted: it.Ground,
			SentAt: m.ID.Time(), FirstSeen: it.FirstSeen, Raw: m.Raw,
		})
	}
	return e
}

// told is how messages that are not to be handled are shown.
func told(items []Item) (out []EnvelopeContext) {
	for _, it := range items {
		out = append(out, tell(it.Message))
	}
	return out
}

func tell(m Message) EnvelopeContext {
	return EnvelopeContext{
		ID: m.ID, Author: m.Author.ID, Username: m.Author.Name, Bot: m.Author.Bot, Text: m.Text, SentAt: m.ID.Time(), Raw: m.Raw,
	}
}
