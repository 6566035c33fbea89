package discordsim

import "time"

// linger waits as a fault of a kind says, and tells whether the client is still there afterwards.
func (s *Server) linger(q *request, kind Kind) bool {
	s.lock()
	f := s.strike(kind, q.subject())
	var wait time.Duration
	if f != nil {
		wait = s.pause(f)
	}
	s.mu.Unlock()
	if f == nil {
		return true
	}
	var over <-chan time.Time
	if kind == Slow {
		t := time.NewTimer(wait)
		defer t.Stop()
		over = t.C
	}
	select {
	case <-over:
		return true
	case <-f.lifted:
		return q.r.Context().Err() == nil
	case <-q.r.Context().Done():
		return false
	}
}

// limited is the 429 of a fault: of scope shared it leaves requests remaining, of scope user none (F72).
func (s *Server) limited(f *plantedFault) answer {
	scope := f.Scope
	if scope == "" {
		scope = "user"
	}
	if f.HTML {
		return ban(f.Delay)
	}
	a := tooMany(f.Delay, scope, f.RetryAfter)
	if f.Body != "" {
		a.body = []byte(f.Body)
	}
	if scope == "global" {
		return a
	}
	remaining := "0"
	if scope == "shared" {
		remaining = "9"
	}
	a.header.Set("X-RateLimit-Limit", "10")
	a.header.Set("X-RateLimit-Remaining", remaining)
	a.header.Set("X-RateLimit-Reset", decimal(time.Duration(s.now().Add(f.Delay).UnixNano())))
	a.header.Set("X-RateLimit-Reset-After", decimal(f.Delay))
	a.header.Set("X-RateLimit-Bucket", "5a17e0000000000000000000000000aa")
	return a
}

// spoil applies the faults that replace or damage a finished answer.
func (s *Server) spoil(q *request, at Match, a answer) answer {
	if a.status >= 300 {
		return a
	}
	if f := s.strike(FailAfter, at); f != nil {
		return failure(f)
	}
	if s.strike(Null, at) != nil {
		a.body = []byte("null")
	}
	if s.strike(Truncate, at) != nil {
		a.body = a.body[:len(a.body)/2]
	}
	if s.strike(WrongType, at) != nil {
		a.header.Set("Content-Type", "text/html; charset=UTF-8")
	}
	return a
}
