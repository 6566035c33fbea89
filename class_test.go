package gapless_test

import (
	"encoding/json"
	"strings"
	"testing"

	"gapless"
)

func pattern(t *testing.T, expression string) gapless.Pattern {
	t.Helper()
	p, err := gapless.NewPattern(expression)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestClassOfText(t *testing.T) {
	for text, want := range map[string]gapless.Class{
		"":                              gapless.ClassNormal,
		"what is the time?":             gapless.ClassNormal,
		"/restart":                      gapless.ClassCommand,
		"/restart now":                  gapless.ClassCommand,
		"<@500> /restart":               gapless.ClassCommand,
		"<@!500>, /new-session\nplease": gapless.ClassCommand,
		"/restart <@500>":               gapless.ClassCommand,
		"hermes: /reset":                gapless.ClassCommand,
		"!ask /reset":                   gapless.ClassCommand,
		"/etc/hosts is broken":          gapless.ClassNormal,
		"/ 2":                           gapless.ClassNormal,
		"/":                             gapless.ClassNormal,
		"//":                            gapless.ClassNormal,
		"please /restart":               gapless.ClassNormal,
		"!ask what is up":               gapless.ClassNormal,
		"reboot the box":                gapless.ClassCommand,
		"yes":                           gapless.ClassApproval,
		"YES!!":                         gapless.ClassApproval,
		"<@500> ok.":                    gapless.ClassApproval,
		"ok <@500>":                     gapless.ClassApproval,
		"hermes, go ahead":              gapless.ClassApproval,
		"!ask no":                       gapless.ClassApproval,
		"👍":                             gapless.ClassApproval,
		"✅\uFE0F":                       gapless.ClassApproval,
		"approve 17":                    gapless.ClassApproval,
		"yes, and what about ops?":      gapless.ClassNormal,
		"<@501> yes":                    gapless.ClassNormal,
		"yesterday":                     gapless.ClassNormal,
		"stop":                          gapless.ClassNormal,
		"...":                           gapless.ClassNormal,
	} {
		c := gapless.Classes{CommandPatterns: []gapless.Pattern{pattern(t, `^reboot\b`)}, ApprovalPatterns: []gapless.Pattern{pattern(t, `^(?i)approve \d+$`)}}
		policy := gapless.Policy{Names: []string{"Hermes"}, Prefixes: []string{"!ask"}}
		m := gapless.Message{Author: gapless.User{ID: friend}, Text: text}
		if got := c.Of(&m, &policy, self); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}

func TestClassOfAuthorAndContent(t *testing.T) {
	policy := gapless.Policy{Webhooks: []gapless.UserID{77}}
	for name, c := range map[string]struct {
		m    gapless.Message
		want gapless.Class
	}{
		"another bot's command":        {gapless.Message{Author: gapless.User{ID: robot, Bot: true}, Text: "/restart"}, gapless.ClassBot},
		"a webhook":                    {gapless.Message{Author: gapless.User{ID: 78, Bot: true}, Webhook: 78, Text: "yes"}, gapless.ClassBot},
		"a proxy that speaks (C66)":    {gapless.Message{Author: gapless.User{ID: 77, Bot: true}, Webhook: 77, Text: "hello"}, gapless.ClassNormal},
		"a yes with a file":            {gapless.Message{Author: gapless.User{ID: friend}, Text: "yes", Attachments: 1}, gapless.ClassNormal},
		"a yes that was forwarded":     {gapless.Message{Author: gapless.User{ID: friend}, Text: "yes", Forwarded: 3}, gapless.ClassNormal},
		"a command that was forwarded": {gapless.Message{Author: gapless.User{ID: friend}, Text: "see\n/restart", Forwarded: 9}, gapless.ClassNormal},
	} {
		if got := (gapless.Classes{}).Of(&c.m, &policy, self); got != c.want {
			t.Errorf("%s is %s, want %s", name, got, c.want)
		}
	}
}

func TestClassesCanBeEmptied(t *testing.T) {
	none := gapless.Classes{CommandPrefixes: []string{}, ApprovalWords: []string{}, DenialWords: []string{}}
	for _, text := range []string{"/restart", "yes", "no"} {
		m := gapless.Message{Author: gapless.User{ID: friend}, Text: text}
		if got := none.Of(&m, &gapless.Policy{}, self); got != gapless.ClassNormal {
			t.Errorf("%q is %s", text, got)
		}
	}
	own := gapless.Classes{CommandPrefixes: []string{"%"}, ApprovalWords: []string{"oui", ""}}
	for text, want := range map[string]gapless.Class{"%stop": gapless.ClassCommand, "Oui.": gapless.ClassApproval, "yes": gapless.ClassNormal, "?": gapless.ClassNormal} {
		m := gapless.Message{Author: gapless.User{ID: friend}, Text: text}
		if got := own.Of(&m, &gapless.Policy{}, self); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}

func FuzzClass(f *testing.F) {
	for _, seed := range []string{"<@500> /x", "yes <@500>", "@hermes", "!ask", "<@", "é", "hermes\xff"} {
		f.Add(seed)
	}
	policy := gapless.Policy{Names: []string{"Hermes", "é"}, Prefixes: []string{"!ask", "ß"}}
	f.Fuzz(func(t *testing.T, text string) {
		m := gapless.Message{Author: gapless.User{ID: friend}, Text: text}
		c := (gapless.Classes{}).Of(&m, &policy, self)
		m.Text = "<@500> " + text
		if again := (gapless.Classes{}).Of(&m, &policy, self); again != c {
			t.Errorf("%q is %s, with a mention before it %s", text, c, again)
		}
	})
}

func TestPattern(t *testing.T) {
	var none gapless.Pattern
	if none.Match("") || none.String() != "" {
		t.Error("the zero pattern matches")
	}
	if _, err := gapless.NewPattern("(a"); err == nil || !strings.Contains(err.Error(), "(a") {
		t.Errorf("a broken expression: %v", err)
	}
	var read struct{ P gapless.Pattern }
	if err := json.Unmarshal([]byte(`{"P":"^a+$"}`), &read); err != nil || !read.P.Match("aaa") || read.P.Match("ab") {
		t.Errorf("read %v, %v", read.P, err)
	}
	if b, err := json.Marshal(read); err != nil || string(b) != `{"P":"^a+$"}` {
		t.Errorf("wrote %s, %v", b, err)
	}
	if err := json.Unmarshal([]byte(`{"P":"("}`), &read); err == nil || read.P.Match("aaa") {
		t.Error("a broken expression was read, or the old one stayed")
	}
}
