package discordsim

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// Bounds of op 8: members in one chunk, members a prefix or a list of ids may ask for, bytes of a nonce, and the
// time between two requests for everybody of a guild (A15).
const (
	memberChunk  = 1000
	memberSearch = 100
	memberNonce  = 32
	memberWait   = 30 * time.Second
)

// memberRequest is d of op 8.
type memberRequest struct {
	Guild     ID     `json:"guild_id"`
	Query     string `json:"query"`
	Limit     int    `json:"limit"`
	Users     idList `json:"user_ids"`
	Presences bool   `json:"presences"`
	Nonce     string `json:"nonce"`
}

// idList is one id or a list of them.
type idList []ID

// UnmarshalJSON reads both forms.
func (l *idList) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '[' {
		return json.Unmarshal(data, (*[]ID)(l))
	}
	var one ID
	if err := json.Unmarshal(data, &one); err != nil {
		return err
	}
	*l = idList{one}
	return nil
}

// allMembersKey is who may ask for everybody of which guild only every 30 s.
type allMembersKey struct{ bot, guild ID }

// requestMembers answers op 8 with GUILD_MEMBERS_CHUNK, or with RATE_LIMITED (A16). A guild the bot is not in, and
// a request for everybody without the members intent, are left unanswered, as Discord leaves them.
func (s *Server) requestMembers(c *conn, d json.RawMessage) {
	var r memberRequest
	if err := json.Unmarshal(d, &r); err != nil {
		s.closeConn(c, closeDecode, "Error while decoding payload.")
		return
	}
	if len(r.Nonce) > memberNonce {
		r.Nonce = ""
	}
	g := s.findGuild(r.Guild)
	everybody := len(r.Users) == 0 && r.Query == ""
	switch {
	case g == nil || !c.sess.holds(g):
		return
	case everybody && c.sess.intents&intentMembers == 0:
		return
	case everybody && r.Limit == 0 && s.askedForAll(c.sess, g, r):
		return
	}
	found, missing := g.search(r, everybody)
	s.sendChunks(c.sess, g, r, found, missing)
}

// askedForAll tells whether everybody of the guild was asked for less than 30 s ago, and if so says RATE_LIMITED.
func (s *Server) askedForAll(sess *session, g *guild, r memberRequest) bool {
	key := allMembersKey{sess.bot.user.id, g.id}
	now := s.now()
	if last, asked := s.gate.asked[key]; asked && now.Sub(last) < memberWait {
		meta := object{"guild_id": g.id}
		if r.Nonce != "" {
			meta["nonce"] = r.Nonce
		}
		s.push(sess, event{kind: "RATE_LIMITED", guild: g}, object{"opcode": opMembers,
			"retry_after": (memberWait - now.Sub(last)).Seconds(), "meta": meta})
		return true
	}
	s.gate.asked[key] = now
	return false
}

// search picks the members a request names, and the ids it names that are no members.
func (g *guild) search(r memberRequest, everybody bool) (found []*member, missing []ID) {
	if len(r.Users) > 0 {
		for _, id := range r.Users[:min(memberSearch, len(r.Users))] {
			if m := g.members[id]; m != nil {
				found = append(found, m)
			} else {
				missing = append(missing, id)
			}
		}
		return found, missing
	}
	limit := r.Limit
	if !everybody {
		limit = min(memberSearch, max(1, limit))
	}
	for _, m := range g.joins {
		if strings.HasPrefix(strings.ToLower(m.user.name), strings.ToLower(r.Query)) ||
			strings.HasPrefix(strings.ToLower(m.nick), strings.ToLower(r.Query)) {
			found = append(found, m)
		}
	}
	if limit > 0 {
		found = found[:min(limit, len(found))]
	}
	return found, nil
}

// sendChunks sends the members found, a thousand at a time, at least one chunk.
func (s *Server) sendChunks(sess *session, g *guild, r memberRequest, found []*member, missing []ID) {
	chunks := slices.Collect(slices.Chunk(found, memberChunk))
	if len(chunks) == 0 {
		chunks = [][]*member{nil}
	}
	for i, chunk := range chunks {
		members := make([]object, len(chunk))
		for j, m := range chunk {
			members[j] = m.body()
		}
		b := object{"guild_id": g.id, "members": members, "chunk_index": i, "chunk_count": len(chunks)}
		if len(missing) > 0 {
			b["not_found"] = missing
		}
		if r.Nonce != "" {
			b["nonce"] = r.Nonce
		}
		if r.Presences {
			b["presences"] = []any{}
		}
		s.push(sess, event{kind: "GUILD_MEMBERS_CHUNK", guild: g}, b)
	}
}
