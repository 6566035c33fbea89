package gapless

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// PlaceList is a list of places of guilds, by id or by name (S41); DMs are on
// none. A thread is on the list when the channel it is in is.
//
// A name is compared in any case. `#name` names a channel; `name` also a
// category, where categories count. Anybody may name a thread: where being on
// the list opens something, a thread goes by its id and by its channel only.
type PlaceList struct {
	All   bool // every place, written `*`
	IDs   []ChannelID
	Names []string // `name` or `#name`
}

// ParsePlaces reads a list as configurations have it: ids, names, `#names`, or
// `*`. A word of digits is an id.
func ParsePlaces(words []string) (l PlaceList, err error) {
	for _, word := range words {
		word = strings.TrimSpace(word)
		switch name := strings.TrimPrefix(word, "#"); {
		case word == "*":
			l.All = true
		case name == "":
			return PlaceList{}, errors.New("read list of places: an entry is empty")
		case strings.Trim(name, "0123456789") == "":
			id, err := ParseID[ChannelID](name)
			if err != nil || id == 0 {
				return PlaceList{}, fmt.Errorf("read list of places: %s is no id of a channel", word)
			}
			l.IDs = append(l.IDs, id)
		default:
			l.Names = append(l.Names, word)
		}
	}
	return l, nil
}

// Empty reports whether nothing is on the list.
func (l PlaceList) Empty() bool { return !l.All && len(l.IDs)+len(l.Names) == 0 }

// span says how far an entry of a list reaches.
type span struct {
	categories bool // an entry may be a category
	threads    bool // an entry may be the name of a thread
}

// The reaches of the policy's lists: opening is narrower than closing.
var (
	opening = span{categories: true}                // Allowed
	freeing = span{}                                // Free
	closing = span{categories: true, threads: true} // Ignored, Shared
)

// on reports whether the message's place is on the list. What is not known of
// the place lacks only if it could put it there.
func (s *Subject) on(l PlaceList, r span) (yes bool, lack Lack) {
	switch {
	case s.direct() || l.Empty():
		return false, ""
	case s.guild() == 0:
		return false, LackPlace
	case l.All || slices.Contains(l.IDs, s.Message.Place):
		return true, ""
	case s.Place.ID == 0 || s.Place.Kind == KindUnknown:
		return false, LackPlace
	case s.Place.Kind.Thread():
		return s.threadOn(l, r)
	case l.names(s.Place.Name, true):
		return true, ""
	case s.Place.Name == "" && (r.categories || len(l.Names) > 0):
		return false, LackPlace // a message has named it, nothing has described it
	case r.categories:
		return s.categoryOn(l, s.Place.Parent)
	}
	return false, ""
}

func (s *Subject) threadOn(l PlaceList, r span) (yes bool, lack Lack) {
	switch {
	case s.Place.Parent == 0:
		return false, LackPlace
	case slices.Contains(l.IDs, s.Place.Parent), r.threads && l.names(s.Place.Name, true):
		return true, ""
	case !r.categories && len(l.Names) == 0:
		return false, ""
	case s.Parent.ID != s.Place.Parent || s.Parent.Name == "":
		return false, LackParent
	case l.names(s.Parent.Name, true):
		return true, ""
	case r.categories:
		return s.categoryOn(l, s.Parent.Parent)
	}
	return false, ""
}

func (s *Subject) categoryOn(l PlaceList, category ChannelID) (yes bool, lack Lack) {
	switch {
	case category == 0:
		return false, ""
	case slices.Contains(l.IDs, category):
		return true, ""
	case !l.bare():
		return false, ""
	case s.Category.ID != category || s.Category.Name == "":
		return false, LackParent
	}
	return l.names(s.Category.Name, false), ""
}

// names reports whether a name is on the list; channel: entries with # count.
func (l PlaceList) names(name string, channel bool) bool {
	return name != "" && slices.ContainsFunc(l.Names, func(entry string) bool {
		bare, marked := strings.CutPrefix(entry, "#")
		return (channel || !marked) && strings.EqualFold(bare, name)
	})
}

// bare reports whether the list has a name that may be a category's.
func (l PlaceList) bare() bool {
	return slices.ContainsFunc(l.Names, func(entry string) bool { return !strings.HasPrefix(entry, "#") })
}
