package scenario

import (
	"fmt"
	"strings"
	"time"

	"gapless/discordsim"
)

// postUsage is the form of the sentence with which somebody writes; it begins with a name, not with a fixed word.
const postUsage = "USER in #PLACE [OPTION...]: MESSAGE TEXT"

const postSays = "Somebody writes. MESSAGE is the name of what is written, or a series: `M1..M50` is fifty messages. " +
	"`@name` in TEXT mentions a user or a role; TEXT goes to the end of the line and may be `\"\"`. USER may be another bot; the place `@alice` is " +
	"alice's DM with the bot. Options: `replying to MESSAGE`, `without referenced` (the referenced message is left out), `without ping` (a reply does not mention whom it answers), `forwarding MESSAGE`, " +
	"`every DURATION` (between the messages of a series; 1ms if not given), `aged DURATION` (history: written that long ago, and nobody is told), " +
	"`silently` (history has it, the gateway never says so), `as webhook`, `type NUMBER`, `flags NUMBER`, `with FILE`, " +
	"`field KEY JSON` (joins or replaces a field of the message object)."

// post is what a sentence of that form says.
type post struct {
	user, place         string
	names               []string
	text                string
	reply, forward      string
	every, aged         time.Duration
	options             discordsim.PostOptions
	fieldKeys, fieldRaw []string
}

func readPost(ph *phrase) func(*player) error {
	w := post{user: ph.user(), every: time.Millisecond}
	ph.need("in")
	w.place = ph.place()
	for !ph.accept(":") {
		w.option(ph)
	}
	w.names, w.text = ph.newMessages(), ph.text()
	return w.play
}

func (w *post) option(ph *phrase) {
	switch word := ph.word("`:` or an option"); word {
	case "replying":
		ph.need("to")
		w.reply = ph.message()
	case "without":
		if ph.accept("ping") {
			w.options.NoPing = true
			break
		}
		ph.need("referenced")
		w.options.NoReferenced = true
	case "forwarding":
		w.forward = ph.message()
	case "every":
		w.every = ph.duration("a pause")
	case "aged":
		w.aged = ph.duration("an age")
	case "silently":
		w.options.Silent = true
	case "as":
		ph.need("webhook")
		w.options.Webhook = true
	case "type":
		w.options.Type = ph.number("a message type")
	case "flags":
		w.options.Flags = ph.number("message flags")
	case "with":
		w.options.Attachments = append(w.options.Attachments, ph.word("a file name"))
	case "field":
		w.fieldKeys = append(w.fieldKeys, ph.word("a field of the message object"))
		w.fieldRaw = append(w.fieldRaw, ph.word("its value in JSON, quoted"))
		ph.json(w.fieldRaw[len(w.fieldRaw)-1])
	default:
		ph.fail("expected `:` or an option of a message (docs/scenarios.md lists them), found %q", word)
	}
}

func (w *post) play(p *player) error {
	for i, name := range w.names {
		if i > 0 && w.aged == 0 {
			p.sleep(w.every)
		}
		if err := w.write(p, name, i); err != nil {
			return err
		}
	}
	return nil
}

func (w *post) write(p *player, name string, nth int) error {
	o := w.options
	if w.reply != "" {
		o.Reply = p.world.of(aMessage, w.reply)
	}
	if w.forward != "" {
		o.Forward = p.world.of(aMessage, w.forward)
	}
	if w.aged > 0 {
		o.At, o.Silent = time.Now().Add(time.Duration(nth)*w.every-w.aged), true
	}
	for i, key := range w.fieldKeys {
		if o.Extra == nil {
			o.Extra = map[string]any{}
		}
		o.Extra[key] = decoded(w.fieldRaw[i])
	}
	user, place, text := p.world.of(aUser, w.user), p.place(w.place), p.world.text(w.text)
	err := p.world.making(func() error {
		id, err := p.sim.Post(user, place, text, o)
		if err != nil {
			return err
		}
		p.world.add(aMessage, name, id)
		p.posted(name, w.place)
		return nil
	})
	if err != nil {
		return err
	}
	p.journal.enter(func() { p.journal.tellOf(w.user, "writes", []string{name}, "in "+w.place+w.remarks()) })
	return nil
}

// remarks is what is out of the ordinary about the message, for the trace.
func (w *post) remarks() string {
	var r []string
	if w.aged > 0 {
		r = append(r, fmt.Sprintf("%s ago", w.aged))
	}
	if w.options.Silent {
		r = append(r, "unannounced")
	}
	if w.reply != "" {
		r = append(r, "replying to "+w.reply)
	}
	if w.forward != "" {
		r = append(r, "forwarding "+w.forward)
	}
	if w.options.Type != 0 {
		r = append(r, fmt.Sprintf("type %d", w.options.Type))
	}
	if len(r) == 0 {
		return ""
	}
	return " (" + strings.Join(r, ", ") + ")"
}

func messageCommands() []command {
	return append([]command{{"", postUsage, postSays, nil}}, noted(changeCommands())...)
}

func changeCommands() []command {
	return []command{
		{"edit", "edit MESSAGE: TEXT", "The author changes a message.", func(ph *phrase) func(*player) error {
			name := ph.message()
			ph.need(":")
			text := ph.text()
			return func(p *player) error {
				p.edited(name)
				return p.sim.Edit(p.world.of(aMessage, name), p.world.text(text))
			}
		}},
		{"delete", "delete MESSAGE...", "Deletes messages, one by one.", func(ph *phrase) func(*player) error {
			names := ph.messages()
			return func(p *player) error {
				for _, n := range names {
					if err := p.sim.Delete(p.world.of(aMessage, n)); err != nil {
						return err
					}
				}
				return nil
			}
		}},
		{"bulk-delete", "bulk-delete MESSAGE... in #PLACE", "Deletes messages with a single event.", func(ph *phrase) func(*player) error {
			names := ph.messages()
			ph.need("in")
			place := ph.place()
			return func(p *player) error {
				var ids []discordsim.ID
				for _, n := range names {
					ids = append(ids, p.world.of(aMessage, n))
				}
				p.sim.BulkDelete(p.place(place), ids...)
				return nil
			}
		}},
		{"react", "react USER to MESSAGE with EMOJI", "Adds a reaction.", func(ph *phrase) func(*player) error {
			user := ph.user()
			ph.need("to")
			message := ph.message()
			ph.need("with")
			emoji := ph.word("an emoji")
			return func(p *player) error {
				return p.sim.React(p.world.of(aUser, user), p.world.of(aMessage, message), emoji)
			}
		}},
		{"bot-posts", "bot-posts in #PLACE [replying to MESSAGE]: MESSAGE TEXT",
			"The bot's account writes, though not through the engine: another program with its token, or an answer of before.",
			func(ph *phrase) func(*player) error {
				w := post{user: botName, every: time.Millisecond}
				ph.need("in")
				w.place = ph.place()
				for !ph.accept(":") {
					w.option(ph)
				}
				w.names, w.text = ph.newMessages(), ph.text()
				return func(p *player) error {
					err := w.play(p)
					for _, n := range w.names {
						p.strange[p.world.of(aMessage, n)] = true
					}
					return err
				}
			}},
	}
}
