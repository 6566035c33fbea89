//go:build unix

package main

import (
	"database/sql"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	_ "github.com/ncruces/go-sqlite3/driver" // to write what a newer program might
)

// says fails unless the process said all of this.
func (p *process) says(t *testing.T, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(p.err.String(), w) {
			t.Errorf("it does not say %q", w)
		}
	}
}

func TestRunRefusals(t *testing.T) {
	w := newWorld(t)
	page := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "text/html")
		fmt.Fprint(rw, "<html>welcome</html>")
	}))
	t.Cleanup(page.Close)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	dark := w.sim.AddBot("dark")
	w.sim.SetMessageContent(dark.ID, false)
	for _, tt := range []struct {
		name             string
		api, token, data string
		status           int
		want             []string
	}{
		{"wrong token", w.API, w.Token + "x", t.TempDir(), exitRefused, []string{"Discord refuses the token", "developers/applications"}},
		{"not an API", page.URL, w.Token, t.TempDir(), exitUsage, []string{"is not a Discord API: got HTML", "check --api"}},
		{"intent not switched on", w.API, dark.Token, t.TempDir(), exitRefused, []string{"Message Content Intent"}},
		{"a file for a directory", w.API, w.Token, file, exitData, []string{file, "--data"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := command(t, []string{"DISCORD_TOKEN=" + tt.token}, "run", "--exec", "true", "--allow-everyone", "--api", tt.api, "--data", tt.data)
			if got := p.wait(t); got != tt.status {
				t.Errorf("status %d, want %d", got, tt.status)
			}
			p.says(t, tt.want...)
			if strings.Contains(p.err.String(), tt.token) {
				t.Error("it shows the token")
			}
		})
	}
}

// A token that is reset while the bot runs ends it with the way out; what had
// been heard by then has been handled, and the new token goes on from there.
func TestTokenRevoked(t *testing.T) {
	w, data := newWorld(t), t.TempDir()
	p := w.run(t, data, "cat", "--input", "text", "--allow-everyone", "--free", "*")
	w.connected(t)
	before := w.say(t, "before the reset")
	eventually(t, "an answer", func() bool { return len(w.answers(before)) == 1 })
	fresh := w.sim.RevokeToken(w.Bot)
	w.sim.DropConnections(w.Bot)
	if got := p.wait(t); got != exitRefused {
		t.Errorf("status %d, want %d", got, exitRefused)
	}
	p.says(t, "Discord refuses the token", "DISCORD_TOKEN_FILE")
	missed := w.say(t, "after the reset")
	w.Token, w.said = fresh, append(w.said, fresh)
	w.run(t, data, "cat", "--input", "text", "--allow-everyone", "--free", "*")
	eventually(t, "an answer to what was missed", func() bool { return len(w.answers(missed)) == 1 })
	if got := w.answers(before); len(got) != 1 {
		t.Errorf("the first message has the answers %q", got)
	}
}

// Closes that no new connection mends end the daemon with what to do.
func TestFinalCloses(t *testing.T) {
	for code, want := range map[int]string{4013: "GatewayConfig.Intents must be", 4014: "Message Content Intent"} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			w := newWorld(t)
			p := w.run(t, t.TempDir(), "true", "--allow-everyone")
			w.connected(t)
			w.sim.CloseConnections(w.Bot, code)
			if got := p.wait(t); got != exitRefused {
				t.Errorf("status %d, want %d", got, exitRefused)
			}
			p.says(t, fmt.Sprint(code), want)
		})
	}
}

// The token may come as systemd hands over secrets.
func TestTokenFromCredentials(t *testing.T) {
	w, dir := newWorld(t), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "discord_token"), []byte(w.Token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := command(t, []string{"CREDENTIALS_DIRECTORY=" + dir}, "run", "--api", w.API, "--data", t.TempDir(), "--allow-everyone", "--exec", "true")
	w.connected(t)
	p.signal(t, syscall.SIGTERM)
	if got := p.wait(t); got != exitOK {
		t.Errorf("status %d, want %d", got, exitOK)
	}
	w.search(t, p.err.String())
}

// A ledger that cannot be used is left as it is.
func TestUnusableLedgers(t *testing.T) {
	for _, tt := range []struct {
		name  string
		spoil func(t *testing.T, file string)
		want  string
	}{
		{"from the future", func(t *testing.T, file string) {
			db, err := sql.Open("sqlite3", "file:"+file)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := db.Exec("INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, 1)"); err != nil {
				t.Error(err)
			}
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		}, "run the newer gapless that used it last"},
		{"corrupt", func(t *testing.T, file string) {
			if err := os.WriteFile(file, []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
				t.Fatal(err)
			}
		}, "restore a backup"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, data := newWorld(t), t.TempDir()
			p := w.run(t, data, "true", "--allow-everyone")
			w.connected(t)
			p.signal(t, syscall.SIGTERM)
			p.wait(t)
			file := filepath.Join(data, w.Bot.String(), "gapless.db")
			tt.spoil(t, file)
			before, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			p = w.run(t, data, "true", "--allow-everyone")
			if got := p.wait(t); got != exitData {
				t.Errorf("status %d, want %d", got, exitData)
			}
			p.says(t, file, tt.want)
			if status, _, errs := call(t, nil, "status", "--data", data); status != exitData || !strings.Contains(errs, tt.want) {
				t.Errorf("status: %d, %s", status, errs)
			}
			if after, err := os.ReadFile(file); err != nil || string(after) != string(before) {
				t.Errorf("the file was changed (%v)", err)
			}
		})
	}
}

// A port that somebody has is named, with the way around.
func TestSimPortTaken(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	status, _, errs := call(t, nil, "sim", "--listen", ln.Addr().String())
	if status != exitUsage || !strings.Contains(errs, ln.Addr().String()) || !strings.Contains(errs, "address already in use; --listen 127.0.0.1:0") {
		t.Errorf("status %d, %q", status, errs)
	}
}
