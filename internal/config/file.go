package config

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// botsKey is the list of bots, the one key that is neither value nor heading.
const botsKey = "bots"

// file is a YAML file on its way into a configuration.
type file struct {
	name   string
	lines  []string
	env    Environment
	faults []*Fault
}

// part is what the file, or one bot of its list, says.
type part struct {
	name  string // of a bot
	given []given
	old   oldBlockGiven
	bots  []*part
	at    *token.Token
}

// readFile takes apart what the file says. Its faults are in f.
func readFile(name string, text []byte, env Environment) (*file, *part) {
	f := &file{name: name, lines: strings.Split(string(text), "\n"), env: env}
	top := &part{}
	if line, column, ok := tab(f.lines); ok {
		f.fault(line, column, "the line is indented with a tab, which YAML does not allow", "indent it with spaces")
		return f, top
	}
	tree, err := parse(bytes.TrimPrefix(text, []byte("\ufeff")))
	if err != nil {
		f.syntax(err)
		return f, top
	}
	for i, doc := range tree.Docs {
		switch body := doc.Body.(type) {
		case nil:
		case *ast.MappingNode:
			if i > 0 {
				f.at(body.Values[0].Key.GetToken(), "the file has a second document", "remove the --- between them")
				continue
			}
			f.level(top, "", body)
		default:
			f.at(body.GetToken(), "the file must be made of keys and values", "write it as\n    handler:\n      exec: [\"./bot.sh\"]")
		}
	}
	return f, top
}

// level takes all keys below a level; prefix is its name with a dot, or empty.
func (f *file) level(into *part, prefix string, m *ast.MappingNode) {
	for _, pair := range m.Values {
		written := pair.Key.GetToken().Value
		name := prefix + written
		key, ok := find(name)
		switch {
		case ok:
			f.set(into, key, pair)
		case name == oldBlock:
			into.old = f.oldBlock(pair.Value)
		case name == botsKey && into.at == nil:
			f.bots(into, pair)
		case name == "name" && into.at != nil:
			f.botName(into, pair)
		case len(below(name+".")) > 0:
			f.descend(into, name, pair)
		default:
			f.unknown(prefix, written, pair)
		}
	}
}

func (f *file) descend(into *part, name string, pair *ast.MappingValueNode) {
	switch v := pair.Value.(type) {
	case *ast.MappingNode:
		f.level(into, name+".", v)
	case *ast.NullNode: // a heading without anything below it
	default:
		f.at(v.GetToken(), name+" is not a value but a heading", "below it there is "+strings.Join(below(name+"."), ", "))
	}
}

func (f *file) unknown(prefix, written string, pair *ast.MappingValueNode) {
	under := "the file"
	if prefix != "" {
		under = strings.TrimSuffix(prefix, ".")
	}
	known := below(prefix)
	if prefix == "" {
		known = append(known, botsKey, oldBlock)
	}
	hint := guess(written, known)
	if strings.Contains(strings.ToLower(written), "token") && distance(written, "token_file") > 2 {
		hint = "the token does not belong in this file: use DISCORD_TOKEN, DISCORD_TOKEN_FILE or token_file"
	}
	f.at(pair.Key.GetToken(), fmt.Sprintf("unknown key %q in %s", written, under), hint)
}

// set takes one key with its values.
func (f *file) set(into *part, key Key, pair *ast.MappingValueNode) {
	if into.at != nil && key.Process {
		f.at(pair.Key.GetToken(), key.Name+" holds for the whole process, not for one bot", "write it outside of the list")
		return
	}
	values, tokens, ok := f.values(key, pair.Value)
	if !ok {
		return
	}
	where := pair.Value.GetToken()
	g := given{key: key, values: values, from: fmt.Sprintf("%s:%d", f.name, pair.Key.GetToken().Position.Line), file: f, tokens: tokens, at: where}
	if f.wrong(g) {
		return
	}
	into.given = append(into.given, g)
}

// wrong reports a value that its key does not take.
func (f *file) wrong(g given) bool {
	fault := g.fault(f.env)
	if fault == nil {
		return false
	}
	f.faults = append(f.faults, fault)
	return true
}

// values are the scalars of a key exactly as written: an id is never taken
// through a number. One scalar is as good as a list of one.
func (f *file) values(key Key, node ast.Node) (values []string, tokens []*token.Token, ok bool) {
	nodes := []ast.Node{node}
	var names []string
	switch v := node.(type) {
	case *ast.SequenceNode:
		if !key.List {
			f.at(v.GetToken(), key.Name+" takes one value, not a list", "it takes "+key.Accepts)
			return nil, nil, false
		}
		nodes = v.Values
	case *ast.MappingNode:
		if !key.Named {
			break
		}
		nodes = nil
		for _, pair := range v.Values {
			nodes, names = append(nodes, pair.Value), append(names, pair.Key.GetToken().Value+"=")
		}
	default:
		if key.Named {
			f.at(v.GetToken(), key.Name+" takes values under names", "it takes "+key.Accepts)
			return nil, nil, false
		}
	}
	ok = true
	for i, n := range nodes {
		text, isScalar := scalar(n)
		switch {
		case isScalar:
			if names != nil {
				text = names[i] + text
			}
			values, tokens = append(values, text), append(tokens, n.GetToken())
			continue
		case n.Type() == ast.NullType:
			f.at(n.GetToken(), key.Name+" has no value", f.valueless(key, n.GetToken()))
		default:
			f.at(n.GetToken(), key.Name+" takes plain values", "quote values with characters that mean something in YAML")
		}
		ok = false
	}
	return values, tokens, ok
}

// valueless says what to do about a value that is not there: a bare # begins a
// comment.
func (f *file) valueless(key Key, at *token.Token) string {
	if line := at.Position.Line; line >= 1 && line <= len(f.lines) && strings.Contains(f.lines[line-1], "- #") {
		return `quote the name: "#general"`
	}
	return "give it one, or remove the line; it takes " + key.Accepts
}

func scalar(n ast.Node) (text string, ok bool) {
	switch v := n.(type) {
	case *ast.StringNode:
		return v.Value, true
	case *ast.LiteralNode:
		return strings.TrimRight(v.Value.Value, "\n"), true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return n.GetToken().Value, true
	}
	return "", false
}

// bots takes the list of bots.
func (f *file) bots(into *part, pair *ast.MappingValueNode) {
	list, ok := pair.Value.(*ast.SequenceNode)
	if !ok || len(list.Values) == 0 {
		f.at(pair.Value.GetToken(), "bots takes a list with one entry per bot", "write it as\n    bots:\n      - name: one\n        token_file: one.token")
		return
	}
	for i, entry := range list.Values {
		m, ok := entry.(*ast.MappingNode)
		if !ok || len(m.Values) == 0 {
			f.at(entry.GetToken(), "a bot is made of keys and values", "write it as\n      - name: one\n        token_file: one.token")
			continue
		}
		bot := &part{name: fmt.Sprintf("bot%d", i+1), at: m.Values[0].Key.GetToken()}
		f.level(bot, "", m)
		for _, other := range into.bots {
			if other.name == bot.name {
				f.at(bot.at, fmt.Sprintf("there are two bots of the name %q", bot.name), "give each a name of its own")
			}
		}
		into.bots = append(into.bots, bot)
	}
}

func (f *file) botName(into *part, pair *ast.MappingValueNode) {
	text, ok := scalar(pair.Value)
	if !ok || !botName.MatchString(text) {
		f.at(pair.Value.GetToken(), "name takes a short name of letters, digits, dots and dashes", "")
		return
	}
	into.name = text
}

func (f *file) at(tk *token.Token, what, hint string) {
	f.fault(tk.Position.Line, tk.Position.Column, what, hint)
}

func (f *file) fault(line, column int, what, hint string) {
	f.faults = append(f.faults, f.placed(line, column, what, hint))
}

// placed is a fault in the file, with the line.
func (f *file) placed(line, column int, what, hint string) *Fault {
	text := ""
	if line >= 1 && line <= len(f.lines) {
		text = strings.TrimRight(f.lines[line-1], "\r")
	}
	return &Fault{Source: f.name, Line: line, Column: max(column, 1), Text: masked(text), What: what, Hint: hint}
}

// given is the values of one key as somebody gave them.
type given struct {
	key    Key
	values []string
	from   string // file and line, variable or flag
	file   *file  // nil outside of one
	tokens []*token.Token
	at     *token.Token
}

// fault is what is wrong with the values, nil if they are fine.
func (g given) fault(env Environment) *Fault {
	err := g.key.set(new(Config), g.values, env)
	if err == nil {
		return nil
	}
	what, hint, index := err.Error(), "", len(g.tokens)
	if e, ok := errors.AsType[*valueError](err); ok {
		hint, index = e.hint, e.index
	}
	return g.faulty(index, what, hint)
}

// faulty is a fault in one of the values.
func (g given) faulty(index int, what, hint string) *Fault {
	if hint == "" {
		hint = "it takes " + g.key.Accepts
	}
	f := &Fault{Source: g.from, What: what, Hint: hint}
	if g.file != nil {
		where := g.at
		if index < len(g.tokens) {
			where = g.tokens[index]
		}
		f = g.file.placed(where.Position.Line, where.Position.Column, g.key.Name+": "+what, hint)
	}
	f.Key, f.Accepted = g.key.Name, g.key.Accepts
	if index < len(g.values) {
		f.Given = veiled(g.values[index])
	}
	return f
}

// veiled is a value, unless it may be a secret.
func veiled(value string) string {
	if tokenShape.MatchString(strings.TrimSpace(value)) {
		return "…"
	}
	return value
}

// last is what was given last for a key, so what counts.
func last(all []given, key string) (given, bool) {
	for _, g := range slices.Backward(all) {
		if g.key.Name == key {
			return g, true
		}
	}
	return given{}, false
}
