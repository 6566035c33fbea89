package discord_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"gapless"
	"gapless/discord"
)

// answering is a client in front of a server that gives one answer; asked is what it was asked last.
func answering(t *testing.T, status int, body string, mentions []string) (rest *discord.REST, asked func() (line, body string)) {
	t.Helper()
	var line, got string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		line, got = r.Method+" "+r.URL.Path+"?"+r.URL.RawQuery, string(b)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	rest, err := discord.NewREST(discord.RESTConfig{Token: "t", BaseURL: server.URL, Mentions: mentions})
	if err != nil {
		t.Fatal(err)
	}
	return rest, func() (string, string) { return line, got }
}

func TestReactAndTyping(t *testing.T) {
	rest, asked := answering(t, http.StatusNoContent, "", nil)
	if err := rest.React(t.Context(), 10, 7, "👀"); err != nil {
		t.Fatal(err)
	}
	if line, _ := asked(); !strings.HasSuffix(line, "/channels/10/messages/7/reactions/👀/@me?") || !strings.HasPrefix(line, "PUT ") {
		t.Errorf("asked %q", line)
	}
	if err := rest.Typing(t.Context(), 10); err != nil {
		t.Fatal(err)
	}
	if line, _ := asked(); !strings.HasSuffix(line, "/channels/10/typing?") || !strings.HasPrefix(line, "POST ") {
		t.Errorf("asked %q", line)
	}
}

// C110: a thread that is there already is as good as a new one.
func TestOpenThread(t *testing.T) {
	for _, c := range []struct {
		name    string
		status  int
		body    string
		id      gapless.ChannelID
		refused bool
	}{
		{"made", 201, `{"id":"7","type":11,"parent_id":"10"}`, 7, false},
		{"exists", 400, `{"code":160004,"message":"A thread has already been created for this message"}`, 7, false},
		{"forbidden", 403, `{"code":50013,"message":"Missing Permissions"}`, 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			rest, asked := answering(t, c.status, c.body, nil)
			id, err := rest.OpenThread(t.Context(), 10, 7, "hello")
			_, refused := errors.AsType[*gapless.RefusedError](err)
			if id != c.id || refused != c.refused {
				t.Errorf("got %d, %v", id, err)
			}
			line, body := asked()
			if !strings.HasSuffix(line, "/channels/10/messages/7/threads?") || body != `{"name":"hello"}` {
				t.Errorf("asked %q with %s", line, body)
			}
		})
	}
}

func TestBefore(t *testing.T) {
	rest, asked := answering(t, 200, `[{"id":"6","channel_id":"10","content":"x","author":{"id":"5"}}]`, nil)
	got, err := rest.Before(t.Context(), 10, 7, 500)
	if err != nil || len(got) != 1 || got[0].ID != 6 {
		t.Errorf("got %v, %v", got, err)
	}
	if line, _ := asked(); !strings.HasSuffix(line, "/channels/10/messages?before=7&limit=100") {
		t.Errorf("asked %q", line)
	}
}

// S53: whom messages may mention is configuration; nobody else is.
func TestAllowedMentions(t *testing.T) {
	for _, c := range []struct {
		name     string
		mentions []string
		want     string
	}{
		{"default", nil, `"allowed_mentions":{"parse":["users"],"replied_user":true}`},
		{"nobody", []string{}, `"allowed_mentions":{"parse":[],"replied_user":false}`},
		{"everyone", []string{"everyone", "roles"}, `"allowed_mentions":{"parse":["everyone","roles"],"replied_user":false}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			rest, asked := answering(t, 200, `{"id":"9","channel_id":"10","author":{"id":"5"}}`, c.mentions)
			if _, err := rest.Send(t.Context(), gapless.Reply{ID: "r", Place: 10, Text: "hi", Nonce: "n"}); err != nil {
				t.Fatal(err)
			}
			if _, body := asked(); !strings.Contains(body, c.want) {
				t.Errorf("sent %s, want %s", body, c.want)
			}
		})
	}
}
