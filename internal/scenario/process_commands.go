package scenario

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func processCommands() []command {
	return slices.Concat(lifeCommands(), ledgerCommands())
}

func lifeCommands() []command {
	return []command{
		{"start", `start [PROCESS] [fails "TEXT"]`, "Starts the daemon; PROCESS gives it a name, so that there can be more than one. With `fails` it must refuse to start, with that text.", readStart},
		{"stop begins", "stop begins [PROCESS]", "Asks it to stop and goes on with the script.", func(ph *phrase) func(*player) error {
			return p2(ph.process(), func(p *player, proc *process) error {
				p.note(theScript, "asks %s to stop", proc.name)
				p.deeds.Go(func() { _ = proc.stop() })
				return nil
			})
		}},
		{"stop", "stop [PROCESS]", "Stops it in order: no more intake, running turns may finish within the drain time, replies leave, the session is kept.", func(ph *phrase) func(*player) error {
			return p2(ph.process(), func(p *player, proc *process) error {
				p.note(theScript, "stops %s", proc.name)
				return proc.stop()
			})
		}},
		{"kill before", "kill before DEED [N]", "Ends it just before the ledger does the next such deed, or the Nth from now on: the deed has no effect. DEED is one of " + listed(fatalDeeds) + ".", readKill(before)},
		{"kill after", "kill after DEED [N]", "Ends it as soon as the ledger has done that deed, which has its effect, though nobody is left to learn of it.", readKill(after)},
		{"host sleeps", "host sleeps DURATION", "The host's wall clock is that much later all at once, while no time has passed for any timer: as after a lid was closed.", func(ph *phrase) func(*player) error {
			d := ph.duration("how long")
			return func(p *player) error {
				p.note(theScript, "the host sleeps for %s", d)
				p.slept.Add(int64(d))
				return nil
			}
		}},
		{"kill", "kill [PROCESS]", "Ends it as a power cut would: network and disk are cut first, nothing it still does takes effect.", func(ph *phrase) func(*player) error {
			return p2(ph.process(), func(_ *player, proc *process) error {
				proc.kill()
				return nil
			})
		}},
	}
}

// fatalDeeds are the deeds of a ledger at which a process can be killed.
var fatalDeeds = []string{"append", "claim", "settle", "sent"}

func readKill(m moment) func(*phrase) func(*player) error {
	return func(ph *phrase) func(*player) error {
		tr := trouble{deed: ph.oneOf("a deed", fatalDeeds...), times: 1, kill: m}
		if !ph.done() {
			tr.times = ph.number("which of them")
		}
		return func(p *player) error {
			p.note(theScript, "a kill waits %s %s number %d", m, tr.deed, tr.times)
			p.troubles.add(tr)
			return nil
		}
	}
}

// p2 is a command about a running process.
func p2(name string, do func(*player, *process) error) func(*player) error {
	return func(p *player) error {
		proc, err := p.process(name)
		if err != nil {
			return err
		}
		return do(p, proc)
	}
}

// process takes the name of a process, if one follows; else it is the main one.
func (ph *phrase) process() string {
	if w := ph.peek(); ph.p.known[aProcess][w] {
		return ph.word("a process")
	}
	return mainProcess
}

func readStart(ph *phrase) func(*player) error {
	name, want, fails := ph.process(), "", false
	if w := ph.peek(); name == mainProcess && w != "" && w != "fails" && w != mainProcess {
		name = ph.declare(aProcess, ph.word("a name for the process"))
	}
	if ph.accept("fails") {
		want, fails = ph.word("a text in quotes"), true
	}
	return func(p *player) error {
		p.note(theScript, "starts %s", name)
		err := p.start(name)
		if !fails {
			return err
		}
		return unless(err != nil && strings.Contains(err.Error(), want), "the start came to: %v", err)
	}
}

func ledgerCommands() []command {
	return []command{
		{"ledger refuses", "ledger refuses DEED N times|for DURATION", "The ledger answers with an error, without effect. DEED is one of " + listed(ledgerDeeds) + ".", func(ph *phrase) func(*player) error {
			tr := trouble{deed: ph.oneOf("a deed", ledgerDeeds...), times: -1}
			var length time.Duration
			if ph.accept("for") {
				length = ph.duration("how long")
			} else {
				tr.times = ph.number("how often")
				ph.need("times")
			}
			return func(p *player) error {
				now := tr
				if length > 0 {
					now.until = time.Now().Add(length)
				}
				p.note(theScript, "the ledger refuses %s", tr.deed)
				p.troubles.add(now)
				return nil
			}
		}},
		{"ledger stalls", "ledger stalls DEED for DURATION", "The deed takes that long before it is done.", func(ph *phrase) func(*player) error {
			deed := ph.oneOf("a deed", ledgerDeeds...)
			ph.need("for")
			length := ph.duration("how long")
			return func(p *player) error {
				p.note(theScript, "the ledger stalls (%s)", deed)
				p.troubles.add(trouble{deed: deed, times: -1, until: time.Now().Add(length), hold: true})
				return nil
			}
		}},
		{"ledger is locked", "ledger is locked for DURATION", "Another connection holds the write lock of the database.", func(ph *phrase) func(*player) error {
			ph.need("for")
			length := ph.duration("how long")
			return func(p *player) error {
				p.note(theScript, "another connection holds the write lock")
				release, err := lockStore(p.ledgerDir())
				if err != nil {
					return err
				}
				p.deeds.Go(func() {
					time.Sleep(length)
					release()
				})
				return nil
			}
		}},
		{"damage ledger", "damage ledger", "The database is overwritten with rubbish in the middle. Nothing may run.", whenStopped(damage)},
		{"lose ledger", "lose ledger", "The ledger's files are gone. Nothing may run.", whenStopped(func(p *player) error {
			p.emptied = append(p.emptied, time.Now())
			p.forced++
			return os.RemoveAll(p.ledgerDir())
		})},
		{"save ledger", "save ledger NAME", "Keeps a copy of the ledger's files. Nothing may run.", func(ph *phrase) func(*player) error {
			name := ph.declare(aLedger, ph.word("a name for the copy"))
			return whenStopped(func(p *player) error {
				return os.CopyFS(filepath.Join(p.dir, "saved-"+name), os.DirFS(p.ledgerDir()))
			})(ph)
		}},
		{"restore database", "restore database NAME", "Puts only the database of a copy back, as an operator does who keeps backups of that file alone. Nothing may run.", func(ph *phrase) func(*player) error {
			name := ph.known(aLedger)
			return whenStopped(func(p *player) error {
				p.forced++ // its session is an old one
				return p.restoreDatabase(filepath.Join(p.dir, "saved-"+name))
			})(ph)
		}},
		{"restore ledger", "restore ledger NAME", "Puts a copy back. Nothing may run.", func(ph *phrase) func(*player) error {
			name := ph.known(aLedger)
			return whenStopped(func(p *player) error {
				if err := os.RemoveAll(p.ledgerDir()); err != nil {
					return err
				}
				p.forced++ // its session is an old one
				return os.CopyFS(p.ledgerDir(), os.DirFS(filepath.Join(p.dir, "saved-"+name)))
			})(ph)
		}},
	}
}

// restoreDatabase puts the database of a copy in the place of the one there is, with all that belongs to it.
func (p *player) restoreDatabase(from string) error {
	for _, dir := range []string{p.ledgerDir(), from} {
		found, err := filepath.Glob(filepath.Join(dir, "*.db*"))
		if err != nil {
			return err
		}
		for _, name := range found {
			if dir != from {
				err = os.Remove(name)
			} else if data, rerr := os.ReadFile(name); rerr != nil {
				err = rerr
			} else {
				err = os.WriteFile(filepath.Join(p.ledgerDir(), filepath.Base(name)), data, 0o600)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// damage spoils the database from behind its header on.
func damage(p *player) error {
	found, err := filepath.Glob(filepath.Join(p.ledgerDir(), "*.db"))
	if err != nil || len(found) != 1 {
		return fmt.Errorf("find the database in %s: %d files, %w", p.ledgerDir(), len(found), err)
	}
	f, err := os.OpenFile(found[0], os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt([]byte(strings.Repeat("rubbish!", 4096)), 100)
	return errors.Join(err, f.Close())
}

func whenStopped(do func(*player) error) func(*phrase) func(*player) error {
	return func(*phrase) func(*player) error {
		return func(p *player) error {
			if n := len(p.running()); n > 0 {
				return fmt.Errorf("%d processes run", n)
			}
			return do(p)
		}
	}
}

// ledgerDir is where the ledger lies.
func (p *player) ledgerDir() string { return filepath.Join(p.dir, "ledger") }
