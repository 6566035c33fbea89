package gapless_test

import (
	"testing"
	"time"

	"gapless"

	"gapless/internal/property"
	"pgregory.net/rapid"
)

func TestLateness(t *testing.T) {
	const soon, long = time.Minute, 3 * time.Hour
	live, read, audit := gapless.OriginLive, gapless.OriginHistory, gapless.OriginAudit
	same := gapless.LatePolicy{Recovered: gapless.Recovered{
		Normal: gapless.LateSame, Command: gapless.LateSame, Approval: gapless.LateSame, Bot: gapless.LateSame,
	}}
	for _, c := range []struct {
		name   string
		policy gapless.LatePolicy
		class  gapless.Class
		age    time.Duration
		origin gapless.Origin
		deed   gapless.LateDeed
		reason gapless.Reason
		may    bool // approve
	}{
		{"live and at once", gapless.LatePolicy{}, gapless.ClassNormal, soon, live, gapless.LateRun, "", true},
		{"written in the future (C100)", gapless.LatePolicy{}, gapless.ClassNormal, -soon, live, gapless.LateRun, "", true},
		{"just not late", gapless.LatePolicy{}, gapless.ClassNormal, 10*time.Minute - 1, live, gapless.LateRun, "", true},
		{"just late (C118)", gapless.LatePolicy{}, gapless.ClassNormal, 10 * time.Minute, live, gapless.LateTell, "", false},
		{"late by configuration", gapless.LatePolicy{After: time.Second}, gapless.ClassNormal, soon, live, gapless.LateTell, "", false},
		{"replayed is heard", gapless.LatePolicy{}, gapless.ClassCommand, soon, gapless.OriginReplay, gapless.LateRun, "", true},
		{"recovered", gapless.LatePolicy{}, gapless.ClassNormal, soon, read, gapless.LateRun, "", false},
		{"recovered and late (C118)", gapless.LatePolicy{}, gapless.ClassNormal, long, read, gapless.LateTell, "", false},
		{"author is asked (C118)", gapless.LatePolicy{Ask: 2 * time.Hour}, gapless.ClassNormal, long, read, gapless.LateInquire, "", false},
		{"asked of a live one as well", gapless.LatePolicy{Ask: 2 * time.Hour}, gapless.ClassNormal, long, live, gapless.LateInquire, "", false},
		{"not asked so soon", gapless.LatePolicy{Ask: 2 * time.Hour}, gapless.ClassNormal, time.Hour, read, gapless.LateTell, "", false},
		{"never expires by itself", gapless.LatePolicy{}, gapless.ClassNormal, 1000 * time.Hour, live, gapless.LateTell, "", false},
		{"expires (C119)", gapless.LatePolicy{Expire: long}, gapless.ClassNormal, long, live, gapless.LateDrop, gapless.Expired, false},
		{"expired goes before asked", gapless.LatePolicy{Expire: long, Ask: soon}, gapless.ClassNormal, long, read, gapless.LateDrop, gapless.Expired, false},
		{"expired goes before its class", gapless.LatePolicy{Expire: long}, gapless.ClassBot, long, read, gapless.LateDrop, gapless.Expired, false},
		{"command, live", gapless.LatePolicy{}, gapless.ClassCommand, soon, live, gapless.LateRun, "", true},
		{"command, recovered (C70)", gapless.LatePolicy{}, gapless.ClassCommand, soon, read, gapless.LateDrop, gapless.LateCommand, false},
		{"command, found by an audit (C70)", gapless.LatePolicy{}, gapless.ClassCommand, soon, audit, gapless.LateDrop, gapless.LateCommand, false},
		{"approval, recovered (C71)", gapless.LatePolicy{}, gapless.ClassApproval, soon, read, gapless.LateDrop, gapless.LateApproval, false},
		{"approval, live but late (C71)", gapless.LatePolicy{}, gapless.ClassApproval, long, live, gapless.LateTell, "", false},
		{"bot, live", gapless.LatePolicy{}, gapless.ClassBot, soon, live, gapless.LateRun, "", false},
		{"bot, recovered (C72)", gapless.LatePolicy{}, gapless.ClassBot, soon, read, gapless.LateDrop, gapless.LateBot, false},
		{"normal, not wanted (C133)", gapless.LatePolicy{Recovered: gapless.Recovered{Normal: gapless.LateSkip}}, gapless.ClassNormal, soon, read, gapless.LateDrop, gapless.LateMessage, false},
		{"normal, not wanted, but live", gapless.LatePolicy{Recovered: gapless.Recovered{Normal: gapless.LateSkip}}, gapless.ClassNormal, long, live, gapless.LateTell, "", false},
		{"command, asked about", gapless.LatePolicy{Recovered: gapless.Recovered{Command: gapless.LateAsk}}, gapless.ClassCommand, soon, read, gapless.LateInquire, "", false},
		{"command, the live rule", same, gapless.ClassCommand, soon, read, gapless.LateRun, "", false},
		{"approval, the live rule, approves nothing (C71)", same, gapless.ClassApproval, soon, read, gapless.LateRun, "", false},
		{"bot, the live rule", same, gapless.ClassBot, long, read, gapless.LateTell, "", false},
		{"an unknown rule is the default", gapless.LatePolicy{Recovered: gapless.Recovered{Command: "?"}}, gapless.ClassCommand, soon, read, gapless.LateDrop, gapless.LateCommand, false},
		{"an unknown class is normal", gapless.LatePolicy{}, "?", soon, read, gapless.LateRun, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := gapless.Late(gapless.LateSubject{Policy: &c.policy, Class: c.class, Age: c.age, Origin: c.origin})
			want := gapless.Lateness{Deed: c.deed, Reason: c.reason, Age: max(c.age, 0), MayApprove: c.may}
			if got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}

// A message that was recovered or is late approves nothing, nothing is dropped
// without a reason, and getting older never makes a message less late.
func TestLatenessIsTotal(t *testing.T) {
	rule := rapid.SampledFrom([]gapless.LateRule{"", gapless.LateSame, gapless.LateSkip, gapless.LateAsk, "?"})
	span := rapid.SampledFrom([]time.Duration{0, time.Second, time.Hour, 24 * time.Hour})
	rank := map[gapless.LateDeed]int{gapless.LateRun: 0, gapless.LateTell: 1, gapless.LateInquire: 2, gapless.LateDrop: 3}
	property.Check(t, func(t *rapid.T) {
		s := gapless.LateSubject{
			Policy: &gapless.LatePolicy{
				After: span.Draw(t, "after"), Ask: span.Draw(t, "ask"), Expire: span.Draw(t, "expire"),
				Recovered: gapless.Recovered{Normal: rule.Draw(t, "n"), Command: rule.Draw(t, "c"), Approval: rule.Draw(t, "a"), Bot: rule.Draw(t, "b")},
			},
			Class:  rapid.SampledFrom([]gapless.Class{gapless.ClassNormal, gapless.ClassCommand, gapless.ClassApproval, gapless.ClassBot, "?"}).Draw(t, "class"),
			Origin: rapid.SampledFrom([]gapless.Origin{gapless.OriginLive, gapless.OriginReplay, gapless.OriginHistory, gapless.OriginAudit}).Draw(t, "origin"),
			Age:    time.Duration(rapid.Int64Range(-int64(time.Hour), int64(48*time.Hour)).Draw(t, "age")),
		}
		got := gapless.Late(s)
		if got.MayApprove && (s.Origin.Recovered() || got.Deed != gapless.LateRun) {
			t.Fatalf("%+v may approve", got)
		}
		if (got.Deed == gapless.LateDrop) != (got.Reason != "") {
			t.Fatalf("dropped without a reason, or a reason for nothing: %+v", got)
		}
		older := s
		older.Age += time.Duration(rapid.Int64Range(0, int64(48*time.Hour)).Draw(t, "later"))
		if then := gapless.Late(older); rank[then.Deed] < rank[got.Deed] {
			t.Fatalf("%s at %s, but %s at %s", got.Deed, s.Age, then.Deed, older.Age)
		}
	})
}
