//go:build unix

package main

import (
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
)

// Where the environment names a proxy, everything goes through it: REST, and
// the connection to the gateway.
func TestProxy(t *testing.T) {
	w := newWorld(t)
	sim, err := url.Parse(w.API)
	if err != nil {
		t.Fatal(err)
	}
	var calls, upgrades atomic.Int32
	proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		if r.In.URL.Host != "discord.test" { // a proxy is asked for whole addresses
			t.Errorf("the proxy was asked for %q", r.In.URL.Host)
		}
		if r.In.Header.Get("Upgrade") == "websocket" {
			upgrades.Add(1)
		} else {
			calls.Add(1)
		}
		r.Out.URL.Host, r.Out.Host = sim.Host, "discord.test"
	}})
	t.Cleanup(proxy.Close)

	env := []string{"DISCORD_TOKEN=" + w.Token, "HTTP_PROXY=" + proxy.URL, "NO_PROXY=", "no_proxy="}
	p := command(t, env, "run", "--api", "http://discord.test/api/v10", "--data", t.TempDir(), "--exec", "cat", "--input", "text",
		"--allow-everyone", "--free", "*")
	t.Cleanup(func() { w.search(t, p.err.String()) })
	w.connected(t)
	id := w.say(t, "through the proxy")
	eventually(t, "an answer", func() bool { return len(w.answers(id)) == 1 })
	if calls.Load() == 0 || upgrades.Load() != 1 {
		t.Errorf("%d calls and %d gateway connections went through the proxy, want some and one", calls.Load(), upgrades.Load())
	}
	if strings.Contains(p.err.String(), "gateway connection ended") {
		t.Error("the connection did not hold")
	}
}
