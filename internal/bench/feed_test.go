//go:build linux

package bench_test

import (
	"bufio"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// feed is a Discord that does nothing but write frames as fast as they are
// read: it makes them in place and writes many at once, so that it costs the
// reader's machine little.
type feed struct {
	*httptest.Server
	lines chan *line
	greet func(address string) [][]byte // READY and what follows it
}

// line is one connection. Its user is one goroutine.
type line struct {
	conn net.Conn
	buf  []byte
	seq  int64 // the last one written
	n    int64 // the last message written
	over int64 // how many channels the messages are spread over
}

func newFeed(tb testing.TB) *feed {
	f := &feed{lines: make(chan *line, 1), greet: func(address string) [][]byte { return [][]byte{ready(address, 1), guildCreate()} }}
	f.Server = httptest.NewServer(f)
	tb.Cleanup(f.Close)
	return f
}

func (f *feed) socket() string { return "ws" + f.URL[len("http"):] }

func (f *feed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Upgrade") == "" && !strings.HasSuffix(r.URL.Path, "/gateway/bot") {
		w.WriteHeader(http.StatusServiceUnavailable) // it has no history
		return
	}
	if r.Header.Get("Upgrade") == "" {
		fmt.Fprintf(w, `{"url":"%s","shards":1,"session_start_limit":{"total":1000,"remaining":1000,"reset_after":1,"max_concurrency":1}}`, f.socket())
		return
	}
	sum := sha1.Sum([]byte(r.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	conn, rw, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	fmt.Fprintf(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n",
		base64.StdEncoding.EncodeToString(sum[:]))
	l := &line{conn: conn, buf: make([]byte, 0, 80<<10)}
	if l.send(hello()) != nil || skipFrame(rw.Reader) != nil { // identify
		conn.Close()
		return
	}
	go func() {
		for skipFrame(rw.Reader) == nil {
		}
		conn.Close()
	}()
	for _, payload := range f.greet(f.socket()) {
		if l.send(payload) != nil {
			return
		}
		l.seq++
	}
	l.over = channels
	f.lines <- l
}

// skipFrame reads a client's frame, which is masked. io.EOF also stands for its
// wish to close.
func skipFrame(r *bufio.Reader) error {
	var head [2]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return err
	}
	size := int64(head[1] & 0x7f)
	if size >= 126 {
		var long [2]byte
		if _, err := io.ReadFull(r, long[:]); err != nil {
			return err
		}
		size = int64(binary.BigEndian.Uint16(long[:]))
	}
	if _, err := io.CopyN(io.Discard, r, size+4); err != nil {
		return err
	}
	if head[0]&0xf == 8 {
		return io.EOF
	}
	return nil
}

func (l *line) send(payload []byte) error {
	_, err := l.conn.Write(append(appendHead(nil, len(payload)), payload...))
	return err
}

// appendHead appends the head of an unmasked text frame.
func appendHead(b []byte, size int) []byte {
	switch {
	case size < 126:
		return append(b, 0x81, byte(size))
	case size < 1<<16:
		return binary.BigEndian.AppendUint16(append(b, 0x81, 126), uint16(size))
	}
	return binary.BigEndian.AppendUint64(append(b, 0x81, 127), uint64(size))
}

// stream writes count messages as fast as they are read.
func (l *line) stream(count int, addressed bool) error {
	for range count {
		l.add(addressed)
		if len(l.buf) > 64<<10 {
			if err := l.flush(); err != nil {
				return err
			}
		}
	}
	return l.flush()
}

func (l *line) add(addressed bool) {
	l.n++
	l.seq++
	l.buf = appendFrame(appendHead(l.buf, frameSize), l.n, l.seq, channelOf(l.n, l.over), addressed)
}

func (l *line) flush() error {
	_, err := l.conn.Write(l.buf)
	l.buf = l.buf[:0]
	return err
}

// pace writes count messages, one at each step of the clock, and notes when.
func (l *line) pace(count int, step time.Duration, wrote func(n int64, at time.Time)) error {
	next := time.Now()
	for range count {
		time.Sleep(time.Until(next))
		next = next.Add(step)
		l.add(true)
		wrote(l.n, time.Now())
		if err := l.flush(); err != nil {
			return err
		}
	}
	return nil
}
