package gapless

import (
	"cmp"
	"slices"
)

// Reason is a code for why a message was refused, a delivery ended or a range
// stays unread. Codes are stable: they are stored, counted and documented.
type Reason string

// Decision is the outcome of admission for one message: admitted, refused with
// a Reason, or, while something lacks, undecided (R11).
type Decision struct {
	Admitted  bool
	Reason    Reason // of a refusal; empty otherwise
	Ground    Ground // of an admission; empty otherwise
	Addressed bool   // the message was meant for us, as far as it tells without a look-up, so a refusal is worth explaining (R10)
	RoleList  bool   // a list of roles was in force for the author; the handler is told (S38)

	// Lack is what would have to be known to decide the message, the first thing
	// if there are several; empty once it is decided.
	Lack Lack
}

// Undecided reports whether something lacks.
func (d Decision) Undecided() bool { return d.Lack != "" }

// Ground is what a message was admitted on; the handler is told.
type Ground string

// The grounds of admission.
const (
	OnDirect  Ground = "dm"      // written to us in a DM
	OnMention Ground = "mention" // mentions us
	OnReply   Ground = "reply"   // answers a message of ours
	OnRole    Ground = "role"    // mentions our own role
	OnName    Ground = "name"    // begins with one of our names
	OnPrefix  Ground = "prefix"  // begins with one of our prefixes
	OnFree    Ground = "free"    // in a place where no mention is needed
	OnThread  Ground = "thread"  // in a thread we take part in
)

// Subject is all that admission may look at. The origin of the message is not
// among it: live and recovered messages pass the same door (promise 2). What is
// not known stays zero: a Place, Parent or Category without ID, a Member that is
// not Known, OwnRoles that are nil.
type Subject struct {
	Policy   *Policy
	Self     UserID
	OwnRoles []RoleID // the roles of the message's guild that are this bot's alone ([Guild.Bots])
	Place    Place    // kind, guild, name, parent and taking part as our directory knows them
	Parent   Place    // of a thread: the channel it is in
	Category Place    // of the channel, or of the thread's channel
	Member   Membership
	Message  *Message

	weighs   weight
	roleless bool // the author's roles were asked for and are not known

	// What a search of the text came to, so that several rules search it once.
	read, searched bool
	inline         bool
	word           Ground
	wordLack       Lack
}

// The reasons of admission.
const (
	ReasonOwn       Reason = "own"
	ReasonType      Reason = "type"
	ReasonBot       Reason = "bot"
	ReasonWebhook   Reason = "webhook"
	ReasonCrosspost Reason = "crosspost"
	ReasonLeft      Reason = "left"
	ReasonUser      Reason = "user"
	ReasonOtherBot  Reason = "other_bot"
	ReasonOthers    Reason = "others"
	ReasonPlace     Reason = "place"
	ReasonIgnored   Reason = "ignored"
	ReasonShared    Reason = "shared"
	ReasonMention   Reason = "mention"
	ReasonThread    Reason = "thread"
	ReasonEmpty     Reason = "empty"
)

// Rule is one rule of admission: it refuses, leaves the message to the rules
// after it, or says what it would have to know to tell.
type Rule struct {
	Reason Reason
	Says   string // for the table in the documentation
}

// Rules is the order of admission: the first rule that refuses gives the
// reason (S33). The table in docs/reasons.md is generated from it.
var Rules = []Rule{
	{ReasonOwn, "written by this bot itself (S21)"},
	{ReasonType, "not something a user typed: only default messages and replies count, and nothing ephemeral (S36, C61, C135)"},
	{ReasonBot, "written by another bot, or by a webhook the policy does not name, that is not heard as it is (S37)"},
	{ReasonWebhook, "written by a webhook the policy ignores (C66)"},
	{ReasonCrosspost, "a copy of an announcement from a channel that is followed, by a webhook the policy does not name (C67)"},
	{ReasonLeft, "the author has left the guild whose roles would let them pass (C60)"},
	{ReasonUser, "the author is on no list of users or roles (S38)"},
	{ReasonOtherBot, "turns to another bot and not to this one (S39, C74)"},
	{ReasonOthers, "turns to other people and not to the bot (S39)"},
	{ReasonPlace, "not in one of the allowed places (S41)"},
	{ReasonIgnored, "in a place that is ignored, whoever is mentioned (S41)"},
	{ReasonShared, "in a room with several bots, and does not name this one in its text (C74)"},
	{ReasonMention, "does not turn to the bot, and the place requires it (S40)"},
	{ReasonThread, "does not turn to the bot, in a thread that the bot takes no part in, or did not yet, or where a mention is required (S40)"},
	{ReasonEmpty, "nothing but a mention of the bot (S42)"},
}

// Admit decides whether a message is for us. It is total and pure. The rules
// are asked in order; the first that refuses gives the reason.
//
// What may take a look-up, the author's roles and whom a reply answers, counts
// only where nothing else refuses, the roles first. So no message is looked up,
// or kept while it waits for that, if it is not for us in any case; and one that
// was heard with all that belongs to it and one that was read without are
// refused for the same reason (C58).
func Admit(s Subject) Decision {
	for s.weighs = weighNothing; ; s.weighs++ {
		refused, lack := s.ask()
		switch {
		case refused != "":
			addressed := refused != ReasonOwn && s.toUs()
			return Decision{Reason: refused, Addressed: addressed, RoleList: s.roleList()}
		case lack == "":
			ground, _ := s.ground()
			return Decision{Admitted: true, Ground: ground, Addressed: true, RoleList: s.roleList()}
		case s.weighs == weighReplies, s.weighs == weighRoles && s.roleless:
			return Decision{Lack: lack, Addressed: s.toUs(), RoleList: s.roleList()}
		}
	}
}

// weight is which of the things that may have to be looked up count already.
type weight int8

const (
	weighNothing weight = iota
	weighRoles
	weighReplies
)

// ask is what the rules come to: the reason of the first that refuses, or what
// the first lacks that cannot tell, or neither. One that cannot tell leaves the
// message to the others, whose refusal holds whatever would be found out.
func (s *Subject) ask() (refused Reason, lacking Lack) {
	for i := range Rules {
		refuses, lack := s.judge(Rules[i].Reason)
		if refuses {
			return Rules[i].Reason, ""
		}
		lacking = either(lacking, lack)
	}
	return "", lacking
}

// judge is what one rule says. A table of functions would cost an allocation
// for each message.
func (s *Subject) judge(rule Reason) (refuses bool, lack Lack) {
	switch rule {
	case ReasonOwn:
		return s.own()
	case ReasonType:
		return s.system()
	case ReasonBot:
		return s.deafToBot()
	case ReasonWebhook:
		return s.deafToWebhook()
	case ReasonCrosspost:
		return s.crossposted()
	case ReasonLeft:
		return s.left()
	case ReasonUser:
		return s.stranger()
	case ReasonOtherBot:
		return s.forOtherBot()
	case ReasonOthers:
		return s.forOthers()
	case ReasonPlace:
		return s.outside()
	case ReasonIgnored:
		return s.ignored()
	case ReasonShared:
		return s.unnamed()
	case ReasonMention:
		return s.unaddressed()
	case ReasonThread:
		return s.unaddressedInThread()
	case ReasonEmpty:
		return s.empty()
	}
	return false, ""
}

// toUs reports whether the message turns to us for all that is known.
func (s *Subject) toUs() bool {
	if s.direct() {
		return true
	}
	s.weighs = weighReplies
	on, _ := s.addressed()
	return on != ""
}

// guild is the message's guild; a message read over REST does not say (C58).
func (s *Subject) guild() GuildID { return cmp.Or(s.Message.Guild, s.Place.Guild) }

// direct reports whether the message is certainly in a DM: that no guild is
// named proves nothing (C58).
func (s *Subject) direct() bool { return s.Place.ID != 0 && s.Place.Kind.Direct() && s.guild() == 0 }

// bot reports whether the author counts as a bot.
func (s *Subject) bot() bool {
	m := s.Message
	return m.Webhook != 0 && !s.Policy.hears(m.Webhook) || m.Webhook == 0 && m.Author.Bot
}

func (s *Subject) roleList() bool { return len(s.Policy.Roles) > 0 && !s.bot() && !s.direct() }

func (s *Subject) own() (bool, Lack) { return s.Self != 0 && s.Message.Author.ID == s.Self, "" }

// Types 0 and 19 are what a user types; all others are notices of Discord's or
// answers of applications (protocol D3). An ephemeral message is nobody's request.
func (s *Subject) system() (bool, Lack) {
	m := s.Message
	return (m.Type != 0 && m.Type != 19) || m.Author.System || m.Ephemeral(), ""
}

// A crosspost whose original was deleted says nothing any more.
func (s *Subject) crossposted() (bool, Lack) {
	m := s.Message
	return m.Flags&flagSourceDeleted != 0 || m.Flags&flagCrosspost != 0 && !s.Policy.hears(m.Webhook), ""
}

func (s *Subject) deafToWebhook() (bool, Lack) {
	w := s.Message.Webhook
	return w != 0 && slices.Contains(s.Policy.IgnoredWebhooks, w), ""
}

func (s *Subject) deafToBot() (bool, Lack) {
	switch {
	case !s.bot():
		return false, ""
	case s.Policy.BotsInline && !s.mentionedInline():
		return true, ""
	}
	switch s.Policy.Bots {
	case BotsAll:
		return false, ""
	case BotsMentions:
		return !s.Mentioned(), ""
	}
	return true, ""
}
