package gapless

import (
	"regexp"
	"slices"
	"strings"
)

// OutageNotices is the pattern of texts by which a bot, or what stands around
// it, says that it does not work: never an answer, whatever they refer to
// (S27). Names are further words that stand for the bot. "That package is
// unavailable" is an answer.
func OutageNotices(names ...string) []Pattern {
	who := []string{"gapless", "(?:the )?agent", "(?:the )?gateway", "(?:the )?bot"}
	for _, n := range names {
		if n = strings.TrimSpace(n); n != "" {
			who = append(who, regexp.QuoteMeta(n))
		}
	}
	p, err := NewPattern(`(?i)\b(?:` + strings.Join(who, "|") + `) ` +
		`(?:is|was|appears to be|is currently|was currently) (?:down|offline|unavailable|not running)\b`)
	if err != nil {
		return nil // names are quoted: it compiles
	}
	return []Pattern{p}
}

// AnyMatch reports whether one of the patterns matches the text.
func AnyMatch(patterns []Pattern, text string) bool {
	return slices.ContainsFunc(patterns, func(p Pattern) bool { return p.Match(text) })
}

// outageNotice reports whether a message of ours only says that we do not work.
func (d *draft) outageNotice(m *Message) bool {
	patterns := d.rules.notices
	if patterns == nil {
		patterns = OutageNotices(d.self.Name)
	}
	return AnyMatch(patterns, m.Text)
}
