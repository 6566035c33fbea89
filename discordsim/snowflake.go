package discordsim

import (
	"bytes"
	"fmt"
	"strconv"
	"time"
)

// epoch is the first millisecond of 2015, the zero of Discord's ids (protocol D1).
const epoch = 1420070400000

// stampLayout is how Discord writes an instant: microseconds and a numeric offset (F79).
const stampLayout = "2006-01-02T15:04:05.000000-07:00"

// ID is a snowflake: milliseconds since 2015 in the upper 42 bits. Zero means none. In JSON it is a string of
// 17 to 19 digits, or null when zero (F77).
type ID uint64

// IDAt returns the lowest id of the millisecond t falls in. Times before Discord's epoch give zero.
func IDAt(t time.Time) ID {
	return ID(uint64(max(0, t.UnixMilli()-epoch)) << 22)
}

// ParseID reads an id from its decimal form. Anything else is an error.
func ParseID(text string) (ID, error) {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("parse id %q: %w", text, err)
	}
	return ID(n), nil
}

// Time is the millisecond the id was made in, in UTC.
func (id ID) Time() time.Time {
	return time.UnixMilli(int64(id>>22) + epoch).UTC()
}

// String is the decimal form.
func (id ID) String() string { return strconv.FormatUint(uint64(id), 10) }

// MarshalJSON writes a string, or null for zero.
func (id ID) MarshalJSON() ([]byte, error) {
	if id == 0 {
		return []byte("null"), nil
	}
	return strconv.AppendQuote(nil, id.String()), nil
}

// UnmarshalJSON reads a string, a bare number or null.
func (id *ID) UnmarshalJSON(data []byte) error {
	text := string(bytes.Trim(data, `"`))
	if text == "null" || text == "" {
		*id = 0
		return nil
	}
	parsed, err := ParseID(text)
	*id = parsed
	return err
}

func stamp(t time.Time) string { return t.UTC().Format(stampLayout) }

// stampOrNull is the form of times that may not have happened.
func stampOrNull(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return stamp(t)
}

// orNull is the form of texts that may be missing.
func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// now is Discord's clock: the host's, plus the skew a test asked for.
func (s *Server) now() time.Time { return time.Now().Add(s.Skew) }

// newID makes the next id. Ids rise strictly, also within a millisecond, unless the server has another habit. The
// caller holds s.mu.
func (s *Server) newID() ID {
	at := IDAt(s.now())
	if at < 1e16 {
		panic("discordsim: the clock stands before 2015-02; in a bubble, sleep forward first")
	}
	s.lastID = s.latest(s.lastID+1, s.jumbled(at))
	for s.world.messages[s.lastID] != nil || s.world.channels[s.lastID] != nil {
		s.lastID++
	}
	return s.lastID
}
