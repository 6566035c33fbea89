package discord_test

import (
	"testing"

	"gapless/discord"
)

func TestAPIAddress(t *testing.T) {
	for in, want := range map[string]string{
		"":                               "https://discord.com/api/v10",
		"https://discord.com/api/v10/":   "https://discord.com/api/v10",
		"http://127.0.0.1:8080":          "http://127.0.0.1:8080/api/v10",
		"http://127.0.0.1:8080/":         "http://127.0.0.1:8080/api/v10",
		"http://127.0.0.1:8080/api":      "http://127.0.0.1:8080/api/v10",
		"http://x.test/api/v9":           "http://x.test/api/v9",
		"https://me:pw@x.test/proxy?q=1": "https://x.test/proxy/api/v10",
	} {
		got, err := discord.APIURL(in)
		if err != nil || got.String() != want {
			t.Errorf("%q: got %s, %v", in, got, err)
		}
	}
	for _, in := range []string{"discord.com", "ftp://x", "https://", "://", "localhost:80"} {
		if got, err := discord.APIURL(in); err == nil {
			t.Errorf("%q was taken for %s", in, got)
		}
	}
}

func TestWhereTheTokenMayGo(t *testing.T) {
	const sim = "http://127.0.0.1:8080"
	for name, c := range map[string]struct {
		api, asked, gateway string
		want                bool
	}{
		"discord's own":                  {"", "", "wss://gateway.discord.gg", true},
		"discord's resume host":          {"", "", "wss://gateway-us-east1-b.discord.gg/?x=1", true},
		"not encrypted":                  {"", "", "ws://gateway.discord.gg", false},
		"a look-alike":                   {"", "", "wss://discord.gg.evil.test", false},
		"another look-alike":             {"", "", "wss://evildiscord.gg", false},
		"named by discord, still not":    {"", "wss://evil.test", "wss://evil.test", false},
		"user part":                      {"", "", "wss://discord.gg@evil.test", false},
		"own host of a custom API":       {sim, "", "ws://127.0.0.1:9999/resume", true},
		"named by the custom API":        {sim, "ws://gw.test:1/", "ws://gw.test:2/resume", true},
		"foreign to the custom API":      {sim, "ws://gw.test/", "ws://evil.test/resume", false},
		"discord is foreign to a custom": {sim, "", "wss://gateway.discord.gg", false},
		"no websocket":                   {sim, "", "http://127.0.0.1:8080/", false},
		"empty":                          {sim, "", "", false},
	} {
		if got := discord.Trusts(c.api, c.asked, c.gateway); got != c.want {
			t.Errorf("%s: trusts = %t", name, got)
		}
	}
}

func TestConnectAddress(t *testing.T) {
	for in, want := range map[string]string{
		"wss://gateway.discord.gg":          "wss://gateway.discord.gg/?compress=zlib-stream&encoding=json&v=10",
		"wss://gateway.discord.gg/":         "wss://gateway.discord.gg/?compress=zlib-stream&encoding=json&v=10",
		"ws://127.0.0.1:1/resume?v=9&k=abc": "ws://127.0.0.1:1/resume?compress=zlib-stream&encoding=json&k=abc&v=10",
	} {
		if got, err := discord.ConnectURL(in, true); err != nil || got != want {
			t.Errorf("%s: got %s, %v", in, got, err)
		}
	}
	if got, _ := discord.ConnectURL("ws://x/?compress=zlib-stream", false); got != "ws://x/?encoding=json&v=10" {
		t.Errorf("got %s", got)
	}
}
