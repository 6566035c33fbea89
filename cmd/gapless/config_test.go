package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// configFile makes a configuration file of this text.
func configFile(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "gapless.yaml")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestConfigCheck(t *testing.T) {
	file := configFile(t, "handler: {exec: [./bot.sh]}\npolicy:\n  users: [123456789012345678]\ndiscord: {allow_bots: all, colour: blue}\n")
	vars := map[string]string{"HOME": t.TempDir(), "GAPLESS_HOLD": "7s", "DISCORD_ALLOW_BOTS": "none", "DISCORD_TOKEN": "MTIzNDU2Nzg5MDEyMzQ1Njc4.a.b"}
	status, out, errs := call(t, vars, "config", "check", "--config", file)
	if status != exitOK {
		t.Fatalf("status %d: %s", status, errs)
	}
	for _, want := range []string{
		"no mistakes in " + file, "hold ", "7s ", "GAPLESS_HOLD\n", file + ":3\n", "10m ", "default\n",
		"DISCORD_ALLOW_BOTS is policy.bots: none\n", "discord.colour (" + file + ":4): not used", "does not count: DISCORD_ALLOW_BOTS says otherwise",
		"[token]", "DISCORD_TOKEN\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("it does not say %q", want)
		}
	}
	if strings.Contains(out, vars["DISCORD_TOKEN"]) {
		t.Error("it shows the token")
	}
	if t.Failed() {
		t.Log(out)
	}
	if _, short, _ := call(t, vars, "config", "check", "--set", "--config", file); strings.Contains(short, "default") || !strings.Contains(short, "GAPLESS_HOLD") {
		t.Errorf("--set shows\n%s", short)
	}
	_, out, _ = call(t, vars, "config", "check", "--json", "--config", file)
	var checked checkedConfig
	if err := json.Unmarshal([]byte(out), &checked); err != nil || len(checked.Bots) != 1 || len(checked.Bots[0].Mapped) != 1 || checked.File != file {
		t.Errorf("%v in\n%s", err, out)
	}
}

func TestConfigCheckMistakes(t *testing.T) {
	file := configFile(t, "hold: 5\npolcy: {}\nretry:\n  base: soon\n")
	status, _, errs := call(t, nil, "config", "check", "--config", file)
	for _, want := range []string{":1:7: hold: ", ":2:1: unknown key", ":4:9: retry.base: "} {
		if !strings.Contains(errs, want) || status != exitUsage {
			t.Errorf("status %d, lacks %q:\n%s", status, want, errs)
		}
	}
	status, out, _ := call(t, nil, "config", "check", "--json", "--config", file)
	var checked struct {
		Faults []struct {
			Line                 int
			Key, Given, Accepted string
		}
	}
	if err := json.Unmarshal([]byte(out), &checked); err != nil || status != exitUsage || len(checked.Faults) != 3 {
		t.Fatalf("status %d, %v in\n%s", status, err, out)
	}
	if f := checked.Faults[2]; f.Line != 4 || f.Key != "retry.base" || f.Given != "soon" || f.Accepted == "" {
		t.Errorf("got %+v", f)
	}
}

func TestConfigExplainAndSchema(t *testing.T) {
	file := configFile(t, "hold: 7s\n")
	if status, out, errs := call(t, nil, "config", "explain", "hold", "--config", file); status != exitOK || !strings.Contains(out, "now: 7s ("+file+":1)") {
		t.Errorf("status %d, %s%s", status, out, errs)
	}
	if status, _, errs := call(t, nil, "config", "explain", "hodl"); status != exitUsage || !strings.Contains(errs, `did you mean "hold"?`) {
		t.Errorf("status %d, %s", status, errs)
	}
	_, out, _ := call(t, nil, "config", "schema")
	if !json.Valid([]byte(out)) || !strings.Contains(out, "json-schema.org") {
		t.Errorf("the schema is\n%s", out)
	}
}
