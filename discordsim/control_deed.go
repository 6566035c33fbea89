package discordsim

import (
	"errors"
	"time"
)

// deed is what a POST to /_sim/<name> may say. Each deed reads the fields it needs; ids are strings.
type deed struct {
	ID          ID             `json:"id"` // of the message, thread, channel or fault, or the one to make
	IDs         []ID           `json:"ids"`
	Bot         ID             `json:"bot"`
	User        ID             `json:"user"`
	Guild       ID             `json:"guild"`
	Channel     ID             `json:"channel"`
	Parent      ID             `json:"parent"` // category
	Target      ID             `json:"target"` // role or user of a permission
	Role        ID             `json:"role"`
	From        ID             `json:"from"` // message a thread hangs on
	Members     []ID           `json:"members"`
	Tags        []ID           `json:"tags"`
	Type        ChannelType    `json:"type"`
	Kind        int            `json:"kind"` // type of a message
	Name        string         `json:"name"`
	Display     string         `json:"display"`
	Text        string         `json:"text"`
	Emoji       string         `json:"emoji"`
	Reply       ID             `json:"reply"`
	Forward     ID             `json:"forward"`
	NoPing      bool           `json:"no_ping"`
	Nonce       string         `json:"nonce"`
	Webhook     bool           `json:"webhook"`
	Flags       int            `json:"flags"`
	Attachments []string       `json:"attachments"`
	Poll        *Poll          `json:"poll"`
	Answer      int            `json:"answer"` // of a poll, from 1
	Extra       map[string]any `json:"extra"`
	Silent      bool           `json:"silent"`
	AgeMS       int64          `json:"age_ms"` // how long ago a message was written
	Private     bool           `json:"private"`
	On          bool           `json:"on"`
	Code        int            `json:"code"`
	Allow       Permission     `json:"allow"`
	Deny        Permission     `json:"deny"`
	Fault       Fault          `json:"fault"`
	Habits      Habits         `json:"habits"`
	DelayMS     int64          `json:"delay_ms"` // of the fault
	JitterMS    int64          `json:"jitter_ms"`
	ForMS       int64          `json:"for_ms"` // of the fault, a time-out, slow mode, auto-archive or an outage
}

func (d deed) length() time.Duration { return time.Duration(d.ForMS) * time.Millisecond }

// made answers a deed that made something.
type made struct {
	ID ID `json:"id"`
}

// quiet is a deed that cannot fail and makes nothing.
func quiet(do func(s *Server, d deed)) func(*Server, deed) (any, error) {
	return func(s *Server, d deed) (any, error) { do(s, d); return nil, nil }
}

// maker is a deed that makes something with an id.
func maker(do func(s *Server, d deed) (ID, error)) func(*Server, deed) (any, error) {
	return func(s *Server, d deed) (any, error) {
		id, err := do(s, d)
		return made{id}, err
	}
}

// risky is a deed that may fail and makes nothing.
func risky(do func(s *Server, d deed) error) func(*Server, deed) (any, error) {
	return func(s *Server, d deed) (any, error) { return nil, do(s, d) }
}

// deeds are the names under /_sim/ that take a POST.
var deeds = map[string]func(s *Server, d deed) (any, error){
	// People and places.
	"bot":   func(s *Server, d deed) (any, error) { return s.AddBot(d.Name), nil },
	"adopt": func(s *Server, d deed) (any, error) { return s.Adopt(d.User) },
	"user":  maker(func(s *Server, d deed) (ID, error) { return s.AddUser(d.Name, d.Display), nil }),
	"guild": maker(func(s *Server, d deed) (ID, error) { return s.AddGuild(d.Name, d.Members...), nil }),
	"channel": maker(func(s *Server, d deed) (ID, error) {
		id := s.AddChannel(d.Guild, d.Type, d.Name)
		if d.Parent != 0 {
			s.MoveChannel(id, d.Parent)
		}
		return id, nil
	}),
	"rename-channel": quiet(func(s *Server, d deed) { s.RenameChannel(d.Channel, d.Name) }),
	"move-channel":   quiet(func(s *Server, d deed) { s.MoveChannel(d.Channel, d.Parent) }),
	"delete-channel": risky(func(s *Server, d deed) error { return s.DeleteChannel(d.Channel) }),
	"slow-mode":      quiet(func(s *Server, d deed) { s.SetSlowMode(d.Channel, d.length()) }),
	"tag":            maker(func(s *Server, d deed) (ID, error) { return s.AddForumTag(d.Channel, d.Name), nil }),
	"require-tag":    quiet(func(s *Server, d deed) { s.RequireTag(d.Channel, d.On) }),
	"dm":             maker(func(s *Server, d deed) (ID, error) { return s.OpenDM(d.User, d.Bot), nil }),
	"join":           quiet(func(s *Server, d deed) { s.Join(d.Guild, d.User) }),
	"leave":          quiet(func(s *Server, d deed) { s.Leave(d.Guild, d.User) }),
	"remove-guild":   quiet(func(s *Server, d deed) { s.RemoveGuild(d.Guild) }),
	"outage":         quiet(func(s *Server, d deed) { s.GuildOutage(d.Guild, d.On) }),

	// Permissions.
	"role":       maker(func(s *Server, d deed) (ID, error) { return s.AddRole(d.Guild, d.Name, d.Allow), nil }),
	"set-role":   quiet(func(s *Server, d deed) { s.SetRole(d.Guild, d.Role, d.Allow) }),
	"give-role":  quiet(func(s *Server, d deed) { s.GiveRole(d.Guild, d.User, d.Role, d.On) }),
	"permission": quiet(func(s *Server, d deed) { s.SetPermission(d.Channel, d.Target, d.Allow, d.Deny) }),
	"time-out":   quiet(func(s *Server, d deed) { s.TimeOut(d.Guild, d.User, d.length()) }),
	"content":    quiet(func(s *Server, d deed) { s.SetMessageContent(d.Bot, d.On) }),
	"members":    quiet(func(s *Server, d deed) { s.SetMembersIntent(d.Bot, d.On) }),

	// Threads.
	"thread": maker(func(s *Server, d deed) (ID, error) {
		return s.StartThread(d.User, d.Channel, d.Name,
			ThreadOptions{From: d.From, Private: d.Private, ID: d.ID, AutoArchive: d.length()})
	}),
	"forum-post": maker(func(s *Server, d deed) (ID, error) {
		return s.ForumPost(d.User, d.Channel, d.Name, d.Text, ThreadOptions{Tags: d.Tags, AutoArchive: d.length()})
	}),
	"archive":      quiet(func(s *Server, d deed) { s.Archive(d.ID, d.On) }),
	"lock":         quiet(func(s *Server, d deed) { s.Lock(d.ID, d.On) }),
	"join-thread":  quiet(func(s *Server, d deed) { s.JoinThread(d.ID, d.User) }),
	"leave-thread": quiet(func(s *Server, d deed) { s.LeaveThread(d.ID, d.User) }),

	// Messages.
	"post":        maker(controlPost),
	"edit":        risky(func(s *Server, d deed) error { return s.Edit(d.ID, d.Text) }),
	"delete":      risky(func(s *Server, d deed) error { return s.Delete(d.ID) }),
	"bulk-delete": quiet(func(s *Server, d deed) { s.BulkDelete(d.Channel, d.IDs...) }),
	"react":       risky(func(s *Server, d deed) error { return s.React(d.User, d.ID, d.Emoji) }),
	"unreact":     quiet(func(s *Server, d deed) { s.Unreact(d.User, d.ID, d.Emoji) }),
	"clear":       quiet(func(s *Server, d deed) { s.ClearReactions(d.ID, d.Emoji) }),
	"vote":        risky(func(s *Server, d deed) error { return s.Vote(d.User, d.ID, d.Answer, d.On) }),
	"end-poll":    quiet(func(s *Server, d deed) { s.EndPoll(d.ID) }),
	"pin":         risky(func(s *Server, d deed) error { return s.Pin(d.User, d.ID) }),
	"unpin":       quiet(func(s *Server, d deed) { s.Unpin(d.ID) }),
	"typing":      quiet(func(s *Server, d deed) { s.Typing(d.User, d.Channel) }),

	// Faults, connections and sessions.
	"inject":     maker(controlInject),
	"lift":       quiet(func(s *Server, d deed) { s.Lift(FaultID(d.ID)) }),
	"expire":     quiet(func(s *Server, d deed) { s.Expire(d.Bot) }),
	"drop":       quiet(func(s *Server, d deed) { s.DropConnections(d.Bot) }),
	"close":      quiet(func(s *Server, d deed) { s.CloseConnections(d.Bot, d.Code) }),
	"reconnect":  quiet(func(s *Server, d deed) { s.AskReconnect(d.Bot) }),
	"invalidate": quiet(func(s *Server, d deed) { s.InvalidateSessions(d.Bot, d.On) }),
	"heartbeat":  quiet(func(s *Server, d deed) { s.AskHeartbeat(d.Bot) }),
	"raw":        quiet(func(s *Server, d deed) { s.SendRaw(d.Bot, []byte(d.Text)) }),
	"revoke":     func(s *Server, d deed) (any, error) { return map[string]string{"token": s.RevokeToken(d.Bot)}, nil },
	"pause":      risky(controlPause),
	"habits":     quiet(func(s *Server, d deed) { s.SetHabits(d.Habits) }),
}

func controlPost(s *Server, d deed) (ID, error) {
	o := PostOptions{Reply: d.Reply, NoPing: d.NoPing, Forward: d.Forward, Nonce: d.Nonce, Webhook: d.Webhook, Type: d.Kind,
		Flags: d.Flags, Attachments: d.Attachments, ID: d.ID, Silent: d.Silent, Extra: d.Extra, Poll: d.Poll}
	if d.AgeMS > 0 {
		o.At = time.Now().Add(-time.Duration(d.AgeMS) * time.Millisecond)
	}
	return s.Post(d.User, d.Channel, d.Text, o)
}

func controlInject(s *Server, d deed) (ID, error) {
	f := d.Fault
	f.Delay += time.Duration(d.DelayMS) * time.Millisecond
	f.Jitter += time.Duration(d.JitterMS) * time.Millisecond
	f.For += d.length()
	id, err := s.Inject(f)
	return ID(id), err
}

// pauseLead leaves the answer to a pause time to arrive before its connection is cut as well.
const pauseLead = 100 * time.Millisecond

// controlPause takes the whole service away for a time. It must have an end: this door goes away with the rest.
func controlPause(s *Server, d deed) error {
	if d.ForMS <= 0 {
		return errors.New("pause: for_ms must say how long")
	}
	s.lock()
	defer s.mu.Unlock()
	s.after(pauseLead, func() {
		go s.Pause() // it takes the lock
		s.after(d.length(), func() { s.paused = false })
	})
	return nil
}
