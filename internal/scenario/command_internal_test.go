package scenario

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
)

// rare is a script of the commands that no incident needs yet.
const rare = `title commands that no incident needs yet
incident none
seed 3
trace full
gateway attempts 2
rest deadline 10s
latency 10ms
discord guild-delay 5ms

user alice bob carol
other-bot helper
set policy.everyone off
set policy.users alice carol helper
set policy.bots mentions
guild home with #general #gone
guild club without bot with #bar
channel #hall voice in home
channel #help forum in home
channel #news announcement in home
role staff in home may manage-threads view
handler answers with 2100 characters on M8
handler discards "not now" on M9
handler panics once on M10
handler retries after 5s once on M11
handler is away once on M12
handler ignores everything once on M13
set turn 20s

start
wait until connected
at 1m
give bob role staff
take bob role staff
expect unknown place #bar
join bot club
alice in #bar: M1 @bot good evening to you
wait until M1 settles
leave bot club
carol in #general: M2 @bot good morning to you
bob in #general: M3 @bot good morning from a stranger
helper in #general: M4 @bot good morning from a machine
wait until M4 is stored
expect refused M3 user
expect within 1s M2
expect late M2 by 0s
expect ground mention M2
forum-post #question in #help by alice: M5 @bot how does one ask?
thread #talk in #general by alice from M2
thread #quiet in #general by alice private archived after 1h
add bot to #quiet
alice in #quiet with notes.txt: M6 @bot between us
wait until M6 settles
remove bot from #quiet
archive #talk
unarchive #talk
lock #talk
unlock #talk
rename #talk to chatter
deny everyone history in #gone
allow bot history in #gone
reset bot in #gone
reset everyone in #gone
delete-channel #gone
expect no gap open in #general
react alice to M2 with 👍
alice in #general: M7 @bot forget this
wait until M7 settles
bulk-delete M7 in #general
alice in #general: M8 @bot a long answer please
alice in #news: M9 @bot nothing for you
alice in #question: M10 @bot this one panics
alice in #hall: M11 @bot this one comes later
carol in @carol: M12 this one finds nobody
wait 30s
expect verdict done M8
expect log lacks "a long answer please"
expect settled M9 discarded
expect verdict discards M9
expect dispatched M10 2 times
expect dispatched M11 2 times
expect attempts M12 1
expect replies in @carol = 1
expect together M8
bot-posts in #general: B1 I am another program
ledger stalls claim for 2s
carol in @carol: M13 this one never comes back
wait 45s
expect dispatched M13 2 times
content off
content on
guild-outage home
guild-back home
server asks for a heartbeat
network freezes
network thaws
handler retries after 10m on M14
alice in #general: M14 @bot this one waits for ever
wait 1s
expect waiting M14
unfinished M14
alice in #general silently: M15 @bot this one nobody hears of
lost M15
drop connection
wait 5s
wait 45s
expect heartbeat seq 54
stop begins
wait until stopped
save ledger before
start
wait until connected
stop
restore ledger before
start
wait until connected
settle 5m
revoke token
wait 10s
expect ended "refused"
new token
start
wait until connected
delete-guild home
wait 5s
stop
damage ledger
start fails "is damage"
lose ledger
start
wait until connected
finally wait 1m
`

// TestRareCommands plays the commands that the incidents do not.
func TestRareCommands(t *testing.T) {
	s, err := Parse("rare.txt", rare)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		r := s.Play(dir)
		if err := r.Err(); err != nil {
			t.Errorf("%v\nthe trace:\n%s", err, r.Trace)
		}
	})
}

// TestEveryCommandIsPlayed makes sure that no command is only promised.
func TestEveryCommandIsPlayed(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	all.WriteString(rare)
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		above, _, _ := strings.Cut(string(text), "\n"+divider+"\n")
		all.WriteString(above + "\n")
	}
	for _, c := range vocabulary() {
		played := false
		for line := range strings.Lines(all.String()) {
			played = played || strings.HasPrefix(strings.TrimSpace(line), c.words)
		}
		if !played {
			t.Errorf("no script plays %q", c.usage)
		}
	}
}
