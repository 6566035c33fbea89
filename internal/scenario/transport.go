package scenario

import (
	"fmt"
	"hash/fnv"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"

	"gapless/discordsim"
)

// transport carries the REST calls of a process. Each takes a time of its own that depends only on seed, route and
// how often the same was asked: so calls that begin together never end together, and a run can be repeated.
type transport struct {
	proc *process
	next http.RoundTripper

	mu   sync.Mutex
	seen map[string]int
}

// RoundTrip makes one call, with half of its latency on either side.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	p := t.proc.player
	lag := t.lag(r)
	c := &callSeen{at: time.Now(), process: t.proc.name, method: r.Method, query: r.URL.RawQuery}
	c.route, c.place = routeOf(r.URL.Path)
	index := 0
	p.journal.enter(func() {
		p.journal.calls = append(p.journal.calls, *c)
		index = len(p.journal.calls) - 1
	})
	if !wait(r, lag/2) {
		return nil, r.Context().Err()
	}
	answer, err := t.next.RoundTrip(r)
	if !wait(r, lag-lag/2) {
		if err == nil {
			_ = answer.Body.Close()
		}
		return nil, r.Context().Err()
	}
	p.journal.enter(func() {
		outcome := "no answer"
		if err == nil {
			p.journal.calls[index].status = answer.StatusCode
			outcome = fmt.Sprint(answer.StatusCode)
		}
		if !t.proc.dead.Load() {
			p.journal.tell(theREST, "%s %s: %s", r.Method, p.describe(*c), outcome)
		}
	})
	return answer, err
}

// wait lets a part of the latency pass; false when the caller has given up.
func wait(r *http.Request, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-r.Context().Done():
		return false
	}
}

// lag is the latency of a call: the base, and up to a quarter of it by seed, route and count.
func (t *transport) lag(r *http.Request) time.Duration {
	key := r.Method + " " + r.URL.RequestURI()
	t.mu.Lock()
	t.seen[key]++
	n := t.seen[key]
	t.mu.Unlock()
	base := time.Duration(t.proc.player.latency.Load())
	return base + time.Duration(hashed(t.proc.player.script.Seed, key, n)%uint64(base/4+1))
}

// hashed is a number that depends on nothing but what it is made of.
func hashed(parts ...any) uint64 {
	h := fnv.New64a()
	fmt.Fprintln(h, parts...)
	x := h.Sum64() // the high bits of FNV are poor for short texts: mix them
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	return x ^ x>>33
}

var idInPath = regexp.MustCompile(`/(guilds|channels|users|messages|members|webhooks|roles|archived|threads)/(\d+)`)

var apiPrefix = regexp.MustCompile(`^/api(/v\d+)?`)

// singular are the names of ids in templates.
var singular = map[string]string{"guilds": "guild", "channels": "channel", "users": "user", "messages": "message",
	"members": "user", "webhooks": "webhook", "roles": "role", "archived": "archived", "threads": "thread"}

// routeOf is the template of a path, and the channel or guild it begins with.
func routeOf(path string) (route string, major discordsim.ID) {
	path = apiPrefix.ReplaceAllString(path, "")
	if m := idInPath.FindStringSubmatch(path); m != nil && strings.HasPrefix(path, m[0]) {
		major, _ = discordsim.ParseID(m[2])
	}
	return idInPath.ReplaceAllStringFunc(path, func(s string) string {
		m := idInPath.FindStringSubmatch(s)
		return "/" + m[1] + "/{" + singular[m[1]] + "}"
	}), major
}

// describe writes a call with names in place of ids.
func (p *player) describe(c callSeen) string {
	text := c.route
	if name := p.world.name(c.place, aPlace, aGuild); name != "" {
		text = strings.NewReplacer("/channels/{channel}", name, "/guilds/{guild}", name).Replace(text)
	}
	if after := queryID(c.query, "after"); after != 0 {
		text += " after " + p.position(after)
	}
	return text
}
