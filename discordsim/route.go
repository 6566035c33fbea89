package discordsim

import (
	"fmt"
	"hash/fnv"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// route is one method and path of the API.
type route struct {
	method string
	path   string // template with {channel} and the like
	status int    // of success (F56)
	limit  Limit  // zero: none, and no headers
	shared string // a bucket shared with other routes; empty: one of its own
	open   bool   // needs no authorization
	until  int    // the last version of the API that has it; zero: all have it
	serve  func(s *Server, q *request) (any, error)
}

func (r *route) name() string { return r.method + " " + r.path }

// hash is the bucket's name: the same in each run, and telling nothing.
func (r *route) hash() string {
	h := fnv.New128a()
	name := r.shared
	if name == "" {
		name = r.name()
	}
	_, _ = h.Write([]byte(name))
	return fmt.Sprintf("%x", h.Sum(nil))
}

var (
	fivePerFive = Limit{N: 5, Per: 5 * time.Second}
	reactions   = Limit{N: 1, Per: 250 * time.Millisecond}
	deletions   = Limit{N: 3, Per: time.Second}
)

// routes of the API; a literal segment stands before the parameter that would match it too.
var routes []route

func init() {
	routes = []route{
		{method: "GET", path: "/gateway", status: 200, open: true, serve: (*Server).getGateway},
		{method: "GET", path: "/gateway/bot", status: 200, serve: (*Server).getGatewayBot},
		{method: "GET", path: "/users/@me", status: 200, serve: (*Server).getMe},
		{method: "GET", path: "/users/@me/guilds", status: 200, serve: (*Server).getMyGuilds},
		{method: "GET", path: "/users/@me/channels", status: 200, serve: (*Server).getMyChannels},
		{method: "POST", path: "/users/@me/channels", status: 200, serve: (*Server).postMyChannels},
		{method: "GET", path: "/users/{user}", status: 200, serve: (*Server).getUser},
		{method: "GET", path: "/applications/@me", status: 200, serve: (*Server).getApplication},
		{method: "GET", path: "/oauth2/applications/@me", status: 200, serve: (*Server).getApplication},
		{method: "GET", path: "/guilds/{guild}", status: 200, serve: (*Server).getGuild},
		{method: "GET", path: "/guilds/{guild}/channels", status: 200, serve: (*Server).getGuildChannels},
		{method: "POST", path: "/guilds/{guild}/channels", status: 201, serve: (*Server).postGuildChannel},
		{method: "GET", path: "/guilds/{guild}/threads/active", status: 200, serve: (*Server).getActiveThreads},
		{method: "GET", path: "/guilds/{guild}/members/search", status: 200, serve: (*Server).getSearchMembers},
		{method: "GET", path: "/guilds/{guild}/members/{user}", status: 200, serve: (*Server).getMember},
		{method: "GET", path: "/guilds/{guild}/messages/search", status: 200, serve: (*Server).getSearch},
		{method: "GET", path: "/guilds/{guild}/roles", status: 200, serve: (*Server).getRoles},
		{method: "GET", path: "/channels/{channel}", status: 200, serve: (*Server).getChannel},
		{method: "PATCH", path: "/channels/{channel}", status: 200, serve: (*Server).patchChannel},
		{method: "DELETE", path: "/channels/{channel}", status: 200, serve: (*Server).deleteChannelREST},
		{method: "PUT", path: "/channels/{channel}/permissions/{overwrite}", status: 204, serve: (*Server).putPermission},
		{method: "DELETE", path: "/channels/{channel}/permissions/{overwrite}", status: 204,
			serve: (*Server).deletePermission},
		{method: "GET", path: "/channels/{channel}/pins", status: 200, serve: (*Server).getPins},
		{method: "PUT", path: "/channels/{channel}/pins/{message}", status: 204, serve: (*Server).putPin},
		{method: "DELETE", path: "/channels/{channel}/pins/{message}", status: 204, serve: (*Server).deletePin},
		{method: "GET", path: "/channels/{channel}/messages/pins", status: 200, serve: (*Server).getMessagePins},
		{method: "PUT", path: "/channels/{channel}/messages/pins/{message}", status: 204, serve: (*Server).putPin},
		{method: "DELETE", path: "/channels/{channel}/messages/pins/{message}", status: 204, serve: (*Server).deletePin},
		{method: "GET", path: "/channels/{channel}/messages", status: 200, limit: fivePerFive, serve: (*Server).getMessages},
		{method: "POST", path: "/channels/{channel}/messages", status: 200, limit: fivePerFive, serve: (*Server).postMessage},
		{method: "POST", path: "/channels/{channel}/messages/bulk-delete", status: 204, limit: fivePerFive,
			serve: (*Server).postBulkDelete},
		{method: "GET", path: "/channels/{channel}/messages/{message}", status: 200, limit: fivePerFive,
			serve: (*Server).getMessage},
		{method: "PATCH", path: "/channels/{channel}/messages/{message}", status: 200, limit: fivePerFive,
			serve: (*Server).patchMessage},
		{method: "DELETE", path: "/channels/{channel}/messages/{message}", status: 204, limit: deletions,
			serve: (*Server).deleteMessage},
		{method: "GET", path: "/channels/{channel}/messages/{message}/reactions/{emoji}", status: 200,
			serve: (*Server).getReactions},
		{method: "PUT", path: "/channels/{channel}/messages/{message}/reactions/{emoji}/@me", status: 204,
			limit: reactions, shared: "reactions", serve: (*Server).putReaction},
		{method: "DELETE", path: "/channels/{channel}/messages/{message}/reactions/{emoji}/@me", status: 204,
			limit: reactions, shared: "reactions", serve: (*Server).deleteReaction},
		{method: "DELETE", path: "/channels/{channel}/messages/{message}/reactions/{emoji}/{user}", status: 204,
			limit: reactions, shared: "reactions", serve: (*Server).deleteUserReaction},
		{method: "DELETE", path: "/channels/{channel}/messages/{message}/reactions/{emoji}", status: 204,
			limit: reactions, shared: "reactions", serve: (*Server).deleteEmojiReactions},
		{method: "DELETE", path: "/channels/{channel}/messages/{message}/reactions", status: 204,
			limit: reactions, shared: "reactions", serve: (*Server).deleteAllReactions},
		{method: "GET", path: "/channels/{channel}/polls/{message}/answers/{answer}", status: 200,
			serve: (*Server).getPollVoters},
		{method: "POST", path: "/channels/{channel}/polls/{message}/expire", status: 200, serve: (*Server).postPollEnd},
		{method: "POST", path: "/channels/{channel}/typing", status: 204, serve: (*Server).postTyping},
		{method: "POST", path: "/channels/{channel}/messages/{message}/threads", status: 201,
			serve: (*Server).postMessageThread},
		{method: "POST", path: "/channels/{channel}/threads", status: 201, serve: (*Server).postThread},
		{method: "GET", path: "/channels/{channel}/threads/archived/public", status: 200,
			serve: (*Server).getArchivedPublic},
		{method: "GET", path: "/channels/{channel}/threads/archived/private", status: 200,
			serve: (*Server).getArchivedPrivate},
		{method: "GET", path: "/channels/{channel}/users/@me/threads/archived/private", status: 200,
			serve: (*Server).getArchivedJoined},
		{method: "GET", path: "/channels/{channel}/threads/active", status: 200, until: 9,
			serve: (*Server).getChannelThreads},
		{method: "GET", path: "/channels/{channel}/thread-members", status: 200, serve: (*Server).getThreadMembers},
		{method: "PUT", path: "/channels/{channel}/thread-members/@me", status: 204, serve: (*Server).putThreadMember},
		{method: "DELETE", path: "/channels/{channel}/thread-members/@me", status: 204,
			serve: (*Server).deleteThreadMember},
	}
}

// findRoute matches a path, still escaped, of a version of the API, and returns its parameters unescaped.
func findRoute(version int, method, path string) (*route, map[string]string) {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	segments := strings.Split(strings.Trim(path, "/"), "/")
	for i := range routes {
		r := &routes[i]
		if r.method != method || (r.until != 0 && version > r.until) {
			continue
		}
		if params, ok := match(strings.Split(r.path[1:], "/"), segments); ok {
			return r, params
		}
	}
	return nil, nil
}

func match(template, segments []string) (map[string]string, bool) {
	if len(template) != len(segments) {
		return nil, false
	}
	params := map[string]string{}
	for i, want := range template {
		got, err := url.PathUnescape(segments[i])
		if err != nil {
			return nil, false
		}
		switch {
		case strings.HasPrefix(want, "{"):
			params[strings.Trim(want, "{}")] = got
		case want != got:
			return nil, false
		}
	}
	return params, true
}
