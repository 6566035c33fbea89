package discord_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"gapless"
	"gapless/discord"
)

func stay(p *peer) { p.stay() }

func TestSessionBegins(t *testing.T) {
	play(t, func(t *testing.T, r *rig) {
		settle(time.Second)
		r.want(t, "began M2 M3")
		s := r.stored()
		if s.ID != "s1" || s.Seq != 3 || s.ResumeURL != "ws://discord.test/resume" || s.Self.ID != 11 || s.State != "ready" {
			t.Errorf("checkpoint %+v", s)
		}
		if s.Starts.Remaining != 999 || !s.Starts.IdentifiedAt.After(newYear.Add(-time.Second)) {
			t.Errorf("budget %+v", s.Starts)
		}
		if st := r.gateway.Status(); st.State != discord.StateReady || st.Identifies != 1 || st.Seq != 3 || st.EventAt.IsZero() {
			t.Errorf("status %+v", st)
		}
		for _, b := range r.batches {
			for i, e := range b.Events {
				if e.Kind == gapless.SessionBegan && i != 0 {
					t.Errorf("READY is event %d of its batch", i)
				}
			}
		}
		var identify struct {
			D struct {
				Token   string
				Intents int
			}
		}
		decode(t, r.fake.connections()[0].asked, &identify)
		if identify.D.Token != token || identify.D.Intents != discord.DefaultIntents {
			t.Errorf("identified with %+v", identify)
		}
	}, func(p *peer) {
		p.begin("s1")
		p.message(2)
		p.message(3)
		p.stay()
	})
}

func TestReplayIsHandedOver(t *testing.T) { // C05
	play(t, func(t *testing.T, r *rig) {
		settle(time.Minute)
		r.want(t, "began M2 M3 R4 R5 R3 resumed M7")
		if s := r.stored(); s.Seq != 7 {
			t.Errorf("sequence %d", s.Seq)
		}
		if st := r.gateway.Status(); st.Resumes != 1 || st.Identifies != 1 {
			t.Errorf("status %+v", st)
		}
		if p := r.fake.connections()[1]; p.path != "/resume" {
			t.Errorf("resumed at %s", p.path)
		}
	}, func(p *peer) {
		p.begin("s1")
		p.message(2)
		p.message(3)
		time.Sleep(20 * time.Second)
	}, func(p *peer) {
		p.resume("s1", 3)
		p.message(4)
		p.message(5)
		p.message(3) // a duplicate
		p.resumed(6)
		p.message(7)
		p.stay()
	})
}

func TestRestartResumes(t *testing.T) { // C16
	bubble(t, func(t *testing.T) {
		var code int
		fake := newFakeGateway(t, func(p *peer) {
			p.begin("s1")
			p.message(2)
			code = p.stay()
		}, func(p *peer) {
			p.resume("s1", 2)
			p.message(3)
			p.resumed(4)
			p.stay()
		})
		sink := &store{}
		r := start(t, fake, sink)
		settle(5 * time.Second)
		if err := r.end(t); err != nil {
			t.Errorf("Run: %v", err)
		}
		if code == 1000 || code == 1001 || code < 4000 {
			t.Errorf("closed with %d", code)
		}
		if s := r.stored(); s.ID != "s1" || s.Seq != 2 || s.State != "stopped" || r.gateway.Status().State != discord.StateStopped {
			t.Errorf("checkpoint %+v", s)
		}
		time.Sleep(8 * time.Second)
		start(t, fake, sink)
		settle(5 * time.Second)
		r.want(t, "began M2 R3 resumed")
	})
}

func TestDeadSessionIsGivenUp(t *testing.T) { // C07
	closes := func(p *peer) {
		p.resume("s1", 2)
		p.close(4000)
	}
	play(t, func(t *testing.T, r *rig) {
		settle(2 * time.Minute)
		r.want(t, "began M2 began M2")
		if st := r.gateway.Status(); st.Resumes != 3 || st.Identifies != 2 || st.State != discord.StateReady {
			t.Errorf("status %+v", st)
		}
		if s := r.stored(); s.ID != "s2" || s.Seq != 2 {
			t.Errorf("checkpoint %+v", s)
		}
	}, func(p *peer) {
		p.begin("s1")
		p.message(2)
		time.Sleep(time.Minute)
	}, closes, closes, closes, func(p *peer) {
		p.begin("s2")
		p.message(2)
		p.stay()
	})
}

func TestSecondFailureInsideAResume(t *testing.T) {
	play(t, func(t *testing.T, r *rig) {
		settle(2 * time.Minute)
		r.want(t, "began R2 R3 R4 R5 resumed")
		if st := r.gateway.Status(); st.Identifies != 1 || st.Resumes != 3 {
			t.Errorf("status %+v", st)
		}
	}, func(p *peer) {
		p.begin("s1")
		time.Sleep(time.Minute)
	}, func(p *peer) {
		p.resume("s1", 1)
		p.message(2)
		p.message(3)
		time.Sleep(time.Second)
	}, func(p *peer) {
		p.resume("s1", 3)
		p.message(4)
		p.send(`{"op":7,"d":null}`) // amid the replay
		p.stay()
	}, func(p *peer) {
		p.resume("s1", 4)
		p.message(5)
		p.resumed(6)
		p.stay()
	})
}

func TestInvalidSession(t *testing.T) { // C09
	t.Run("resumable", func(t *testing.T) {
		play(t, func(t *testing.T, r *rig) {
			settle(time.Minute + 5*time.Second)
			r.want(t, "began resumed")
		}, func(p *peer) {
			p.begin("s1")
			time.Sleep(time.Minute)
			p.send(`{"op":9,"d":true,"s":null}`)
			if code := p.stay(); code != 4000 {
				p.t.Errorf("closed with %d", code)
			}
		}, func(p *peer) {
			p.resume("s1", 1)
			p.resumed(2)
			p.stay()
		})
	})
	t.Run("over", func(t *testing.T) {
		var asked, again time.Time
		play(t, func(t *testing.T, r *rig) {
			settle(time.Minute + 10*time.Second)
			r.want(t, "began began")
			if wait := again.Sub(asked); wait < time.Second || wait > 5*time.Second {
				t.Errorf("identified after %s", wait)
			}
			if s := r.stored(); s.ID != "s2" || s.Seq != 1 {
				t.Errorf("checkpoint %+v", s)
			}
		}, func(p *peer) {
			p.begin("s1")
			time.Sleep(time.Minute)
			asked = time.Now()
			p.send(`{"op":9,"d":false}`)
			p.stay()
		}, func(p *peer) {
			again = time.Now()
			p.begin("s2")
			p.stay()
		})
	})
}

func TestSequenceAndSessionAreOne(t *testing.T) { // C10
	play(t, func(t *testing.T, r *rig) {
		settle(3 * time.Minute)
		r.want(t, "began resumed began resumed")
	}, func(p *peer) {
		p.begin("s1")
		p.send(`{"op":11,"d":null,"s":null,"t":null}`)
		p.send(`{"op":1,"d":null,"s":null,"t":null}`)
		time.Sleep(20 * time.Second)
	}, func(p *peer) {
		p.resume("s1", 1)
		p.resumed(2)
		time.Sleep(20 * time.Second)
		p.send(`{"op":9,"d":false,"s":null}`)
		p.stay()
	}, func(p *peer) {
		if p.path != "/gateway" {
			p.t.Errorf("the new session began at %s", p.path)
		}
		p.begin("s2")
		time.Sleep(20 * time.Second)
	}, func(p *peer) {
		p.resume("s2", 1)
		p.resumed(2)
		p.stay()
	})
}

func TestReconnectRequests(t *testing.T) { // C144
	t.Run("before Hello", func(t *testing.T) {
		play(t, func(t *testing.T, r *rig) {
			settle(10 * time.Second)
			r.want(t, "began")
		}, func(p *peer) {
			p.send(`{"op":7,"d":null}`)
			p.stay()
		}, func(p *peer) {
			p.begin("s1")
			p.stay()
		})
	})
	t.Run("then silence", func(t *testing.T) {
		play(t, func(t *testing.T, r *rig) {
			settle(5 * time.Minute)
			r.want(t, "began resumed")
		}, func(p *peer) {
			p.begin("s1")
			time.Sleep(time.Minute)
			p.send(`{"op":7,"d":null}`)
			if code := p.stay(); code != 4000 {
				p.t.Errorf("closed with %d", code)
			}
		}, stay, func(p *peer) {
			p.hello()
			p.await(6)
			p.stay() // a resume that is never answered
		}, func(p *peer) {
			p.resume("s1", 1)
			p.resumed(2)
			p.stay()
		})
	})
}

func TestServerCloses(t *testing.T) {
	for code, forgets := range map[int]bool{1000: false, 1001: false, 1011: false, 4000: false, 4008: false, 4009: false, 4003: true, 4006: true, 4007: true} {
		play(t, func(t *testing.T, r *rig) {
			settle(time.Minute + 10*time.Second)
			if want := map[bool]string{true: "began began", false: "began resumed"}[forgets]; r.trace() != want {
				t.Errorf("close %d: stored %s", code, r.trace())
			}
		}, func(p *peer) {
			p.begin("s1")
			time.Sleep(time.Minute)
			p.close(code)
		}, func(p *peer) {
			if forgets {
				p.begin("s2")
			} else {
				p.resume("s1", 1)
				p.resumed(2)
			}
			p.stay()
		})
	}
}

func TestFinalCloses(t *testing.T) {
	for code, says := range map[int]string{
		4004: "token", 4010: "shard", 4011: "shards", 4012: "version", 4013: "intents", 4014: "Message Content Intent",
	} {
		bubble(t, func(t *testing.T) {
			r := start(t, newFakeGateway(t, func(p *peer) {
				p.hello()
				p.await(2)
				p.close(code)
			}), &store{})
			err := <-r.done
			if err == nil || !strings.Contains(err.Error(), says) || errors.Is(err, gapless.ErrUnauthorized) != (code == 4004) {
				t.Errorf("close %d: %v", code, err)
			}
			if st := r.gateway.Status(); st.State != discord.StateStopped || st.Reason == "" {
				t.Errorf("close %d: status %+v", code, st)
			}
			r.done <- nil
		})
	}
}

func TestJumpIsReported(t *testing.T) {
	play(t, func(t *testing.T, r *rig) {
		settle(2 * time.Minute)
		r.want(t, "began M2 jump(from 2 to 5) M5 jump(from 5 to 8) R8 resumed")
	}, func(p *peer) {
		p.begin("s1")
		p.message(2)
		p.message(5)
		time.Sleep(time.Minute)
	}, func(p *peer) {
		p.resume("s1", 5)
		p.message(8)
		p.resumed(9)
		p.stay()
	})
}

func TestOddFramesAreReported(t *testing.T) { // C141, C142
	play(t, func(t *testing.T, r *rig) {
		settle(2 * time.Minute)
		r.want(t, "began M2 M3 unreadable(MESSAGE_CREATE) M5 unreadable(MESSAGE_CREATE) unreadable(a frame without an envelope) M8 resumed")
		if st := r.gateway.Status(); st.Identifies != 1 {
			t.Errorf("status %+v", st)
		}
	}, func(p *peer) {
		p.begin("s1")
		p.message(2)
		p.event(3, "MESSAGE_CREATE", `{"id":"3","channel_id":"7","author":{"id":"40"},"content":"the text","components":[{"type":9999,"odd":[]}]}`)
		p.event(4, "MESSAGE_CREATE", `{"id":"4","channel_id":"7","author":{"id":"40"},"content":{"the text":1}}`)
		p.message(5)
		p.event(6, "MESSAGE_CREATE", `{"id":"6","content":"the text",,}`)
		p.send("the text")
		p.event(7, "A_NEW_KIND", `[1]`)
		p.message(8)
		time.Sleep(time.Minute)
	}, func(p *peer) {
		p.resume("s1", 8)
		p.resumed(9)
		p.stay()
	})
}
