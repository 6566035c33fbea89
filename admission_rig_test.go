package gapless_test

import "gapless"

const trusted = gapless.RoleID(70)

// free makes the place free.
func free(s *gapless.Subject) { s.Policy.Free.IDs = []gapless.ChannelID{10} }

// threaded moves the message into a thread of #general, inThread into one we
// take part in.
func threaded(s *gapless.Subject) {
	s.Place, s.Parent, s.Message.Place = thread, general, thread.ID
}

func inThread(s *gapless.Subject) {
	threaded(s)
	s.Place.TakesPart = 999
}

// says writes something else, and mentions nobody beyond it.
func says(text string, then ...func(*gapless.Subject)) func(*gapless.Subject) {
	return func(s *gapless.Subject) {
		s.Message.Text, s.Message.Mentions = text, nil
		apply(s, then)
	}
}

func apply(s *gapless.Subject, then []func(*gapless.Subject)) {
	for _, f := range then {
		f(s)
	}
}

// byName lists a name only; Ann writes.
func byName(listed string, then ...func(*gapless.Subject)) func(*gapless.Subject) {
	return func(s *gapless.Subject) {
		s.Policy.Users, s.Policy.UserNames, s.Message.Author.Name = nil, []string{listed}, "ann"
		apply(s, then)
	}
}

// byRole lists a role only; a stranger writes.
func byRole(then ...func(*gapless.Subject)) func(*gapless.Subject) {
	return func(s *gapless.Subject) {
		s.Policy.Users, s.Policy.Roles, s.Message.Author.ID = nil, []gapless.RoleID{trusted}, stranger
		apply(s, then)
	}
}

// nobody empties the lists of people.
func nobody(then ...func(*gapless.Subject)) func(*gapless.Subject) {
	return func(s *gapless.Subject) {
		s.Policy.Users = nil
		apply(s, then)
	}
}

func byWebhook(then ...func(*gapless.Subject)) func(*gapless.Subject) {
	return func(s *gapless.Subject) {
		s.Message.Webhook, s.Message.Author = 77, gapless.User{ID: 77, Bot: true}
		apply(s, then)
	}
}

func inline(s *gapless.Subject) { s.Policy.BotsInline = true }

// pinged leaves our mention to the list, as the ping of a reply does.
func pinged(s *gapless.Subject) { s.Message.Text = "hello" }

// to turns the message to somebody else.
func to(user gapless.UserID, bot bool, then ...func(*gapless.Subject)) func(*gapless.Subject) {
	return func(s *gapless.Subject) {
		plain(s)
		s.Message.Mentions = []gapless.UserID{user}
		if bot {
			s.Message.MentionBots = s.Message.Mentions
		}
		apply(s, then)
	}
}

// answers makes the message a reply to one of that author's; zero: to one that
// was deleted.
func answers(author gapless.UserID) func(*gapless.Subject) {
	return func(s *gapless.Subject) {
		s.Message.Type, s.Message.Reference = 19, gapless.Reference{Message: 900, Author: author, Known: true}
	}
}

func unknownReply(s *gapless.Subject) {
	s.Message.Type, s.Message.Reference = 19, gapless.Reference{Message: 900}
}

func byOwnRole(s *gapless.Subject) {
	s.Message.Text, s.Message.Mentions, s.Message.MentionRoles = "<@&60> hello", nil, []gapless.RoleID{60}
	s.Policy.OwnRole, s.OwnRoles = true, []gapless.RoleID{60}
}

func called(s *gapless.Subject) { s.Policy.Names = []string{"Hermes"} }

func allowed(entries ...any) func(*gapless.Subject) {
	return func(s *gapless.Subject) { s.Policy.Allowed = placesOf(s, entries) }
}

func ignored(entries ...any) func(*gapless.Subject) {
	return func(s *gapless.Subject) { s.Policy.Ignored = placesOf(s, entries) }
}

// placesOf parses the words and applies the functions among the entries.
func placesOf(s *gapless.Subject, entries []any) gapless.PlaceList {
	var words []string
	for _, e := range entries {
		switch e := e.(type) {
		case string:
			words = append(words, e)
		case func(*gapless.Subject):
			e(s)
		}
	}
	list, err := gapless.ParsePlaces(words)
	if err != nil {
		panic(err)
	}
	return list
}

func shared(then ...func(*gapless.Subject)) func(*gapless.Subject) {
	return func(s *gapless.Subject) {
		s.Policy.Shared.IDs = []gapless.ChannelID{10}
		apply(s, then)
	}
}
