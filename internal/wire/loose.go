package wire

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"gapless"
)

// snowflake is an id written as a string or an integer (F15 of the incidents). What is neither reads as zero, which no
// object has, so that one odd field cannot stop a decoder.
type snowflake uint64

// UnmarshalJSON never fails.
func (s *snowflake) UnmarshalJSON(b []byte) error {
	*s = snowflakeOf(b)
	return nil
}

func snowflakeOf(b []byte) snowflake {
	b = bytes.Trim(b, `"`)
	if len(b) == 0 || !digit(b[0]) {
		return 0
	}
	n, err := strconv.ParseUint(string(b), 10, 64)
	if err != nil {
		return 0
	}
	return snowflake(n)
}

// instantOf reads an ISO 8601 time; null and anything else read as the zero time.
func instantOf(b []byte) time.Time {
	if !present(b) {
		return time.Time{}
	}
	at, err := time.Parse(time.RFC3339Nano, string(bytes.Trim(b, `"`)))
	if err != nil {
		return time.Time{}
	}
	return at
}

// word is a string or a number; anything else reads as empty.
type word string

// UnmarshalJSON never fails.
func (w *word) UnmarshalJSON(b []byte) error {
	*w = word(wordOf(b))
	return nil
}

func wordOf(b []byte) string {
	if len(b) > 0 && (b[0] == '-' || digit(b[0])) {
		return string(b)
	}
	s, _ := unquote(b)
	return s
}

// number is an integer that remembers whether it could be read.
type number struct {
	value int
	known bool
}

// UnmarshalJSON never fails.
func (n *number) UnmarshalJSON(b []byte) error {
	*n = numberOf(b)
	return nil
}

func numberOf(b []byte) number {
	if len(b) == 1 && digit(b[0]) {
		return number{value: int(b[0] - '0'), known: true}
	}
	if !present(b) {
		return number{}
	}
	v, err := strconv.ParseFloat(string(bytes.Trim(b, `"`)), 64)
	return number{value: int(v), known: err == nil}
}

// idsOf reads an array of ids or of objects that have one. Anything else has none.
func idsOf[T ~uint64](raw []byte) (out []T) {
	for e := array(raw); e.next(); {
		id := snowflakeOf(e.value)
		if e.value[0] == '{' {
			id = objectID(e.value)
		}
		if id != 0 {
			out = append(out, T(id))
		}
	}
	return out
}

// objectID is the id field of an object, or zero.
func objectID(raw []byte) (id snowflake) {
	m := object(raw)
	for m.next() {
		if string(m.key) == "id" {
			id = snowflakeOf(m.value)
		}
	}
	return id
}

// read decodes an object as far as it goes and reports whether it was one: encoding/json skips fields of the wrong
// kind and completes the rest.
func read(raw []byte, into any) bool {
	raw = bytes.TrimLeft(raw, " \t\r\n")
	if len(raw) == 0 || raw[0] != '{' || !json.Valid(raw) {
		return false
	}
	_ = json.Unmarshal(raw, into)
	return true
}

// present reports whether a field was there and not null.
func present(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// rawUser is Discord's user object.
type rawUser struct {
	ID            snowflake `json:"id"`
	Username      word      `json:"username"`
	Discriminator word      `json:"discriminator"`
	Bot           bool      `json:"bot"`
	System        bool      `json:"system"`
}

// parseUser reads a user object; ok is false when it is none.
func parseUser(raw []byte) (u rawUser, ok bool) {
	m := object(raw)
	for m.next() {
		switch string(m.key) {
		case "id":
			u.ID = snowflakeOf(m.value)
		case "username":
			u.Username = word(wordOf(m.value))
		case "discriminator":
			if string(m.value) != `"0"` {
				u.Discriminator = word(wordOf(m.value))
			}
		case "bot":
			u.Bot = yes(m.value, u.Bot)
		case "system":
			u.System = yes(m.value, u.System)
		}
	}
	if !m.whole {
		return rawUser{}, false
	}
	return u, true
}

// yes reads a boolean; what is none leaves it as it was.
func yes(raw []byte, was bool) bool {
	switch string(raw) {
	case "true":
		return true
	case "false":
		return false
	}
	return was
}

// user is the user in our words. The name of a person who still has a discriminator is unique only with it; that of a bot
// is nobody's allow-list's business.
func (u rawUser) user() gapless.User {
	name := string(u.Username)
	if strings.Trim(string(u.Discriminator), "0") != "" && name != "" && !u.Bot {
		name += "#" + string(u.Discriminator)
	}
	return gapless.User{ID: gapless.UserID(u.ID), Name: name, Bot: u.Bot, System: u.System}
}
