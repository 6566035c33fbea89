package discordsim

import (
	"net/http"
	"time"
)

// pieces of a trickle leave ten times a second.
const pieces = 10

// trickle writes data at so many bytes a second (G36). It stops early when over says so or a write fails.
func trickle(data []byte, rate int, write func([]byte) error, pause func(time.Duration) bool) error {
	for len(data) > 0 {
		n := min(len(data), max(1, rate/pieces))
		if err := write(data[:n]); err != nil {
			return err
		}
		data = data[n:]
		if len(data) > 0 && !pause(time.Duration(n)*time.Second/time.Duration(rate)) {
			return errHungUp
		}
	}
	return nil
}

// writeSlowly answers a REST request at so many bytes of body a second (G43).
func (a answer) writeSlowly(w http.ResponseWriter, r *http.Request, rate int) {
	a.head(w)
	out := http.NewResponseController(w)
	_ = trickle(a.body, rate, func(piece []byte) error {
		if _, err := w.Write(piece); err != nil {
			return err
		}
		return out.Flush()
	}, func(wait time.Duration) bool {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-timer.C:
			return true
		case <-r.Context().Done():
			return false
		}
	})
}

// dawdle makes the server read a client's frame at so many bytes a second (G36).
func (s *Server) dawdle(c *conn, size int) {
	s.lock()
	f := s.strike(SlowRead, c.subject())
	s.mu.Unlock()
	if f != nil {
		c.pause(time.Duration(size) * time.Second / time.Duration(max(1, f.Rate)))
	}
}

// pause waits, and tells whether the connection is still there afterwards.
func (c *conn) pause(wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-c.gone:
		return false
	}
}
