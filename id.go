package gapless

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// ID is a Discord snowflake: 42 bits of milliseconds since 2015, then worker,
// process and increment (protocol D1). K only tells the kinds apart, so that a
// channel id cannot be passed as a message id. The zero ID means "none".
//
// Ids order by millisecond; inside a few milliseconds the order across
// Discord's workers is arbitrary, so no rule may take "lower" for "earlier"
// within [Overlap].
type ID[K any] uint64

type (
	messageKind struct{}
	channelKind struct{}
	guildKind   struct{}
	userKind    struct{}
	roleKind    struct{}
)

// The kinds of id. Conversions between them are spelled out where Discord
// itself shares an id, as a thread does with its starter message.
type (
	// MessageID names a message, and marks a position in a place's history.
	MessageID = ID[messageKind]
	// ChannelID names a place: a channel, thread, DM or voice chat.
	ChannelID = ID[channelKind]
	// GuildID names a guild; zero is a DM.
	GuildID = ID[guildKind]
	// UserID names a user, bot or webhook.
	UserID = ID[userKind]
	// RoleID names a role.
	RoleID = ID[roleKind]
)

// Discord's epoch, 2015-01-01T00:00:00Z, in Unix milliseconds (protocol D1).
const discordEpoch = 1420070400000

const timestampShift = 22

// ParseID reads a snowflake written in decimal, as Discord sends it.
func ParseID[T ~uint64](s string) (T, error) {
	n, err := strconv.ParseUint(strings.TrimSpace(s), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("read id %q: not a snowflake", s)
	}
	return T(n), nil
}

// At is the lowest id that can be minted in the millisecond of t; every id of
// an earlier millisecond is below it. Instants before Discord's epoch give 0
// (C98).
func At[T ~uint64](t time.Time) T {
	ms := t.UnixMilli() - discordEpoch
	if ms <= 0 {
		return 0
	}
	return T(uint64(ms) << timestampShift)
}

// Time is the instant at which the id was minted, to the millisecond, in UTC.
func (id ID[K]) Time() time.Time {
	return time.UnixMilli(int64(id>>timestampShift) + discordEpoch).UTC()
}

// Less is the id d of snowflake time earlier, never below zero.
func (id ID[K]) Less(d time.Duration) ID[K] {
	step := ID[K](uint64(d.Milliseconds()) << timestampShift)
	if id < step {
		return 0
	}
	return id - step
}

// String is the id in decimal.
func (id ID[K]) String() string { return strconv.FormatUint(uint64(id), 10) }

// MarshalText writes the id in decimal, as Discord does.
func (id ID[K]) MarshalText() ([]byte, error) {
	return strconv.AppendUint(nil, uint64(id), 10), nil
}

// UnmarshalText reads the id in decimal.
func (id *ID[K]) UnmarshalText(b []byte) error {
	n, err := ParseID[ID[K]](string(b))
	if err != nil {
		return err
	}
	*id = n
	return nil
}

// UnmarshalJSON reads a string, an integer (protocol F15 of the incidents:
// Discord sends both) or null, which leaves the id as it was.
func (id *ID[K]) UnmarshalJSON(b []byte) error {
	s := string(b)
	if s == "null" {
		return nil
	}
	return id.UnmarshalText([]byte(strings.Trim(s, `"`)))
}
