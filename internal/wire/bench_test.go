package wire_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"gapless"
	"gapless/internal/wire"
)

// The frames that come by the thousand, and the largest that comes.
var (
	createFrame = messageFrame(825)
	guildFrame  = guildCreateFrame(500)
)

// messageFrame is a MESSAGE_CREATE of a size that is usual.
func messageFrame(size int) []byte {
	const head = `{"t":"MESSAGE_CREATE","s":4711,"op":0,"d":{"type":0,"tts":false,"timestamp":"2026-01-02T12:00:00.000000+00:00",` +
		`"pinned":false,"nonce":"1400000000000000077","mentions":[{"username":"helper","id":"1400000000000000001","bot":true}],` +
		`"mention_roles":[],"mention_everyone":false,"member":{"roles":["1400000000000000009"],"nick":null,"mute":false,` +
		`"joined_at":"2025-01-02T12:00:00.000000+00:00","deaf":false},"id":"1457000000000000001","flags":0,"embeds":[],` +
		`"edited_timestamp":null,"content":"`
	const tail = `","components":[],"channel_type":0,"channel_id":"1400000000000001000","author":{"username":"ann",` +
		`"id":"1400000000000000002","global_name":"Ann","discriminator":"0","avatar":null},"attachments":[],` +
		`"guild_id":"1400000000000000003"}}`
	return []byte(head + strings.Repeat("x", size-len(head)-len(tail)) + tail)
}

func guildCreateFrame(channels int) []byte {
	var b strings.Builder
	b.WriteString(`{"t":"GUILD_CREATE","s":2,"op":0,"d":{"id":"1400000000000000003","name":"home","threads":[],"channels":[`)
	for n := range channels {
		if n > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":"14000000000000%05d","type":0,"name":"channel-%d","position":%d,"parent_id":"1400000000000000004",`+
			`"topic":"what this channel is about","nsfw":false,"rate_limit_per_user":0,"last_message_id":"1457000000000%06d",`+
			`"permission_overwrites":[{"id":"1400000000000000003","type":0,"allow":"0","deny":"1024"}]}`, n, n, n, n)
	}
	b.WriteString(`],"joined_at":"2025-01-02T12:00:00.000000+00:00","member_count":5}}`)
	return []byte(b.String())
}

// BenchmarkDecode reads a frame into its event, beside a plain partial decoding
// of the same frame with encoding/json.
func BenchmarkDecode(b *testing.B) {
	for name, frame := range map[string][]byte{"message": createFrame, "guild of 500": guildFrame} {
		b.Run(name+"/wire", func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(frame)))
			for b.Loop() {
				f, err := wire.ParseFrame(frame)
				if err != nil || len(f.Events(gapless.OriginLive, at)) != 1 {
					b.Fatal("the frame was not understood")
				}
			}
		})
		b.Run(name+"/encoding-json", func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(frame)))
			for b.Loop() {
				if err := plainly(frame); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// plainly decodes what admission and coverage need, as one would first write it.
func plainly(frame []byte) error {
	var f struct {
		Type string          `json:"t"`
		Seq  int64           `json:"s"`
		Op   int             `json:"op"`
		Data json.RawMessage `json:"d"`
	}
	if err := json.Unmarshal(frame, &f); err != nil {
		return err
	}
	type id struct {
		ID string `json:"id"`
	}
	var d struct {
		ID       string `json:"id"`
		Channel  string `json:"channel_id"`
		Guild    string `json:"guild_id"`
		Type     int    `json:"type"`
		Flags    int    `json:"flags"`
		Content  string `json:"content"`
		Mentions []id   `json:"mentions"`
		Author   id     `json:"author"`
		Channels []struct {
			ID     string `json:"id"`
			Type   int    `json:"type"`
			Name   string `json:"name"`
			Parent string `json:"parent_id"`
			Last   string `json:"last_message_id"`
		} `json:"channels"`
	}
	return json.Unmarshal(f.Data, &d)
}
