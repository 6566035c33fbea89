package scenario

import (
	"slices"

	"gapless"
	"gapless/discordsim"
)

func coverageExpectations() []command {
	return []command{
		{"expect gap open", "expect gap open #PLACE [OBSTACLE] [after MESSAGE]", "A gap of the place is open, with that obstacle, read up to that message.", readGapOpen},
		{"expect no gap open", "expect no gap open [in #PLACE]", "No gap is open, or none of the place.", func(ph *phrase) func(*player) error {
			place := ""
			if ph.accept("in") {
				place = ph.place()
			}
			return func(p *player) error {
				for _, g := range p.gaps(place) {
					if g.Open() {
						return unless(false, "the gap in %s up to %s is open (%s)", p.placeOf(g.Place), p.position(g.Upto), g.Obstacle)
					}
				}
				return nil
			}
		}},
		{"expect gap closed", "expect gap closed #PLACE REASON", "The last gap of the place has ended for that reason.", func(ph *phrase) func(*player) error {
			place, reason := ph.place(), ph.word("a reason")
			return func(p *player) error {
				gaps := p.gaps(place)
				if len(gaps) == 0 {
					return unless(false, "%s never had a gap", place)
				}
				last := gaps[len(gaps)-1]
				return unless(string(last.End) == reason, "its last gap ended %q", last.End)
			}
		}},
		{"expect gaps", "expect gaps [in #PLACE] COMPARISON", "How many gaps were ever opened.", func(ph *phrase) func(*player) error {
			place := ""
			if ph.accept("in") {
				place = ph.place()
			}
			want := ph.comparison("a number of gaps")
			return func(p *player) error {
				n := len(p.gaps(place))
				return unless(want.holds(n), "there were %d", n)
			}
		}},
		{"expect covered", "expect covered MESSAGE... by gap|REASON", "An open gap covers each of them, or a range closed for that reason (expired, skipped, gone...).", func(ph *phrase) func(*player) error {
			messages := ph.messages()
			ph.need("by")
			by := ph.word("gap or a reason")
			return each(messages, func(p *player, m string) error {
				got := p.cover(p.messageID(m), gapless.ChannelID(p.place(p.posts[p.world.of(aMessage, m)].place)))
				return unless(slices.Contains(got, by), "%s is covered by %q", m, got)
			})
		}},
		{"expect not covered", "expect not covered MESSAGE...", "Neither an open gap nor a closed range covers any of them.", about(func(p *player, m string) error {
			got := p.cover(p.messageID(m), gapless.ChannelID(p.place(p.posts[p.world.of(aMessage, m)].place)))
			return unless(len(got) == 0, "%s is covered by %q", m, got)
		})},
		{"expect head", "expect head #PLACE [at least] MESSAGE|nothing", "The highest message known of the place.", readPlaceMark(func(s gapless.PlaceStatus) gapless.MessageID { return s.Head })},
		{"expect verified", "expect verified #PLACE [at least] MESSAGE|nothing", "Everything up to this message has been compared with history.", readPlaceMark(func(s gapless.PlaceStatus) gapless.MessageID { return s.Verified })},
		{"expect floor", "expect floor #PLACE [at least] MESSAGE|nothing", "Nothing up to this message is ever recovered.", readPlaceMark(func(s gapless.PlaceStatus) gapless.MessageID { return s.Floor })},
		{"expect unknown place", "expect unknown place #PLACE", "The ledger has no marks of the place.", onPlace(func(p *player, id discordsim.ID) error {
			_, ok, err := p.marksOf(id)
			if err != nil {
				return err
			}
			return unless(!ok, "the ledger knows it")
		})},
	}
}

func readGapOpen(ph *phrase) func(*player) error {
	place, obstacle, after := ph.place(), "", ""
	if !ph.done() && ph.peek() != "after" {
		obstacle = ph.word("an obstacle")
	}
	if ph.accept("after") {
		after = ph.message()
	}
	return func(p *player) error {
		for _, g := range p.gaps(place) {
			if g.Open() && (obstacle == "" || string(g.Obstacle) == obstacle) && (after == "" || g.After == p.messageID(after)) {
				return nil
			}
		}
		var have []string
		for _, g := range p.gaps(place) {
			have = append(have, "after "+p.position(g.After)+" to "+p.position(g.Upto)+" ("+string(g.Obstacle)+string(g.End)+")")
		}
		return unless(false, "its gaps are %q", have)
	}
}

func readPlaceMark(of func(gapless.PlaceStatus) gapless.MessageID) func(*phrase) func(*player) error {
	return func(ph *phrase) func(*player) error {
		place, message := ph.place(), ""
		orMore := ph.accept("at", "least")
		if !ph.accept("nothing") {
			message = ph.message()
		}
		return func(p *player) error {
			s, ok, err := p.marksOf(p.place(place))
			switch {
			case err != nil:
				return err
			case !ok:
				return unless(message == "", "the ledger does not know %s", place)
			case message == "":
				return unless(of(s) == 0, "it is %s", p.position(of(s)))
			}
			got, want := of(s), p.messageID(message)
			return unless(got == want || orMore && got > want, "it is %s", p.position(of(s)))
		}
	}
}

// marksOf are the marks the ledger has of a place.
func (p *player) marksOf(id discordsim.ID) (gapless.PlaceStatus, bool, error) {
	st, err := p.status()
	if err != nil {
		return gapless.PlaceStatus{}, false, err
	}
	i := slices.IndexFunc(st.Places, func(s gapless.PlaceStatus) bool { return s.ID == gapless.ChannelID(id) })
	if i < 0 {
		return gapless.PlaceStatus{}, false, nil
	}
	return st.Places[i], true, nil
}

// gaps are the gaps that were ever opened, of one place if it is named, in order.
func (p *player) gaps(place string) []gapless.Gap {
	id := discordsim.ID(0)
	if place != "" {
		id = p.place(place)
	}
	var out []gapless.Gap
	p.journal.read(func() {
		for _, name := range p.journal.opened {
			if g := p.journal.gaps[name]; id == 0 || g.Place == gapless.ChannelID(id) {
				out = append(out, g.Gap)
			}
		}
	})
	return out
}

// cover is what covers an undecided message: "gap" for an open one, else the reasons of closed ranges.
func (p *player) cover(id gapless.MessageID, place gapless.ChannelID) []string {
	var out []string
	p.journal.read(func() {
		for _, name := range p.journal.opened {
			g := p.journal.gaps[name]
			if g.Place != place || id > g.Upto {
				continue
			}
			switch {
			case g.Open() && id > g.After:
				out = append(out, "gap")
			case !g.Open() && g.End != gapless.EndFilled && id > g.After:
				out = append(out, string(g.End))
			}
		}
		for _, r := range p.journal.ranges {
			if r.Place == place && r.After < id && id <= r.Upto {
				out = append(out, string(r.Reason))
			}
		}
	})
	return out
}
