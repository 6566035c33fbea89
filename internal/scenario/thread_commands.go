package scenario

import (
	"time"

	"gapless/discordsim"
)

func threadCommands() []command {
	return []command{
		{"thread", "thread #NAME in #PARENT by USER [from MESSAGE] [private] [archived after DURATION]",
			"Opens a thread: standing alone, or hanging on a message.", readThread},
		{"threads", "threads #NAME1..N in #PARENT by USER [private] [with bot] [archived]", "Opens a series of threads standing alone: `#t1..#t50` is fifty.", readThreads},
		{"forum-post", "forum-post #NAME in #FORUM by USER: MESSAGE TEXT", "Opens a post of a forum; MESSAGE names its first message.", readForumPost},
		{"archive", "archive #THREAD...", "Archives threads, all at one instant.", func(ph *phrase) func(*player) error {
			return each(ph.places(), func(p *player, thread string) error {
				p.sim.Archive(p.place(thread), true)
				return nil
			})
		}},
		{"unarchive", "unarchive #THREAD", "Opens it again.", onPlace(func(p *player, id discordsim.ID) error {
			p.sim.Archive(id, false)
			return nil
		})},
		{"lock", "lock #THREAD", "Locks and archives a thread.", onPlace(func(p *player, id discordsim.ID) error {
			p.sim.Lock(id, true)
			return nil
		})},
		{"unlock", "unlock #THREAD", "Unlocks it.", onPlace(func(p *player, id discordsim.ID) error {
			p.sim.Lock(id, false)
			return nil
		})},
		{"add", "add USER to #THREAD", "Makes somebody, or the `bot`, a member of a thread.", readThreadMember("to", (*discordsim.Server).JoinThread)},
		{"remove", "remove USER from #THREAD", "Ends the membership.", readThreadMember("from", (*discordsim.Server).LeaveThread)},
	}
}

func readThread(ph *phrase) func(*player) error {
	name := ph.newPlace()
	ph.need("in")
	parent := ph.place()
	ph.need("by")
	user, from := ph.user(), ""
	if ph.accept("from") {
		from = ph.message()
	}
	private := ph.accept("private")
	var idle time.Duration
	if ph.accept("archived", "after") {
		idle = ph.duration("an idle time")
	}
	return func(p *player) error {
		opts := discordsim.ThreadOptions{Private: private, AutoArchive: idle}
		if from != "" {
			opts.From = p.world.of(aMessage, from)
		}
		return p.thread(name, parent, user, opts)
	}
}

// thread starts a thread under the name.
func (p *player) thread(name, parent, user string, opts discordsim.ThreadOptions) error {
	by, in := p.world.of(aUser, user), p.place(parent)
	return p.world.making(func() error {
		id, err := p.sim.StartThread(by, in, name[1:], opts)
		if err != nil {
			return err
		}
		p.world.guilds[name] = p.world.guilds[parent]
		p.world.add(aPlace, name, id)
		return nil
	})
}

func readThreads(ph *phrase) func(*player) error {
	w := ph.word("a series like #t1..#t50")
	names, ok := expand(w)
	if !ok {
		ph.fail("expected a series like #t1..#t50, found %q", w)
	}
	for _, n := range names {
		ph.declare(aPlace, n)
	}
	ph.need("in")
	parent := ph.place()
	ph.need("by")
	user := ph.user()
	private, joined, archived := ph.accept("private"), ph.accept("with", "bot"), ph.accept("archived")
	return func(p *player) error {
		for _, n := range names {
			if err := p.thread(n, parent, user, discordsim.ThreadOptions{Private: private}); err != nil {
				return err
			}
			id := p.world.of(aPlace, n)
			if joined {
				p.sim.JoinThread(id, p.bot.ID)
			}
			if archived {
				p.sim.Archive(id, true)
			}
			p.sleep(time.Second)
		}
		return nil
	}
}

func readForumPost(ph *phrase) func(*player) error {
	name := ph.newPlace()
	ph.need("in")
	forum := ph.place()
	ph.need("by")
	user := ph.user()
	ph.need(":")
	message, text := ph.newMessages(), ph.text()
	if len(message) != 1 {
		ph.fail("a forum post begins with one message")
	}
	return func(p *player) error {
		by, in, text := p.world.of(aUser, user), p.place(forum), p.world.text(text)
		return p.world.making(func() error {
			id, err := p.sim.ForumPost(by, in, name[1:], text)
			if err != nil {
				return err
			}
			p.world.guilds[name] = p.world.guilds[forum]
			p.world.add(aPlace, name, id)
			p.world.add(aMessage, message[0], id)
			p.posted(message[0], name)
			return nil
		})
	}
}

func readThreadMember(word string, do func(*discordsim.Server, discordsim.ID, discordsim.ID)) func(*phrase) func(*player) error {
	return func(ph *phrase) func(*player) error {
		user := ph.user()
		ph.need(word)
		place := ph.place()
		return func(p *player) error {
			do(p.sim, p.place(place), p.world.of(aUser, user))
			return nil
		}
	}
}
