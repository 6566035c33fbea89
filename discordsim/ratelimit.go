package discordsim

import (
	"fmt"
	"maps"
	"math"
	"net/http"
	"strconv"
	"time"
)

// Limit is how many requests a bucket lets through in a stretch of time. N of zero means no limit.
type Limit struct {
	N   int
	Per time.Duration
}

// limiter counts requests. It is guarded by Server.mu.
type limiter struct {
	buckets map[bucketKey]*bucket
	global  map[ID]*bucket
	invalid bucket // answers of 401, 403 and 429 in ten minutes
	banned  time.Time
}

type bucketKey struct {
	bot   ID
	hash  string
	major string
}

// bucket is a window that opens with its first request.
type bucket struct {
	used  int
	until time.Time
}

func newLimiter() limiter {
	return limiter{buckets: map[bucketKey]*bucket{}, global: map[ID]*bucket{}}
}

// take counts one request at now and tells whether it is within the limit.
func (b *bucket) take(l Limit, now time.Time) bool {
	if !now.Before(b.until) {
		b.used, b.until = 0, now.Add(l.Per)
	}
	if b.used >= l.N {
		return false
	}
	b.used++
	return true
}

// throttle counts a request and returns the 429 it gets, or nil and the headers of its answer.
func (s *Server) throttle(q *request) (*answer, http.Header) {
	header := http.Header{}
	if s.NoLimits || q.route == nil {
		return nil, header
	}
	now := s.now()
	if limited := s.throttleGlobal(q, now); limited != nil {
		return limited, nil
	}
	limit := q.route.limit
	if other, set := s.Limits[q.route.name()]; set {
		limit = other
	}
	if limit.N <= 0 {
		return nil, header
	}
	key := bucketKey{bot: q.who(), hash: q.route.hash(), major: q.major()}
	b := s.limits.buckets[key]
	if b == nil {
		b = &bucket{}
		s.limits.buckets[key] = b
	}
	passed := b.take(limit, now)
	header.Set("X-RateLimit-Limit", strconv.Itoa(limit.N))
	header.Set("X-RateLimit-Remaining", strconv.Itoa(limit.N-b.used))
	header.Set("X-RateLimit-Reset", decimal(time.Duration(b.until.UnixNano())))
	header.Set("X-RateLimit-Reset-After", decimal(b.until.Sub(now)))
	header.Set("X-RateLimit-Bucket", key.hash)
	if passed {
		return nil, header
	}
	limited := tooMany(b.until.Sub(now), "user", "")
	maps.Copy(limited.header, header)
	return &limited, nil
}

func (s *Server) throttleGlobal(q *request, now time.Time) *answer {
	limit := s.GlobalLimit
	if limit == 0 {
		limit = 50
	}
	if limit < 0 {
		return nil
	}
	b := s.limits.global[q.who()]
	if b == nil {
		b = &bucket{}
		s.limits.global[q.who()] = b
	}
	if b.take(Limit{N: limit, Per: time.Second}, now) {
		return nil
	}
	limited := tooMany(b.until.Sub(now), "global", "")
	return &limited
}

// decimal writes seconds with as many digits as Discord does, three, rounded up: who waits that long is let in.
func decimal(d time.Duration) string {
	ms := (d + time.Millisecond - 1) / time.Millisecond
	return fmt.Sprintf("%d.%03d", ms/1000, ms%1000)
}

// tooMany is a 429 as documented (F70 to F72): an integer Retry-After, rounded up, unless replaced.
func tooMany(wait time.Duration, scope, retryAfter string) answer {
	message := "You are being rate limited."
	if scope == "shared" {
		message = "The resource is being rate limited."
	}
	a := jsonAnswer(http.StatusTooManyRequests, object{"message": message,
		"retry_after": math.Ceil(wait.Seconds()*1000) / 1000, "global": scope == "global"})
	a.header.Set("X-RateLimit-Scope", scope)
	if scope == "global" {
		a.header.Set("X-RateLimit-Global", "true")
	}
	switch retryAfter {
	case "":
		a.header.Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
	case "-":
	default:
		a.header.Set("Retry-After", retryAfter)
	}
	return a
}

// ban is what Cloudflare answers while an address is blocked: no Via, no JSON (F74).
func ban(wait time.Duration) answer {
	a := answer{status: http.StatusTooManyRequests, body: []byte("error code: 1015"), edge: true,
		header: http.Header{"Content-Type": {"text/html; charset=UTF-8"}}}
	if wait > 0 {
		a.header.Set("Retry-After", fmt.Sprint(int(math.Ceil(wait.Seconds()))))
	}
	return a
}

// judge counts an invalid answer and begins the ban that too many bring.
func (s *Server) judge(a answer) {
	invalid := a.status == http.StatusUnauthorized || a.status == http.StatusForbidden ||
		(a.status == http.StatusTooManyRequests && a.header.Get("X-RateLimit-Scope") != "shared")
	if s.NoLimits || a.edge || !invalid {
		return
	}
	limit := s.InvalidLimit
	if limit == 0 {
		limit = 10000
	}
	if s.limits.invalid.take(Limit{N: limit - 1, Per: 10 * time.Minute}, s.now()) {
		return
	}
	length := s.BanFor
	if length == 0 {
		length = time.Hour
	}
	s.limits.banned = s.now().Add(length)
	s.limits.invalid = bucket{}
}

// Invalid is how many answers counted as invalid in the current ten minutes.
func (s *Server) Invalid() int {
	s.lock()
	defer s.mu.Unlock()
	if !s.now().Before(s.limits.invalid.until) {
		return 0
	}
	return s.limits.invalid.used
}
