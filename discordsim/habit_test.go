package discordsim_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"gapless/discordsim"
)

func TestHabits(t *testing.T) {
	with := func(name string, h discordsim.Habits, script func(sc *scene)) {
		t.Run(name, func(t *testing.T) { play(t, &discordsim.Server{Habits: h, IdentifyInterval: -1}, script) })
	}

	with("no resume is granted", discordsim.Habits{NoResume: true}, func(sc *scene) {
		c, session := sc.ready(allIntents)
		_ = c.ws.CloseNow()
		again := sc.dial("/resume/?v=10&encoding=json")
		again.expect("op 10")
		again.resume(session, 2)
		if f := again.expect("op 9"); string(f.D) != "false" {
			sc.t.Errorf("op 9 with %s", f.D)
		}
		if all := sc.Sessions(); len(all) != 1 || all[0].Ended.IsZero() {
			sc.t.Errorf("sessions %+v", all)
		}
	})

	with("pages after an id rise", discordsim.Habits{OldestFirst: true}, func(sc *scene) {
		ids := sc.seven()
		path := "/channels/" + sc.text.String() + "/messages"
		for query, want := range map[string]string{
			fmt.Sprintf("?limit=3&after=%d", ids[0]):  "[m2 m3 m4]",
			"?limit=3":                                "[m7 m6 m5]",
			fmt.Sprintf("?limit=3&before=%d", ids[4]): "[m4 m3 m2]",
		} {
			if got := fmt.Sprint(sc.call("GET", path+query, nil).list(sc.t, "content")); got != want {
				sc.t.Errorf("%s: got %s, want %s", query, got, want)
			}
		}
	})

	with("dispatches count from zero", discordsim.Habits{ZeroSeq: true}, func(sc *scene) {
		c := sc.dial("/gateway/?v=10&encoding=json")
		c.expect("op 10")
		c.identify(allIntents)
		ready := c.expect("READY")
		if next := c.expect("GUILD_CREATE"); *ready.S != 0 || *next.S != 1 {
			sc.t.Errorf("s %d, %d", *ready.S, *next.S)
		}
		_ = c.ws.CloseNow()
		again := sc.dial("/resume/?v=10&encoding=json")
		again.expect("op 10")
		again.resume(ready.get("session_id"), 0)
		again.expect("GUILD_CREATE")
		again.expect("RESUMED")
	})

	with("sessions have one name", discordsim.Habits{OneSession: true}, func(sc *scene) {
		_, first := sc.ready(allIntents)
		sc.Expire(sc.bot.ID)
		c, second := sc.ready(allIntents)
		if first != second {
			sc.t.Errorf("sessions %s, %s", first, second)
		}
		_ = c.ws.CloseNow()
		again := sc.dial("/resume/?v=10&encoding=json")
		again.expect("op 10")
		again.resume(second, 2)
		again.expect("RESUMED")
	})

	with("ids do not rise", discordsim.Habits{Jumble: 2 * time.Second}, func(sc *scene) {
		ids := sc.seven()
		if slices.IsSorted(ids) {
			sc.t.Errorf("ids %v rise", ids)
		}
		for i, id := range ids {
			made := time.Now().Add(time.Duration(i-7) * time.Second)
			if off := id.Time().Sub(made).Abs(); off > 2*time.Second {
				sc.t.Errorf("an id is off by %s", off)
			}
		}
		channel := sc.call("GET", "/channels/"+sc.text.String(), nil).object(sc.t)
		if channel["last_message_id"] != ids[6].String() {
			sc.t.Errorf("last_message_id %v, want that of the last message, %d", channel["last_message_id"], ids[6])
		}
	})

	with("new channels are mute", discordsim.Habits{MuteNewChannels: true}, func(sc *scene) {
		c, _ := sc.ready(allIntents)
		later := sc.AddChannel(sc.guild, discordsim.Text, "later")
		sc.post(sc.anna, later, "nobody hears this")
		c.silent()
		sc.post(sc.anna, sc.text, "this is heard")
		c.expect("MESSAGE_CREATE")
		thread := sc.thread("t", discordsim.ThreadOptions{})
		c.expect("MESSAGE_CREATE") // the notice in the channel
		sc.post(sc.anna, thread, "nor this")
		c.silent()
		fresh, _ := sc.ready(allIntents)
		sc.post(sc.anna, later, "a new session does")
		fresh.expect("MESSAGE_CREATE")
		c.silent()
		other := sc.AddGuild("other", sc.anna)
		there := sc.AddChannel(other, discordsim.Text, "there")
		sc.Join(other, sc.bot.ID)
		c.expect("GUILD_CREATE")
		sc.post(sc.anna, there, "its channels are older than our joining")
		c.expect("MESSAGE_CREATE")
	})

	with("a bad token is closed with 4000", discordsim.Habits{VagueRefusal: true}, func(sc *scene) {
		c, _ := sc.ready(allIntents)
		sc.RevokeToken(sc.bot.ID)
		if code := c.closed(); code != 4000 {
			sc.t.Errorf("revoked: %d", code)
		}
		again := sc.dial("/gateway/?v=10&encoding=json")
		again.expect("op 10")
		again.identify(allIntents)
		if code := again.closed(); code != 4000 {
			sc.t.Errorf("identify: %d", code)
		}
		for path, want := range map[string]int{"/gateway/bot": 200, "/users/@me": 401} {
			if r := sc.call("GET", path, nil); r.status != want {
				sc.t.Errorf("%s answers %d", path, r.status)
			}
		}
	})

	with("no header tells of limits", discordsim.Habits{NoLimitHeaders: true}, func(sc *scene) {
		path := "/channels/" + sc.text.String() + "/messages"
		for i := range 6 {
			r := sc.call("GET", path, nil)
			for name := range r.header {
				if strings.HasPrefix(name, "X-Ratelimit-") || name == "Retry-After" {
					sc.t.Errorf("call %d has %s", i, name)
				}
			}
			if limited := r.status == 429; limited != (i == 5) {
				sc.t.Errorf("call %d: %d", i, r.status)
			} else if limited && r.object(sc.t)["retry_after"].(float64) <= 0 {
				sc.t.Errorf("retry_after %s", r.body)
			}
		}
	})
}

// Habits may change while the server runs, by the control door too.
func TestHabitsChange(t *testing.T) {
	play(t, nil, func(sc *scene) {
		ids := sc.seven()
		path := fmt.Sprintf("/channels/%d/messages?limit=2&after=%d", sc.text, ids[0])
		for _, step := range []struct {
			habits body
			want   string
		}{{body{"oldest_first": true}, "[m2 m3]"}, {body{}, "[m3 m2]"}} {
			sc.deed("habits", body{"habits": step.habits})
			if got := fmt.Sprint(sc.call("GET", path, nil).list(t, "content")); got != step.want {
				t.Errorf("%v: got %s, want %s", step.habits, got, step.want)
			}
		}
	})
}
