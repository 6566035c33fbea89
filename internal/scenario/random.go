package scenario

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// Random writes an incident nobody has thought of: everybody writes, and everything breaks, as the seed has it. It
// expects nothing; the oracle judges it. What it finds can be kept as a script like any other.
func Random(seed uint64) string {
	a := &author{dice: rand.New(rand.NewPCG(seed, 77))} //nolint:gosec // repeatable on purpose
	a.say("title a random incident")
	a.say("seed %d", seed)
	a.say("trace brief")
	a.setting()
	a.meet()
	for range 12 + a.dice.IntN(25) {
		a.event()
	}
	a.say("settle 6h")
	return strings.Join(a.lines, "\n") + "\n"
}

// author is somebody who makes incidents up, and knows how things stand in them.
type author struct {
	dice     *rand.Rand
	lines    []string
	places   []string
	free     []string // messages that no turn has yet, for all the author knows
	messages int
	named    int  // faults, channels and threads
	audited  bool // what is lost without a sign is found
}

func (a *author) say(format string, args ...any) {
	a.lines = append(a.lines, fmt.Sprintf(format, args...))
}

// one picks one of several.
func one[T any](a *author, choices ...T) T { return choices[a.dice.IntN(len(choices))] }

// odds is true n times out of a hundred.
func (a *author) odds(n int) bool { return a.dice.IntN(100) < n }

func (a *author) setting() {
	a.say("guild home with #general #ops #noise")
	a.say("guild away with #lounge")
	a.say("user alice bob carol")
	a.places = []string{"#general", "#ops", "#noise", "#lounge", "@alice", "@bob"}
	a.say("set budget.examined %d", one(a, 20, 100, 500))
	a.say("set budget.calls %d", one(a, 5, 20, 100))
	a.say("set budget.turns %d", one(a, 5, 30, 1000))
	a.say("set replies %s", one(a, "first", "all", "off"))
	a.say("set turns %d", one(a, 1, 3, 16))
	a.say("set readers %d", one(a, 1, 4))
	if a.odds(30) {
		a.say("set policy.free #ops")
	}
	if a.audited = a.odds(50); a.audited {
		a.say("set no-audit off")
	}
	a.say("discord session-ttl %s", one(a, "5s", "90s", "10m"))
	a.say("slack calls 40")
	a.say("slack identifies 20")
	a.say("slack invalid 60")
}

// meet lets the bot see every place once, so that nothing later is a first contact.
func (a *author) meet() {
	a.say("start")
	a.say("wait until connected")
	a.say("wait 1m")
	for _, p := range a.places {
		a.write(p, 1)
	}
	a.say("wait 1m")
}

// event is one thing that happens.
func (a *author) event() {
	switch {
	case a.odds(45):
		a.write(one(a, a.places...), one(a, 1, 1, 1, 2, 3, 7, 30, 130))
	case a.odds(20):
		a.wait()
	case a.odds(25):
		a.connection()
	case a.odds(30):
		a.process()
	case a.odds(30):
		a.handler()
	case a.odds(50):
		a.fault()
	case a.odds(30):
		a.change()
	case a.odds(50):
		a.birth()
	default:
		a.say("ledger refuses %s %d times", one(a, "append", "claim", "sent"), 1+a.dice.IntN(3))
	}
}

func (a *author) wait() {
	a.say("wait %s", one(a, 10*time.Millisecond, 300*time.Millisecond, 2*time.Second, 20*time.Second, time.Minute, 4*time.Minute, 20*time.Minute))
}

// write is one message or a series.
func (a *author) write(place string, n int) {
	user := one(a, "alice", "bob", "carol")
	if who, direct := strings.CutPrefix(place, "@"); direct {
		user = who
	}
	name := fmt.Sprintf("M%d", a.messages+1)
	if n > 1 {
		name = fmt.Sprintf("M%d..M%d", a.messages+1, a.messages+n)
	}
	for i := range n {
		a.free = append(a.free, fmt.Sprintf("M%d", a.messages+i+1))
	}
	a.messages += n
	mention := "@bot "
	if a.odds(25) {
		mention = ""
	}
	a.say("%s in %s every %s: %s %sa word about number %d", user, place, one(a, "1ms", "200ms", "3s"), name, mention, a.messages)
}

// connection is something that happens to the connection.
func (a *author) connection() {
	if a.odds(50) {
		a.say("%s", one(a, "drop connection", "expire sessions", "server asks to reconnect", "server invalidates",
			"server invalidates resumable", "server closes 4000", "server closes 1001", "server closes 4009", "server closes 0"))
		return
	}
	begin, end := "network down", "network up"
	switch a.dice.IntN(3) {
	case 0:
		begin, end = "outage", "outage over"
	case 1:
		begin, end = "network freezes", "network thaws"
	}
	a.say("%s", begin)
	a.meanwhile()
	a.say("%s", end)
}

// meanwhile is what goes on while nobody hears it.
func (a *author) meanwhile() {
	for range 1 + a.dice.IntN(4) {
		switch {
		case a.odds(65):
			a.write(one(a, a.places...), one(a, 1, 1, 2, 5, 110))
		case a.odds(20):
			a.birth()
		case a.odds(20):
			a.change()
		default:
			a.wait()
		}
	}
}

// process is an end and a beginning of the process.
func (a *author) process() {
	a.say("%s", one(a, "stop", "kill", "kill"))
	a.meanwhile()
	a.say("start")
	if a.odds(50) {
		a.say("wait until connected")
	}
}

func (a *author) handler() {
	where := one(a, "", "", " in "+one(a, a.places...), " by "+one(a, "alice", "bob", "carol"))
	a.say("handler %s%s", one(a, "fails once", "fails 2 times", "takes 3s 5 times", "takes 2m once", "is silent 3 times", "panics once",
		`discards "not for us" once`, "retries after 10s 2 times", "is away for 30s", "answers in 3 parts 4 times", "answers with 4100 characters once"), where)
}

// fault is something wrong with Discord, for a while.
func (a *author) fault() {
	a.named++
	name := fmt.Sprintf("f%d", a.named)
	kind := one(a,
		"rest.fail status=503 route=messages", "rest.fail status=500 route=messages html=on", "rest.fail-after status=502 method=POST route=messages",
		"rest.reset-after method=POST route=messages", "rest.limited route=messages delay=2s", "rest.limited scope=global delay=1s",
		"rest.slow route=messages delay=4s", "rest.cut-body route=messages", "rest.stuck-page route=messages", "rest.empty-page route=messages",
		"rest.short-page route=messages", "rest.unsorted route=messages", "rest.fail status=403 code=50001 route=messages method=GET channel=#ops",
		"gateway.duplicate event=MESSAGE_CREATE", "gateway.repeat event=MESSAGE_CREATE", "gateway.drop event=MESSAGE_CREATE",
		"gateway.undecodable event=MESSAGE_CREATE", "gateway.late event=MESSAGE_CREATE delay=800ms", "replay.twice", "replay.reverse",
		"replay.cut", "gateway.no-hello", "gateway.no-ready", "gateway.cut-resume", "gateway.no-ack", "gateway.refuse")
	if a.audited && a.odds(30) {
		kind = one(a, "gateway.swallow event=MESSAGE_CREATE", "gateway.deaf", "replay.omit event=MESSAGE_CREATE")
	}
	a.say("fault %s %s count=%d for=%s", name, kind, 1+a.dice.IntN(4), one(a, "5s", "1m", "10m"))
}

// change edits or deletes something.
func (a *author) change() {
	if len(a.free) == 0 {
		return
	}
	i := a.dice.IntN(len(a.free))
	name := a.free[i]
	a.free = slices.Delete(a.free, i, i+1)
	if a.odds(50) {
		a.say("delete %s", name)
		return
	}
	a.say("edit %s: @bot another word about it", name)
}

// birth is a new channel or thread.
func (a *author) birth() {
	a.named++
	name := fmt.Sprintf("#new%d", a.named)
	if a.odds(50) {
		a.say("channel %s in home", name)
	} else {
		a.say("thread %s in %s by %s", name, one(a, "#general", "#lounge"), one(a, "alice", "bob"))
	}
	a.places = append(a.places, name)
	a.write(name, 1)
}
