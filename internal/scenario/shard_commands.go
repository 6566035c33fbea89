package scenario

import (
	"fmt"
	"strconv"

	"gapless"
	"gapless/discordsim"
)

// shardSettings are the commands of the head about shards.
func shardSettings() []command {
	return []command{
		{"shards", "shards N|auto", "How many connections share the guilds, from the next `start` on; `auto` is what Discord recommends. 1 if not given.",
			func(ph *phrase) func(*player) error {
				w := ph.word("a number or auto")
				n, err := strconv.Atoi(w)
				if w != "auto" && (err != nil || n < 1) {
					ph.fail("expected a number of shards or auto, found %q", w)
				}
				return func(p *player) error {
					p.shards = n
					p.forced += max(n, p.sim.Shards, 1) // each has to begin once
					return nil
				}
			}},
	}
}

// shardCommands are what happens to the shard of one guild.
func shardCommands() []command {
	of := func(words, usage, says string, do func(p *player, guild discordsim.ID)) command {
		return command{words, usage, says, func(ph *phrase) func(*player) error {
			name := ph.known(aGuild)
			return func(p *player) error {
				p.note(theScript, "%s %s", words, name)
				do(p, p.world.of(aGuild, name))
				return nil
			}
		}}
	}
	return []command{
		of("drop connection of", "drop connection of GUILD", "Resets the connection that hears of the guild; its session stays, and other shards go on.",
			func(p *player, guild discordsim.ID) { p.sim.DropShardOf(p.bot.ID, guild) }),
		of("expire session of", "expire session of GUILD", "Ends the session that hears of the guild, and resets its connection; other shards go on.",
			func(p *player, guild discordsim.ID) {
				p.forced++
				p.sim.ExpireShardOf(p.bot.ID, guild)
			}),
	}
}

func shardExpectations() []command {
	return []command{
		{"expect shard of", "expect shard of GUILD N of M", "The guild belongs to the Nth of M shards, counted from 0: a script with two guilds says so where it matters.",
			func(ph *phrase) func(*player) error {
				name := ph.known(aGuild)
				n := ph.number("which shard, from 0")
				ph.need("of")
				count := ph.number("of how many")
				return func(p *player) error {
					got := gapless.ShardOf(gapless.GuildID(p.world.of(aGuild, name)), count)
					return unless(got == n, "it belongs to %d of %d", got, count)
				}
			}},
		{"expect shards", "expect shards N [ready M]", "The gateway client keeps so many connections, and so many of them are ready; all of them if not given.",
			func(ph *phrase) func(*player) error {
				want := ph.number("a number of shards")
				ready := want
				if ph.accept("ready") {
					ready = ph.number("how many are ready")
				}
				return func(p *player) error {
					proc, err := p.process(mainProcess)
					if err != nil {
						return err
					}
					all, up := proc.gate.Shards()
					return unless(all == want && up == ready, "%d of %d are ready", up, all)
				}
			}},
	}
}

// whole reports whether every shard of the bot that Discord knows is connected.
func (p *player) whole() bool {
	up, count := map[int]bool{}, 1
	for _, s := range p.sim.Sessions() {
		if s.Connected && s.Bot == p.bot.ID {
			up[s.Shard] = true
			count = s.Shards
		}
	}
	return len(up) >= count
}

// asShard says as which of several shards an identify came.
func asShard(shard []int) string {
	if len(shard) != 2 {
		return ""
	}
	return fmt.Sprintf(" as shard %d of %d", shard[0], shard[1])
}

// keyOf is which identifies of a bot are counted together (protocol A6).
func keyOf(i discordsim.Identify, concurrency int) int {
	if len(i.Shard) != 2 {
		return 0
	}
	return i.Shard[0] % max(concurrency, 1)
}
