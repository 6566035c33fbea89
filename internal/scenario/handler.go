package scenario

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"gapless"
)

// conduct is a rule of how the handler behaves: how long it takes, or what it says in the end. Of the rules that fit
// a delivery the last one that is not used up counts, for each of the two.
type conduct struct {
	messages []string // on these
	place    string   // or here
	user     string   // or of this author; all empty: always
	times    int      // how often still; 0 for ever
	used     bool     // a rule with times that reached zero

	takes    time.Duration // a rule about time
	progress time.Duration // signs of life that often
	timing   bool

	verdict string // a rule about the end: answers, silent, fails, panics, discards, retries, away, hangs, kills
	text    string
	parts   int
	length  int
	after   time.Duration
	until   time.Time // away until then
}

// scripted is the handler of a process: it does what the rules say and writes down what happened.
type scripted struct{ proc *process }

// usualTurn is how long a turn takes if no rule says otherwise.
const usualTurn = 10 * time.Millisecond

var errScriptedFailure = errors.New("the script lets the handler fail")

// Handle is one turn.
func (h *scripted) Handle(ctx context.Context, d *gapless.Delivery) error {
	p := h.proc.player
	seen := &turnSeen{
		delivery: d.ID, lane: d.Lane, attempt: d.Attempt, boot: d.Boot, began: time.Now(), late: d.LateBy(time.Now()),
		gap: d.Messages[0].Gap,
	}
	for _, it := range d.Messages {
		seen.messages = append(seen.messages, it.Message.ID)
		seen.origins, seen.grounds = append(seen.origins, it.Origin), append(seen.grounds, it.Ground)
		seen.texts = append(seen.texts, it.Message.Text)
	}
	names := p.namesOf(d.Messages)
	p.journal.enter(func() {
		p.journal.turns = append(p.journal.turns, seen)
		p.journal.tellOf(theHandler, "starts", names, remark(seen))
	})
	defer func() {
		if trouble := recover(); trouble != nil {
			h.over(seen, names, "panics", d)
			panic(trouble)
		}
	}()
	verdict, err := h.act(ctx, d, names, seen)
	h.over(seen, names, verdict, d)
	return err
}

// remark is what is out of the ordinary about a start.
func remark(t *turnSeen) string {
	var r []string
	if o := t.origins[0]; o != gapless.OriginLive {
		r = append(r, string(o))
	}
	if t.attempt > 1 {
		r = append(r, fmt.Sprintf("attempt %d", t.attempt))
	}
	if len(r) == 0 {
		return ""
	}
	return "(" + strings.Join(r, ", ") + ")"
}

// over writes down the end of a turn, unless the process is dead: then there was none.
func (h *scripted) over(seen *turnSeen, names []string, verdict string, d *gapless.Delivery) {
	j := h.proc.player.journal
	j.enter(func() {
		if h.proc.dead.Load() {
			return
		}
		seen.ended, seen.verdict, seen.replies = time.Now(), verdict, d.Replies()
		j.tellOf(theHandler, "ends", names, "("+verdict+")")
	})
}

// act does what the rules say.
func (h *scripted) act(ctx context.Context, d *gapless.Delivery, names []string, seen *turnSeen) (string, error) {
	timing, end := h.rules(d, names)
	if !timing.timing {
		timing.takes = usualTurn
	}
	timing.takes += time.Duration(hashed(h.proc.player.script.Seed, names, d.Attempt) % uint64(time.Millisecond)) // so that no two end together
	if err := h.spend(ctx, d, timing); err != nil {
		return "stopped", err
	}
	switch end.verdict {
	case "silent":
		return "silent", nil
	case "fails":
		return "fails", errScriptedFailure
	case "panics":
		panic("the script lets the handler panic")
	case "discards":
		return "discards", gapless.Discard(end.text)
	case "retries":
		return "retries", gapless.RetryAfter(end.after)
	case "away":
		return "away", gapless.Unavailable(errScriptedFailure)
	case "hangs":
		<-ctx.Done()
		return "stopped", ctx.Err()
	case "ignores":
		<-ctx.Done()
		h.proc.player.journal.enter(func() { seen.told = time.Now() })
		<-h.proc.player.released
		return "stopped", ctx.Err()
	case "kills":
		h.proc.player.deeds.Go(h.proc.kill)
		<-ctx.Done()
		return "stopped", ctx.Err()
	}
	for i := range max(1, end.parts) {
		d.Reply(answer(end, names, d.Attempt, i))
	}
	return "done", nil
}

// answer is the text of one part: it names what it answers, so that the simulator's messages can be told apart.
func answer(end conduct, names []string, attempt, part int) string {
	text := end.text
	if text == "" {
		text = "answer"
	}
	text += " to " + shorten(names)
	if attempt > 1 {
		text += fmt.Sprintf(" at attempt %d", attempt)
	}
	if end.parts > 1 {
		text += fmt.Sprintf(", part %d of %d", part+1, end.parts)
	}
	if pad := end.length - len(text); pad > 0 {
		text += strings.Repeat(" word", pad/len(" word")+1)
	}
	return text
}

// spend lets the time of a turn pass.
func (h *scripted) spend(ctx context.Context, d *gapless.Delivery, timing conduct) error {
	for left := timing.takes; left > 0; {
		step := left
		if timing.progress > 0 {
			step = min(left, timing.progress)
		}
		t := time.NewTimer(step)
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return ctx.Err()
		}
		if left -= step; left > 0 {
			d.Progress()
		}
	}
	return nil
}

// rules picks the rule about time and the one about the end, and uses them.
func (h *scripted) rules(d *gapless.Delivery, names []string) (timing, end conduct) {
	p := h.proc.player
	p.conductMu.Lock()
	defer p.conductMu.Unlock()
	place, author := p.placeOf(d.Place.ID), p.userOf(d.Messages[0].Message.Author.ID)
	for _, c := range slices.Backward(p.conducts) {
		if c.used || !c.fits(names, place, author) || !c.until.IsZero() && !time.Now().Before(c.until) {
			continue
		}
		switch {
		case c.timing && !timing.timing:
			timing = *c
		case !c.timing && end.verdict == "":
			end = *c
		default:
			continue
		}
		if c.times > 0 {
			c.times--
			c.used = c.times == 0
		}
	}
	return timing, end
}

func (c *conduct) fits(names []string, place, author string) bool {
	switch {
	case c.messages != nil:
		return slices.ContainsFunc(names, func(n string) bool { return slices.Contains(c.messages, n) })
	case c.place != "":
		return c.place == place
	case c.user != "":
		return c.user == author
	}
	return true
}
