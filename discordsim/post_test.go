package discordsim_test

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"time"

	"gapless/discordsim"
)

type body = map[string]any

func TestPost(t *testing.T) {
	cases := []struct {
		name string
		body func(sc *scene) body
		want string
	}{
		{"F56_plain_text", func(*scene) body { return body{"content": "hi"} }, "200"},
		{"empty_is_50006", func(*scene) body { return body{"content": ""} }, "400 50006"},
		{"2000_runes_pass", func(*scene) body { return body{"content": strings.Repeat("ä", 2000)} }, "200"},
		{"2001_runes_do_not", func(*scene) body { return body{"content": strings.Repeat("ä", 2001)} }, "400 50035"},
		{"nonce_of_26", func(*scene) body { return body{"content": "x", "nonce": strings.Repeat("n", 26)} }, "400 50035"},
		{"F58_reply_to_unknown", func(*scene) body {
			return body{"content": "x", "message_reference": body{"message_id": "1234567890123456789"}}
		}, "400 50035"},
		{"F58_reply_to_unknown_need_not_fail", func(*scene) body {
			return body{"content": "x", "message_reference": body{"message_id": "1234567890123456789", "fail_if_not_exists": false}}
		}, "200"},
		{"F58_reply_without_history_permission", func(sc *scene) body {
			id := sc.post(sc.anna, sc.text, "question")
			sc.SetPermission(sc.text, sc.guild, 0, discordsim.ReadMessageHistory)
			return body{"content": "x", "message_reference": body{"message_id": id}}
		}, "400 160002"},
		{"F58_reply_to_a_system_message", func(sc *scene) body {
			id := sc.post(sc.anna, sc.text, "", discordsim.PostOptions{Type: 7})
			return body{"content": "x", "message_reference": body{"message_id": id}}
		}, "400 50035"},
		{"B5_parse_and_users_exclude_each_other", func(sc *scene) body {
			return body{"content": "x", "allowed_mentions": body{"parse": []string{"users"}, "users": []discordsim.ID{sc.anna}}}
		}, "400 50035"},
		{"no_send_permission", func(sc *scene) body {
			sc.SetPermission(sc.text, sc.guild, 0, discordsim.SendMessages)
			return body{"content": "x"}
		}, "403 50013"},
		{"forum", func(sc *scene) body {
			sc.text = sc.AddChannel(sc.guild, discordsim.Forum, "forum")
			return body{"content": "x"}
		}, "400 40058"},
		{"locked_thread", func(sc *scene) body {
			id, err := sc.StartThread(sc.anna, sc.text, "thread", discordsim.ThreadOptions{})
			if err != nil {
				sc.t.Fatal(err)
			}
			sc.Lock(id, true)
			sc.text = id
			return body{"content": "x"}
		}, "400 160005"},
	}
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			play(t, nil, func(sc *scene) {
				in := test.body(sc)
				got := sc.call("POST", "/channels/"+sc.text.String()+"/messages", in)
				if code := got.code(t); code != test.want {
					t.Errorf("got %s %s, want %s", code, got.body, test.want)
				}
			})
		})
	}

	t.Run("F49_own_message_is_echoed_with_its_nonce", func(t *testing.T) {
		play(t, nil, func(sc *scene) {
			c, _ := sc.ready(allIntents)
			got := sc.call("POST", "/channels/"+sc.text.String()+"/messages", body{"content": "mine", "nonce": "n1"}).object(t)
			if got["nonce"] != "n1" || got["guild_id"] != nil {
				t.Errorf("answer %v", got)
			}
			if m := c.expect("MESSAGE_CREATE"); m.get("nonce") != "n1" || m.get("id") != got["id"] {
				t.Errorf("echo %s", m.D)
			}
			if truth := sc.Messages()[0]; truth.Nonce != "n1" || !truth.ByREST || truth.Addresses(sc.bot.ID) {
				t.Errorf("truth %+v", truth)
			}
		})
	})

	t.Run("F57_enforce_nonce", func(t *testing.T) {
		play(t, nil, func(sc *scene) {
			path := "/channels/" + sc.text.String() + "/messages"
			in := body{"content": "once", "nonce": "n1", "enforce_nonce": true}
			first := sc.call("POST", path, in).object(t)["id"]
			time.Sleep(2 * time.Minute)
			if again := sc.call("POST", path, in).object(t)["id"]; again != first {
				t.Errorf("within the window: %v after %v", again, first)
			}
			time.Sleep(61 * time.Second)
			second := sc.call("POST", path, in).object(t)["id"]
			if second == first {
				t.Error("after the window the first message came back")
			}
			id, _ := discordsim.ParseID(second.(string))
			if err := sc.Delete(id); err != nil {
				sc.t.Fatal(err)
			}
			if got := sc.call("POST", path, in); got.code(t) != "404 10008" {
				t.Errorf("after a delete: %s", got.body)
			}
			if n := len(sc.In(sc.text)); n != 1 {
				t.Errorf("%d messages remain", n)
			}
		})
	})

	t.Run("F58_reply_mentions_and_resolves_until_deleted", func(t *testing.T) {
		play(t, nil, func(sc *scene) {
			question := sc.post(sc.anna, sc.text, "question")
			reply := sc.call("POST", "/channels/"+sc.text.String()+"/messages",
				body{"content": "answer", "message_reference": body{"message_id": question}}).object(t)
			if reply["type"] != 19.0 || reply["referenced_message"].(body)["content"] != "question" ||
				len(reply["mentions"].([]any)) != 1 {
				t.Errorf("reply %v", reply)
			}
			if err := sc.Delete(question); err != nil {
				sc.t.Fatal(err)
			}
			got := sc.call("GET", fmt.Sprintf("/channels/%d/messages/%v", sc.text, reply["id"]), nil).object(t)
			if target, present := got["referenced_message"]; !present || target != nil {
				t.Errorf("referenced_message of a deleted message: %v %v", target, present)
			}
		})
	})

	t.Run("F59_forward_has_a_snapshot_without_author", func(t *testing.T) {
		play(t, nil, func(sc *scene) {
			c, _ := sc.ready(allIntents)
			original := sc.post(sc.anna, sc.text, "original")
			c.expect("MESSAGE_CREATE")
			sc.post(sc.anna, sc.text, "", discordsim.PostOptions{Forward: original})
			m := c.expect("MESSAGE_CREATE")
			if m.get("type") != "0" || m.get("flags") != "16384" || !strings.Contains(m.get("message_snapshots"), `"content":"original"`) ||
				strings.Contains(m.get("message_snapshots"), "author") || m.has("referenced_message") {
				t.Errorf("forward %s", m.D)
			}
		})
	})

	t.Run("F66_multipart", func(t *testing.T) {
		play(t, nil, func(sc *scene) {
			var form bytes.Buffer
			w := multipart.NewWriter(&form)
			if err := w.WriteField("payload_json", `{"content":"with a file"}`); err != nil {
				sc.t.Fatal(err)
			}
			file, err := w.CreateFormFile("files[0]", "a.txt")
			if err != nil {
				sc.t.Fatal(err)
			}
			_, _ = io.WriteString(file, "hello")
			w.Close()
			req, _ := http.NewRequest("POST", "http://discord.test/api/v10/channels/"+sc.text.String()+"/messages", &form)
			req.Header.Set("Authorization", "Bot "+sc.bot.Token)
			req.Header.Set("Content-Type", w.FormDataContentType())
			resp, err := sc.http.Do(req)
			if err != nil {
				sc.t.Fatal(err)
			}
			defer resp.Body.Close()
			data, _ := io.ReadAll(resp.Body)
			if resp.StatusCode != 200 || !bytes.Contains(data, []byte(`"filename":"a.txt"`)) {
				t.Errorf("%d %s", resp.StatusCode, data)
			}
		})
	})

	t.Run("F56_B6_B7_edit_delete_react_type", func(t *testing.T) {
		play(t, &discordsim.Server{NoLimits: true}, func(sc *scene) {
			own := sc.post(sc.bot.ID, sc.text, "own")
			other := sc.post(sc.anna, sc.text, "other")
			base := "/channels/" + sc.text.String()
			steps := []struct{ method, path, want string }{
				{"PATCH", fmt.Sprintf("/messages/%d", own), "200"},
				{"PATCH", fmt.Sprintf("/messages/%d", other), "403 50005"},
				{"PUT", fmt.Sprintf("/messages/%d/reactions/%%F0%%9F%%91%%80/@me", other), "204"},
				{"PUT", fmt.Sprintf("/messages/%d/reactions/eyes/@me", other), "400 10014"},
				{"DELETE", fmt.Sprintf("/messages/%d/reactions/%%F0%%9F%%91%%80/@me", other), "204"},
				{"POST", "/typing", "204"},
				{"DELETE", fmt.Sprintf("/messages/%d", other), "403 50013"},
				{"DELETE", fmt.Sprintf("/messages/%d", own), "204"},
			}
			for _, step := range steps {
				got := sc.call(step.method, base+step.path, body{"content": "new"})
				code := fmt.Sprint(got.status)
				if len(got.body) > 0 {
					code = got.code(t)
				}
				if code != step.want {
					t.Errorf("%s %s: %s, want %s", step.method, step.path, code, step.want)
				}
			}
		})
	})
}
