package gapless_test

import (
	"reflect"
	"slices"
	"strconv"
	"testing"

	"gapless"

	"gapless/internal/property"
	"pgregory.net/rapid"
)

const (
	self     = gapless.UserID(500)
	friend   = gapless.UserID(501)
	stranger = gapless.UserID(502)
	robot    = gapless.UserID(503)
)

var (
	general = gapless.Place{ID: 10, Guild: 1, Kind: gapless.GuildText, Name: "general", Parent: 7}
	thread  = gapless.Place{ID: 11, Guild: 1, Kind: gapless.PublicThread, Name: "help", Parent: 10}
	// ourThread is one we take part in.
	ourThread = gapless.Place{ID: 13, Guild: 1, Kind: gapless.PublicThread, Name: "ours", Parent: 10, TakesPart: 999}
	work      = gapless.Place{ID: 7, Guild: 1, Kind: gapless.GuildCategory, Name: "work"}
	direct    = gapless.Place{ID: 12, Kind: gapless.DM, Recipient: friend}
)

// admissionCase is a message that a friend wrote in #general and that mentions
// us, changed by alter.
type admissionCase struct {
	name   string
	alter  func(*gapless.Subject)
	ground gapless.Ground // of an admission
	reason gapless.Reason // of a refusal
	lack   gapless.Lack   // of one that stays undecided
	roles  bool           // a list of roles is in force
	asked  bool           // a refusal that is kept for explain
}

func subject(alter func(*gapless.Subject)) gapless.Subject {
	s := gapless.Subject{
		Policy: &gapless.Policy{Users: []gapless.UserID{friend}}, Self: self, Place: general, Category: work,
		Message: &gapless.Message{
			ID: 1000, Place: general.ID, Guild: 1, Author: gapless.User{ID: friend}, Text: "hello <@500>", Mentions: []gapless.UserID{self},
		},
	}
	if alter != nil {
		alter(&s)
	}
	return s
}

func plain(s *gapless.Subject) { s.Message.Text, s.Message.Mentions = "hello", nil }

func byRobot(rule gapless.BotRule, then ...func(*gapless.Subject)) func(*gapless.Subject) {
	return func(s *gapless.Subject) {
		s.Policy.Bots, s.Message.Author = rule, gapless.User{ID: robot, Bot: true}
		for _, f := range then {
			f(s)
		}
	}
}

func TestAdmission(t *testing.T) {
	for _, c := range admissions {
		t.Run(c.name, func(t *testing.T) {
			got := gapless.Admit(subject(c.alter))
			want := gapless.Decision{
				Admitted: c.ground != "", Reason: c.reason, Ground: c.ground, Lack: c.lack, RoleList: c.roles, Addressed: c.asked || c.ground != "",
			}
			if got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}

func TestEveryRuleHasItsOwnReasonAndACase(t *testing.T) {
	seen := map[gapless.Reason]bool{}
	for _, r := range gapless.Rules {
		if seen[r.Reason] {
			t.Errorf("two rules refuse with %q", r.Reason)
		}
		seen[r.Reason] = true
		if r.Says == "" {
			t.Errorf("rule %q does not say what it does", r.Reason)
		}
		if !slices.ContainsFunc(admissions, func(c admissionCase) bool { return c.reason == r.Reason }) {
			t.Errorf("no case is refused with %q", r.Reason)
		}
	}
}

// A message of the gateway and the same one read over REST get the same
// decision because admission is not told which is which (promise 2).
func TestAdmissionIsBlindToOrigin(t *testing.T) {
	var walk func(reflect.Type, string)
	seen := map[reflect.Type]bool{}
	walk = func(typ reflect.Type, path string) {
		if typ == reflect.TypeFor[gapless.Origin]() || typ == reflect.TypeFor[gapless.GapID]() {
			t.Errorf("admission can see %s", path)
		}
		if typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice {
			typ = typ.Elem()
		}
		if typ.Kind() != reflect.Struct || seen[typ] {
			return
		}
		seen[typ] = true
		for f := range typ.Fields() {
			walk(f.Type, path+"."+f.Name)
		}
	}
	walk(reflect.TypeFor[gapless.Subject](), "Subject")
	if !seen[reflect.TypeFor[gapless.Message]()] {
		t.Error("the walk did not reach the message")
	}
}

// drawSubject draws a message with all that could be known of it.
func drawSubject(t *rapid.T) gapless.Subject {
	user := rapid.SampledFrom([]gapless.UserID{0, self, friend, stranger, robot})
	users := rapid.SliceOfN(user, 0, 2)
	roles := rapid.SliceOfN(rapid.SampledFrom([]gapless.RoleID{1, 60, trusted}), 0, 2)
	flag := func(label string) bool { return rapid.Bool().Draw(t, label) }
	seldom := func(label string) bool { return rapid.IntRange(0, 7).Draw(t, label) == 7 }
	list := func(label string) gapless.PlaceList {
		words := rapid.SliceOfN(rapid.SampledFrom([]string{"10", "11", "7", "general", "#help", "work", "*"}), 0, 1).Draw(t, label)
		l, err := gapless.ParsePlaces(words)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	s := gapless.Subject{
		Policy: &gapless.Policy{
			Users: users.Draw(t, "users"), Roles: roles.Draw(t, "trusted"), Everyone: flag("everyone"),
			Bots:       rapid.SampledFrom([]gapless.BotRule{"", gapless.BotsNone, gapless.BotsMentions, gapless.BotsAll, "?"}).Draw(t, "bots"),
			BotsInline: flag("inline"), Webhooks: users.Draw(t, "webhooks"), IgnoredWebhooks: users.Draw(t, "ignored webhooks"),
			Allowed: list("allowed"), Ignored: list("ignored"), Free: list("free"), Shared: list("shared"),
			ThreadRequireMention: flag("threads"), AnswerOthers: flag("others"), OwnRole: flag("own role"),
		},
		Self:  rapid.SampledFrom([]gapless.UserID{0, self}).Draw(t, "self"),
		Place: rapid.SampledFrom([]gapless.Place{general, thread, ourThread, direct}).Draw(t, "place"), Category: work,
		OwnRoles: append([]gapless.RoleID{}, roles.Draw(t, "own roles")...),
		Member:   gapless.Membership{Known: true, Left: flag("left"), Roles: roles.Draw(t, "roles")},
		Message: &gapless.Message{
			ID:      1000,
			Author:  gapless.User{ID: user.Draw(t, "author"), Name: "ann", Bot: seldom("bot"), System: seldom("system")},
			Webhook: rapid.SampledFrom([]gapless.UserID{0, 0, 0, robot}).Draw(t, "webhook"), Type: rapid.SampledFrom([]int{0, 0, 0, 19, 19, 7}).Draw(t, "type"), Flags: rapid.SampledFrom([]int{0, 0, 0, 0, 1, 2, 64, 0xffff}).Draw(t, "flags"),
			Text: rapid.StringMatching(`(<@!?[0-9]{0,25}>?|<@500>|<@&60>|x){0,4}`).Draw(t, "text"), Mentions: users.Draw(t, "mentions"),
			MentionBots: users.Draw(t, "mentioned bots"), MentionRoles: roles.Draw(t, "mentioned roles"),
			Reference: gapless.Reference{Message: 900, Type: rapid.IntRange(0, 1).Draw(t, "forward"), Known: true, Author: user.Draw(t, "answered")},
		},
	}
	if s.Place.Kind.Thread() {
		s.Parent = general
	}
	s.Message.Place, s.Message.Guild = s.Place.ID, s.Place.Guild
	if flag("names") {
		s.Policy.UserNames = []string{"Ann"}
	}
	return s
}

// forget takes away some of what is known.
func forget(t *rapid.T, s gapless.Subject) gapless.Subject {
	m := *s.Message
	s.Message = &m
	for _, f := range []struct {
		what string
		take func()
	}{
		{"place", func() { s.Place = gapless.Place{} }},
		{"kind", func() {
			if s.Place.ID != 0 { // what a message alone tells of its place
				s.Place = gapless.Place{ID: s.Place.ID, Guild: s.Place.Guild, Kind: gapless.KindUnknown, TakesPart: s.Place.TakesPart}
			}
		}},
		{"description", func() { s.Place.Name, s.Place.Parent = "", 0 }},
		{"guild", func() { m.Guild = 0 }},
		{"parent", func() { s.Parent = gapless.Place{} }},
		{"category", func() { s.Category = gapless.Place{} }},
		{"member", func() { s.Member = gapless.Membership{} }},
		{"own roles", func() { s.OwnRoles = nil }},
		{"reference", func() { m.Reference.Known, m.Reference.Author = false, 0 }},
		{"name", func() { m.Author.Name = "" }},
	} {
		if rapid.IntRange(0, 3).Draw(t, "forgets the "+f.what) == 0 {
			f.take()
		}
	}
	return s
}

func TestAdmissionIsTotal(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		s := forget(t, drawSubject(t))
		got := gapless.Admit(s)
		if again := gapless.Admit(s); again != got {
			t.Fatalf("decided twice: %+v and %+v", got, again)
		}
		if outcomes := count(got.Admitted, got.Reason != "", got.Undecided()); outcomes != 1 || got.Admitted != (got.Ground != "") {
			t.Fatalf("half a decision: %+v", got)
		}
		if got.Admitted && s.Message.Type != 0 && s.Message.Type != 19 {
			t.Fatalf("type %d was admitted", s.Message.Type)
		}
		if got.Ground == gapless.OnDirect && !s.Place.Kind.Direct() {
			t.Fatal("a guild's message was taken for a DM")
		}
	})
}

func count(facts ...bool) (n int) {
	for _, f := range facts {
		if f {
			n++
		}
	}
	return n
}

// What is decided without knowing everything is decided as it would be with
// everything known: ignorance neither refuses nor lets in (R11). What did not
// come along with the message does not even change the reason (C58).
func TestIgnoranceDecidesNothing(t *testing.T) {
	undecided := 0
	same := func(t *rapid.T) {
		s := drawSubject(t)
		full := gapless.Admit(s)
		if full.Undecided() {
			t.Fatalf("lacks %s although everything is known", full.Lack)
		}
		got := gapless.Admit(forget(t, s))
		if got.Undecided() {
			undecided++
		} else if got.Admitted != full.Admitted {
			t.Fatalf("decided %+v, and %+v with everything known", got, full)
		}
		m := *s.Message
		if s.Message = &m; rapid.Bool().Draw(t, "forgets the member") {
			s.Member = gapless.Membership{}
		}
		if rapid.Bool().Draw(t, "forgets the reference") {
			m.Reference.Known, m.Reference.Author = false, 0
		}
		got = gapless.Admit(s)
		if got.Addressed = full.Addressed; !got.Undecided() && got != full {
			t.Fatalf("decided %+v, and %+v once it is looked up", got, full)
		}
	}
	for range 100 { // few messages lack anything; -short draws few
		if property.Check(t, same); undecided > 0 || t.Failed() {
			break
		}
	}
	if undecided == 0 {
		t.Error("nothing was ever undecided: the property says nothing")
	}
}

func TestMentionIsTheWholeID(t *testing.T) {
	for text, want := range map[string]bool{
		"<@500>": true, "x<@500>y": true, "<<@500>": true, "<@!500>": true, "<@1> <@500>": true,
		"<@5001>": false, "<@50>": false, "<@500": false, "<@>": false, "<@!>": false, "<@!": false, "@500": false, "<#500>": false, "<@&500>": false,
	} {
		s := subject(func(s *gapless.Subject) { s.Message.Text, s.Message.Mentions = text, nil })
		if got := s.Mentioned(); got != want {
			t.Errorf("%s mentions us: %t, want %t", strconv.Quote(text), got, want)
		}
	}
}

func TestRefusedDirectMessageIsKeptForExplain(t *testing.T) {
	got := gapless.Admit(subject(func(s *gapless.Subject) {
		plain(s)
		s.Place, s.Message.Guild, s.Message.Author.ID = direct, 0, stranger
	}))
	if got.Reason != gapless.ReasonUser || !got.Addressed {
		t.Errorf("got %+v", got)
	}
}

func TestMentionDoesNotWrapAround(t *testing.T) {
	s := subject(func(s *gapless.Subject) { s.Message.Text, s.Message.Mentions = "<@18446744073709552116>", nil }) // 2^64 + 500
	if s.Mentioned() {
		t.Error("2^64 + 500 was taken for 500")
	}
}

func TestRefusedNoiseCostsNoAllocation(t *testing.T) {
	noise := []gapless.Subject{
		subject(plain), subject(func(s *gapless.Subject) { s.Message.Type = 18 }),
		subject(byRobot(gapless.BotsNone)), subject(func(s *gapless.Subject) { s.Message.Author.ID = stranger; s.Message.Text = "<@1> <@!2>" }),
	}
	if n := testing.AllocsPerRun(100, func() {
		for i := range noise {
			if gapless.Admit(noise[i]).Admitted {
				t.Fatal("noise was admitted")
			}
		}
	}); n != 0 {
		t.Errorf("%d refused messages cost %v allocations", len(noise), n)
	}
}
