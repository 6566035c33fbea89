package wire_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"gapless/internal/wire"
)

func TestMessages(t *testing.T) {
	page, err := wire.Messages([]byte(`[{"id":"2","channel_id":"1","author":{"id":"3"},"content":"x"},
		{"id":"1","channel_id":"1","author":{"id":"3"},"content":{"odd":1}},{"content":"nobody"},{"id":"4"}]`), 1)
	if err != nil || len(page) != 3 || page[0].Text != "x" || page[0].Type != 0 ||
		page[1].ID != 1 || page[1].Text != "" || page[1].Type != -1 || page[2].Place != 1 || page[2].Type != -1 {
		t.Errorf("got %+v, %v", page, err)
	}
	for _, empty := range []string{"null", "[]"} {
		if page, err := wire.Messages([]byte(empty), 1); err != nil || len(page) != 0 {
			t.Errorf("%s: %+v, %v", empty, page, err)
		}
	}
	for _, odd := range []string{`{"secret":1}`, `[{"id":"1","content":"sec`, `<html>secret`, `[{"content":"secret"}]`, ``} {
		if page, err := wire.Messages([]byte(odd), 1); err == nil || strings.Contains(err.Error(), "sec") {
			t.Errorf("%s: %+v, %v", odd, page, err)
		}
	}
}

func TestGuildListings(t *testing.T) {
	list, err := wire.Channels([]byte(`[{"id":"2","type":5},{"id":"3","type":15,"last_message_id":"9"}]`), 1)
	if err != nil || len(list) != 2 || list[1].Guild != 1 || list[1].Last != 9 {
		t.Errorf("channels %+v, %v", list, err)
	}
	if _, err := wire.Channels([]byte(`{"message":"x"}`), 1); err == nil {
		t.Error("an object was read as channels")
	}
	list, err = wire.Threads([]byte(`{"threads":[{"id":"4","type":11,"guild_id":"1"}],"members":[]}`), 1)
	if err != nil || len(list) != 1 {
		t.Errorf("threads %+v, %v", list, err)
	}
	if _, err := wire.Threads([]byte(`[]`), 1); err == nil {
		t.Error("a list was read as a thread listing")
	}
}

func TestReadGatewayBot(t *testing.T) {
	g, err := wire.ReadGatewayBot([]byte(`{"url":"wss://gateway.discord.gg/","shards":2,
		"session_start_limit":{"total":1000,"remaining":3,"reset_after":14400000,"max_concurrency":1}}`))
	want := wire.GatewayBot{URL: "wss://gateway.discord.gg/", Shards: 2, Total: 1000, Remaining: 3, ResetAfter: 4 * time.Hour, MaxConcurrency: 1}
	if err != nil || g != want {
		t.Errorf("got %+v, %v", g, err)
	}
	if _, err := wire.ReadGatewayBot([]byte(`{"url":"wss://x"}`)); err == nil {
		t.Error("an answer without budget was accepted")
	}
}

func TestPostBody(t *testing.T) {
	var got map[string]any
	if err := json.Unmarshal(wire.Post{Text: "hi @everyone", Nonce: "n", Reference: 5}.Body(), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"content": "hi @everyone", "nonce": "n", "enforce_nonce": true,
		"allowed_mentions":  map[string]any{"parse": []any{"users"}, "replied_user": true},
		"message_reference": map[string]any{"message_id": "5", "fail_if_not_exists": false},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
	got = nil
	if err := json.Unmarshal(wire.Post{Text: "hi"}.Body(), &got); err != nil || len(got) != 2 {
		t.Errorf("plain post: %v, %v", got, err)
	}
}

func TestReadRefusal(t *testing.T) {
	r, ok := wire.ReadRefusal([]byte(`{"message":"Invalid Form Body","code":50035,"errors":{"content":{"_errors":[{"code":"BASE_TYPE_MAX_LENGTH","message":"the text was: secret"}]}}}`))
	if !ok || r.Code != 50035 || r.Message != "Invalid Form Body: content BASE_TYPE_MAX_LENGTH" {
		t.Errorf("got %+v %t", r, ok)
	}
	r, ok = wire.ReadRefusal([]byte(`{"message":"You are being rate limited.","retry_after":1.5,"global":true}`))
	if !ok || r.RetryAfter != 1500*time.Millisecond || !r.Global {
		t.Errorf("got %+v %t", r, ok)
	}
	for _, none := range []string{`<html>`, `[]`, `{}`, `error code: 1015`} {
		if r, ok := wire.ReadRefusal([]byte(none)); ok {
			t.Errorf("%s was read as %+v", none, r)
		}
	}
}
