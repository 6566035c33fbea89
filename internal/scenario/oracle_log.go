package scenario

import (
	"fmt"
	"strings"
)

// leakLength is how much of a text must stand in a line of log to count as leaked.
const leakLength = 10

// judgeLog makes sure that no token and no text of a user stands in the log.
func (e *evidence) judgeLog() []string {
	var wrong []string
	secrets := strings.Split(e.bot.Token, ".")
	secret := secrets[len(secrets)-1]
	texts := map[string]string{}
	for text := range e.texts {
		if tail := telling(text); tail != "" {
			texts[tail] = text
		}
	}
	for _, l := range e.log {
		if strings.Contains(l, e.bot.Token) || strings.Contains(l, secret) {
			wrong = append(wrong, "the token stands in the log: "+strings.ReplaceAll(l, secret, "..."))
		}
		for tail, text := range texts {
			if strings.Contains(l, tail) {
				wrong = append(wrong, fmt.Sprintf("the text of a message (%q) stands in the log: %s", text, l))
			}
		}
	}
	return wrong
}

// telling is the part of a text that nothing else says: its beginning behind the mentions, if it is long enough.
func telling(text string) string {
	for strings.HasPrefix(text, "<@") {
		_, rest, ok := strings.Cut(text, ">")
		if !ok {
			break
		}
		text = strings.TrimSpace(rest)
	}
	if len(text) < leakLength {
		return ""
	}
	return text[:leakLength]
}
