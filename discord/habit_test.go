package discord_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"gapless"
	"gapless/discord"
)

// A READY without a number and without an address to resume at begins a session all the same: it is resumed from 0,
// where it began.
func TestReadyWithoutSequence(t *testing.T) {
	play(t, func(t *testing.T, r *rig) {
		settle(time.Minute)
		r.want(t, "began resumed M1")
		if p := r.fake.connections()[1]; p.path != "/gateway" {
			t.Errorf("resumed at %s", p.path)
		}
	}, func(p *peer) {
		p.hello()
		p.await(2)
		p.send(`{"t":"READY","s":null,"op":0,"d":{"session_id":"s1","user":{"id":"11","username":"helper","bot":true},"guilds":[]}}`)
		time.Sleep(20 * time.Second)
	}, func(p *peer) {
		p.resume("s1", 0)
		p.send(`{"t":"RESUMED","s":null,"op":0,"d":{}}`)
		p.message(1)
		p.stay()
	})
}

// Where a bad token is told by 4000, and the budget to whoever asks, one identify is spent before it is found out; a
// token that is good costs one more call.
func TestTokenIsVouchedFor(t *testing.T) {
	for _, tt := range []struct {
		name   string
		status int
		body   string
		final  bool
	}{
		{"refused", 401, `{"message":"401: Unauthorized","code":0}`, true},
		{"good", 200, `{"id":"11","username":"helper","bot":true}`, false},
		{"no answer", 503, `{"message":"overloaded"}`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				refuse := func(p *peer) {
					p.hello()
					p.await(2)
					p.close(4000)
				}
				scripts := []script{refuse}
				if !tt.final {
					scripts = append(scripts, func(p *peer) {
						p.begin("s1")
						p.message(2)
						p.stay()
					})
				}
				fake := newFakeGateway(t, scripts...)
				asked := 0
				fake.rest = func(w http.ResponseWriter, r *http.Request) {
					if strings.HasSuffix(r.URL.Path, "/users/@me") {
						asked++
						answer(w, tt.status, tt.body)
						return
					}
					answer(w, 200, fullBudget)
				}
				r := start(t, fake, &store{})
				settle(2 * time.Minute)
				if asked == 0 {
					t.Error("nobody asked whether the token is good")
				}
				if !tt.final {
					r.want(t, "began M2")
					return
				}
				if err := r.end(t); !errors.Is(err, gapless.ErrUnauthorized) {
					t.Errorf("Run: %v", err)
				}
				if st := r.gateway.Status(); st.Identifies != 1 || st.State != discord.StateStopped {
					t.Errorf("status %+v", st)
				}
			})
		})
	}
}
