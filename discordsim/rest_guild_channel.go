package discordsim

import (
	"encoding/json"
	"slices"
	"strconv"
	"time"
)

// maxSlow is the longest slow mode, in seconds.
const maxSlow = 21600

// channelForm is what a channel may be made or changed with. What a request leaves out stays as it is.
type channelForm struct {
	Name       *string         `json:"name"`
	Type       ChannelType     `json:"type"`
	Topic      *string         `json:"topic"`
	NSFW       *bool           `json:"nsfw"`
	Slow       *int            `json:"rate_limit_per_user"`
	Parent     json.RawMessage `json:"parent_id"`
	Flags      *int            `json:"flags"`
	Overwrites []overwriteForm `json:"permission_overwrites"`
	Tags       []tagForm       `json:"available_tags"`
}

// overwriteForm is a permission overwrite as a client writes it: bits as decimal strings.
type overwriteForm struct {
	ID    ID     `json:"id"`
	Type  int    `json:"type"`
	Allow string `json:"allow"`
	Deny  string `json:"deny"`
}

type tagForm struct {
	ID        ID     `json:"id"`
	Name      string `json:"name"`
	Moderated bool   `json:"moderated"`
}

func (o overwriteForm) overwrite() (overwrite, error) {
	var bits [2]Permission
	for i, text := range []string{o.Allow, o.Deny} {
		if text == "" {
			continue
		}
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return overwrite{}, badField("permission_overwrites", "BASE_TYPE_BAD_INT", text+" is no permission set.")
		}
		bits[i] = Permission(n)
	}
	return overwrite{target: o.ID, member: o.Type == 1, allow: bits[0], deny: bits[1]}, nil
}

// makeable are the kinds of channels a bot may make.
var makeable = []ChannelType{Text, Voice, Category, Announcement, Stage, Forum, Media}

// postGuildChannel makes a channel (201).
func (s *Server) postGuildChannel(q *request) (any, error) {
	g, err := s.myGuild(q)
	if err != nil {
		return nil, err
	}
	if !g.base(g.members[q.who()]).has(ManageChannels) {
		return nil, missingPermissions()
	}
	var in channelForm
	if err := q.read(&in); err != nil {
		return nil, err
	}
	switch {
	case in.Name == nil:
		return nil, badField("name", "BASE_TYPE_REQUIRED", "This field is required")
	case !slices.Contains(makeable, in.Type):
		return nil, badField("type", "BASE_TYPE_CHOICES", "Value must be a type of guild channel.")
	}
	c := &channel{id: s.newID(), guild: g, kind: in.Type}
	if err := s.fill(c, in); err != nil {
		return nil, err
	}
	return s.addChannel(c).body(), nil
}

// fill checks a form and then puts it into a channel that nobody has been told of.
func (s *Server) fill(c *channel, in channelForm) error {
	over := make([]overwrite, len(in.Overwrites))
	for i, form := range in.Overwrites {
		o, err := form.overwrite()
		if err != nil {
			return err
		}
		over[i] = o
	}
	parent, err := s.category(c, in.Parent)
	switch {
	case err != nil:
		return err
	case in.Name != nil && (*in.Name == "" || len([]rune(*in.Name)) > 100):
		return badField("name", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 100 in length.")
	case in.Topic != nil && len([]rune(*in.Topic)) > 4096:
		return badField("topic", "BASE_TYPE_MAX_LENGTH", "Must be 4096 or fewer in length.")
	case in.Slow != nil && (*in.Slow < 0 || *in.Slow > maxSlow):
		return badField("rate_limit_per_user", "NUMBER_TYPE_MAX", "int value should be between 0 and 21600.")
	}
	c.parent = parent
	set(&c.name, in.Name)
	set(&c.topic, in.Topic)
	set(&c.nsfw, in.NSFW)
	set(&c.flags, in.Flags)
	if in.Slow != nil {
		c.slow = time.Duration(*in.Slow) * time.Second
	}
	if in.Overwrites != nil {
		c.overwrites = over
	}
	if in.Tags != nil {
		s.retag(c, in.Tags)
	}
	return nil
}

func set[T any](to *T, from *T) {
	if from != nil {
		*to = *from
	}
}

// category is the parent a form asks for: the one there is when it says nothing, none for null.
func (s *Server) category(c *channel, asked json.RawMessage) (*channel, error) {
	if len(asked) == 0 {
		return c.parent, nil
	}
	var id ID
	if err := json.Unmarshal(asked, &id); err != nil {
		return nil, badField("parent_id", "NUMBER_TYPE_COERCE", "Value is not snowflake.")
	}
	if id == 0 {
		return nil, nil
	}
	parent := s.world.channels[id]
	if parent == nil || parent.gone() || parent.kind != Category || parent.guild != c.guild {
		return nil, badField("parent_id", "CHANNEL_PARENT_INVALID", "Category does not exist")
	}
	return parent, nil
}

// retag replaces a forum's tags; those that come with an id keep it.
func (s *Server) retag(c *channel, forms []tagForm) {
	c.tags = nil
	for _, form := range forms {
		if form.ID == 0 {
			form.ID = s.newID()
		}
		c.tags = append(c.tags, tag{id: form.ID, name: form.Name, moderated: form.Moderated})
	}
}

// patchGuildChannel changes a channel that is no thread.
func (s *Server) patchGuildChannel(q *request, c *channel) (any, error) {
	switch {
	case c.guild == nil:
		return nil, &apiError{status: 403, code: 50003, message: "Cannot execute action on a DM channel"}
	case !c.permissions(q.who()).has(ManageChannels):
		return nil, missingPermissions()
	}
	var in channelForm
	if err := q.read(&in); err != nil {
		return nil, err
	}
	before := s.sight(c.guild)
	if err := s.fill(c, in); err != nil {
		return nil, err
	}
	s.lookAround(c.guild)
	s.channelEvent("CHANNEL_UPDATE", c)
	s.gained(c.guild, before)
	return c.body(), nil
}

// putPermission sets one overwrite of a channel.
func (s *Server) putPermission(q *request) (any, error) {
	c, err := s.myOverwrites(q)
	if err != nil {
		return nil, err
	}
	var in overwriteForm
	if err := q.read(&in); err != nil {
		return nil, err
	}
	o, err := in.overwrite()
	if err != nil {
		return nil, err
	}
	s.setPermission(c, q.id("overwrite"), o.allow, o.deny)
	return nil, nil
}

func (s *Server) deletePermission(q *request) (any, error) {
	c, err := s.myOverwrites(q)
	if err != nil {
		return nil, err
	}
	s.setPermission(c, q.id("overwrite"), 0, 0)
	return nil, nil
}

// myOverwrites is the channel of the path, if the bot may set permissions in it.
func (s *Server) myOverwrites(q *request) (*channel, error) {
	c, err := s.myChannel(q)
	switch {
	case err != nil:
		return nil, err
	case c.guild == nil || c.thread != nil:
		return nil, &apiError{status: 400, code: 50024, message: "Cannot execute action on this channel type"}
	case !c.permissions(q.who()).has(ManageRoles):
		return nil, missingPermissions()
	}
	return c, nil
}
