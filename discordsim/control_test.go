package discordsim_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"gapless/discordsim"
)

// schema is what the tests look at of an OpenAPI schema.
type schema struct {
	Ref        string            `yaml:"$ref"`
	Type       any               `yaml:"type"`
	Enum       []string          `yaml:"enum"`
	Required   []string          `yaml:"required"`
	Properties map[string]schema `yaml:"properties"`
}

// openAPI is what the tests look at of the description of the control door.
type openAPI struct {
	Version string `yaml:"openapi"`
	Paths   map[string]map[string]struct {
		ID   string `yaml:"operationId"`
		Body struct {
			Content map[string]struct {
				Schema schema `yaml:"schema"`
			} `yaml:"content"`
		} `yaml:"requestBody"`
	} `yaml:"paths"`
	Components struct {
		Schemas map[string]schema `yaml:"schemas"`
	} `yaml:"components"`
}

func readOpenAPI(t *testing.T) openAPI {
	t.Helper()
	data, err := os.ReadFile("../docs/discordsim.openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var api openAPI
	if err := yaml.Unmarshal(data, &api); err != nil {
		t.Fatal(err)
	}
	if api.Version != "3.1.0" {
		t.Errorf("OpenAPI %s", api.Version)
	}
	return api
}

// door calls the control door and returns status and answer.
func (sc *scene) door(method, name string, in any) (int, []byte) {
	sc.t.Helper()
	data, err := json.Marshal(in)
	if err != nil {
		sc.t.Fatal(err)
	}
	if raw, is := in.(string); is {
		data = []byte(raw)
	}
	req, _ := http.NewRequest(method, "http://discord.test/_sim/"+name, bytes.NewReader(data))
	resp, err := sc.http.Do(req)
	if err != nil {
		sc.t.Fatal(err)
	}
	defer resp.Body.Close()
	out, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, out
}

// deed plays one deed and returns its answer.
func (sc *scene) deed(name string, in any) body {
	sc.t.Helper()
	status, data := sc.door("POST", name, in)
	var out body
	if err := json.Unmarshal(data, &out); err != nil || status != 200 {
		sc.t.Fatalf("%s: %d %s", name, status, data)
	}
	return out
}

// TestControlIsDescribed compares the door with its description: each deed and fact, each field, each kind of
// fault and each shape of a fact is in both.
func TestControlIsDescribed(t *testing.T) {
	api := readOpenAPI(t)
	play(t, nil, func(sc *scene) {
		var has struct{ Deeds, Facts, Fields []string }
		if _, data := sc.door("GET", "", nil); json.Unmarshal(data, &has) != nil || len(has.Deeds) < 40 || len(has.Facts) < 8 {
			sc.t.Fatalf("index %s", data)
		}
		var want, got []string
		for _, name := range has.Deeds {
			want = append(want, "post /_sim/"+name)
		}
		for _, name := range has.Facts {
			want = append(want, "get /_sim/"+name)
		}
		fields := map[string]bool{}
		for path, methods := range api.Paths {
			for method, operation := range methods {
				got = append(got, method+" "+path)
				for field := range operation.Body.Content["application/json"].Schema.Properties {
					fields[field] = true
				}
			}
		}
		same(t, "routes", want, got)
		same(t, "fields", has.Fields, slices.Collect(maps.Keys(fields)))
	})
	var kinds []string
	for _, kind := range discordsim.Kinds() {
		kinds = append(kinds, string(kind))
	}
	same(t, "kinds", kinds, api.Components.Schemas["Kind"].Enum)
	for name, example := range map[string]any{"Message": discordsim.Message{AllowedMentions: json.RawMessage("{}")}, "Sight": discordsim.Sight{},
		"Request": discordsim.Request{}, "Connection": discordsim.Connection{}, "Session": discordsim.Session{}, "Match": discordsim.Match{},
		"Fault": discordsim.Fault{}, "Habits": discordsim.Habits{}, "Planted": discordsim.Planted{}, "Imported": discordsim.Imported{}, "Identify": discordsim.Identify{},
		"Resume": discordsim.Resume{}, "Refusal": discordsim.Refusal{}, "Poll": discordsim.Poll{}, "Heartbeat": discordsim.Heartbeat{}} {
		data, _ := json.Marshal(example)
		var shown body
		if err := json.Unmarshal(data, &shown); err != nil {
			t.Fatal(err)
		}
		same(t, name, slices.Collect(maps.Keys(shown)), slices.Collect(maps.Keys(api.Components.Schemas[name].Properties)))
	}
}

// same compares two sets of names.
func same(t *testing.T, what string, has, told []string) {
	t.Helper()
	for _, name := range has {
		if !slices.Contains(told, name) {
			t.Errorf("%s: %s is not described", what, name)
		}
	}
	for _, name := range told {
		if !slices.Contains(has, name) {
			t.Errorf("%s: %s is described and does not exist", what, name)
		}
	}
}

// TestControlReadsWhatItDescribes plays each deed with just the fields it says it needs.
func TestControlReadsWhatItDescribes(t *testing.T) {
	api := readOpenAPI(t)
	for path, methods := range api.Paths {
		operation, is := methods["post"]
		if name := strings.TrimPrefix(path, "/_sim/"); is && name != "import" {
			t.Run(name, func(t *testing.T) {
				play(t, nil, func(sc *scene) {
					values := sc.values(name)
					in := body{}
					for _, field := range operation.Body.Content["application/json"].Schema.Required {
						in[field] = values[field]
					}
					if status, data := sc.door("POST", name, in); status != 200 {
						t.Errorf("%v: %d %s", in, status, data)
					}
				})
			})
		}
	}
}

// values are fields that fit the deed of a name.
func (sc *scene) values(name string) body {
	sc.t.Helper()
	message := sc.post(sc.anna, sc.text, "x")
	role := sc.AddRole(sc.guild, "r", 0)
	v := body{"id": message, "ids": []discordsim.ID{message}, "bot": sc.bot.ID, "user": sc.anna, "guild": sc.guild, "channel": sc.text, "role": role,
		"target": role, "name": "n", "text": "t", "emoji": "👀", "answer": 1, "on": true, "allow": 1024, "for_ms": 1000, "fault": body{"kind": "gateway.drop"},
		"habits": body{"no_resume": true}}
	switch name {
	case "archive", "lock", "join-thread", "leave-thread":
		v["id"] = sc.thread("t", discordsim.ThreadOptions{})
	case "forum-post":
		v["channel"] = sc.AddChannel(sc.guild, discordsim.Forum, "forum")
	case "vote":
		v["id"] = sc.post(sc.anna, sc.text, "", discordsim.PostOptions{Poll: &discordsim.Poll{Question: "?", Answers: []string{"yes"}}})
	case "lift":
		v["id"] = "1"
	case "adopt":
		if _, err := sc.ImportFS(files(map[string]export{"a.json": newExport("GuildTextChat", oldText, "general",
			said(0, "x", "author", person(oldBot, "robot", true)))})); err != nil {
			sc.t.Fatal(err)
		}
		v["user"] = oldBot
	}
	return v
}

func TestControl(t *testing.T) {
	scripts := []struct {
		name string
		play func(sc *scene)
	}{
		{"a_world_from_outside", func(sc *scene) {
			bot := sc.deed("bot", body{"name": "other"})
			guild := sc.deed("guild", body{"name": "there", "members": []any{bot["id"], sc.anna}})["id"]
			category := sc.deed("channel", body{"guild": guild, "name": "rooms", "type": 4})["id"]
			text := sc.deed("channel", body{"guild": guild, "name": "talk", "parent": category})["id"]
			first := sc.deed("post", body{"user": sc.anna, "channel": text, "text": "first", "nonce": "n"})["id"]
			sc.deed("post", body{"user": sc.anna, "channel": text, "text": "second", "reply": first, "age_ms": 0, "attachments": []string{"a.txt"}})
			sc.deed("pin", body{"user": sc.anna, "id": first})
			thread := sc.deed("thread", body{"user": sc.anna, "channel": text, "name": "side", "from": first, "for_ms": 3600_000})["id"]
			sc.deed("post", body{"user": sc.anna, "channel": thread, "text": "aside"})
			sc.deed("archive", body{"id": thread, "on": true})
			sc.deed("edit", body{"id": first, "text": "first, edited"})
			_, data := sc.door("GET", "truth?after=1", nil)
			var truth []discordsim.Message
			if err := json.Unmarshal(data, &truth); err != nil || len(truth) != 4 || truth[0].Content != "second" || truth[0].ReplyTo.String() != first {
				sc.t.Errorf("truth %s, %v", data, err)
			}
		}},
		{"who_could_see_it_when", func(sc *scene) {
			start := time.Now()
			id := sc.post(sc.anna, sc.text, "x")
			time.Sleep(time.Minute)
			sc.deed("permission", body{"channel": sc.text, "target": sc.guild, "deny": discordsim.ViewChannel})
			time.Sleep(time.Minute)
			sc.deed("permission", body{"channel": sc.text, "target": sc.guild})
			time.Sleep(time.Minute)
			for after, want := range map[time.Duration]bool{-time.Second: false, time.Second: true, 61 * time.Second: false, 121 * time.Second: true} {
				if got := sc.VisibleAt(sc.bot.ID, id, start.Add(after)); got != want {
					sc.t.Errorf("after %s visible %v", after, got)
				}
			}
			if err := sc.Delete(id); err != nil {
				sc.t.Fatal(err)
			}
			if sc.VisibleAt(sc.bot.ID, id, time.Now()) {
				sc.t.Error("visible though deleted")
			}
			_, data := sc.door("GET", "sights", nil)
			var sights []discordsim.Sight
			if err := json.Unmarshal(data, &sights); err != nil || len(sights) != 2 || sights[0].Until.Sub(sights[0].From).Truncate(time.Second) != time.Minute || !sights[1].Until.IsZero() {
				sc.t.Errorf("sights %s, %v", data, err)
			}
		}},
		{"counts_and_faults", func(sc *scene) {
			id := sc.deed("inject", body{"fault": body{"kind": "rest.fail", "status": 503, "count": 1}})["id"]
			sc.call("GET", "/users/@me", nil)
			sc.call("GET", "/users/@me", nil)
			if _, data := sc.door("GET", "counts", nil); string(data) != `{"GET /users/@me":2}` {
				sc.t.Errorf("counts %s", data)
			}
			var faults []discordsim.Planted
			if _, data := sc.door("GET", "faults", nil); json.Unmarshal(data, &faults) != nil || len(faults) != 1 || faults[0].Hits != 1 || faults[0].Status != 503 {
				sc.t.Errorf("faults %s", data)
			}
			sc.deed("lift", body{"id": id})
			if _, data := sc.door("GET", "faults", nil); string(data) != "[]" {
				sc.t.Errorf("faults %s", data)
			}
		}},
		{"an_export_as_body", func(sc *scene) {
			e := newExport("GuildTextChat", oldText, "general", said(0, "fine"), said(1, "odd", "type", "Surprise"))
			out := sc.deed("import?name=mine", text(e))
			if out["imported"].(body)["messages"] != 1.0 || !strings.Contains(fmt.Sprint(out["errors"]), "import mine: message ") {
				sc.t.Errorf("imported %v", out)
			}
		}},
		{"G58_pause_ends_by_itself", func(sc *scene) {
			c, session := sc.ready(allIntents)
			sc.deed("pause", body{"for_ms": 30_000})
			if code := c.closed(); code != -1 {
				sc.t.Errorf("closed with %d", code)
			}
			time.Sleep(time.Second)
			if _, err := sc.tryDial("/gateway/?v=10"); err == nil {
				sc.t.Error("connected during the pause")
			}
			time.Sleep(30 * time.Second)
			again := sc.dial("/gateway/?v=10")
			again.expect("op 10")
			again.resume(session, 2)
			again.expect("RESUMED")
		}},
	}
	for _, script := range scripts {
		t.Run(script.name, func(t *testing.T) { play(t, nil, script.play) })
	}
}

func TestControlRefuses(t *testing.T) {
	cases := []struct{ name, path, body, want string }{
		{"unknown_deed", "dance", "{}", "no such deed"},
		{"unknown_kind", "inject", `{"fault":{"kind":"nonsense"}}`, "unknown kind"},
		{"unknown_user", "post", `{"user":"1","channel":"1"}`, "no user 1"},
		{"unknown_field", "post", `{"usr":"1"}`, `unknown field "usr"`},
		{"no_JSON", "post", `{`, "read post"},
		{"pause_without_end", "pause", `{}`, "for_ms must say how long"},
		{"adopt_a_person", "adopt", `{"user":"1"}`, "no bot account"},
	}
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			play(t, nil, func(sc *scene) {
				status, data := sc.door("POST", test.path, test.body)
				if status < 400 || !strings.Contains(string(data), strings.ReplaceAll(test.want, `"`, `\"`)) {
					t.Errorf("%d %s", status, data)
				}
			})
		})
	}
	t.Run("after_is_a_count", func(t *testing.T) {
		play(t, nil, func(sc *scene) {
			if status, data := sc.door("GET", "truth?after=x", nil); status != 400 {
				t.Errorf("%d %s", status, data)
			}
		})
	})
}
