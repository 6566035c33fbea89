package discordsim_test

import (
	"fmt"
	"reflect"
	"testing"

	"gapless/discordsim"
)

func TestAround(t *testing.T) {
	play(t, nil, func(sc *scene) {
		category := sc.AddChannel(sc.guild, discordsim.Category, "work")
		sc.MoveChannel(sc.text, category)
		staff := sc.AddRole(sc.guild, "staff", 0)
		sc.GiveRole(sc.guild, sc.anna, staff, true)
		question := sc.post(sc.anna, sc.text, fmt.Sprintf("<@%d> look", sc.bot.ID), discordsim.PostOptions{Attachments: []string{"a.png"}})
		want := discordsim.Circumstances{
			Kind: discordsim.Text, Name: "general", Category: category, CategoryName: "work", AuthorName: "anna",
			Member: true, Roles: []discordsim.ID{staff}, MentionBots: []discordsim.ID{sc.bot.ID}, Extras: 1,
		}
		if got, ok := sc.Around(question); !ok || !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v\nwant %+v", got, want)
		}

		thread, err := sc.StartThread(sc.anna, sc.text, "help", discordsim.ThreadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		forward := sc.post(sc.anna, thread, "", discordsim.PostOptions{Forward: question})
		got, _ := sc.Around(forward)
		if got.Name != "help" || got.ParentName != "general" || got.Category != category || got.Extras != 1 || got.Forwarded == "" {
			t.Errorf("a forward in a thread: %+v", got)
		}

		reply := sc.post(sc.anna, sc.text, "well?", discordsim.PostOptions{Reply: question})
		if got, _ := sc.Around(reply); got.Lost {
			t.Error("what it answers is there")
		}
		if err := sc.Delete(question); err != nil {
			t.Fatal(err)
		}
		sc.Leave(sc.guild, sc.anna)
		if got, _ := sc.Around(reply); !got.Lost || got.Member || len(got.Roles) != 0 {
			t.Errorf("what it answers is gone, and its author: %+v", got)
		}
		if _, ok := sc.Around(1); ok {
			t.Error("a message that never was has circumstances")
		}
	})
}

func TestMembersAreSearched(t *testing.T) {
	play(t, nil, func(sc *scene) {
		sc.AddUser("annabel", "Bel")
		sc.Join(sc.guild, sc.AddUser("Annette", "Netty"))
		path := "/guilds/" + sc.guild.String() + "/members/search"
		for query, want := range map[string]int{"query=AN&limit=10": 2, "query=an": 1, "query=annette&limit=5": 1, "query=bel&limit=5": 0} {
			if got := sc.call("GET", path+"?"+query, nil).list(t, "user"); len(got) != want {
				t.Errorf("%s: %v", query, got)
			}
		}
		if got := sc.call("GET", path, nil).code(t); got != "400 50035" {
			t.Errorf("a search for nothing: %s", got)
		}
	})
}
