package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gapless/discord"
)

func TestInit(t *testing.T) {
	file := filepath.Join(t.TempDir(), "gapless.yaml")
	vars := map[string]string{"HOME": t.TempDir(), "DISCORD_TOKEN": "MTIzNDU2Nzg5MDEyMzQ1Njc4.GabcdE.abcdefghijklmnopqrstuvwxyz0123456789"}
	status, out, errs := call(t, vars, "init", file)
	if status != exitOK {
		t.Fatalf("status %d: %s", status, errs)
	}
	for _, want := range []string{
		"https://discord.com/oauth2/authorize?client_id=123456789012345678&scope=bot&permissions=274877975552\n",
		"Message Content Intent", "Read Message History", "gapless run --config " + file,
	} {
		if !strings.Contains(out, want) {
			t.Errorf("it does not say %q:\n%s", want, out)
		}
	}
	if strings.Contains(out, vars["DISCORD_TOKEN"]) {
		t.Error("it shows the token")
	}
	if said := discord.IntentGuilds | discord.IntentGuildMessages | discord.IntentDirectMessages | discord.IntentMessageContent; discord.DefaultIntents != said {
		t.Errorf("the daemon asks for the intents %b, and %b are spoken of", discord.DefaultIntents, said)
	}
	if status, _, errs := call(t, vars, "config", "check", "--config", file); status != exitOK {
		t.Errorf("what was written has mistakes: %s", errs)
	}
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if status, _, errs := call(t, vars, "init", file); status != exitUsage || !strings.Contains(errs, "is there already") {
		t.Errorf("again: status %d, %s", status, errs)
	}
	if after, err := os.ReadFile(file); err != nil || string(after) != string(before) {
		t.Errorf("the file was changed (%v)", err)
	}
	_, out, _ = call(t, nil, "init", filepath.Join(t.TempDir(), "a"), "--id", "876543210987654321")
	if !strings.Contains(out, "client_id=876543210987654321&") {
		t.Errorf("--id does not count:\n%s", out)
	}
	if _, out, _ = call(t, nil, "init", filepath.Join(t.TempDir(), "b")); !strings.Contains(out, "client_id=APPLICATION_ID&") {
		t.Errorf("without id:\n%s", out)
	}
}
