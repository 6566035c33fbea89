package scenario

import (
	"time"
)

const handlerScope = " [SCOPE]"

func handlerCommands() []command {
	says := "SCOPE is `on MESSAGE...`, `in #PLACE` or `by USER`, everything if missing. " +
		"Of the rules that fit, the last one counts; one with `N times` gives way once it is used up."
	return []command{
		{"handler answers", `handler answers ["TEXT"] [in N parts] [with N characters] [N times]` + handlerScope,
			"Replies, which it does anyway: with `answer to M1`, or with TEXT in place of `answer`. " + says, readConduct("answers")},
		{"handler is silent", "handler is silent [N times]" + handlerScope, "Is done without an answer.", readConduct("silent")},
		{"handler fails", "handler fails [N times]" + handlerScope, "Returns an error.", readConduct("fails")},
		{"handler panics", "handler panics [N times]" + handlerScope, "Panics.", readConduct("panics")},
		{"handler discards", `handler discards "REASON" [N times]` + handlerScope, "Says that the message is not worth another attempt.", readConduct("discards")},
		{"handler retries", "handler retries after DURATION [N times]" + handlerScope, "Asks to be called again later.", readConduct("retries")},
		{"handler is away", "handler is away [for DURATION] [N times]" + handlerScope, "Cannot be reached, which is no attempt.", readConduct("away")},
		{"handler hangs", "handler hangs [N times]" + handlerScope, "Does not return before it is stopped.", readConduct("hangs")},
		{"handler ignores everything", "handler ignores everything [N times]" + handlerScope, "Does not even return when it is stopped.", readConduct("ignores")},
		{"handler kills", "handler kills [N times]" + handlerScope, "The process is killed during the turn, as by `kill`, once the time of `takes` is over.", readConduct("kills")},
		{"handler takes", "handler takes DURATION [with progress every DURATION] [N times]" + handlerScope, "Works that long before it says anything; 10ms without such a rule.", readConduct("takes")},
	}
}

func readConduct(verdict string) func(*phrase) func(*player) error {
	return func(ph *phrase) func(*player) error {
		c := conduct{verdict: verdict}
		var away time.Duration
		switch verdict {
		case "takes":
			c.timing, c.takes = true, ph.duration("the length of the turn")
			if ph.accept("with", "progress", "every") {
				c.progress = ph.duration("the time between signs of life")
			}
		case "discards":
			c.text = ph.word("a reason in quotes")
		case "retries":
			ph.need("after")
			c.after = ph.duration("the wait it asks for")
		case "away":
			if ph.accept("for") {
				away = ph.duration("how long it is away")
			}
		case "answers":
			c.read(ph)
		}
		c.count(ph)
		c.scope(ph)
		return func(p *player) error {
			rule := c
			if away > 0 {
				rule.until = time.Now().Add(away)
			}
			p.conductMu.Lock()
			defer p.conductMu.Unlock()
			p.conducts = append(p.conducts, &rule)
			return nil
		}
	}
}

// read takes what an answer may say of itself.
func (c *conduct) read(ph *phrase) {
	if text, quoted, _ := ph.scan(); quoted {
		c.text = ph.word(text)
	}
	if back := ph.at; ph.accept("in") {
		if next := ph.peek(); next == "" || next[0] < '0' || next[0] > '9' {
			ph.at = back // a place, which is the scope
		} else {
			c.parts = ph.number("how many parts")
			ph.need("parts")
		}
	}
	if ph.accept("with") {
		c.length = ph.number("how many characters")
		ph.need("characters")
	}
}

// count takes `N times`, or `once`.
func (c *conduct) count(ph *phrase) {
	if ph.accept("once") {
		c.times = 1
		return
	}
	if w := ph.peek(); w == "" || w[0] < '0' || w[0] > '9' {
		return
	}
	c.times = ph.number("how often")
	ph.need("times")
}

func (c *conduct) scope(ph *phrase) {
	switch {
	case ph.accept("on"):
		c.messages = ph.comingMessages()
	case ph.accept("in"):
		c.place = ph.place()
	case ph.accept("by"):
		c.user = ph.user()
	}
}
