package discord

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"gapless"
)

// call is one request to the API, to be repeated until it has an answer.
type call struct {
	route    string // method and path template: what limits and errors are filed under
	path     string
	query    url.Values
	major    string // the channel or guild its limit belongs to
	body     []byte
	priority Priority
	repeat   time.Duration // no repetition later than this after the first try; zero: no such end
}

type priorityKey struct{}

// WithPriority makes the calls under the context wait in that priority instead of their own.
func WithPriority(ctx context.Context, p Priority) context.Context {
	return context.WithValue(ctx, priorityKey{}, p)
}

// maxLimited is how many 429s one call puts up with.
const maxLimited = 10

// fetch makes a call and reads its answer. The error of an answer that cannot be read wraps [gapless.ErrUnavailable].
func fetch[T any](ctx context.Context, r *REST, c call, read func([]byte) (T, error)) (T, error) {
	var out T
	err := r.do(ctx, c, func(b []byte) (err error) {
		out, err = read(b)
		return err
	})
	return out, err
}

// outcome is what is known of a call so far.
type outcome struct {
	first  time.Time // of its tries
	sure   bool      // Discord has certainly not taken it
	spent  time.Duration
	tries  int
	limits int // 429s
}

// do carries out a call: it waits for limits, repeats what may be repeated until the deadline, and reads the answer. Its
// errors wrap a sentinel of gapless; one joined with [gapless.ErrNotSent] means that Discord has not taken the call.
func (r *REST) do(ctx context.Context, c call, read func([]byte) error) error {
	if p, ok := ctx.Value(priorityKey{}).(Priority); ok {
		c.priority = p
	}
	o := outcome{sure: true}
	for {
		resp, err := r.try(ctx, c, &o)
		if err == nil {
			again, verdict := r.judge(c, resp, read, &o)
			if !again {
				return verdict
			}
			err = verdict
		}
		if err = r.pause(ctx, c, &o, err); err != nil {
			return c.failed(err, o.sure)
		}
	}
}

// failed is the error of a call that got no definite answer.
func (c call) failed(err error, sure bool) error {
	if sure {
		return fmt.Errorf("%s: %w (%w, %w)", c.route, err, gapless.ErrUnavailable, gapless.ErrNotSent)
	}
	return fmt.Errorf("%s: %w (%w)", c.route, err, gapless.ErrUnavailable)
}

// errGivenUp ends a call whatever its last try came to.
type errGivenUp struct{ error }

func (e errGivenUp) Unwrap() error { return e.error }

// try waits for the limits and sends the request once.
func (r *REST) try(ctx context.Context, c call, o *outcome) (response, error) {
	t := &ticket{route: c.route, major: c.major, priority: c.priority}
	if err := r.limits.acquire(ctx, t); err != nil {
		return response{}, errGivenUp{err}
	}
	began := time.Now()
	if o.first.IsZero() {
		o.first = began
	}
	if !o.sure && c.repeat > 0 && began.Sub(o.first) >= c.repeat {
		r.limits.done(t, answer{})
		return response{}, errGivenUp{errors.New("too late to repeat it safely")}
	}
	patience := min(r.cfg.Deadline/2, r.cfg.Deadline-o.spent)
	short, cancel := context.WithTimeoutCause(ctx, patience, errors.New("no answer in time"))
	defer cancel()
	resp, touched, err := r.send(short, c)
	o.spent += time.Since(began)
	if err != nil {
		r.limits.dropped(t)
		o.sure = o.sure && !touched
		return response{}, err
	}
	r.clock.observe(resp.header.Get("Date"), began, time.Now())
	r.limits.done(t, resp.answer())
	return resp, nil
}

// judge says what an answer means: the verdict, or a reason to try again.
func (r *REST) judge(c call, resp response, read func([]byte) error, o *outcome) (again bool, err error) {
	switch {
	case resp.limited():
		o.limits++
		r.log.Debug("rate limited", "route", c.route, "status", resp.status, "wait", resp.answer().retry, "global", resp.answer().global)
		if resp.status == http.StatusForbidden {
			return true, errGivenUp{r.foreign(resp)}
		}
		if o.limits >= maxLimited {
			return true, errGivenUp{fmt.Errorf("rate limited %d times", o.limits)}
		}
		return true, nil
	case resp.status >= 200 && resp.status < 300:
		return r.accept(c, resp, read, o)
	case resp.status >= 500 || resp.status == http.StatusRequestTimeout:
		o.sure = false
		if resp.html() {
			return true, fmt.Errorf("server error %d, with a web page instead of JSON", resp.status)
		}
		return true, fmt.Errorf("server error %d", resp.status)
	case !resp.json && resp.status != http.StatusUnauthorized:
		return false, c.failed(r.foreign(resp), o.sure)
	}
	e := &APIError{Route: c.route, Status: resp.status, Code: resp.refusal.Code, Message: resp.refusal.Message}
	if e.Code == codeFixUserAgent {
		return false, c.failed(fmt.Errorf("discord blocks this user agent: %s", e.Message), o.sure)
	}
	return false, e
}

// accept reads a success. One that cannot be read is tried again only if it changed something: then the repetition
// tells what.
func (r *REST) accept(c call, resp response, read func([]byte) error, o *outcome) (again bool, err error) {
	if resp.html() || c.body == nil && resp.text() {
		return false, c.failed(r.foreign(resp), true)
	}
	if read == nil {
		return false, nil
	}
	err = errors.New("the answer is no JSON")
	if json.Valid(resp.body) {
		err = read(resp.body)
	}
	if err == nil {
		return false, nil
	}
	o.sure = false
	if c.body != nil {
		return true, err
	}
	return false, c.failed(err, false)
}

// foreign is the error for an answer that no Discord API gives; it wraps [ErrNotDiscord].
func (r *REST) foreign(resp response) error {
	what := "something that is no JSON"
	if resp.html() {
		what = "HTML"
	}
	return fmt.Errorf("%s %w: got %s (status %d)", r.base.Host, ErrNotDiscord, what, resp.status)
}

// pause waits before the next try, or says why there is none: err is what the last one came to, nil after a 429, whose
// wait is the limiter's business.
func (r *REST) pause(ctx context.Context, c call, o *outcome, err error) error {
	if _, over := errors.AsType[errGivenUp](err); over {
		return err
	}
	if ctx.Err() != nil {
		return cmpErr(err, context.Cause(ctx))
	}
	if err == nil {
		return nil
	}
	r.mu.Lock()
	wait := backoff(o.tries, 500*time.Millisecond, 5*time.Second, r.random)
	r.mu.Unlock()
	o.tries++
	o.spent += wait
	if o.spent >= r.cfg.Deadline {
		return err
	}
	r.log.Debug("request failed, trying again", "route", c.route, "try", o.tries, "wait", wait, "error", err)
	select {
	case <-ctx.Done():
		return fmt.Errorf("%w, after: %w", context.Cause(ctx), err)
	case <-time.After(wait):
		return nil
	}
}

// cmpErr is both errors, or the one there is.
func cmpErr(err, cause error) error {
	if err == nil {
		return cause
	}
	return fmt.Errorf("%w, after: %w", cause, err)
}

// backoff is the pause after so many failures: doubling from first up to most, each between half and all of that.
func backoff(failures int, first, most time.Duration, random *rand.Rand) time.Duration {
	full := min(first<<min(failures, 20), most)
	return full/2 + time.Duration(random.Int64N(int64(full/2)+1))
}

// send does one HTTP exchange. touched says that a connection was had, so that Discord may have seen the request.
func (r *REST) send(ctx context.Context, c call) (resp response, touched bool, err error) {
	var had atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { had.Store(true) }})
	req, err := r.request(ctx, c)
	if err != nil {
		return resp, false, err
	}
	got, err := r.client.Do(req)
	if err != nil {
		return resp, had.Load(), r.network(ctx, err)
	}
	defer func() { _ = got.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(got.Body, maxBody+1))
	if err != nil {
		return resp, true, r.network(ctx, err)
	}
	if len(body) > maxBody {
		return resp, true, fmt.Errorf("the answer is longer than %d bytes", maxBody)
	}
	return newResponse(got.StatusCode, got.Header, body), true, nil
}

func (r *REST) request(ctx context.Context, c call) (*http.Request, error) {
	method, _, _ := strings.Cut(c.route, " ")
	u := *r.base
	u.Path += c.path
	u.RawQuery = c.query.Encode()
	var body io.Reader
	if c.body != nil {
		body = bytes.NewReader(c.body)
	}
	req, err := http.NewRequestWithContext(ctx, method, u.String(), body)
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	req.Header.Set("Authorization", "Bot "+r.cfg.Token)
	req.Header.Set("User-Agent", r.cfg.UserAgent)
	req.Header.Set("Accept", "application/json")
	if c.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}

// network is a network error without the address that net/http puts around it, and with the context's reason.
func (r *REST) network(ctx context.Context, err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	if cause := context.Cause(ctx); cause != nil && errors.Is(err, ctx.Err()) {
		err = cause
	}
	if strings.Contains(err.Error(), r.cfg.Token) {
		return errors.New("network error (its text held the token)")
	}
	return err
}
