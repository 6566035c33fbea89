package config_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"gapless"
	"gapless/internal/config"
)

// env is an environment of these variables.
func env(vars map[string]string) config.Environment {
	return func(name string) (string, bool) {
		v, ok := vars[name]
		return v, ok
	}
}

// load reads a file of this text, and nothing else.
func load(t *testing.T, text string) (config.Config, error) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "gapless.yaml")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return config.Load(config.Sources{File: name, Env: env(map[string]string{"HOME": "/h"})})
}

func TestDefaults(t *testing.T) {
	got, err := config.Load(config.Sources{Env: env(map[string]string{"HOME": "/h", "XDG_CONFIG_HOME": t.TempDir()})})
	if err != nil {
		t.Fatal(err)
	}
	want := config.Config{
		API: "https://discord.com/api/v10", Data: "/h/.local/state/gapless",
		Handler: config.Handler{Input: "json", Mode: "process", TimeLimit: 10 * time.Minute},
		Policy:  gapless.Policy{Bots: "none", OnEdit: "ignore"}, Recover: config.Recover{
			Default: "on", Notice: "I was away from {from} to {to} and have not read what was written here in that time.",
		},
		Budget: gapless.Budget{}.WithDefaults(), Retry: gapless.Retry{}.WithDefaults(),
		Talk: config.Conversation{Typing: true, Mentions: []string{"users", "replied_user"}},
		Late: gapless.LatePolicy{}.WithDefaults(), AskFor: 24 * time.Hour, Question: "This came to me late. Does it still matter? (yes or no)",
		Backlog: config.Backlog{Default: "each", BotTurns: 10}, Readers: 4, Keep: config.Keep{Text: 10 * time.Minute, Settled: 720 * time.Hour},
		Audit: config.Audit{Interval: 5 * time.Minute, Calls: 30}, Hold: 30 * time.Second, TurnLimit: time.Hour, Drain: 30 * time.Second, Concurrency: 16, Replies: "first",
		Log: config.Log{Level: slog.LevelInfo, Format: "auto"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if !got.Policy.Silent() {
		t.Error("somebody is heard although nobody was allowed")
	}
}

const whole = `# every key
token_file: ~/token
token_env: MY_TOKEN
api: http://127.0.0.1:8080/api/v10/
data: /var/lib/gapless
handler:
  exec: ["./bot.sh", -v, 3]
  input: json
  mode: lines
  time_limit: 90s
policy:
  users: [1234567890123456789, "12345678901234567", ann, "@Bob_9"]
  roles: [12345678901234567]
  everyone: true
  bots: mentions
  bots_inline_mention: true
  webhooks: [12345678901234568]
  ignored_webhooks: [12345678901234569]
  allowed_channels: "*"
  ignored_channels: ["#secret"]
  free_channels:
    - 9223372036854775807
    - 18446744073709551615   # more than fits an int64
    - general
  shared_channels: [bots]
  thread_require_mention: true
  ignore_no_mention: false
  own_role: true
  names: [helper, "old helper"]
  prefixes: ["!ask"]
  on_edit: admit
scope:
  servers: [home]
  categories: ["12345678901234567", staff]
  channels: ["#general"]
  except: [dm, general]
recover:
  default: notice
  places: {general: on, "#secret": off, 12345678901234567: notice}
  notice: away {from} {to}
  notice_always: true
look_back: 2h
late:
  late_after: 5m
  ask_after: 1h
  expire_after: 2d
  recovered: {normal: ask, commands: same, approvals: same, bots: ask}
  command_prefixes: ["!"]
  command_patterns: ["^deploy"]
  approval_words: []
  denial_words: [nay]
  approval_patterns: [(?i)^aye]
  ask_for: 3h
  question: still?
conversation: {reactions: true, typing: false, auto_thread: true, no_thread_channels: ["#lobby"], context: 20, prompts: {general: be brief}, allow_mentions: [users], outage_notices: ['(?i)on strike']}
backlog: {default: latest, places: {general: joined, 12345678901234567: each}, join: 2s, merge_repeats: true, bot_turns: 3}
budget: {examined: 1000, calls: 50, turns_per_minute: 60, window: 2d, readers: 2}
hold: 1m30s
audit: {interval: off, calls: 60}
retry:
  attempts: 3
  interruptions: 9
  base: 500ms
  ceiling: 1h
turn_limit: 2h
keep: {text: 1h, settled: 60d}
drain: 10s
concurrency: 4
shards: 16
replies: all
log:
  level: debug
  format: json
`

// patterns compiles expressions.
func patterns(t *testing.T, texts ...string) (all []gapless.Pattern) {
	t.Helper()
	for _, text := range texts {
		p, err := gapless.NewPattern(text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

func TestWholeFile(t *testing.T) {
	got, err := load(t, whole)
	if err != nil {
		t.Fatal(err)
	}
	got.File = ""
	want := config.Config{
		TokenFile: "/h/token", TokenEnv: "MY_TOKEN", API: "http://127.0.0.1:8080/api/v10", Data: "/var/lib/gapless",
		Handler: config.Handler{Exec: []string{"./bot.sh", "-v", "3"}, Input: "json", Mode: "lines", TimeLimit: 90 * time.Second},
		Policy: gapless.Policy{
			Users: []gapless.UserID{1234567890123456789, 12345678901234567}, UserNames: []string{"ann", "bob_9"},
			Roles: []gapless.RoleID{12345678901234567}, Everyone: true, Bots: gapless.BotsMentions, BotsInline: true,
			Webhooks: []gapless.UserID{12345678901234568}, IgnoredWebhooks: []gapless.UserID{12345678901234569},
			Allowed: gapless.PlaceList{All: true}, Ignored: gapless.PlaceList{Names: []string{"#secret"}},
			Free:   gapless.PlaceList{IDs: []gapless.ChannelID{9223372036854775807, 18446744073709551615}, Names: []string{"general"}},
			Shared: gapless.PlaceList{Names: []string{"bots"}}, ThreadRequireMention: true, AnswerOthers: true, OwnRole: true,
			Names: []string{"helper", "old helper"}, Prefixes: []string{"!ask"}, OnEdit: gapless.EditAdmit,
		},
		Scope: gapless.Scope{
			Guilds: []gapless.Ref{"home"}, Categories: []gapless.Ref{"12345678901234567", "staff"},
			Channels: []gapless.Ref{"#general"}, Except: []gapless.Ref{gapless.ExceptDirect, "general"},
		},
		Recover: config.Recover{Default: gapless.RecoverNotice, Notice: "away {from} {to}", NoticeAll: true, Places: []gapless.RecoverRule{
			{Place: "general", How: gapless.RecoverOn}, {Place: "#secret", How: gapless.RecoverOff}, {Place: "12345678901234567", How: gapless.RecoverNotice},
		}},
		Talk: config.Conversation{
			Reactions: true, AutoThread: true, NoThreads: gapless.PlaceList{Names: []string{"#lobby"}}, Context: 20,
			Prompts: []config.Prompt{{"general", "be brief"}}, Mentions: []string{"users"}, Outages: patterns(t, "(?i)on strike"),
		},
		Late: gapless.LatePolicy{
			After: 5 * time.Minute, Ask: time.Hour, Expire: 48 * time.Hour,
			Recovered: gapless.Recovered{Normal: gapless.LateAsk, Command: gapless.LateSame, Approval: gapless.LateSame, Bot: gapless.LateAsk},
			Classes: gapless.Classes{
				CommandPrefixes: []string{"!"}, CommandPatterns: patterns(t, "^deploy"), ApprovalWords: []string{}, DenialWords: []string{"nay"}, ApprovalPatterns: patterns(t, "(?i)^aye"),
			},
		},
		AskFor: 3 * time.Hour, Question: "still?",
		Backlog: config.Backlog{
			Default: gapless.BacklogLatest, Join: 2 * time.Second, Merge: true, BotTurns: 3,
			Places: []gapless.BacklogRule{{Place: "general", How: gapless.BacklogJoined}, {Place: "12345678901234567", How: gapless.BacklogEach}},
		},
		LookBack: 2 * time.Hour, Readers: 2, Keep: config.Keep{Text: time.Hour, Settled: 1440 * time.Hour},
		Hold: 90 * time.Second, Audit: config.Audit{Calls: 60}, TurnLimit: 2 * time.Hour, Drain: 10 * time.Second, Concurrency: 4, Shards: 16, Replies: gapless.ReplyAll,
		Log: config.Log{Level: slog.LevelDebug, Format: "json"},
	}
	want.Budget = gapless.Budget{Examined: 1000, Calls: 50, Turns: 60, Window: 48 * time.Hour}.WithDefaults()
	want.Retry = gapless.Retry{Attempts: 3, Interruptions: 9, Base: 500 * time.Millisecond, Ceiling: time.Hour}.WithDefaults()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	for _, key := range config.Keys() {
		name := key.Name[strings.LastIndexByte(key.Name, '.')+1:]
		if !strings.Contains(whole, name+":") {
			t.Errorf("the test does not set %s", key.Name)
		}
		if key.Says == "" || (key.Default == "" && key.Name != "token_file" && key.Name != "token_env" && key.Name != "handler.exec") {
			t.Errorf("%s is not explained", key.Name)
		}
	}
}

func TestFaults(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []string // in this order
	}{
		{"unknown key", "hold: 1s\nretry:\n  retrys: 5\n", []string{
			`:3:3: unknown key "retrys" in retry`, "\n    3 |   retrys: 5\n          ^", "there is attempts, interruptions, base, ceiling"}},
		{"misspelt key", "polcy:\n  users: []\n", []string{`:1:1: unknown key "polcy" in the file`, `did you mean "policy"?`}},
		{"all at once", "hodl: 1s\nconcurrency: many\ndrain: 5\n", []string{
			`:1:1: unknown key "hodl"`, `:2:14: concurrency: "many" is no whole number`, `:3:8: drain: "5" has no unit`, "write 5s for seconds"}},
		{"bad duration", "budget:\n  window: 6 hours\n", []string{
			`:2:11: budget.window: "6 hours" is no duration`, "\n    2 |   window: 6 hours\n                  ^", "write it as 30s, 10m, 1h30m or 2d"}},
		{"audit too often", "audit: {interval: 1s}\n", []string{"audit.interval: 1s is out of range", "from 10s to 1d"}},
		{"duration out of range", "hold: 2h\n", []string{"hold: 2h is out of range", "from 1ms to 1h"}},
		{"negative duration", "hold: -1s\n", []string{"hold: -1s is out of range"}},
		{"tab", "retry:\n\tattempts: 3\n", []string{":2:1: the line is indented with a tab", "indent it with spaces"}},
		{"short id", "policy:\n  users:\n    - 123456789012345678\n    - 12345\n", []string{
			`:4:7: policy.users: "12345" is no Discord id`, "Developer Mode"}},
		{"id written as a number with a point", "policy:\n  users: [1.23e18]\n", []string{`"1.23e18" is no Discord id`}},
		{"id past 64 bits", "policy:\n  users: [99999999999999999999]\n", []string{"is no Discord id"}},
		{"display name for an id", "policy: {users: [Ann Smith]}\n", []string{`:1:18: policy.users: "Ann Smith" is neither an id nor a unique user name`, "small letters"}},
		{"everybody for an id", "policy: {users: ['*']}\n", []string{`"*" is no user`, "everyone: true"}},
		{"name of a channel without quotes", "policy:\n  free_channels:\n    - #general\n", []string{"policy.free_channels has no value", `quote the name: "#general"`}},
		{"mention for an id", "policy:\n  users: ['<@123456789012345678>']\n", []string{"is a mention, not an id", "write only its digits: 123456789012345678"}},
		{"user and channel the same", "policy:\n  users: [123456789012345678]\n  free_channels: [123456789012345678]\n", []string{
			`:3:19: policy.free_channels: 123456789012345678 is listed as a user, too`}},
		{"star and ids", "policy:\n  free_channels: [123456789012345678, '*']\n", []string{`:2:39: policy.free_channels: "*" means every channel`}},
		{"bare star", "policy:\n  free_channels: [*]\n", []string{":2:20: ", `quote the star: "*"`}},
		{"one string for a command", "handler:\n  exec: python3 bot.py\n", []string{"no shell to cut them apart", `["python3", "bot.py"]`}},
		{"no value", "hold:\n", []string{":1:7: hold has no value"}},
		{"list for a value", "hold: [1s]\n", []string{"hold takes one value, not a list"}},
		{"map for a value", "hold: {a: 1}\n", []string{"hold takes plain values"}},
		{"value for a heading", "retry: 5\n", []string{":1:8: retry is not a value but a heading", "attempts, interruptions, base, ceiling"}},
		{"list for a file", "- x\n", []string{"the file must be made of keys and values"}},
		{"given twice", "hold: 1s\nhold: 2s\n", []string{`:2:1: mapping key "hold" already defined`}},
		{"second document", "hold: 1s\n---\nhold: 2s\n", []string{":3:1: the file has a second document"}},
		{"uneven indentation", "retry:\n    base: 1s\n  ceiling: 2s\n", []string{":3:3: ", "indented alike"}},
		{"yes for true", "policy:\n  everyone: yes\n", []string{`"yes" is neither true nor false`}},
		{"unknown word", "policy:\n  bots: mention\n", []string{`"mention" is none of none, mentions, all`, `did you mean "mentions"?`}},
		{"URL without a scheme", "api: localhost:8080\n", []string{"this is no http or https URL"}},
		{"URL with a password", "api: https://a:b@c/\n", []string{"must not carry a password"}},
		{"ceiling below base", "retry:\n  base: 1m\n  ceiling: 30s\n", []string{`:3:12: retry.ceiling: it is less than retry.base`, "at least 1m"}},
		{"asked too late", "late: {ask_after: 2h, expire_after: 1h}\n", []string{":1:19: late.ask_after: nobody would be asked", "less than late.expire_after, which is 1h"}},
		{"bad pattern", "late: {command_patterns: [ok, '(']}\n", []string{`:1:31: late.command_patterns: read pattern "("`, "Go's syntax"}},
		{"forgotten too soon", "budget: {window: 2d}\nkeep: {settled: 2d}\n", []string{":2:17: keep.settled: it is not more than budget.window", "more than 2d"}},
		{"text to lines", "handler:\n  mode: lines\n  input: text\n", []string{":2:9: handler.mode: "}},
		{"no number of shards", "shards: many\n", []string{`"many" is no whole number`, "from 1 to 16384, or auto"}},
		{"number out of range", "concurrency: 0\n", []string{"0 is out of range"}},
		{"not UTF-8 at all", "\xff\xfe\x00", []string{":1:1: "}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := load(t, tt.text)
			if err == nil {
				t.Fatal("accepted")
			}
			rest := err.Error()
			for _, want := range tt.want {
				_, after, ok := strings.Cut(rest, want)
				if !ok {
					t.Fatalf("the error lacks %q:\n%s", want, err)
				}
				rest = after
			}
		})
	}
}

func TestEmptyFileIsFine(t *testing.T) {
	for _, text := range []string{"", "# nothing yet\n", "\ufeffhold: 1s\r\n", "retry:\n"} {
		if _, err := load(t, text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestFaultsHideSecrets(t *testing.T) {
	const secret = "MTIzNDU2Nzg5MDEyMzQ1Njc4.GabcdE.abcdefghijklmnopqrstuvwxyz0123456789"
	for _, text := range []string{
		"token: " + secret + "\n", "discord_token: hunter2-" + secret + "\n", "token_file: " + secret + "\n",
		"hold: " + secret + "\n", "secrets: [x, " + secret + "]\n",
	} {
		_, err := load(t, text)
		if err == nil {
			t.Fatalf("%q was accepted", text[:8])
		}
		if text[:4] != "hold" && strings.Contains(err.Error(), secret) {
			t.Errorf("the error shows the token:\n%s", err)
		}
	}
	if _, err := load(t, "token: x\n"); !strings.Contains(err.Error(), "use DISCORD_TOKEN, DISCORD_TOKEN_FILE or token_file") {
		t.Errorf("the error does not say where the token belongs:\n%s", err)
	}
}

func TestPrecedence(t *testing.T) {
	name := filepath.Join(t.TempDir(), "gapless.yaml")
	if err := os.WriteFile(name, []byte("hold: 1s\ndrain: 1s\nturn_limit: 1s\npolicy:\n  users: [11111111111111111]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	vars := map[string]string{
		"GAPLESS_CONFIG": name, "GAPLESS_HOLD": "2s", "GAPLESS_DRAIN": "2s", "GAPLESS_POLICY_USERS": "22222222222222222, 33333333333333333",
		"GAPLESS_HANDLER_EXEC": "./bot.sh  -v", "STATE_DIRECTORY": "/var/lib/one:/var/lib/two",
	}
	got, err := config.Load(config.Sources{Env: env(vars), Flags: []config.Setting{{Key: "hold", Values: []string{"3s"}, From: "--hold"}}})
	if err != nil {
		t.Fatal(err)
	}
	if got.Hold != 3*time.Second || got.Drain != 2*time.Second || got.TurnLimit != time.Second || got.Concurrency != 16 {
		t.Errorf("hold %s, drain %s, turn_limit %s, concurrency %d; want flag, environment, file, default", got.Hold, got.Drain, got.TurnLimit, got.Concurrency)
	}
	if want := []gapless.UserID{22222222222222222, 33333333333333333}; !reflect.DeepEqual(got.Policy.Users, want) {
		t.Errorf("users %v, want %v", got.Policy.Users, want)
	}
	if want := []string{"./bot.sh", "-v"}; !reflect.DeepEqual(got.Handler.Exec, want) || got.Data != "/var/lib/one" {
		t.Errorf("exec %q, data %q", got.Handler.Exec, got.Data)
	}
}

func TestFaultsOutsideTheFile(t *testing.T) {
	none := map[string]string{"XDG_CONFIG_HOME": t.TempDir()}
	_, err := config.Load(config.Sources{Env: env(none), Flags: []config.Setting{{Key: "policy.users", Values: []string{"12"}, From: "--allow-user"}}})
	if err == nil || !strings.HasPrefix(err.Error(), `--allow-user: "12" is no Discord id`) {
		t.Errorf("flag: %v", err)
	}
	none["GAPLESS_HOLD"] = "soon"
	_, err = config.Load(config.Sources{Env: env(none)})
	if err == nil || !strings.HasPrefix(err.Error(), `GAPLESS_HOLD: "soon" is no duration`) {
		t.Errorf("environment: %v", err)
	}
	_, err = config.Load(config.Sources{File: "/nowhere/gapless.yaml"})
	if err == nil || !strings.Contains(err.Error(), "/nowhere/gapless.yaml does not exist") {
		t.Errorf("missing file: %v", err)
	}
}
