package gapless

import (
	"fmt"
	"time"
)

// BacklogRule is another backlog for some places.
type BacklogRule struct {
	Place Ref // a place, its parent, its category, or its guild
	How   Backlog
}

// backlogPatience is how long a claim waits to learn the rule of its place.
const backlogPatience = time.Second

// backlog is what a turn of the lane takes of what waits in it.
func (e *Engine) backlog(lane LaneID) Backlog {
	if len(e.cfg.Backlogs) == 0 {
		return e.cfg.Backlog
	}
	id, err := ParseID[ChannelID](string(lane))
	if err != nil {
		return e.cfg.Backlog
	}
	select {
	case e.coverage <- struct{}{}:
	case <-time.After(backlogPatience):
		return e.cfg.Backlog // a change cannot be stored just now; turns go on
	}
	defer func() { <-e.coverage }()
	d := newDraft(e.marks, e.rules, Session{}, e.now())
	p, _ := d.place(id)
	site := d.site(p)
	for _, near := range nearness {
		for _, r := range e.cfg.Backlogs {
			if near(site, r.Place) {
				return r.How
			}
		}
	}
	return e.cfg.Backlog
}

// longText is from which length on a text may be one of several that its
// author had to split: the next part takes longer to come (S48).
const longText = MaxText - 100

// joinAt is when a plain text may start: once what follows it has had time to
// come. What was read has had it (S48).
func (r *rules) joinAt(it Item, now time.Time) time.Time {
	if r.join <= 0 || !it.Plain || it.Origin.Recovered() {
		return time.Time{}
	}
	if len(it.Message.Text) >= longText {
		return now.Add(3 * r.join)
	}
	return now.Add(r.join)
}

// nextPage is how long the end of a page waits for the next one, should that be
// needed to join what belongs together.
const nextPage = time.Second

// goesOn lets the texts at the end of a page wait for the next page, where that
// may hold their other parts (S48).
func (d *draft) goesOn(move GapMove, page []Message) {
	if d.rules.join <= 0 || move.End != "" || move.Obstacle != "" || len(page) == 0 {
		return
	}
	last := page[len(page)-1].ID.Time()
	for i, it := range d.change.Admitted {
		if it.Plain && it.Origin.Recovered() && last.Sub(it.Message.ID.Time()) <= d.rules.join {
			d.change.Admitted[i].NotBefore = d.now.Add(nextPage)
		}
	}
}

// plain reports whether a message is mere text that may be joined with its
// neighbours: commands, approvals and media stand alone (S48).
func (d *draft) plain(m *Message) bool {
	return m.Attachments == 0 && m.Text != "" && d.rules.late.Classes.Of(m, &d.rules.policy, d.self.ID) == ClassNormal
}

// backlogs names every backlog that there is not (C29).
func (c Config) backlogs() (errs []error) {
	ways := []Backlog{c.Backlog}
	for _, r := range c.Backlogs {
		ways = append(ways, r.How)
	}
	for _, how := range ways {
		switch how {
		case "", BacklogEach, BacklogJoined, BacklogLatest:
		default:
			errs = append(errs, fmt.Errorf("gapless.Config.Backlog: %q is none of each, joined and latest", how))
		}
	}
	return errs
}
