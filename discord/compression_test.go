package discord_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"gapless/discord"
)

// deflater is one zlib-stream, as a server writes it.
type deflater struct {
	buf bytes.Buffer
	z   *zlib.Writer
}

func (d *deflater) add(text string) []byte {
	if d.z == nil {
		d.z = zlib.NewWriter(&d.buf)
	}
	_, _ = d.z.Write([]byte(text))
	_ = d.z.Flush()
	out := bytes.Clone(d.buf.Bytes())
	d.buf.Reset()
	return out
}

func TestInflaterKeepsPayloadsApart(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var d deflater
	in := discord.NewInflater(64 << 20)
	for i := range 200 {
		size := []int{1, 17, 1 << 15, 1<<15 - 1, 1 << 16, 1 << 19}[i%6]
		if i > 12 {
			size = random.IntN(5000) + 1
		}
		noise := make([]byte, size)
		for j := range noise {
			noise[j] = "abcdefgh"[random.IntN(1+i%8)]
		}
		packed := d.add(string(noise))
		if cut := random.IntN(len(packed)); i%3 == 0 && !bytes.HasSuffix(packed[:cut], []byte{0, 0, 0xff, 0xff}) {
			if got, err := in.Add(packed[:cut]); got != nil || err != nil {
				t.Fatalf("payload %d: half of it gave %d bytes, %v", i, len(got), err)
			}
			packed = packed[cut:]
		}
		got, err := in.Add(packed)
		if err != nil || !bytes.Equal(got, noise) {
			t.Fatalf("payload %d of %d bytes: %d came out, %v", i, size, len(got), err)
		}
	}
}

func TestInflaterRefuses(t *testing.T) {
	var d deflater
	if got, err := discord.NewInflater(1000).Add(d.add(strings.Repeat("a", 1<<20))); err == nil {
		t.Errorf("a megabyte passed a limit of a kilobyte: %d", len(got))
	}
	if _, err := discord.NewInflater(1000).Add([]byte("plain\x00\x00\xff\xff")); err == nil {
		t.Error("what is no zlib was taken")
	}
	if _, err := discord.NewInflater(1000).Add(make([]byte, 2000)); err == nil {
		t.Error("a payload without end was collected past the limit")
	}
}

func TestCompressedSession(t *testing.T) {
	for name, packed := range map[string]bool{"zlib-stream": true, "the server does not compress": false} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				session := func(first bool) script {
					return func(p *peer) {
						if packed {
							p.stream = &deflater{}
						}
						if !first {
							p.resume("s1", 3)
							p.resumed(4)
							p.stay()
							return
						}
						p.begin("s1")
						p.message(2)
						p.event(3, "GUILD_CREATE", `{"id":"5","name":"`+strings.Repeat("long ", 1<<16)+`"}`)
						time.Sleep(time.Minute)
					}
				}
				r := start(t, newFakeGateway(t, session(true), session(false)), &store{}, func(c *discord.GatewayConfig) { c.Uncompressed = false })
				settle(2 * time.Minute)
				r.want(t, "began M2 guild_seen resumed")
				if q := r.fake.connections()[0].query; !strings.Contains(q, "compress=zlib-stream") || !strings.Contains(q, "v=10") {
					t.Errorf("asked for %s", q)
				}
			})
		})
	}
}

func TestSinglyCompressedPayloads(t *testing.T) { // protocol A21: legal without being asked for
	play(t, func(t *testing.T, r *rig) {
		settle(time.Second)
		r.want(t, "began M2")
	}, func(p *peer) {
		p.begin("s1")
		var buf bytes.Buffer
		z := zlib.NewWriter(&buf)
		_, _ = z.Write([]byte(`{"op":0,"t":"MESSAGE_CREATE","s":2,"d":{"id":"2","channel_id":"7","author":{"id":"4"},"content":""}}`))
		_ = z.Close()
		_ = p.ws.Write(context.Background(), websocket.MessageBinary, buf.Bytes())
		p.stay()
	})
}

func TestBrokenStreamIsLeft(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := start(t, newFakeGateway(t, func(p *peer) {
			p.stream = &deflater{}
			p.begin("s1")
			time.Sleep(time.Minute)
			_ = p.ws.Write(context.Background(), websocket.MessageBinary, []byte("nonsense\x00\x00\xff\xff"))
			p.stay()
		}, func(p *peer) {
			p.resume("s1", 1)
			p.resumed(2)
			p.stay()
		}), &store{}, func(c *discord.GatewayConfig) { c.Uncompressed = false })
		settle(2 * time.Minute)
		r.want(t, "began resumed")
	})
}
