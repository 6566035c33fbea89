package discordsim_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"gapless/discordsim"
)

// Ids of the exports below.
const (
	oldGuild = discordsim.ID(800000000000000001)
	oldText  = discordsim.ID(800000000000000002)
	oldAnna  = discordsim.ID(700000000000000001)
	oldBot   = discordsim.ID(700000000000000002)
)

// oldTime is when the first exported message was written.
var oldTime = time.Date(2024, 5, 1, 10, 0, 0, 0, time.UTC)

// export is a channel export on its way to JSON.
type export struct {
	Guild    body   `json:"guild"`
	Channel  body   `json:"channel"`
	Range    body   `json:"dateRange"`
	Messages []body `json:"messages"`
	Count    int    `json:"messageCount"`
}

func newExport(kind string, id discordsim.ID, name string, messages ...body) export {
	return export{Guild: body{"id": oldGuild, "name": "old home", "iconUrl": ""},
		Channel:  body{"id": id, "type": kind, "categoryId": "800000000000000009", "category": "rooms", "name": name, "topic": "talk"},
		Messages: messages, Count: len(messages)}
}

// said is a message n seconds after oldTime, with fields replaced or added.
func said(n int, text string, more ...any) body {
	at := oldTime.Add(time.Duration(n) * time.Second)
	b := body{"id": discordsim.IDAt(at), "type": "Default", "timestamp": at.Format("2006-01-02T15:04:05.999+00:00"),
		"timestampEdited": nil, "callEndedTimestamp": nil, "isPinned": false, "content": text, "author": person(oldAnna, "anna", false),
		"attachments": []any{}, "embeds": []any{}, "stickers": []any{}, "reactions": []any{}, "mentions": []any{}, "inlineEmojis": []any{}}
	for i := 0; i < len(more); i += 2 {
		b[more[i].(string)] = more[i+1]
	}
	return b
}

func person(id discordsim.ID, name string, bot bool) body {
	return body{"id": id, "name": name, "discriminator": "0000", "nickname": strings.ToUpper(name), "color": nil, "isBot": bot,
		"roles": []body{{"id": "800000000000000008", "name": "friends"}}, "avatarUrl": ""}
}

func files(exports map[string]export) fs.FS {
	fsys := fstest.MapFS{}
	for name, e := range exports {
		data, _ := json.MarshalIndent(e, "", "  ")
		fsys[name] = &fstest.MapFile{Data: data}
	}
	return fsys
}

func TestImport(t *testing.T) {
	scripts := []struct {
		name string
		play func(sc *scene)
	}{
		{"history_is_read_as_it_was_written", func(sc *scene) {
			got, err := sc.ImportFS(files(map[string]export{"general.json": newExport("GuildTextChat", oldText, "general",
				said(0, "hello", "isPinned", true),
				said(1, "hi @ANNA", "type", "Reply", "author", person(oldBot, "robot", true), "timestampEdited", oldTime.Add(time.Minute),
					"mentions", []body{person(oldAnna, "anna", false)},
					"reference", body{"messageId": discordsim.IDAt(oldTime), "channelId": oldText, "guildId": oldGuild}),
				said(2, "look", "attachments", []body{{"id": "800000000000000003", "url": "https://cdn.test/a.png", "fileName": "a.png", "fileSizeBytes": 7}},
					"embeds", []body{{"title": "page", "url": "https://example.test/", "color": "#00FF00",
						"images": []body{{"url": "https://cdn.test/b.png", "width": 1, "height": 2}}, "fields": []body{{"name": "n", "value": "v", "isInline": true}}}},
					"stickers", []body{{"id": "800000000000000004", "name": "wave", "format": "Lottie"}},
					"reactions", []body{{"emoji": body{"id": "", "name": "👀", "code": "eyes"}, "count": 3, "users": []body{person(oldAnna, "anna", false)}}}),
				said(3, "", "reference", body{"type": "Forward", "messageId": "800000000000000005", "channelId": "800000000000000006", "guildId": nil},
					"forwardedMessage", body{"timestamp": oldTime, "timestampEdited": nil, "content": "from afar", "attachments": []any{}, "embeds": []any{}}),
				said(4, "ran a command", "type", "20", "author", person(oldBot, "robot", true),
					"interaction", body{"id": "800000000000000007", "name": "run", "user": person(oldAnna, "anna", false)}))}))
			if err != nil || got.Files != 1 || got.Messages != 5 || got.Users != 2 || got.Channels != 2 || fmt.Sprint(got.Guilds) != fmt.Sprint([]discordsim.ID{oldGuild}) {
				sc.t.Fatalf("imported %+v, %v", got, err)
			}
			sc.Join(oldGuild, sc.bot.ID)
			page := sc.call("GET", "/channels/"+oldText.String()+"/messages?after=0", nil)
			if texts := fmt.Sprint(page.list(sc.t, "content")); texts != "[ran a command  look hi @ANNA hello]" {
				sc.t.Errorf("page %s", texts)
			}
			for _, want := range []string{`"type":20`, `"message_snapshots":[{"message":{`, `"content":"from afar"`, `"flags":16384`,
				`"filename":"a.png"`, `"color":65280`, `"inline":true`, `"format_type":3`, `"count":3`, `"pinned":true`, `"type":19`,
				`"edited_timestamp":"2024-05-01T10:01:00.000000+00:00"`, `"global_name":"ANNA"`, `"referenced_message":{`,
				`"timestamp":"2024-05-01T10:00:02.000000+00:00"`} {
				if !bytes.Contains(page.body, []byte(want)) {
					sc.t.Errorf("the page lacks %s", want)
				}
			}
			reply, _ := sc.Message(discordsim.IDAt(oldTime.Add(time.Second)))
			if reply.Answered != oldAnna || fmt.Sprint(reply.Mentions) != fmt.Sprint([]discordsim.ID{oldAnna}) || reply.VisibleTo(sc.bot.ID) {
				sc.t.Errorf("reply %+v", reply)
			}
			robot, err := sc.Adopt(oldBot)
			if _, again := sc.Adopt(oldBot); err != nil || again == nil || robot.Name != "robot" {
				sc.t.Errorf("adopted %+v, %v, then %v", robot, err, again)
			}
			sc.bot = robot
			sc.ready(allIntents)
		}},
		{"threads_and_forums_find_their_channels", func(sc *scene) {
			starter := discordsim.IDAt(oldTime.Add(7 * time.Second))
			post := discordsim.IDAt(oldTime.Add(9 * time.Second))
			young := discordsim.IDAt(time.Now().Add(-time.Hour))
			thread := func(id, parent discordsim.ID, name string, messages ...body) export {
				e := newExport("GuildPublicThread", id, name, messages...)
				e.Channel["categoryId"], e.Channel["category"] = parent, "its channel"
				return e
			}
			recent := said(0, "just now", "id", young, "timestamp", young.Time())
			forum := oldText + 50
			got, err := sc.ImportFS(files(map[string]export{
				"a thread.json": thread(starter, oldText, "side talk", said(8, "inside")),
				"b post.json":   thread(post, forum, "question", said(9, "how?"), said(10, "so", "author", person(oldBot, "robot", true))),
				"c recent.json": thread(young, forum, "news", recent),
				"general.json":  newExport("GuildTextChat", oldText, "general", said(7, "topic"))}))
			if err != nil || got.Messages != 5 || got.Channels != 6 {
				sc.t.Fatalf("imported %+v, %v", got, err)
			}
			sc.Join(oldGuild, sc.bot.ID)
			active := sc.call("GET", "/guilds/"+oldGuild.String()+"/threads/active", nil).object(sc.t)
			if ids := fieldOf(active["threads"], "id"); ids != fmt.Sprint([]discordsim.ID{young}) {
				sc.t.Errorf("active %s", ids)
			}
			archived := sc.call("GET", "/channels/"+oldText.String()+"/threads/archived/public", nil).object(sc.t)
			if ids := fieldOf(archived["threads"], "id"); ids != fmt.Sprint([]discordsim.ID{starter}) {
				sc.t.Errorf("archived %s", ids)
			}
			channel := sc.call("GET", "/channels/"+forum.String(), nil).object(sc.t)
			if channel["type"] != 15.0 || channel["last_message_id"] != young.String() || channel["name"] != "its channel" {
				sc.t.Errorf("forum %v", channel)
			}
			topic := sc.call("GET", fmt.Sprintf("/channels/%d/messages/%d", oldText, starter), nil).object(sc.t)
			if topic["flags"] != 32.0 || topic["thread"].(body)["name"] != "side talk" {
				sc.t.Errorf("starter %v", topic)
			}
		}},
		{"direct_channels_belong_to_their_bot", func(sc *scene) {
			dm := newExport("DirectTextChat", oldText, "anna", said(0, "psst"), said(1, "yes?", "author", person(oldBot, "robot", true)))
			dm.Guild = body{"id": "0", "name": "Direct Messages"}
			alone := newExport("DirectTextChat", oldText+1, "anna", said(5, "anybody?"))
			_, err := sc.ImportFS(files(map[string]export{"dm.json": dm, "alone.json": alone}))
			if err == nil || err.Error() != fmt.Sprintf("import channel %d: no bot wrote in this direct channel, so no bot can see it", oldText+1) {
				sc.t.Errorf("error %v", err)
			}
			robot, err := sc.Adopt(oldBot)
			if err != nil {
				sc.t.Fatal(err)
			}
			sc.bot = robot
			if got := sc.call("GET", "/channels/"+oldText.String()+"/messages", nil).list(sc.t, "content"); fmt.Sprint(got) != "[yes? psst]" {
				sc.t.Errorf("read %v", got)
			}
			if sc.OpenDM(oldAnna, oldBot) != oldText {
				sc.t.Error("another channel was opened")
			}
		}},
		{"new_messages_follow_the_old", func(sc *scene) {
			if _, err := sc.ImportFS(files(map[string]export{"a.json": newExport("GuildTextChat", oldText, "general", said(0, "old"))})); err != nil {
				sc.t.Fatal(err)
			}
			sc.Join(oldGuild, sc.bot.ID)
			c, _ := sc.ready(allIntents)
			c.expect("GUILD_CREATE")
			sc.post(oldAnna, oldText, "new")
			if m := c.expect("MESSAGE_CREATE"); m.get("content") != "new" || m.get("guild_id") != oldGuild.String() {
				sc.t.Errorf("message %s", m.D)
			}
			if after := sc.MessagesAfter(1); len(after) != 1 || after[0].Content != "new" {
				sc.t.Errorf("after the first: %+v", after)
			}
		}},
	}
	for _, script := range scripts {
		t.Run(script.name, func(t *testing.T) { play(t, nil, script.play) })
	}
}

// TestImportDamaged holds each damage to an error that names file and message, and to the loss of no more than that.
func TestImportDamaged(t *testing.T) {
	good := func() export {
		return newExport("GuildTextChat", oldText, "general", said(0, "first"), said(9, "last"))
	}
	with := func(m body) export {
		e := good()
		e.Messages = []body{e.Messages[0], m, e.Messages[1]}
		return e
	}
	id := discordsim.IDAt(oldTime.Add(4 * time.Second)).String()
	cases := []struct {
		name  string
		files map[string]any // an export, or text
		want  string         // of the error
		left  int            // messages loaded
	}{
		{"unknown_message_type", map[string]any{"a.json": with(said(4, "x", "type", "Surprise"))}, "import a.json: message " + id + `: unknown type "Surprise"`, 2},
		{"text_is_a_number", map[string]any{"a.json": with(said(4, "x", "content", 5))}, "import a.json: message " + id + ": json: cannot unmarshal number", 2},
		{"id_is_no_number", map[string]any{"a.json": with(said(4, "x", "id", "abc"))}, `import a.json: message "abc": parse id "abc"`, 2},
		{"no_id", map[string]any{"a.json": with(body{"content": "x"})}, "import a.json: message without an id: no id", 2},
		{"no_author", map[string]any{"a.json": with(said(4, "x", "author", nil))}, "message " + id + ": no author", 2},
		{"not_an_object", map[string]any{"a.json": with(nil)}, "message without an id: no id", 2},
		{"no_timestamp", map[string]any{"a.json": with(said(4, "x", "timestamp", nil))}, "message " + id + ": no timestamp", 2},
		{"timestamp_and_id_disagree", map[string]any{"a.json": with(said(4, "x", "timestamp", oldTime))}, "message " + id + ": its timestamp is 2024-05-01T10:00:00Z, its id of 2024-05-01T10:00:04Z", 2},
		{"of_the_future", map[string]any{"a.json": with(said(4e9, "x"))}, "of the future", 2},
		{"twice", map[string]any{"a.json": with(said(0, "again"))}, fmt.Sprintf("already there, in channel %d", oldText), 2},
		{"breaks_off", map[string]any{"a.json": cut(good(), `"last"`)}, "import a.json: message " + discordsim.IDAt(oldTime).String() + ": after it: read messages: the file breaks off", 1},
		{"garbage_at_the_end", map[string]any{"a.json": strings.Replace(text(good()), `"last"`, `"last`, 1)}, "import a.json: message " + discordsim.IDAt(oldTime).String() + ": after it: ", 1},
		{"garbage_in_the_middle", map[string]any{"a.json": strings.Replace(text(with(said(4, "x"))), `"x"`, `"x`, 1)}, "import a.json: message " + discordsim.IDAt(oldTime).String() + ": after it: invalid character", 2},
		{"a_brace_is_missing", map[string]any{"a.json": strings.Replace(text(good()), "    },\n", "    ,\n", 1)}, "import a.json: invalid character '{'", 1},
		{"garbage_at_first", map[string]any{"a.json": strings.Replace(text(good()), `"first"`, `first"`, 1)}, "import a.json: invalid character", 1},
		{"no_export", map[string]any{"a.json": `{"hello":1}`, "b.json": good()}, "import a.json: no channel in it", 2},
		{"a_list", map[string]any{"a.json": `[1]`, "b.json": good()}, "import a.json: want {, got [", 2},
		{"empty_file", map[string]any{"a.json": ``, "b.json": good()}, "import a.json: the file breaks off", 2},
		{"messages_first", map[string]any{"a.json": `{"messages":[]}`, "b.json": good()}, "no guild and channel in front of the messages", 2},
		{"unknown_channel_type", map[string]any{"a.json": newExport("DirectGroupTextChat", oldText+1, "x", said(5, "x")), "b.json": good()}, `type "DirectGroupTextChat" is not simulated`, 2},
		{"channel_without_id", map[string]any{"a.json": newExport("GuildTextChat", 0, "x"), "b.json": good()}, `channel "x" has no id`, 2},
		{"thread_without_channel", map[string]any{"a.json": strings.Replace(text(newExport("GuildPublicThread", oldText+1, "x")), `"800000000000000009"`, "null", 1), "b.json": good()}, "names no channel that can hold it", 2},
	}
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			play(t, nil, func(sc *scene) {
				fsys := fstest.MapFS{"notes.txt": &fstest.MapFile{Data: []byte("not an export")}}
				for name, file := range test.files {
					if _, raw := file.(string); !raw {
						file = text(file.(export))
					}
					fsys[name] = &fstest.MapFile{Data: []byte(file.(string))}
				}
				got, err := sc.ImportFS(fsys)
				if err == nil || !strings.Contains(err.Error(), test.want) || strings.Count(err.Error(), "\n") > 0 {
					t.Errorf("error %v, want %s", err, test.want)
				}
				if got.Messages != test.left || len(sc.Messages()) != test.left || got.Files != len(test.files) {
					t.Errorf("imported %+v, want %d messages", got, test.left)
				}
			})
		})
	}

	t.Run("many_errors_are_counted", func(t *testing.T) {
		play(t, nil, func(sc *scene) {
			e := good()
			for i := range 300 {
				e.Messages = append(e.Messages, said(20+i, "x", "type", "Surprise"))
			}
			got, err := sc.ImportFS(files(map[string]export{"a.json": e}))
			if lines := strings.Split(err.Error(), "\n"); len(lines) != 101 || lines[100] != "import a.json: 200 more errors" || got.Skipped != 300 {
				t.Errorf("%d lines, the last %s, %+v", len(lines), lines[len(lines)-1], got)
			}
		})
	})
	t.Run("no_such_file", func(t *testing.T) {
		if _, err := new(discordsim.Server).Import(filepath.Join(t.TempDir(), "none.json")); err == nil {
			t.Error("imported a file that is not there")
		}
	})
}

func text(e export) string {
	data, _ := json.MarshalIndent(e, "", "  ")
	return string(data)
}

// cut is an export that ends in front of a word.
func cut(e export, word string) string {
	whole := text(e)
	return whole[:strings.Index(whole, word)]
}

// TestImportMany loads forty thousand messages from a file and pages through them.
func TestImportMany(t *testing.T) {
	many := 40_000
	if testing.Short() {
		many = 4_000 // enough for the race detector
	}
	var file bytes.Buffer
	fmt.Fprintf(&file, `{"guild":{"id":"%d","name":"old home"},"channel":{"id":"%d","type":"GuildTextChat","name":"general"},"messages":[`, oldGuild, oldText)
	for i := range many {
		if i > 0 {
			file.WriteByte(',')
		}
		m, _ := json.MarshalIndent(said(i, strings.Repeat("so it goes ", 20)+fmt.Sprint(i)), "    ", "  ")
		file.Write(m)
	}
	file.WriteString("]}")
	path := filepath.Join(t.TempDir(), "general.json")
	if err := os.WriteFile(path, file.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	sim := &discordsim.Server{NoLimits: true}
	start := time.Now()
	got, err := sim.Import(filepath.Dir(path))
	t.Logf("%d messages, %d MB, in %s", got.Messages, file.Len()>>20, time.Since(start).Round(time.Millisecond))
	if err != nil || got.Messages != many || got.Files != 1 {
		t.Fatalf("imported %+v, %v", got, err)
	}
	robot := sim.AddBot("helper")
	sim.Join(oldGuild, robot.ID)
	var read int
	for after := discordsim.ID(0); ; {
		req := httptest.NewRequest("GET", fmt.Sprintf("/api/v10/channels/%d/messages?limit=100&after=%d", oldText, after), nil)
		req.Header.Set("Authorization", "Bot "+robot.Token)
		answer := httptest.NewRecorder()
		sim.ServeHTTP(answer, req)
		page := response{body: answer.Body.Bytes()}.list(t, "id")
		read += len(page)
		if len(page) < 100 {
			break
		}
		after, _ = discordsim.ParseID(page[0])
	}
	if read != many {
		t.Errorf("paged through %d of %d", read, many)
	}
}

// repeated is an export of one message over and over, made as it is read; it notes how large the heap gets.
type repeated struct {
	head, message string
	times         int
	rest          string
	highest       uint64
}

// Read gives the next piece of the export.
func (r *repeated) Read(b []byte) (int, error) {
	if r.rest == "" {
		if r.times == 0 {
			return 0, io.EOF
		}
		r.times--
		r.rest, r.head = r.head+r.message+",", ""
	}
	if r.times%4096 == 0 {
		var memory runtime.MemStats
		runtime.ReadMemStats(&memory)
		r.highest = max(r.highest, memory.HeapAlloc)
	}
	n := copy(b, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// TestImportStreams reads far more than it may keep in memory.
func TestImportStreams(t *testing.T) {
	message, _ := json.Marshal(said(0, strings.Repeat("so it goes ", 100)))
	r := &repeated{message: string(message), times: 32_000,
		head: fmt.Sprintf(`{"guild":{"id":"%d","name":"g"},"channel":{"id":"%d","type":"GuildTextChat","name":"c"},"messages":[`, oldGuild, oldText)}
	size := len(message) * r.times >> 20
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	got, err := new(discordsim.Server).ImportFrom("endless", r)
	grown := int(r.highest-min(r.highest, before.HeapAlloc)) >> 20
	t.Logf("%d MB read, the heap grew by %d MB", size, grown)
	if err == nil || got.Messages != 1 || got.Skipped != 31_999 || size < 40 || grown > 20 {
		t.Errorf("%+v: %d MB read, the heap grew by %d MB", got, size, grown)
	}
}
