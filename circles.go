package gapless

import (
	"strings"
	"sync"
	"time"
)

// circles keeps lanes from running in circles: bots that answer each other, and
// people who send the same text again because nobody answered. It is in memory
// only: a restart begins to count anew.
type circles struct {
	mu    sync.Mutex
	bots  map[LaneID]int
	texts map[LaneID]said
}

// said is what was handled last in a lane.
type said struct {
	author UserID
	text   string
	at     time.Time
}

// repeatFor is how long a text can be repeated.
const repeatFor = time.Hour

func newCircles() *circles { return &circles{bots: map[LaneID]int{}, texts: map[LaneID]said{}} }

// check is why a delivery is not to be handled, or empty; then it counts as
// handled. Attempts after the first are let through.
func (c *circles) check(d *Delivery, class Class, cfg Config, now time.Time) Reason {
	if d.Attempt > 1 || d.Reason == Confirmed {
		return ""
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if class != ClassBot {
		delete(c.bots, d.Lane)
	} else if c.bots[d.Lane] >= cfg.BotTurns {
		return TooManyBots
	}
	if cfg.Merge && c.repeats(d, now) {
		return Repeated
	}
	if class == ClassBot {
		c.bots[d.Lane]++
	}
	return ""
}

// repeats reports whether the delivery says just what the lane's last one did,
// and remembers what it says.
func (c *circles) repeats(d *Delivery, now time.Time) bool {
	m := d.First()
	text := strings.Join(strings.Fields(strings.ToLower(m.Text)), " ")
	if text == "" || m.Attachments > 0 || len(d.Messages) != 1 {
		delete(c.texts, d.Lane)
		return false
	}
	last := c.texts[d.Lane]
	same := last.author == m.Author.ID && last.text == text && now.Sub(last.at) < repeatFor
	c.texts[d.Lane] = said{m.Author.ID, text, now}
	for lane, s := range c.texts { // what can be repeated no more is forgotten
		if now.Sub(s.at) >= repeatFor {
			delete(c.texts, lane)
		}
	}
	return same
}
