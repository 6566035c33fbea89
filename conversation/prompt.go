package conversation

import (
	"context"
	"strconv"

	"gapless"
)

// Prompt is what configuration tells the handler about a channel and the
// threads in it.
type Prompt struct {
	Place gapless.Ref
	Text  string
}

// prompt is what is said of the delivery's place: of a thread itself first,
// then of the channel it is in.
func (r *Room) prompt(ctx context.Context, d *gapless.Delivery) string {
	p := d.Place
	for _, about := range r.opt.Prompts {
		if about.Place.Names(uint64(p.ID), p.Name) {
			return about.Text
		}
	}
	if !p.Kind.Thread() || p.Parent == 0 || len(r.opt.Prompts) == 0 {
		return ""
	}
	name := ""
	if r.namesChannels() {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		if c, err := r.discord.Channel(ctx, p.Parent); err == nil {
			name = c.Name
		} else {
			r.log.Debug("name of the channel not read", "channel", p.Parent, "error", err)
		}
	}
	for _, about := range r.opt.Prompts {
		if about.Place.Names(uint64(p.Parent), name) {
			return about.Text
		}
	}
	return ""
}

// namesChannels reports whether a prompt goes by a name.
func (r *Room) namesChannels() bool {
	for _, about := range r.opt.Prompts {
		if _, err := strconv.ParseUint(string(about.Place), 10, 64); err != nil {
			return true
		}
	}
	return false
}
