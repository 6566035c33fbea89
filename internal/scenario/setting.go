package scenario

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"gapless"
	"gapless/discord"
	"gapless/discordsim"
)

// setting is a field of a configuration that a script may set, found by reflection: a new field is in the language
// from the moment it exists.
type setting struct {
	key  string
	path []int
	kind reflect.Type
}

var (
	duration  = reflect.TypeFor[time.Duration]()
	placeList = reflect.TypeFor[gapless.PlaceList]()
)

// settingsOf lists the settings of a struct type, those of structs in it behind a dot.
func settingsOf(t reflect.Type, prefix string, path []int) []setting {
	var all []setting
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.IsExported() {
			continue
		}
		s := setting{key: prefix + kebab(f.Name), path: append(slices.Clone(path), i), kind: f.Type}
		switch {
		case f.Type == placeList:
			all = append(all, s)
		case f.Type.Kind() == reflect.Struct:
			all = append(all, settingsOf(f.Type, s.key+".", s.path)...)
		case settable(f.Type):
			all = append(all, s)
		}
	}
	return all
}

func settable(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int64, reflect.Uint64, reflect.String, reflect.Float64:
		return true
	case reflect.Slice:
		return settable(t.Elem())
	}
	return false
}

// kebab writes a Go name as a script does: SessionTTL is session-ttl.
func kebab(name string) string {
	var b strings.Builder
	runes := []rune(name)
	for i, r := range runes {
		upper := unicode.IsUpper(r)
		if upper && i > 0 && (unicode.IsLower(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])) {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// says describes the value a setting takes.
func (s setting) says() string {
	switch s.kind {
	case reflect.TypeFor[[]gapless.UserID]():
		return "users"
	case reflect.TypeFor[[]gapless.ChannelID]():
		return "places"
	case placeList:
		return "places, names of channels or *"
	case reflect.TypeFor[[]gapless.RoleID]():
		return "roles"
	case duration:
		return "duration"
	}
	switch s.kind.Kind() {
	case reflect.Bool:
		return "on or off"
	case reflect.String:
		return "word"
	case reflect.Slice:
		return "words"
	}
	return "number"
}

// find takes a setting's key.
func (ph *phrase) setting(all []setting) setting {
	key := ph.word("a setting")
	for _, s := range all {
		if s.key == key {
			return s
		}
	}
	names := make([]string, len(all))
	for i, s := range all {
		names[i] = s.key
	}
	ph.fail("expected one of the settings %s, found %q", strings.Join(names, ", "), key)
	return setting{}
}

// value takes the words of a setting's value: all that follow for a list, else one. They become a value when the
// names in them have got their ids.
func (ph *phrase) value(s setting) func(*player) (reflect.Value, error) {
	var words []string
	if s.kind == placeList {
		return ph.placeList()
	}
	if s.kind.Kind() != reflect.Slice {
		words = []string{ph.word(s.says())}
		if _, err := valueOf(nil, s.kind, words[0]); err != nil {
			ph.fail("expected %s for %s, found %q", s.says(), s.key, words[0])
		}
	}
	for s.kind.Kind() == reflect.Slice && !ph.done() {
		w := ph.word(s.says())
		if isID(s.kind.Elem()) && !ph.p.named(w) {
			ph.fail("expected %s declared above, found %q", s.says(), w)
		}
		words = append(words, w)
	}
	return func(p *player) (reflect.Value, error) {
		if s.kind.Kind() != reflect.Slice {
			return valueOf(p, s.kind, words[0])
		}
		list := reflect.MakeSlice(s.kind, 0, len(words))
		for _, w := range words {
			v, err := valueOf(p, s.kind.Elem(), w)
			if err != nil {
				return v, err
			}
			list = reflect.Append(list, v)
		}
		return list, nil
	}
}

// placeList takes the words of a list of places: * for all, a place declared above, by its id, or else a name.
func (ph *phrase) placeList() func(*player) (reflect.Value, error) {
	var words []string
	for !ph.done() {
		words = append(words, ph.word("a place"))
	}
	named := ph.p.named
	return func(p *player) (reflect.Value, error) {
		var list gapless.PlaceList
		for _, w := range words {
			switch {
			case w == "*":
				list.All = true
			case named(w):
				id, err := p.world.id(w)
				if err != nil {
					return reflect.Value{}, err
				}
				list.IDs = append(list.IDs, gapless.ChannelID(id))
			default:
				list.Names = append(list.Names, w)
			}
		}
		return reflect.ValueOf(list), nil
	}
}

// valueOf reads one word as a value of a type. Ids are names of the script, known only to a player.
func valueOf(p *player, t reflect.Type, word string) (reflect.Value, error) {
	v := reflect.New(t).Elem()
	var err error
	switch {
	case t == duration:
		var d time.Duration
		d, err = parseDuration(word)
		v.SetInt(int64(d))
	case t.Kind() == reflect.Bool:
		v.SetBool(word == "on")
		if word != "on" && word != "off" {
			err = fmt.Errorf("read %q: neither on nor off", word)
		}
	case t.Kind() == reflect.String:
		v.SetString(word)
	case t.Kind() == reflect.Float64:
		var f float64
		f, err = strconv.ParseFloat(word, 64)
		v.SetFloat(f)
	case v.CanInt():
		var n int64
		n, err = strconv.ParseInt(word, 10, 64)
		v.SetInt(n)
	case isID(t):
		if p == nil {
			return v, nil
		}
		var id discordsim.ID
		id, err = p.world.id(word)
		v.SetUint(uint64(id))
	default:
		var n uint64
		n, err = strconv.ParseUint(word, 10, 64)
		v.SetUint(n)
	}
	return v, err
}

// isID reports whether a type holds a snowflake.
func isID(t reflect.Type) bool {
	switch t {
	case reflect.TypeFor[gapless.UserID](), reflect.TypeFor[gapless.ChannelID](), reflect.TypeFor[gapless.GuildID](),
		reflect.TypeFor[gapless.RoleID](), reflect.TypeFor[gapless.MessageID](), reflect.TypeFor[discordsim.ID]():
		return true
	}
	return false
}

// assign sets a field of the struct that target points to.
func (s setting) assign(target any, v reflect.Value) {
	reflect.ValueOf(target).Elem().FieldByIndex(s.path).Set(v)
}

func engineSettings() []setting { return settingsOf(reflect.TypeFor[gapless.Config](), "", nil) }

func gatewaySettings() []setting {
	return settingsOf(reflect.TypeFor[discord.GatewayConfig](), "", nil)
}

func restSettings() []setting { return settingsOf(reflect.TypeFor[discord.RESTConfig](), "", nil) }

func discordSettings() []setting { return settingsOf(reflect.TypeFor[discordsim.Server](), "", nil) }
