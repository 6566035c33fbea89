package discord

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"
	"time"

	"gapless/internal/wire"
)

// maxBody bounds how much of an answer is read.
const maxBody = 32 << 20

// cloudflarePause is how long to keep still after a ban that does not say how long it lasts.
const cloudflarePause = time.Minute

// response is one answer, read whole.
type response struct {
	status  int
	header  http.Header
	body    []byte
	refusal wire.Refusal // of an error
	json    bool         // the refusal is Discord's own
}

func newResponse(status int, header http.Header, body []byte) response {
	r := response{status: status, header: header, body: body}
	if status >= 300 {
		r.refusal, r.json = wire.ReadRefusal(body)
	}
	return r
}

// html reports whether a web page came: some proxy's or other server's, never the API's.
func (r response) html() bool {
	return strings.Contains(r.header.Get("Content-Type"), "text/html") || bytes.HasPrefix(bytes.TrimSpace(r.body), []byte("<"))
}

// text reports whether the body is not even the beginning of a JSON list or object: half an answer is still Discord's.
func (r response) text() bool {
	body := bytes.TrimSpace(r.body)
	return len(body) > 0 && !bytes.ContainsRune([]byte("{["), rune(body[0])) && !bytes.Equal(body, []byte("null"))
}

// limited reports whether the answer is a limit to wait for: a 429, or slow mode under any status.
func (r response) limited() bool {
	return r.status == http.StatusTooManyRequests || r.banned() ||
		r.json && r.refusal.Code == codeSlowMode && r.refusal.RetryAfter > 0
}

// banned reports whether the edge in front of Discord refuses us (protocol C3): such an answer is not Discord's word on
// the request.
func (r response) banned() bool {
	if r.json {
		return strings.Contains(r.refusal.Message, "blocked from accessing our API")
	}
	return r.status == http.StatusForbidden || r.status == http.StatusTooManyRequests && r.header.Get("Via") == ""
}

// answer is what the response says about limits.
func (r response) answer() answer {
	a := answer{hash: r.header.Get("X-RateLimit-Bucket"), limited: r.limited()}
	limit, err1 := strconv.Atoi(r.header.Get("X-RateLimit-Limit"))
	left, err2 := strconv.Atoi(r.header.Get("X-RateLimit-Remaining"))
	reset, err3 := seconds(r.header.Get("X-RateLimit-Reset-After"))
	if err1 == nil && err2 == nil && err3 == nil && limit > 0 {
		a.told, a.limit, a.left, a.reset = true, limit, left, reset
	}
	scope := r.header.Get("X-RateLimit-Scope")
	a.shared = scope == "shared"
	switch r.status {
	case http.StatusUnauthorized, http.StatusForbidden:
		a.invalid = true
	case http.StatusTooManyRequests:
		a.invalid = !a.shared
	}
	if !a.limited {
		return a
	}
	a.global = scope == "global" || r.refusal.Global || r.header.Get("X-RateLimit-Global") == "true" || r.banned()
	a.retry = r.retryAfter()
	if r.banned() && a.retry == 0 {
		a.retry = cloudflarePause
	}
	return a
}

// retryAfter is the wait that was asked for. The header is the body's figure rounded up (protocol C1); where they
// differ by more than that, the longer one counts.
func (r response) retryAfter() time.Duration {
	header, _ := seconds(r.header.Get("Retry-After"))
	body := r.refusal.RetryAfter
	if body > 0 && header >= body && header-body < time.Second {
		return body
	}
	return max(header, body)
}

// seconds reads seconds with or without a fraction.
func seconds(s string) (time.Duration, error) {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f < 0 || f > 1e8 {
		return 0, strconv.ErrRange
	}
	return time.Duration(f * float64(time.Second)), nil
}
