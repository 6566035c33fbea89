package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// exported is a channel export of two messages, one of which is odd.
const exported = `{"guild":{"id":"800000000000000001","name":"old home"},
"channel":{"id":"800000000000000002","type":"GuildTextChat","name":"general"},"messages":[
{"id":"1235183385600000000","type":"Default","timestamp":"2024-05-01T10:00:00.000+00:00","content":"hello",
 "author":{"id":"700000000000000001","name":"anna","isBot":false}},
{"id":"1235183385600000001","type":"Surprise","timestamp":"2024-05-01T10:00:00.000+00:00","content":"odd",
 "author":{"id":"700000000000000001","name":"anna","isBot":false}}]}`

func TestSimImports(t *testing.T) {
	path := filepath.Join(t.TempDir(), "general.json")
	at := int64(1714557600000-1420070400000) << 22 // 1 May 2024, ten o'clock
	text := strings.NewReplacer("1235183385600000000", fmt.Sprint(at), "1235183385600000001", fmt.Sprint(at+1)).Replace(exported)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p := command(t, nil, "sim", "--json", "--import", filepath.Dir(path))
	eventually(t, "the simulator to speak", func() bool { return strings.HasSuffix(p.out.String(), "\n") })
	var world simWorld
	if err := json.Unmarshal([]byte(p.out.String()), &world); err != nil || world.Imported == nil || world.Imported.Messages != 1 {
		t.Fatalf("%s, %v", p.out.String(), err)
	}
	if errs := p.err.String(); !strings.Contains(errs, `general.json: message `) || !strings.Contains(errs, `unknown type "Surprise"`) {
		t.Errorf("it says %q of the odd message", errs)
	}
	req, _ := http.NewRequest("GET", world.API+"/channels/800000000000000002/messages", nil)
	req.Header.Set("Authorization", "Bot "+world.Token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var page []struct{ Content string }
	if err := json.NewDecoder(resp.Body).Decode(&page); err != nil || len(page) != 1 || page[0].Content != "hello" {
		t.Errorf("history %d %v, %v", resp.StatusCode, page, err)
	}
	p.signal(t, syscall.SIGTERM)
	if got := p.wait(t); got != exitOK {
		t.Errorf("status %d, want %d", got, exitOK)
	}
}

func TestSimImportsNothing(t *testing.T) {
	empty := t.TempDir()
	bad := filepath.Join(t.TempDir(), "bad.json")
	if err := os.WriteFile(bad, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, path string
		status     int
		want       string
	}{
		{"no such file", filepath.Join(empty, "none"), exitUsage, "no such file"},
		{"no exports", empty, exitUsage, "no file in it ends in .json"},
		{"damaged", bad, exitData, "brought nothing: import bad.json: the file breaks off"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, _, errs := call(t, nil, "sim", "--import", tt.path)
			if status != tt.status || !strings.Contains(errs, tt.want) {
				t.Errorf("status %d, %q; want %d and %q", status, errs, tt.status, tt.want)
			}
		})
	}
}
