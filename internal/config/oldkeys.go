package config

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"gapless"
)

// oldKeys has, for each setting of the reference, what it becomes. A later one
// counts before an earlier one where both set the same key of ours.
var oldKeys = []OldKey{
	{Name: oldMissed + ".enabled", Variable: "DISCORD_MISSED_MESSAGE_BACKFILL", Key: "recover.default", fileFirst: true,
		Says: "a word for true is on, anything else is off, and no audits either; unset is on here",
		take: (*mapper).enabled},
	{Name: oldMissed + ".channels", Variable: "DISCORD_MISSED_MESSAGE_BACKFILL_CHANNELS", Key: "recover.places", fileFirst: true,
		Says: "recovery is on in these and off elsewhere; nothing or * is every place the bot can read",
		take: (*mapper).recovered},
	{Name: oldMissed + ".window_seconds", Variable: "DISCORD_MISSED_MESSAGE_BACKFILL_WINDOW_SECONDS", Key: "budget.window", fileFirst: true, hidden: true,
		Says: "seconds, fractions allowed; below 60 s it is 60 s, above 29 d it is 29 d",
		take: (*mapper).window},
	{Name: oldMissed + ".limit", Variable: "DISCORD_MISSED_MESSAGE_BACKFILL_LIMIT", Key: "budget.examined", fileFirst: true, hidden: true,
		Says: "1 to 500, clamped",
		take: func(m *mapper, v oldValue) { m.bounded("budget.examined", v, 1, 500) }},
	{Name: oldMissed + ".max_dispatches", Variable: "DISCORD_MISSED_MESSAGE_BACKFILL_MAX_DISPATCHES", Key: "budget.turns_per_minute", fileFirst: true, hidden: true,
		Says: "1 to 100, clamped; a pass there is a minute here",
		take: func(m *mapper, v oldValue) { m.bounded("budget.turns_per_minute", v, 1, 100) }},

	{Variable: "DISCORD_ALLOWED_USERS", Key: "policy.users", Says: "* is policy.everyone", take: (*mapper).users},
	{Variable: "DISCORD_ALLOW_ALL_USERS", Key: "policy.everyone", take: func(m *mapper, v oldValue) {
		if truthful(v.text()) {
			m.give("policy.everyone", "true")
		}
	}},
	{Variable: "DISCORD_ALLOWED_ROLES", Key: "policy.roles", take: func(m *mapper, v oldValue) { m.list("policy.roles", v) }},
	{Name: "allowed_channels", Variable: "DISCORD_ALLOWED_CHANNELS", Key: "policy.allowed_channels",
		take: func(m *mapper, v oldValue) { m.channels("policy.allowed_channels", v) }},
	{Name: "ignored_channels", Variable: "DISCORD_IGNORED_CHANNELS", Key: "policy.ignored_channels",
		take: func(m *mapper, v oldValue) { m.channels("policy.ignored_channels", v) }},
	{Name: "free_response_channels", Variable: "DISCORD_FREE_RESPONSE_CHANNELS", Key: "policy.free_channels",
		take: func(m *mapper, v oldValue) { m.channels("policy.free_channels", v) }},
	{Name: "no_thread_channels", Variable: "DISCORD_NO_THREAD_CHANNELS", Key: "conversation.no_thread_channels",
		take: func(m *mapper, v oldValue) { m.channels("conversation.no_thread_channels", v) }},
	{Name: "require_mention", Variable: "DISCORD_REQUIRE_MENTION", Key: "policy.free_channels", Says: `anything but a word for true makes every channel free ("*")`,
		take: func(m *mapper, v oldValue) {
			if !truthful(v.text()) {
				m.give("policy.free_channels", "*")
			}
		}},
	{Name: "thread_require_mention", Variable: "DISCORD_THREAD_REQUIRE_MENTION", Key: "policy.thread_require_mention",
		take: func(m *mapper, v oldValue) { m.truth("policy.thread_require_mention", truthful(v.text())) }},
	{Variable: "DISCORD_IGNORE_NO_MENTION", Key: "policy.ignore_no_mention", Says: "any word but true, 1 and yes switches it off",
		take: func(m *mapper, v oldValue) {
			m.truth("policy.ignore_no_mention", slices.Contains([]string{"true", "1", "yes"}, lowered(v)))
		}},
	{Name: "allow_bots", Variable: "DISCORD_ALLOW_BOTS", Key: "policy.bots", Says: "none, mentions or all; another word is a mistake here",
		take: func(m *mapper, v oldValue) { m.give("policy.bots", lowered(v)) }},
	{Name: "bots_require_inline_mention", Variable: "DISCORD_BOTS_REQUIRE_INLINE_MENTION", Key: "policy.bots_inline_mention",
		take: func(m *mapper, v oldValue) { m.truth("policy.bots_inline_mention", truthful(v.text())) }},
	{Name: "auto_thread", Variable: "DISCORD_AUTO_THREAD", Key: "conversation.auto_thread",
		take: func(m *mapper, v oldValue) { m.truth("conversation.auto_thread", truthful(v.text())) }},
	{Name: "reactions", Variable: "DISCORD_REACTIONS", Key: "conversation.reactions", Says: "on unless false, 0 or no",
		take: func(m *mapper, v oldValue) {
			m.truth("conversation.reactions", !slices.Contains([]string{"false", "0", "no"}, lowered(v)))
		}},
	{Name: "reply_to_mode", Key: "replies", take: (*mapper).replies},
	{Name: "history_backfill_limit", Variable: "DISCORD_HISTORY_BACKFILL_LIMIT", Key: "conversation.context", Says: "1 to 100, clamped",
		take: func(m *mapper, v oldValue) { m.bounded("conversation.context", v, 1, 100) }},
	{Name: "history_backfill", Variable: "DISCORD_HISTORY_BACKFILL", Key: "conversation.context", Says: "anything but a word for true is 0",
		take: func(m *mapper, v oldValue) {
			if !truthful(v.text()) {
				m.give("conversation.context", "0")
			}
		}},
	{Name: "channel_prompts", Key: "conversation.prompts", take: func(m *mapper, v oldValue) { m.pairs("conversation.prompts", v) }},
	{Name: "allow_mentions", Key: "conversation.allow_mentions", take: (*mapper).mentions},
}

// lowered is the only text of a value in small letters.
func lowered(v oldValue) string { return strings.ToLower(strings.TrimSpace(v.text())) }

// truthful is the reference's idea of true.
func truthful(s string) bool {
	return slices.Contains([]string{"true", "1", "yes", "on"}, strings.ToLower(strings.TrimSpace(s)))
}

// enabled takes whether anything is recovered at all (S54).
func (m *mapper) enabled(v oldValue) {
	if truthful(v.text()) {
		m.give("recover.default", "on")
		return
	}
	m.off = true
	m.give("recover.default", "off")
	m.give("audit.interval", "off")
}

// recovered takes the only places that are recovered (S11).
func (m *mapper) recovered(v oldValue) {
	values := plain(v.all())
	switch {
	case m.off:
		m.note("not used: recovery is off")
	case len(values) > 0 && !slices.Contains(values, "*"):
		for i, place := range values {
			values[i] = place + "=on"
		}
		m.given = slices.DeleteFunc(m.given, func(g given) bool { return g.key.Name == "recover.default" }) // on, but only there
		m.give("recover.default", "off")
		m.give("recover.places", values...)
	}
}

func (m *mapper) truth(key string, v bool) { m.give(key, strconv.FormatBool(v)) }

// list takes a list of ids; none is as good as no list.
func (m *mapper) list(key string, v oldValue) {
	if values := plain(v.all()); len(values) > 0 {
		m.give(key, values...)
	}
}

// channels takes a list of places, in which a star makes the others pointless.
func (m *mapper) channels(key string, v oldValue) {
	values := plain(v.all())
	if slices.Contains(values, "*") {
		if len(values) > 1 {
			m.note(`"*" makes the others pointless`)
		}
		values = []string{"*"}
	}
	if len(values) > 0 {
		m.give(key, values...)
	}
}

// users takes the list of who is heard, in which a star is everybody.
func (m *mapper) users(v oldValue) {
	values := plain(v.all())
	others := slices.DeleteFunc(slices.Clone(values), func(s string) bool { return s == "*" })
	if len(others) < len(values) {
		m.give("policy.everyone", "true")
	}
	if len(others) > 0 {
		m.give("policy.users", others...)
	}
}

// plain are ids without the marks of a mention around them.
func plain(values []string) (ids []string) {
	for _, v := range values {
		if found := mention.FindStringSubmatch(v); found != nil {
			v = found[1]
		}
		ids = append(ids, v)
	}
	return ids
}

// bounded takes a whole number and clamps it; what is none is left at the default.
func (m *mapper) bounded(key string, v oldValue, low, high int) {
	n, err := strconv.ParseFloat(v.text(), 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		m.note(fmt.Sprintf("%q is no number; the default counts", v.text()))
		return
	}
	held := int(min(max(math.Trunc(n), float64(low)), float64(high)))
	if float64(held) != n {
		m.note(fmt.Sprintf("%s is taken as %d: it is a whole number from %d to %d", v.text(), held, low, high))
	}
	m.give(key, strconv.Itoa(held))
}

// The bounds of the window; the reference knows no upper one.
const (
	leastWindow = time.Minute
	mostWindow  = 29 * day
)

// window takes seconds.
func (m *mapper) window(v oldValue) {
	seconds, err := strconv.ParseFloat(v.text(), 64)
	if err != nil || math.IsNaN(seconds) || math.IsInf(seconds, 0) {
		m.note(fmt.Sprintf("%q is no number; the default counts", v.text()))
		return
	}
	held := min(max(seconds, leastWindow.Seconds()), mostWindow.Seconds())
	d := time.Duration(held * float64(time.Second)).Round(time.Millisecond)
	if held != seconds {
		m.note(fmt.Sprintf("%s s is taken as %s: the window is from %s to %s", v.text(), short(d), short(leastWindow), short(mostWindow)))
	}
	m.give("budget.window", short(d))
}

// replies takes the reply mode; an unknown one is first, as there.
func (m *mapper) replies(v oldValue) {
	mode := lowered(v)
	if mode == "false" {
		mode = "off" // a bare off
	}
	if !slices.Contains([]string{string(gapless.ReplyFirst), string(gapless.ReplyAll), string(gapless.ReplyOff)}, mode) {
		m.note(fmt.Sprintf("%q is none of first, all, off; first counts", v.text()))
		mode = string(gapless.ReplyFirst)
	}
	m.give("replies", mode)
}

// pairs takes values under the ids of places.
func (m *mapper) pairs(key string, v oldValue) {
	var values []string
	for _, p := range v.pairs {
		values = append(values, p[0]+"="+p[1])
	}
	if len(values) > 0 {
		m.give(key, values...)
	}
}

// mentions takes which mentions of an answer ring: everyone, roles, users, replied_user.
func (m *mapper) mentions(v oldValue) {
	var ring []string
	for _, p := range v.pairs {
		if truthful(p[1]) {
			ring = append(ring, p[0])
		}
	}
	m.give("conversation.allow_mentions", ring...)
}
