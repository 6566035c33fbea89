package conversation_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"gapless"
	"gapless/conversation"
)

// deeds is a Discord that notes what is done and answers as told.
type deeds struct {
	mu       sync.Mutex
	done     []string
	refuse   error // of threads
	failures int   // how many threads fail before one is made; negative: all
	history  []gapless.Message
	channels map[gapless.ChannelID]string
}

func (f *deeds) note(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.done = append(f.done, fmt.Sprintf(format, args...))
}

func (f *deeds) all() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.done)
}

func (f *deeds) React(_ context.Context, place gapless.ChannelID, m gapless.MessageID, emoji string) error {
	f.note("react %d/%d %s", place, m, emoji)
	return nil
}

func (f *deeds) Typing(_ context.Context, place gapless.ChannelID) error {
	f.note("typing %d", place)
	return nil
}

func (f *deeds) OpenThread(_ context.Context, place gapless.ChannelID, m gapless.MessageID, name string) (gapless.ChannelID, error) {
	f.note("thread %d/%d %s", place, m, name)
	if f.failures != 0 {
		f.failures--
		return 0, f.refuse
	}
	return gapless.ChannelID(m), nil
}

func (f *deeds) Before(_ context.Context, place gapless.ChannelID, before gapless.MessageID, limit int) ([]gapless.Message, error) {
	f.note("before %d/%d %d", place, before, limit)
	var out []gapless.Message
	for _, m := range slices.Backward(f.history) {
		if m.Place == place && m.ID < before && len(out) < limit {
			out = append(out, m)
		}
	}
	return out, nil
}

func (f *deeds) Message(_ context.Context, place gapless.ChannelID, id gapless.MessageID) (gapless.Message, error) {
	f.note("message %d/%d", place, id)
	for _, m := range f.history {
		if m.Place == place && m.ID == id {
			return m, nil
		}
	}
	return gapless.Message{}, gapless.ErrUnknownMessage
}

func (f *deeds) Channel(_ context.Context, id gapless.ChannelID) (gapless.Channel, error) {
	f.note("channel %d", id)
	return gapless.Channel{ID: id, Name: f.channels[id]}, nil
}

var general = gapless.Place{ID: 10, Guild: 1, Kind: gapless.GuildText, Name: "general"}

// mention is a delivery of one message that mentioned the bot in the place.
func mention(p gapless.Place, id gapless.MessageID, text string) *gapless.Delivery {
	m := gapless.Message{ID: id, Place: p.ID, Guild: p.Guild, Text: text}
	return gapless.NewTurn(gapless.Delivery{
		ID: gapless.DeliveryID(id.String()), Place: p, Attempt: 1, State: gapless.Leased,
		Messages: []gapless.Item{{Message: m, Ground: gapless.OnMention}},
	})
}

// play has the room around a handler that takes that long.
func play(t *testing.T, opt conversation.Options, f *deeds, d *gapless.Delivery, takes time.Duration) {
	t.Helper()
	room := conversation.New(opt, f, nil)
	handle(t, room, d, takes)
}

func handle(t *testing.T, room *conversation.Room, d *gapless.Delivery, takes time.Duration) {
	t.Helper()
	err := room.Wrap(gapless.HandlerFunc(func(context.Context, *gapless.Delivery) error {
		time.Sleep(takes)
		return nil
	})).Handle(t.Context(), d)
	if err != nil {
		t.Error(err)
	}
}

func same(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// S45: eyes while the turn runs, and typing every eight seconds until it ends.
func TestEyesAndTyping(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &deeds{}
		play(t, conversation.Options{Reactions: true, Typing: true}, f, mention(general, 7, "hi"), 10*time.Second)
		time.Sleep(time.Minute)
		same(t, f.all(), "react 10/7 👀", "typing 10", "typing 10")
	})
}

func TestNothingIsDoneUnasked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &deeds{}
		d := mention(general, 7, "hi")
		play(t, conversation.Options{}, f, d, time.Minute)
		same(t, f.all())
		if got := conversation.New(conversation.Options{}, f, nil).Closing(*d); got != nil {
			t.Errorf("closing is %v", got)
		}
	})
}

// S46: the eyes make room for a tick or a cross, except when the turn is to be
// tried again or never began.
func TestClosingReactions(t *testing.T) {
	room := conversation.New(conversation.Options{Reactions: true}, &deeds{}, nil)
	for _, c := range []struct {
		name    string
		state   gapless.DeliveryState
		reason  gapless.Reason
		attempt int
		want    string
	}{
		{"answered", gapless.Answering, "", 1, "unreact 👀 react ✅"},
		{"silent", gapless.Settled, gapless.Done, 2, "unreact 👀 react ✅"},
		{"discarded", gapless.Settled, gapless.Discarded, 1, "unreact 👀"},
		{"given up", gapless.Dead, gapless.Attempts, 5, "unreact 👀 react ❌"},
		{"tried again", gapless.Waiting, "", 1, ""},
		{"parked", gapless.Parked, gapless.Asked, 0, ""},
		{"expired before a turn", gapless.Settled, gapless.Expired, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := mention(general, 7, "hi")
			d.State, d.Reason, d.Attempt = c.state, c.reason, c.attempt
			var got []string
			for _, r := range room.Closing(*d) {
				if r.Target != 7 {
					t.Errorf("target %d", r.Target)
				}
				got = append(got, string(r.Kind)+" "+r.Text)
			}
			if s := strings.Join(got, " "); s != c.want {
				t.Errorf("got %q, want %q", s, c.want)
			}
		})
	}
}

// S47: a mention in a text channel is answered in a thread of its own.
func TestThreadForMention(t *testing.T) {
	thread := gapless.Place{ID: 20, Guild: 1, Parent: 10, Kind: gapless.PublicThread, Name: "t"}
	list := gapless.PlaceList{Names: []string{"#general"}}
	for _, c := range []struct {
		name  string
		opt   conversation.Options
		place gapless.Place
		item  func(*gapless.Item)
		in    gapless.ChannelID
	}{
		{name: "mention", place: general, in: 7},
		{name: "reply", place: general, in: 10, item: func(it *gapless.Item) {
			it.Message.Type, it.Message.Reference.Message = 19, 3
		}},
		{name: "heard without a mention", place: general, in: 10, item: func(it *gapless.Item) { it.Ground = gapless.OnFree }},
		{name: "in a thread", place: thread, in: 20},
		{name: "DM", place: gapless.Place{ID: 30, Kind: gapless.DM}, in: 30},
		{name: "listed", place: general, opt: conversation.Options{NoThreads: list}, in: 10},
		{name: "free channel", place: general, opt: conversation.Options{Free: list}, in: 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := mention(c.place, 7, "hi")
			if c.item != nil {
				c.item(&d.Messages[0])
			}
			c.opt.Threads = true
			play(t, c.opt, &deeds{}, d, 0)
			if got := d.AnswersIn(); got != c.in {
				t.Errorf("answers in %d, want %d", got, c.in)
			}
		})
	}
}

// C110: what cannot be made is asked for again a few times, unless Discord has
// said no; then the answer goes to the channel.
func TestThreadThatCannotBeMade(t *testing.T) {
	for _, c := range []struct {
		name     string
		err      error
		failures int
		asked    int
		in       gapless.ChannelID
	}{
		{"passes", gapless.ErrUnavailable, 2, 3, 7},
		{"stays", gapless.ErrUnavailable, -1, 3, 10},
		{"refused", &gapless.RefusedError{Status: 403, Code: 50013}, -1, 1, 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &deeds{refuse: c.err, failures: c.failures}
				d := mention(general, 7, "hi")
				play(t, conversation.Options{Threads: true}, f, d, 0)
				if got := len(f.all()); got != c.asked || d.AnswersIn() != c.in {
					t.Errorf("asked %d times, answers in %d; want %d, %d", got, d.AnswersIn(), c.asked, c.in)
				}
				if noted := d.Noted() != ""; noted != (c.in == 10) {
					t.Errorf("the operator is told %q", d.Noted())
				}
			})
		})
	}
}

func TestThreadNames(t *testing.T) {
	for text, want := range map[string]string{
		"<@500> how do I **build** it?":    "how do I build it?",
		"<@!500>":                          "Conversation",
		"@everyone <#12> <:ok:34> hello\n": "hello",
		strings.Repeat("é", 120):           strings.Repeat("é", 99) + "…",
	} {
		f := &deeds{}
		play(t, conversation.Options{Threads: true}, f, mention(general, 7, text), 0)
		same(t, f.all(), "thread 10/7 "+want)
	}
}

func said(id gapless.MessageID, text string, bot bool) gapless.Message {
	return gapless.Message{ID: id, Place: 10, Text: text, Author: gapless.User{ID: 500, Bot: bot}}
}

func heard(m gapless.Message) gapless.Event {
	return gapless.Event{Kind: gapless.MessageCreated, Message: &m}
}

func texts(list []gapless.Message) (out []string) {
	for _, m := range list {
		out = append(out, m.Text)
	}
	return out
}

// S49, C106: what was said before, from memory once it reaches back; notices of
// outages are left out.
func TestContext(t *testing.T) {
	f := &deeds{history: []gapless.Message{said(1, "one", false), said(2, "The gateway is down", true), said(3, "three", false)}}
	room := conversation.New(conversation.Options{Context: 3}, f, nil)
	room.Hear([]gapless.Event{heard(said(4, "<@500> four", false))})
	d := mention(general, 4, "<@500> four")
	handle(t, room, d, 0)
	same(t, texts(d.Brief.Context), "one", "three")
	same(t, f.all(), "before 10/4 3")

	edited := said(3, "3", false)
	room.Hear([]gapless.Event{
		heard(said(5, "five", false)), {Kind: gapless.MessageEdited, Message: &edited},
		{Kind: gapless.MessagesDeleted, Place: 10, IDs: []gapless.MessageID{1}}, heard(said(6, "six", false)),
	})
	d = mention(general, 6, "six")
	handle(t, room, d, 0)
	same(t, texts(d.Brief.Context), "3", "<@500> four", "five")
	same(t, f.all(), "before 10/4 3")

	room.Hear([]gapless.Event{{Kind: gapless.SessionBegan}})
	handle(t, room, mention(general, 6, "six"), 0)
	same(t, f.all(), "before 10/4 3", "before 10/6 3")
}

func TestContextOfThreadBeginsWithStarter(t *testing.T) {
	f := &deeds{history: []gapless.Message{said(20, "the question", false)}}
	d := mention(gapless.Place{ID: 20, Guild: 1, Parent: 10, Kind: gapless.PublicThread}, 30, "more")
	play(t, conversation.Options{Context: 5}, f, d, 0)
	same(t, texts(d.Brief.Context), "the question")
}

// S27: an outage notice is none of the things that only look like one.
func TestOutageNotices(t *testing.T) {
	for text, want := range map[string]bool{
		"Sorry, the AGENT is currently offline.": true,
		"The gateway appears to be down":         true,
		"That package is unavailable":            false,
		"agents are down":                        false,
		"the agent is downloading":               false,
	} {
		if got := gapless.AnyMatch(gapless.OutageNotices(), text); got != want {
			t.Errorf("%q is a notice: %t", text, got)
		}
	}
}

func TestPrompts(t *testing.T) {
	f := &deeds{channels: map[gapless.ChannelID]string{10: "general"}}
	opt := conversation.Options{Prompts: []conversation.Prompt{{"general", "be brief"}, {"21", "of the thread"}}}
	for _, c := range []struct {
		name  string
		place gapless.Place
		want  string
	}{
		{"channel", general, "be brief"},
		{"thread of it", gapless.Place{ID: 20, Parent: 10, Kind: gapless.PublicThread}, "be brief"},
		{"thread by itself", gapless.Place{ID: 21, Parent: 10, Kind: gapless.PublicThread}, "of the thread"},
		{"elsewhere", gapless.Place{ID: 11, Kind: gapless.GuildText, Name: "random"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := mention(c.place, 7, "hi")
			play(t, opt, f, d, 0)
			if d.Brief.Prompt != c.want {
				t.Errorf("told %q, want %q", d.Brief.Prompt, c.want)
			}
		})
	}
}

// Links to attachments that have ended are renewed by reading the message
// again; others cost nothing.
func TestLinksOfAttachmentsAreFresh(t *testing.T) {
	payload := func(end time.Time) json.RawMessage {
		return json.RawMessage(fmt.Sprintf(`{"attachments":[{"url":"https://cdn.example/a.png?ex=%x&is=1"}]}`, end.Unix()))
	}
	synctest.Test(t, func(t *testing.T) {
		fresh := gapless.Message{ID: 7, Place: 10, Raw: payload(time.Now().Add(24 * time.Hour))}
		f := &deeds{history: []gapless.Message{fresh}}
		d := mention(general, 7, "look")
		m := &d.Messages[0].Message
		m.Attachments, m.Raw = 1, payload(time.Now().Add(-time.Minute))
		for range 2 { // the second time the link is good
			play(t, conversation.Options{}, f, d, 0)
		}
		same(t, f.all(), "message 10/7")
		if string(d.First().Raw) != string(fresh.Raw) {
			t.Errorf("handed over %s", d.First().Raw)
		}
	})
}

func TestVerdictPassesThrough(t *testing.T) {
	want := errors.New("no")
	room := conversation.New(conversation.Options{Reactions: true, Typing: true, Context: 5}, &deeds{}, nil)
	err := room.Wrap(gapless.HandlerFunc(func(context.Context, *gapless.Delivery) error { return want })).
		Handle(t.Context(), mention(general, 7, "hi"))
	if !errors.Is(err, want) {
		t.Errorf("verdict %v", err)
	}
}
