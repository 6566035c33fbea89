package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// oldBlock is the block of settings that the reference reads (S10 to S54).
const oldBlock = "discord"

// oldMissed is the block inside of it that is about missed messages.
const oldMissed = "missed_message_backfill"

// OldKey is a setting of the reference that is accepted as it is.
type OldKey struct {
	Name     string // below discord:, empty if there is only a variable
	Variable string // empty if there is only the file
	Key      string // ours that it becomes; empty if it is not used
	Says     string // how, where that is not plain

	fileFirst bool // the file counts before the variable (missed_message_backfill)
	hidden    bool // the variable does not count where the block exists
	take      func(m *mapper, v oldValue)
}

// OldKeys are the settings of the reference, in its own order. One that there
// is nothing for here has no Key.
func OldKeys() []OldKey {
	all := slices.Clone(oldKeys)
	for i, k := range all {
		if _, ok := find(k.Key); !ok {
			all[i].Key, all[i].Says = "", "not used"
		}
	}
	return all
}

// becomes says what the setting is here.
func (k OldKey) becomes() string {
	if k.Key == "" {
		return "is not used"
	}
	return "becomes " + k.Key
}

// oldValue is a setting of the reference as written.
type oldValue struct {
	texts []string // the values of a list, or the only one
	pairs [][2]string
	list  bool
	where string // for people
	file  *file  // nil for a variable
	at    *token.Token
}

// text is the value as one text.
func (v oldValue) text() string { return strings.Join(v.texts, ",") }

// all is the values of a list, or those of a text with commas.
func (v oldValue) all() (values []string) {
	for _, t := range v.texts {
		values = append(values, commas(t)...)
	}
	return values
}

// oldBlockGiven is the block as it stands in the file.
type oldBlockGiven struct {
	values map[string]oldValue
	order  []string
	missed bool // there is a block missed_message_backfill
}

// oldBlock reads the block. Whatever is in it, nothing is refused here.
func (f *file) oldBlock(node ast.Node) oldBlockGiven {
	b := oldBlockGiven{values: map[string]oldValue{}}
	f.oldLevel(&b, "", node)
	return b
}

func (f *file) oldLevel(b *oldBlockGiven, prefix string, node ast.Node) {
	m, ok := node.(*ast.MappingNode)
	if !ok {
		return
	}
	for _, pair := range m.Values {
		name := prefix + pair.Key.GetToken().Value
		_, isMap := pair.Value.(*ast.MappingNode)
		if name == oldMissed && isMap {
			b.missed = true
			f.oldLevel(b, name+".", pair.Value)
			continue
		}
		v := oldValue{where: fmt.Sprintf("%s.%s (%s:%d)", oldBlock, name, f.name, pair.Key.GetToken().Position.Line)}
		v.file, v.at = f, pair.Value.GetToken()
		v.take(pair.Value)
		b.values[name] = v
		b.order = append(b.order, name)
	}
}

// take is the value of a node. Null is as good as nothing.
func (v *oldValue) take(node ast.Node) {
	switch n := node.(type) {
	case *ast.SequenceNode:
		v.list = true
		for _, item := range n.Values {
			if text, ok := oldScalar(item); ok {
				v.texts = append(v.texts, strings.TrimSpace(text))
			}
		}
	case *ast.MappingNode:
		for _, pair := range n.Values {
			if text, ok := oldScalar(pair.Value); ok {
				v.pairs = append(v.pairs, [2]string{pair.Key.GetToken().Value, text})
			}
		}
	default:
		if text, ok := oldScalar(node); ok {
			v.texts = []string{strings.TrimSpace(text)}
		}
	}
}

// oldScalar is a scalar as the reference's reader sees it: the bare words yes,
// no, on and off are truth values there.
func oldScalar(n ast.Node) (string, bool) {
	text, ok := scalar(n)
	if s, isString := n.(*ast.StringNode); isString && s.GetToken().Type == token.StringType {
		switch strings.ToLower(text) {
		case "yes", "on":
			text = "true"
		case "no", "off":
			text = "false"
		}
	}
	return text, ok
}

// told is what is to be said about the reference's settings.
type told struct {
	mapped []Mapped
	notes  []Note
}

// mapper turns settings of the reference into ours.
type mapper struct {
	told
	given []given
	from  oldValue
	off   bool // nothing is recovered
}

// note says something about the setting at hand.
func (m *mapper) note(text string) { m.notes = append(m.notes, Note{m.from.where, text}) }

// give sets a key of ours. Whether the key takes the values is seen later.
func (m *mapper) give(name string, values ...string) {
	key, ok := find(name)
	if !ok {
		m.note("not used: gapless has nothing it could set")
		return
	}
	g := given{key: key, values: values, from: m.from.where, file: m.from.file, at: m.from.at}
	m.given = append(m.given, g)
	m.mapped = append(m.mapped, Mapped{m.from.where, name, values})
}

// mapped is what the block and the reference's variables amount to; env is nil
// for a bot of a list.
func (b oldBlockGiven) mapped(env Environment) ([]given, told) {
	m := &mapper{}
	for _, k := range oldKeys {
		inFile, hasFile := b.values[k.Name]
		hasFile = hasFile && k.Name != "" && (len(inFile.texts)+len(inFile.pairs) > 0 || inFile.list)
		text := ""
		if k.Variable != "" {
			text = env.Get(k.Variable)
		}
		inEnv := oldValue{texts: []string{strings.TrimSpace(text)}, where: k.Variable}
		switch {
		case k.hidden && b.missed && !hasFile && text != "":
			m.from = inEnv
			m.note("not used: the block discord." + oldMissed + " hides it")
			continue
		case !hasFile && text == "":
			continue
		case hasFile && (k.fileFirst || text == ""):
			m.from = inFile
			m.differ(text != "", inFile, inEnv)
		default:
			m.from = inEnv
			m.differ(hasFile, inEnv, inFile)
		}
		k.take(m, m.from)
	}
	for _, name := range b.order {
		if !slices.ContainsFunc(oldKeys, func(k OldKey) bool { return k.Name == name }) {
			m.from = b.values[name]
			m.note("not used: it means nothing here")
		}
	}
	return m.given, m.told
}

// differ says which of two counts, where both are set and are not the same.
func (m *mapper) differ(both bool, counts, other oldValue) {
	if both && !slices.Equal(counts.all(), other.all()) {
		m.notes = append(m.notes, Note{other.where, "does not count: " + counts.where + " says otherwise and comes first"})
	}
}
