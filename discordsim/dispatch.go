package discordsim

import (
	"fmt"
	"slices"
)

// event is something the world tells its sessions.
type event struct {
	kind    string
	guild   *guild
	channel *channel
	message *message
	// intents are the bits of which a session needs one; zero needs none.
	intents int
	// sees picks the bots; nil picks all.
	sees func(b *bot) bool
	// body is d as one session gets it; a fresh object each time.
	body func(sess *session) object
}

func (e event) subject(sess *session) Match {
	at := Match{Event: e.kind, Bot: sess.bot.user.id}
	if e.guild != nil {
		at.Guild = e.guild.id
	}
	if e.channel != nil {
		at.Channel = e.channel.id
	}
	if e.message != nil {
		at.Message = e.message.id
	}
	return at
}

// dispatch brings an event to every session that is to have it: right shard, guild there, intent asked for,
// permission given (F34, F35, F36). What happens in a guild during its outage reaches nobody (F33).
func (s *Server) dispatch(e event) {
	for _, sess := range slices.Clone(s.gate.sessions) {
		switch {
		case s.lapsed(sess):
		case e.guild != nil && (e.guild.away || !sess.guilds[e.guild.id]):
		case e.guild == nil && sess.routed != 0:
		case s.mute(sess, e.channel):
		case e.intents != 0 && sess.intents&e.intents == 0:
		case e.sees != nil && !e.sees(sess.bot):
		default:
			s.push(sess, e, e.body(sess))
		}
	}
}

// push gives a dispatch to one session, unless a fault takes it or puts it off.
func (s *Server) push(sess *session, e event, body object) {
	at := e.subject(sess)
	if s.strike(Swallow, at) != nil {
		return
	}
	if f := s.strike(Late, at); f != nil {
		s.after(s.pause(f), func() {
			if !s.lapsed(sess) {
				s.number(sess, at, body)
			}
		})
		return
	}
	s.number(sess, at, body)
}

// number gives a dispatch its s, keeps it for replay and sends it if somebody listens.
func (s *Server) number(sess *session, at Match, body object) {
	if f := s.strike(Unknown, at); f != nil {
		s.sendUnknown(sess, f)
	}
	s.disfigure(at, body)
	sess.seq++
	k := kept{seq: sess.seq, at: at, data: s.render(sess.seq, at, body)}
	dropped := s.strike(Drop, at)
	if dropped == nil || dropped.Keep {
		s.keep(sess, k)
	}
	if dropped != nil {
		return
	}
	if sess.conn != nil {
		s.transmit(sess.conn, k)
	}
	if s.strike(Repeat, at) != nil {
		sess.seq++
		again := kept{seq: sess.seq, at: at, data: envelope(sess.seq, at.Event, body)}
		s.keep(sess, again)
		if sess.conn != nil {
			sess.conn.send(again.data)
		}
	}
}

// disfigure applies the faults that change what a dispatch says.
func (s *Server) disfigure(at Match, body object) {
	if s.strike(Blank, at) != nil {
		body["content"], body["embeds"], body["attachments"], body["components"] = "", []any{}, []any{}, []any{}
	}
	if f := s.strike(Strip, at); f != nil {
		delete(body, f.Field)
	}
	if f := s.strike(Huge, at); f != nil {
		pad := make([]byte, f.Size)
		for i := range pad {
			pad[i] = 'x'
		}
		body["_padding"] = string(pad)
	}
}

func (s *Server) render(seq int64, at Match, body object) []byte {
	if f := s.strike(Undecodable, at); f != nil {
		if f.Body != "" {
			return fmt.Appendf(nil, `{"t":%q,"s":%d,"op":0,"d":%s}`, at.Event, seq, f.Body)
		}
		return envelope(seq, at.Event, []string{"not", "an", "object"})
	}
	return envelope(seq, at.Event, body)
}

// garbled is a frame as it goes out: whole, or damaged on the way. What is kept for replay stays whole.
func (s *Server) garbled(k kept) []byte {
	f := s.strike(Malformed, k.at)
	switch {
	case f == nil:
		return k.data
	case f.Body != "":
		return []byte(f.Body)
	}
	return k.data[:len(k.data)/2]
}

// transmit puts a numbered dispatch on the wire, or does what a fault has in mind for the connection.
func (s *Server) transmit(c *conn, k kept) {
	if f := s.strike(Hangup, k.at); f != nil {
		s.closeConn(c, f.CloseCode, "fault")
		return
	}
	if s.strike(Cut, k.at) != nil {
		s.cutConn(c)
		return
	}
	if s.strike(Fin, k.at) != nil {
		s.finConn(c)
		return
	}
	if s.strike(Tear, k.at) != nil {
		s.tearConn(c, k.data)
		return
	}
	if f := s.strike(Invalidate, k.at); f != nil {
		s.invalidate(c, f.Resumable)
		return
	}
	if s.strike(AskReconnect, k.at) != nil {
		c.sendOp(opReconnect, nil)
	}
	if s.strike(Deaf, k.at) != nil {
		return
	}
	data := s.garbled(k)
	if s.strike(Swap, k.at) != nil && c.held == nil {
		c.held = data
		return
	}
	c.send(data)
	if s.strike(Duplicate, k.at) != nil {
		c.send(data)
	}
	if c.held != nil {
		c.send(c.held)
		c.held = nil
	}
}

// sendUnknown gives a session a dispatch of a type that does not exist.
func (s *Server) sendUnknown(sess *session, f *plantedFault) {
	kind := f.Field
	if kind == "" {
		kind = "SOMETHING_NEW"
	}
	sess.seq++
	k := kept{seq: sess.seq, at: Match{Event: kind, Bot: sess.bot.user.id},
		data: envelope(sess.seq, kind, object{"surprise": true})}
	s.keep(sess, k)
	if sess.conn != nil {
		sess.conn.send(k.data)
	}
}

// sendGuild sends GUILD_CREATE and lets the guild's events flow from then on (F30 to F32).
func (s *Server) sendGuild(sess *session, g *guild) {
	e := event{kind: "GUILD_CREATE", guild: g}
	at := e.subject(sess)
	if g.away {
		if sess.intents&intentGuilds != 0 {
			s.push(sess, event{kind: "GUILD_DELETE", guild: g}, object{"id": g.id, "unavailable": true})
		}
		return
	}
	sess.guilds[g.id], sess.met[g.id] = true, s.world.made
	if sess.intents&intentGuilds == 0 || s.strike(OmitGuild, at) != nil {
		return
	}
	if f := s.strike(LateGuild, at); f != nil {
		s.after(s.pause(f), func() {
			if !s.lapsed(sess) && sess.guilds[g.id] {
				s.push(sess, e, s.guildBody(sess, g, at))
			}
		})
		return
	}
	s.push(sess, e, s.guildBody(sess, g, at))
}

func (s *Server) guildBody(sess *session, g *guild, at Match) object {
	if s.strike(UnavailableGuild, at) != nil {
		return object{"id": g.id, "unavailable": true}
	}
	body := g.create(sess.bot)
	if f := s.strike(OmitThreads, at); f != nil {
		body["threads"] = withoutThread(body["threads"].([]object), f.Thread)
	}
	if s.strike(NullHeads, at) != nil {
		reheaded(body, func(ID) ID { return 0 })
	}
	if f := s.strike(StaleHeads, at); f != nil {
		reheaded(body, func(c ID) ID { return s.channel(c).lastBefore(IDAt(s.now().Add(-f.Delay))) })
	}
	return body
}

// reheaded gives the channels and threads of a guild another last_message_id.
func reheaded(guild object, head func(ID) ID) {
	for _, c := range slices.Concat(guild["channels"].([]object), guild["threads"].([]object)) {
		if _, has := c["last_message_id"]; has {
			c["last_message_id"] = head(c["id"].(ID))
		}
	}
}

// lastBefore is the newest message below an id, deleted ones counted; in a forum it is the newest thread.
func (c *channel) lastBefore(id ID) ID {
	var last ID
	for _, m := range c.messages {
		if m.id < id {
			last = max(last, m.id)
		}
	}
	for _, t := range c.guild.threads {
		if t.parent == c && !c.kind.holdsMessages() && t.id < id {
			last = max(last, t.id)
		}
	}
	return last
}

// withoutThread leaves one thread out of a list, or all when the id is zero.
func withoutThread(threads []object, id ID) []object {
	if id == 0 {
		return []object{}
	}
	return slices.DeleteFunc(threads, func(t object) bool { return t["id"] == id })
}
