package gapless

import (
	"slices"
	"strings"
)

// Policy decides who is heard and where. The zero Policy hears nobody in
// guilds or DMs: that is safe, and [Policy.Silent] says so once at start.
//
// A policy is a value; changing it affects only messages not decided yet (R10).
type Policy struct {
	// Users is the allow-list of human authors (S38).
	Users []UserID
	// UserNames adds authors by their unique user name, in any case, never by a
	// display name (S38). It is compared with the name in the message itself, so
	// no look-up is ever needed and no two people can match; whoever gives a
	// name up gives up its place on the list, too. An id is safer.
	UserNames []string
	// Roles adds the members of a guild that have one of these roles in that
	// guild; never in a DM (S38).
	Roles []RoleID
	// Everyone lets every human author pass; the lists are then ignored.
	Everyone bool

	// Bots says which other bots are heard (S37). Empty means BotsNone.
	Bots BotRule
	// BotsInline asks of every bot that is heard that it writes `<@id>` itself;
	// that it is replied to with a ping does not count (S37, C68).
	BotsInline bool
	// Webhooks are heard as a person on the allow-list is: for proxies that
	// speak for people (C66). Any other webhook counts as a bot.
	Webhooks []UserID
	// IgnoredWebhooks are not heard, whatever Bots says.
	IgnoredWebhooks []UserID

	// Allowed are the places where the bot answers; empty is no restriction.
	// Without users, user names and roles it lets everybody there pass (S38, S41).
	Allowed PlaceList
	// Ignored are the places where the bot never answers, not even to a mention (S41).
	Ignored PlaceList
	// Free are the places, and the channels of threads, where a message needs no
	// mention (S40). A category frees nothing.
	Free PlaceList
	// Shared are rooms with several bots: only a mention that is written counts
	// there, not a ping, a reply or taking part (C74).
	Shared PlaceList

	// ThreadRequireMention asks for a mention in threads the bot takes part in, too (S40).
	ThreadRequireMention bool
	// AnswerOthers does not refuse what mentions other people and not us; it is
	// the reference's ignore_no_mention set to false (S39).
	AnswerOthers bool

	// OwnRole makes a mention of the bot's own role, the one that came with its
	// invitation, a mention of the bot.
	OwnRole bool
	// Names are words that address the bot where a message begins with one.
	Names []string
	// Prefixes address the bot where a message begins with one, as "!ask" does.
	Prefixes []string

	// OnEdit says whether an edit can let a message in. Empty means EditIgnore.
	OnEdit EditRule
}

// BotRule says which messages of other bots and webhooks are heard (S37).
type BotRule string

// The bot rules. Any other word hears no bot.
const (
	BotsNone     BotRule = "none"     // no bot is heard
	BotsMentions BotRule = "mentions" // a bot is heard where it mentions us
	BotsAll      BotRule = "all"      // bots are heard like anybody
)

// EditRule says what an edit does to a message that was refused.
type EditRule string

// The edit rules.
const (
	EditIgnore EditRule = "ignore" // nothing
	EditAdmit  EditRule = "admit"  // it is decided anew, as it reads now (R10)
)

// Silent reports whether the policy can admit no human at all.
func (p *Policy) Silent() bool {
	return !p.Everyone && !p.lists() && p.Allowed.Empty()
}

// lists reports whether any list of people is in force (S38).
func (p *Policy) lists() bool { return len(p.Users)+len(p.UserNames)+len(p.Roles) > 0 }

// hears reports whether the webhook speaks like a person on the list.
func (p *Policy) hears(webhook UserID) bool {
	return webhook != 0 && slices.Contains(p.Webhooks, webhook) && !slices.Contains(p.IgnoredWebhooks, webhook)
}

// lists the user: by id, else by user name; a name that did not come along
// cannot be compared.
func (p *Policy) listed(u User) (yes bool, lack Lack) {
	if slices.Contains(p.Users, u.ID) {
		return true, ""
	}
	if len(p.UserNames) > 0 && u.Name == "" {
		return false, LackName
	}
	return slices.ContainsFunc(p.UserNames, func(name string) bool {
		return strings.EqualFold(strings.TrimPrefix(name, "@"), u.Name)
	}), ""
}
