package scenario

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"gapless/discordsim"
)

// botName is what scripts call the bot under test.
const botName = "bot"

// world knows what the names of a script stand for, and the other way round.
type world struct {
	unnamed sync.RWMutex // held while something is made that has no name yet
	mu      sync.RWMutex
	ids     map[kind]map[string]discordsim.ID
	names   map[kind]map[discordsim.ID]string
	guilds  map[string]string // the guild of a place, a thread's included
}

func newWorld() *world {
	return &world{ids: map[kind]map[string]discordsim.ID{}, names: map[kind]map[discordsim.ID]string{}, guilds: map[string]string{}}
}

// add gives a name its id.
func (w *world) add(k kind, name string, id discordsim.ID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ids[k] == nil {
		w.ids[k], w.names[k] = map[string]discordsim.ID{}, map[discordsim.ID]string{}
	}
	w.ids[k][name] = id
	w.names[k][id] = name
}

// making runs what makes something in Discord and names it: whoever meets it meanwhile waits for its name.
func (w *world) making(f func() error) error {
	w.unnamed.Lock()
	defer w.unnamed.Unlock()
	return f()
}

// of is the id of a name; the parser has seen to it that it is declared.
func (w *world) of(k kind, name string) discordsim.ID {
	w.mu.RLock()
	defer w.mu.RUnlock()
	id, ok := w.ids[k][name]
	if !ok {
		panic(fmt.Sprintf("scenario: %s %s does not exist yet", k, name))
	}
	return id
}

// id finds a name among places, users, roles, guilds and messages.
func (w *world) id(name string) (discordsim.ID, error) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	for _, k := range []kind{aPlace, aUser, aRole, aGuild, aMessage} {
		if id, ok := w.ids[k][name]; ok {
			return id, nil
		}
	}
	return 0, fmt.Errorf("nothing is called %s", name)
}

// name is what a script calls an id of one of these kinds, tried in this order; empty if it has no name.
func (w *world) name(id discordsim.ID, kinds ...kind) string {
	w.unnamed.RLock()
	defer w.unnamed.RUnlock()
	w.mu.RLock()
	defer w.mu.RUnlock()
	for _, k := range kinds {
		if name, ok := w.names[k][id]; ok {
			return name
		}
	}
	return ""
}

// mention is how a script writes that it mentions somebody.
var mention = regexp.MustCompile(`@[\pL\pN_-]+`)

// text replaces @name by Discord's form of a mention, for every name that is a user or a role.
func (w *world) text(s string) string {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return mention.ReplaceAllStringFunc(s, func(m string) string {
		if id, ok := w.ids[aUser][m[1:]]; ok {
			return fmt.Sprintf("<@%d>", id)
		}
		if id, ok := w.ids[aRole][m[1:]]; ok {
			return fmt.Sprintf("<@&%d>", id)
		}
		return m
	})
}

// place gives the id of a place, opening a DM when it is one.
func (p *player) place(name string) discordsim.ID {
	if user, ok := strings.CutPrefix(name, "@"); ok {
		id := p.sim.OpenDM(p.world.of(aUser, user), p.bot.ID)
		p.world.add(aPlace, name, id)
		return id
	}
	return p.world.of(aPlace, name)
}
