package gapless

import (
	"fmt"
	"time"
)

// notice has the place told that we were away, once for each outage: a letter
// that belongs to no delivery and answers nothing (S22, S27).
func (d *draft) notice(p Place, g Gap) {
	s := d.hears(p.Guild)
	if d.rules.notice == nil || g.Cause != CauseDiscontinuity || s.Since.IsZero() || d.told(p.ID).Equal(s.At) {
		return
	}
	text := d.rules.notice(s.Since, s.At)
	if text == "" {
		return
	}
	d.noticed[p.ID] = s.At
	id := ReplyID(fmt.Sprintf("notice.%s.%d", p.ID, s.At.UnixMilli()))
	d.change.Letters = append(d.change.Letters, Reply{
		ID: id, Place: p.ID, Text: text, Nonce: nonceOf(id), State: ReplyIntended, IntentAt: d.now,
	})
}

// told is the end of the outage that the place was last told of.
func (d *draft) told(place ChannelID) time.Time {
	if at, ok := d.noticed[place]; ok {
		return at
	}
	return d.marks.noticed[place]
}
