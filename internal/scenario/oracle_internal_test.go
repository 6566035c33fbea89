package scenario

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gapless"
	"gapless/discordsim"
)

// sound is a run in which a bit of everything happens and nothing is wrong.
const sound = `title a sound run
guild home with #general
user alice
handler fails once on M3
handler answers in 2 parts on M1

start
wait until connected
wait 1m
alice in #general: M1 @bot a message that is heard
alice in #general: M4 a message that is meant for nobody
wait until M1 is answered
wait 1m
stop
wait 5m
alice in #general: M2 @bot a message that is missed
wait 1s
alice in #general: M3 @bot a message that fails once
wait 1m
start
`

// TestOracleSeesPlanted plants one fault at a time into the evidence of a sound run.
func TestOracleSeesPlanted(t *testing.T) {
	for _, tt := range []struct {
		name  string
		plant func(p *player, e *evidence)
		want  string // what the oracle must say; nothing if it must be content
	}{
		{"nothing", func(*player, *evidence) {}, ""},
		{"a lost message", func(p *player, e *evidence) { delete(e.fates, p.messageID("M2")) }, "M2 was lost"},
		{"a message said to be lost that is covered", func(p *player, e *evidence) {
			delete(e.fates, p.messageID("M2"))
			e.allow.lost["M2"] = true
			e.gaps[0].End, e.gaps[0].After = "", e.gaps[0].From
		}, "M2 was said to be lost"},
		{"a lost message below a floor of later", func(p *player, e *evidence) {
			delete(e.fates, p.messageID("M2"))
			e.floors[e.gaps[0].Place] = p.messageID("M3")
		}, "M2 was lost"},
		{"a false refusal", func(p *player, e *evidence) { *e.fates[p.messageID("M1")] = fate{refused: gapless.ReasonMention} },
			`M1 was refused as "mention", which is not true`},
		{"a false deletion", func(p *player, e *evidence) { *e.fates[p.messageID("M1")] = fate{deleted: 1} }, "M1 counts as deleted, but it exists"},
		{"a message nobody lets through", func(_ *player, e *evidence) {
			for i := range e.policies {
				e.policies[i].policy.Everyone = false
			}
		}, "M1 was handled although no policy lets it through"},
		{"an unfinished turn", func(p *player, e *evidence) { claimOf(p, e, "M1").State = gapless.Leased }, "M1 was never finished: it is leased"},
		{"given up too soon", func(p *player, e *evidence) {
			d := claimOf(p, e, "M3")
			d.State, d.Reason = gapless.Dead, gapless.Attempts
			e.turns[len(e.turns)-1].verdict = "fails"
		}, "M3 was given up after 2 failures, not 5"},
		{"given up although done", func(p *player, e *evidence) { claimOf(p, e, "M1").State = gapless.Dead }, "M1 was given up although its handler had been done"},
		{"an answer held twice", func(_ *player, e *evidence) { e.truth = append(e.truth, answerOf(e)) }, "part 1 of the answer to M1 is held 2 times"},
		{"an answer of nobody", func(_ *player, e *evidence) {
			m := answerOf(e)
			m.Nonce = "another"
			e.truth = append(e.truth, m)
		}, "which belongs to no stored answer"},
		{"an answer that did not arrive", func(_ *player, e *evidence) {
			for i := range e.truth {
				if e.truth[i].ID == answerOf(e).ID {
					e.truth[i].Nonce, e.truth[i].ByREST = "", false
				}
			}
		}, "counts as sent, but discord does not hold it"},
		{"an answer with another text", func(_ *player, e *evidence) { replyOf(e, func(r *gapless.Reply) { r.Text = "something else" }) },
			"has another text in discord"},
		{"an unsent answer", func(_ *player, e *evidence) { replyOf(e, func(r *gapless.Reply) { r.State = gapless.ReplyIntended }) },
			"part 1 of the answer to M1 was never finished"},
		{"parts out of order", func(_ *player, e *evidence) { replyOf(e, func(r *gapless.Reply) { r.Message = 1 << 62 }) }, "the parts of the answer to M1 stand out of order"},
		{"an answer that was not said", func(_ *player, e *evidence) { e.turns[0].replies = []string{"I said nothing of the kind"} }, "the handler said"},
		{"a second start", func(_ *player, e *evidence) {
			again := e.turns[0]
			again.attempt, again.began = 2, again.ended.Add(time.Second)
			e.claims[again.delivery].boots = []string{"a", "b"}
			e.turns = append(e.turns, again)
		}, "M1 was started again although its handler had ended (done)"},
		{"a second start without a number", func(_ *player, e *evidence) {
			again := e.turns[0]
			again.began = again.ended.Add(time.Second)
			e.turns = append(e.turns, again)
		}, "M1 started as attempt 1 after attempt 1"},
		{"a start without a lease", func(_ *player, e *evidence) { e.turns[0].attempt = 2 }, "M1 started as attempt 2 with 1 leases"},
		{"two starts at once", func(p *player, e *evidence) { e.turns[len(e.turns)-2].ended = time.Now() }, "M3 was started while its handler ran"},
		{"a message in two deliveries", func(_ *player, e *evidence) {
			e.turns[1].messages = append(e.turns[1].messages, e.turns[0].messages...)
		}, "M1 is in two deliveries"},
		{"disorder", func(_ *player, e *evidence) { e.turns[1], e.turns[2] = e.turns[2], e.turns[1] }, "order: M3 started before M2"},
		{"too much history", func(_ *player, e *evidence) { more(e, 20, "GET", "/channels/{channel}/messages", 200) }, "calls for history"},
		{"too many posts", func(_ *player, e *evidence) { more(e, 20, "POST", "/channels/{channel}/messages", 200) }, "posts, where"},
		{"too many inventories", func(_ *player, e *evidence) { more(e, 20, "GET", "/guilds/{guild}/channels", 200) }, "calls for inventories"},
		{"too many listings", func(_ *player, e *evidence) { more(e, 40, "GET", "/channels/{channel}/threads/archived/public", 200) }, "calls for archived threads"},
		{"a storm", func(_ *player, e *evidence) { more(e, 21, "GET", "/channels/{channel}/messages", 429) }, "a storm: 2"},
		{"a limit of our own making", func(_ *player, e *evidence) { more(e, 1, "GET", "/channels/{channel}/messages", 429) }, "1 answers of 429, though"},
		{"a limit of the script's", func(_ *player, e *evidence) {
			e.limited = true
			more(e, 1, "GET", "/channels/{channel}/messages", 429)
		}, ""},
		{"a refused read repeated at once", func(_ *player, e *evidence) { more(e, 2, "GET", "/channels/{channel}/messages", 403) }, "was refused and asked again after 0s"},
		{"a refused read repeated later", func(_ *player, e *evidence) {
			more(e, 2, "GET", "/channels/{channel}/messages", 403)
			e.calls[len(e.calls)-1].at = e.calls[len(e.calls)-2].at.Add(time.Minute)
		}, ""},
		{"identifies", func(_ *player, e *evidence) {
			i := e.conns[0].Identifies[0]
			e.conns[0].Identifies = []discordsim.Identify{i, i, i}
		}, "identifies, where 2 would do"},
		{"a text in the log", func(_ *player, e *evidence) { e.log = append(e.log, `{"msg":"admitted a message that is missed"}`) }, "stands in the log"},
		{"a token in the log", func(_ *player, e *evidence) { e.log = append(e.log, "Authorization: Bot "+e.bot.Token) }, "the token stands in the log"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := judged(t, tt.plant)
			switch {
			case tt.want == "" && len(got) > 0:
				t.Errorf("a sound run, but the oracle says: %s", strings.Join(got, "\n"))
			case !strings.Contains(strings.Join(got, "\n"), tt.want):
				t.Errorf("the oracle says %q, want %q", got, tt.want)
			}
		})
	}
}

// judged plays the sound run, changes its evidence and gives what the oracle says of it.
func judged(t *testing.T, plant func(p *player, e *evidence)) (got []string) {
	t.Helper()
	s, err := Parse("sound.txt", sound)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		p := s.run(dir)
		for _, err := range p.failures {
			t.Fatal(err)
		}
		e := p.evidence()
		plant(p, e)
		got = e.judge()
	})
	return got
}

func claimOf(p *player, e *evidence, name string) *claimed {
	return e.claims[e.fates[p.messageID(name)].delivery]
}

// answerOf is the first message of the bot.
func answerOf(e *evidence) discordsim.Message {
	for _, m := range e.truth {
		if m.Author == e.bot.ID {
			return m
		}
	}
	return discordsim.Message{}
}

// replyOf changes the first part of the first answer.
func replyOf(e *evidence, change func(*gapless.Reply)) {
	r := sortedReplies(e.replies)[0]
	change(&r)
	e.replies[r.ID] = r
}

func more(e *evidence, n int, method, route string, status int) {
	for range n {
		e.calls = append(e.calls, callSeen{method: method, route: route, status: status})
	}
}

// TestClaimsAreJudgedOnTheSpot plants what the journal can only see while it happens.
func TestClaimsAreJudgedOnTheSpot(t *testing.T) {
	for _, tt := range []struct {
		name  string
		plant func(p *player, d *gapless.Delivery)
		want  string
	}{
		{"nothing", func(*player, *gapless.Delivery) {}, ""},
		{"an older message waits", func(p *player, d *gapless.Delivery) {
			f := p.journal.fate(p.messageID("M4"), d.Place.ID)
			f.refused, f.admitted = "", 1
		}, "order: a delivery starts before M4"},
		{"a gap holds", func(p *player, d *gapless.Delivery) {
			p.journal.gaps["x"] = &gapFate{Gap: gapless.Gap{Place: d.Place.ID, Upto: d.First().ID, HoldTill: time.Now().Add(time.Minute)}}
		}, "although a gap below it is being recovered"},
		{"a turn runs", func(p *player, d *gapless.Delivery) {
			p.journal.claims["x"] = &claimed{Delivery: gapless.Delivery{ID: "x", Lane: d.Lane, State: gapless.Leased}}
		}, "although a turn of its lane runs"},
		{"it is settled", func(p *player, d *gapless.Delivery) {
			p.journal.claims[d.ID] = &claimed{Delivery: gapless.Delivery{ID: d.ID, State: gapless.Settled, Messages: d.Messages}}
		}, "although it is settled"},
		{"the fence is old", func(p *player, d *gapless.Delivery) {
			p.journal.claims[d.ID] = &claimed{Delivery: gapless.Delivery{ID: d.ID, State: gapless.Waiting, Fence: d.Fence, Messages: d.Messages}}
		}, "is leased again with fence 9 after 9"},
		{"a member is new", func(p *player, d *gapless.Delivery) {
			p.journal.claims[d.ID] = &claimed{Delivery: gapless.Delivery{ID: d.ID, State: gapless.Waiting}}
		}, "joined a delivery between its attempts"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := Parse("sound.txt", sound)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				p := s.run(dir)
				c := &cut{proc: &process{player: p}, j: p.journal}
				d := gapless.Delivery{ID: "new", Lane: p.journal.turns[0].lane, Fence: 9}
				d.Place.ID = laneOwner(d.Lane)
				d.Messages = []gapless.Item{{Message: gapless.Message{ID: p.messageID("M3") + 1, Place: d.Place.ID}}}
				tt.plant(p, &d)
				c.judgeClaim(d, time.Now(), p.journal.seq)
				got := strings.Join(p.journal.wrong, "\n")
				got = strings.ReplaceAll(got, c.name(d.First().ID), "a delivery")
				if got == "" != (tt.want == "") || !strings.Contains(got, tt.want) {
					t.Errorf("the journal says %q, want %q", got, tt.want)
				}
			})
		})
	}
}
