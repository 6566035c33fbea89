package wire

import (
	"encoding/json"
	"errors"
	"strconv"
)

// Op is a gateway opcode (protocol A4).
type Op int

// The opcodes a session without voice meets.
const (
	OpDispatch       Op = 0
	OpHeartbeat      Op = 1
	OpIdentify       Op = 2
	OpResume         Op = 6
	OpReconnect      Op = 7
	OpInvalidSession Op = 9
	OpHello          Op = 10
	OpHeartbeatAck   Op = 11
)

// Frame is one gateway payload: the envelope read, the payload not yet.
type Frame struct {
	Op    Op
	Type  string          // of a dispatch
	Seq   int64           // of a dispatch; zero when null or absent, as the first is 1 (protocol A14)
	Data  json.RawMessage // d as received; empty when it was cut off or is no JSON
	Whole bool            // the frame was well-formed JSON
}

var errFrame = errors.New("read gateway frame: no opcode in it")

// ParseFrame reads the envelope. If the frame is not well-formed, the envelope is looked for all the same and Whole is
// false (C142). The error says that not even an opcode was found.
func ParseFrame(b []byte) (Frame, error) {
	var op number
	var typ, seq, data []byte
	m := object(b)
	for m.next() {
		switch string(m.key) {
		case "op":
			op = numberOf(m.value)
		case "t":
			typ = m.value
		case "s":
			seq = m.value
		case "d":
			data = m.value
		}
	}
	if !m.whole {
		op, typ, seq = salvage(b)
		data = nil
	}
	if !op.known {
		return Frame{}, errFrame
	}
	f := Frame{Op: Op(op.value), Type: typeOf(typ), Data: data, Whole: m.whole}
	if n, err := strconv.ParseInt(string(seq), 10, 64); err == nil && n > 0 {
		f.Seq = n
	}
	return f, nil
}

// typeOf reads the type of a dispatch; the usual one is not made anew.
func typeOf(raw []byte) string {
	if string(raw) == `"MESSAGE_CREATE"` {
		return "MESSAGE_CREATE"
	}
	s, _ := unquote(raw)
	return s
}

// salvage looks for op, t and s at the top level of a broken frame: it follows strings and brackets, whatever stands
// between them.
func salvage(b []byte) (op number, typ, seq json.RawMessage) {
	depth, key := 0, ""
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		case c == '"':
			end := stringEnd(b, i)
			if depth == 1 && key == "t" {
				typ = b[i:min(end+1, len(b))]
			}
			if depth == 1 {
				key = string(b[i+1 : min(end, len(b))])
			}
			i = end
		case c == ',' && depth == 1:
			key = ""
		case '0' <= c && c <= '9' && depth == 1:
			end := i
			for end < len(b) && '0' <= b[end] && b[end] <= '9' {
				end++
			}
			switch key {
			case "op":
				_ = op.UnmarshalJSON(b[i:end])
			case "s":
				seq = b[i:end]
			}
			i = end - 1
		}
	}
	return op, typ, seq
}

// stringEnd is the index of the quote that ends the string begun at i.
func stringEnd(b []byte, i int) int {
	for j := i + 1; j < len(b); j++ {
		switch b[j] {
		case '\\':
			j++
		case '"':
			return j
		}
	}
	return len(b)
}
