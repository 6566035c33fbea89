package discord

import (
	"net/url"
	"time"

	"gapless"
)

// Trusts opens trusts to tests.
func Trusts(api, asked, gateway string) bool {
	u, err := apiURL(api)
	return err == nil && trusts(u, asked, gateway)
}

// ConnectURL opens connectURL to tests.
func ConnectURL(gateway string, compress bool) (string, error) { return connectURL(gateway, compress) }

// APIURL opens apiURL to tests.
func APIURL(given string) (*url.URL, error) { return apiURL(given) }

// Skew opens the clock to tests.
type Skew struct{ s skew }

// Observe takes in one Date header.
func (s *Skew) Observe(date string, sent, got time.Time) { s.s.observe(date, sent, got) }

// Offset is the estimate.
func (s *Skew) Offset() time.Duration { return s.s.offset() }

// SetWall gives the gateway another wall clock.
func (g *Gateway) SetWall(wall func() time.Time) { g.wall = wall }

// IdentifyAt opens identifyAt to tests.
func IdentifyAt(s gapless.Starts, total, reserve int, now time.Time) (time.Time, string) {
	return identifyAt(s, total, reserve, now)
}

// Rule opens rule to tests.
func Rule(code, intents int) (forget bool, final error) {
	r := rule(code, intents)
	return r.forget, r.final
}

// Inflater opens inflater to tests.
type Inflater struct{ f *inflater }

// NewInflater makes one with a limit.
func NewInflater(limit int) Inflater { return Inflater{newInflater(limit)} }

// Add takes in one binary message.
func (i Inflater) Add(b []byte) ([]byte, error) { return i.f.add(b) }
