package conversation

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"time"

	"gapless"
)

// stale is how long before its end a link to an attachment is renewed: the
// handler needs time to follow it.
const stale = 10 * time.Minute

// freshen reads messages again whose links to attachments have ended or soon
// will: Discord signs them anew with each reading. What cannot be read stays as
// it is.
func (r *Room) freshen(ctx context.Context, d *gapless.Delivery) {
	d.Messages = slices.Clone(d.Messages)
	for i := range d.Messages {
		m := &d.Messages[i].Message
		if m.Attachments == 0 || !expiring(m.Raw, time.Now().Add(stale)) {
			continue
		}
		fresh, err := r.again(ctx, d.Place.ID, m.ID)
		if err != nil {
			r.log.Debug("links of attachments not renewed", "delivery", d.ID, "message", m.ID, "error", err)
			continue
		}
		m.Raw = fresh.Raw
	}
}

// again reads a message once more.
func (r *Room) again(ctx context.Context, place gapless.ChannelID, id gapless.MessageID) (gapless.Message, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return r.discord.Message(ctx, place, id)
}

// expiring reports whether a link in the payload ends before the time.
func expiring(raw json.RawMessage, by time.Time) bool {
	var payload struct {
		Attachments []struct {
			URL string `json:"url"`
		} `json:"attachments"`
	}
	if json.Unmarshal(raw, &payload) != nil {
		return false
	}
	for _, a := range payload.Attachments {
		u, err := url.Parse(a.URL)
		if err != nil {
			continue
		}
		end, err := strconv.ParseInt(u.Query().Get("ex"), 16, 64)
		if err == nil && time.Unix(end, 0).Before(by) {
			return true
		}
	}
	return false
}
