package discord

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

// DefaultBaseURL is Discord's own API.
const DefaultBaseURL = "https://discord.com/api/v10"

var versioned = regexp.MustCompile(`/v\d+$`)

// apiURL is the address of the API, with the path Discord gives it where only a server was named.
func apiURL(given string) (*url.URL, error) {
	if given == "" {
		given = DefaultBaseURL
	}
	u, err := url.Parse(given)
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the API's address: %w", errors.Unwrap(err))
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, fmt.Errorf("read the API's address %q: it must look like https://discord.com/api/v10 or http://127.0.0.1:8080", u.Redacted())
	}
	path := strings.TrimRight(u.Path, "/")
	switch {
	case strings.HasSuffix(path, "/api"):
		path += "/v10"
	case !versioned.MatchString(path):
		path += "/api/v10"
	}
	return &url.URL{Scheme: u.Scheme, Host: u.Host, Path: path}, nil
}

// official reports whether the address is Discord's own.
func official(u *url.URL) bool {
	host := strings.ToLower(u.Hostname())
	for _, family := range []string{"discord.com", "discord.gg"} {
		if host == family || strings.HasSuffix(host, "."+family) {
			return true
		}
	}
	return false
}

// trusts reports whether the token may be sent to a gateway address: at Discord's own API to its own hosts, encrypted;
// at any other API to that API's host and to the host its /gateway/bot names (asked, empty if not known yet).
func trusts(api *url.URL, asked, gateway string) bool {
	u, err := url.Parse(gateway)
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "ws" && u.Scheme != "wss" {
		return false
	}
	if official(api) {
		return official(u) && u.Scheme == "wss"
	}
	if strings.EqualFold(u.Hostname(), api.Hostname()) {
		return true
	}
	named, err := url.Parse(asked)
	return err == nil && named.Host != "" && strings.EqualFold(u.Hostname(), named.Hostname())
}

// connectURL completes a gateway address (protocol A2). Path and foreign parameters stay as they were given.
func connectURL(gateway string, compress bool) (string, error) {
	u, err := url.Parse(gateway)
	if err != nil {
		return "", errors.New("read the gateway's address: it is none")
	}
	if u.Path == "" {
		u.Path = "/"
	}
	q := u.Query()
	q.Set("v", "10")
	q.Set("encoding", "json")
	q.Del("compress")
	if compress {
		q.Set("compress", "zlib-stream")
	}
	u.RawQuery = q.Encode()
	return u.String(), nil
}
