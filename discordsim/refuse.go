package discordsim

import (
	"cmp"
	"net/http"
	"strings"
	"time"
)

// refuseUpgrade answers an upgrade that is not to become a connection, and tells whether it did (G32, G35).
func (s *Server) refuseUpgrade(w http.ResponseWriter, r *http.Request) bool {
	f := s.refusal(r)
	if f == nil {
		return false
	}
	if f.Delay > 0 {
		select {
		case <-f.lifted:
		case <-time.After(f.Delay):
		case <-r.Context().Done():
		}
	}
	if f.Status < 0 {
		abort(w)
		return true
	}
	failure(f).write(w)
	return true
}

// refusal says how an upgrade is refused and puts it on record; nil when it is not.
func (s *Server) refusal(r *http.Request) *plantedFault {
	s.lock()
	defer s.mu.Unlock()
	f := s.strike(Refuse, Match{})
	if f == nil && strings.HasPrefix(r.URL.Path, "/resume") {
		f = s.strike(RefuseResumeURL, Match{})
	}
	_, unknown := newSqueezer(r.URL.Query().Get("compress"))
	switch {
	case f != nil:
	case unknown != nil:
		f = &plantedFault{Fault: Fault{Status: http.StatusBadRequest, Body: unknown.Error()}}
	case s.closed:
		f = &plantedFault{}
	default:
		return nil
	}
	s.truth.refusals = append(s.truth.refusals, Refusal{At: s.now(), Path: r.URL.Path,
		Status: max(-1, cmp.Or(f.Status, http.StatusServiceUnavailable))})
	return f
}
