package discordsim

import "slices"

// flagRequireTag is the channel flag of a forum that takes no post without a tag.
const flagRequireTag = 1 << 4

// maxTags is how many tags one post may carry.
const maxTags = 5

// tag is one of a forum's labels.
type tag struct {
	id        ID
	name      string
	moderated bool // only who manages threads may put it on
}

func (t tag) body() object {
	return object{"id": t.id, "name": t.name, "moderated": t.moderated, "emoji_id": nil, "emoji_name": nil}
}

// AddForumTag makes a tag for the posts of a forum or media channel and announces the channel.
func (s *Server) AddForumTag(forum ID, name string) ID {
	s.lock()
	defer s.mu.Unlock()
	c := s.channel(forum)
	t := tag{id: s.newID(), name: name}
	c.tags = append(c.tags, t)
	s.changed(c)
	return t.id
}

// RequireTag makes a forum refuse posts without a tag (40067), or take them again.
func (s *Server) RequireTag(forum ID, required bool) {
	s.lock()
	defer s.mu.Unlock()
	c := s.channel(forum)
	c.flags &^= flagRequireTag
	if required {
		c.flags |= flagRequireTag
	}
	s.changed(c)
}

// checkTags holds the tags of a post to the rules of its forum. A stranger may not use moderated ones.
func (c *channel) checkTags(tags []ID, manages bool) error {
	if len(tags) == 0 && c.flags&flagRequireTag != 0 {
		return &apiError{status: 400, code: 40067, message: "A tag is required to create a forum post in this channel"}
	}
	if len(tags) > maxTags {
		return badField("applied_tags", "BASE_TYPE_MAX_LENGTH", "Must be 5 or fewer in length.")
	}
	for _, id := range tags {
		i := slices.IndexFunc(c.tags, func(t tag) bool { return t.id == id })
		if i < 0 {
			return badField("applied_tags", "BASE_TYPE_BAD_VALUE", "Unknown tag")
		}
		if c.tags[i].moderated && !manages {
			return missingPermissions()
		}
	}
	return nil
}
