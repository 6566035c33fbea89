package gapless

import (
	"slices"
	"strings"
	"unicode"
)

// Class is what kind of request a message is, as far as coming late matters.
type Class string

// The classes. The first that fits is the message's: bot, approval, command,
// normal.
const (
	ClassNormal   Class = "normal"   // anything else
	ClassCommand  Class = "command"  // tells the bot to do something to itself or its session (C70)
	ClassApproval Class = "approval" // a bare yes, no or ok: it means what was asked just before (C71)
	ClassBot      Class = "bot"      // written by another bot (C72)
)

// Classes says how a message is told to be a command or an approval. Nil lists
// mean their defaults, empty ones nothing. Mentions of the bot and white space
// around the text never count, nor does what was forwarded.
type Classes struct {
	// CommandPrefixes make a command of a text that begins with one and a word
	// behind it; `/` by default. A path like /etc/hosts is no command.
	CommandPrefixes []string
	// CommandPatterns make a command of a text that one matches.
	CommandPatterns []Pattern
	// ApprovalWords are the texts that approve when nothing else is said, in any
	// case and with any punctuation behind them; by default the usual English
	// words and signs.
	ApprovalWords []string
	// DenialWords are those that deny. To lateness both are approvals.
	DenialWords []string
	// ApprovalPatterns make an approval of a text that one matches.
	ApprovalPatterns []Pattern
}

// The bare words that approve and deny by default.
var (
	approvals = []string{
		"yes", "y", "yep", "yeah", "yup", "sure", "ok", "okay", "k", "confirm", "confirmed", "approve", "approved", "accept",
		"allow", "agreed", "proceed", "continue", "go", "go ahead", "do it", "lgtm", "yes please", "👍", "✅", "🆗",
	}
	denials = []string{"no", "n", "nope", "nah", "deny", "denied", "reject", "rejected", "decline", "no thanks", "👎", "❌"}
)

// WithDefaults is the classes with every nil list replaced by its default.
func (c Classes) WithDefaults() Classes {
	if c.CommandPrefixes == nil {
		c.CommandPrefixes = []string{"/"}
	}
	if c.ApprovalWords == nil {
		c.ApprovalWords = approvals
	}
	if c.DenialWords == nil {
		c.DenialWords = denials
	}
	return c
}

// Of is the class of a message. The policy knows which webhooks speak for
// people and which words only call the bot; self is the bot.
func (c Classes) Of(m *Message, p *Policy, self UserID) Class {
	s := Subject{Policy: p, Self: self, Message: m}
	if s.bot() {
		return ClassBot
	}
	c = c.WithDefaults()
	text := bareText(m.Said(), p, self)
	switch {
	case c.approval(text) && m.Attachments == 0:
		return ClassApproval
	case c.command(text):
		return ClassCommand
	}
	return ClassNormal
}

func (c Classes) approval(text string) bool {
	return says(text, c.ApprovalWords) || says(text, c.DenialWords) ||
		slices.ContainsFunc(c.ApprovalPatterns, func(p Pattern) bool { return p.Match(text) })
}

// says reports whether the text is one of the words, whatever stands behind it.
func says(text string, words []string) bool {
	bare := strings.TrimRightFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsPunct(r) || r == '\uFE0F' })
	return slices.ContainsFunc(words, func(w string) bool { return w != "" && strings.EqualFold(w, bare) })
}

// approves tells a yes from a no among what is an approval.
func (c Classes) approves(m *Message, p *Policy, self UserID) bool {
	return !says(bareText(m.Said(), p, self), c.WithDefaults().DenialWords)
}

func (c Classes) command(text string) bool {
	return slices.ContainsFunc(c.CommandPrefixes, func(p string) bool { return commands(text, p) }) ||
		slices.ContainsFunc(c.CommandPatterns, func(p Pattern) bool { return p.Match(text) })
}

// commands reports whether the text is the prefix and a word, then nothing or
// white space.
func commands(text, prefix string) bool {
	rest, ok := strings.CutPrefix(text, prefix)
	if !ok || prefix == "" {
		return false
	}
	end := strings.IndexFunc(rest, func(r rune) bool { return !wordly(r) && r != '-' && r != ':' && r != '.' })
	if end < 0 {
		end = len(rest)
	}
	tail := rest[end:]
	return end > 0 && (tail == "" || strings.TrimLeftFunc(tail, unicode.IsSpace) != tail)
}

// bareText is what is said once the calls of the bot at its beginning and the
// mention at its end are taken off.
func bareText(text string, p *Policy, self UserID) string {
	for {
		text = strings.TrimSpace(strings.TrimLeft(text, ",: \t\r\n"))
		start, end, kind, id := nextMention(text)
		if start != 0 || kind != '@' || id != uint64(self) {
			break
		}
		text = text[end:]
	}
	if i := strings.LastIndex(text, "<@"); i >= 0 {
		if start, end, kind, id := nextMention(text[i:]); start == 0 && i+end == len(text) && kind == '@' && id == uint64(self) {
			text = strings.TrimSpace(text[:i])
		}
	}
	for _, word := range p.Names {
		if beginsName(text, word) {
			text = strings.TrimPrefix(text, "@")
			return strings.TrimLeft(text[len(strings.TrimPrefix(word, "@")):], ",: \t\n")
		}
	}
	for _, word := range p.Prefixes {
		if rest := strings.TrimSpace(text[min(len(word), len(text)):]); begins(text, word) && rest != "" {
			return rest
		}
	}
	return text
}
