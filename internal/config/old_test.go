package config_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gapless/internal/config"
)

// read reads a file of this text in an environment.
func read(t *testing.T, text string, vars map[string]string) (*config.Report, error) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "gapless.yaml")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	all := map[string]string{"HOME": "/h"}
	maps.Copy(all, vars)
	return config.Read(config.Sources{File: name, Env: env(all)})
}

// counts is what counts for a key, several values with commas between.
func counts(t *testing.T, b config.Bot, key string) string {
	t.Helper()
	for _, v := range b.Values {
		if v.Key == key {
			return strings.Join(v.Values, ",")
		}
	}
	t.Fatalf("there is no key %s", key)
	return ""
}

// said is all notes on a bot, one a line.
func said(b config.Bot) string {
	var lines []string
	for _, n := range append(b.Notes, b.Overruled()...) {
		lines = append(lines, n.About+": "+n.Text)
	}
	return strings.Join(lines, "\n")
}

const (
	idA = "111111111111111111"
	idB = "222222222222222222"
)

// oldRow is one row of the reference's settings, set in the file, in a
// variable, or in both.
type oldRow struct {
	name  string
	block string // below discord:, as flow mapping
	vars  map[string]string
	key   string
	want  string // what counts for the key
	note  string // something that must be said; empty: nothing may be
}

// missed is the block of missed messages.
func missed(text string) string { return "missed_message_backfill: {" + text + "}" }

func checkOld(t *testing.T, rows []oldRow) {
	t.Helper()
	for _, tt := range rows {
		t.Run(tt.name, func(t *testing.T) {
			vars := map[string]string{}
			for k, v := range tt.vars {
				vars["DISCORD_"+k] = v
			}
			r, err := read(t, "discord: {"+tt.block+"}\n", vars)
			if err != nil {
				t.Fatal(err)
			}
			b := r.Bots[0]
			if got := counts(t, b, tt.key); got != tt.want {
				t.Errorf("%s is %q, want %q", tt.key, got, tt.want)
			}
			if got := said(b); (got == "") != (tt.note == "") || !strings.Contains(got, tt.note) {
				t.Errorf("it says %q, want %q", got, tt.note)
			}
		})
	}
}

// S12 to S14 with the rules of precedence of the block.
func TestOldMissedMessages(t *testing.T) {
	const e, c = "MISSED_MESSAGE_BACKFILL", "MISSED_MESSAGE_BACKFILL_CHANNELS"
	const w, l, d = "MISSED_MESSAGE_BACKFILL_WINDOW_SECONDS", "MISSED_MESSAGE_BACKFILL_LIMIT", "MISSED_MESSAGE_BACKFILL_MAX_DISPATCHES"
	checkOld(t, []oldRow{
		{"enabled", missed("enabled: true"), nil, "recover.default", "on", ""},
		{"enabled, a bare yes", missed("enabled: yes"), nil, "recover.default", "on", ""},
		{"disabled", missed("enabled: false"), nil, "recover.default", "off", ""},
		{"disabled, so no audits", missed("enabled: 'no'"), nil, "audit.interval", "off", ""},
		{"enabled from a variable", "", map[string]string{e: " On "}, "recover.default", "on", ""},
		{"disabled by a variable", "", map[string]string{e: "false"}, "recover.default", "off", ""},
		{"a block without it falls back to the variable", missed("limit: 7"), map[string]string{e: "0"}, "recover.default", "off", ""},
		{"enabled in both", missed("enabled: true"), map[string]string{e: "false"}, "recover.default", "on", "does not count"},
		{"unset is on here", missed("limit: 7"), nil, "recover.default", "on", ""},

		{"channels, a list", missed("channels: [" + idA + ", '#general']"), nil, "recover.places", idA + "=on,#general=on", ""},
		{"channels, off elsewhere", missed("enabled: true, channels: [" + idA + "]"), nil, "recover.default", "off", ""},
		{"channels, a text", missed("channels: ' " + idA + ", " + idB + "'"), nil, "recover.places", idA + "=on," + idB + "=on", ""},
		{"channels, a number", missed("channels: " + idA), nil, "recover.places", idA + "=on", ""},
		{"channels, an empty list is every place", missed("channels: []"), nil, "recover.default", "on", ""},
		{"channels, a star anywhere is every place", missed("channels: [" + idA + ", '*']"), nil, "recover.places", "", ""},
		{"channels from a variable", "", map[string]string{c: idA + "," + idB}, "recover.places", idA + "=on," + idB + "=on", ""},
		{"a block without them falls back to the variable", missed("limit: 7"), map[string]string{c: idA}, "recover.places", idA + "=on", ""},
		{"channels in both", missed("channels: [" + idA + "]"), map[string]string{c: idB}, "recover.places", idA + "=on", "does not count"},
		{"channels of a recovery that is off", missed("enabled: false, channels: [" + idA + "]"), nil, "recover.places", "", "not used: recovery is off"},

		{"window", missed("window_seconds: 7200"), nil, "budget.window", "2h", ""},
		{"window in text", missed(`window_seconds: "7200"`), nil, "budget.window", "2h", ""},
		{"window with a fraction", missed("window_seconds: 90.5"), nil, "budget.window", "1m30.5s", ""},
		{"window too short", missed("window_seconds: 5"), nil, "budget.window", "1m", "5 s is taken as 1m"},
		{"window below zero", missed("window_seconds: -5"), nil, "budget.window", "1m", "-5 s is taken as 1m"},
		{"window too long", missed("window_seconds: 1e9"), nil, "budget.window", "29d", "1e9 s is taken as 29d"},
		{"window that is no number", missed("window_seconds: soon"), nil, "budget.window", "6h", `"soon" is no number; the default counts`},
		{"window that is not a number", missed("window_seconds: .nan"), nil, "budget.window", "6h", "is no number"},
		{"window without end", missed("window_seconds: .inf"), nil, "budget.window", "6h", "is no number"},
		{"window from a variable", "", map[string]string{w: "120"}, "budget.window", "2m", ""},
		{"window in both", missed("window_seconds: 120"), map[string]string{w: "60"}, "budget.window", "2m", "DISCORD_" + w + ": does not count"},
		{"window in both, the same", missed("window_seconds: 120"), map[string]string{w: "120"}, "budget.window", "2m", ""},
		{"a block without window hides its variable", missed("limit: 7"), map[string]string{w: "120"}, "budget.window", "6h", "DISCORD_" + w + ": not used: the block"},
		{"so does an empty block", missed(""), map[string]string{w: "120"}, "budget.window", "6h", "hides it"},
		{"a block that is none hides nothing", "missed_message_backfill: true", map[string]string{w: "120"}, "budget.window", "2m", "discord.missed_message_backfill ("},

		{"limit", missed("limit: 250"), nil, "budget.examined", "250", ""},
		{"limit too small", missed("limit: 0"), nil, "budget.examined", "1", "0 is taken as 1"},
		{"limit too large", missed("limit: 9999"), nil, "budget.examined", "500", "9999 is taken as 500"},
		{"limit with a fraction", missed("limit: 10.7"), nil, "budget.examined", "10", "10.7 is taken as 10"},
		{"limit that is no number", missed("limit: many"), nil, "budget.examined", "500", `"many" is no number`},
		{"limit from a variable", "", map[string]string{l: "250"}, "budget.examined", "250", ""},
		{"limit in both", missed("limit: 250"), map[string]string{l: "3"}, "budget.examined", "250", "does not count"},
		{"a block without limit hides its variable", missed("window_seconds: 60"), map[string]string{l: "3"}, "budget.examined", "500", "hides it"},

		{"dispatches", missed("max_dispatches: 12"), nil, "budget.turns_per_minute", "12", ""},
		{"dispatches too many", missed("max_dispatches: 101"), nil, "budget.turns_per_minute", "100", "101 is taken as 100"},
		{"dispatches too few", missed("max_dispatches: -1"), nil, "budget.turns_per_minute", "1", "-1 is taken as 1"},
		{"dispatches that are no number", missed("max_dispatches: x"), nil, "budget.turns_per_minute", "30", "is no number"},
		{"dispatches from a variable", "", map[string]string{d: "12"}, "budget.turns_per_minute", "12", ""},
		{"dispatches in both", missed("max_dispatches: 12"), map[string]string{d: "3"}, "budget.turns_per_minute", "12", "does not count"},
		{"a block without dispatches hides its variable", missed("limit: 7"), map[string]string{d: "3"}, "budget.turns_per_minute", "30", "hides it"},
	})
}

// Who is heard: variables first, the file fills what is unset.
func TestOldAuthors(t *testing.T) {
	checkOld(t, []oldRow{
		{"users", "", map[string]string{"ALLOWED_USERS": " " + idA + " , " + idB + ","}, "policy.users", idA + "," + idB, ""},
		{"mentions of users", "", map[string]string{"ALLOWED_USERS": "<@" + idA + ">,<@!" + idB + ">"}, "policy.users", idA + "," + idB, ""},
		{"every user", "", map[string]string{"ALLOWED_USERS": "*"}, "policy.everyone", "true", ""},
		{"every user and one", "", map[string]string{"ALLOWED_USERS": idA + ",*"}, "policy.users", idA, ""},
		{"no users", "", map[string]string{"ALLOWED_USERS": " , "}, "policy.users", "", ""},
		{"everyone", "", map[string]string{"ALLOW_ALL_USERS": " YES "}, "policy.everyone", "true", ""},
		{"everyone on", "", map[string]string{"ALLOW_ALL_USERS": "on"}, "policy.everyone", "true", ""},
		{"not everyone", "", map[string]string{"ALLOW_ALL_USERS": "no"}, "policy.everyone", "false", ""},
		{"everyone, some other word", "", map[string]string{"ALLOW_ALL_USERS": "sure"}, "policy.everyone", "false", ""},
		{"user names", "", map[string]string{"ALLOWED_USERS": "Ann, @bob.x," + idA}, "policy.users", idA + ",ann,bob.x", ""},
		{"roles", "", map[string]string{"ALLOWED_ROLES": idA + ", " + idB}, "policy.roles", idA + "," + idB, ""},
		{"no roles", "", map[string]string{"ALLOWED_ROLES": ","}, "policy.roles", "", ""},
		{"inline mention", "bots_require_inline_mention: true", nil, "policy.bots_inline_mention", "true", ""},
		{"inline mention, a variable", "", map[string]string{"BOTS_REQUIRE_INLINE_MENTION": "1"}, "policy.bots_inline_mention", "true", ""},
		{"inline mention, both", "bots_require_inline_mention: true", map[string]string{"BOTS_REQUIRE_INLINE_MENTION": "false"}, "policy.bots_inline_mention", "false", "does not count"},
		{"others mentioned: unset is on", "", nil, "policy.ignore_no_mention", "true", ""},
		{"others mentioned", "", map[string]string{"IGNORE_NO_MENTION": "Yes"}, "policy.ignore_no_mention", "true", ""},
		{"others mentioned: off", "", map[string]string{"IGNORE_NO_MENTION": "false"}, "policy.ignore_no_mention", "false", ""},
		{"others mentioned: on is no word for true", "", map[string]string{"IGNORE_NO_MENTION": "on"}, "policy.ignore_no_mention", "false", ""},
		{"bots in the file", "allow_bots: mentions", nil, "policy.bots", "mentions", ""},
		{"bots in a variable", "", map[string]string{"ALLOW_BOTS": "ALL"}, "policy.bots", "all", ""},
		{"bots in both", "allow_bots: mentions", map[string]string{"ALLOW_BOTS": "all"}, "policy.bots", "all", "discord.allow_bots ("},
		{"bots in both, the same", "allow_bots: all", map[string]string{"ALLOW_BOTS": "all"}, "policy.bots", "all", ""},
		{"bots null", "allow_bots: null", nil, "policy.bots", "none", ""},
	})
}

func TestOldPlaces(t *testing.T) {
	checkOld(t, []oldRow{
		{"allowed, a list", "allowed_channels: [" + idA + ", general, '#help']", nil, "policy.allowed_channels", idA + ",general,#help", ""},
		{"allowed, a text", "allowed_channels: 'general, #help'", nil, "policy.allowed_channels", "general,#help", ""},
		{"allowed, none is no restriction", "allowed_channels: []", nil, "policy.allowed_channels", "", ""},
		{"allowed, all", "allowed_channels: ['*']", nil, "policy.allowed_channels", "*", ""},
		{"allowed, a variable", "", map[string]string{"ALLOWED_CHANNELS": "general"}, "policy.allowed_channels", "general", ""},
		{"allowed, both", "allowed_channels: [general]", map[string]string{"ALLOWED_CHANNELS": "help"}, "policy.allowed_channels", "help", "does not count"},
		{"ignored", "ignored_channels: [general]", nil, "policy.ignored_channels", "general", ""},
		{"ignored, all", "ignored_channels: '*'", nil, "policy.ignored_channels", "*", ""},
		{"ignored, a variable", "", map[string]string{"IGNORED_CHANNELS": idA}, "policy.ignored_channels", idA, ""},
		{"ignored, both", "ignored_channels: [general]", map[string]string{"IGNORED_CHANNELS": "help"}, "policy.ignored_channels", "help", "does not count"},
		{"mention in threads", "thread_require_mention: yes", nil, "policy.thread_require_mention", "true", ""},
		{"mention in threads, quoted", "thread_require_mention: 'on'", nil, "policy.thread_require_mention", "true", ""},
		{"mention in threads, a variable", "", map[string]string{"THREAD_REQUIRE_MENTION": "TRUE"}, "policy.thread_require_mention", "true", ""},
		{"mention in threads, both", "thread_require_mention: true", map[string]string{"THREAD_REQUIRE_MENTION": "0"}, "policy.thread_require_mention", "false", "does not count"},
		{"mention in threads, another word", "thread_require_mention: maybe", nil, "policy.thread_require_mention", "false", ""},
		{"free channels, a list", "free_response_channels: [" + idA + ", '" + idB + "']", nil, "policy.free_channels", idA + "," + idB, ""},
		{"free channels, a text", "free_response_channels: ' " + idA + ", " + idB + " '", nil, "policy.free_channels", idA + "," + idB, ""},
		{"free channels, one number", "free_response_channels: " + idA, nil, "policy.free_channels", idA, ""},
		{"free channels, none", "free_response_channels: []", nil, "policy.free_channels", "", ""},
		{"free channels, all", "free_response_channels: '*'", nil, "policy.free_channels", "*", ""},
		{"free channels, all and one", "free_response_channels: ['*', " + idA + "]", nil, "policy.free_channels", "*", "makes the others pointless"},
		{"free channels, a variable", "", map[string]string{"FREE_RESPONSE_CHANNELS": idA}, "policy.free_channels", idA, ""},
		{"free channels, both", "free_response_channels: [" + idA + "]", map[string]string{"FREE_RESPONSE_CHANNELS": idB}, "policy.free_channels", idB, "does not count"},
		{"free channels, both the same", "free_response_channels: [" + idA + "]", map[string]string{"FREE_RESPONSE_CHANNELS": idA}, "policy.free_channels", idA, ""},
		{"mention required", "require_mention: true", nil, "policy.free_channels", "", ""},
		{"mention not required", "require_mention: false", nil, "policy.free_channels", "*", ""},
		{"mention not required, a bare off", "require_mention: off", nil, "policy.free_channels", "*", ""},
		{"mention not required, a variable", "", map[string]string{"REQUIRE_MENTION": "0"}, "policy.free_channels", "*", ""},
		{"mention required, a variable first", "require_mention: false", map[string]string{"REQUIRE_MENTION": "true"}, "policy.free_channels", "", "does not count"},
	})
}

func TestOldReplies(t *testing.T) {
	checkOld(t, []oldRow{
		{"first", "reply_to_mode: first", nil, "replies", "first", ""},
		{"all", "reply_to_mode: All", nil, "replies", "all", ""},
		{"off", "reply_to_mode: 'off'", nil, "replies", "off", ""},
		{"a bare off", "reply_to_mode: off", nil, "replies", "off", ""},
		{"another word", "reply_to_mode: last", nil, "replies", "first", `"last" is none of first, all, off`},
	})
}

// What means nothing here is listed and never refused.
func TestOldUnused(t *testing.T) {
	r, err := read(t, `discord:
  home_channel: 5
  voice: {enabled: yes, depth: {a: [1, {b: c}]}}
  missed_message_backfill: {colour: blue}
  empty:
`, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := said(r.Bots[0])
	for _, name := range []string{"discord.home_channel (", "discord.voice (", "discord.missed_message_backfill.colour (", "discord.empty ("} {
		if !strings.Contains(got, name) {
			t.Errorf("%s is not listed:\n%s", name, got)
		}
	}
	for _, text := range []string{"discord:\n", "discord: x\n", "discord: []\n", "discord: 5\n"} {
		if _, err := read(t, text, nil); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Our own keys count before what the reference's settings map to.
func TestOldGivesWay(t *testing.T) {
	r, err := read(t, "policy: {bots: none}\ndiscord: {allow_bots: all}\n", map[string]string{"DISCORD_ALLOWED_USERS": idA, "GAPLESS_POLICY_USERS": idB})
	if err != nil {
		t.Fatal(err)
	}
	b := r.Bots[0]
	if got := counts(t, b, "policy.bots") + " " + counts(t, b, "policy.users"); got != "none "+idB {
		t.Errorf("got %q", got)
	}
	for _, want := range []string{"policy.bots is all there and does not count: ", "policy.users is " + idA + " there and does not count: GAPLESS_POLICY_USERS says " + idB} {
		if !strings.Contains(said(b), want) {
			t.Errorf("nothing says %q:\n%s", want, said(b))
		}
	}
	if len(b.Mapped) != 2 || b.Mapped[1].Key != "policy.bots" || b.Mapped[0].From != "DISCORD_ALLOWED_USERS" {
		t.Errorf("mapped: %v", b.Mapped)
	}
}

// A value that would change who is heard is not guessed at (S37).
func TestOldMistakes(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		vars       map[string]string
		want       string
	}{
		{"bots", "discord:\n  allow_bots: some\n", nil, `:2:15: policy.bots: "some" is none of none, mentions, all`},
		{"bots in a variable", "", map[string]string{"DISCORD_ALLOW_BOTS": "some"}, `DISCORD_ALLOW_BOTS: "some" is none of`},
		{"places", "discord:\n  free_response_channels: [12]\n", nil, `policy.free_channels: "12" is no Discord id`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := read(t, tt.text, tt.vars)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}
