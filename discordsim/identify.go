package discordsim

import (
	"encoding/json"
	"slices"
	"time"
)

// identify is d of op 2; fields nobody needs, old and new, are passed over (F6).
type identify struct {
	Token    string `json:"token"`
	Intents  *int64 `json:"intents"`
	Compress bool   `json:"compress"`
	Shard    []int  `json:"shard"`
}

// identify begins a new session, or says why not (F5 to F12).
func (s *Server) identify(c *conn, d json.RawMessage) {
	var id identify
	if err := json.Unmarshal(d, &id); err != nil {
		s.closeConn(c, closeDecode, "Error while decoding payload.")
		return
	}
	log := Identify{At: s.now(), Shard: id.Shard}
	if id.Intents != nil {
		log.Intents = int(*id.Intents)
	}
	log.Result = s.start(c, id)
	c.info.Identifies = append(c.info.Identifies, log)
}

// start does what identify asks and returns how it ended, for the record.
func (s *Server) start(c *conn, id identify) string {
	refuse := func(code int, reason string) string {
		s.closeConn(c, code, reason)
		return reason
	}
	b := s.botByToken(id.Token)
	switch {
	case c.sess != nil:
		return refuse(closeIdentifiedTwice, "Already authenticated.")
	case b == nil:
		return refuse(s.strangerCode(), "Authentication failed.")
	case id.Intents == nil || *id.Intents < 0 || *id.Intents&^knownIntents != 0:
		return refuse(closeInvalidIntents, "Invalid intent(s).")
	case s.disallowed(b, int(*id.Intents)):
		return refuse(closeDisallowed, "Disallowed intent(s).")
	case id.Shard != nil && (len(id.Shard) != 2 || id.Shard[0] < 0 || id.Shard[0] >= id.Shard[1]):
		return refuse(closeInvalidShard, "Invalid shard.")
	case s.crowded(b, id.Shard):
		return refuse(closeShardingNeeded, "Sharding required.")
	}
	c.bot = b
	if s.exhausted(b) {
		s.endSessions(b, "Authentication failed.", s.badToken())
		b.revoked = true
		return "session starts used up"
	}
	at := Match{Bot: b.user.id}
	if f := s.strike(RefuseIdentify, at); f != nil {
		if f.CloseCode != 0 {
			return refuse(f.CloseCode, "refused")
		}
		c.sendOp(opInvalid, f.Resumable)
		return "refused"
	}
	if s.hurried(b, id.Shard) {
		c.sendOp(opInvalid, false)
		return "too many at once"
	}
	if s.strike(NoReady, at) != nil {
		return "no READY"
	}
	c.payload = id.Compress
	sess := s.newSession(c, b, id)
	s.ready(sess, c)
	return "READY"
}

// strangerCode is what a bad token is closed with: 4004 (F9), unless a fault says otherwise.
func (s *Server) strangerCode() int {
	f := s.strike(VagueRefusal, Match{})
	switch {
	case f == nil:
		return s.badToken()
	case f.CloseCode == 0:
		return closeUnknown
	}
	return f.CloseCode
}

func (s *Server) disallowed(b *bot, intents int) bool {
	return (intents&intentContent != 0 && !b.content) || (intents&(intentMembers|intentPresences) != 0 && !b.members)
}

// crowded tells whether a shard would hold more guilds than it may (4011).
func (s *Server) crowded(b *bot, shard []int) bool {
	limit := s.GuildsPerShard
	if limit == 0 {
		limit = 2500
	}
	probe := &session{bot: b, shards: 1}
	if shard != nil {
		probe.routed, probe.shards = shard[0], shard[1]
	}
	count := 0
	for _, g := range s.world.guilds {
		if probe.holds(g) {
			count++
		}
	}
	return count > limit
}

func (s *Server) sessionStarts() int {
	if s.SessionStarts == 0 {
		return 1000
	}
	return s.SessionStarts
}

// startsPer is the time in which a bot has its session starts; it begins with the first of them.
const startsPer = 24 * time.Hour

// exhausted counts an identify and tells whether it was one too many (F12).
func (s *Server) exhausted(b *bot) bool {
	return !b.starts.take(Limit{N: s.sessionStarts(), Per: startsPer}, s.now())
}

// startsLeft is how many identifies a bot has left, and when it has all of them again.
func (s *Server) startsLeft(b *bot) (left int, resets time.Duration) {
	now := s.now()
	if !now.Before(b.starts.until) {
		return s.sessionStarts(), startsPer
	}
	return s.sessionStarts() - b.starts.used, b.starts.until.Sub(now)
}

func (s *Server) concurrency() int { return max(1, s.MaxConcurrency) }

// hurried tells whether this key has identified already in the current interval (F11).
func (s *Server) hurried(b *bot, shard []int) bool {
	wait := s.IdentifyInterval
	if wait == 0 {
		wait = 5 * time.Second
	}
	key := startKey{bot: b.user.id}
	if shard != nil {
		key.key = shard[0] % s.concurrency()
	}
	now := s.now()
	if last, known := s.gate.starts[key]; known && now.Sub(last) < wait {
		return true
	}
	s.gate.starts[key] = now
	return false
}

// ready sends READY and then the guilds (A8, F7, F30).
func (s *Server) ready(sess *session, c *conn) {
	mine := []*guild{}
	stubs := []object{}
	for _, g := range s.world.guilds {
		if sess.holds(g) {
			mine = append(mine, g)
			stubs = append(stubs, object{"id": g.id, "unavailable": true})
		}
	}
	resume := s.ResumeURL
	if resume == "" {
		resume = "ws://" + c.host + "/resume/"
	}
	d := object{"v": c.version, "user": sess.bot.self(), "guilds": stubs, "session_id": sess.id,
		"session_type": "normal", "resume_gateway_url": resume, "private_channels": []any{}, "presences": []any{},
		"relationships": []any{}, "user_settings": object{}, "geo_ordered_rtc_regions": []any{},
		"application": object{"id": sess.bot.user.id, "flags": sess.bot.flags()}, "_trace": []any{}}
	if sess.sharded {
		d["shard"] = []int{sess.shard, sess.shards}
	}
	s.push(sess, event{kind: "READY"}, d)
	for i, g := range mine {
		if s.GuildDelay <= 0 {
			s.sendGuild(sess, g)
			continue
		}
		s.after(s.GuildDelay*time.Duration(i+1), func() {
			if !s.lapsed(sess) && sess.holds(g) && !g.deleted && !sess.guilds[g.id] {
				s.sendGuild(sess, g)
			}
		})
	}
}

// self is the bot's own user object.
func (b *bot) self() object {
	u := b.user.body()
	u["verified"], u["mfa_enabled"], u["email"] = true, true, nil
	return u
}

// flags of the application: what the portal allows (A8).
func (b *bot) flags() int {
	flags := 0
	if b.content {
		flags |= 1 << 19
	}
	if b.members {
		flags |= 1<<15 | 1<<13
	}
	return flags
}

// resume is d of op 6.
type resume struct {
	Token   string `json:"token"`
	Session string `json:"session_id"`
	Seq     int64  `json:"seq"`
}

// resume continues a session on this connection, or says why not (F19 to F28).
func (s *Server) resume(c *conn, d json.RawMessage) {
	var r resume
	if err := json.Unmarshal(d, &r); err != nil {
		s.closeConn(c, closeDecode, "Error while decoding payload.")
		return
	}
	log := Resume{At: s.now(), Session: r.Session, Seq: r.Seq}
	log.Result, log.Replayed = s.reopen(c, r)
	c.info.Resumes = append(c.info.Resumes, log)
}

func (s *Server) reopen(c *conn, r resume) (result string, replayed int) {
	b := s.botByToken(r.Token)
	switch {
	case c.sess != nil:
		s.closeConn(c, closeIdentifiedTwice, "Already authenticated.")
		return "already authenticated", 0
	case b == nil:
		s.closeConn(c, s.strangerCode(), "Authentication failed.")
		return "authentication failed", 0
	}
	c.bot = b
	at := Match{Bot: b.user.id}
	if s.strike(CutResume, at) != nil {
		s.cutConn(c)
		return "cut", 0
	}
	if f := s.strike(RefuseResume, at); f != nil {
		return s.refuseResume(c, r, f), 0
	}
	sess := s.gate.byID[r.Session]
	switch {
	case s.Habits.NoResume:
		return s.refuseResume(c, r, &plantedFault{}), 0
	case sess == nil || sess.bot != b || s.lapsed(sess):
		c.sendOp(opInvalid, false)
		return "no such session", 0
	case r.Seq > sess.seq:
		s.end(sess, "invalid seq on resume")
		s.closeConn(c, closeInvalidSeq, "Invalid seq.")
		return "seq from the future", 0
	case len(sess.buffer) > 0 && r.Seq < sess.buffer[0].seq-1:
		s.end(sess, "replay buffer overflowed")
		c.sendOp(opInvalid, false)
		return "buffer overflowed", 0
	}
	s.attach(sess, c)
	return s.replay(sess, c, r.Seq)
}

func (s *Server) refuseResume(c *conn, r resume, f *plantedFault) string {
	if f.CloseCode != 0 {
		s.closeConn(c, f.CloseCode, "refused")
		return "refused"
	}
	if sess := s.gate.byID[r.Session]; sess != nil && !f.Resumable {
		s.end(sess, "resume refused")
	}
	c.sendOp(opInvalid, f.Resumable)
	return "refused"
}

// missed are the dispatches a session kept past seq.
func (sess *session) missed(seq int64) []kept {
	from := slices.IndexFunc(sess.buffer, func(k kept) bool { return k.seq > seq })
	if from < 0 {
		return nil
	}
	return slices.Clone(sess.buffer[from:])
}
