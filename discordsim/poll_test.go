package discordsim_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"gapless/discordsim"
)

func TestPolls(t *testing.T) {
	question := body{"question": body{"text": "lunch?"}, "answers": []body{{"poll_media": body{"text": "yes"}}, {"poll_media": body{"text": "no"}}}, "duration": 1}
	scripts := []struct {
		name string
		play func(sc *scene)
	}{
		{"a_bot_s_poll_from_question_to_result", func(sc *scene) {
			c, _ := sc.ready(allIntents | 1<<24)
			path := "/channels/" + sc.text.String()
			made := sc.call("POST", path+"/messages", body{"poll": question}).object(sc.t)
			id, _ := discordsim.ParseID(made["id"].(string))
			c.expect("MESSAGE_CREATE")
			for _, answer := range []int{1, 2} {
				if err := sc.Vote(sc.anna, id, answer, true); err != nil {
					sc.t.Fatal(err)
				}
			}
			for _, want := range []string{"_ADD 1", "_REMOVE 1", "_ADD 2"} {
				if vote := c.next(); vote.T+" "+vote.get("answer_id") != "MESSAGE_POLL_VOTE"+want {
					sc.t.Errorf("%s %s, want %s", vote.T, vote.D, want)
				}
			}
			voters := sc.call("GET", fmt.Sprintf("%s/polls/%d/answers/2", path, id), nil).object(sc.t)
			if got := fieldOf(voters["users"], "id"); got != fmt.Sprint([]discordsim.ID{sc.anna}) {
				sc.t.Errorf("voters %s", got)
			}
			time.Sleep(time.Hour + time.Millisecond)
			if m := c.expect("MESSAGE_UPDATE"); !strings.Contains(m.get("poll"), `"is_finalized":true`) || !strings.Contains(m.get("poll"), `{"count":1,"id":2,"me_voted":false}`) {
				sc.t.Errorf("ended %s", m.D)
			}
			if m := c.expect("MESSAGE_CREATE"); m.get("type") != "46" || !strings.Contains(m.get("message_reference"), made["id"].(string)) {
				sc.t.Errorf("result %s", m.D)
			}
			if err := sc.Vote(sc.anna, id, 1, true); err == nil {
				sc.t.Error("voted when it was over")
			}
			if got := sc.call("POST", fmt.Sprintf("%s/polls/%d/expire", path, id), nil); got.code(sc.t) != "400 520001" {
				sc.t.Errorf("ended twice: %s", got.body)
			}
		}},
		{"ended_early_and_several_picks", func(sc *scene) {
			path := "/channels/" + sc.text.String()
			in := body{"poll": body{"question": question["question"], "answers": question["answers"], "allow_multiselect": true}}
			made := sc.call("POST", path+"/messages", in).object(sc.t)
			id, _ := discordsim.ParseID(made["id"].(string))
			for _, answer := range []int{1, 2} {
				if err := sc.Vote(sc.anna, id, answer, true); err != nil {
					sc.t.Fatal(err)
				}
			}
			got := sc.call("POST", fmt.Sprintf("%s/polls/%d/expire", path, id), nil).object(sc.t)
			if results := fmt.Sprint(got["poll"].(body)["results"]); strings.Count(results, "count:1") != 2 || !strings.Contains(results, "is_finalized:true") {
				sc.t.Errorf("results %s", results)
			}
			if err := sc.Vote(sc.anna, sc.post(sc.anna, sc.text, "no poll"), 1, true); err == nil {
				sc.t.Error("voted without a poll")
			}
		}},
		{"A18_without_the_content_intent_it_is_left_out", func(sc *scene) {
			c, _ := sc.ready(allIntents &^ (1 << 15))
			id := sc.post(sc.anna, sc.text, "", discordsim.PostOptions{Poll: &discordsim.Poll{Question: "?", Answers: []string{"!"}}})
			if m := c.expect("MESSAGE_CREATE"); m.has("poll") {
				sc.t.Errorf("message %s", m.D)
			}
			sc.EndPoll(id)
			c.expect("MESSAGE_UPDATE")
			c.expect("MESSAGE_CREATE")
		}},
		{"bad_forms", func(sc *scene) {
			for _, poll := range []body{{"question": body{"text": ""}, "answers": question["answers"]}, {"question": question["question"], "answers": []body{}},
				{"question": question["question"], "answers": []body{{"poll_media": body{"text": strings.Repeat("x", 56)}}}},
				{"question": question["question"], "answers": question["answers"], "duration": 769}} {
				time.Sleep(5 * time.Second)
				if got := sc.call("POST", "/channels/"+sc.text.String()+"/messages", body{"poll": poll}); got.code(sc.t) != "400 50035" {
					sc.t.Errorf("%v: %s", poll, got.body)
				}
			}
		}},
	}
	for _, script := range scripts {
		t.Run(script.name, func(t *testing.T) { play(t, &discordsim.Server{HeartbeatGrace: -1}, script.play) })
	}
}

// TestTidying plays what moderators do to the messages of others, and what the API does not even look at.
func TestTidying(t *testing.T) {
	sim := func() *discordsim.Server { return &discordsim.Server{NoLimits: true} }
	t.Run("A20_reactions_are_cleared", func(t *testing.T) {
		play(t, sim(), func(sc *scene) {
			c, _ := sc.ready(allIntents)
			id := sc.post(sc.anna, sc.text, "x")
			for _, emoji := range []string{"👀", "👍", "👎"} {
				if err := sc.React(sc.anna, id, emoji); err != nil {
					sc.t.Fatal(err)
				}
			}
			for range 4 {
				c.next()
			}
			base := fmt.Sprintf("/channels/%d/messages/%d/reactions", sc.text, id)
			if got := sc.call("DELETE", base, nil); got.code(sc.t) != "403 50013" {
				sc.t.Errorf("without permission: %s", got.body)
			}
			sc.SetPermission(sc.text, sc.bot.ID, discordsim.ManageMessages, 0)
			c.expect("CHANNEL_UPDATE")
			for path, want := range map[string]string{fmt.Sprintf("%s/👀/%d", base, sc.anna): "MESSAGE_REACTION_REMOVE", base + "/👍": "MESSAGE_REACTION_REMOVE_EMOJI"} {
				if got := sc.call("DELETE", path, nil); got.status != 204 {
					sc.t.Errorf("%s: %d %s", path, got.status, got.body)
				}
				c.expect(want)
			}
			if got := sc.call("DELETE", base, nil); got.status != 204 {
				sc.t.Errorf("all: %s", got.body)
			}
			c.expect("MESSAGE_REACTION_REMOVE_ALL")
			sc.ClearReactions(id, "")
			c.silent()
		})
	})
	t.Run("B6_flags_of_another_s_message", func(t *testing.T) {
		play(t, sim(), func(sc *scene) {
			path := fmt.Sprintf("/channels/%d/messages/%d", sc.text, sc.post(sc.anna, sc.text, "look"))
			if got := sc.call("PATCH", path, body{"flags": 4}); got.code(sc.t) != "403 50005" {
				sc.t.Errorf("without permission: %s", got.body)
			}
			sc.SetPermission(sc.text, sc.bot.ID, discordsim.ManageMessages, 0)
			if got := sc.call("PATCH", path, body{"flags": 4}).object(sc.t); got["flags"] != 4.0 || got["content"] != "look" || got["edited_timestamp"] != nil {
				sc.t.Errorf("changed %v", got)
			}
			if got := sc.call("PATCH", path, body{"flags": 4, "content": "mine"}); got.code(sc.t) != "403 50005" {
				sc.t.Errorf("the text: %s", got.body)
			}
		})
	})
	t.Run("B1_bodies_that_are_not_read", func(t *testing.T) {
		play(t, sim(), func(sc *scene) {
			for kind, size := range map[string]int{"text/plain": 2, "application/json": 25<<20 + 1} {
				req, _ := http.NewRequest("POST", "http://discord.test/api/v10/channels/"+sc.text.String()+"/messages", bytes.NewReader(make([]byte, size)))
				req.Header.Set("Authorization", "Bot "+sc.bot.Token)
				req.Header.Set("Content-Type", kind)
				resp, err := sc.http.Do(req)
				if err != nil {
					sc.t.Fatal(err)
				}
				_ = resp.Body.Close()
				if want := map[string]int{"text/plain": 400, "application/json": 413}[kind]; resp.StatusCode != want {
					sc.t.Errorf("%s: %d", kind, resp.StatusCode)
				}
			}
		})
	})
	t.Run("F64_age_restricted_channels_are_not_searched", func(t *testing.T) {
		play(t, sim(), func(sc *scene) {
			sc.SetPermission(sc.text, sc.bot.ID, discordsim.ManageChannels, 0)
			sc.post(sc.anna, sc.text, "needle")
			sc.call("PATCH", "/channels/"+sc.text.String(), body{"nsfw": true})
			path := "/guilds/" + sc.guild.String() + "/messages/search?content=needle"
			for query, want := range map[string]float64{"": 0, "&include_nsfw=true": 1} {
				if got := sc.call("GET", path+query, nil).object(sc.t)["total_results"]; got != want {
					sc.t.Errorf("%q finds %v", query, got)
				}
			}
		})
	})
}
