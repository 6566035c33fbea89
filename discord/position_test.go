package discord_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"gapless"
	"gapless/discord"
)

// either says hello and takes what the client asks for: a resume, with message 3 replayed, or a new session.
func (p *peer) either(session string) {
	p.hello()
	select {
	case f := <-p.inbox:
		switch f.Op {
		case 6:
			p.message(3)
			p.resumed(4)
		case 2:
			p.ready(session)
		default:
			p.t.Errorf("the client sent op %d", f.Op)
		}
	case <-p.gone:
		p.t.Error("the client left before it had said anything")
	}
}

// Op 7 and op 9 may come in any position; the session ends when Discord says so and is kept else, and the next
// connection goes on (protocol A10, A11).
func TestAskedToGoInAnyPosition(t *testing.T) {
	frames := map[string]string{
		"op 7": `{"op":7,"d":null}`, "op 9, resumable": `{"op":9,"d":true}`, "op 9, over": `{"op":9,"d":false}`, "op 9 without a word": `{"op":9}`,
	}
	positions := map[string]func(p *peer, frame string){
		"before Hello": func(p *peer, frame string) { p.send(frame) },
		"in one breath with Hello": func(p *peer, frame string) {
			p.hello()
			p.send(frame)
		},
		"instead of a replay": func(p *peer, frame string) {
			p.resume("s1", 2)
			p.send(frame)
		},
		"amid a replay": func(p *peer, frame string) {
			p.resume("s1", 2)
			p.message(3)
			p.send(frame)
		},
		"right after RESUMED": func(p *peer, frame string) {
			p.resume("s1", 2)
			p.message(3)
			p.resumed(4)
			p.send(frame)
		},
		"twice": func(p *peer, frame string) {
			p.resume("s1", 2)
			p.send(frame)
			p.send(frame)
		},
	}
	for where, trouble := range positions {
		for what, frame := range frames {
			t.Run(what+" "+where, func(t *testing.T) {
				play(t, func(t *testing.T, r *rig) {
					settle(3 * time.Minute)
					over := strings.Contains(what, "over") || strings.Contains(what, "without")
					if s := r.stored(); s.ID != map[bool]string{true: "s2", false: "s1"}[over] || r.gateway.Status().State != discord.StateReady {
						t.Errorf("the session is %q, the state %s; stored %s", s.ID, r.gateway.Status().State, r.trace())
					}
					if got := r.trace(); !over && (!strings.Contains(got, "R3") || strings.Count(got, "began") != 1) {
						t.Errorf("stored %s", got)
					}
				}, func(p *peer) {
					p.begin("s1")
					p.message(2)
					time.Sleep(time.Minute)
				}, func(p *peer) {
					trouble(p, frame)
					if code := p.stay(); code == 1000 || code == 1001 {
						p.t.Errorf("closed with %d, which ends the session", code)
					}
				}, func(p *peer) {
					p.either("s2")
					p.stay()
				})
			})
		}
	}
}

// The same before the very first session: nothing is known yet, and it begins all the same.
func TestAskedToGoBeforeTheFirstSession(t *testing.T) {
	for _, frame := range []string{`{"op":7,"d":null}`, `{"op":9,"d":true}`, `{"op":9,"d":false}`} {
		for name, trouble := range map[string]script{
			"before Hello": func(p *peer) { p.send(frame); p.stay() },
			"instead of READY": func(p *peer) {
				p.hello()
				p.await(2)
				p.send(frame)
				p.stay()
			},
		} {
			t.Run(frame+" "+name, func(t *testing.T) {
				play(t, func(t *testing.T, r *rig) {
					settle(2 * time.Minute)
					r.want(t, "began")
				}, trouble, trouble, func(p *peer) {
					p.begin("s1")
					p.stay()
				})
			})
		}
	}
}

// A resume that replays and is never finished, over and over, is given up at last; each try moves the sequence, so
// that none asks for the same again.
func TestResumeThatNeverEnds(t *testing.T) {
	hangs := func(from int) script {
		return func(p *peer) {
			p.resume("s1", from)
			p.stay()
		}
	}
	play(t, func(t *testing.T, r *rig) {
		settle(20 * time.Minute)
		r.want(t, "began began")
		if st := r.gateway.Status(); st.Resumes != 3 || st.Identifies != 2 {
			t.Errorf("status %+v", st)
		}
	}, func(p *peer) {
		p.begin("s1")
		time.Sleep(time.Minute)
	}, hangs(1), hangs(1), hangs(1), func(p *peer) {
		p.begin("s2")
		p.stay()
	})
}

// A host that wakes has missed what nobody sent again: its wall clock tells, by however much the running clock went on.
func TestHostSleepByBothClocks(t *testing.T) {
	for name, c := range map[string]struct {
		wall  time.Duration // what the wall clock is ahead by after the sleep
		drops bool
	}{
		"the running clock stood still":      {2 * time.Hour, true},
		"a nap":                              {6 * time.Second, true},
		"a time service put the clock right": {3 * time.Second, false},
		"the clock was put back":             {-time.Hour, false},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				begun := time.Now()
				fake := newFakeGateway(t, func(p *peer) {
					p.begin("s1")
					p.stay()
				}, func(p *peer) {
					p.resume("s1", 1)
					p.resumed(2)
					p.stay()
				})
				r := start(t, fake, &store{}, func(cfg *discord.GatewayConfig) {
					cfg.Wall = func() time.Time {
						if time.Since(begun) > 5*time.Minute {
							return time.Now().Add(c.wall)
						}
						return time.Now()
					}
				})
				settle(7 * time.Minute)
				r.want(t, map[bool]string{true: "began resumed", false: "began"}[c.drops])
			})
		})
	}
}

// The guilds of a big bot come for a quarter of an hour: neither the time it takes nor a ledger that takes its time
// for each costs the connection or a heartbeat.
func TestLongGuildStorm(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const guilds = 3000
		sink := &store{}
		sink.admit = func(_ context.Context, b gapless.Batch) error {
			time.Sleep(time.Duration(len(b.Events)) * 300 * time.Millisecond)
			return nil
		}
		fake := newFakeGateway(t, func(p *peer) {
			p.begin("s1")
			for i := range guilds {
				p.event(2+i, "GUILD_CREATE", fmt.Sprintf(`{"id":"%d","name":"g","channels":[{"id":"%d","type":0,"last_message_id":"7"}]}`, 1000+i, 9000+i))
				if i%10 == 0 {
					time.Sleep(time.Second)
				}
			}
			p.stay()
		})
		r := start(t, fake, sink, func(cfg *discord.GatewayConfig) { cfg.Queue = 64 })
		settle(30 * time.Minute)
		if st := r.gateway.Status(); st.Connects != 1 || st.State != discord.StateReady || st.Seq != guilds+1 {
			t.Errorf("status %+v", st)
		}
		if n, due := len(fake.connections()[0].heartbeats()), int(30*time.Minute/interval); n < due-1 {
			t.Errorf("%d heartbeats, %d were due", n, due)
		}
	})
}
