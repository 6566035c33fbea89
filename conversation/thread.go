package conversation

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"time"

	"gapless"
)

// threadTries is how often a thread is asked for before the answer goes where
// the question was.
const threadTries = 3

// maxName is the longest name of a thread, in characters (protocol B9).
const maxName = 100

// thread has the answer go to a thread of the message, where one is due (S47).
// The thread of an earlier attempt is found again: it has the message's id.
func (r *Room) thread(ctx context.Context, d *gapless.Delivery) {
	if !r.threaded(d) {
		return
	}
	m := d.First()
	var err error
	for try := range threadTries {
		if try > 0 && !pause(ctx, time.Duration(try)*time.Second) {
			break
		}
		var id gapless.ChannelID
		if id, err = r.open(ctx, d.Place.ID, m); err == nil {
			d.AnswerIn(id)
			return
		}
		if final(err) {
			break
		}
	}
	if err != nil {
		d.Note("no thread could be made: " + err.Error())
	}
	r.log.Warn("no thread could be made; the answer goes to the channel", "delivery", d.ID, "channel", d.Place.ID, "error", err)
}

// open asks once for the thread of a message.
func (r *Room) open(ctx context.Context, place gapless.ChannelID, m gapless.Message) (gapless.ChannelID, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return r.discord.OpenThread(ctx, place, m.ID, threadName(m.Said()))
}

// final reports whether asking again is in vain.
func final(err error) bool {
	_, refused := errors.AsType[*gapless.RefusedError](err)
	return refused || errors.Is(err, gapless.ErrForbidden) || errors.Is(err, gapless.ErrUnauthorized) ||
		errors.Is(err, gapless.ErrUnknownMessage) || errors.Is(err, gapless.ErrUnknownChannel)
}

// threaded reports whether the delivery is answered in a thread of its own.
func (r *Room) threaded(d *gapless.Delivery) bool {
	m := d.First()
	return r.opt.Threads && d.Place.Kind == gapless.GuildText && d.Place.Guild != 0 && d.Messages[0].Ground == gapless.OnMention &&
		!m.Replies() && !listed(r.opt.NoThreads, d.Place) && !listed(r.opt.Free, d.Place)
}

// listed reports whether the channel is on the list.
func listed(l gapless.PlaceList, p gapless.Place) bool {
	return l.All || slices.Contains(l.IDs, p.ID) || slices.ContainsFunc(l.Names, func(name string) bool {
		return gapless.Ref(name).Names(uint64(p.ID), p.Name)
	})
}

// marks are mentions, emojis and times as Discord writes them, and what only
// formats a text.
var marks = regexp.MustCompile("<(@[!&]?|#|a?:\\w+:|t:)[0-9:a-zA-Z]+>|@(everyone|here)\\b|[*_~`|]+|(?m:^[#>]+ )")

// threadName makes a name of a message's text.
func threadName(text string) string {
	name := strings.Join(strings.Fields(marks.ReplaceAllString(text, " ")), " ")
	if runes := []rune(name); len(runes) > maxName {
		name = strings.TrimSpace(string(runes[:maxName-1])) + "…"
	}
	if name == "" {
		return "Conversation"
	}
	return name
}
