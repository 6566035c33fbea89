package gapless

import (
	"encoding/json"
	"time"
)

// EnvelopeVersion is raised when a field changes its meaning or goes. Fields are
// added without it: a reader passes over what it does not know.
const EnvelopeVersion = 1

// Envelope is a delivery as handlers outside this process get it, in JSON. It
// is the same for every kind of handler. Discord's own payload is untouched in
// Messages[].Raw. The comments below are the descriptions in its JSON Schema,
// docs/envelope.schema.json.
type Envelope struct {
	Version   int               `json:"v"`                      // version of this shape, 1
	Delivery  DeliveryID        `json:"delivery_id"`            // names the turn's work: the id of its first message, with a suffix if an operator had it tried again
	Attempt   int               `json:"attempt"`                // which start this is, from 1; 2 or more: an earlier one may have done something
	Fence     Fence             `json:"fence"`                  // the right to this turn: answers carry it, and those with an older one are refused
	RetryOf   DeliveryID        `json:"retry_of,omitempty"`     // the delivery that an operator had tried again as this one
	Shard     int               `json:"shard"`                  // which of the bot's connections hears of the place; 0 for DMs
	Guild     GuildID           `json:"guild_id,omitzero"`      // the guild; left out for a DM
	Channel   ChannelID         `json:"channel_id"`             // the channel, thread or DM the messages stand in
	Parent    ChannelID         `json:"parent_id,omitzero"`     // a thread's channel, or a channel's category
	ChannelIs ChannelKind       `json:"channel_type"`           // Discord's number for the kind of channel
	Name      string            `json:"channel_name,omitempty"` // the channel's name, where it is known
	LateBy    float64           `json:"late_by"`                // seconds between the first message and this start
	Messages  []EnvelopeMessage `json:"messages"`               // what is to be handled, oldest first

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
	ID       MessageID       `json:"id"`                // the message's id
	Author   UserID          `json:"author_id"`         // who wrote it
	Username string          `json:"author"`            // that user's name
	Bot      bool            `json:"bot,omitempty"`     // written by a bot
	Text     string          `json:"text"`              // what was said
	SentAt   time.Time       `json:"sent_at"`           // when it was written
	Raw      json.RawMessage `json:"message,omitempty"` // Discord's payload, where it was kept
}

// EnvelopeMessage is one member of the delivery.
type EnvelopeMessage struct {
	ID        MessageID       `json:"id"`                // the message's id
	Author    UserID          `json:"author_id"`         // who wrote it
	Username  string          `json:"author"`            // that user's name
	Text      string          `json:"text"`              // what was said, as it stands after the last edit
	Origin    Origin          `json:"origin"`            // how the message came to us
	Recovered bool            `json:"recovered"`         // it was missed and read later
	Gap       GapID           `json:"gap_id,omitempty"`  // the gap it was read from
	Admitted  Ground          `json:"admitted_on"`       // why it is for the bot
	SentAt    time.Time       `json:"sent_at"`           // when it was written
	FirstSeen time.Time       `json:"first_seen"`        // when it was stored
	Raw       json.RawMessage `json:"message,omitempty"` // Discord's payload, untouched; left out only where a source had none
}

// NewEnvelope describes the delivery as handed over at now.
func NewEnvelope(d *Delivery, now time.Time) Envelope {
	e := Envelope{
		Version: EnvelopeVersion, Delivery: d.ID, Attempt: d.Attempt, Fence: d.Fence, RetryOf: d.RetryOf, Shard: d.Brief.Shard,
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
	e.Messages = make([]EnvelopeMessage, 0, len(d.Messages))
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
