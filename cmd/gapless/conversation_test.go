//go:build unix

package main

import (
	"net/url"
	"strings"
	"testing"
)

// A mention is answered in its thread, and the handler knows what was said
// before; in the end there is a tick (S46, S47, S49).
func TestConversation(t *testing.T) {
	w, data := newWorld(t), t.TempDir()
	w.say(t, "the build is red")
	config := configFile(t, "conversation: {reactions: true, auto_thread: true, context: 10, prompts: {"+w.Channel.String()+": be brief}}\n")
	p := w.run(t, data, `in=$(cat); for word in 'build is red' 'be brief' answer_in; do case "$in" in *"$word"*) echo "$word";; esac; done`,
		"--allow-everyone", "--config", config)
	w.connected(t)
	id := w.say(t, "<@"+w.Bot.String()+"> why is it red?")
	thread := id // a thread has the id of its message
	eventually(t, "the answer in the thread", func() bool {
		for _, m := range w.sim.Messages() {
			if m.Channel == thread && m.Author == w.Bot && m.Content == "build is red\nbe brief\nanswer_in" {
				return true
			}
		}
		return false
	})
	eventually(t, "a tick", func() bool {
		for _, r := range w.sim.Requests() {
			if strings.Contains(r.Path, "/reactions/"+url.PathEscape("✅")+"/") && r.Method == "PUT" && r.Status == 204 {
				return true
			}
		}
		return false
	})
	stopped(t, p)
}
