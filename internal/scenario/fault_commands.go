package scenario

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"gapless/discordsim"
)

func faultCommands() []command {
	return slices.Concat([]command{
		{"fault", "fault NAME KIND [KEY=VALUE...]", "Plants a fault in the simulated Discord. KIND is one of " + listed(kindNames()) + ". Keys: " +
			listed(faultKeys()) + "; `channel`, `thread`, `guild`, `message` and `bot` take names of the script, durations are written like 5s, " +
			"truth like on, `route` may be one of " + listed(words(shortRoutes)) + ".", readFault},
		{"lift", "lift NAME", "Takes a fault away again; what hangs on it goes on.", func(ph *phrase) func(*player) error {
			name := ph.known(aFault)
			return func(p *player) error {
				p.note(theScript, "lifts %s", name)
				p.sim.Lift(p.faults[name])
				return nil
			}
		}},
	}, connectionCommands(), networkCommands())
}

// limiting are the kinds of faults that answer 429, or bring others to do so.
var limiting = []discordsim.Kind{discordsim.Limited, discordsim.LyingHeaders, discordsim.Banned}

func kindNames() []string {
	var names []string
	for _, k := range discordsim.Kinds() {
		names = append(names, string(k))
	}
	return names
}

// faultField is a field of discordsim.Fault, or of the Match in it, by its JSON name.
func faultField(key string) (setting, bool) {
	for _, part := range []struct {
		t    reflect.Type
		path []int
	}{{reflect.TypeFor[discordsim.Fault](), nil}, {reflect.TypeFor[discordsim.Match](), matchPath()}} {
		for i := range part.t.NumField() {
			f := part.t.Field(i)
			if f.Tag.Get("json") == key && settable(f.Type) && key != "kind" {
				return setting{key: key, path: append(slices.Clone(part.path), i), kind: f.Type}, true
			}
		}
	}
	return setting{}, false
}

func matchPath() []int {
	f, _ := reflect.TypeFor[discordsim.Fault]().FieldByName("Match")
	return f.Index
}

func faultKeys() []string {
	var keys []string
	for _, t := range []reflect.Type{reflect.TypeFor[discordsim.Fault](), reflect.TypeFor[discordsim.Match]()} {
		for field := range t.Fields() {
			if _, ok := faultField(field.Tag.Get("json")); ok {
				keys = append(keys, field.Tag.Get("json"))
			}
		}
	}
	return keys
}

// faultValue is one KEY=VALUE.
type faultValue struct {
	setting
	word string
}

func readFault(ph *phrase) func(*player) error {
	name := ph.declare(aFault, ph.word("a name for the fault"))
	kind := ph.oneOf("a kind of fault", kindNames()...)
	said := strings.TrimSpace(ph.line[ph.at:])
	var values []faultValue
	for !ph.done() {
		key, word, ok := strings.Cut(ph.word("KEY=VALUE"), "=")
		s, known := faultField(key)
		if !ok || !known {
			ph.fail("expected KEY=VALUE with one of the keys %s, found %q", strings.Join(faultKeys(), ", "), key)
		}
		if full, short := shortRoutes[word]; short && key == "route" {
			word = full
		}
		if _, err := valueOf(nil, s.kind, word); err != nil {
			ph.fail("expected %s=%s, found %q", key, s.says(), word)
		}
		values = append(values, faultValue{s, word})
	}
	return func(p *player) error {
		f := discordsim.Fault{Kind: discordsim.Kind(kind)}
		for _, fv := range values {
			v, err := valueOf(p, fv.kind, fv.word)
			if err != nil {
				return err
			}
			fv.assign(&f, v)
		}
		id, err := p.sim.Inject(f)
		p.faults[name] = id
		p.limited = p.limited || slices.Contains(limiting, f.Kind) || f.Status == http.StatusTooManyRequests
		p.note(theScript, "fault %s: %s %s", name, kind, said)
		return err
	}
}

func connectionCommands() []command {
	return []command{
		{"drop connection", "drop connection", "Resets the gateway connection; the session stays.", deed("drops the connection", func(p *player) {
			p.sim.DropConnections(p.bot.ID)
		})},
		{"expire sessions", "expire sessions", "Ends the bot's sessions, so that no resume succeeds, and resets open connections.", deed("expires the sessions", func(p *player) {
			p.forced++
			p.sim.Expire(p.bot.ID)
		})},
		{"server closes", "server closes CODE", "Closes the gateway connection with a code; 0 sends none. The session stays.",
			func(ph *phrase) func(*player) error {
				code := ph.number("a close code, 0 for none")
				return deed(fmt.Sprintf("discord closes with %d", code), func(p *player) {
					p.forced++
					p.sim.CloseConnections(p.bot.ID, code)
				})(ph)
			}},
		{"server asks to reconnect", "server asks to reconnect", "Sends op 7.", deed("discord asks to reconnect", func(p *player) {
			p.sim.AskReconnect(p.bot.ID)
		})},
		{"server invalidates", "server invalidates [resumable]", "Sends op 9; unless resumable, the session ends.", func(ph *phrase) func(*player) error {
			resumable := ph.accept("resumable")
			return deed(fmt.Sprintf("discord invalidates the session (resumable %t)", resumable), func(p *player) {
				if !resumable {
					p.forced++
				}
				p.sim.InvalidateSessions(p.bot.ID, resumable)
			})(ph)
		}},
		{"server asks for a heartbeat", "server asks for a heartbeat", "Sends op 1.", deed("discord asks for a heartbeat", func(p *player) {
			p.sim.AskHeartbeat(p.bot.ID)
		})},
		{"server sends", `server sends "FRAME"`, "Sends a text frame as it is.", func(ph *phrase) func(*player) error {
			frame := ph.word("a frame in quotes")
			return deed("discord sends a frame of its own making", func(p *player) { p.sim.SendRaw(p.bot.ID, []byte(frame)) })(ph)
		}},
		{"redeliver", "redeliver MESSAGE", "Sends MESSAGE_CREATE of an old message again, with the sequence number last used.", readRedeliver},
		{"revoke token", "revoke token", "The bot's token becomes invalid.", deed("the token is revoked", func(p *player) {
			p.renewed = p.sim.RevokeToken(p.bot.ID)
		})},
		{"new token", "new token", "The next `start` has the token that came with `revoke token`.", deed("the operator sets the new token", func(p *player) {
			p.bot.Token = p.renewed
			p.forced++
		})},
	}
}

func readRedeliver(ph *phrase) func(*player) error {
	name := ph.message()
	return func(p *player) error {
		m, _ := p.sim.Message(p.world.of(aMessage, name))
		author := map[string]any{"id": m.Author, "username": p.world.name(m.Author, aUser), "bot": m.AuthorIsBot}
		mentions := []any{}
		for _, id := range m.Mentions {
			mentions = append(mentions, map[string]any{"id": id, "username": p.world.name(id, aUser)})
		}
		d := map[string]any{"id": m.ID, "channel_id": m.Channel, "author": author, "content": m.Content, "type": m.Type,
			"timestamp": m.Created.Format("2006-01-02T15:04:05.000000-07:00"), "edited_timestamp": nil, "mentions": mentions,
			"mention_roles": []any{}, "attachments": []any{}, "embeds": []any{}, "flags": m.Flags, "channel_type": 1}
		if m.Guild != 0 {
			d["guild_id"], d["channel_type"] = m.Guild, 0
		}
		seq := int64(0)
		for _, s := range p.sim.Sessions() {
			if s.Connected {
				seq = s.Seq
			}
		}
		p.sim.SendRaw(p.bot.ID, encoded(map[string]any{"op": 0, "t": "MESSAGE_CREATE", "s": seq, "d": d}))
		p.note(theScript, "discord sends %s again", name)
		return nil
	}
}

func networkCommands() []command {
	return []command{
		{"outage over", "outage over", "Discord is back.", deed("discord is back", func(p *player) { p.sim.Unpause() })},
		{"outage", "outage", "All of Discord goes away: connections are reset, new ones too, until `outage over`.", deed("discord goes away", func(p *player) { p.sim.Pause() })},
		{"network down", "network down", "The host loses its network: connections break, none can be made.", overNetwork("loses its network", func(d *discordsim.Dialer) { d.Down(true) })},
		{"network up", "network up", "It is back.", overNetwork("has its network back", func(d *discordsim.Dialer) { d.Down(false) })},
		{"network freezes", "network freezes", "Nothing gets through any more in either direction, and no error says so.", overNetwork("hears and says nothing any more", func(d *discordsim.Dialer) { d.Freeze(true) })},
		{"network thaws", "network thaws", "It gets through again.", overNetwork("hears again", func(d *discordsim.Dialer) { d.Freeze(false) })},
	}
}

// deed reads a command without arguments of its own.
func deed(says string, do func(*player)) func(*phrase) func(*player) error {
	return func(*phrase) func(*player) error {
		return func(p *player) error {
			p.note(theScript, "%s", says)
			do(p)
			return nil
		}
	}
}

func overNetwork(says string, do func(*discordsim.Dialer)) func(*phrase) func(*player) error {
	return func(ph *phrase) func(*player) error {
		name := ph.process()
		return func(p *player) error {
			proc, err := p.process(name)
			if err != nil {
				return err
			}
			p.note(theScript, "%s %s", name, says)
			do(proc.dialer)
			return nil
		}
	}
}
