package wire_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"gapless"
	"gapless/internal/wire"
)

// seeds are frames of every kind of JSON and of what only looks like it.
var seeds = []string{
	`{"op":0,"s":3,"t":"MESSAGE_CREATE","d":{"id":"1","channel_id":"2","author":{"id":"3"},"content":"x"}}`,
	" {\t\"op\" : 0 , \"t\" :\n\"X\" , \"d\" : [ 1 , -2.5e+7 , true , false , null , { } , [ ] ] } \r\n",
	`{"op":0,"t":"\u004dESSAGE_CREATE","\u0064":{"id":"\ud83d\ude00\\\/\b\f\n\r\t"}}`,
	`{"op":0,"d":"control ` + "\x01" + `"}`, `{"op":0,"d":"\x"}`, `{"op":0,"d":"\u12g4"}`, `{"op":0,"d":"\"}`,
	`{"op":0,"d":01}`, `{"op":0,"d":-}`, `{"op":0,"d":1.}`, `{"op":0,"d":.5}`, `{"op":0,"d":1e}`, `{"op":0,"d":+1}`, `{"op":0,"d":-0.0E-1}`,
	`{"op":0,"d":tru}`, `{"op":0,"d":nul`, `{"op":0,}`, `{"op":0,"d"}`, `{"op":0 "d":1}`, `{,}`, `{op:0}`, `{"op":0,"d":[1,]}`, `{"op":0,"d":[,1]}`,
	`{"op":0} {}`, `{"op":0}x`, `[{"op":0}]`, `{"op":0,"d":"` + strings.Repeat("a", 17) + `"` + `}`, `{"op":0,"op":1}`, "{\"op\":0,\"d\":\"\xff\xfe eight bytes and more\"}",
	`{"op":0,"d":"12345678\"12345678\\"}`, `{"op":0,"d":{"a":{"b":[{"c":[]}]}}}`, `{"op":0,"d":[}`, `{"op":0,"d":{]}}`, `{`, `{"`, `{"op`, `{"op"`, `{"op":`,
}

func TestWholeFramesAreThoseOfEncodingJSON(t *testing.T) {
	for _, seed := range seeds {
		compare(t, []byte(seed))
	}
}

func FuzzWalk(f *testing.F) {
	for _, seed := range seeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(compare)
}

// compare reads a frame in both ways.
func compare(t *testing.T, b []byte) {
	var theirs map[string]json.RawMessage
	object := bytes.HasPrefix(bytes.TrimLeft(b, " \t\r\n"), []byte("{")) && json.Unmarshal(b, &theirs) == nil
	f, err := wire.ParseFrame(b)
	if !object {
		if err == nil && f.Whole {
			t.Errorf("%q is no JSON object and was taken for one", b)
		}
		return
	}
	if err != nil {
		return // no opcode in it
	}
	var typ string
	_ = json.Unmarshal(theirs["t"], &typ)
	if !f.Whole || !bytes.Equal(f.Data, theirs["d"]) || f.Type != typ {
		t.Errorf("%q was read as whole %t, t %q, d %q; encoding/json has t %q, d %q", b, f.Whole, f.Type, f.Data, typ, theirs["d"])
	}
	f.Events(gapless.OriginLive, at) // must not panic, whatever it holds
}

func TestDeepNestingIsRefused(t *testing.T) {
	deep := func(n int) []byte {
		return []byte(`{"op":0,"d":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}`)
	}
	if f, err := wire.ParseFrame(deep(9000)); err != nil || !f.Whole {
		t.Errorf("9000 levels: whole %t, %v", f.Whole, err)
	}
	if f, _ := wire.ParseFrame(deep(11000)); f.Whole {
		t.Error("11000 levels were followed")
	}
}
