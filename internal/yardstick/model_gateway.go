package main

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
)

// listener is the model's connection: it resumes a session while the process
// lives, and identifies when it cannot.
type listener struct{ m *model }

type session struct {
	id, url string
	seq     int64
}

type frame struct {
	Op int             `json:"op"`
	D  json.RawMessage `json:"d"`
	S  *int64          `json:"s"`
	T  string          `json:"t"`
}

var errSessionLost = errors.New("the session is lost")

func (l listener) run(ctx context.Context) {
	var s session
	for ctx.Err() == nil {
		if err := l.connect(ctx, &s); errors.Is(err, errSessionLost) {
			s = session{}
			sleepFor(ctx, 2*time.Second)
		}
		sleepFor(ctx, 300*time.Millisecond)
	}
}

func sleepFor(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// connect reads one connection to its end.
func (l listener) connect(ctx context.Context, s *session) error {
	url := s.url
	if url == "" {
		var answer struct {
			URL string `json:"url"`
		}
		if err := l.m.rest.do(ctx, "GET", "/gateway", nil, &answer); err != nil {
			return err
		}
		url = answer.URL
	}
	dial, cancel := context.WithTimeout(ctx, 5*time.Second)
	conn, _, err := websocket.Dial(dial, strings.TrimSuffix(url, "/")+"/?v=10&encoding=json", nil)
	cancel()
	if err != nil {
		return err
	}
	defer conn.CloseNow()
	conn.SetReadLimit(1 << 26)
	for {
		var f frame
		if err := wsjson.Read(ctx, conn, &f); err != nil {
			return err
		}
		if f.S != nil {
			s.seq = *f.S
		}
		if err := l.frame(ctx, conn, s, f); err != nil {
			return err
		}
	}
}

func (l listener) frame(ctx context.Context, conn *websocket.Conn, s *session, f frame) error {
	switch f.Op {
	case 0:
		return l.dispatch(ctx, s, f)
	case 1:
		return wsjson.Write(ctx, conn, map[string]any{"op": 1, "d": s.seq})
	case 7:
		return errors.New("asked to reconnect")
	case 9:
		return errSessionLost
	case 10:
		return l.hello(ctx, conn, s, f)
	}
	return nil
}

func (l listener) hello(ctx context.Context, conn *websocket.Conn, s *session, f frame) error {
	var d struct {
		Interval int64 `json:"heartbeat_interval"`
	}
	if err := json.Unmarshal(f.D, &d); err != nil {
		return err
	}
	if s.id != "" {
		return wsjson.Write(ctx, conn, map[string]any{"op": 6, "d": map[string]any{"token": l.m.w.token, "session_id": s.id, "seq": s.seq}})
	}
	return wsjson.Write(ctx, conn, map[string]any{"op": 2, "d": map[string]any{
		"token": l.m.w.token, "intents": 1<<0 | 1<<9 | 1<<12 | 1<<15,
		"properties": map[string]string{"os": "linux", "browser": "model", "device": "model"},
	}})
}

func (l listener) dispatch(ctx context.Context, s *session, f frame) error {
	switch f.T {
	case "READY":
		var d struct {
			ID  string `json:"session_id"`
			URL string `json:"resume_gateway_url"`
		}
		if err := json.Unmarshal(f.D, &d); err != nil {
			return err
		}
		s.id, s.url = d.ID, d.URL
		go l.m.lookBack(ctx)
	case "MESSAGE_CREATE":
		var msg message
		if err := json.Unmarshal(f.D, &msg); err != nil {
			return err
		}
		l.m.heard(ctx, msg)
	}
	return nil
}
