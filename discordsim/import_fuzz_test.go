package discordsim_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"gapless/discordsim"
)

// FuzzImport feeds anything to the import and then looks at the world as a bot would: nothing panics, every
// answer comes, and what was counted is there.
func FuzzImport(f *testing.F) {
	whole := newExport("GuildTextChat", oldText, "general", said(0, "a", "reactions", []body{{"emoji": body{"name": "x"}, "count": 2, "users": []any{nil}}},
		"mentions", []any{nil}, "embeds", []any{nil, body{"author": body{}, "thumbnail": nil, "fields": []any{nil}}}), said(1, "b", "type", "Reply", "reference", body{}),
		said(2, "c", "reference", body{"type": "Forward"}, "forwardedMessage", body{}))
	thread := newExport("GuildPublicThread", oldText, "loop")
	thread.Channel["categoryId"] = oldText
	dm := newExport("DirectTextChat", oldText, "dm", said(0, "a"))
	for _, seed := range []string{text(whole), text(thread), text(dm), text(newExport("GuildForum", oldText, "forum")), "", "{", "[]", `{"guild":null,"channel":null,"messages":[]}`,
		`{"guild":{"id":"1"},"channel":{"id":"2","type":"16"},"messages":[null,1,"x",{"id":"3"}]}`, cut(whole, `"b"`)} {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, first, second string) {
		sim := &discordsim.Server{NoLimits: true, GlobalLimit: -1}
		defer sim.Close()
		robot := sim.AddBot("helper")
		loaded := 0
		for _, file := range []string{first, second} {
			got, _ := sim.ImportFrom("x.json", strings.NewReader(file))
			loaded += got.Messages
			for _, guild := range got.Guilds {
				sim.Join(guild, robot.ID)
			}
		}
		if made := len(sim.Messages()); made != loaded {
			t.Errorf("%d messages counted, %d there", loaded, made)
		}
		paths := []string{"/users/@me/guilds"}
		for _, m := range sim.Messages() {
			paths = append(paths, "/channels/"+m.Channel.String(), "/channels/"+m.Channel.String()+"/messages", "/guilds/"+m.Guild.String()+"/channels",
				"/guilds/"+m.Guild.String()+"/threads/active")
		}
		for _, path := range paths {
			req := httptest.NewRequest("GET", "/api/v10"+path, nil)
			req.Header.Set("Authorization", "Bot "+robot.Token)
			answer := httptest.NewRecorder()
			if sim.ServeHTTP(answer, req); answer.Code >= 500 {
				t.Errorf("%s: %d", path, answer.Code)
			}
		}
	})
}
