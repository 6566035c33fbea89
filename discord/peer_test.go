package discord_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"gapless"
	"gapless/discord"
	"gapless/discordsim"
)

const interval = 40 * time.Second // between heartbeats of the fake gateway

// frame is what a client sent.
type frame struct {
	Op int             `json:"op"`
	D  json.RawMessage `json:"d"`
}

// peer is the fake gateway's side of one connection. Its methods are for the script of that connection.
type peer struct {
	t      *testing.T
	ws     *websocket.Conn
	path   string
	query  string
	stream *deflater       // not nil: frames go out compressed
	deaf   bool            // heartbeats are not acknowledged
	hole   <-chan struct{} // nothing is read until it is closed
	inbox  chan frame
	gone   chan struct{} // closed when the client's side has ended
	code   int           // its close code, -1 for none
	mu     sync.Mutex
	beats  []string // the d of each heartbeat
	asked  string   // the first op 2 or 6, as JSON
	opened time.Time
}

// script is what a connection does; when it returns the connection is reset.
type script func(p *peer)

// fakeGateway is a gateway that plays one script per connection, and its /gateway/bot.
type fakeGateway struct {
	t       *testing.T
	memory  *discordsim.Memory
	mu      sync.Mutex
	peers   []*peer
	scripts []script
	rest    func(w http.ResponseWriter, r *http.Request) // answers REST; nil: a full budget
	refuse  func(path string) int                        // status to refuse a connection with, 0 to accept
	hole    func() <-chan struct{}                       // while not nil nothing is answered until it is closed
}

const fullBudget = `{"url":"ws://discord.test/gateway","shards":1,"session_start_limit":{"total":1000,"remaining":1000,"reset_after":86400000,"max_concurrency":1}}`

func newFakeGateway(t *testing.T, scripts ...script) *fakeGateway {
	f := &fakeGateway{t: t, scripts: scripts}
	f.memory = listen(t, f)
	return f
}

func (f *fakeGateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if f.hole != nil {
		if until := f.hole(); until != nil {
			<-until
			return
		}
	}
	if strings.HasPrefix(r.URL.Path, "/api/") {
		if f.rest != nil {
			f.rest(w, r)
			return
		}
		answer(w, 200, fullBudget)
		return
	}
	if f.refuse != nil {
		if status := f.refuse(r.URL.Path); status != 0 {
			w.WriteHeader(status)
			return
		}
	}
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true})
	if err != nil {
		f.t.Errorf("accept: %v", err)
		return
	}
	p := &peer{t: f.t, ws: ws, path: r.URL.Path, query: r.URL.RawQuery, inbox: make(chan frame, 64), gone: make(chan struct{}), code: -1, opened: time.Now()}
	f.mu.Lock()
	n := len(f.peers)
	f.peers = append(f.peers, p)
	f.mu.Unlock()
	go p.read()
	if n < len(f.scripts) {
		f.scripts[n](p)
	} else {
		f.t.Errorf("connection %d was not expected (%s)", n+1, r.URL.Path)
	}
	_ = ws.CloseNow()
	<-p.gone
}

func (p *peer) read() {
	defer close(p.gone)
	for {
		_, data, err := p.ws.Read(context.Background())
		if err != nil {
			if e, ok := errors.AsType[websocket.CloseError](err); ok {
				p.code = int(e.Code)
			}
			return
		}
		var f frame
		if err := json.Unmarshal(data, &f); err != nil {
			p.t.Errorf("the client sent %s", data)
		}
		if f.Op != 1 {
			if f.Op == 2 || f.Op == 6 {
				p.mu.Lock()
				p.asked = string(data)
				p.mu.Unlock()
			}
			p.inbox <- f
			continue
		}
		p.mu.Lock()
		p.beats = append(p.beats, string(f.D))
		deaf, hole := p.deaf, p.hole
		p.mu.Unlock()
		if hole != nil {
			<-hole
		}
		if !deaf {
			p.send(`{"op":11,"d":null,"s":null,"t":null}`)
		}
	}
}

// send writes one frame.
func (p *peer) send(text string) {
	_ = p.ws.Write(context.Background(), websocket.MessageText, []byte(text))
}

func (p *peer) hello() {
	p.send(fmt.Sprintf(`{"op":10,"d":{"heartbeat_interval":%d},"s":null,"t":null}`, interval.Milliseconds()))
}

// await waits for the client's next frame of that opcode.
func (p *peer) await(op int) frame {
	p.t.Helper()
	select {
	case f := <-p.inbox:
		if f.Op != op {
			p.t.Errorf("the client sent op %d, want %d: %s", f.Op, op, f.D)
		}
		return f
	case <-p.gone:
		p.t.Errorf("the client left (close %d), want op %d", p.code, op)
	case <-time.After(10 * time.Minute):
		p.t.Errorf("the client did not send op %d", op)
	}
	return frame{}
}

// begin says hello, takes the identify and sends READY with s=1.
func (p *peer) begin(session string) {
	p.hello()
	p.await(2)
	p.ready(session)
}

func (p *peer) ready(session string) {
	p.event(1, "READY", fmt.Sprintf(`{"session_id":%q,"resume_gateway_url":"ws://discord.test/resume","user":{"id":"11","username":"helper","bot":true},"guilds":[{"id":"5","unavailable":true}]}`, session))
}

// resume says hello and expects a resume of that session from that sequence.
func (p *peer) resume(session string, seq int) {
	p.t.Helper()
	p.hello()
	var d struct {
		Token   string `json:"token"`
		Session string `json:"session_id"`
		Seq     int    `json:"seq"`
	}
	_ = json.Unmarshal(p.await(6).D, &d)
	if d.Session != session || d.Seq != seq || d.Token != token {
		p.t.Errorf("resumed %q from %d, want %q from %d", d.Session, d.Seq, session, seq)
	}
}

// event sends a dispatch; message one with a message whose id is its sequence.
func (p *peer) event(seq int, typ, d string) {
	p.send(fmt.Sprintf(`{"t":%q,"s":%d,"op":0,"d":%s}`, typ, seq, d))
}

func (p *peer) message(seq int) {
	p.event(seq, "MESSAGE_CREATE", fmt.Sprintf(`{"id":"%d","channel_id":"7","guild_id":"5","author":{"id":"40"},"content":"the text"}`, seq))
}

func (p *peer) resumed(seq int) { p.event(seq, "RESUMED", `{}`) }

// close sends a close frame.
func (p *peer) close(code int) { _ = p.ws.Close(websocket.StatusCode(code), "") }

// stay keeps the connection until the client ends it, and gives its close code.
func (p *peer) stay() int {
	<-p.gone
	return p.code
}

func (p *peer) heartbeats() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.beats...)
}

// connections are those that were opened so far.
func (f *fakeGateway) connections() []*peer {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]*peer(nil), f.peers...)
}

// store is a sink that keeps what it is given.
type store struct {
	mu      sync.Mutex
	session gapless.Session
	known   bool
	batches []gapless.Batch
	admit   func(ctx context.Context, b gapless.Batch) error // before storing; nil: nothing
	prepare func(g *discord.Gateway)                         // before Run; nil: nothing
}

func (s *store) Admit(ctx context.Context, b gapless.Batch) error {
	if s.admit != nil {
		if err := s.admit(ctx, b); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.session, s.known = *b.Session, true
	s.batches = append(s.batches, b)
	return nil
}

func (s *store) Session(int) (gapless.Session, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.session, s.known
}

func (s *store) stored() gapless.Session {
	session, _ := s.Session(0)
	return session
}

// trace is every event stored, in a word: kind, ids and where it came from.
func (s *store) trace() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, b := range s.batches {
		for _, e := range b.Events {
			out = append(out, word(e))
		}
	}
	return strings.Join(out, " ")
}

func word(e gapless.Event) string {
	switch e.Kind {
	case gapless.MessageCreated:
		if e.Origin == gapless.OriginReplay {
			return "R" + e.Message.ID.String()
		}
		return "M" + e.Message.ID.String()
	case gapless.SessionBegan:
		return "began"
	case gapless.SessionResumed:
		return "resumed"
	case gapless.SequenceJumped:
		return "jump(" + e.Note + ")"
	case gapless.Unreadable:
		return "unreadable(" + e.Note + ")"
	}
	return string(e.Kind)
}

// rig is a gateway running against a fake one.
type rig struct {
	*store
	fake    *fakeGateway
	gateway *discord.Gateway
	log     *journal
	stop    context.CancelFunc
	done    chan error
}

// start runs a gateway in the present bubble. It is stopped when the test ends, if it still runs.
func start(t *testing.T, fake *fakeGateway, sink *store, change ...func(*discord.GatewayConfig)) *rig {
	t.Helper()
	log, j := logger(t, "the text")
	client := fake.memory.Client()
	rest, err := discord.NewREST(discord.RESTConfig{Token: token, BaseURL: "http://discord.test", Client: client, Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	cfg := discord.GatewayConfig{REST: rest, Sink: sink, Client: client, Logger: log, Uncompressed: true, Seed: 7}
	for _, c := range change {
		c(&cfg)
	}
	g, err := discord.NewGateway(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if sink.prepare != nil {
		sink.prepare(g)
	}
	r := &rig{store: sink, fake: fake, gateway: g, log: j, done: make(chan error, 1)}
	ctx, stop := context.WithCancel(context.Background())
	r.stop = stop
	ended := make(chan struct{})
	go func() { defer close(ended); r.done <- g.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		<-ended
		client.CloseIdleConnections()
	})
	return r
}

// end stops the gateway and gives what Run returned.
func (r *rig) end(t *testing.T) error {
	t.Helper()
	r.stop()
	select {
	case err := <-r.done:
		settle(0)
		return err
	case <-time.After(10 * time.Minute):
		t.Fatal("Run does not return")
		return nil
	}
}

// play runs scripts against a gateway in a bubble, for as long as they and the test like.
func play(t *testing.T, test func(t *testing.T, r *rig), scripts ...script) {
	t.Helper()
	bubble(t, func(t *testing.T) {
		r := start(t, newFakeGateway(t, scripts...), &store{})
		test(t, r)
	})
}

// settle lets a while pass and everything come to rest.
func settle(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func (r *rig) want(t *testing.T, trace string) {
	t.Helper()
	if got := r.trace(); got != trace {
		t.Errorf("stored %s\nwant   %s", got, trace)
	}
}
