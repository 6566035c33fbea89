package scenario

// repeat is a block of lines that is played several times.
type repeat struct {
	line  int
	text  string
	times int
	steps []step
}

func (r *repeat) play(p *player) error {
	for range r.times {
		for _, s := range r.steps {
			if err := p.step(s); err != nil {
				return err
			}
		}
	}
	return nil
}

func repeatCommands() []command {
	return []command{
		{"repeat", "repeat N", "Plays the lines down to `end` that often. What they declare is declared once, so they can do little more than wait, break and expect.",
			func(ph *phrase) func(*player) error {
				ph.p.open = append(ph.p.open, &repeat{line: ph.p.line, text: ph.line, times: ph.number("how often")})
				return nil
			}},
		{"end", "end", "Ends a `repeat`.", func(ph *phrase) func(*player) error {
			n := len(ph.p.open)
			if n == 0 {
				ph.fail("there is no repeat to end")
			}
			r := ph.p.open[n-1]
			ph.p.open = ph.p.open[:n-1]
			ph.p.add(step{line: r.line, text: r.text, do: r.play})
			return nil
		}},
	}
}
