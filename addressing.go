package gapless

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Mentioned reports whether the message names us: in the resolved list or by
// `<@id>` in what its author wrote (S37).
func (s *Subject) Mentioned() bool {
	return s.Self != 0 && (slices.Contains(s.Message.Mentions, s.Self) || s.mentionedInline())
}

// mentionedInline leaves the list out, which a ping of a reply fills as well.
func (s *Subject) mentionedInline() bool {
	if !s.read {
		s.read = true
		s.inline = s.Self != 0 && mentions(s.Message.Said(), '@', uint64(s.Self))
	}
	return s.inline
}

// called is what in the message itself is addressed to us, short of being a
// reply.
func (s *Subject) called() (on Ground, lack Lack) {
	if s.Mentioned() {
		return OnMention, ""
	}
	return s.calledByWord()
}

// typed is called without the list of mentions: only what is written counts.
func (s *Subject) typed() (on Ground, lack Lack) {
	if s.mentionedInline() {
		return OnMention, ""
	}
	return s.calledByWord()
}

// calledByWord looks for our words at the beginning of the text and for our own
// role in it.
func (s *Subject) calledByWord() (on Ground, lack Lack) {
	if !s.searched {
		s.searched = true
		s.word, s.wordLack = s.searchWord()
	}
	return s.word, s.wordLack
}

func (s *Subject) searchWord() (on Ground, lack Lack) {
	said := s.Message.Said()
	switch {
	case slices.ContainsFunc(s.Policy.Prefixes, func(p string) bool { return begins(said, p) }):
		return OnPrefix, ""
	case slices.ContainsFunc(s.Policy.Names, func(n string) bool { return beginsName(said, n) }):
		return OnName, ""
	}
	if !s.Policy.OwnRole || !strings.Contains(said, "<@&") && len(s.Message.MentionRoles) == 0 {
		return "", ""
	}
	if s.OwnRoles == nil {
		return "", LackRole
	}
	for _, role := range s.OwnRoles {
		if slices.Contains(s.Message.MentionRoles, role) || mentions(said, '&', uint64(role)) {
			return OnRole, ""
		}
	}
	return "", ""
}

// answersUs reports whether the message is a person's reply to one of ours
// (C63). A bot has to mention us (C68).
func (s *Subject) answersUs() (yes bool, lack Lack) {
	m := s.Message
	switch {
	case s.Self == 0 || !m.Replies() || s.bot():
		return false, ""
	case !m.Reference.Known || s.weighs < weighReplies:
		return false, LackReference
	}
	return m.Reference.Author == s.Self, ""
}

// addressed reports whether the message turns to us, by a word or by being a
// reply; where it cannot be told, what lacks.
func (s *Subject) addressed() (on Ground, lack Lack) {
	on, lack = s.called()
	if on != "" {
		return on, ""
	}
	yes, more := s.answersUs()
	if yes {
		return OnReply, ""
	}
	return "", either(lack, more)
}

// either is the first thing that lacks.
func either(a, b Lack) Lack {
	if a != "" {
		return a
	}
	return b
}

// onlyMentions reports whether there is nothing in the text but mentions of us.
func (s *Subject) onlyMentions() (yes bool, lack Lack) {
	text := s.Message.Text
	for {
		start, end, kind, id := nextMention(text)
		if start < 0 {
			start = len(text)
		}
		if strings.TrimSpace(text[:start]) != "" {
			return false, ""
		}
		if start == len(text) {
			return yes && lack == "", lack
		}
		switch {
		case kind == '@' && id == uint64(s.Self) && id != 0:
		case kind == '&' && s.Policy.OwnRole && s.OwnRoles == nil:
			lack = LackRole
		case kind == '&' && s.Policy.OwnRole && slices.Contains(s.OwnRoles, RoleID(id)):
		default:
			return false, ""
		}
		text, yes = text[end:], true
	}
}

// mentions looks for <@id> and <@!id>, or <@&id> if kind is '&', without
// building a string.
func mentions(text string, kind byte, id uint64) bool {
	for {
		start, end, k, n := nextMention(text)
		if start < 0 {
			return false
		}
		if k == kind && n == id {
			return true
		}
		text = text[end:]
	}
}

// nextMention finds the next mention of a user (kind '@') or role (kind '&')
// and where it stands; start is negative if there is none.
func nextMention(text string) (start, end int, kind byte, id uint64) {
	for at := 0; ; {
		i := strings.Index(text[at:], "<@")
		if i < 0 {
			return -1, 0, 0, 0
		}
		start, at = at+i, at+i+2
		j, kind := at, byte('@')
		if j < len(text) && (text[j] == '!' || text[j] == '&') {
			if text[j] == '&' {
				kind = '&'
			}
			j++
		}
		first := j
		for id = 0; j < len(text) && '0' <= text[j] && text[j] <= '9' && j-first < 20; j++ {
			id = id*10 + uint64(text[j]-'0')
		}
		if j > first && j-first < 20 && j < len(text) && text[j] == '>' { // 19 digits cannot overflow
			return start, j + 1, kind, id
		}
	}
}

// begins reports whether the text begins with the word, in any case, and the
// word ends there.
func begins(text, word string) bool {
	text = strings.TrimLeftFunc(text, unicode.IsSpace)
	if word == "" || len(text) < len(word) || !strings.EqualFold(text[:len(word)], word) {
		return false
	}
	last, _ := utf8.DecodeLastRuneInString(word)
	next, _ := utf8.DecodeRuneInString(text[len(word):])
	return !wordly(last) || !wordly(next) || len(text) == len(word)
}

// beginsName is begins for a name, which may be called with an @ before it.
func beginsName(text, name string) bool {
	text = strings.TrimLeftFunc(text, unicode.IsSpace)
	return begins(strings.TrimPrefix(text, "@"), strings.TrimPrefix(name, "@"))
}

func wordly(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
