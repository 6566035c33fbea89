package wire_test

import (
	"testing"
	"time"

	"gapless"
	"gapless/internal/wire"
)

func TestParseFrameEnvelope(t *testing.T) {
	for name, c := range map[string]struct {
		in    string
		op    wire.Op
		typ   string
		seq   int64
		whole bool
	}{
		"hello":                      {`{"op":10,"d":{"heartbeat_interval":41250},"s":null,"t":null}`, wire.OpHello, "", 0, true},
		"dispatch":                   {`{"t":"RESUMED","s":7,"op":0,"d":{}}`, wire.OpDispatch, "RESUMED", 7, true},
		"payload is broken (C142)":   {`{"t":"MESSAGE_CREATE","s":7,"op":0,"d":{"id":}}`, wire.OpDispatch, "MESSAGE_CREATE", 7, false},
		"payload broken, s behind":   {`{"op":0,"d":{"id":"a\"b","x":nope},"s":12,"t":"MESSAGE_CREATE"}`, wire.OpDispatch, "MESSAGE_CREATE", 12, false},
		"cut off in the payload":     {`{"t":"MESSAGE_CREATE","s":7,"op":0,"d":{"id":"1","content":"ab`, wire.OpDispatch, "MESSAGE_CREATE", 7, false},
		"payload speaks of op and s": {`{"d":{"op":5,"s":99,"t":"X"},"op":0,"s":3,"t":"Y"}`, wire.OpDispatch, "Y", 3, true},
		"broken, speaks of op and s": {`{"d":{"op":5,"s":99,"t":"X",},"op":0,"s":3,"t":"Y"}`, wire.OpDispatch, "Y", 3, false},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := wire.ParseFrame([]byte(c.in))
			if err != nil {
				t.Fatal(err)
			}
			if f.Op != c.op || f.Type != c.typ || f.Seq != c.seq || f.Whole != c.whole {
				t.Errorf("got op %d, t %q, s %d, whole %t", f.Op, f.Type, f.Seq, f.Whole)
			}
		})
	}
}

func TestParseFrameRefusesWhatIsNoFrame(t *testing.T) {
	for _, in := range []string{"", "[]", "hello", `{"d":1}`, `<html>`} {
		if f, err := wire.ParseFrame([]byte(in)); err == nil {
			t.Errorf("%q was read as %+v", in, f)
		}
	}
}

func TestHello(t *testing.T) {
	f, err := wire.ParseFrame([]byte(`{"op":10,"d":{"heartbeat_interval":41250,"_trace":["x"]}}`))
	if err != nil || f.HeartbeatInterval() != 41250*time.Millisecond {
		t.Errorf("interval %s, %v", f.HeartbeatInterval(), err)
	}
}

func TestInvalidSession(t *testing.T) {
	for in, want := range map[string]bool{`{"op":9,"d":true}`: true, `{"op":9,"d":false}`: false, `{"op":9,"d":null}`: false} {
		if f, err := wire.ParseFrame([]byte(in)); err != nil || f.Resumable() != want {
			t.Errorf("%s: resumable %t, %v", in, f.Resumable(), err)
		}
	}
}

func TestReady(t *testing.T) {
	f := dispatch(t, "READY", `{"v":10,"user":{"id":"11","username":"bot","bot":true},"session_id":"abc",
		"resume_gateway_url":"wss://resume.discord.gg","guilds":[{"id":"5","unavailable":true},{"id":6}],
		"application":{"id":"11","flags":262144}}`)
	r, err := f.Ready()
	if err != nil {
		t.Fatal(err)
	}
	if r.Session != "abc" || r.ResumeURL != "wss://resume.discord.gg" || r.Flags != 1<<18 || r.Self.ID != 11 || !r.Self.Bot {
		t.Errorf("read %+v", r)
	}
	e := only(t, f)
	if e.Kind != gapless.SessionBegan || e.Self.Name != "bot" || len(e.Guilds) != 2 || e.Guilds[1] != 6 {
		t.Errorf("event %+v", e)
	}
	if _, err := dispatch(t, "READY", `{"user":{"id":"11"}}`).Ready(); err == nil {
		t.Error("a READY without session id was accepted")
	}
}

func TestOutgoingFrames(t *testing.T) {
	for got, want := range map[string]string{
		string(wire.HeartbeatFrame(0)):          `{"d":null,"op":1}`,
		string(wire.HeartbeatFrame(7)):          `{"d":7,"op":1}`,
		string(wire.ResumeFrame("tk", "se", 9)): `{"d":{"seq":9,"session_id":"se","token":"tk"},"op":6}`,
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
