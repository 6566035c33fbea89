package gapless

import "slices"

// forOtherBot refuses what mentions another bot and does not turn to us; in a
// DM there is nobody else.
func (s *Subject) forOtherBot() (bool, Lack) {
	if s.direct() || !slices.ContainsFunc(s.Message.MentionBots, func(u UserID) bool { return u != s.Self }) {
		return false, ""
	}
	return s.elsewhere()
}

// forOthers refuses what mentions other people and does not turn to us, unless
// the place is free.
func (s *Subject) forOthers() (bool, Lack) {
	m := s.Message
	if s.Policy.AnswerOthers || s.direct() || !slices.ContainsFunc(m.Mentions, func(u UserID) bool {
		return u != s.Self && !slices.Contains(m.MentionBots, u)
	}) {
		return false, ""
	}
	free, lack := s.on(s.Policy.Free, freeing)
	if free {
		return false, ""
	}
	refuses, more := s.elsewhere()
	return refuses && lack == "", either(more, lack)
}

// elsewhere refuses what does not turn to us.
func (s *Subject) elsewhere() (bool, Lack) {
	if s.guild() == 0 {
		return false, LackPlace
	}
	on, lack := s.addressed()
	return on == "" && lack == "", lack
}

func (s *Subject) outside() (bool, Lack) {
	if s.Policy.Allowed.Empty() || s.direct() {
		return false, ""
	}
	allowed, lack := s.on(s.Policy.Allowed, opening)
	return !allowed && lack == "", lack
}

func (s *Subject) ignored() (bool, Lack) { return s.on(s.Policy.Ignored, closing) }

func (s *Subject) unnamed() (bool, Lack) {
	shared, lack := s.on(s.Policy.Shared, closing)
	if !shared && lack == "" {
		return false, ""
	}
	on, more := s.typed()
	if on != "" {
		return false, ""
	}
	lack = either(lack, more)
	return lack == "", lack
}

// unaddressed refuses what nothing lets in; of a place of unknown kind it
// cannot be told whether this rule or the next one does.
func (s *Subject) unaddressed() (bool, Lack) {
	if s.Place.Kind.Thread() {
		return false, ""
	}
	on, lack := s.ground()
	if on == "" && (s.Place.ID == 0 || s.Place.Kind == KindUnknown) {
		lack = either(lack, LackPlace)
	}
	return on == "" && lack == "", lack
}

func (s *Subject) unaddressedInThread() (bool, Lack) {
	if !s.Place.Kind.Thread() {
		return false, ""
	}
	on, lack := s.ground()
	return on == "" && lack == "", lack
}

// ground is what lets the message in. Being a reply comes last: it is the only
// one that may have to be looked up, and is not when another ground will do.
func (s *Subject) ground() (on Ground, lack Lack) {
	switch {
	case s.direct():
		return OnDirect, ""
	case s.guild() == 0:
		return "", LackPlace
	}
	if on, lack = s.called(); on != "" {
		return on, ""
	}
	free, more := s.on(s.Policy.Free, freeing)
	if free {
		return OnFree, ""
	}
	lack = either(lack, more)
	if s.takesPart() {
		return OnThread, ""
	}
	answers, more := s.answersUs()
	if answers {
		return OnReply, ""
	}
	return "", either(lack, more)
}

// takesPart reports whether the bot took part in the thread when the message
// was written, and that is enough here (S40, C73).
func (s *Subject) takesPart() bool {
	p := s.Place
	return p.TakesPart != 0 && s.Message.ID > p.TakesPart && !s.Policy.ThreadRequireMention
}

// empty refuses a bare mention. A reply or forward that is one points at what
// is meant; a sticker, poll, voice message or component is content; a message
// without anything is not for us to guess at (S42).
func (s *Subject) empty() (bool, Lack) {
	if m := s.Message; m.Attachments > 0 || m.Replies() || m.Reference.Type != 0 {
		return false, ""
	}
	return s.onlyMentions()
}
