package discord

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"gapless"
	"gapless/internal/wire"
)

// connection is one WebSocket connection to the gateway, from Hello to its end.
type connection struct {
	g       *Gateway
	ws      *websocket.Conn
	cut     func()          // breaks ws
	session gapless.Session // as stored when it began; an ID means that it resumes
	pulse   pulse

	signals chan signal   // from the reader, in the order of the frames
	dead    chan error    // from the heart
	stop    chan struct{} // closed when nothing that is read counts any more

	// Owned by the reader.
	stream  *inflater
	scratch bytes.Buffer // what is being read
	last    int64        // the highest sequence read
	origin  gapless.Origin

	dispatched atomic.Int64 // when the last dispatch was read, Unix nanoseconds
	settled    atomic.Bool  // READY or RESUMED has come

	// Owned by run.
	ready time.Time // when READY or RESUMED came; zero: not yet
	heard bool      // Hello has come
}

// signal is what the reader tells run: a frame that asks for something, or its own end.
type signal struct {
	frame wire.Frame
	err   error
}

// ending is how a connection ended.
type ending struct {
	err     error         // why, for people
	final   error         // nothing can mend it: Run returns this
	forget  bool          // the session is over
	stopped bool          // we were asked to stop
	remote  bool          // the other side ended it
	closed  bool          // it did so by a close frame
	dialled bool          // there was a connection
	wait    time.Duration // before the next one
	ready   time.Time     // since when it was ready; zero: it never was
	resume  bool          // it was to resume a session
	moved   bool          // dispatches came
}

// dial opens the connection; cut breaks it.
func (g *Gateway) dial(ctx context.Context, address string) (ws *websocket.Conn, cut func(), err error) {
	u, err := connectURL(address, !g.cfg.Uncompressed)
	if err != nil {
		return nil, nil, err
	}
	k := new(knife)
	ctx = context.WithValue(ctx, knifeKey{}, k)
	ctx, cancel := context.WithTimeoutCause(ctx, g.cfg.ConnectTimeout, errors.New("no connection in time"))
	defer cancel()
	ws, resp, err := websocket.Dial(ctx, u, &websocket.DialOptions{
		HTTPClient: g.client,
		HTTPHeader: http.Header{"User-Agent": {g.cfg.REST.cfg.UserAgent}},
	})
	switch {
	case err == nil:
		ws.SetReadLimit(g.cfg.ReadLimit)
		return ws, k.cut, nil
	case resp != nil && resp.StatusCode != http.StatusSwitchingProtocols:
		return nil, nil, fmt.Errorf("the gateway answered %d instead of opening a connection", resp.StatusCode)
	}
	return nil, nil, g.cfg.REST.network(ctx, err)
}

func newConnection(g *Gateway, ws *websocket.Conn, cut func(), session gapless.Session) *connection {
	c := &connection{
		g: g, ws: ws, cut: cut, session: session, origin: gapless.OriginLive,
		signals: make(chan signal, 64), dead: make(chan error, 1), stop: make(chan struct{}),
	}
	if session.ID != "" {
		c.last, c.origin = session.Seq, gapless.OriginReplay
	}
	if !g.cfg.Uncompressed {
		c.stream = newInflater(int(g.cfg.ReadLimit))
	}
	return c
}

// run keeps the connection until it ends and returns after all of its goroutines. When ctx ends it stops reading,
// hands over what is queued, and closes so that the session stays (C11).
func (c *connection) run(ctx context.Context) ending {
	life := context.WithoutCancel(ctx)
	defer c.cut()
	beating, still := context.WithCancel(life)
	defer still()
	var g sync.WaitGroup
	g.Go(c.read)
	end := c.converse(ctx, func(first, interval time.Duration) {
		g.Go(func() { c.heart(beating, first, interval) })
	})
	close(c.stop)
	if end.stopped {
		c.g.drain(life)
	}
	still()
	c.close(end)
	g.Wait()
	end.dialled, end.ready, end.resume = true, c.ready, c.session.ID != ""
	end.moved = c.dispatched.Load() != 0
	return end
}

// close ends the connection within the time that closing may take.
func (c *connection) close(end ending) {
	if end.remote {
		_ = c.ws.CloseNow()
		return
	}
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		_ = c.ws.Close(closeUnknown, "reconnecting")
	}()
	select {
	case <-closed:
	case <-time.After(c.g.cfg.CloseTimeout):
		c.cut()
		<-closed
	}
}

// write sends one payload. Its deadline is its own: a context that ends in the middle would kill the connection.
func (c *connection) write(payload []byte) error {
	ctx, cancel := context.WithTimeout(context.Background(), writeTimeout)
	defer cancel()
	if err := c.ws.Write(ctx, websocket.MessageText, payload); err != nil {
		return fmt.Errorf("write to the gateway: %w", err)
	}
	return nil
}
