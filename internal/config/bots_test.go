package config_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gapless/internal/config"
)

const twoBots = `hold: 5s
policy: {everyone: true}
handler: {exec: [./common.sh]}
discord: {allow_bots: all}
bots:
  - name: one
    token_env: TOKEN_ONE
    data: /x
    policy: {users: [111111111111111111], everyone: false}
  - token_file: two.token
    hold: 7s
    handler: {exec: [./two.sh], mode: lines}
    discord: {allow_bots: mentions, reply_to_mode: all}
`

func TestSeveralBots(t *testing.T) {
	r, err := read(t, twoBots, map[string]string{
		"GAPLESS_POLICY_BOTS": "none", "DISCORD_ALLOW_BOTS": "none", "DISCORD_TOKEN": "x", "GAPLESS_LOG_LEVEL": "debug", "DISCORD_ALLOWED_USERS": idB,
	})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Several() || len(r.Bots) != 2 {
		t.Fatalf("%d bots", len(r.Bots))
	}
	one, two := r.Bots[0].Config, r.Bots[1].Config
	if one.Name != "one" || two.Name != "bot2" {
		t.Errorf("names %q and %q", one.Name, two.Name)
	}
	if one.Hold != 5*time.Second || two.Hold != 7*time.Second || one.Data != "/x" || two.Data != "/h/.local/state/gapless" {
		t.Errorf("holds %s %s, data %s %s", one.Hold, two.Hold, one.Data, two.Data)
	}
	if one.Policy.Everyone || !two.Policy.Everyone || len(one.Policy.Users) != 1 || len(two.Policy.Users) != 0 {
		t.Errorf("policies %+v and %+v", one.Policy, two.Policy)
	}
	if one.Policy.Bots != "all" || two.Policy.Bots != "mentions" || one.Replies != "first" || two.Replies != "all" {
		t.Errorf("mapped: bots %s %s, replies %s %s", one.Policy.Bots, two.Policy.Bots, one.Replies, two.Replies)
	}
	if one.Handler.Exec[0] != "./common.sh" || two.Handler.Exec[0] != "./two.sh" || two.Handler.Mode != "lines" || one.Handler.Mode != "process" {
		t.Errorf("handlers %+v and %+v", one.Handler, two.Handler)
	}
	if got := counts(t, r.Bots[1], "log.level"); got != "debug" {
		t.Errorf("the log's level is %s: it is the process's", got)
	}
	var unused []string
	for _, n := range r.Notes {
		unused = append(unused, n.About)
	}
	if got := strings.Join(unused, " "); got != "GAPLESS_POLICY_BOTS DISCORD_ALLOWED_USERS DISCORD_ALLOW_BOTS DISCORD_TOKEN" {
		t.Errorf("not used: %s", got)
	}
}

func TestSeveralBotsFaults(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"no list", "bots: {a: b}\n", "bots takes a list"},
		{"empty list", "bots: []\n", "bots takes a list"},
		{"no bot", "bots: [x]\n", "a bot is made of keys and values"},
		{"no token", "bots:\n  - name: a\n", ":2:5: bot a has no token"},
		{"two sorts of token", "bots:\n  - token_file: a\n    token_env: B\n", "the bot has a token_file, too"},
		{"the token itself", "bots:\n  - token: abc\n", "the token does not belong in this file"},
		{"a common token", "token_file: x\nbots:\n  - token_env: A\n", ":1:13: token_file: each bot of the list has a token of its own"},
		{"the same variable", "bots:\n  - token_env: A\n  - token_env: A\n", ":3:16: token_env: bot bot1 has the same token"},
		{"the same name", "bots:\n  - {name: a, token_env: A}\n  - {name: a, token_env: B}\n", `two bots of the name "a"`},
		{"bad name", "bots:\n  - {name: 'a b', token_env: A}\n", "name takes a short name"},
		{"log of a bot", "bots:\n  - token_env: A\n    log: {level: debug}\n", "log.level holds for the whole process"},
		{"bots of a bot", "bots:\n  - token_env: A\n    bots: []\n", `unknown key "bots"`},
		{"a mistake in a bot", "bots:\n  - token_env: A\n    hold: soon\n", ":3:11: hold: "},
		{"a contradiction in a bot", "bots:\n  - token_env: A\n    retry: {base: 1h}\n", "retry.ceiling"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := read(t, tt.text, nil)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestTokensOfBots(t *testing.T) {
	const other = "OTg3NjU0MzIxMDk4NzY1NDMy.GabcdE.abcdefghijklmnopqrstuvwxyz0123456789" // of 987654321098765432
	file := write(t, "two.token", other+"\n", 0o600)
	for _, tt := range []struct {
		name string
		vars map[string]string
		file string
		want string // empty: fine
	}{
		{"two bots", map[string]string{"TOKEN_ONE": bot}, file, ""},
		{"the same token", map[string]string{"TOKEN_ONE": other}, file, "bots one and bot2 have the same token"},
		{"two tokens of one account", map[string]string{"TOKEN_ONE": "OTg3NjU0MzIxMDk4NzY1NDMy.Gother.abcdefghijklmnopqrstuvwxyz0123456789"}, file, "tokens of the same account"},
		{"one is missing", nil, file, "bot one: TOKEN_ONE, which token_env names, is not set"},
		{"its file is missing", map[string]string{"TOKEN_ONE": bot}, "/nowhere", "bot bot2: read the bot's token (token_file): open /nowhere"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := read(t, strings.ReplaceAll(twoBots, "two.token", tt.file), nil)
			if err != nil {
				t.Fatal(err)
			}
			vars := map[string]string{"DISCORD_TOKEN": other}
			maps.Copy(vars, tt.vars)
			tokens, _, err := config.FindTokens(env(vars), r)
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("got %v, want %q", err, tt.want)
			}
			if err != nil {
				if strings.Contains(err.Error(), other) || strings.Contains(err.Error(), bot) {
					t.Error("the error shows a token")
				}
				return
			}
			if len(tokens) != 2 || tokens[0].Reveal() != bot || tokens[1].Reveal() != other || tokens[0].From != "TOKEN_ONE" {
				t.Error("it found other tokens")
			}
		})
	}
}

// Mistakes of every source come at once.
func TestFaultsOfAllSources(t *testing.T) {
	name := filepath.Join(t.TempDir(), "gapless.yaml")
	if err := os.WriteFile(name, []byte("drain: 5\nhold: soon\nbots:\n  - token_env: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := config.Read(config.Sources{File: name, Env: env(map[string]string{"GAPLESS_LOG_LEVEL": "loud"}),
		Flags: []config.Setting{{Key: "concurrency", Values: []string{"0"}, From: "--it"}}})
	var got []string
	for _, f := range config.Faults(err) {
		got = append(got, f.Key+"="+f.Given)
		if f.Accepted == "" || f.Hint == "" {
			t.Errorf("%v does not say what is accepted", f)
		}
	}
	if strings.Join(got, " ") != "drain=5 hold=soon token_env=1 log.level=loud concurrency=0" {
		t.Errorf("got %q", got)
	}
	if config.Faults(nil) != nil {
		t.Error("no error has faults")
	}
}
