package scenario

import (
	"gapless"
	"gapless/discordsim"
)

// subject is a message as admission would see it if everything were known.
func (e *evidence) subject(m discordsim.Message) gapless.Subject {
	c := e.around[m.ID]
	s := gapless.Subject{
		Self: gapless.UserID(e.bot.ID), OwnRoles: []gapless.RoleID{}, Message: said(m, c),
		Place: gapless.Place{
			ID: gapless.ChannelID(m.Channel), Guild: gapless.GuildID(m.Guild), Kind: gapless.ChannelKind(c.Kind), Name: c.Name,
			Parent: gapless.ChannelID(m.Parent),
		},
		Category: gapless.Place{ID: gapless.ChannelID(c.Category), Name: c.CategoryName, Kind: gapless.GuildCategory},
		Member:   gapless.Membership{Known: true, Left: !c.Member},
	}
	for _, id := range c.Roles {
		s.Member.Roles = append(s.Member.Roles, gapless.RoleID(id))
	}
	if m.Parent == 0 {
		s.Place.Parent = s.Category.ID
	} else {
		s.Parent = gapless.Place{ID: s.Place.Parent, Name: c.ParentName, Parent: s.Category.ID}
	}
	return s
}

// said is the true message in the engine's words.
func said(m discordsim.Message, c discordsim.Circumstances) *gapless.Message {
	out := &gapless.Message{
		ID: gapless.MessageID(m.ID), Place: gapless.ChannelID(m.Channel), Guild: gapless.GuildID(m.Guild),
		Author: gapless.User{ID: gapless.UserID(m.Author), Name: c.AuthorName, Bot: m.AuthorIsBot}, Type: m.Type, Flags: m.Flags,
		Text: m.Content, Attachments: c.Extras,
		Mentions: idsOf[gapless.UserID](m.Mentions), MentionBots: idsOf[gapless.UserID](c.MentionBots), MentionRoles: idsOf[gapless.RoleID](m.MentionRoles),
	}
	switch {
	case m.ForwardOf != 0:
		out.Reference = gapless.Reference{Type: 1, Message: gapless.MessageID(m.ForwardOf)}
		out.Forwarded = len(c.Forwarded)
		if m.Content != "" && c.Forwarded != "" {
			out.Text += "\n"
			out.Forwarded++
		}
		out.Text += c.Forwarded
	case m.ReplyTo != 0:
		out.Reference = gapless.Reference{Message: gapless.MessageID(m.ReplyTo), Known: true, Author: gapless.UserID(m.Answered)}
	}
	if m.Webhook {
		out.Webhook = gapless.UserID(m.Author)
	}
	return out
}

// idsOf are the simulator's ids as the engine's.
func idsOf[T ~uint64](ids []discordsim.ID) (out []T) {
	for _, id := range ids {
		out = append(out, T(id))
	}
	return out
}
