package wire

import (
	"time"

	"gapless"
)

// Events are what the frame reports, in order: usually one, none for dispatches that are nothing to us. at is when the
// frame was read. A dispatch of ours that cannot be understood becomes [gapless.Unreadable], with whatever ids could be
// read and its type as Note.
func (f Frame) Events(origin gapless.Origin, at time.Time) []gapless.Event {
	return f.AppendEvents(nil, origin, at)
}

// AppendEvents is Events, appended to a list.
func (f Frame) AppendEvents(to []gapless.Event, origin gapless.Origin, at time.Time) []gapless.Event {
	if f.Op != OpDispatch {
		return to
	}
	decode, ours := dispatches[f.Type]
	switch {
	case f.Type == "":
		decode = untyped
	case !ours:
		return to
	}
	e, ok := decode(f)
	if !ok {
		return to
	}
	e.Origin, e.At = origin, at
	return append(to, e)
}

// dispatches are the dispatch types that mean something to us.
var dispatches = map[string]func(Frame) (gapless.Event, bool){
	"READY":               ready,
	"RESUMED":             resumed,
	"MESSAGE_CREATE":      messageCreate,
	"MESSAGE_UPDATE":      messageUpdate,
	"MESSAGE_DELETE":      messageDelete,
	"MESSAGE_DELETE_BULK": messageDelete,
	"CHANNEL_CREATE":      channelCreate,
	"CHANNEL_UPDATE":      channelSeen,
	"CHANNEL_DELETE":      channelGone,
	"THREAD_CREATE":       channelSeen,
	"THREAD_UPDATE":       channelSeen,
	"THREAD_DELETE":       channelGone,
	"THREAD_LIST_SYNC":    threadsListed,
	"GUILD_CREATE":        guildSeen,
	"GUILD_DELETE":        guildGone,
	"GUILD_ROLE_CREATE":   roleSeen,
	"GUILD_ROLE_UPDATE":   roleSeen,
	"GUILD_ROLE_DELETE":   roleGone,
	"GUILD_MEMBER_UPDATE": memberSeen,
}

// untyped is a dispatch of which not even the type can be read: it may have been anything.
func untyped(f Frame) (e gapless.Event, ok bool) {
	e, ok = unreadable(f)
	e.Note = "a dispatch without a type"
	return e, ok
}

// unreadable is a dispatch that cannot be understood, with the ids that can.
func unreadable(f Frame) (e gapless.Event, ok bool) {
	e = gapless.Event{Kind: gapless.Unreadable, Note: f.Type}
	var id snowflake
	m := object(f.Data)
	for m.next() {
		switch string(m.key) {
		case "id":
			id = snowflakeOf(m.value)
		case "channel_id":
			e.Place = gapless.ChannelID(snowflakeOf(m.value))
		case "ids":
			e.IDs = idsOf[gapless.MessageID](m.value)
		}
	}
	if id != 0 && e.Place != 0 {
		e.IDs = append(e.IDs, gapless.MessageID(id))
	}
	return e, true
}

func ready(f Frame) (e gapless.Event, ok bool) {
	r, err := f.Ready()
	if err != nil {
		return unreadable(f)
	}
	return gapless.Event{Kind: gapless.SessionBegan, Self: r.Self, Guilds: r.Guilds}, true
}

func resumed(Frame) (e gapless.Event, ok bool) {
	return gapless.Event{Kind: gapless.SessionResumed}, true
}

func messageCreate(f Frame) (e gapless.Event, ok bool) {
	p, ok := parseMessage(f.Data)
	if !ok || !p.readable || p.Author.ID == 0 {
		return unreadable(f)
	}
	return gapless.Event{Kind: gapless.MessageCreated, Message: &p.Message, Channel: p.channel()}, true
}

// messageUpdate leaves out updates that carry no text at all: they renew embeds or flags (protocol A20).
func messageUpdate(f Frame) (e gapless.Event, ok bool) {
	p, ok := parseMessage(f.Data)
	switch {
	case !ok || !p.readable:
		return unreadable(f)
	case !p.text:
		return e, false
	}
	return gapless.Event{Kind: gapless.MessageEdited, Message: &p.Message}, true
}

func messageDelete(f Frame) (e gapless.Event, ok bool) {
	e, ok = unreadable(f)
	if e.Place != 0 && len(e.IDs) > 0 {
		e.Kind, e.Note = gapless.MessagesDeleted, ""
	}
	return e, ok
}

func channelCreate(f Frame) (e gapless.Event, ok bool) {
	c, ok := parseChannel(f.Data)
	if !ok {
		return unreadable(f)
	}
	c.Created = true
	return gapless.Event{Kind: gapless.ChannelSeen, Channel: &c}, true
}

func channelSeen(f Frame) (e gapless.Event, ok bool) {
	c, ok := parseChannel(f.Data)
	if !ok {
		return unreadable(f)
	}
	return gapless.Event{Kind: gapless.ChannelSeen, Channel: &c}, true
}

func channelGone(f Frame) (e gapless.Event, ok bool) {
	c, ok := parseChannel(f.Data)
	if !ok {
		return unreadable(f)
	}
	return gapless.Event{Kind: gapless.ChannelGone, Place: c.ID, Channel: &c}, true
}

func threadsListed(f Frame) (e gapless.Event, ok bool) {
	var r rawThreads
	if !read(f.Data, &r) || r.Guild == 0 {
		return unreadable(f)
	}
	g := gapless.Guild{ID: gapless.GuildID(r.Guild)}
	g.Threads = r.threads(g.ID)
	return gapless.Event{Kind: gapless.ThreadsListed, Guild: &g}, true
}

func guildSeen(f Frame) (e gapless.Event, ok bool) {
	g, ok := parseGuild(f.Data)
	if !ok {
		return unreadable(f)
	}
	return gapless.Event{Kind: gapless.GuildSeen, Guild: &g}, true
}

func guildGone(f Frame) (e gapless.Event, ok bool) {
	g, ok := parseGuild(f.Data)
	if !ok {
		return unreadable(f)
	}
	return gapless.Event{Kind: gapless.GuildGone, Guild: &g}, true
}
