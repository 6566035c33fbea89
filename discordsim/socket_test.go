package discordsim_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"gapless/discordsim"
)

// TestRealSocket drives a simulator on 127.0.0.1 through its control door, as a process of another language
// would, and listens with a plain client.
func TestRealSocket(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var sim discordsim.Server
	served := make(chan error, 1)
	go func() { served <- sim.Serve(ln) }()
	base := "http://" + ln.Addr().String()
	control := func(name string, in body) body {
		t.Helper()
		data, _ := json.Marshal(in)
		resp, err := http.Post(base+"/_sim/"+name, "application/json", bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var out body
		if err := json.NewDecoder(resp.Body).Decode(&out); err != nil || resp.StatusCode != 200 {
			t.Fatalf("%s: %d %v %v", name, resp.StatusCode, out, err)
		}
		return out
	}
	bot := control("bot", body{"name": "helper"})
	anna := control("user", body{"name": "anna"})
	guild := control("guild", body{"name": "home", "members": []any{bot["id"], anna["id"]}})
	text := control("channel", body{"guild": guild["id"], "name": "general"})

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	ws, _, err := websocket.Dial(ctx, "ws://"+ln.Addr().String()+"/gateway/?v=10&encoding=json", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.CloseNow()
	read := func(want string) string {
		t.Helper()
		_, data, err := ws.Read(ctx)
		if err != nil || !bytes.Contains(data, []byte(want)) {
			t.Fatalf("read %s, %v, want %s", data, err, want)
		}
		return string(data)
	}
	read("heartbeat_interval")
	identify := fmt.Sprintf(`{"op":2,"d":{"token":%q,"intents":513,"properties":{}}}`, bot["token"])
	if err := ws.Write(ctx, websocket.MessageText, []byte(identify)); err != nil {
		t.Fatal(err)
	}
	read(`"READY"`)
	read(`"GUILD_CREATE"`)
	posted := control("post", body{"user": anna["id"], "channel": text["id"], "text": "over the wire"})
	if m := read(`"MESSAGE_CREATE"`); !strings.Contains(m, posted["id"].(string)) {
		t.Errorf("message %s", m)
	}
	control("inject", body{"fault": body{"kind": "gateway.swallow", "count": 1}, "delay_ms": 5})
	control("post", body{"user": anna["id"], "channel": text["id"], "text": "swallowed"})
	control("drop", nil)
	if _, _, err := ws.Read(ctx); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("a dropped connection ended with %v", err)
	}
	resp, err := http.Get(base + "/_sim/truth")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var truth []discordsim.Message
	if err := json.NewDecoder(resp.Body).Decode(&truth); err != nil || len(truth) != 2 || !truth[1].VisibleTo(sim.Sessions()[0].Bot) {
		t.Errorf("truth %+v, %v", truth, err)
	}
	sim.Close()
	if err := <-served; !errors.Is(err, discordsim.ErrClosed) {
		t.Errorf("Serve ended with %v", err)
	}
}

func TestCompression(t *testing.T) {
	t.Run("A21_zlib_stream", func(t *testing.T) {
		play(t, nil, func(sc *scene) {
			c := sc.dial("/gateway/?v=10&encoding=json&compress=zlib-stream")
			var all bytes.Buffer
			hello := <-c.frames
			all.Write(hello)
			if !bytes.HasSuffix(hello, []byte{0, 0, 0xFF, 0xFF}) {
				t.Errorf("frame ends with % x", hello[len(hello)-4:])
			}
			c.identify(1)
			all.Write(<-c.frames)
			all.Write(<-c.frames)
			z, err := zlib.NewReader(&all)
			if err != nil {
				sc.t.Fatal(err)
			}
			text, _ := io.ReadAll(z)
			for _, want := range []string{`"op":10`, `"READY"`, `"GUILD_CREATE"`} {
				if !bytes.Contains(text, []byte(want)) {
					t.Errorf("the stream lacks %s", want)
				}
			}
		})
	})
	t.Run("A21_payloads", func(t *testing.T) {
		play(t, nil, func(sc *scene) {
			c := sc.dial("/gateway/?v=10&encoding=json")
			c.expect("op 10")
			c.identify(1, "compress", true)
			z, err := zlib.NewReader(bytes.NewReader(<-c.frames))
			if err != nil {
				sc.t.Fatal(err)
			}
			if text, _ := io.ReadAll(z); !bytes.Contains(text, []byte(`"READY"`)) {
				t.Errorf("payload %s", text)
			}
		})
	})
}

func TestMemory(t *testing.T) {
	t.Run("G61_down_cuts_and_refuses_one_dialer_only", func(t *testing.T) {
		play(t, nil, func(sc *scene) {
			mine := sc.net.Dialer()
			sc.http = mine.Client()
			c, _ := sc.ready(1)
			mine.Down(true)
			if code := c.closed(); code != -1 {
				t.Errorf("closed with %d", code)
			}
			if _, err := sc.tryDial("/gateway/?v=10"); !errors.Is(err, syscall.ECONNREFUSED) {
				t.Errorf("dial while down: %v", err)
			}
			sc.http = sc.net.Client()
			sc.dial("/gateway/?v=10").expect("op 10")
			synctest.Wait()
			if n := sc.Connected(0); n != 1 {
				t.Errorf("%d connected", n)
			}
		})
	})
	t.Run("G28_freeze_is_noticed_by_nobody_until_the_heartbeat", func(t *testing.T) {
		play(t, nil, func(sc *scene) {
			mine := sc.net.Dialer()
			sc.http = mine.Client()
			c, _ := sc.ready(allIntents)
			mine.Freeze(true)
			sc.post(sc.anna, sc.text, "stuck on the way")
			c.silent()
			if sc.Connected(0) != 1 {
				t.Error("the server noticed")
			}
			mine.Freeze(false)
			c.expect("MESSAGE_CREATE")
		})
	})
	t.Run("deadlines", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			network := discordsim.NewMemory()
			near, err := network.DialContext(t.Context(), "", "")
			if err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			_ = near.SetReadDeadline(start.Add(3 * time.Second))
			var timeout net.Error
			if _, err := near.Read(make([]byte, 1)); !errors.As(err, &timeout) || !timeout.Timeout() || time.Since(start) != 3*time.Second {
				t.Errorf("%v after %s", err, time.Since(start))
			}
			_ = network.Close()
			if _, err := near.Write([]byte("x")); !errors.Is(err, syscall.ECONNRESET) {
				t.Errorf("write after close: %v", err)
			}
		})
	})
}
