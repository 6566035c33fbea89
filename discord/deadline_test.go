package discord_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gapless"
	"gapless/discord"
)

func decode(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Errorf("decode %q: %v", text, err)
	}
}

func TestHeartbeatsCarryTheStoredSequence(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var blocked atomic.Bool
		gate := make(chan struct{})
		sink := &store{admit: func(ctx context.Context, b gapless.Batch) error {
			if blocked.Load() && len(b.Events) > 0 {
				select {
				case <-gate:
				case <-ctx.Done():
				}
			}
			return ctx.Err()
		}}
		r := start(t, newFakeGateway(t, func(p *peer) {
			p.hello()
			p.await(2)
			time.Sleep(interval + time.Second) // a heartbeat before READY
			p.ready("s1")
			time.Sleep(interval)
			blocked.Store(true)
			p.message(2)
			p.message(3)
			time.Sleep(2 * interval)
			close(gate)
			p.stay()
		}), sink)
		settle(6 * interval)
		beats := r.fake.connections()[0].heartbeats()
		if got := strings.Join(beats, " "); got != "null 1 1 1 3 3" {
			t.Errorf("heartbeats carried %s", got)
		}
		r.want(t, "began M2 M3")
	})
}

func TestZombie(t *testing.T) { // C11
	var deafAt time.Time
	play(t, func(t *testing.T, r *rig) {
		settle(6 * time.Minute)
		r.want(t, "began resumed")
		p := r.fake.connections()[0]
		if p.code != 4000 {
			t.Errorf("closed with %d", p.code)
		}
		if gap := r.fake.connections()[1].opened.Sub(deafAt); gap > 2*interval+5*time.Second {
			t.Errorf("noticed after %s", gap)
		}
	}, func(p *peer) {
		p.begin("s1")
		time.Sleep(2 * time.Minute)
		p.mu.Lock()
		p.deaf = true
		p.mu.Unlock()
		deafAt = time.Now()
		p.stay()
	}, func(p *peer) {
		p.resume("s1", 1)
		p.resumed(2)
		p.stay()
	})
}

func TestBlackHole(t *testing.T) { // C19
	bubble(t, func(t *testing.T) {
		var hole atomic.Pointer[chan struct{}]
		fake := newFakeGateway(t, func(p *peer) {
			p.begin("s1")
			time.Sleep(time.Minute)
			until := make(chan struct{})
			p.mu.Lock()
			p.hole = until
			p.mu.Unlock()
			hole.Store(&until)
			p.stay()
		}, func(p *peer) {
			p.resume("s1", 1)
			p.message(2)
			p.resumed(3)
			p.stay()
		})
		fake.hole = func() <-chan struct{} {
			if until := hole.Load(); until != nil {
				return *until
			}
			return nil
		}
		r := start(t, fake, &store{})
		settle(time.Minute)
		before := time.Now()
		settle(70 * time.Minute)
		if st := r.gateway.Status(); st.State == discord.StateReady || st.Since.Before(before) {
			t.Errorf("after 70 minutes of silence the status is %+v", st)
		}
		until := *hole.Load()
		hole.Store(nil)
		close(until)
		settle(2 * time.Minute)
		r.want(t, "began R2 resumed")
	})
}

func TestConnectedIsNoLatch(t *testing.T) { // C20
	bubble(t, func(t *testing.T) {
		fake := newFakeGateway(t, func(p *peer) {
			p.begin("s1")
			time.Sleep(time.Minute)
		})
		var away atomic.Bool
		fake.refuse = func(string) int {
			if away.Load() {
				return http.StatusBadGateway
			}
			return 0
		}
		r := start(t, fake, &store{})
		settle(30 * time.Second)
		away.Store(true)
		if st := r.gateway.Status(); st.State != discord.StateReady {
			t.Errorf("status %+v", st)
		}
		settle(40 * time.Second)
		st := r.gateway.Status()
		if st.State == discord.StateReady || !strings.Contains(st.Reason+st.LastError, "502") {
			t.Errorf("status %+v", st)
		}
		if s := r.stored(); s.State == "ready" {
			t.Errorf("checkpoint %+v", s)
		}
	})
}

func TestEveryStepHasADeadline(t *testing.T) { // C19, C144
	for name, silent := range map[string]script{
		"no Hello": stay,
		"no READY": func(p *peer) { p.hello(); p.await(2); p.stay() },
		"reset":    func(*peer) {},
	} {
		t.Run(name, func(t *testing.T) {
			play(t, func(t *testing.T, r *rig) {
				settle(5 * time.Minute)
				r.want(t, "began")
			}, silent, silent, func(p *peer) {
				p.begin("s1")
				p.stay()
			})
		})
	}
}

func TestResumeURLUnreachable(t *testing.T) {
	t.Run("it alone: the session is given up", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			fake := newFakeGateway(t, func(p *peer) {
				p.begin("s1")
				time.Sleep(time.Minute)
			}, func(p *peer) {
				p.begin("s2")
				p.stay()
			})
			fake.refuse = func(path string) int {
				if path == "/resume" {
					return http.StatusServiceUnavailable
				}
				return 0
			}
			r := start(t, fake, &store{})
			settle(2 * time.Minute)
			r.want(t, "began began")
		})
	})
	t.Run("the whole network: the session is kept", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			fake := newFakeGateway(t, func(p *peer) {
				p.begin("s1")
				p.stay()
			}, func(p *peer) {
				p.resume("s1", 1)
				p.resumed(2)
				p.stay()
			})
			var down atomic.Bool
			fake.refuse = func(string) int {
				if down.Load() {
					return http.StatusBadGateway
				}
				return 0
			}
			fake.rest = func(w http.ResponseWriter, _ *http.Request) {
				if down.Load() {
					answer(w, 502, "")
					return
				}
				answer(w, 200, fullBudget)
			}
			r := start(t, fake, &store{})
			settle(time.Minute)
			down.Store(true)
			fake.memory.Cut()
			settle(10 * time.Minute)
			down.Store(false)
			settle(time.Minute)
			r.want(t, "began resumed")
		})
	})
}

func TestForeignResumeAddressIsNotFollowed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		sink := &store{known: true, session: gapless.Session{ID: "s1", ResumeURL: "ws://evil.test/resume", Seq: 4}}
		fake := newFakeGateway(t, func(p *peer) {
			if p.path != "/gateway" {
				p.t.Errorf("the token went to %s", p.path)
			}
			p.resume("s1", 4)
			p.resumed(5)
			p.stay()
		})
		r := start(t, fake, sink)
		settle(10 * time.Second)
		r.want(t, "resumed")
	})
}

func TestHostSleep(t *testing.T) { // C136
	bubble(t, func(t *testing.T) {
		var slept atomic.Int64
		fake := newFakeGateway(t, func(p *peer) {
			p.begin("s1")
			if code := p.stay(); code != 4000 {
				p.t.Errorf("closed with %d", code)
			}
		}, func(p *peer) {
			p.resume("s1", 1)
			p.resumed(2)
			p.stay()
		})
		sink := &store{prepare: func(g *discord.Gateway) {
			g.SetWall(func() time.Time { return time.Now().Add(time.Duration(slept.Load())) })
		}}
		r := start(t, fake, sink)
		settle(5 * time.Minute)
		slept.Store(int64(2 * time.Hour))
		settle(interval + time.Second)
		r.want(t, "began resumed")
	})
}

func TestSeenAtIsWhenAllWasWell(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var away atomic.Bool
		fake := newFakeGateway(t, func(p *peer) {
			p.begin("s1")
			time.Sleep(10 * time.Minute)
		}, func(p *peer) {
			p.begin("s2")
			p.stay()
		})
		fake.refuse = func(string) int {
			if away.Load() {
				return http.StatusBadGateway
			}
			return 0
		}
		sink := &store{}
		r := start(t, fake, sink)
		settle(9 * time.Minute)
		away.Store(true)
		if quiet := time.Since(r.stored().SeenAt); quiet > 2*interval {
			t.Errorf("a quiet connection was last known to be good %s ago", quiet)
		}
		settle(time.Hour)
		lost := newYear.Add(10 * time.Minute)
		if seen := r.stored().SeenAt; seen.After(lost) || lost.Sub(seen) > 2*interval {
			t.Errorf("lost at %s, last known to be good at %s", lost, seen)
		}
	})
}

func TestReconnectOnDoubt(t *testing.T) {
	play(t, func(t *testing.T, r *rig) {
		settle(time.Minute)
		r.gateway.Reconnect("an audit found what was not heard")
		settle(time.Minute)
		r.want(t, "began resumed")
		if !strings.Contains(r.log.String(), "an audit found") {
			t.Error("the reason is not in the log")
		}
	}, func(p *peer) {
		p.begin("s1")
		if code := p.stay(); code != 4000 {
			p.t.Errorf("closed with %d", code)
		}
	}, func(p *peer) {
		p.resume("s1", 1)
		p.resumed(2)
		p.stay()
	})
}

func TestSessionLostInALongOutage(t *testing.T) { // R2, C09: once Discord answers again, its own pace counts
	bubble(t, func(t *testing.T) {
		var away atomic.Bool
		var refused, again time.Time
		fake := newFakeGateway(t, func(p *peer) {
			p.begin("s1")
			time.Sleep(time.Minute)
		}, func(p *peer) {
			p.resume("s1", 1)
			refused = time.Now()
			p.send(`{"op":9,"d":false}`)
			p.stay()
		}, func(p *peer) {
			again = time.Now()
			p.begin("s2")
			p.stay()
		})
		fake.refuse = func(string) int {
			if away.Load() {
				return http.StatusBadGateway
			}
			return 0
		}
		fake.rest = func(w http.ResponseWriter, _ *http.Request) {
			if away.Load() {
				answer(w, 502, "")
				return
			}
			answer(w, 200, fullBudget)
		}
		r := start(t, fake, &store{})
		settle(30 * time.Second)
		away.Store(true)
		settle(48 * time.Minute)
		away.Store(false)
		settle(time.Minute + 15*time.Second)
		r.want(t, "began began")
		if wait := again.Sub(refused); wait < time.Second || wait > 5*time.Second {
			t.Errorf("identified %s after the refusal", wait)
		}
	})
}

func TestIdentifiesRefusedOverAndOver(t *testing.T) { // op 9 storms must not eat the budget
	bubble(t, func(t *testing.T) {
		scripts := make([]script, 400)
		for i := range scripts {
			scripts[i] = func(p *peer) {
				p.hello()
				p.await(2)
				p.send(`{"op":9,"d":false}`)
				p.stay()
			}
		}
		r := start(t, newFakeGateway(t, scripts...), &store{})
		settle(time.Hour)
		if n := r.gateway.Status().Identifies; n < 60 || n > 250 {
			t.Errorf("%d identifies in an hour", n)
		}
	})
}

// A connection that is not ready proves nothing about what is missed meanwhile.
func TestSeenAtDoesNotMoveBeforeResumed(t *testing.T) {
	play(t, func(t *testing.T, r *rig) {
		settle(3*time.Minute + 10*time.Second)
		if n := len(r.fake.connections()[1].heartbeats()); n == 0 {
			t.Error("the silent connection got no heartbeat")
		}
		if seen := r.stored().SeenAt; seen.After(newYear.Add(2 * time.Minute)) {
			t.Errorf("last known to be good at %s", seen)
		}
	}, func(p *peer) {
		p.begin("s1")
		time.Sleep(2 * time.Minute)
	}, func(p *peer) {
		p.hello()
		p.await(6)
		p.stay()
	}, stay)
}

func TestNoSessionNoSequence(t *testing.T) { // C10
	play(t, func(t *testing.T, r *rig) {
		settle(3 * time.Minute)
		if beats := r.fake.connections()[1].heartbeats(); len(beats) == 0 || beats[0] != "null" {
			t.Errorf("heartbeats between two sessions carried %v", beats)
		}
		if s := r.stored(); s.ID != "" || s.ResumeURL != "" || s.Seq != 0 || s.Self.ID != 11 {
			t.Errorf("checkpoint %+v", s)
		}
	}, func(p *peer) {
		p.begin("s1")
		p.message(2)
		time.Sleep(2 * time.Minute)
		p.send(`{"op":9,"d":false}`)
		p.stay()
	}, func(p *peer) {
		p.hello()
		p.await(2)
		p.stay()
	}, stay)
}
