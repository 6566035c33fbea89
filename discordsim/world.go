package discordsim

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
)

// object is a JSON object on its way out. encoding/json sorts its keys, so output does not vary.
type object = map[string]any

// world is everybody and everything Discord holds. It is guarded by Server.mu.
type world struct {
	users    map[ID]*user
	bots     []*bot
	guilds   []*guild
	channels map[ID]*channel // threads and DMs included, deleted ones too
	messages map[ID]*message // deleted ones too
	history  []*message      // in the order they were made
	dms      []*channel
	made     int // channels and threads so far
}

func newWorld() world {
	return world{users: map[ID]*user{}, channels: map[ID]*channel{}, messages: map[ID]*message{}}
}

type user struct {
	id            ID
	name          string
	global        string
	discriminator string // of accounts that an export brought
	bot           bool
	webhook       bool
}

func (u *user) body() object {
	var global any
	if u.global != "" {
		global = u.global
	}
	b := object{"id": u.id, "username": u.name, "discriminator": "0", "global_name": global, "avatar": nil,
		"public_flags": 0, "flags": 0, "primary_guild": nil}
	if u.bot || u.webhook {
		b["bot"] = true
		b["discriminator"] = "0000"
	}
	if u.discriminator != "" {
		b["discriminator"] = u.discriminator
	}
	return b
}

// bot is an application's account and its settings in the portal.
type bot struct {
	user    *user
	token   string
	content bool   // the message-content switch
	members bool   // the server-members switch
	starts  bucket // identifies used in the current day
	revoked bool
}

// Bot is an application's account as a test needs it.
type Bot struct {
	ID    ID     `json:"id"`
	Name  string `json:"name"`
	Token string `json:"token"` // without "Bot "; its first part is the unpadded base64 of the id
}

// AddBot makes an application with every privileged intent switched on. It is in no guild yet.
func (s *Server) AddBot(name string) Bot {
	s.lock()
	defer s.mu.Unlock()
	u := s.addUser(name, "")
	u.bot = true
	b := &bot{user: u, content: true, members: true}
	s.newToken(b)
	s.world.bots = append(s.world.bots, b)
	return Bot{ID: u.id, Name: name, Token: b.token}
}

func (s *Server) newToken(b *bot) {
	head := base64.RawStdEncoding.EncodeToString([]byte(b.user.id.String()))
	b.token = fmt.Sprintf("%s.%06x.%016x%016x", head, s.rand.Uint32()&0xFFFFFF, s.rand.Uint64(), s.rand.Uint64())
	b.revoked = false
}

// SetMessageContent turns the portal's message-content switch. Off, Identify with that intent gets 4014, and
// texts are blank but for the exceptions of A18 (F47).
func (s *Server) SetMessageContent(bot ID, on bool) {
	s.lock()
	defer s.mu.Unlock()
	s.bot(bot).content = on
}

// SetMembersIntent turns the portal's server-members switch.
func (s *Server) SetMembersIntent(bot ID, on bool) {
	s.lock()
	defer s.mu.Unlock()
	s.bot(bot).members = on
}

// RevokeToken makes a bot's token invalid: its connections are closed with 4004, its sessions end, REST
// answers 401 (G38). It returns the new token, which is valid at once.
func (s *Server) RevokeToken(bot ID) string {
	s.lock()
	defer s.mu.Unlock()
	b := s.bot(bot)
	s.endSessions(b, "token revoked", s.badToken())
	s.newToken(b)
	b.starts = bucket{}
	return b.token
}

// AddUser makes a person with a user name and a display name; the latter may be empty.
func (s *Server) AddUser(name, display string) ID {
	s.lock()
	defer s.mu.Unlock()
	return s.addUser(name, display).id
}

func (s *Server) addUser(name, display string) *user {
	u := &user{id: s.newID(), name: name, global: display}
	s.world.users[u.id] = u
	return u
}

func (s *Server) bot(id ID) *bot {
	if b := s.findBot(id); b != nil {
		return b
	}
	panic(fmt.Sprintf("discordsim: no bot %d", id))
}

func (s *Server) findBot(id ID) *bot {
	for _, b := range s.world.bots {
		if b.user.id == id {
			return b
		}
	}
	return nil
}

// botByToken finds the bot of a token with or without "Bot " in front; nil when there is none.
func (s *Server) botByToken(token string) *bot {
	token = strings.TrimPrefix(token, "Bot ")
	for _, b := range s.world.bots {
		if b.token == token && !b.revoked {
			return b
		}
	}
	return nil
}

func (s *Server) user(id ID) *user {
	if u := s.world.users[id]; u != nil {
		return u
	}
	panic(fmt.Sprintf("discordsim: no user %d", id))
}

func (s *Server) guild(id ID) *guild {
	if g := s.findGuild(id); g != nil {
		return g
	}
	panic(fmt.Sprintf("discordsim: no guild %d", id))
}

func (s *Server) findGuild(id ID) *guild {
	i := slices.IndexFunc(s.world.guilds, func(g *guild) bool { return g.id == id })
	if i < 0 {
		return nil
	}
	return s.world.guilds[i]
}

func (s *Server) channel(id ID) *channel {
	if c := s.world.channels[id]; c != nil {
		return c
	}
	panic(fmt.Sprintf("discordsim: no channel %d", id))
}

func (s *Server) message(id ID) *message {
	if m := s.world.messages[id]; m != nil {
		return m
	}
	panic(fmt.Sprintf("discordsim: no message %d", id))
}
