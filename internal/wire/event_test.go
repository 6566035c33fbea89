package wire_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"gapless"
	"gapless/internal/wire"
)

var at = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// dispatch parses a frame of that type and payload.
func dispatch(t *testing.T, typ, d string) wire.Frame {
	t.Helper()
	f, err := wire.ParseFrame([]byte(`{"t":"` + typ + `","s":3,"op":0,"d":` + d + `}`))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// only is the one event of a frame.
func only(t *testing.T, f wire.Frame) gapless.Event {
	t.Helper()
	events := f.Events(gapless.OriginReplay, at)
	if len(events) != 1 {
		t.Fatalf("%d events: %+v", len(events), events)
	}
	if events[0].Origin != gapless.OriginReplay || !events[0].At.Equal(at) {
		t.Errorf("origin %s, at %s", events[0].Origin, events[0].At)
	}
	return events[0]
}

const whole = `{ "id":"100","channel_id":"20","guild_id":"30","channel_type":0,"type":19,"flags":64,
	"author":{"id":"40","username":"ann","bot":true,"system":true},"webhook_id":"41","content":"hi",
	"attachments":[{}],"embeds":[{}],"components":[{"type":9999}],"sticker_items":[{}],"poll":{},
	"mentions":[{"id":"7"},{"id":8}],"mention_roles":["9"],"nonce":5,
	"message_reference":{"type":0,"message_id":"99","channel_id":"20"},
	"referenced_message":{"id":"99","author":{"id":"11"}},
	"edited_timestamp":"2026-01-02T03:04:05.766195+00:00"}`

func TestMessageCreateWhole(t *testing.T) {
	f := dispatch(t, "MESSAGE_CREATE", whole)
	e := only(t, f)
	want := gapless.Message{
		ID: 100, Place: 20, Guild: 30, Author: gapless.User{ID: 40, Name: "ann", Bot: true, System: true}, Webhook: 41,
		Type: 19, Flags: 64, Text: "hi", Attachments: 5, Mentions: []gapless.UserID{7, 8},
		MentionRoles: []gapless.RoleID{9}, Nonce: "5",
		Reference: gapless.Reference{Message: 99, Place: 20, Author: 11, Known: true},
		EditedAt:  time.Date(2026, 1, 2, 3, 4, 5, 766195000, time.UTC), Raw: json.RawMessage(whole),
	}
	got := *e.Message
	if !got.EditedAt.Equal(want.EditedAt) {
		t.Errorf("edited %s", got.EditedAt)
	}
	got.EditedAt = want.EditedAt
	if !bytes.Equal(got.Raw, []byte(whole)) {
		t.Errorf("raw is not what was received: %s", got.Raw)
	}
	if e.Kind != gapless.MessageCreated || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	if c := e.Channel; c == nil || c.ID != 20 || c.Guild != 30 || c.Kind != gapless.GuildText || c.Recipient != 0 {
		t.Errorf("channel %+v", c)
	}
}

func TestMessageCreateTolerates(t *testing.T) {
	const head = `{"id":"1","channel_id":"2","author":{"id":"3"}`
	for name, c := range map[string]struct {
		d     string
		check func(gapless.Message) bool
	}{
		"integer ids":        {`{"id":1,"channel_id":2,"author":{"id":3},"content":"x"}`, func(m gapless.Message) bool { return m.ID == 1 && m.Place == 2 && m.Author.ID == 3 }},
		"odd components":     {head + `,"content":"x","components":{"type":1}}`, func(m gapless.Message) bool { return m.Text == "x" && m.Attachments == 0 }},
		"odd attachments":    {head + `,"attachments":5,"content":"x"}`, func(m gapless.Message) bool { return m.Text == "x" }},
		"odd mentions":       {head + `,"mentions":["a",{"id":{}},{"id":"9"}],"content":"x"}`, func(m gapless.Message) bool { return len(m.Mentions) == 1 && m.Mentions[0] == 9 }},
		"odd flags and type": {head + `,"flags":"a","type":[],"content":"x"}`, func(m gapless.Message) bool { return m.Text == "x" && m.Type == 0 }},
		"odd date":           {head + `,"edited_timestamp":17,"content":"x"}`, func(m gapless.Message) bool { return m.EditedAt.IsZero() }},
		"unknown type":       {head + `,"type":9999,"content":"x"}`, func(m gapless.Message) bool { return m.Type == 9999 }},
		"no content":         {head + `}`, func(m gapless.Message) bool { return m.Text == "" }},
		"reference deleted":  {head + `,"message_reference":{"message_id":"9"},"referenced_message":null}`, func(m gapless.Message) bool { return m.Reference.Known && m.Reference.Author == 0 }},
		"reference unknown":  {head + `,"message_reference":{"message_id":"9"}}`, func(m gapless.Message) bool { return !m.Reference.Known && m.Reference.Message == 9 }},
		"forward (C62)":      {head + `,"content":"","message_reference":{"type":1,"message_id":"9"},"message_snapshots":[{"message":{"content":"far","embeds":[{}]}}]}`, func(m gapless.Message) bool { return m.Text == "far" && m.Attachments == 1 && m.Reference.Type == 1 }},
		"forward, commented": {head + `,"content":"see","message_snapshots":[{"message":{"content":"far"}}]}`, func(m gapless.Message) bool { return m.Text == "see\nfar" }},
	} {
		t.Run(name, func(t *testing.T) {
			e := only(t, dispatch(t, "MESSAGE_CREATE", c.d))
			if e.Kind != gapless.MessageCreated || !c.check(*e.Message) {
				t.Errorf("%s %+v", e.Kind, e.Message)
			}
			if e.Channel != nil {
				t.Errorf("a place was made up: %+v", e.Channel)
			}
		})
	}
}

func TestDirectMessageNamesItsRecipient(t *testing.T) {
	e := only(t, dispatch(t, "MESSAGE_CREATE", `{"id":"1","channel_id":"2","channel_type":1,"author":{"id":"3"},"content":"x"}`))
	if c := e.Channel; c == nil || c.Kind != gapless.DM || c.Recipient != 3 {
		t.Errorf("channel %+v", c)
	}
	e = only(t, dispatch(t, "MESSAGE_CREATE", `{"id":"1","channel_id":"2","channel_type":1,"author":{"id":"3","bot":true},"content":"x"}`))
	if e.Channel.Recipient != 0 {
		t.Error("our own message named us as recipient")
	}
}

func TestUnreadable(t *testing.T) {
	for name, c := range map[string]struct {
		typ, d string
		place  gapless.ChannelID
		ids    int
	}{
		"content is an object (C142)": {"MESSAGE_CREATE", `{"id":"1","channel_id":"2","author":{"id":"3"},"content":{"a":1}}`, 2, 1},
		"no author":                   {"MESSAGE_CREATE", `{"id":"1","channel_id":"2","content":"x"}`, 2, 1},
		"author is a number":          {"MESSAGE_CREATE", `{"id":"1","channel_id":"2","author":4,"content":"x"}`, 2, 1},
		"no id":                       {"MESSAGE_CREATE", `{"channel_id":"2","author":{"id":"3"},"content":"x"}`, 2, 0},
		"id is a word":                {"MESSAGE_CREATE", `{"id":"x","channel_id":"2","author":{"id":"3"},"content":"x"}`, 2, 0},
		"payload is a list":           {"MESSAGE_CREATE", `[]`, 0, 0},
		"payload is broken":           {"MESSAGE_CREATE", `{"id":"1",}`, 0, 0},
		"edit with odd content":       {"MESSAGE_UPDATE", `{"id":"1","channel_id":"2","content":7}`, 2, 1},
		"delete without id":           {"MESSAGE_DELETE", `{"channel_id":"2"}`, 2, 0},
		"channel without id":          {"CHANNEL_UPDATE", `{"type":0}`, 0, 0},
		"guild without id":            {"GUILD_CREATE", `{"name":"x"}`, 0, 0},
		"ready without session":       {"READY", `{}`, 0, 0},
		"sync without guild":          {"THREAD_LIST_SYNC", `{"threads":[]}`, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			e := only(t, dispatch(t, c.typ, c.d))
			if e.Kind != gapless.Unreadable || e.Note != c.typ || e.Place != c.place || len(e.IDs) != c.ids || e.Message != nil {
				t.Errorf("got %+v", e)
			}
		})
	}
	t.Run("no type", func(t *testing.T) {
		f, err := wire.ParseFrame([]byte(`{"op":0,"s":4,"d":{}}`))
		if err != nil {
			t.Fatal(err)
		}
		if e := only(t, f); e.Kind != gapless.Unreadable || e.Note == "" {
			t.Errorf("got %+v", e)
		}
	})
}

func TestOtherMessageEvents(t *testing.T) {
	e := only(t, dispatch(t, "MESSAGE_UPDATE", `{"id":"1","channel_id":"2","author":{"id":"3"},"content":"new","edited_timestamp":null}`))
	if e.Kind != gapless.MessageEdited || e.Message.Text != "new" || !e.Message.EditedAt.IsZero() {
		t.Errorf("edit %+v", e)
	}
	e = only(t, dispatch(t, "MESSAGE_DELETE", `{"id":"1","channel_id":"2","guild_id":"3"}`))
	if e.Kind != gapless.MessagesDeleted || e.Place != 2 || len(e.IDs) != 1 || e.IDs[0] != 1 {
		t.Errorf("delete %+v", e)
	}
	e = only(t, dispatch(t, "MESSAGE_DELETE_BULK", `{"ids":["1",5],"channel_id":"2"}`))
	if e.Kind != gapless.MessagesDeleted || len(e.IDs) != 2 || e.IDs[1] != 5 {
		t.Errorf("bulk delete %+v", e)
	}
}

func TestNothingToUs(t *testing.T) {
	for typ, d := range map[string]string{
		"TYPING_START": `{}`, "GUILD_UPDATE": `{"id":"1"}`, "A_NEW_EVENT": `[1,2]`, "PRESENCE_UPDATE": `{}`,
		"MESSAGE_UPDATE": `{"id":"1","channel_id":"2","embeds":[{}]}`,
	} {
		if events := dispatch(t, typ, d).Events(gapless.OriginLive, at); len(events) != 0 {
			t.Errorf("%s: %+v", typ, events)
		}
	}
}

func TestPlaces(t *testing.T) {
	const thread = `{"id":"9","type":11,"guild_id":"1","parent_id":"2","name":"t","last_message_id":"77","owner_id":"3",
		"member":{"join_timestamp":"2026-01-01T00:00:00+00:00"},"thread_metadata":{"archived":true},"newly_created":true}`
	e := only(t, dispatch(t, "THREAD_CREATE", thread))
	want := gapless.Channel{ID: 9, Guild: 1, Parent: 2, Kind: gapless.PublicThread, Name: "t", Last: 77, Owner: 3,
		JoinedAt: e.Channel.JoinedAt, Archived: true, Created: true}
	if e.Kind != gapless.ChannelSeen || !reflect.DeepEqual(*e.Channel, want) || e.Channel.JoinedAt.IsZero() {
		t.Errorf("got %+v", e.Channel)
	}
	for typ, want := range map[string]struct {
		kind    gapless.EventKind
		created bool
	}{
		"CHANNEL_CREATE": {gapless.ChannelSeen, true}, "CHANNEL_UPDATE": {gapless.ChannelSeen, false},
		"THREAD_UPDATE": {gapless.ChannelSeen, false}, "CHANNEL_DELETE": {gapless.ChannelGone, false},
		"THREAD_DELETE": {gapless.ChannelGone, false},
	} {
		e := only(t, dispatch(t, typ, `{"id":"9","type":999,"guild_id":"1","last_message_id":null}`))
		if e.Kind != want.kind || e.Channel.Created != want.created || e.Channel.Kind != 999 || e.Channel.Last != 0 {
			t.Errorf("%s: %s %+v", typ, e.Kind, e.Channel)
		}
		if want.kind == gapless.ChannelGone && e.Place != 9 {
			t.Errorf("%s: place %s", typ, e.Place)
		}
	}
}

func TestGuilds(t *testing.T) {
	e := only(t, dispatch(t, "GUILD_CREATE", `{"id":"1","name":"g","joined_at":"2026-01-01T00:00:00+00:00","unavailable":false,
		"channels":[{"id":"2","type":0,"last_message_id":"5"},{"type":0},{"id":"3","type":"odd"}],"threads":[{"id":"4","type":12,"parent_id":"2"}]}`))
	g := e.Guild
	if e.Kind != gapless.GuildSeen || g.ID != 1 || g.Name != "g" || g.JoinedAt.IsZero() || len(g.Channels) != 2 || len(g.Threads) != 1 {
		t.Fatalf("got %s %+v", e.Kind, g)
	}
	if g.Channels[0].Guild != 1 || g.Channels[0].Last != 5 || g.Threads[0].Guild != 1 || !g.Channels[1].Kind.HoldsMessages() {
		t.Errorf("got %+v %+v", g.Channels, g.Threads)
	}
	if e := only(t, dispatch(t, "GUILD_CREATE", `{"id":"1","unavailable":true}`)); e.Kind != gapless.GuildSeen || !e.Guild.Unavailable {
		t.Errorf("unavailable: %+v", e)
	}
	for d, unavailable := range map[string]bool{`{"id":"1"}`: false, `{"id":"1","unavailable":true}`: true} {
		if e := only(t, dispatch(t, "GUILD_DELETE", d)); e.Kind != gapless.GuildGone || e.Guild.ID != 1 || e.Guild.Unavailable != unavailable {
			t.Errorf("%s: %+v", d, e.Guild)
		}
	}
	e = only(t, dispatch(t, "THREAD_LIST_SYNC", `{"guild_id":"1","threads":[{"id":"4","type":12}],"members":[{"id":"4","user_id":"9","join_timestamp":"2026-01-01T00:00:00+00:00"}]}`))
	if e.Kind != gapless.ThreadsListed || len(e.Guild.Threads) != 1 || e.Guild.Threads[0].JoinedAt.IsZero() || e.Guild.Threads[0].Guild != 1 {
		t.Errorf("sync: %+v", e.Guild)
	}
}

func FuzzFrame(f *testing.F) {
	for _, seed := range []string{`{"t":"MESSAGE_CREATE","s":7,"op":0,"d":` + whole + `}`, `{"op":0,"t":"GUILD_CREATE","d":{"id":1,"channels":[{}]}}`, `{"op":0,"d":{`, `{"op":0,"t":"\`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		frame, err := wire.ParseFrame(b)
		if err != nil {
			return
		}
		for _, e := range frame.Events(gapless.OriginLive, at) {
			if e.Kind == gapless.MessageCreated && (e.Message.ID == 0 || e.Message.Place == 0 || e.Message.Author.ID == 0) {
				t.Errorf("a message without ids came out of %q", b)
			}
		}
	})
}
