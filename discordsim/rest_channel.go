package discordsim

import (
	"slices"
	"time"
)

// myChannel is the channel of the path, if the bot may view it (F53, F55).
func (s *Server) myChannel(q *request) (*channel, error) {
	c := s.world.channels[q.id("channel")]
	switch {
	case c == nil || c.gone():
		return nil, unknownChannel()
	case !c.visible(q.who()):
		return nil, missingAccess()
	}
	return c, nil
}

// myThread is myChannel for what must be a thread.
func (s *Server) myThread(q *request) (*channel, error) {
	c, err := s.myChannel(q)
	if err == nil && c.thread == nil {
		err = &apiError{status: 400, code: 50024, message: "Cannot execute action on this channel type"}
	}
	return c, err
}

// show is a channel or thread as REST gives it to a viewer.
func (c *channel) show(viewer ID) object {
	if c.thread != nil {
		return c.threadBody(viewer)
	}
	return c.body()
}

func (s *Server) getChannel(q *request) (any, error) {
	c, err := s.myChannel(q)
	if err != nil {
		return nil, err
	}
	return c.show(q.who()), nil
}

// threadForm is what a thread may be changed with.
type threadForm struct {
	Name        *string `json:"name"`
	Archived    *bool   `json:"archived"`
	Locked      *bool   `json:"locked"`
	AutoArchive *int    `json:"auto_archive_duration"`
	Invitable   *bool   `json:"invitable"`
	Slow        *int    `json:"rate_limit_per_user"`
	Tags        *[]ID   `json:"applied_tags"`
}

// patchChannel changes a channel or a thread (B9).
func (s *Server) patchChannel(q *request) (any, error) {
	c, err := s.myChannel(q)
	if err != nil {
		return nil, err
	}
	if c.thread == nil {
		return s.patchGuildChannel(q, c)
	}
	var in threadForm
	if err := q.read(&in); err != nil {
		return nil, err
	}
	if err := c.checkPatch(in, q.who()); err != nil {
		return nil, err
	}
	changed := s.patchThread(c, in)
	if in.Archived != nil && *in.Archived != c.thread.archived {
		s.archive(c, *in.Archived)
	} else if changed {
		s.threadEvent("THREAD_UPDATE", c)
	}
	return c.threadBody(q.who()), nil
}

// checkPatch tells why a user may not change a thread so.
func (c *channel) checkPatch(in threadForm, user ID) error {
	t := c.thread
	manages := c.permissions(user).has(ManageThreads)
	reopens := in.Archived != nil && !*in.Archived
	switch {
	case in.AutoArchive != nil && !slices.Contains([]int{60, 1440, 4320, 10080}, *in.AutoArchive):
		return badField("auto_archive_duration", "BASE_TYPE_CHOICES", "Value must be one of (60, 1440, 4320, 10080).")
	case in.Slow != nil && (*in.Slow < 0 || *in.Slow > maxSlow):
		return badField("rate_limit_per_user", "NUMBER_TYPE_MAX", "int value should be between 0 and 21600.")
	case t.locked && !manages:
		return missingPermissions()
	case !manages && (in.Locked != nil || in.Slow != nil || t.owner != user) && !(reopens && in.Name == nil):
		return missingPermissions()
	case t.archived && !reopens && !manages:
		return archivedThread()
	case in.Tags != nil:
		return c.parent.checkTags(*in.Tags, manages)
	}
	return nil
}

func (s *Server) patchThread(c *channel, in threadForm) (changed bool) {
	t := c.thread
	set(&c.name, in.Name)
	set(&t.locked, in.Locked)
	set(&t.invitable, in.Invitable)
	set(&t.tags, in.Tags)
	if in.Slow != nil {
		c.slow = time.Duration(*in.Slow) * time.Second
	}
	if in.AutoArchive != nil {
		t.autoArchive = time.Duration(*in.AutoArchive) * time.Minute
		t.stamped = s.now() // B10: a change of the duration moves archive_timestamp
		if !t.archived {
			s.rest(c)
		}
	}
	return in.Name != nil || in.AutoArchive != nil || in.Locked != nil || in.Invitable != nil || in.Slow != nil ||
		in.Tags != nil
}

func (s *Server) deleteChannelREST(q *request) (any, error) {
	c, err := s.myChannel(q)
	if err != nil {
		return nil, err
	}
	if c.guild == nil {
		return c.body(), nil // closing a DM deletes nothing
	}
	needed := ManageChannels
	if c.thread != nil {
		needed = ManageThreads
	}
	if !c.permissions(q.who()).has(needed) {
		return nil, missingPermissions()
	}
	body := c.show(q.who())
	return body, s.deleteChannel(c)
}

func (s *Server) postTyping(q *request) (any, error) {
	c, err := s.myChannel(q)
	if err != nil {
		return nil, err
	}
	if !c.maySend(q.who()) {
		return nil, missingPermissions()
	}
	s.typing(q.bot.user, c)
	return nil, nil
}
