package discordsim

import (
	"slices"
	"time"
)

// session is a stream of numbered dispatches that outlives its connections.
type session struct {
	id      string
	bot     *bot
	intents int
	shard   int
	shards  int
	routed  int  // the shard whose guilds it really gets (G37)
	sharded bool // Identify carried a shard
	version int
	seq     int64
	buffer  []kept
	conn    *conn     // nil while nobody listens
	left    time.Time // when the last connection went
	ended   bool
	guilds  map[ID]bool // whose events flow
	met     map[ID]int  // how many channels there had been when they began to
	info    *Session
}

// kept is a dispatch as it was sent, for replay.
type kept struct {
	seq  int64
	at   Match
	data []byte
}

// gate holds the connections and sessions of the gateway. It is guarded by Server.mu.
type gate struct {
	conns    []*conn    // open ones, in the order they came
	sessions []*session // not ended ones, in the order they were made
	byID     map[string]*session
	starts   map[startKey]time.Time
	nextConn int
	nonces   map[nonceKey]sentNonce
	pages    map[ID][]object // the last page of history each channel gave
	lastDue  time.Time       // when the last paced frame leaves
	asked    map[allMembersKey]time.Time
}

type startKey struct {
	bot ID
	key int
}

func newGate() gate {
	return gate{byID: map[string]*session{}, starts: map[startKey]time.Time{}, nonces: map[nonceKey]sentNonce{},
		pages: map[ID][]object{}, asked: map[allMembersKey]time.Time{}}
}

// holds tells whether a guild is routed to this session (F34) and its bot is in it.
func (sess *session) holds(g *guild) bool {
	return g.members[sess.bot.user.id] != nil && int((uint64(g.id)>>22)%uint64(sess.shards)) == sess.routed
}

// reads tells whether texts are unblanked: by the portal, and since v10 by the intent too (A18).
func (sess *session) reads() bool {
	return sess.bot.content && (sess.version < 10 || sess.intents&intentContent != 0)
}

// capacity is how many dispatches are kept for replay (F22).
func (s *Server) capacity(sess *session) int {
	if s.BufferSize != 0 {
		return s.BufferSize
	}
	return max(100, min(3500, 75*len(sess.guilds)))
}

func (s *Server) keep(sess *session, k kept) {
	sess.buffer = append(sess.buffer, k)
	if limit := s.capacity(sess); limit > 0 && len(sess.buffer) > limit {
		sess.buffer = sess.buffer[len(sess.buffer)-limit:]
	}
}

// sessionsOf are a bot's sessions that have not ended.
func (s *Server) sessionsOf(bot ID) []*session {
	var own []*session
	for _, sess := range slices.Clone(s.gate.sessions) {
		if sess.bot.user.id == bot && !s.lapsed(sess) {
			own = append(own, sess)
		}
	}
	return own
}

// lapsed ends a session nobody resumed in time, and tells whether it has ended (F22).
func (s *Server) lapsed(sess *session) bool {
	ttl := s.SessionTTL
	if ttl == 0 {
		ttl = 90 * time.Second
	}
	if !sess.ended && sess.conn == nil && ttl > 0 && s.now().Sub(sess.left) >= ttl {
		s.end(sess, "expired")
	}
	return sess.ended
}

func (s *Server) newSession(c *conn, b *bot, id identify) *session {
	sess := &session{id: s.sessionID(b), bot: b, intents: int(*id.Intents), shards: 1, version: c.version,
		guilds: map[ID]bool{}, met: map[ID]int{}}
	if s.Habits.ZeroSeq {
		sess.seq = -1
	}
	if id.Shard != nil {
		sess.sharded, sess.shard, sess.shards = true, id.Shard[0], id.Shard[1]
	}
	sess.routed = sess.shard
	if s.strike(WrongShard, Match{Bot: b.user.id}) != nil {
		sess.routed = (sess.shard + 1) % sess.shards
	}
	sess.info = &Session{ID: sess.id, Bot: b.user.id, Shard: sess.shard, Shards: sess.shards,
		Intents: sess.intents, Opened: s.now()}
	s.truth.sessions = append(s.truth.sessions, sess.info)
	s.gate.sessions = append(s.gate.sessions, sess)
	s.gate.byID[sess.id] = sess
	s.attach(sess, c)
	return sess
}

// attach makes a connection the session's; an older one is taken over and closed (F26).
func (s *Server) attach(sess *session, c *conn) {
	if old := sess.conn; old != nil && old != c {
		s.closeConn(old, closeUnknown, "taken over")
	}
	sess.conn, c.sess, c.bot = c, sess, sess.bot
	c.info.Session = sess.id
	sess.info.Connections = append(sess.info.Connections, c.info.Number)
}

// detach takes the connection away from its session, which stays for its time to live.
func (s *Server) detach(c *conn) {
	if sess := c.sess; sess != nil && sess.conn == c {
		sess.conn, sess.left = nil, s.now()
	}
	c.sess = nil
}

// end makes a session one that can never be resumed.
func (s *Server) end(sess *session, reason string) {
	if sess.ended {
		return
	}
	sess.ended = true
	sess.info.Ended, sess.info.Reason, sess.info.Seq = s.now(), reason, sess.seq
	s.gate.sessions = slices.DeleteFunc(s.gate.sessions, func(o *session) bool { return o == sess })
	if s.gate.byID[sess.id] == sess {
		delete(s.gate.byID, sess.id)
	}
	if sess.conn != nil {
		sess.conn.sess = nil
		sess.conn = nil
	}
}

// endSessions ends a bot's sessions and closes their connections with a code.
func (s *Server) endSessions(b *bot, reason string, code int) {
	for _, c := range slices.Clone(s.gate.conns) {
		if c.bot == b {
			s.closeConn(c, code, reason)
		}
	}
	for _, sess := range slices.Clone(s.gate.sessions) {
		if sess.bot == b {
			s.end(sess, reason)
		}
	}
}

// envelope is a dispatch frame.
func envelope(seq int64, kind string, body any) []byte {
	return encode(struct {
		T  string `json:"t"`
		S  int64  `json:"s"`
		Op int    `json:"op"`
		D  any    `json:"d"`
	}{kind, seq, 0, body})
}
