package discordsim_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"gapless/discordsim"
)

// allIntents are GUILDS, GUILD_MESSAGES, their reactions and typing, DIRECT_MESSAGES, MESSAGE_CONTENT.
const allIntents = 1 | 1<<9 | 1<<10 | 1<<11 | 1<<12 | 1<<15

// scene is a small world: a guild with a bot, a user and a text channel.
type scene struct {
	*discordsim.Server
	t     *testing.T
	net   *discordsim.Memory
	http  *http.Client
	bot   discordsim.Bot
	anna  discordsim.ID
	guild discordsim.ID
	text  discordsim.ID
}

// play runs a test in a bubble, with a server of its own or the default one, at noon of 2 January 2026, with the scene set and served.
func play(t *testing.T, sim *discordsim.Server, script func(sc *scene)) {
	t.Helper()
	if sim == nil {
		sim = &discordsim.Server{}
	}
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)))
		net := discordsim.NewMemory()
		sc := &scene{Server: sim, t: t, net: net, http: net.Client()}
		sc.bot = sim.AddBot("helper")
		sc.anna = sim.AddUser("anna", "Anna")
		sc.guild = sim.AddGuild("home", sc.bot.ID, sc.anna)
		sc.text = sim.AddChannel(sc.guild, discordsim.Text, "general")
		served := make(chan error, 1)
		go func() { served <- sim.Serve(net) }()
		defer func() {
			sim.Close()
			if err := <-served; !errors.Is(err, discordsim.ErrClosed) {
				t.Errorf("Serve ended with %v", err)
			}
			_ = net.Close()
			sc.http.CloseIdleConnections()
		}()
		script(sc)
	})
}

// post writes a message and fails the test if it cannot.
func (sc *scene) post(author, channel discordsim.ID, text string, opts ...discordsim.PostOptions) discordsim.ID {
	sc.t.Helper()
	id, err := sc.Post(author, channel, text, opts...)
	if err != nil {
		sc.t.Fatal(err)
	}
	return id
}

// inject plants a fault and fails the test if it cannot.
func (sc *scene) inject(f discordsim.Fault) discordsim.FaultID {
	sc.t.Helper()
	id, err := sc.Inject(f)
	if err != nil {
		sc.t.Fatal(err)
	}
	return id
}

// frame is a gateway payload as a client sees it.
type frame struct {
	Op int             `json:"op"`
	S  *int64          `json:"s"`
	T  string          `json:"t"`
	D  json.RawMessage `json:"d"`
}

// get reads a field of d as text; strings without their quotes.
func (f frame) get(name string) string {
	var d map[string]json.RawMessage
	if json.Unmarshal(f.D, &d) != nil {
		return ""
	}
	return strings.Trim(string(d[name]), `"`)
}

func (f frame) has(name string) bool {
	var d map[string]json.RawMessage
	return json.Unmarshal(f.D, &d) == nil && d[name] != nil
}

// client is a raw gateway connection.
type client struct {
	sc     *scene
	ws     *websocket.Conn
	frames chan []byte
	ended  error // why frames was closed
}

func (sc *scene) dial(path string) *client {
	sc.t.Helper()
	c, err := sc.tryDial(path)
	if err != nil {
		sc.t.Fatal(err)
	}
	return c
}

func (sc *scene) tryDial(path string) (*client, error) {
	ws, resp, err := websocket.Dial(sc.t.Context(), "ws://discord.test"+path, &websocket.DialOptions{HTTPClient: sc.http})
	if resp != nil && resp.Body != nil && err != nil {
		_ = resp.Body.Close()
	}
	if err != nil {
		return nil, err
	}
	ws.SetReadLimit(-1)
	c := &client{sc: sc, ws: ws, frames: make(chan []byte, 4096)}
	sc.t.Cleanup(func() { _ = ws.CloseNow() })
	go c.read()
	return c, nil
}

func (c *client) read() {
	defer close(c.frames)
	for {
		_, data, err := c.ws.Read(context.Background())
		if err != nil {
			c.ended = err
			return
		}
		c.frames <- data
	}
}

var errSilence = errors.New("nothing came")

// next reads one payload, waiting at most ten minutes of virtual time.
func (c *client) next() frame {
	c.sc.t.Helper()
	f, err := c.tryNext(10 * time.Minute)
	if err != nil {
		c.sc.t.Fatalf("read: %v", err)
	}
	return f
}

func (c *client) tryNext(wait time.Duration) (frame, error) {
	var data []byte
	select {
	case got, open := <-c.frames:
		if !open {
			return frame{}, c.ended
		}
		data = got
	case <-time.After(wait):
		return frame{}, errSilence
	}
	var f frame
	if err := json.Unmarshal(data, &f); err != nil {
		return frame{T: "MALFORMED", D: data}, nil
	}
	return f, nil
}

// expect reads one payload and wants its event type, or "op N" for what is no dispatch.
func (c *client) expect(want string) frame {
	c.sc.t.Helper()
	f := c.next()
	got := f.T
	if f.Op != 0 {
		got = fmt.Sprintf("op %d", f.Op)
	}
	if got != want {
		c.sc.t.Fatalf("got %s %s, want %s", got, f.D, want)
	}
	return f
}

// closed reads until the connection ends and returns the close code, -1 for none.
func (c *client) closed() int {
	c.sc.t.Helper()
	for {
		if _, err := c.tryNext(10 * time.Minute); err != nil {
			return int(websocket.CloseStatus(err))
		}
	}
}

func (c *client) send(op int, d any) {
	c.sc.t.Helper()
	data, err := json.Marshal(map[string]any{"op": op, "d": d})
	if err != nil {
		c.sc.t.Fatal(err)
	}
	c.write(data)
}

func (c *client) write(data []byte) {
	c.sc.t.Helper()
	if err := c.ws.Write(c.sc.t.Context(), websocket.MessageText, data); err != nil {
		c.sc.t.Fatalf("write: %v", err)
	}
}

func (c *client) identify(intents int, more ...any) {
	d := map[string]any{"token": c.sc.bot.Token, "intents": intents, "properties": map[string]string{"os": "linux"}}
	for i := 0; i < len(more); i += 2 {
		d[more[i].(string)] = more[i+1]
	}
	c.send(2, d)
}

// resume asks for a session from a sequence on.
func (c *client) resume(session string, seq int64) {
	c.send(6, map[string]any{"token": c.sc.bot.Token, "session_id": session, "seq": seq})
}

// ready connects, identifies and reads up to the guild; it returns the session id too.
func (sc *scene) ready(intents int) (*client, string) {
	sc.t.Helper()
	c := sc.dial("/gateway/?v=10&encoding=json")
	c.expect("op 10")
	c.identify(intents)
	session := c.expect("READY").get("session_id")
	if intents&1 != 0 {
		c.expect("GUILD_CREATE")
	}
	return c, session
}

// silent fails the test when a payload arrives within a second.
func (c *client) silent() {
	c.sc.t.Helper()
	synctest.Wait()
	if f, err := c.tryNext(time.Second); err == nil {
		c.sc.t.Errorf("got %s %s, want silence", f.T, f.D)
	}
}

// response is a REST answer.
type response struct {
	status int
	header http.Header
	body   []byte
}

// list reads one field of every element of a list answer.
func (r response) list(t *testing.T, field string) []string {
	t.Helper()
	var items []map[string]any
	if err := json.Unmarshal(r.body, &items); err != nil {
		t.Fatalf("answer %s: %v", r.body, err)
	}
	got := make([]string, len(items))
	for i, item := range items {
		got[i] = fmt.Sprint(item[field])
	}
	return got
}

// object reads an object answer.
func (r response) object(t *testing.T) map[string]any {
	t.Helper()
	var o map[string]any
	if err := json.Unmarshal(r.body, &o); err != nil {
		t.Fatalf("answer %s: %v", r.body, err)
	}
	return o
}

// code is Discord's error code of an answer, with its status in front: "403 50001".
func (r response) code(t *testing.T) string {
	t.Helper()
	code := r.object(t)["code"]
	if code == nil {
		return fmt.Sprint(r.status)
	}
	return fmt.Sprintf("%d %v", r.status, code)
}

func (sc *scene) call(method, path string, body any) response {
	sc.t.Helper()
	r, err := sc.tryCall(sc.t.Context(), method, path, body)
	if err != nil {
		sc.t.Fatal(err)
	}
	return r
}

func (sc *scene) tryCall(ctx context.Context, method, path string, body any) (response, error) {
	var in io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return response{}, err
		}
		in = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://discord.test/api/v10"+path, in)
	if err != nil {
		return response{}, err
	}
	req.Header.Set("Authorization", "Bot "+sc.bot.Token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := sc.http.Do(req)
	if err != nil {
		return response{}, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	return response{status: resp.StatusCode, header: resp.Header, body: data}, err
}
