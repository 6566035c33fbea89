package discordsim

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
)

// getSearch finds messages of a guild (B13, F64): nested one-element lists, no reactions, nothing of age-
// restricted channels unless asked for. It knows content, channel_id, author_id, mentions, min_id and max_id.
func (s *Server) getSearch(q *request) (any, error) {
	g, err := s.myGuild(q)
	if err != nil {
		return nil, err
	}
	limit, err := q.number("limit", 25, 1, 25)
	if err != nil {
		return nil, err
	}
	offset, err := q.number("offset", 0, 0, 9975)
	switch {
	case err != nil:
		return nil, err
	case !q.bot.content:
		return nil, missingAccess()
	case s.strike(Unindexed, q.subject()) != nil:
		q.status = http.StatusAccepted
		return object{"message": messagesOf[110000], "code": 110000, "documents_indexed": 0, "retry_after": 2}, nil
	}
	var found []*message
	for _, c := range slices.Concat(g.channels, g.threads) {
		if !c.enterable(q.who()) || !c.permissions(q.who()).has(ReadMessageHistory) ||
			(c.nsfw && !slices.Contains([]string{"true", "True", "1"}, q.query.Get("include_nsfw"))) {
			continue
		}
		for _, m := range c.messages {
			if m.listable() && q.finds(m) {
				found = append(found, m)
			}
		}
	}
	slices.SortFunc(found, func(a, b *message) int { return cmp.Compare(b.id, a.id) })
	if q.query.Get("sort_order") == "asc" {
		slices.Reverse(found)
	}
	if s.strike(ShortPage, q.subject()) != nil {
		found = found[:len(found)/2]
	}
	total := len(found)
	found = found[min(offset, total):min(offset+limit, total)]
	hits := make([][]object, len(found))
	for i, m := range found {
		hit := m.body(s, q.bot, true)
		delete(hit, "reactions")
		hits[i] = []object{hit}
	}
	return object{"total_results": total, "doing_deep_historical_index": false, "messages": hits}, nil
}

// finds tells whether a message fits what a search asks for.
func (q *request) finds(m *message) bool {
	lowest, _ := ParseID(q.query.Get("min_id"))
	highest, _ := ParseID(q.query.Get("max_id"))
	mentioned := func(id string) bool {
		return slices.ContainsFunc(m.mentions, func(u *user) bool { return u.id.String() == id })
	}
	return strings.Contains(strings.ToLower(m.content), strings.ToLower(q.query.Get("content"))) &&
		m.id > lowest && (highest == 0 || m.id < highest) &&
		q.among("channel_id", m.channel.id) && q.among("author_id", m.author.id) &&
		(!q.query.Has("mentions") || slices.ContainsFunc(q.query["mentions"], mentioned))
}

// among tells whether an id is one of those a repeated parameter lists, or the parameter is absent.
func (q *request) among(name string, id ID) bool {
	return !q.query.Has(name) || slices.Contains(q.query[name], id.String())
}
