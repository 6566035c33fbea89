package scenario

import (
	"fmt"
	"maps"
	"slices"

	"gapless/discordsim"
)

// channelKinds are the words for kinds of channels.
var channelKinds = map[string]discordsim.ChannelType{
	"text": discordsim.Text, "announcement": discordsim.Announcement, "voice": discordsim.Voice,
	"stage": discordsim.Stage, "category": discordsim.Category, "forum": discordsim.Forum, "media": discordsim.Media,
}

// permissions are the words for permissions.
var permissions = map[string]discordsim.Permission{
	"administrator": discordsim.Administrator, "manage-channels": discordsim.ManageChannels,
	"add-reactions": discordsim.AddReactions, "view": discordsim.ViewChannel, "send": discordsim.SendMessages,
	"manage-messages": discordsim.ManageMessages, "attach": discordsim.AttachFiles,
	"history": discordsim.ReadMessageHistory, "connect": discordsim.Connect, "manage-roles": discordsim.ManageRoles,
	"manage-threads": discordsim.ManageThreads, "threads": discordsim.CreatePublicThreads,
	"private-threads": discordsim.CreatePrivateThreads, "send-in-threads": discordsim.SendInThreads,
}

func words[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func worldCommands() []command {
	return noted(slices.Concat(peopleCommands(), channelCommands(), threadCommands()))
}

func peopleCommands() []command {
	return []command{
		{"user", "user NAME...", "Makes people. Their DM with the bot is the place `@NAME`.", readUsers},
		{"other-bot", "other-bot NAME...", "Makes other bots.", readOtherBots},
		{"guild", "guild NAME [without bot] [with #CHANNEL...]",
			"Makes a guild, with text channels. The bot is a member from the start unless the script says otherwise.", readGuild},
		{"join", "join USER GUILD", "Brings somebody, or the `bot`, into a guild.", func(ph *phrase) func(*player) error {
			user, guild := ph.user(), ph.known(aGuild)
			return func(p *player) error {
				p.sim.Join(p.world.of(aGuild, guild), p.world.of(aUser, user))
				return nil
			}
		}},
		{"leave", "leave USER GUILD", "Takes somebody, or the `bot`, out of a guild.", func(ph *phrase) func(*player) error {
			user, guild := ph.user(), ph.known(aGuild)
			return func(p *player) error {
				p.sim.Leave(p.world.of(aGuild, guild), p.world.of(aUser, user))
				return nil
			}
		}},
		{"new-dm", "new-dm USER", "The channel of USER's DM is unknown from now on, and nobody is told; what is written next is in another one.", func(ph *phrase) func(*player) error {
			user := ph.user()
			return func(p *player) error {
				p.sim.CloseDM(p.world.of(aUser, user), p.bot.ID)
				return nil
			}
		}},
		{"role", "role NAME in GUILD [may PERMISSION...]", "Makes a role; the words for permissions are " + listed(words(permissions)) + ".", readRole},
		{"give", "give USER role NAME", "Gives a member a role.", readGive(true)},
		{"take", "take USER role NAME", "Takes a role away.", readGive(false)},
		{"content", "content on|off", "Turns the message-content switch of the bot's application.", func(ph *phrase) func(*player) error {
			on := ph.oneOf("on or off", "on", "off") == "on"
			return func(p *player) error {
				p.sim.SetMessageContent(p.bot.ID, on)
				return nil
			}
		}},
	}
}

func readUsers(ph *phrase) func(*player) error {
	var names []string
	for len(names) == 0 || !ph.done() {
		names = append(names, ph.newUser())
	}
	return func(p *player) error {
		for _, n := range names {
			p.world.add(aUser, n, p.sim.AddUser(n, ""))
		}
		return nil
	}
}

func readOtherBots(ph *phrase) func(*player) error {
	var names []string
	for len(names) == 0 || !ph.done() {
		names = append(names, ph.newUser())
	}
	return func(p *player) error {
		for _, n := range names {
			p.world.add(aUser, n, p.sim.AddBot(n).ID)
		}
		return nil
	}
}

func readGuild(ph *phrase) func(*player) error {
	name := ph.declare(aGuild, ph.word("a name for the guild"))
	without := ph.accept("without", "bot")
	var channels []string
	for ph.accept("with"); !ph.done(); {
		channels = append(channels, ph.newPlace())
	}
	return func(p *player) error {
		var members []discordsim.ID
		if !without {
			members = append(members, p.bot.ID)
		}
		p.world.add(aGuild, name, p.sim.AddGuild(name, members...))
		for _, c := range channels {
			p.addChannel(name, c, discordsim.Text)
		}
		return nil
	}
}

func (p *player) addChannel(guild, name string, kind discordsim.ChannelType) {
	p.world.guilds[name] = guild
	in := p.world.of(aGuild, guild)
	_ = p.world.making(func() error {
		p.world.add(aPlace, name, p.sim.AddChannel(in, kind, name[1:]))
		return nil
	})
}

func readRole(ph *phrase) func(*player) error {
	name := ph.declare(aRole, ph.word("a name for the role"))
	ph.need("in")
	guild := ph.known(aGuild)
	var may discordsim.Permission
	if ph.accept("may") {
		may = ph.permissions()
	}
	return func(p *player) error {
		p.world.guilds[name] = guild
		p.world.add(aRole, name, p.sim.AddRole(p.world.of(aGuild, guild), name, may))
		return nil
	}
}

// permissions takes one or more words for permissions.
func (ph *phrase) permissions() discordsim.Permission {
	var all discordsim.Permission
	for all == 0 || permissions[ph.peek()] != 0 {
		all |= permissions[ph.oneOf("a permission", words(permissions)...)]
	}
	return all
}

func readGive(give bool) func(*phrase) func(*player) error {
	return func(ph *phrase) func(*player) error {
		user := ph.user()
		ph.need("role")
		role := ph.known(aRole)
		return func(p *player) error {
			p.sim.GiveRole(p.world.of(aGuild, p.world.guilds[role]), p.world.of(aUser, user), p.world.of(aRole, role), give)
			return nil
		}
	}
}

func channelCommands() []command {
	return []command{
		{"channel", "channel #NAME [KIND] in GUILD", "Makes a channel, or a series of them: `#c1..#c50` is fifty. Kinds are " + listed(words(channelKinds)) + "; text if not given.",
			func(ph *phrase) func(*player) error {
				names, kind := ph.newPlaces(), "text"
				if ph.peek() != "in" {
					kind = ph.oneOf("a kind of channel", words(channelKinds)...)
				}
				ph.need("in")
				guild := ph.known(aGuild)
				return func(p *player) error {
					for _, name := range names {
						p.addChannel(guild, name, channelKinds[kind])
					}
					return nil
				}
			}},
		{"delete-channel", "delete-channel #PLACE", "Deletes a channel with its threads, or a thread.", onPlace(func(p *player, id discordsim.ID) error {
			return p.sim.DeleteChannel(id)
		})},
		{"rename", "rename #PLACE to NAME", "Renames a channel or thread, for Discord; the script goes on with the old name.",
			func(ph *phrase) func(*player) error {
				place := ph.place()
				ph.need("to")
				name := ph.word("a new name")
				return func(p *player) error {
					p.sim.RenameChannel(p.place(place), name)
					return nil
				}
			}},
		{"allow", "allow WHO PERMISSION... in #PLACE...", "Sets an overwrite; WHO is everyone, bot, a user or a role. Places may be a series, `#c1..#c50`.", readOverwrite(true)},
		{"deny", "deny WHO PERMISSION... in #PLACE...", "Sets an overwrite that forbids.", readOverwrite(false)},
		{"reset", "reset WHO in #PLACE...", "Removes an overwrite.", func(ph *phrase) func(*player) error {
			who := ph.who()
			ph.need("in")
			return each(ph.places(), func(p *player, place string) error { return p.overwrite(place, who, 0, 0) })
		}},
		{"guild-outage", "guild-outage GUILD", "Discord loses a guild: GUILD_DELETE with `unavailable`.", onGuild(func(p *player, id discordsim.ID) {
			p.sim.GuildOutage(id, true)
		})},
		{"guild-back", "guild-back GUILD", "Discord has it again: GUILD_CREATE.", onGuild(func(p *player, id discordsim.ID) {
			p.sim.GuildOutage(id, false)
		})},
		{"delete-guild", "delete-guild GUILD", "Deletes a guild.", onGuild(func(p *player, id discordsim.ID) { p.sim.RemoveGuild(id) })},
	}
}

// onPlace reads a command whose only argument is a place.
func onPlace(do func(*player, discordsim.ID) error) func(*phrase) func(*player) error {
	return func(ph *phrase) func(*player) error {
		place := ph.place()
		return func(p *player) error { return do(p, p.place(place)) }
	}
}

func onGuild(do func(*player, discordsim.ID)) func(*phrase) func(*player) error {
	return func(ph *phrase) func(*player) error {
		guild := ph.known(aGuild)
		return func(p *player) error {
			do(p, p.world.of(aGuild, guild))
			return nil
		}
	}
}

// who takes everyone, a user or a role.
func (ph *phrase) who() string {
	w := ph.word("everyone, a user or a role")
	if w != "everyone" && !ph.p.known[aUser][w] && !ph.p.known[aRole][w] {
		ph.fail("expected everyone, a user or a role, found %q", w)
	}
	return w
}

func readOverwrite(allow bool) func(*phrase) func(*player) error {
	return func(ph *phrase) func(*player) error {
		who, set := ph.who(), ph.permissions()
		ph.need("in")
		return each(ph.places(), func(p *player, place string) error {
			if allow {
				return p.overwrite(place, who, set, 0)
			}
			return p.overwrite(place, who, 0, set)
		})
	}
}

func (p *player) overwrite(place, who string, allow, deny discordsim.Permission) error {
	guild, ok := p.world.guilds[place]
	if !ok {
		return fmt.Errorf("%s belongs to no guild: it has no overwrites", place)
	}
	target := p.world.of(aGuild, guild)
	if who != "everyone" {
		target, _ = p.world.id(who)
	}
	p.sim.SetPermission(p.place(place), target, allow, deny)
	return nil
}
