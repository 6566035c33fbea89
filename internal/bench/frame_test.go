//go:build linux

package bench_test

import (
	"bytes"
	"fmt"
	"strconv"
	"testing"
	"time"

	"gapless"
)

// The world of every benchmark: one guild, its channels, one author, one bot.
const (
	selfID   = 1400000000000000001
	annID    = 1400000000000000002
	guildID  = 1400000000000000003
	channel0 = 1400000000000001000
	channels = 200

	frameSize = 825 // bytes of a MESSAGE_CREATE frame, as has been measured elsewhere (DESIGN 9)
)

// message0 is the id before the first message. It is of this minute, so that
// no message is late.
var message0 = uint64(gapless.At[gapless.MessageID](time.Now()))

// channelOf spreads messages over so many channels, one after the other.
func channelOf(n, over int64) uint64 { return channel0 + uint64(n%over) }

const (
	mentioning = `{"username":"helper","id":"1400000000000000001","bot":true}`

	afterSeq = `,"op":0,"d":{"type":0,"tts":false,"timestamp":"2026-01-02T12:00:00.000000+00:00","pinned":false,` +
		`"mentions":[`
	afterMentions = `],"mention_roles":[],"mention_everyone":false,"member":{"roles":["1400000000000000009"],"premium_since":null,` +
		`"pending":false,"nick":null,"mute":false,"joined_at":"2025-01-02T12:00:00.000000+00:00","flags":0,"deaf":false},"id":"`
	afterID      = `","flags":0,"embeds":[],"edited_timestamp":null,"content":"`
	afterContent = `","components":[],"channel_type":0,"channel_id":"`
	afterChannel = `","author":{"username":"ann","public_flags":0,"id":"1400000000000000002","global_name":"Ann","discriminator":"0",` +
		`"avatar":"0123456789abcdef0123456789abcdef"},"attachments":[],"guild_id":"1400000000000000003"}}`
)

var padding = bytes.Repeat([]byte("lorem ipsum dolor sit amet "), 20)

// appendFrame appends the payload of message n (from 1), whose sequence is seq.
// addressed says whether it mentions the bot.
func appendFrame(b []byte, n, seq int64, channel uint64, addressed bool) []byte {
	start := len(b)
	b = append(b, `{"t":"MESSAGE_CREATE","s":`...)
	b = strconv.AppendInt(b, seq, 10)
	b = append(b, afterSeq...)
	if addressed {
		b = append(b, mentioning...)
	}
	b = append(b, afterMentions...)
	b = strconv.AppendUint(b, message0+uint64(n), 10)
	b = append(b, afterID...)
	if addressed {
		b = append(b, "<@1400000000000000001> "...)
	}
	room := frameSize - (len(b) - start) - len(afterContent) - 19 - len(afterChannel)
	b = append(b, padding[:room]...)
	b = append(b, afterContent...)
	b = strconv.AppendUint(b, channel, 10)
	return append(b, afterChannel...)
}

func TestFrameSize(t *testing.T) {
	for _, addressed := range []bool{false, true} {
		for _, n := range []int64{1, 1 << 20} {
			if got := len(appendFrame(nil, n, n+2, channel0, addressed)); got != frameSize {
				t.Errorf("frame %d, addressed %t: %d bytes", n, addressed, got)
			}
		}
	}
}

func hello() []byte { return []byte(`{"t":null,"s":null,"op":10,"d":{"heartbeat_interval":3600000}}`) }

// ready is READY of a bot in so many guilds.
func ready(address string, guilds int) []byte {
	b := fmt.Appendf(nil, `{"t":"READY","s":1,"op":0,"d":{"v":10,"session_id":"s","resume_gateway_url":"%s","user":{"id":"%d",`+
		`"username":"helper","bot":true},"guilds":[`, address, selfID)
	for n := range guilds {
		if n > 0 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, `{"id":"%d","unavailable":true}`, guildID+n)
	}
	return append(b, `],"application":{"id":"1","flags":0}}}`...)
}

func guildCreate() []byte {
	b := fmt.Appendf(nil, `{"t":"GUILD_CREATE","s":2,"op":0,"d":{"id":"%d","name":"home","joined_at":"2025-01-02T12:00:00+00:00","threads":[],"channels":[`, guildID)
	for n := range int64(channels) {
		if n > 0 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, `{"id":"%d","type":0,"name":"channel","last_message_id":null}`, channelOf(n, channels))
	}
	return append(b, "]}}"...)
}
