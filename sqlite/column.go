package sqlite

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"gapless"
)

// stamp is an instant as a column holds it: nanoseconds since 1970, zero for none.
func stamp(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

// instant reads a stamp.
func instant(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}

// body is what a message says as the body column holds it: everything but id,
// place and raw JSON. Its keys are stored, so they stay.
type body struct {
	Guild        uint64   `json:"g,omitempty"`
	Author       uint64   `json:"a,omitempty"`
	Name         string   `json:"an,omitempty"`
	Bot          bool     `json:"ab,omitempty"`
	System       bool     `json:"as,omitempty"`
	Webhook      uint64   `json:"w,omitempty"`
	Type         int      `json:"t,omitempty"`
	Flags        int      `json:"f,omitempty"`
	Text         string   `json:"x,omitempty"`
	Forwarded    int      `json:"fw,omitempty"`
	Attachments  int      `json:"at,omitempty"`
	Mentions     []uint64 `json:"m,omitempty"`
	MentionBots  []uint64 `json:"mb,omitempty"`
	Roles        []uint64 `json:"ro,omitzero"` // none are not the same as none told
	MentionRoles []uint64 `json:"mr,omitempty"`
	RefType      int      `json:"rt,omitempty"`
	RefMessage   uint64   `json:"rm,omitempty"`
	RefPlace     uint64   `json:"rp,omitempty"`
	RefAuthor    uint64   `json:"ra,omitempty"`
	RefKnown     bool     `json:"rk,omitempty"`
	Nonce        string   `json:"n,omitempty"`
}

// text is a message as the columns hold it.
type text struct {
	id     gapless.MessageID
	place  gapless.ChannelID
	edited int64
	body   string
	raw    []byte
}

// textOf encodes a message, sharing nothing with it.
func textOf(m gapless.Message) (text, error) {
	b, err := json.Marshal(body{
		Guild: uint64(m.Guild), Author: uint64(m.Author.ID), Name: m.Author.Name, Bot: m.Author.Bot, System: m.Author.System,
		Webhook: uint64(m.Webhook), Type: m.Type, Flags: m.Flags, Text: m.Text, Forwarded: m.Forwarded,
		Attachments: m.Attachments, Roles: convert[uint64](m.Roles),
		Mentions: convert[uint64](m.Mentions), MentionBots: convert[uint64](m.MentionBots), MentionRoles: convert[uint64](m.MentionRoles),
		RefType: m.Reference.Type, RefMessage: uint64(m.Reference.Message), RefPlace: uint64(m.Reference.Place),
		RefAuthor: uint64(m.Reference.Author), RefKnown: m.Reference.Known, Nonce: m.Nonce,
	})
	if err != nil {
		return text{}, fmt.Errorf("encode message %s: %w", m.ID, err)
	}
	return text{id: m.ID, place: m.Place, edited: stamp(m.EditedAt), body: string(b), raw: append([]byte(nil), m.Raw...)}, nil
}

// message decodes the columns. An empty body is a message whose text is gone.
func (t text) message() (gapless.Message, error) {
	m := gapless.Message{ID: t.id, Place: t.place}
	if t.body == "" {
		return m, nil
	}
	var b body
	if err := json.Unmarshal([]byte(t.body), &b); err != nil {
		return m, fmt.Errorf("decode message %s: %w", t.id, err)
	}
	m.Guild, m.Webhook, m.EditedAt, m.Raw = gapless.GuildID(b.Guild), gapless.UserID(b.Webhook), instant(t.edited), t.raw
	m.Author = gapless.User{ID: gapless.UserID(b.Author), Name: b.Name, Bot: b.Bot, System: b.System}
	m.Type, m.Flags, m.Text, m.Forwarded, m.Attachments, m.Nonce = b.Type, b.Flags, b.Text, b.Forwarded, b.Attachments, b.Nonce
	m.Mentions, m.MentionBots = convert[gapless.UserID](b.Mentions), convert[gapless.UserID](b.MentionBots)
	m.MentionRoles, m.Roles = convert[gapless.RoleID](b.MentionRoles), convert[gapless.RoleID](b.Roles)
	m.Reference = gapless.Reference{
		Type: b.RefType, Message: gapless.MessageID(b.RefMessage), Place: gapless.ChannelID(b.RefPlace),
		Author: gapless.UserID(b.RefAuthor), Known: b.RefKnown,
	}
	return m, nil
}

// convert copies a list of ids from one type to another; nil stays nil, and
// empty stays empty.
func convert[T, F ~uint64](from []F) (to []T) {
	if from != nil {
		to = make([]T, 0, len(from))
	}
	for _, id := range from {
		to = append(to, T(id))
	}
	return to
}

// join writes ids with a comma between.
func join(ids []gapless.MessageID) string {
	var b strings.Builder
	for i, id := range ids {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(id.String())
	}
	return b.String()
}

// split reads what join wrote.
func split(s string) (ids []gapless.MessageID, err error) {
	if s == "" {
		return nil, nil
	}
	for part := range strings.SplitSeq(s, ",") {
		n, err := strconv.ParseUint(part, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("decode members %q: %w", s, err)
		}
		ids = append(ids, gapless.MessageID(n))
	}
	return ids, nil
}

// at scans a stamp.
func at(t *time.Time) scanned { return func(n int64) { *t = instant(n) } }

// id scans an id.
func id[T ~uint64](to *T) scanned { return func(n int64) { *to = T(n) } }
