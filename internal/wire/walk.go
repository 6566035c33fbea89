package wire

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math/bits"
	"unicode/utf8"
)

// The frames that come by the thousand are walked instead of unmarshalled: each byte is looked at once, everything is
// checked as encoding/json would check it, and nothing is copied but what is kept. A fuzz test holds the two against
// each other.

// maxDepth is how deep JSON may be nested, as in encoding/json.
const maxDepth = 10000

// cursor steps over JSON.
type cursor struct {
	b []byte
	i int
}

func (c *cursor) space() {
	for c.i < len(c.b) {
		switch c.b[c.i] {
		case ' ', '\n', '\r', '\t':
			c.i++
		default:
			return
		}
	}
}

// take steps over one expected byte, white space before it included.
func (c *cursor) take(want byte) bool {
	c.space()
	if c.i < len(c.b) && c.b[c.i] == want {
		c.i++
		return true
	}
	return false
}

// value steps over one value and gives it as it stands there; nil: it is no JSON.
func (c *cursor) value(depth int) []byte {
	c.space()
	start := c.i
	if !c.skip(depth) {
		return nil
	}
	return c.b[start:c.i:c.i]
}

func (c *cursor) skip(depth int) bool {
	if c.i >= len(c.b) || depth > maxDepth {
		return false
	}
	switch c.b[c.i] {
	case '"':
		return c.text()
	case '{':
		return c.container(depth, '}')
	case '[':
		return c.container(depth, ']')
	case 't':
		return c.literal("true")
	case 'f':
		return c.literal("false")
	case 'n':
		return c.literal("null")
	}
	return c.number()
}

// container steps over an object or an array.
func (c *cursor) container(depth int, end byte) bool {
	c.i++
	if c.take(end) {
		return true
	}
	for {
		c.space()
		if end == '}' && (c.i >= len(c.b) || c.b[c.i] != '"' || !c.text() || !c.take(':')) {
			return false
		}
		c.space()
		if !c.skip(depth + 1) {
			return false
		}
		if !c.take(',') {
			return c.take(end)
		}
	}
}

func (c *cursor) literal(word string) bool {
	if len(c.b)-c.i < len(word) || string(c.b[c.i:c.i+len(word)]) != word {
		return false
	}
	c.i += len(word)
	return true
}

// text steps over a string.
func (c *cursor) text() bool {
	for c.i++; c.i < len(c.b); c.i++ {
		c.plain()
		if c.i >= len(c.b) {
			break
		}
		switch ch := c.b[c.i]; {
		case ch == '"':
			c.i++
			return true
		case ch == '\\':
			c.i++
			if !c.escape() {
				return false
			}
		case ch < ' ':
			return false
		}
	}
	return false
}

// plain steps over bytes that mean nothing in a string, eight at a time.
func (c *cursor) plain() {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	for c.i+8 <= len(c.b) {
		w := binary.LittleEndian.Uint64(c.b[c.i:])
		quote, slash := w^(ones*'"'), w^(ones*'\\')
		special := ((quote-ones)&^quote | (slash-ones)&^slash | (w-ones*' ')&^w) & high
		if special != 0 {
			c.i += bits.TrailingZeros64(special) / 8
			return
		}
		c.i += 8
	}
}

// escape leaves the cursor on the last byte of what follows a backslash.
func (c *cursor) escape() bool {
	if c.i >= len(c.b) {
		return false
	}
	switch c.b[c.i] {
	case 'b', 'f', 'n', 'r', 't', '\\', '/', '"':
		return true
	case 'u':
		for range 4 {
			c.i++
			if c.i >= len(c.b) || !hexadecimal(c.b[c.i]) {
				return false
			}
		}
		return true
	}
	return false
}

func hexadecimal(c byte) bool { return digit(c) || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F' }

func digit(c byte) bool { return '0' <= c && c <= '9' }

// number steps over a number.
func (c *cursor) number() bool {
	if c.b[c.i] == '-' {
		c.i++
	}
	switch {
	case c.i < len(c.b) && c.b[c.i] == '0':
		c.i++
	case !c.digits():
		return false
	}
	if c.i < len(c.b) && c.b[c.i] == '.' {
		c.i++
		if !c.digits() {
			return false
		}
	}
	if c.i < len(c.b) && (c.b[c.i] == 'e' || c.b[c.i] == 'E') {
		c.i++
		if c.i < len(c.b) && (c.b[c.i] == '+' || c.b[c.i] == '-') {
			c.i++
		}
		return c.digits()
	}
	return true
}

func (c *cursor) digits() bool {
	start := c.i
	for c.i < len(c.b) && digit(c.b[c.i]) {
		c.i++
	}
	return c.i > start
}

// members walks the members of an object:
//
//	for m := object(raw); m.next(); {
//		switch string(m.key) { ... m.value ... }
//	}
//
// Only if whole is true afterwards was raw an object and nothing else.
type members struct {
	cursor
	key   []byte // decoded
	value []byte // as it stands there
	more  bool
	whole bool
}

func object(raw []byte) members {
	m := members{cursor: cursor{b: raw}}
	if m.take('{') {
		m.more = true
		if m.take('}') {
			m.end()
		}
	}
	return m
}

func (m *members) next() bool {
	if !m.more {
		return false
	}
	m.more = false
	if m.space(); !m.name() || !m.take(':') {
		return false
	}
	if m.value = m.cursor.value(2); m.value == nil {
		return false
	}
	switch {
	case m.take(','):
		m.more = true
	case m.take('}'):
		m.end()
	default:
		return false
	}
	return true
}

// name reads the key. Names are short and have no escapes as a rule.
func (m *members) name() bool {
	if m.i >= len(m.b) || m.b[m.i] != '"' {
		return false
	}
	start := m.i + 1
	for i := start; i < len(m.b) && m.b[i] != '\\' && m.b[i] >= ' '; i++ {
		if m.b[i] == '"' {
			m.key, m.i = m.b[start:i], i+1
			return true
		}
	}
	if !m.text() {
		return false
	}
	m.key = unescaped(m.b[start-1 : m.i])
	return true
}

// end looks for something behind the object.
func (m *members) end() {
	m.more = false
	m.space()
	m.whole = m.i == len(m.b)
}

// elements walks the elements of an array that is known to be JSON; anything but an array has none.
type elements struct {
	cursor
	value []byte
	more  bool
}

func array(raw []byte) elements {
	e := elements{cursor: cursor{b: raw}}
	e.more = e.take('[') && !e.take(']')
	return e
}

func (e *elements) next() bool {
	if !e.more {
		return false
	}
	e.value = e.cursor.value(2)
	e.more = e.value != nil && e.take(',')
	return e.value != nil
}

// count is the number of elements of an array.
func count(raw []byte) (n int) {
	for e := array(raw); e.next(); {
		n++
	}
	return n
}

// unescaped is a checked string without its quotes, escapes undone.
func unescaped(quoted []byte) []byte {
	var s string
	_ = json.Unmarshal(quoted, &s) // it was checked
	return []byte(s)
}

// unquote reads a string value; ok is false if it is none.
func unquote(raw []byte) (s string, ok bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	if in := raw[1 : len(raw)-1]; bytes.IndexByte(in, '\\') < 0 && utf8.Valid(in) {
		return string(in), true
	}
	return s, json.Unmarshal(raw, &s) == nil
}
