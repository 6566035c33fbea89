package gapless

import (
	"slices"
	"strconv"
	"strings"
)

// Ref names a place, category or guild in configuration: by id, or by name as
// `name` or `#name` (S41).
type Ref string

// All is the reference that every place answers to.
const All Ref = "*"

// Names reports whether the reference means the thing of that id and name.
func (r Ref) Names(id uint64, name string) bool {
	if r == All {
		return true
	}
	if n, err := strconv.ParseUint(string(r), 10, 64); err == nil && n == id {
		return true
	}
	want := strings.TrimPrefix(string(r), "#")
	return want != "" && strings.EqualFold(want, name)
}

// Scope says of which places no message may be missed: all that the bot can
// read, unless something is listed. DMs are always covered, unless excepted by
// the reference `dm`. What lies outside is still heard live, and nothing of it
// is ever read.
type Scope struct {
	Guilds     []Ref
	Categories []Ref
	Channels   []Ref // with their threads; a thread alone by its own id
	Except     []Ref // guilds, categories, channels or threads that stay out all the same
}

// ExceptDirect in Scope.Except leaves out all DMs.
const ExceptDirect Ref = "dm"

// Recover says what happens with what was missed in a place.
type Recover string

// The ways to recover.
const (
	RecoverOn     Recover = "on"     // it is read and handled
	RecoverNotice Recover = "notice" // it is not read; the place is told that we were away
	RecoverOff    Recover = "off"    // it is not read: marks follow the head
)

// RecoverRule is an exception for some places.
type RecoverRule struct {
	Place Ref // a place, its parent, its category, or its guild
	How   Recover
}

// Site is a place with what it lies in, from itself outwards: thread, channel,
// category, guild. Which is which follows from the kinds of channel, never from
// the mere presence of a parent.
type Site struct {
	Place    Place
	Channel  Place // of a thread its parent, else the place itself
	Category Place // zero if there is none
	Guild    GuildMark
}

// Named reports whether the reference means the site's place or anything that
// it lies in.
func (s Site) Named(r Ref) bool {
	return s.channel(r) || s.category(r) || s.guild(r)
}

func (s Site) channel(r Ref) bool {
	return r.Names(uint64(s.Place.ID), s.Place.Name) || (s.Channel.ID != 0 && r.Names(uint64(s.Channel.ID), s.Channel.Name))
}

func (s Site) category(r Ref) bool {
	return s.Category.ID != 0 && r.Names(uint64(s.Category.ID), s.Category.Name)
}

func (s Site) guild(r Ref) bool {
	return s.Guild.ID != 0 && r.Names(uint64(s.Guild.ID), s.Guild.Name)
}

// Covers reports whether the site lies in the scope.
func (c Scope) Covers(s Site) bool {
	if s.Place.Kind.Direct() {
		return !slices.Contains(c.Except, ExceptDirect) && !slices.ContainsFunc(c.Except, s.channel)
	}
	if slices.ContainsFunc(c.Except, s.Named) {
		return false
	}
	if c.Whole() {
		return true
	}
	return slices.ContainsFunc(c.Guilds, s.guild) || slices.ContainsFunc(c.Categories, s.category) ||
		slices.ContainsFunc(c.Channels, s.channel)
}

// Whole reports whether nothing is listed: everything but the exceptions is covered.
func (c Scope) Whole() bool { return len(c.Guilds)+len(c.Categories)+len(c.Channels) == 0 }

// Unmatched is the references of scope and rules that none of the sites
// answers to, in their order: most likely misspelt, or not to be seen (S18).
func (c Scope) Unmatched(rules []RecoverRule, sites []Site) []Ref {
	var out []Ref
	check := func(refs []Ref, match func(Site, Ref) bool) {
		for _, r := range refs {
			if r != All && r != ExceptDirect && !slices.ContainsFunc(sites, func(s Site) bool { return match(s, r) }) {
				out = append(out, r)
			}
		}
	}
	check(c.Guilds, Site.guild)
	check(c.Categories, Site.category)
	check(c.Channels, Site.channel)
	check(c.Except, Site.Named)
	for _, r := range rules {
		check([]Ref{r.Place}, Site.Named)
	}
	return out
}

// nearness is the ways to name a site, the closest first.
var nearness = []func(Site, Ref) bool{Site.channel, Site.category, Site.guild}

// RecoverAt is how what was missed at the site is recovered: by the rule that
// names it most closely, its place first, else by the default.
func RecoverAt(s Site, def Recover, rules []RecoverRule) Recover {
	for _, near := range nearness {
		for _, r := range rules {
			if near(s, r.Place) {
				return r.How
			}
		}
	}
	if def == "" {
		return RecoverOn
	}
	return def
}
