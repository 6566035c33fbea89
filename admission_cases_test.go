package gapless_test

import "gapless"

var admissions = []admissionCase{
	{name: "a mention", ground: gapless.OnMention},
	{name: "a reply (S36)", alter: func(s *gapless.Subject) { s.Message.Type = 19 }, ground: gapless.OnMention},
	{name: "a mention in the list only", alter: func(s *gapless.Subject) { s.Message.Text = "hello" }, ground: gapless.OnMention},
	{name: "a mention in the text only (S37)", alter: func(s *gapless.Subject) { s.Message.Mentions = nil }, ground: gapless.OnMention},
	{name: "a mention by nickname", alter: func(s *gapless.Subject) { s.Message.Text, s.Message.Mentions = "<@!500> hello", nil }, ground: gapless.OnMention},
	{name: "own message (S21)", alter: func(s *gapless.Subject) { s.Message.Author = gapless.User{ID: self, Bot: true} }, reason: gapless.ReasonOwn},
	{name: "own message goes before its type (S33)", alter: func(s *gapless.Subject) {
		s.Message.Author, s.Message.Type = gapless.User{ID: self, Bot: true}, 18
	}, reason: gapless.ReasonOwn},
	{name: "thread created (C61)", alter: func(s *gapless.Subject) { s.Message.Type = 18 }, reason: gapless.ReasonType, asked: true},
	{name: "thread starter (C61)", alter: func(s *gapless.Subject) { s.Message.Type = 21 }, reason: gapless.ReasonType, asked: true},
	{name: "pin (C61)", alter: func(s *gapless.Subject) { s.Message.Type = 6; plain(s) }, reason: gapless.ReasonType},
	{name: "join (C61)", alter: func(s *gapless.Subject) { s.Message.Type = 7; plain(s) }, reason: gapless.ReasonType},
	{name: "answer of an application (C61)", alter: func(s *gapless.Subject) { s.Message.Type = 20; plain(s) }, reason: gapless.ReasonType},
	{name: "only the id could be read", alter: func(s *gapless.Subject) { s.Message.Type = -1; plain(s) }, reason: gapless.ReasonType},
	{name: "ephemeral", alter: func(s *gapless.Subject) { s.Message.Flags = 64; plain(s) }, reason: gapless.ReasonType},
	{name: "written by Discord", alter: func(s *gapless.Subject) { s.Message.Author.System = true; plain(s) }, reason: gapless.ReasonType},
	{name: "type goes before bot (S33)", alter: byRobot(gapless.BotsNone, func(s *gapless.Subject) { s.Message.Type = 20 }), reason: gapless.ReasonType, asked: true},
	{name: "bot, none by default (S37)", alter: byRobot(""), reason: gapless.ReasonBot, asked: true},
	{name: "bot, none", alter: byRobot(gapless.BotsNone, plain), reason: gapless.ReasonBot},
	{name: "bot that mentions us", alter: byRobot(gapless.BotsMentions), ground: gapless.OnMention},
	{name: "bot that does not, in a free place", alter: byRobot(gapless.BotsMentions, plain, func(s *gapless.Subject) { s.Policy.Free.All = true }), reason: gapless.ReasonBot},
	{name: "bot, all, needs no allow-list", alter: byRobot(gapless.BotsAll), ground: gapless.OnMention},
	{name: "bot, all, still needs a mention", alter: byRobot(gapless.BotsAll, plain), reason: gapless.ReasonMention},
	{name: "webhook is a bot", alter: func(s *gapless.Subject) { s.Message.Webhook, s.Message.Author.ID = 77, 77 }, reason: gapless.ReasonBot, asked: true},
	{name: "stranger (S38)", alter: func(s *gapless.Subject) { s.Message.Author.ID = stranger }, reason: gapless.ReasonUser, asked: true},
	{name: "stranger goes before mention (S33)", alter: func(s *gapless.Subject) { s.Message.Author.ID = stranger; plain(s) }, reason: gapless.ReasonUser},
	{name: "everyone", alter: func(s *gapless.Subject) { s.Message.Author.ID, s.Policy.Everyone = stranger, true }, ground: gapless.OnMention},
	{name: "nothing configured hears nobody (S38)", alter: func(s *gapless.Subject) { *s.Policy = gapless.Policy{} }, reason: gapless.ReasonUser, asked: true},
	{name: "no mention (S40)", alter: plain, reason: gapless.ReasonMention},
	{name: "mention of somebody else", alter: func(s *gapless.Subject) { s.Message.Text, s.Message.Mentions = "<@5001>", []gapless.UserID{5001} }, reason: gapless.ReasonOthers},
	{name: "free place (S40)", alter: func(s *gapless.Subject) { plain(s); s.Policy.Free.IDs = []gapless.ChannelID{10} }, ground: gapless.OnFree},
	{name: "free everywhere", alter: func(s *gapless.Subject) { plain(s); s.Policy.Free.All = true }, ground: gapless.OnFree},
	{name: "thread of a free place", alter: func(s *gapless.Subject) { plain(s); s.Place = thread; s.Policy.Free.IDs = []gapless.ChannelID{10} }, ground: gapless.OnFree},
	{name: "channel of a free category is not free", alter: func(s *gapless.Subject) {
		plain(s)
		s.Place.Parent, s.Policy.Free.IDs = 9, []gapless.ChannelID{9}
	}, reason: gapless.ReasonMention},
	{name: "DM", alter: func(s *gapless.Subject) { plain(s); s.Place, s.Message.Guild = direct, 0 }, ground: gapless.OnDirect},
	{name: "without guild id a guild's message is no DM (C58)", alter: func(s *gapless.Subject) { plain(s); s.Message.Guild = 0 }, reason: gapless.ReasonMention},
	{name: "nobody is mentioned while we do not know who we are", alter: func(s *gapless.Subject) { s.Self = 0; plain(s); s.Message.Text = "<@0>" }, reason: gapless.ReasonMention},

	// Authors (S38).
	{name: "user name, in any case", alter: byName("Ann"), ground: gapless.OnMention},
	{name: "user name with an @", alter: byName("@ann"), ground: gapless.OnMention},
	{name: "a name that only begins alike", alter: byName("anna"), reason: gapless.ReasonUser, asked: true},
	{name: "a name that did not come along (R11)", alter: byName("ann", func(s *gapless.Subject) { s.Message.Author.Name = "" }), lack: gapless.LackName, asked: true},
	{name: "the bot's policy does not care for names", alter: byRobot(gapless.BotsNone, func(s *gapless.Subject) { s.Policy.UserNames = []string{"ann"} }), reason: gapless.ReasonBot, asked: true},
	{name: "a role that came along", alter: byRole(func(s *gapless.Subject) { s.Message.Roles = []gapless.RoleID{3, trusted} }), ground: gapless.OnMention, roles: true},
	{name: "roles that came along, not the one", alter: byRole(func(s *gapless.Subject) { s.Message.Roles = []gapless.RoleID{} }), reason: gapless.ReasonUser, asked: true, roles: true},
	{name: "roles that did not come along (C58)", alter: byRole(), lack: gapless.LackMember, asked: true, roles: true},
	{name: "not to be heard, whatever the roles (C58)", alter: byRole(plain), reason: gapless.ReasonMention, roles: true},
	{name: "with the roles, it is not to be heard either (C58)", alter: byRole(plain, func(s *gapless.Subject) { s.Message.Roles = []gapless.RoleID{} }), reason: gapless.ReasonMention, roles: true},
	{name: "a stranger's reply, roles first", alter: byRole(plain, unknownReply), lack: gapless.LackMember, roles: true},
	{name: "a stranger's reply", alter: byRole(plain, unknownReply, func(s *gapless.Subject) { s.Message.Roles = []gapless.RoleID{} }), reason: gapless.ReasonUser, roles: true},
	{name: "a friend's reply", alter: byRole(plain, unknownReply, func(s *gapless.Subject) { s.Message.Roles = []gapless.RoleID{trusted} }), lack: gapless.LackReference, roles: true},
	{name: "to another bot in an ignored place, whoever is answered", alter: to(robot, true, answers(stranger), func(s *gapless.Subject) { s.Policy.Ignored.All = true }), reason: gapless.ReasonIgnored},
	{name: "a role that was looked up", alter: byRole(func(s *gapless.Subject) {
		s.Member = gapless.Membership{Known: true, Roles: []gapless.RoleID{trusted}}
	}), ground: gapless.OnMention, roles: true},
	{name: "what came along counts before an older look-up", alter: byRole(func(s *gapless.Subject) {
		s.Message.Roles, s.Member = []gapless.RoleID{trusted}, gapless.Membership{Known: true, Left: true}
	}), ground: gapless.OnMention, roles: true},
	{name: "so does having lost the role", alter: byRole(func(s *gapless.Subject) {
		s.Message.Roles, s.Member = []gapless.RoleID{}, gapless.Membership{Known: true, Roles: []gapless.RoleID{trusted}}
	}), reason: gapless.ReasonUser, asked: true, roles: true},
	{name: "left the guild (C60)", alter: byRole(func(s *gapless.Subject) { s.Member = gapless.Membership{Known: true, Left: true} }), reason: gapless.ReasonLeft, asked: true, roles: true},
	{name: "left the guild, but is listed", alter: byRole(func(s *gapless.Subject) {
		s.Member, s.Policy.Users = gapless.Membership{Known: true, Left: true}, []gapless.UserID{stranger}
	}), ground: gapless.OnMention, roles: true},
	{name: "everybody has the guild's own role", alter: byRole(func(s *gapless.Subject) {
		s.Message.Roles, s.Policy.Roles = []gapless.RoleID{}, []gapless.RoleID{1}
	}), ground: gapless.OnMention, roles: true},
	{name: "no role counts in a DM", alter: byRole(func(s *gapless.Subject) {
		s.Place, s.Message.Guild, s.Message.Roles = direct, 0, []gapless.RoleID{trusted}
	}), reason: gapless.ReasonUser, asked: true},
	{name: "a role of which guild? (C58)", alter: byRole(func(s *gapless.Subject) { s.Place, s.Message.Guild = gapless.Place{}, 0 }), lack: gapless.LackPlace, asked: true, roles: true},
	{name: "a listed user needs no look-up", alter: func(s *gapless.Subject) { s.Policy.Roles = []gapless.RoleID{trusted} }, ground: gapless.OnMention, roles: true},
	{name: "an allowed place lets its authors in", alter: nobody(func(s *gapless.Subject) { s.Policy.Allowed.IDs = []gapless.ChannelID{10} }), ground: gapless.OnMention},
	{name: "in no other place", alter: nobody(func(s *gapless.Subject) { s.Policy.Allowed.IDs = []gapless.ChannelID{4} }), reason: gapless.ReasonPlace, asked: true},
	{name: "nor in a DM", alter: nobody(func(s *gapless.Subject) {
		s.Policy.Allowed.All, s.Place, s.Message.Guild = true, direct, 0
	}), reason: gapless.ReasonUser, asked: true},
	{name: "nor where somebody is listed", alter: nobody(func(s *gapless.Subject) {
		s.Policy.Allowed.All, s.Policy.Users = true, []gapless.UserID{77}
	}), reason: gapless.ReasonUser, asked: true},
	{name: "allowed in which place? (C58)", alter: nobody(func(s *gapless.Subject) {
		s.Policy.Allowed.All, s.Place, s.Message.Guild = true, gapless.Place{}, 0
	}), lack: gapless.LackPlace, asked: true},

	// Bots and webhooks (S37).
	{name: "an unknown bot rule hears none", alter: byRobot("ALL"), reason: gapless.ReasonBot, asked: true},
	{name: "bot, pinged only, must write it", alter: byRobot(gapless.BotsMentions, inline, pinged), reason: gapless.ReasonBot, asked: true},
	{name: "bot, pinged only, in every mode", alter: byRobot(gapless.BotsAll, inline, pinged), reason: gapless.ReasonBot, asked: true},
	{name: "bot that writes it", alter: byRobot(gapless.BotsAll, inline), ground: gapless.OnMention},
	{name: "bot that answers us without a mention (C68)", alter: byRobot(gapless.BotsAll, plain, answers(self)), reason: gapless.ReasonMention},
	{name: "webhook that is named (C66)", alter: byWebhook(func(s *gapless.Subject) { s.Policy.Webhooks = []gapless.UserID{77} }), ground: gapless.OnMention},
	{name: "webhook that is named is a person to every rule", alter: byWebhook(inline, pinged, func(s *gapless.Subject) { s.Policy.Webhooks = []gapless.UserID{77} }), ground: gapless.OnMention},
	{name: "another webhook is a bot that is heard", alter: byWebhook(func(s *gapless.Subject) { s.Policy.Bots = gapless.BotsAll }), ground: gapless.OnMention},
	{name: "webhook that is ignored (C66)", alter: byWebhook(func(s *gapless.Subject) {
		s.Policy.Bots, s.Policy.IgnoredWebhooks = gapless.BotsAll, []gapless.UserID{77}
	}), reason: gapless.ReasonWebhook, asked: true},
	{name: "crosspost (C67)", alter: byWebhook(func(s *gapless.Subject) { s.Policy.Bots, s.Message.Flags = gapless.BotsAll, 1<<1 }), reason: gapless.ReasonCrosspost, asked: true},
	{name: "crosspost that is wanted", alter: byWebhook(func(s *gapless.Subject) {
		s.Policy.Webhooks, s.Message.Flags = []gapless.UserID{77}, 1<<1
	}), ground: gapless.OnMention},
	{name: "crosspost of what is gone (C67)", alter: byWebhook(func(s *gapless.Subject) {
		s.Policy.Webhooks, s.Message.Flags = []gapless.UserID{77}, 1<<1|1<<3
	}), reason: gapless.ReasonCrosspost, asked: true},
	{name: "an announcement itself is no crosspost", alter: func(s *gapless.Subject) { s.Message.Flags = 1 << 0 }, ground: gapless.OnMention},

	// Who is meant (S39).
	{name: "another bot, not us (C74)", alter: to(robot, true), reason: gapless.ReasonOtherBot},
	{name: "another bot, in a free place", alter: to(robot, true, free), reason: gapless.ReasonOtherBot},
	{name: "another bot, in our thread", alter: to(robot, true, inThread), reason: gapless.ReasonOtherBot},
	{name: "another bot and us", alter: func(s *gapless.Subject) {
		s.Message.Mentions, s.Message.MentionBots = []gapless.UserID{robot, self}, []gapless.UserID{robot, self}
	}, ground: gapless.OnMention},
	{name: "another bot, in reply to us", alter: to(robot, true, answers(self)), ground: gapless.OnReply},
	{name: "another bot, in a DM", alter: to(robot, true, func(s *gapless.Subject) { s.Place, s.Message.Guild = direct, 0 }), ground: gapless.OnDirect},
	{name: "another bot, in reply to what did not come along", alter: to(robot, true, unknownReply), lack: gapless.LackReference},
	{name: "somebody else, in a free place", alter: to(stranger, false, free), ground: gapless.OnFree},
	{name: "somebody else, in our thread", alter: to(stranger, false, inThread), reason: gapless.ReasonOthers},
	{name: "somebody else, and that does not matter", alter: to(stranger, false, inThread, func(s *gapless.Subject) { s.Policy.AnswerOthers = true }), ground: gapless.OnThread},
	{name: "a bot counts even then", alter: to(robot, true, inThread, func(s *gapless.Subject) { s.Policy.AnswerOthers = true }), reason: gapless.ReasonOtherBot},

	// Places (S41).
	{name: "allowed by name", alter: allowed("general"), ground: gapless.OnMention},
	{name: "allowed by name, in any case", alter: allowed("#General"), ground: gapless.OnMention},
	{name: "allowed elsewhere", alter: allowed("ops", "9"), reason: gapless.ReasonPlace, asked: true},
	{name: "allowed everywhere", alter: allowed("*"), ground: gapless.OnMention},
	{name: "allowed by category", alter: allowed("7"), ground: gapless.OnMention},
	{name: "allowed by the name of a category", alter: allowed("work"), ground: gapless.OnMention},
	{name: "a name with # is no category's", alter: allowed("#work"), reason: gapless.ReasonPlace, asked: true},
	{name: "a thread of an allowed channel", alter: allowed("10", threaded), ground: gapless.OnMention},
	{name: "a thread of a channel allowed by name", alter: allowed("general", threaded), ground: gapless.OnMention},
	{name: "a thread below an allowed category", alter: allowed("7", threaded), ground: gapless.OnMention},
	{name: "anybody may name a thread", alter: allowed("help", threaded), reason: gapless.ReasonPlace, asked: true},
	{name: "a thread whose channel is not known", alter: allowed("7", threaded, func(s *gapless.Subject) { s.Parent = gapless.Place{} }), lack: gapless.LackParent, asked: true},
	{name: "a thread that was not described", alter: allowed("7", threaded, func(s *gapless.Subject) { s.Place.Parent = 0 }), lack: gapless.LackPlace, asked: true},
	{name: "a category that is not known", alter: allowed("work", func(s *gapless.Subject) { s.Category = gapless.Place{} }), lack: gapless.LackParent, asked: true},
	{name: "a channel that was not described", alter: allowed("7", func(s *gapless.Subject) { s.Place.Name = "" }), lack: gapless.LackPlace, asked: true},
	{name: "a place of unknown kind", alter: allowed("7", func(s *gapless.Subject) { s.Place.Kind = gapless.KindUnknown }), lack: gapless.LackPlace, asked: true},
	{name: "a DM is exempt", alter: allowed("7", func(s *gapless.Subject) { s.Place, s.Message.Guild = direct, 0 }), ground: gapless.OnDirect},
	{name: "the parent of a channel is its category, of a thread its channel", alter: allowed("#work", func(s *gapless.Subject) { s.Parent = s.Category }), reason: gapless.ReasonPlace, asked: true},
	{name: "ignored, though mentioned", alter: ignored("10"), reason: gapless.ReasonIgnored, asked: true},
	{name: "ignored by name", alter: ignored("#general"), reason: gapless.ReasonIgnored, asked: true},
	{name: "ignored everywhere", alter: ignored("*"), reason: gapless.ReasonIgnored, asked: true},
	{name: "ignored with its category", alter: ignored("work"), reason: gapless.ReasonIgnored, asked: true},
	{name: "a thread is ignored by its own name, too", alter: ignored("help", threaded), reason: gapless.ReasonIgnored, asked: true},
	{name: "a thread of an ignored channel", alter: ignored("general", threaded), reason: gapless.ReasonIgnored, asked: true},
	{name: "another place is ignored", alter: ignored("ops"), ground: gapless.OnMention},
	{name: "ignored wins over allowed", alter: ignored("10", func(s *gapless.Subject) { s.Policy.Allowed.All = true }), reason: gapless.ReasonIgnored, asked: true},
	{name: "perhaps ignored is not let in", alter: ignored("ops", func(s *gapless.Subject) { s.Place = gapless.Place{} }), lack: gapless.LackPlace, asked: true},
	{name: "a DM is not ignored", alter: ignored("*", func(s *gapless.Subject) { s.Place, s.Message.Guild = direct, 0 }), ground: gapless.OnDirect},

	// Being addressed (S40).
	{name: "free by name", alter: func(s *gapless.Subject) { plain(s); s.Policy.Free.Names = []string{"general"} }, ground: gapless.OnFree},
	{name: "a category's name frees nothing", alter: func(s *gapless.Subject) { plain(s); s.Policy.Free.Names = []string{"work"} }, reason: gapless.ReasonMention},
	{name: "anybody may name a thread free", alter: func(s *gapless.Subject) { plain(s); threaded(s); s.Policy.Free.Names = []string{"help"} }, reason: gapless.ReasonThread},
	{name: "free, if its channel were known", alter: func(s *gapless.Subject) {
		plain(s)
		threaded(s)
		s.Parent, s.Policy.Free.Names = gapless.Place{}, []string{"ops"}
	}, lack: gapless.LackParent},
	{name: "reply to us (C63)", alter: func(s *gapless.Subject) { plain(s); answers(self)(s) }, ground: gapless.OnReply},
	{name: "reply to somebody else", alter: func(s *gapless.Subject) { plain(s); answers(stranger)(s) }, reason: gapless.ReasonMention},
	{name: "reply to what was deleted (C63)", alter: func(s *gapless.Subject) { plain(s); answers(0)(s) }, reason: gapless.ReasonMention},
	{name: "reply to what did not come along (C63)", alter: func(s *gapless.Subject) { plain(s); unknownReply(s) }, lack: gapless.LackReference},
	{name: "no look-up for a reply that mentions us", alter: unknownReply, ground: gapless.OnMention},
	{name: "no look-up for a reply in a free place", alter: func(s *gapless.Subject) { plain(s); unknownReply(s); free(s) }, ground: gapless.OnFree},
	{name: "a forward is no reply (C62)", alter: func(s *gapless.Subject) {
		plain(s)
		answers(self)(s)
		s.Message.Type, s.Message.Reference.Type = 0, 1
	}, reason: gapless.ReasonMention},
	{name: "what was forwarded mentions nobody (C62)", alter: func(s *gapless.Subject) {
		s.Message.Mentions, s.Message.Reference.Type, s.Message.Forwarded = nil, 1, len(s.Message.Text)
	}, reason: gapless.ReasonMention},
	{name: "a mention beside a forward (C62)", alter: func(s *gapless.Subject) {
		s.Message.Text, s.Message.Forwarded, s.Message.Reference.Type = "<@500>\nfar", 3, 1
	}, ground: gapless.OnMention},
	{name: "own role", alter: byOwnRole, ground: gapless.OnRole},
	{name: "own role in the text only", alter: func(s *gapless.Subject) { byOwnRole(s); s.Message.MentionRoles = nil }, ground: gapless.OnRole},
	{name: "own role, not configured", alter: func(s *gapless.Subject) { byOwnRole(s); s.Policy.OwnRole = false }, reason: gapless.ReasonMention},
	{name: "another role", alter: func(s *gapless.Subject) { byOwnRole(s); s.OwnRoles = []gapless.RoleID{61} }, reason: gapless.ReasonMention},
	{name: "which role is ours is not known", alter: func(s *gapless.Subject) { byOwnRole(s); s.OwnRoles = nil }, lack: gapless.LackRole},
	{name: "prefix", alter: says("!Ask what time is it", func(s *gapless.Subject) { s.Policy.Prefixes = []string{"!ask"} }), ground: gapless.OnPrefix},
	{name: "prefix with nothing between", alter: says("?time", func(s *gapless.Subject) { s.Policy.Prefixes = []string{"?"} }), ground: gapless.OnPrefix},
	{name: "prefix of a longer word", alter: says("!asking", func(s *gapless.Subject) { s.Policy.Prefixes = []string{"!ask"} }), reason: gapless.ReasonMention},
	{name: "prefix in the middle", alter: says("say !ask", func(s *gapless.Subject) { s.Policy.Prefixes = []string{"!ask", ""} }), reason: gapless.ReasonMention},
	{name: "name", alter: says(" hermes, are you there?", called), ground: gapless.OnName},
	{name: "name with an @", alter: says("@Hermes: hello", called), ground: gapless.OnName},
	{name: "name alone", alter: says("Hermes", called), ground: gapless.OnName},
	{name: "name of somebody else", alter: says("hermeses are many", called), reason: gapless.ReasonMention},
	{name: "our thread (C73)", alter: func(s *gapless.Subject) { plain(s); inThread(s) }, ground: gapless.OnThread},
	{name: "our thread, before we came", alter: func(s *gapless.Subject) { plain(s); inThread(s); s.Place.TakesPart = 1000 }, reason: gapless.ReasonThread},
	{name: "our thread, where a mention is required", alter: func(s *gapless.Subject) { plain(s); inThread(s); s.Policy.ThreadRequireMention = true }, reason: gapless.ReasonThread},
	{name: "a thread that is not ours", alter: func(s *gapless.Subject) { plain(s); threaded(s) }, reason: gapless.ReasonThread},
	{name: "shared room, written mention (C74)", alter: shared(), ground: gapless.OnMention},
	{name: "shared room, pinged", alter: shared(pinged), reason: gapless.ReasonShared, asked: true},
	{name: "shared room, reply to us", alter: shared(plain, answers(self)), reason: gapless.ReasonShared, asked: true},
	{name: "shared room, free", alter: shared(plain, free), reason: gapless.ReasonShared},
	{name: "shared room, prefix", alter: shared(plain, func(s *gapless.Subject) { s.Policy.Prefixes = []string{"hello"} }), ground: gapless.OnPrefix},
	{name: "unknown place is no DM (C58)", alter: func(s *gapless.Subject) { plain(s); s.Message.Guild, s.Place = 0, gapless.Place{} }, lack: gapless.LackPlace},
	{name: "unknown place may be our thread", alter: func(s *gapless.Subject) { plain(s); s.Place = gapless.Place{} }, lack: gapless.LackPlace},
	{name: "a DM's channel with a guild's message", alter: func(s *gapless.Subject) { plain(s); s.Place = direct }, reason: gapless.ReasonMention},

	// What is said (S42).
	{name: "nothing but a mention", alter: says("<@500> "), reason: gapless.ReasonEmpty, asked: true},
	{name: "nothing but mentions", alter: says(" <@!500>\n<@500>"), reason: gapless.ReasonEmpty, asked: true},
	{name: "nothing but our role", alter: func(s *gapless.Subject) { byOwnRole(s); s.Message.Text = "<@&60>" }, reason: gapless.ReasonEmpty, asked: true},
	{name: "a mention and a dot", alter: says("<@500> ."), ground: gapless.OnMention},
	{name: "a mention and a file", alter: says("<@500>", func(s *gapless.Subject) { s.Message.Attachments = 1 }), ground: gapless.OnMention},
	{name: "a mention under somebody's message", alter: says("<@500>", answers(stranger)), ground: gapless.OnMention},
	{name: "a mention beside somebody's forward", alter: says("<@500>", func(s *gapless.Subject) { s.Message.Reference.Type = 1 }), ground: gapless.OnMention},
	{name: "no text at all is not a mention", alter: says("", func(s *gapless.Subject) { s.Message.Mentions = []gapless.UserID{self} }), ground: gapless.OnMention},
}
