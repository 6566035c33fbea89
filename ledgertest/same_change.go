package ledgertest

import (
	"fmt"
	"time"

	"gapless"

	"pgregory.net/rapid"
)

func (p *pair) append(*rapid.T) {
	c := gapless.Change{At: p.now}
	for range 1 + p.pick("parts", 4) {
		p.part(&c)
	}
	_, _ = both(p, "append", func(l gapless.Ledger) (gapless.Stored, error) { return l.Append(p.t.Context(), c) })
}

// part adds something to a change.
func (p *pair) part(c *gapless.Change) {
	id, where := p.id("message")
	switch p.pick("part", 13) {
	case 0, 1, 2:
		c.Admitted = append(c.Admitted, p.item(id, where))
	case 3:
		reason := []gapless.Reason{gapless.ReasonBot, gapless.ReasonMention}[p.pick("reason", 2)]
		c.Refused = append(c.Refused, gapless.Refusal{Place: where, ID: id, Reason: reason, Addressed: p.pick("addressed", 2) == 0})
	case 4:
		m := edited(id, fmt.Sprintf("edit %d", p.pick("text", 5)), p.pick("edited", 6))
		m.Place, m.Author.ID = where, author(id)
		c.Edited = append(c.Edited, m)
	case 5:
		c.Deleted = append(c.Deleted, gapless.Deletion{Place: where, ID: id})
	case 6:
		own := gapless.OwnMessage{ID: id + 1<<30, Place: where, Reference: id}
		if n := len(p.sends); n > 0 && p.pick("with nonce", 2) == 0 {
			own.Nonce = p.sends[p.pick("reply", n)].Nonce
		}
		c.Own = append(c.Own, own)
	case 7, 8:
		it := p.item(id, where)
		it.Lacks = []gapless.Lack{gapless.LackMember, gapless.LackPlace}[p.pick("lack", 2)]
		c.Undecided = append(c.Undecided, it)
	case 9:
		reason := []gapless.Reason{gapless.Answered, gapless.Done}[p.pick("reason", 2)]
		c.Ended = append(c.Ended, gapless.Ending{Place: where, ID: id, Reason: reason})
	case 10:
		l := letter(fmt.Sprint(p.pick("letter", 6)))
		l.Place = where
		c.Letters, c.Noted = append(c.Letters, l), int64(p.pick("noted", 3))
		p.sends = append(p.sends, l)
	default:
		p.mark(c, id, where)
	}
}

// item is a message to be stored.
func (p *pair) item(id gapless.MessageID, where gapless.ChannelID) gapless.Item {
	it := itemIn(where, id)
	it.Message.Author.ID, it.Plain = author(id), p.pick("plain", 3) > 0
	it.Origin = []gapless.Origin{gapless.OriginLive, gapless.OriginHistory, gapless.OriginAudit}[p.pick("origin", 3)]
	if p.pick("wait", 4) == 0 {
		it.NotBefore = p.now.Add(5 * time.Second)
	}
	if n := p.pick("edited", 8); n > 5 {
		it.Message.EditedAt = base.Add(time.Duration(n) * time.Second)
	}
	return it
}

// mark adds coverage to a change.
func (p *pair) mark(c *gapless.Change, id gapless.MessageID, where gapless.ChannelID) {
	upto, _ := p.id("upto")
	name := gapless.GapID(fmt.Sprintf("%s-%s", where, upto))
	switch p.pick("mark", 6) {
	case 0:
		c.Places = append(c.Places, gapless.PlaceChange{ID: where, Floor: id, Verified: upto, Head: max(id, upto),
			Epoch: uint64(p.pick("epoch", 4)), Gone: p.pick("gone", 5) == 0, Back: p.pick("back", 3) == 0,
			Leave: p.pick("leave", 3) == 0, Enter: p.pick("enter", 3) == 0, Restore: p.pick("restore", 3) == 0,
			Compare: p.pick("compare", 3) == 0, TakesPart: id * gapless.MessageID(p.pick("takes part", 2))})
	case 1, 2:
		c.Opened = append(c.Opened, gapless.Gap{ID: name, Place: where, From: id, After: id, Upto: upto,
			Cause: gapless.CauseDiscontinuity, OpenedAt: p.now, HoldTill: p.now.Add(time.Duration(p.pick("hold", 20)) * time.Second)})
	case 3:
		m := gapless.GapMove{ID: name, Was: id, After: max(id, upto), HoldTill: p.now.Add(time.Second)}
		if p.pick("end", 2) == 0 {
			m.End, m.ClosedAt, m.HoldTill = gapless.EndFilled, p.now, time.Time{}
		}
		c.Moved = append(c.Moved, m)
	case 4:
		c.Ranges = append(c.Ranges, gapless.Range{Place: where, After: id, Upto: upto, Reason: gapless.EndExpired, At: p.now})
	case 5:
		c.Session = &gapless.Session{Shard: p.pick("shard", 2), ID: "s", Seq: int64(id), Self: gapless.User{ID: 1}, SeenAt: p.now}
		c.Shards = append(c.Shards, gapless.ShardMark{Shard: p.pick("shard", 2), Epoch: uint64(p.pick("epoch", 4)), At: p.now})
		c.Guilds = append(c.Guilds, gapless.GuildMark{ID: 5, Epoch: uint64(p.pick("epoch", 4)), Listed: uint64(p.pick("listed", 4))})
	}
}
