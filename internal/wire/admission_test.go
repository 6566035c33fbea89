package wire_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"

	"gapless"
	"gapless/internal/wire"

	"gapless/internal/property"
	"pgregory.net/rapid"
)

func TestWhatAdmissionNeedsIsRead(t *testing.T) {
	const head = `{"id":"1","channel_id":"2","author":{"id":"3","username":"ann"}`
	for name, c := range map[string]struct {
		d     string
		check func(gapless.Message) bool
	}{
		"roles":            {head + `,"member":{"roles":["70",71]}}`, func(m gapless.Message) bool { return slices.Equal(m.Roles, []gapless.RoleID{70, 71}) }},
		"a member without": {head + `,"member":{"roles":[]}}`, func(m gapless.Message) bool { return m.Roles != nil && len(m.Roles) == 0 }},
		"no member (C58)":  {head + `}`, func(m gapless.Message) bool { return m.Roles == nil }},
		"a member in part": {head + `,"member":{"nick":"a"}}`, func(m gapless.Message) bool { return m.Roles == nil }},
		"odd roles":        {head + `,"member":{"roles":"70"}}`, func(m gapless.Message) bool { return m.Roles == nil }},
		"bots among mentions": {head + `,"mentions":[{"id":"5","bot":true},{"id":"6","bot":false},{"id":"7","bot":"x"}]}`, func(m gapless.Message) bool {
			return len(m.Mentions) == 3 && slices.Equal(m.MentionBots, []gapless.UserID{5})
		}},
		"what was forwarded": {head + `,"content":"see","message_snapshots":[{"message":{"content":"far"}}]}`, func(m gapless.Message) bool { return m.Said() == "see" && m.Forwarded == 4 }},
		"nothing beside it":  {head + `,"content":"","message_snapshots":[{"message":{"content":"far"}}]}`, func(m gapless.Message) bool { return m.Said() == "" && m.Text == "far" }},
		"a sticker":          {head + `,"content":"","sticker_items":[{"id":"1"}]}`, func(m gapless.Message) bool { return m.Attachments == 1 }},
		"a voice message":    {head + `,"content":"","flags":8192,"attachments":[{"waveform":"x"}]}`, func(m gapless.Message) bool { return m.Attachments == 1 }},
		"a poll":             {head + `,"content":"","poll":{"question":{}}}`, func(m gapless.Message) bool { return m.Attachments == 1 }},
		"components only":    {head + `,"content":"","flags":32768,"components":[{"type":17}]}`, func(m gapless.Message) bool { return m.Attachments == 1 }},
		"reply to a webhook": {head + `,"type":19,"message_reference":{"message_id":"9"},"referenced_message":{"id":"9","webhook_id":"8","author":{"id":"8","bot":true}}}`, func(m gapless.Message) bool { return m.Replies() && m.Reference.Known && m.Reference.Author == 8 }},
		"a forward":          {head + `,"message_reference":{"type":1,"message_id":"9"}}`, func(m gapless.Message) bool { return !m.Replies() }},
	} {
		t.Run(name, func(t *testing.T) {
			heard := *only(t, dispatch(t, "MESSAGE_CREATE", c.d)).Message
			read, err := wire.Message([]byte(c.d))
			if err != nil || !c.check(heard) || !c.check(read) {
				t.Errorf("%+v, %+v, %v", heard, read, err)
			}
		})
	}
}

func TestUserNameIsUnique(t *testing.T) {
	for user, want := range map[string]string{
		`{"id":"3","username":"ann"}`:                                    "ann",
		`{"id":"3","username":"ann","discriminator":"0"}`:                "ann",
		`{"id":"3","username":"ann","discriminator":"0000"}`:             "ann",
		`{"id":"3","username":"ann","discriminator":"0042"}`:             "ann#0042",
		`{"id":"3","username":"ann","discriminator":"0042","bot":true}`:  "ann",
		`{"id":"3","discriminator":"0042"}`:                              "",
		`{"id":"3","username":"ann","global_name":"Queen","nick":"Bee"}`: "ann",
	} {
		if m := only(t, dispatch(t, "MESSAGE_CREATE", `{"id":"1","channel_id":"2","content":"x","author":`+user+`}`)).Message; m.Author.Name != want {
			t.Errorf("%s is %q", user, m.Author.Name)
		}
	}
}

func TestRolesOfBotsAreRead(t *testing.T) {
	const list = `[{"id":"1","permissions":"0"},{"id":"60","permissions":"0","tags":{"bot_id":"500"}},{"id":"61","tags":{"premium_subscriber":null}}]`
	want := []gapless.BotRole{{Role: 60, Bot: 500}}
	g, err := wire.Roles([]byte(list), 1)
	if err != nil || g.ID != 1 || len(g.Roles) != 3 || !reflect.DeepEqual(g.Bots, want) {
		t.Errorf("roles %+v, %v", g, err)
	}
	if e := only(t, dispatch(t, "GUILD_CREATE", `{"id":"1","roles":`+list+`}`)); !reflect.DeepEqual(e.Guild.Bots, want) {
		t.Errorf("guild %+v", e.Guild)
	}
	if e := only(t, dispatch(t, "GUILD_ROLE_UPDATE", `{"guild_id":"1","role":{"id":"60","tags":{"bot_id":500}}}`)); !reflect.DeepEqual(e.Guild.Bots, want) {
		t.Errorf("role %+v", e.Guild)
	}
	if _, err := wire.Roles([]byte(`{"message":"no"}`), 1); err == nil {
		t.Error("an object was read as roles")
	}
}

func TestMember(t *testing.T) {
	if m, err := wire.Member([]byte(`{"user":{"id":"3"},"roles":["70"]}`)); err != nil || m.ID != 3 || len(m.Roles) != 1 {
		t.Errorf("member %+v, %v", m, err)
	}
	if m, err := wire.Member([]byte(`{"user":{"id":"3"}}`)); err != nil || m.Roles == nil {
		t.Errorf("member without roles %+v, %v", m, err)
	}
	if _, err := wire.Member([]byte(`{"message":"Unknown Member","code":10007}`)); err == nil {
		t.Error("a refusal was read as a member")
	}
}

func TestMemberUsers(t *testing.T) {
	users, err := wire.MemberUsers([]byte(`[{"user":{"id":"3","username":"ann"},"nick":"bee"},{"nick":"nobody"},{"user":{"id":"4","username":"bob","bot":true}}]`))
	if err != nil || len(users) != 2 || users[0].Name != "ann" || !users[1].Bot {
		t.Errorf("users %+v, %v", users, err)
	}
	if _, err := wire.MemberUsers([]byte(`{"message":"no"}`)); err == nil {
		t.Error("an object was read as members")
	}
}

// truth is a message as Discord has it; its shapes tell parts of it.
type truth struct {
	body  map[string]any // what both shapes have
	roles []string       // the author's in the guild
	hook  bool
	ref   any // the message it refers to, nil if deleted; no such key if it refers to none
}

func drawTruth(t *rapid.T) truth {
	user := func(label string) map[string]any {
		id := rapid.SampledFrom([]string{"500", "501", "502", "503"}).Draw(t, label)
		return map[string]any{"id": id, "username": "u" + id, "discriminator": "0", "bot": id == "500" || id == "503"}
	}
	w := truth{
		body: map[string]any{
			"id": "1000", "channel_id": rapid.SampledFrom([]string{"10", "11", "12"}).Draw(t, "place"), "author": user("author"),
			"content":       rapid.StringMatching(`(<@!?50[0-3]>|<@&60>|hey |!ask |x){0,3}`).Draw(t, "text"),
			"type":          rapid.SampledFrom([]int{0, 0, 0, 19, 19, 7}).Draw(t, "type"),
			"flags":         rapid.SampledFrom([]int{0, 0, 0, 2, 64}).Draw(t, "flags"),
			"mention_roles": rapid.SampledFrom([][]string{{}, {"60"}, {"61"}}).Draw(t, "mentioned roles"),
			"attachments":   []any{},
		},
		roles: rapid.SampledFrom([][]string{{}, {"70"}, {"71"}}).Draw(t, "roles"),
		hook:  rapid.IntRange(0, 5).Draw(t, "webhook") == 0,
	}
	var mentions []any
	for range rapid.IntRange(0, 2).Draw(t, "mentions") {
		mentions = append(mentions, user("mentioned"))
	}
	w.body["mentions"] = mentions
	if w.hook {
		w.body["webhook_id"], w.body["author"] = "77", map[string]any{"id": "77", "username": "hook", "bot": true}
	}
	switch rapid.IntRange(0, 3).Draw(t, "reference") {
	case 1:
		w.body["message_reference"] = map[string]any{"type": 0, "message_id": "900", "channel_id": w.body["channel_id"]}
		if rapid.Bool().Draw(t, "still there") {
			w.ref = map[string]any{"id": "900", "channel_id": w.body["channel_id"], "author": user("answered")}
		}
	case 2:
		w.body["message_reference"] = map[string]any{"type": 1, "message_id": "900", "channel_id": "10"}
		w.body["message_snapshots"] = []any{map[string]any{"message": map[string]any{"content": "<@500> far"}}}
	}
	return w
}

// shape is the message's JSON as the gateway tells it or as REST does.
func (w truth) shape(t *rapid.T, gateway bool) []byte {
	body := maps.Clone(w.body)
	if gateway && w.body["channel_id"] != "12" {
		body["guild_id"], body["channel_type"] = "1", map[string]int{"10": 0, "11": 11}[w.body["channel_id"].(string)]
		if !w.hook {
			body["member"] = map[string]any{"roles": w.roles}
		}
	}
	if ref, _ := w.body["message_reference"].(map[string]any); ref["type"] == 0 && rapid.Bool().Draw(t, "the reference came along") {
		body["referenced_message"] = w.ref
	}
	b, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// decided admits the message, finding out what lacks until nothing does.
func (w truth) decided(t *rapid.T, m gapless.Message, policy *gapless.Policy) gapless.Decision {
	places := map[gapless.ChannelID]gapless.Place{
		10: {ID: 10, Guild: 1, Kind: gapless.GuildText, Name: "general"},
		11: {ID: 11, Guild: 1, Kind: gapless.PublicThread, Name: "help", Parent: 10, TakesPart: 999},
		12: {ID: 12, Kind: gapless.DM},
	}
	s := gapless.Subject{Policy: policy, Self: 500, OwnRoles: []gapless.RoleID{60}, Message: &m, Place: places[m.Place]}
	for range 6 {
		d := gapless.Admit(s)
		switch d.Lack {
		case "":
			return d
		case gapless.LackReference:
			m.Reference.Known = true
			if ref, ok := w.ref.(map[string]any); ok {
				fmt.Sscan(ref["author"].(map[string]any)["id"].(string), &m.Reference.Author)
			}
		case gapless.LackMember:
			s.Member = gapless.Membership{Known: true}
			for _, r := range w.roles {
				id, _ := gapless.ParseID[gapless.RoleID](r)
				s.Member.Roles = append(s.Member.Roles, id)
			}
		case gapless.LackParent:
			s.Parent = places[10]
		default:
			t.Fatalf("lacks %s although everything is told", d.Lack)
		}
	}
	t.Fatal("something lacks whatever is told")
	return gapless.Decision{}
}

func drawPolicy(t *rapid.T) *gapless.Policy {
	list := func(label string) gapless.PlaceList {
		l, err := gapless.ParsePlaces(rapid.SampledFrom([][]string{nil, nil, {"10"}, {"#general"}, {"*"}, {"ops"}}).Draw(t, label))
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	flag := func(label string) bool { return rapid.Bool().Draw(t, label) }
	p := &gapless.Policy{
		Everyone: flag("everyone"), BotsInline: flag("inline"), AnswerOthers: flag("others"), OwnRole: flag("own role"),
		ThreadRequireMention: flag("threads"), Allowed: list("allowed"), Ignored: list("ignored"), Free: list("free"), Shared: list("shared"),
		Bots: rapid.SampledFrom([]gapless.BotRule{gapless.BotsNone, gapless.BotsMentions, gapless.BotsAll}).Draw(t, "bots"),
	}
	if flag("roles") {
		p.Roles = []gapless.RoleID{70}
	}
	if flag("users") {
		p.Users, p.UserNames = []gapless.UserID{501}, []string{"U502"}
	}
	if flag("words") {
		p.Names, p.Prefixes = []string{"hey"}, []string{"!ask"}
	}
	if flag("hooks") {
		p.Webhooks = []gapless.UserID{77}
	}
	return p
}

// The same message gets the same admission whichever way it came, once what
// the way left out is found out (promise 2, C58, C63).
func TestBothShapesAreAdmittedAlike(t *testing.T) {
	admitted := 0
	property.Check(t, func(t *rapid.T) {
		w, policy := drawTruth(t), drawPolicy(t)
		heard, err := wire.Message(w.shape(t, true))
		if err != nil {
			t.Fatal(err)
		}
		page, err := wire.Messages([]byte("["+string(w.shape(t, false))+"]"), heard.Place)
		if err != nil || len(page) != 1 {
			t.Fatal(page, err)
		}
		live, late := w.decided(t, heard, policy), w.decided(t, page[0], policy)
		if heard.Reference.Known != page[0].Reference.Known {
			// Nothing is looked up for the sake of a refusal, so whether one is
			// worth a row is told by what came along.
			live.Addressed = late.Addressed
		}
		if live != late {
			t.Fatalf("heard %+v, read %+v", live, late)
		}
		if live.Admitted {
			admitted++
		}
	})
	if admitted == 0 {
		t.Error("nothing was admitted at all: the property says nothing")
	}
}

// Whatever an object says, both ways of reading it understand the same, and
// admission decides it without a panic.
func FuzzShapes(f *testing.F) {
	f.Add([]byte(whole))
	f.Add([]byte(`{"id":"1","channel_id":"2","author":{"id":"3"},"content":"<@500>","member":{"roles":[1]},"mentions":[{"id":"500"}]}`))
	f.Add([]byte(`{"id":1,"channel_id":2,"author":{"id":3},"content":"<@","message_snapshots":[{"message":{"content":"far"}}],"message_reference":{"type":1}}`))
	policy := gapless.Policy{Users: []gapless.UserID{3}, Names: []string{"x"}, Prefixes: []string{"!"}, OwnRole: true, Bots: gapless.BotsAll}
	f.Fuzz(func(t *testing.T, b []byte) {
		page, err := wire.Messages([]byte("["+string(b)+"]"), 2)
		frame, bad := wire.ParseFrame([]byte(`{"op":0,"s":1,"t":"MESSAGE_CREATE","d":` + string(b) + `}`))
		if err != nil || bad != nil || len(page) != 1 || !frame.Whole {
			return
		}
		for _, e := range frame.Events(gapless.OriginLive, at) {
			if e.Kind != gapless.MessageCreated || page[0].Type < 0 {
				continue
			}
			heard, read := *e.Message, page[0]
			heard.Raw, read.Raw = nil, nil
			if !reflect.DeepEqual(heard, read) {
				t.Fatalf("heard %+v\nread %+v", heard, read)
			}
			s := gapless.Subject{Policy: &policy, Self: 500, Message: &heard, Place: gapless.Place{ID: heard.Place}}
			if d := gapless.Admit(s); d.Admitted && (d.Ground == "" || d.Lack != "" || d.Reason != "") {
				t.Fatalf("half a decision: %+v", d)
			}
		}
	})
}
