package wire

import (
	"encoding/json"
	"errors"
	"runtime"
	"time"

	"gapless"
)

// Ready is what READY says of the new session (protocol A8).
type Ready struct {
	Session   string
	ResumeURL string
	Self      gapless.User
	Guilds    []gapless.GuildID
	Flags     int // of the application, protocol A8
}

var errReady = errors.New("read READY: no session in it")

// Ready reads the payload of READY. The error says that there is no session id or no own user in it.
func (f Frame) Ready() (Ready, error) {
	var d struct {
		Session     word            `json:"session_id"`
		Resume      word            `json:"resume_gateway_url"`
		User        rawUser         `json:"user"`
		Guilds      json.RawMessage `json:"guilds"`
		Application json.RawMessage `json:"application"`
	}
	if !read(f.Data, &d) || d.Session == "" || d.User.ID == 0 {
		return Ready{}, errReady
	}
	var app struct {
		Flags number `json:"flags"`
	}
	read(d.Application, &app)
	return Ready{
		Session: string(d.Session), ResumeURL: string(d.Resume), Self: d.User.user(),
		Guilds: idsOf[gapless.GuildID](d.Guilds), Flags: app.Flags.value,
	}, nil
}

// HeartbeatInterval is what Hello asks for, or zero if it cannot be read.
func (f Frame) HeartbeatInterval() time.Duration {
	var d struct {
		Interval float64 `json:"heartbeat_interval"`
	}
	read(f.Data, &d)
	return time.Duration(d.Interval * float64(time.Millisecond))
}

// Resumable is the payload of Invalid Session: whether the session may be resumed. Anything but true is no.
func (f Frame) Resumable() bool { return string(f.Data) == "true" }

// Identify is what begins a session (protocol A6).
type Identify struct {
	Token   string
	Intents int
	Shard   int
	Shards  int // zero: the connection is not sharded
}

// Frame is the op 2 payload.
func (i Identify) Frame() []byte {
	d := map[string]any{
		"token": i.Token, "intents": i.Intents,
		"properties": map[string]string{"os": runtime.GOOS, "browser": "gapless", "device": "gapless"},
	}
	if i.Shards > 0 {
		d["shard"] = [2]int{i.Shard, i.Shards}
	}
	return encode(map[string]any{"op": OpIdentify, "d": d})
}

// ResumeFrame is the op 6 payload (protocol A10).
func ResumeFrame(token, session string, seq int64) []byte {
	return encode(map[string]any{"op": OpResume, "d": map[string]any{"token": token, "session_id": session, "seq": seq}})
}

// HeartbeatFrame is the op 1 payload; a sequence of zero is none and goes out as null (protocol A5).
func HeartbeatFrame(seq int64) []byte {
	var d any
	if seq > 0 {
		d = seq
	}
	return encode(map[string]any{"op": OpHeartbeat, "d": d})
}

// encode writes a payload made of maps, strings and numbers, which always succeeds.
func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic("wire: payload cannot be written: " + err.Error())
	}
	return b
}
