package config_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gapless/internal/config"
)

// A token as Discord makes them, of the bot 123456789012345678.
const bot = "MTIzNDU2Nzg5MDEyMzQ1Njc4.GabcdE.abcdefghijklmnopqrstuvwxyz0123456789"

// write makes a file of this mode and gives its path.
func write(t *testing.T, name, text string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFindToken(t *testing.T) {
	file := write(t, "token", bot+"\n", 0o600)
	other := write(t, "other", "other\n", 0o600)
	credential := filepath.Dir(write(t, "discord_token", "credential", 0o600))
	for _, tt := range []struct {
		name      string
		vars      map[string]string
		tokenFile string
		want      string
		note      string
	}{
		{"variable", map[string]string{"DISCORD_TOKEN": bot, "DISCORD_TOKEN_FILE": other}, other, bot, ""},
		{"variable with a line's end", map[string]string{"DISCORD_TOKEN": " " + bot + "\r\n"}, "", bot, ""},
		{"prefix", map[string]string{"DISCORD_TOKEN": "Bot " + bot}, "", bot, `begins with "Bot "`},
		{"file", map[string]string{"DISCORD_TOKEN_FILE": file}, other, bot, ""},
		{"configured file", map[string]string{"CREDENTIALS_DIRECTORY": credential}, file, bot, ""},
		{"credential", map[string]string{"CREDENTIALS_DIRECTORY": credential}, "", "credential", ""},
		{"open file", nil, write(t, "open", bot, 0o644), bot, "can be read by every user"},
		{"byte order mark", nil, write(t, "bom", "\ufeff"+bot, 0o600), bot, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			token, notes, err := config.FindToken(env(tt.vars), "", tt.tokenFile)
			if err != nil {
				t.Fatal(err)
			}
			if token.Reveal() != tt.want {
				t.Error("it found another token")
			}
			if got := strings.Join(notes, "\n"); (got == "") != (tt.note == "") || !strings.Contains(got, tt.note) {
				t.Errorf("notes %q, want %q", got, tt.note)
			}
		})
	}
}

func TestFindTokenFaults(t *testing.T) {
	for _, tt := range []struct {
		name      string
		vars      map[string]string
		tokenFile string
		want      string
	}{
		{"none", nil, "", "one of three ways"},
		{"empty directory of credentials", map[string]string{"CREDENTIALS_DIRECTORY": t.TempDir()}, "", "one of three ways"},
		{"empty variable", map[string]string{"DISCORD_TOKEN": ""}, "", "one of three ways"},
		{"blank variable", map[string]string{"DISCORD_TOKEN": " \n"}, "", "DISCORD_TOKEN is empty"},
		{"empty file", nil, write(t, "empty", "\n", 0o600), "is empty. no bot token"},
		{"only the prefix", map[string]string{"DISCORD_TOKEN": "Bot  "}, "", "DISCORD_TOKEN is empty"},
		{"quotes", map[string]string{"DISCORD_TOKEN": `"` + bot + `"`}, "", "DISCORD_TOKEN contains a quotation mark"},
		{"two lines", nil, write(t, "two", bot+"\n"+bot+"\n", 0o600), "contains white space"},
		{"bearer", map[string]string{"DISCORD_TOKEN": "Bearer " + bot}, "", "is a bearer token"},
		{"missing file", map[string]string{"DISCORD_TOKEN_FILE": "/nowhere/token"}, "", "read the bot's token (DISCORD_TOKEN_FILE): open /nowhere/token"},
		{"the token for a path", map[string]string{"DISCORD_TOKEN_FILE": bot}, "", "holds what looks like the token itself"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := config.FindToken(env(tt.vars), "", tt.tokenFile)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one that says %q", err, tt.want)
			}
			if err != nil && strings.Contains(err.Error(), bot) {
				t.Error("the error shows the token")
			}
		})
	}
	if _, _, err := config.FindToken(nil, "", ""); !errors.Is(err, config.ErrNoToken) {
		t.Errorf("got %v, want ErrNoToken", err)
	}
}

func TestTokenHidesItself(t *testing.T) {
	found, _, err := config.FindToken(env(map[string]string{"DISCORD_TOKEN": bot}), "", "")
	if err != nil {
		t.Fatal(err)
	}
	token := found.Token
	var out bytes.Buffer
	fmt.Fprintf(&out, "%v %+v %#v\n", found, found, &found)
	holder := struct {
		Token   config.Token
		Pointer *config.Token
		hidden  config.Token
	}{token, &token, token}
	fmt.Fprintf(&out, "%v %+v %#v %s %q %d %x %v\n", token, token, token, token, token, token, token, &token)
	fmt.Fprintf(&out, "%v %+v %#v\n", holder, holder, holder)
	slog.New(slog.NewTextHandler(&out, nil)).Info("x", "token", token, "pointer", &token, "holder", holder)
	slog.New(slog.NewJSONHandler(&out, nil)).Info("x", "token", token, "pointer", &token, "holder", holder)
	if err := json.NewEncoder(&out).Encode(holder); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), bot) || strings.Contains(out.String(), fmt.Sprintf("%x", bot)) {
		t.Errorf("the token shows:\n%s", out.String())
	}
}

func TestTokenNamesItsBot(t *testing.T) {
	for _, tt := range []struct {
		token string
		want  string
		ok    bool
	}{
		{bot, "123456789012345678", true},
		{"MTIzNDU2Nzg5MDEyMzQ1Njc4==.x.y", "123456789012345678", true},
		{"nonsense", "0", false},
		{"aGVsbG8.x.y", "0", false},
	} {
		token, _, err := config.FindToken(env(map[string]string{"DISCORD_TOKEN": tt.token}), "", "")
		if err != nil {
			t.Fatal(err)
		}
		if id, ok := token.Bot(); id.String() != tt.want || ok != tt.ok {
			t.Errorf("%s is the token of %s (%v), want %s (%v)", tt.token, id, ok, tt.want, tt.ok)
		}
	}
}
