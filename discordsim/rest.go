package discordsim

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// request is one REST request on its way through.
type request struct {
	r      *http.Request
	route  *route
	params map[string]string
	query  url.Values
	body   []byte
	bot    *bot // nil without valid authorization
	log    *Request
	status int // of success, where it is not the route's own
}

func (q *request) who() ID {
	if q.bot == nil {
		return 0
	}
	return q.bot.user.id
}

// id is a path parameter as an id, zero when it is none.
func (q *request) id(name string) ID {
	id, _ := ParseID(q.params[name])
	return id
}

// major is the top-level resource that buckets are kept by (C2).
func (q *request) major() string { return q.params["channel"] + q.params["guild"] }

func (q *request) subject() Match {
	at := Match{Bot: q.who(), Method: q.r.Method, Channel: q.id("channel"), Guild: q.id("guild"),
		Message: q.id("message")}
	if q.route != nil {
		at.Route = q.route.path
	}
	return at
}

// maxBody is the most a request may carry (B5).
const maxBody = 25 << 20

// serveREST answers one API request: faults that come before the deed, the deed, faults that come after.
func (s *Server) serveREST(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	q := s.admit(r, body)
	if s.OnRequest != nil {
		s.OnRequest(*q.log)
	}
	if !s.linger(q, Slow) || !s.linger(q, Hang) {
		panic(http.ErrAbortHandler)
	}
	out := s.serve(q)
	if !s.linger(q, HangAfter) {
		panic(http.ErrAbortHandler)
	}
	s.lock()
	q.log.Status = out.status
	if out.reset {
		q.log.Status = 0
	}
	s.mu.Unlock()
	switch {
	case out.reset:
		abort(w)
	case out.cut:
		w.Header().Set("Content-Length", fmt.Sprint(len(out.body)+1))
		w.WriteHeader(out.status)
		_, _ = w.Write(out.body[:len(out.body)/2])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	case out.rate > 0:
		out.writeSlowly(w, r, out.rate)
	default:
		out.write(w)
	}
}

// abort resets the connection a request came on.
func abort(w http.ResponseWriter) {
	under, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if r, can := under.(interface{ Reset() error }); can {
		_ = r.Reset()
		return
	}
	_ = under.Close()
}

// admit finds route and bot, and puts the request on record.
func (s *Server) admit(r *http.Request, body []byte) *request {
	s.lock()
	defer s.mu.Unlock()
	q := &request{r: r, query: r.URL.Query(), body: body}
	q.bot = s.botByToken(r.Header.Get("Authorization"))
	if !strings.HasPrefix(r.Header.Get("Authorization"), "Bot ") {
		q.bot = nil
	}
	path := r.URL.EscapedPath()
	for version, prefix := range map[int]string{10: "/api/v10/", 9: "/api/v9/"} {
		if rest, found := strings.CutPrefix(path, prefix); found {
			path = "/" + rest
			q.route, q.params = findRoute(version, r.Method, path)
			break
		}
	}
	q.log = &Request{At: s.now(), Method: r.Method, Path: path, Query: r.URL.RawQuery, Bot: q.who()}
	if q.route != nil {
		q.log.Route = q.route.path
		s.truth.counts[q.route.name()]++
	}
	s.truth.requests = append(s.truth.requests, q.log)
	return q
}

// outcome is an answer, or what befalls its connection.
type outcome struct {
	answer
	reset bool
	cut   bool
	rate  int // bytes of body a second, zero for all at once
}

func (s *Server) serve(q *request) outcome {
	s.lock()
	defer s.mu.Unlock()
	at := q.subject()
	if s.strike(Reset, at) != nil {
		return outcome{reset: true}
	}
	a, headers := s.decide(q, at)
	s.judge(a)
	a = s.spoil(q, at, a)
	for name, values := range headers {
		if _, set := a.header[name]; !set {
			a.header[name] = values
		}
	}
	if s.strike(Bare, at) != nil {
		maps.DeleteFunc(a.header, func(name string, _ []string) bool { return strings.HasPrefix(name, "X-Ratelimit-") })
	}
	s.unlabel(a)
	a.header.Set("Date", s.now().UTC().Format(http.TimeFormat))
	out := outcome{answer: a, reset: s.strike(ResetAfter, at) != nil, cut: s.strike(CutBody, at) != nil}
	if f := s.strike(TrickleBody, at); f != nil {
		out.rate = max(1, f.Rate)
	}
	return out
}

// decide goes through the gates in front of a deed and does it.
func (s *Server) decide(q *request, at Match) (answer, http.Header) {
	now := s.now()
	if f := s.strike(Banned, at); f != nil {
		return ban(f.Delay), nil
	}
	if now.Before(s.limits.banned) {
		return ban(s.limits.banned.Sub(now)), nil
	}
	if q.route == nil {
		return s.noRoute(q), nil
	}
	if q.bot == nil && !s.unguarded(q.route) {
		return unauthorized().answer(), nil
	}
	if refusal := q.unreadable(); refusal != nil {
		return refusal.answer(), nil
	}
	if f := s.strike(Limited, at); f != nil {
		return s.limited(f), nil
	}
	limited, headers := s.throttle(q)
	if limited != nil {
		return *limited, nil
	}
	if s.strike(LyingHeaders, at) != nil && headers.Get("X-RateLimit-Limit") != "" {
		headers.Set("X-RateLimit-Limit", "1000")
		headers.Set("X-RateLimit-Remaining", "999")
	}
	if f := s.strike(Fail, at); f != nil {
		return failure(f), headers
	}
	return s.do(q), headers
}

// unreadable tells why the body of a request is not even looked at (B1).
func (q *request) unreadable() *apiError {
	kind, _, _ := mime.ParseMediaType(q.r.Header.Get("Content-Type"))
	switch {
	case len(q.body) > maxBody:
		return &apiError{status: 413, code: 40005, message: "Request entity too large"}
	case len(q.body) > 0 && kind != "" && !slices.Contains(contentTypes, kind):
		return &apiError{status: 400, code: 50035, message: "Invalid Form Body", errors: object{"_errors": []object{{
			"code": "CONTENT_TYPE_INVALID", "message": "Expected \"Content-Type\" header to be one of {'application/json'}."}}}}
	}
	return nil
}

// contentTypes are the forms a body may have.
var contentTypes = []string{"application/json", "application/x-www-form-urlencoded", "multipart/form-data"}

func (s *Server) do(q *request) answer {
	body, err := q.route.serve(s, q)
	if err != nil {
		if refusal, known := errors.AsType[*apiError](err); known {
			return refusal.answer()
		}
		panic("discordsim: " + err.Error())
	}
	if q.route.status == http.StatusNoContent {
		return answer{status: q.route.status, header: http.Header{}}
	}
	if q.status != 0 {
		return jsonAnswer(q.status, body)
	}
	return jsonAnswer(q.route.status, body)
}

func (s *Server) noRoute(q *request) answer {
	if strings.HasPrefix(q.log.Path, "/api/v") {
		return (&apiError{status: 400, code: 50041, message: "Invalid API version"}).answer()
	}
	return (&apiError{status: 404, code: 0, message: "404: Not Found"}).answer()
}
