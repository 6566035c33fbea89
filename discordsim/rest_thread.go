package discordsim

import (
	"cmp"
	"slices"
	"time"
)

// threadList is a list of threads as REST gives it, with the bot's own memberships beside it.
func (q *request) threadList(list []*channel) (threads, members []object) {
	threads, members = []object{}, []object{}
	for _, t := range list {
		threads = append(threads, t.threadBody(q.who()))
		members = append(members, t.memberBodies(q.who())...)
	}
	return threads, members
}

type newThread struct {
	Name        string           `json:"name"`
	AutoArchive int              `json:"auto_archive_duration"`
	Type        *ChannelType     `json:"type"`
	Tags        []ID             `json:"applied_tags"`
	Slow        int              `json:"rate_limit_per_user"`
	Message     *outgoingMessage `json:"message"`
}

func (in newThread) options() (ThreadOptions, error) {
	switch {
	case in.Name == "" || len([]rune(in.Name)) > 100:
		return ThreadOptions{}, badField("name", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 100 in length.")
	case in.Slow < 0 || in.Slow > maxSlow:
		return ThreadOptions{}, badField("rate_limit_per_user", "NUMBER_TYPE_MAX", "int value should be between 0 and 21600.")
	case in.AutoArchive != 0 && !slices.Contains([]int{60, 1440, 4320, 10080}, in.AutoArchive):
		return ThreadOptions{}, badField("auto_archive_duration", "BASE_TYPE_CHOICES",
			"Value must be one of (60, 1440, 4320, 10080).")
	}
	return ThreadOptions{AutoArchive: time.Duration(in.AutoArchive) * time.Minute, Tags: in.Tags,
		slow: time.Duration(in.Slow) * time.Second}, nil
}

func (s *Server) postMessageThread(q *request) (any, error) {
	m, err := s.myMessage(q)
	if err != nil {
		return nil, err
	}
	var in newThread
	if err := q.read(&in); err != nil {
		return nil, err
	}
	opts, err := in.options()
	if err != nil {
		return nil, err
	}
	if !m.channel.permissions(q.who()).has(CreatePublicThreads) {
		return nil, missingPermissions()
	}
	opts.From = m.id
	t, err := s.startThread(q.bot.user, m.channel, in.Name, opts)
	if err != nil {
		return nil, err
	}
	return t.threadBody(q.who()), nil
}

// postThread opens a thread without a message, private unless it says otherwise, or a forum post (F60).
func (s *Server) postThread(q *request) (any, error) {
	c, err := s.myChannel(q)
	if err != nil {
		return nil, err
	}
	var in newThread
	files, err := q.readMessage(&in)
	if err != nil {
		return nil, err
	}
	opts, err := in.options()
	if err != nil {
		return nil, err
	}
	if c.kind == Forum || c.kind == Media {
		return s.postForum(q, c, in, files, opts)
	}
	opts.Private = in.Type == nil || *in.Type == PrivateThread
	needed := CreatePublicThreads
	if opts.Private {
		needed = CreatePrivateThreads
	}
	if !c.permissions(q.who()).has(needed) {
		return nil, missingPermissions()
	}
	t, err := s.startThread(q.bot.user, c, in.Name, opts)
	if err != nil {
		return nil, err
	}
	return t.threadBody(q.who()), nil
}

func (s *Server) postForum(q *request, c *channel, in newThread, files []string, opts ThreadOptions) (any, error) {
	switch {
	case !c.permissions(q.who()).has(SendMessages):
		return nil, missingPermissions()
	case in.Message == nil:
		return nil, badField("message", "BASE_TYPE_REQUIRED", "This field is required")
	}
	in.Message.files = files
	if err := in.Message.check(); err != nil {
		return nil, err
	}
	post, err := s.options(q, c, *in.Message)
	if err != nil {
		return nil, err
	}
	t, m, err := s.forumPost(q.bot.user, c, in.Name, in.Message.text(), opts, post)
	if err != nil {
		return nil, err
	}
	body := t.threadBody(q.who())
	body["message"] = m.body(s, q.bot, true)
	return body, nil
}

// getChannelThreads lists the active threads of one channel; version 10 has it no more (B10).
func (s *Server) getChannelThreads(q *request) (any, error) {
	c, err := s.readableChannel(q)
	switch {
	case err != nil:
		return nil, err
	case !c.kind.holdsThreads():
		return nil, &apiError{status: 400, code: 50024, message: "Cannot execute action on this channel type"}
	}
	active := slices.DeleteFunc(c.guild.activeThreads(q.who()), func(t *channel) bool { return t.parent != c })
	threads, members := q.threadList(active)
	return object{"threads": threads, "members": members, "has_more": false}, nil
}

func (s *Server) getArchivedPublic(q *request) (any, error) {
	return s.archivedByTime(q, ReadMessageHistory, func(t *channel) bool { return t.kind != PrivateThread })
}

func (s *Server) getArchivedPrivate(q *request) (any, error) {
	return s.archivedByTime(q, ReadMessageHistory|ManageThreads, func(t *channel) bool { return t.kind == PrivateThread })
}

// archivedByTime lists archived threads, latest archive_timestamp first; before is an instant (F61).
func (s *Server) archivedByTime(q *request, needed Permission, wanted func(*channel) bool) (any, error) {
	list, limit, err := s.archivedOf(q, needed)
	if err != nil {
		return nil, err
	}
	before, err := q.instant("before")
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(t *channel) bool {
		return !wanted(t) || (!before.IsZero() && !micro(t.thread.stamped).Before(before))
	})
	slices.SortStableFunc(list, func(a, b *channel) int {
		return cmp.Or(b.thread.stamped.Compare(a.thread.stamped), cmp.Compare(b.id, a.id))
	})
	return s.archivedPage(q, list, limit), nil
}

// micro cuts an instant to what its written form holds, so that a cursor copied from it excludes it.
func micro(t time.Time) time.Time { return t.Truncate(time.Microsecond) }

// getArchivedJoined lists private archived threads the bot has joined, highest id first; before is an id.
func (s *Server) getArchivedJoined(q *request) (any, error) {
	list, limit, err := s.archivedOf(q, ReadMessageHistory)
	if err != nil {
		return nil, err
	}
	var before ID
	if text := q.query.Get("before"); text != "" {
		if before, err = ParseID(text); err != nil {
			return nil, badField("before", "NUMBER_TYPE_COERCE", "Value \""+text+"\" is not snowflake.")
		}
	}
	list = slices.DeleteFunc(list, func(t *channel) bool {
		return t.kind != PrivateThread || !t.thread.joined(q.who()) || (before != 0 && t.id >= before)
	})
	slices.SortFunc(list, func(a, b *channel) int { return cmp.Compare(b.id, a.id) })
	return s.archivedPage(q, list, limit), nil
}

// archivedOf are the archived threads of the channel in the path, if the bot has the permissions.
func (s *Server) archivedOf(q *request, needed Permission) ([]*channel, int, error) {
	c, err := s.myChannel(q)
	if err != nil {
		return nil, 0, err
	}
	limit, err := q.number("limit", 50, 2, 100)
	switch {
	case err != nil:
		return nil, 0, err
	case !c.kind.holdsThreads():
		return nil, 0, &apiError{status: 400, code: 50024, message: "Cannot execute action on this channel type"}
	case !c.permissions(q.who()).has(needed):
		return nil, 0, missingPermissions()
	}
	var list []*channel
	for _, t := range c.guild.threads {
		if t.parent == c && t.thread.archived {
			list = append(list, t)
		}
	}
	return list, limit, nil
}

func (s *Server) archivedPage(q *request, list []*channel, limit int) object {
	more := len(list) > limit
	if s.strike(WrongMore, q.subject()) != nil {
		more = !more
	}
	threads, members := q.threadList(list[:min(limit, len(list))])
	if f := s.strike(OmitThreads, q.subject()); f != nil {
		threads = withoutThread(threads, f.Thread)
	}
	return object{"threads": threads, "members": members, "has_more": more}
}

func (s *Server) getThreadMembers(q *request) (any, error) {
	c, err := s.myThread(q)
	if err != nil {
		return nil, err
	}
	list := []object{}
	for _, m := range c.thread.members {
		list = append(list, m.body(c))
	}
	return list, nil
}

func (s *Server) putThreadMember(q *request) (any, error) {
	c, err := s.myThread(q)
	if err != nil {
		return nil, err
	}
	if c.thread.archived {
		return nil, archivedThread()
	}
	s.joinThread(c, q.bot.user)
	return nil, nil
}

func (s *Server) deleteThreadMember(q *request) (any, error) {
	c, err := s.myThread(q)
	if err != nil {
		return nil, err
	}
	if c.thread.archived {
		return nil, archivedThread()
	}
	s.leaveThread(c, q.who())
	return nil, nil
}
