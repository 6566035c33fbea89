package discordsim

// facts are the names under /_sim/ that take a GET. Lists that grow leave out their first `after` entries.
var facts map[string]func(s *Server, after int) any

func init() {
	facts = map[string]func(s *Server, after int) any{
		"":            index,
		"truth":       func(s *Server, after int) any { return s.MessagesAfter(after) },
		"sights":      func(s *Server, after int) any { return from(after, s.Sights()) },
		"requests":    func(s *Server, after int) any { return from(after, s.Requests()) },
		"counts":      func(s *Server, _ int) any { return s.Counts() },
		"connections": func(s *Server, after int) any { return from(after, s.Connections()) },
		"refusals":    func(s *Server, after int) any { return from(after, s.Refusals()) },
		"sessions":    func(s *Server, after int) any { return from(after, s.Sessions()) },
		"faults":      func(s *Server, _ int) any { return s.Faults() },
		"kinds":       func(*Server, int) any { return Kinds() },
	}
}

// from is a list without its first entries; never nil, so that it is [] in JSON.
func from[T any](skip int, list []T) []T {
	return orEmpty(list[min(skip, len(list)):])
}
