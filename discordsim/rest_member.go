package discordsim

import "strings"

// getSearchMembers finds members whose user name or nickname begins with the query, in any case.
func (s *Server) getSearchMembers(q *request) (any, error) {
	g, err := s.myGuild(q)
	if err != nil {
		return nil, err
	}
	limit, err := q.number("limit", 1, 1, 1000)
	if err != nil {
		return nil, err
	}
	query := strings.ToLower(q.query.Get("query"))
	if query == "" {
		return nil, badField("query", "BASE_TYPE_REQUIRED", "This field is required")
	}
	found := []object{}
	for _, m := range g.joins {
		if g.members[m.user.id] == m && len(found) < limit &&
			(strings.HasPrefix(strings.ToLower(m.user.name), query) || strings.HasPrefix(strings.ToLower(m.nick), query)) {
			found = append(found, m.body())
		}
	}
	return found, nil
}
