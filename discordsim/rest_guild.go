package discordsim

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
)

func (s *Server) gatewayURL(q *request) string { return "ws://" + q.r.Host + "/gateway/" }

func (s *Server) getGateway(q *request) (any, error) {
	return object{"url": s.gatewayURL(q)}, nil
}

func (s *Server) getGatewayBot(q *request) (any, error) {
	left, resets := s.sessionStarts(), startsPer
	if q.bot != nil {
		left, resets = s.startsLeft(q.bot)
	}
	limit := object{"total": s.sessionStarts(), "remaining": left, "reset_after": resets.Milliseconds(),
		"max_concurrency": s.concurrency()}
	if f := s.strike(NoStarts, q.subject()); f != nil {
		limit["remaining"], limit["reset_after"] = 0, f.Delay.Milliseconds()
	}
	return object{"url": s.gatewayURL(q), "shards": max(1, s.Shards), "session_start_limit": limit}, nil
}

func (s *Server) getMe(q *request) (any, error) { return q.bot.self(), nil }

func (s *Server) getUser(q *request) (any, error) {
	u := s.world.users[q.id("user")]
	if u == nil {
		return nil, &apiError{status: 404, code: 10013, message: "Unknown User"}
	}
	return u.body(), nil
}

func (s *Server) getApplication(q *request) (any, error) {
	u := q.bot.user
	return object{"id": u.id, "name": u.name, "icon": nil, "description": "", "flags": q.bot.flags(),
		"bot": u.body(), "bot_public": true, "bot_require_code_grant": false, "verify_key": "",
		"owner": u.body(), "team": nil, "summary": ""}, nil
}

// getMyGuilds pages by id, 200 at most (F63).
func (s *Server) getMyGuilds(q *request) (any, error) {
	limit, err := q.number("limit", 200, 1, 200)
	if err != nil {
		return nil, err
	}
	after, _ := ParseID(q.query.Get("after"))
	before, _ := ParseID(q.query.Get("before"))
	mine := slices.SortedFunc(slices.Values(s.world.guilds), func(a, b *guild) int { return cmp.Compare(a.id, b.id) })
	mine = slices.DeleteFunc(mine, func(g *guild) bool {
		return g.members[q.who()] == nil || g.id <= after || (before != 0 && g.id >= before)
	})
	if before != 0 {
		mine = mine[max(0, len(mine)-limit):]
	}
	page := []object{}
	for _, g := range mine[:min(limit, len(mine))] {
		page = append(page, object{"id": g.id, "name": g.name, "icon": nil, "banner": nil, "owner": g.owner == q.who(),
			"permissions": g.base(g.members[q.who()]).String(), "features": []any{}})
	}
	return page, nil
}

// getMyChannels is always empty: a bot cannot list its DMs (B12).
func (s *Server) getMyChannels(*request) (any, error) { return []any{}, nil }

func (s *Server) postMyChannels(q *request) (any, error) {
	var in struct {
		Recipient ID `json:"recipient_id"`
	}
	if err := q.read(&in); err != nil {
		return nil, err
	}
	u := s.world.users[in.Recipient]
	if u == nil {
		return nil, badField("recipient_id", "BASE_TYPE_BAD_VALUE", "Unknown user")
	}
	if u.bot {
		return nil, &apiError{status: 400, code: 50007, message: "Cannot send messages to this user"}
	}
	return s.openDM(u, q.bot).body(), nil
}

// myGuild is the guild of the path, if the bot is in it.
func (s *Server) myGuild(q *request) (*guild, error) {
	g := s.findGuild(q.id("guild"))
	switch {
	case g == nil:
		return nil, unknownGuild()
	case g.members[q.who()] == nil:
		return nil, missingAccess()
	}
	return g, nil
}

func (s *Server) getGuild(q *request) (any, error) {
	g, err := s.myGuild(q)
	if err != nil {
		return nil, err
	}
	return g.body(), nil
}

// getGuildChannels lists channels the bot cannot view too, and no threads (F62).
func (s *Server) getGuildChannels(q *request) (any, error) {
	g, err := s.myGuild(q)
	if err != nil {
		return nil, err
	}
	list := make([]object, len(g.channels))
	for i, c := range g.channels {
		list[i] = c.body()
	}
	return list, nil
}

func (s *Server) getActiveThreads(q *request) (any, error) {
	g, err := s.myGuild(q)
	if err != nil {
		return nil, err
	}
	threads, members := q.threadList(g.activeThreads(q.who()))
	if f := s.strike(OmitThreads, q.subject()); f != nil {
		threads = withoutThread(threads, f.Thread)
	}
	return object{"threads": threads, "members": members}, nil
}

func (s *Server) getMember(q *request) (any, error) {
	g, err := s.myGuild(q)
	if err != nil {
		return nil, err
	}
	id := q.id("user")
	if q.params["user"] == "@me" {
		id = q.who()
	}
	m := g.members[id]
	if m == nil {
		return nil, &apiError{status: 404, code: 10007, message: "Unknown Member"}
	}
	return m.body(), nil
}

func (s *Server) getRoles(q *request) (any, error) {
	g, err := s.myGuild(q)
	if err != nil {
		return nil, err
	}
	return g.body()["roles"], nil
}

// number is a query parameter within bounds; outside it is 50035 (F51).
func (q *request) number(name string, fallback, low, high int) (int, error) {
	text := q.query.Get(name)
	if text == "" {
		return fallback, nil
	}
	n, err := strconv.Atoi(text)
	switch {
	case err != nil:
		return 0, badField(name, "NUMBER_TYPE_COERCE", "Value \""+text+"\" is not int.")
	case n < low:
		return 0, badField(name, "NUMBER_TYPE_MIN", "int value should be greater than or equal to "+strconv.Itoa(low)+".")
	case n > high:
		return 0, badField(name, "NUMBER_TYPE_MAX", "int value should be less than or equal to "+strconv.Itoa(high)+".")
	}
	return n, nil
}

// read decodes a JSON body; an empty one leaves everything as it is.
func (q *request) read(into any) error {
	if len(q.body) == 0 {
		return nil
	}
	if err := json.Unmarshal(q.body, into); err != nil {
		return &apiError{status: 400, code: 50109, message: "The request body contains invalid JSON."}
	}
	return nil
}
