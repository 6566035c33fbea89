package gapless_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"gapless"
)

// discord is a small Discord: it keeps what was posted, shows it over REST, and
// takes answers, each nonce once within five minutes.
type discord struct {
	mu       sync.Mutex
	channels []gapless.Channel
	posts    map[gapless.ChannelID][]gapless.Message
	dms      map[gapless.UserID]gapless.ChannelID
	archived map[gapless.ChannelID]map[gapless.ArchivedList][]gapless.Channel
	seq      gapless.MessageID
	roles    map[gapless.UserID][]gapless.RoleID
	dead     bool // the network of a crashed process is cut

	// Knobs, set while mu is held through set.
	pause    time.Duration                                    // how long a REST call takes
	lag      time.Duration                                    // how long an answer takes to come into history
	broken   func(deed string, place gapless.ChannelID) error // answers instead of history
	sending  func(n int, r gapless.Reply) error               // the answer to the n-th POST, from 1; its kind says whether it was taken
	calls    map[string]int
	attempts int
	answers  []answer
}

// answer is a message of the bot's as Discord holds it.
type answer struct {
	id    gapless.MessageID
	reply gapless.Reply
	at    time.Time
}

var errLostAnswer = errors.New("connection reset after the request was read")

// nonceMemory is how long this Discord knows a nonce; we count on less.
const nonceMemory = 5 * time.Minute

func newDiscord() *discord {
	return &discord{
		channels: []gapless.Channel{{ID: 10, Guild: home, Name: "general"}, {ID: 20, Guild: home}, {ID: 30, Guild: home}},
		posts:    map[gapless.ChannelID][]gapless.Message{}, calls: map[string]int{}, pause: 50 * time.Millisecond,
	}
}

// set changes knobs.
func (d *discord) set(f func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f()
}

func (d *discord) cut()     { d.set(func() { d.dead = true }) }
func (d *discord) restore() { d.set(func() { d.dead = false }) }

func (d *discord) called(deed string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.calls[deed]
}

// post writes a message a millisecond after the one before it.
func (d *discord) post(place gapless.ChannelID, text string) gapless.Message {
	time.Sleep(time.Millisecond)
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.add(gapless.Message{Place: place, Author: gapless.User{ID: friend, Name: "ann"}, Text: text})
}

// add gives the message an id and keeps it; it knows its guild only when heard.
func (d *discord) add(m gapless.Message) gapless.Message {
	d.seq++
	m.ID = gapless.At[gapless.MessageID](time.Now()) + d.seq%4096
	d.posts[m.Place] = append(d.posts[m.Place], m)
	m.Guild = home
	return m
}

// texts are those of all messages that were ever posted here and are not
// deleted, and of all answers.
func (d *discord) texts() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []string
	for _, posts := range d.posts {
		for _, m := range posts {
			out = append(out, m.Text)
		}
	}
	for _, a := range d.answers {
		out = append(out, a.reply.Text)
	}
	return out
}

// inventory is what GUILD_CREATE says now.
func (d *discord) inventory() gapless.Guild {
	d.mu.Lock()
	defer d.mu.Unlock()
	g := gapless.Guild{ID: home, Name: "home", Channels: slices.Clone(d.channels)}
	for i, c := range g.Channels {
		if p := d.posts[c.ID]; len(p) > 0 {
			g.Channels[i].Last = p[len(p)-1].ID
		}
	}
	return g
}

// call is one REST call: it takes its time and may fail.
func (d *discord) call(ctx context.Context, deed string, place gapless.ChannelID) error {
	d.mu.Lock()
	d.calls[deed]++
	pause, broken := d.pause, d.broken
	d.mu.Unlock()
	select {
	case <-time.After(pause):
	case <-ctx.Done():
		return ctx.Err()
	}
	if broken != nil {
		if err := broken(deed, place); err != nil {
			return err
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.dead {
		return gapless.ErrUnavailable
	}
	return nil
}

// After gives the page newest first, as Discord does.
func (d *discord) After(ctx context.Context, place gapless.ChannelID, after gapless.MessageID, limit int) (gapless.Page, error) {
	if err := d.call(ctx, "After", place); err != nil {
		return gapless.Page{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	var page []gapless.Message
	for _, m := range d.posts[place] {
		if m.ID > after && len(page) < limit {
			page = append(page, m)
		}
	}
	slices.Reverse(page)
	return gapless.Page{Messages: page}, nil
}

// Message reads one message.
func (d *discord) Message(ctx context.Context, place gapless.ChannelID, id gapless.MessageID) (gapless.Message, error) {
	if err := d.call(ctx, "Message", place); err != nil {
		return gapless.Message{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, m := range d.posts[place] {
		if m.ID == id {
			return m, nil
		}
	}
	return gapless.Message{}, fmt.Errorf("message %s: %w", id, gapless.ErrUnknownMessage)
}

// Newest gives the newest id.
func (d *discord) Newest(ctx context.Context, place gapless.ChannelID) (gapless.MessageID, error) {
	if err := d.call(ctx, "Newest", place); err != nil {
		return 0, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if p := d.posts[place]; len(p) > 0 {
		return p[len(p)-1].ID, nil
	}
	return 0, nil
}

// Archived lists what the archived knob says; a page has perPage threads, the
// latest archived first.
func (d *discord) Archived(ctx context.Context, parent gapless.ChannelID, list gapless.ArchivedList, cursor string) (gapless.Listing, error) {
	if err := d.call(ctx, "Archived "+string(list), parent); err != nil {
		return gapless.Listing{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	all := slices.Clone(d.archived[parent][list])
	for i, c := range all {
		if p := d.posts[c.ID]; len(p) > 0 {
			all[i].Last = p[len(p)-1].ID
		}
	}
	from, _ := strconv.Atoi(cursor)
	to := min(from+perPage, len(all))
	l := gapless.Listing{Threads: all[from:to]}
	if to < len(all) {
		l.Next = strconv.Itoa(to)
	}
	return l, nil
}

// perPage is how many archived threads this Discord lists at once.
const perPage = 50

// OpenDM gives the DM with a friend.
func (d *discord) OpenDM(ctx context.Context, user gapless.UserID) (gapless.Channel, error) {
	if err := d.call(ctx, "OpenDM", gapless.ChannelID(user)); err != nil {
		return gapless.Channel{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return gapless.Channel{ID: d.dms[user], Kind: gapless.DM, Recipient: user}, nil
}

// Inventory lists the guild.
func (d *discord) Inventory(ctx context.Context, _ gapless.GuildID) (gapless.Guild, error) {
	if err := d.call(ctx, "Inventory", 0); err != nil {
		return gapless.Guild{}, err
	}
	return d.inventory(), nil
}

// Send takes a reply, unless the sending knob says otherwise.
func (d *discord) Send(ctx context.Context, r gapless.Reply) (gapless.MessageID, error) {
	if err := d.call(ctx, "Send", r.Place); err != nil {
		return 0, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.attempts++
	var verdict error
	if d.sending != nil {
		verdict = d.sending(d.attempts, r)
	}
	if verdict != nil && !errors.Is(verdict, errLostAnswer) {
		return 0, verdict
	}
	for _, a := range d.answers {
		if a.reply.Nonce == r.Nonce && time.Since(a.at) < nonceMemory {
			return a.id, verdict
		}
	}
	m := d.add(gapless.Message{Place: r.Place, Author: gapless.User{ID: self, Bot: true}, Text: r.Text, Nonce: r.Nonce})
	d.answers = append(d.answers, answer{m.ID, r, time.Now()})
	return m.ID, verdict
}

// Find looks for an own message with the reply's text and reference.
func (d *discord) Find(ctx context.Context, r gapless.Reply, _ gapless.UserID) (gapless.MessageID, bool, error) {
	if err := d.call(ctx, "Find", r.Place); err != nil {
		return 0, false, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, a := range d.answers {
		if time.Since(a.at) >= d.lag && a.reply.Text == r.Text && a.reply.Reference == r.Reference && a.reply.Place == r.Place {
			return a.id, true, nil
		}
	}
	return 0, false, nil
}

// holds is the texts of the answers Discord has in a place, in order.
func (d *discord) holds(place gapless.ChannelID) (texts []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, a := range d.answers {
		if a.reply.Place == place {
			texts = append(texts, a.reply.Text)
		}
	}
	return texts
}

// stuckHistory gives the same page whatever it is asked for (C26).
type stuckHistory struct {
	gapless.History
	page  gapless.Page
	pages *atomic.Int32
}

func (s *stuckHistory) After(context.Context, gapless.ChannelID, gapless.MessageID, int) (gapless.Page, error) {
	s.pages.Add(1)
	return s.page, nil
}

// Channel reads one channel.
func (d *discord) Channel(ctx context.Context, id gapless.ChannelID) (gapless.Channel, error) {
	if err := d.call(ctx, "Channel", id); err != nil {
		return gapless.Channel{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	i := slices.IndexFunc(d.channels, func(c gapless.Channel) bool { return c.ID == id })
	if i < 0 {
		return gapless.Channel{}, gapless.ErrUnknownChannel
	}
	return d.channels[i], nil
}

// Member reads a member: whoever has no roles here has left.
func (d *discord) Member(ctx context.Context, _ gapless.GuildID, user gapless.UserID) (gapless.Membership, error) {
	if err := d.call(ctx, "Member", 0); err != nil {
		return gapless.Membership{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	roles, here := d.roles[user]
	return gapless.Membership{Known: true, Left: !here, Roles: roles}, nil
}

// Roles reads the roles of a guild: 80 is the bot's own.
func (d *discord) Roles(ctx context.Context, guild gapless.GuildID) (gapless.Guild, error) {
	if err := d.call(ctx, "Roles", 0); err != nil {
		return gapless.Guild{}, err
	}
	return gapless.Guild{ID: guild, Roles: []gapless.Role{{ID: 80}}, Bots: []gapless.BotRole{{Role: 80, Bot: self}}}, nil
}
