package scenario

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"gapless"
	"gapless/discordsim"
)

// nameOf is what the script calls a message.
func (p *player) nameOf(id gapless.MessageID) string {
	if name := p.world.name(discordsim.ID(id), aMessage); name != "" {
		return name
	}
	if m, ok := p.sim.Message(discordsim.ID(id)); ok {
		switch {
		case m.Author == p.bot.ID && m.ReplyTo != 0:
			return "answer-to-" + p.nameOf(gapless.MessageID(m.ReplyTo))
		case m.Author == p.bot.ID:
			return "an-answer"
		}
		return fmt.Sprintf("notice-%d", m.Type)
	}
	return "at-" + p.instant(id.Time())
}

// position is a place in a history: a message, or an instant where there is none of that id.
func (p *player) position(id gapless.MessageID) string {
	if id == 0 {
		return "the beginning"
	}
	if name := p.world.name(discordsim.ID(id), aMessage); name != "" {
		return name
	}
	const overlap = gapless.MessageID(gapless.Overlap / time.Millisecond << 22)
	if name := p.world.name(discordsim.ID(id+overlap), aPlace); name != "" {
		return "the birth of " + name
	}
	if _, ok := p.sim.Message(discordsim.ID(id)); ok {
		return p.nameOf(id)
	}
	return p.instant(id.Time())
}

func (p *player) instant(t time.Time) string { return stamp(t.Sub(p.journal.start)) }

func (p *player) placeOf(id gapless.ChannelID) string {
	if name := p.world.name(discordsim.ID(id), aPlace); name != "" {
		return name
	}
	return "an unnamed place"
}

func (p *player) userOf(id gapless.UserID) string { return p.world.name(discordsim.ID(id), aUser) }

func (p *player) namesOf(items []gapless.Item) []string {
	names := make([]string, len(items))
	for i, it := range items {
		names[i] = p.nameOf(it.Message.ID)
	}
	return names
}

// messageID is the id of a name of the script.
func (p *player) messageID(name string) gapless.MessageID {
	return gapless.MessageID(p.world.of(aMessage, name))
}

// turnsOf are the starts of the handler for a message, oldest first.
func (p *player) turnsOf(name string) []turnSeen {
	id := p.messageID(name)
	var out []turnSeen
	p.journal.read(func() {
		for _, t := range p.journal.turns {
			if slices.Contains(t.messages, id) {
				out = append(out, *t)
			}
		}
	})
	return out
}

// standing is where a message stands in the ledger.
type standing struct {
	state  string // unknown, undecided, refused, deleted, pending, leased, waiting, answering, settled, dead
	reason string
}

func (s standing) String() string {
	if s.reason == "" {
		return s.state
	}
	return s.state + " (" + s.reason + ")"
}

func (p *player) stateOf(name string) standing { return p.standing(p.messageID(name)) }

func (p *player) standing(id gapless.MessageID) standing {
	var s standing
	var lane gapless.LaneID
	p.journal.read(func() {
		f := p.journal.fates[id]
		switch {
		case f == nil:
			s.state = "unknown"
		case f.delivery != "":
			d := p.journal.claims[f.delivery]
			s, lane = standing{string(d.State), string(d.Reason)}, d.Lane
		case f.deleted != 0:
			s.state = "deleted"
		case f.admitted != 0:
			s.state, lane = "pending", gapless.LaneOf(f.place)
		case f.ended:
			s.state = string(gapless.Settled)
		case f.refused == "" && f.open != 0:
			s.state = "undecided"
		default:
			s = standing{"refused", string(f.refused)}
		}
	})
	if s.state == string(gapless.Waiting) && !p.laneHas(lane) {
		return standing{string(gapless.Settled), string(gapless.Answered)} // by evidence, inside a claim
	}
	return s
}

// laneHas reports whether the ledger knows anything unsettled of a lane.
func (p *player) laneHas(lane gapless.LaneID) bool {
	st, err := p.status()
	return err != nil || slices.ContainsFunc(st.Lanes, func(l gapless.LaneStatus) bool { return l.ID == lane })
}

// answersTo are the messages of the bot's account that answer a message, by their text or their reference.
func (p *player) answersTo(name string) []discordsim.Message {
	id := p.world.of(aMessage, name)
	asked := map[string]bool{}
	p.journal.read(func() {
		for _, r := range p.journal.replies {
			asked[r.Nonce] = asked[r.Nonce] || !answering(r)
		}
	})
	var out []discordsim.Message
	for _, m := range p.sim.Messages() {
		if m.Author == p.bot.ID && m.Deleted.IsZero() && !asked[m.Nonce] && (m.ReplyTo == id || names(m.Content, name)) {
			out = append(out, m)
		}
	}
	return out
}

// names reports whether the text of an answer says that it answers this message.
func names(text, name string) bool {
	_, rest, ok := strings.Cut(text, " to ")
	if !ok {
		return false
	}
	for word := range strings.FieldsSeq(rest) {
		word = strings.TrimSuffix(word, ",")
		series, isSeries := expand(word)
		if word == name || isSeries && slices.Contains(series, name) {
			return true
		}
	}
	return false
}

// connected reports whether a session of the bot is up, with several shards one of each.
func (p *player) connected() bool {
	return p.whole() && slices.ContainsFunc(p.sim.Connections(), func(c discordsim.Connection) bool {
		if !c.Closed.IsZero() {
			return false
		}
		return slices.ContainsFunc(c.Identifies, func(i discordsim.Identify) bool { return i.Result == "READY" }) ||
			slices.ContainsFunc(c.Resumes, func(r discordsim.Resume) bool { return r.Result == "RESUMED" })
	})
}

// passSince reports whether a pass has begun, or ended, since an instant.
func (p *player) passSince(begun time.Time, ended bool) (found bool) {
	p.journal.read(func() {
		found = slices.ContainsFunc(p.journal.passes, func(pass gapless.Pass) bool {
			if ended {
				return pass.State != gapless.PassRunning && !pass.EndedAt.Before(begun)
			}
			return !pass.StartedAt.Before(begun)
		})
	})
	return found
}

// requests is a kind of REST call: a method, a part of a route and a place; empty fields fit everything.
type requests struct {
	method, route, place string
}

// calls counts the requests that began since an instant.
func (p *player) calls(match requests, since time.Time) int {
	place := discordsim.ID(0)
	if match.place != "" {
		place = p.place(match.place)
	}
	n := 0
	p.journal.read(func() {
		for _, c := range p.journal.calls {
			if !c.at.Before(since) && (match.method == "" || c.method == match.method) && (place == 0 || c.place == place) &&
				fitsRoute(c.route, match.route) {
				n++
			}
		}
	})
	return n
}

// shortRoutes are words for the routes that scripts speak of.
var shortRoutes = map[string]string{
	"messages": "/channels/{channel}/messages", "message": "/channels/{channel}/messages/{message}",
	"channel": "/channels/{channel}", "channels": "/guilds/{guild}/channels", "threads": "/guilds/{guild}/threads/active",
	"gateway": "/gateway/bot", "member": "/guilds/{guild}/members/{user}", "guild": "/guilds/{guild}", "dms": "/users/@me/channels",
	"archived": "/channels/{channel}/threads/archived/public", "private": "/channels/{channel}/threads/archived/private",
	"joined": "/channels/{channel}/users/@me/threads/archived/private", "me": "/users/@me",
}

func fitsRoute(route, want string) bool {
	if full, ok := shortRoutes[want]; ok {
		want = full
	}
	return want == "" || route == want
}

// queryID is an id in a query, zero if it is not there.
func queryID(query, key string) gapless.MessageID {
	v, err := url.ParseQuery(query)
	if err != nil || v.Get(key) == "" {
		return 0
	}
	id, err := gapless.ParseID[gapless.MessageID](v.Get(key))
	if err != nil {
		return 0
	}
	return id
}

// status is what the ledger says of itself: now, or when the last process ended.
func (p *player) status() (gapless.LedgerStatus, error) {
	for _, proc := range p.running() {
		return proc.store.Status(context.Background())
	}
	if p.last == nil {
		return gapless.LedgerStatus{}, errNotRunning
	}
	return *p.last, nil
}

// askEvery is how often the ledger is asked what is owed while the journal says that something is.
const askEvery = 30 * time.Second

// owed is what is not finished: empty when a run may end. The journal knows most of it without asking the ledger.
func (p *player) owed() []string {
	if left := p.unfinished(); left != "" && time.Since(p.asked) < askEvery {
		return []string{left}
	}
	p.asked = time.Now()
	st, err := p.status()
	if err != nil {
		return []string{err.Error()}
	}
	var out []string
	for _, g := range st.Gaps {
		out = append(out, fmt.Sprintf("gap in %s up to %s (%s)", p.placeOf(g.Place), p.position(g.Upto), g.Obstacle))
	}
	for _, l := range st.Lanes {
		out = append(out, fmt.Sprintf("lane of %s from %s, %d waiting %s", p.placeOf(laneOwner(l.ID)), p.position(l.Oldest), l.Pending, l.State))
	}
	for _, s := range []gapless.ReplyState{gapless.ReplyIntended, gapless.ReplyUnknown} {
		if n := st.Replies[s]; n > 0 {
			out = append(out, fmt.Sprintf("%d replies %s", n, s))
		}
	}
	if st.Letters > 0 {
		out = append(out, fmt.Sprintf("%d notices", st.Letters))
	}
	return out
}

// unfinished is one thing that the journal says is not finished, if there is any.
func (p *player) unfinished() (left string) {
	p.journal.read(func() {
		for _, d := range p.journal.claims {
			if !d.Final() {
				left = "delivery " + string(d.ID)
			}
		}
		for _, g := range p.journal.gaps {
			if g.Open() {
				left = "gap " + string(g.ID)
			}
		}
		for _, f := range p.journal.fates {
			if (f.admitted != 0 && f.delivery == "" || f.open != 0 && f.admitted == 0 && f.refused == "") && f.deleted == 0 {
				left = "message " + f.id.String()
			}
		}
	})
	return left
}

func laneOwner(id gapless.LaneID) gapless.ChannelID {
	place, _ := gapless.ParseID[gapless.ChannelID](string(id)) // a lane of a narrower key has no place of that name
	return place
}
