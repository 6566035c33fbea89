package wire

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"gapless"
)

func notA(what string) error { return errors.New("read " + what + ": not the JSON that was expected") }

// Messages reads a page of a place's history; null is an empty page (protocol B3). A message of which only the id can be
// read has Type -1: recovery has to get past it (C141). An entry without id is left out; if entries came and none has
// one, that is an error.
func Messages(b []byte, place gapless.ChannelID) ([]gapless.Message, error) {
	var items []json.RawMessage
	if json.Unmarshal(b, &items) != nil {
		return nil, notA("messages")
	}
	out := make([]gapless.Message, 0, len(items))
	for _, raw := range items {
		p, ok := parseMessage(raw)
		if !ok || p.ID == 0 {
			continue
		}
		if p.Place = cmp.Or(p.Place, place); !p.readable || p.Author.ID == 0 {
			p.Type = unreadableType
		}
		out = append(out, p.Message)
	}
	if len(items) > 0 && len(out) == 0 {
		return nil, notA("messages")
	}
	return out, nil
}

// unreadableType marks a message of which only the id can be read.
const unreadableType = -1

// Message reads one message.
func Message(b []byte) (gapless.Message, error) {
	p, ok := parseMessage(b)
	if !ok || p.ID == 0 || p.Place == 0 {
		return gapless.Message{}, notA("message")
	}
	return p.Message, nil
}

// Channel reads one channel or thread.
func Channel(b []byte) (gapless.Channel, error) {
	c, ok := parseChannel(b)
	if !ok {
		return gapless.Channel{}, notA("channel")
	}
	return c, nil
}

// Channels reads the channels of a guild (protocol B11).
func Channels(b []byte, guild gapless.GuildID) ([]gapless.Channel, error) {
	if b = bytes.TrimSpace(b); !bytes.HasPrefix(b, []byte("[")) || !json.Valid(b) {
		return nil, notA("channels")
	}
	return channels(b, guild), nil
}

// Archived reads one page of a listing of archived threads; more says that it is not the last one (protocol B10).
func Archived(b []byte) (threads []gapless.Channel, more bool, err error) {
	var r struct {
		rawThreads
		More bool `json:"has_more"`
	}
	if !read(b, &r) {
		return nil, false, notA("archived threads")
	}
	return r.threads(0), r.More, nil
}

// Threads reads a listing of threads (protocol B10).
func Threads(b []byte, guild gapless.GuildID) ([]gapless.Channel, error) {
	var r rawThreads
	if !read(b, &r) {
		return nil, notA("threads")
	}
	return r.threads(guild), nil
}

// Guild reads a guild.
func Guild(b []byte) (gapless.Guild, error) {
	g, ok := parseGuild(b)
	if !ok {
		return gapless.Guild{}, notA("guild")
	}
	return g, nil
}

// User reads a user.
func User(b []byte) (gapless.User, error) {
	var u rawUser
	if !read(b, &u) || u.ID == 0 {
		return gapless.User{}, notA("user")
	}
	return u.user(), nil
}

// Member reads a guild member; its roles are never nil.
func Member(b []byte) (gapless.Member, error) {
	m, ok := parseGuildMember(b)
	if !ok {
		return gapless.Member{}, notA("member")
	}
	if m.Roles == nil {
		m.Roles = []gapless.RoleID{}
	}
	return m, nil
}

// MemberUsers reads a list of guild members as the users they are.
func MemberUsers(b []byte) (users []gapless.User, err error) {
	if b = bytes.TrimSpace(b); !bytes.HasPrefix(b, []byte("[")) || !json.Valid(b) {
		return nil, notA("members")
	}
	for e := array(b); e.next(); {
		for m := object(e.value); m.next(); {
			if string(m.key) != "user" {
				continue
			}
			if u, ok := parseUser(m.value); ok && u.ID != 0 {
				users = append(users, u.user())
			}
		}
	}
	return users, nil
}

// Roles reads the roles of a guild; Bots are those that came with a bot.
func Roles(b []byte, guild gapless.GuildID) (gapless.Guild, error) {
	if b = bytes.TrimSpace(b); !bytes.HasPrefix(b, []byte("[")) || !json.Valid(b) {
		return gapless.Guild{}, notA("roles")
	}
	g := gapless.Guild{ID: guild, Bots: []gapless.BotRole{}}
	takeRoles(&g, b)
	return g, nil
}

// Application is the bot's own application.
type Application struct {
	ID    uint64
	Name  string
	Flags int // protocol A8
}

// ReadApplication reads the own application.
func ReadApplication(b []byte) (Application, error) {
	var a struct {
		ID    snowflake `json:"id"`
		Name  word      `json:"name"`
		Flags number    `json:"flags"`
	}
	if !read(b, &a) || a.ID == 0 {
		return Application{}, notA("application")
	}
	return Application{ID: uint64(a.ID), Name: string(a.Name), Flags: a.Flags.value}, nil
}

// GatewayBot is where and how often a bot may begin a session (protocol A1).
type GatewayBot struct {
	URL            string
	Shards         int
	Total          int
	Remaining      int
	ResetAfter     time.Duration
	MaxConcurrency int
}

// ReadGatewayBot reads the answer of GET /gateway/bot.
func ReadGatewayBot(b []byte) (GatewayBot, error) {
	var g struct {
		URL    word   `json:"url"`
		Shards number `json:"shards"`
		Limit  struct {
			Total       number `json:"total"`
			Remaining   number `json:"remaining"`
			ResetAfter  number `json:"reset_after"`
			Concurrency number `json:"max_concurrency"`
		} `json:"session_start_limit"`
	}
	if !read(b, &g) || g.URL == "" || !g.Limit.Remaining.known {
		return GatewayBot{}, notA("gateway address")
	}
	return GatewayBot{
		URL: string(g.URL), Shards: g.Shards.value, Total: g.Limit.Total.value, Remaining: g.Limit.Remaining.value,
		ResetAfter:     time.Duration(g.Limit.ResetAfter.value) * time.Millisecond,
		MaxConcurrency: g.Limit.Concurrency.value,
	}, nil
}

// Post is an outgoing message (protocol B5).
type Post struct {
	Text      string
	Nonce     string
	Reference gapless.MessageID // zero: no reply
	Mentions  []string          // everyone, roles, users, replied_user; nil: [SafeMentions]
}

// SafeMentions are users named in a text and the author replied to (S53).
var SafeMentions = []string{"users", "replied_user"}

// allowed is whom a text may mention.
func allowed(mentions []string) map[string]any {
	if mentions == nil {
		mentions = SafeMentions
	}
	parse := []string{}
	for _, m := range mentions {
		if m != "replied_user" {
			parse = append(parse, m)
		}
	}
	return map[string]any{"parse": parse, "replied_user": slices.Contains(mentions, "replied_user")}
}

// Body is the JSON of the request: the nonce enforced, so that repeating it is safe, nobody mentioned but who may be
// (S53), and a vanished reference no reason to fail.
func (p Post) Body() []byte {
	body := map[string]any{
		"content":          p.Text,
		"allowed_mentions": allowed(p.Mentions),
	}
	if p.Nonce != "" {
		body["nonce"], body["enforce_nonce"] = p.Nonce, true
	}
	if p.Reference != 0 {
		body["message_reference"] = map[string]any{"message_id": p.Reference, "fail_if_not_exists": false}
	}
	return encode(body)
}

// Rewrite is the JSON of an edit of a message of ours; nobody is mentioned anew (S53).
func Rewrite(text string) []byte {
	return encode(map[string]any{"content": text, "allowed_mentions": map[string]any{"parse": []string{"users"}}})
}

// OpenDM is the JSON of a request for the DM with a user (protocol B12).
func OpenDM(user gapless.UserID) []byte { return encode(map[string]any{"recipient_id": user}) }

// Refusal is an error body (protocol B1) or the body of a 429 (protocol C1).
type Refusal struct {
	Code       int
	Message    string // Discord's own words, with the fields it objects to
	RetryAfter time.Duration
	Global     bool
}

// ReadRefusal reads an error body; ok is false when it is none of Discord's.
func ReadRefusal(b []byte) (r Refusal, ok bool) {
	var e struct {
		Code       number          `json:"code"`
		Message    *word           `json:"message"`
		RetryAfter float64         `json:"retry_after"`
		Global     bool            `json:"global"`
		Errors     json.RawMessage `json:"errors"`
	}
	if !read(b, &e) || e.Message == nil {
		return r, false
	}
	r = Refusal{
		Code: e.Code.value, Message: string(*e.Message), Global: e.Global,
		RetryAfter: time.Duration(e.RetryAfter * float64(time.Second)),
	}
	if faults := faults(e.Errors, ""); len(faults) > 0 {
		r.Message += ": " + strings.Join(faults, ", ")
	}
	return r, true
}

// faults lists which field is wrong in which way, in Discord's codes: its sentences may quote the text.
func faults(raw json.RawMessage, path string) (out []string) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return nil
	}
	for name, inner := range fields {
		if name != "_errors" {
			out = append(out, faults(inner, strings.TrimPrefix(path+"."+name, "."))...)
			continue
		}
		var list []struct {
			Code word `json:"code"`
		}
		_ = json.Unmarshal(inner, &list)
		for _, e := range list {
			out = append(out, fmt.Sprintf("%s %s", path, e.Code))
		}
	}
	slices.Sort(out)
	return out
}
