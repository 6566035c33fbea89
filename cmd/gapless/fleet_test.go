//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"gapless/discordsim"
)

// script makes an executable shell script.
func script(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "bot.sh")
	if err := os.WriteFile(name, []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return name
}

// tokenFile keeps a token as an operator would.
func tokenFile(t *testing.T, token string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(name, []byte(token), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// second adds another bot to the world's guild.
func (w world) second(t *testing.T, name string) (id discordsim.ID, token string) {
	t.Helper()
	bot := w.sim.AddBot(name)
	w.sim.Join(w.Guild, bot.ID)
	w.said = append(w.said, bot.Token)
	return bot.ID, bot.Token
}

// by are the texts with which one bot answered a message.
func (w world) by(bot, id discordsim.ID) (texts []string) {
	for _, m := range w.sim.In(w.Channel) {
		if m.Author == bot && m.ReplyTo == id {
			texts = append(texts, m.Content)
		}
	}
	return texts
}

// Two bots run in one process, each with its own token, policy, ledger and
// command; a third that Discord refuses leaves them alone (C124).
func TestSeveralBotsInOneProcess(t *testing.T) {
	w, data := newWorld(t), t.TempDir()
	other, token := w.second(t, "other")
	file := configFile(t, fmt.Sprintf(`api: %s
data: %s
policy: {everyone: true}
handler: {input: text}
bots:
  - name: one
    token_file: %s
    handler: {exec: [%s]}
    policy: {free_channels: "*"}
  - name: two
    token_env: TOKEN_TWO
    handler: {exec: [%s]}
    data: %s
  - name: refused
    token_file: %s
    handler: {exec: ["true"]}
`, w.API, data, tokenFile(t, w.Token), script(t, "echo one"), script(t, `echo "two $TOKEN_TWO"`), filepath.Join(data, "two"),
		tokenFile(t, "OTg3NjU0MzIxMDk4NzY1NDMy.GabcdE.abcdefghijklmnopqrstuvwxyz0123456789")))
	p := command(t, []string{"TOKEN_TWO=" + token, "DISCORD_ALLOWED_USERS=123456789012345678"}, "run", "--config", file)
	w.daemons = append(w.daemons, p)
	eventually(t, "both to connect", func() bool { return w.sim.Connected(w.Bot) == 1 && w.sim.Connected(other) == 1 })
	eventually(t, "the third to end", func() bool { return strings.Contains(p.err.String(), "the bot has ended; the others go on") })
	plain := w.say(t, "to nobody in particular")
	named := w.say(t, fmt.Sprintf("<@%v> to the other", other))
	eventually(t, "an answer of each", func() bool { return len(w.by(w.Bot, plain)) == 1 && len(w.by(other, named)) == 1 })
	if got := w.by(other, named)[0]; got != "two" {
		t.Errorf("the other's command says %q", got)
	}
	if len(w.by(other, plain)) != 0 {
		t.Error("the other answers what only the first may hear")
	}
	for dir, id := range map[string]discordsim.ID{data: w.Bot, filepath.Join(data, "two"): other} {
		if _, err := os.Stat(filepath.Join(dir, id.String(), "gapless.db")); err != nil {
			t.Errorf("no ledger of its own: %v", err)
		}
	}
	if status, out, errs := call(t, nil, "status", "--config", file); status != exitOK || !strings.Contains(out, w.Bot.String()) || !strings.Contains(out, other.String()) {
		t.Errorf("status %d:\n%s%s", status, out, errs)
	}
	p.says(t, "not used: with several bots nothing of a bot comes from the environment", `"bot":"two"`)
	p.signal(t, syscall.SIGTERM)
	if got := p.wait(t); got != exitRefused {
		t.Errorf("status %d, want that of the bot that failed", got)
	}
}

// One account twice is refused before anything connects (C124).
func TestSameTokenTwice(t *testing.T) {
	w := newWorld(t)
	file := configFile(t, fmt.Sprintf("api: %s\nhandler: {exec: ['true']}\nbots:\n  - {name: a, token_file: %s}\n  - {name: b, token_env: AGAIN}\n",
		w.API, tokenFile(t, w.Token)))
	p := command(t, []string{"AGAIN=" + w.Token}, "run", "--config", file)
	w.daemons = append(w.daemons, p)
	if got := p.wait(t); got != exitUsage {
		t.Errorf("status %d, want %d", got, exitUsage)
	}
	p.says(t, "bots a and b have the same token")
	if w.sim.Connected(w.Bot) != 0 {
		t.Error("it connected")
	}
	if status, _, errs := call(t, map[string]string{"AGAIN": w.Token}, "config", "check", "--config", file); status != exitUsage || !strings.Contains(errs, "the same token") {
		t.Errorf("config check: status %d, %s", status, errs)
	}
}

// The reference's block and variables decide, as they are, who is heard and
// where, and what is recovered.
func TestReferenceSettings(t *testing.T) {
	w, data := newWorld(t), t.TempDir()
	other := w.sim.AddChannel(w.Guild, discordsim.Text, "other")
	file := configFile(t, fmt.Sprintf(`api: %s
data: %s
handler: {exec: [%s], input: text}
discord:
  allowed_channels: "#general"
  require_mention: no
  reactions: true
  missed_message_backfill: {enabled: false, limit: 9999}
`, w.API, data, script(t, "echo heard")))
	start := func() *process {
		t.Helper()
		p := command(t, []string{"DISCORD_TOKEN=" + w.Token, "DISCORD_ALLOWED_USERS=ann"}, "run", "--config", file)
		w.daemons = append(w.daemons, p)
		// A connection whose resume is refused is one, too, and recovery is off: what is said before READY is passed over.
		eventually(t, "a session", func() bool { return strings.Contains(p.err.String(), "gateway session stands") })
		return p
	}
	elsewhere := func(text string) {
		t.Helper()
		w.said = append(w.said, text)
		if _, err := w.sim.Post(w.User, other, text); err != nil {
			t.Fatal(err)
		}
	}
	p := start()
	first := w.say(t, "the first one")
	eventually(t, "an answer", func() bool { return len(w.answers(first)) == 1 })
	elsewhere("in another channel")
	p.signal(t, syscall.SIGTERM)
	p.wait(t)
	missed := w.say(t, "while nobody listens")
	if _, err := w.sim.Inject(discordsim.Fault{Kind: discordsim.RefuseResume, Count: 1}); err != nil {
		t.Fatal(err)
	}
	again := start()
	eventually(t, "a new session", func() bool { return strings.Contains(again.err.String(), `"by":"READY"`) })
	last := w.say(t, "the last one")
	eventually(t, "an answer to the last one", func() bool { return len(w.answers(last)) == 1 })
	if got := w.answers(missed); len(got) != 0 {
		t.Errorf("what was missed is answered although recovery is off: %q", got)
	}
	for _, m := range w.sim.In(other) {
		if m.Author == w.Bot {
			t.Error("it answers in a channel that is not allowed")
		}
	}
	p.says(t, "9999 is taken as 500", `"setting":"DISCORD_ALLOWED_USERS"`)
}
