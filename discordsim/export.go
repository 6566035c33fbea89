package discordsim

import (
	"bytes"
	"fmt"
	"strings"
	"time"
)

// The forms of a channel export, as DiscordChatExporter writes them. Fields the simulator has no use for are
// passed over.

type exportedGuild struct {
	ID   ID     `json:"id"`
	Name string `json:"name"`
}

// exportedChannel is the channel or thread that was exported. Of a thread, category is the channel it hangs in.
type exportedChannel struct {
	ID         ID         `json:"id"`
	Type       exportKind `json:"type"`
	CategoryID ID         `json:"categoryId"`
	Category   string     `json:"category"`
	Name       string     `json:"name"`
	Topic      string     `json:"topic"`
}

type exportedMessage struct {
	ID          ID                  `json:"id"`
	Type        exportKind          `json:"type"`
	Timestamp   time.Time           `json:"timestamp"`
	Edited      *time.Time          `json:"timestampEdited"`
	Pinned      bool                `json:"isPinned"`
	Content     string              `json:"content"`
	Author      exportedUser        `json:"author"`
	Attachments []exportedFile      `json:"attachments"`
	Embeds      []exportedEmbed     `json:"embeds"`
	Stickers    []exportedSticker   `json:"stickers"`
	Reactions   []exportedReaction  `json:"reactions"`
	Mentions    []exportedUser      `json:"mentions"`
	Reference   *exportedReference  `json:"reference"`
	Forwarded   *exportedForward    `json:"forwardedMessage"`
	Interaction *exportedInvocation `json:"interaction"`
}

type exportedUser struct {
	ID            ID             `json:"id"`
	Name          string         `json:"name"`
	Discriminator string         `json:"discriminator"`
	Nickname      string         `json:"nickname"`
	Bot           bool           `json:"isBot"`
	Roles         []exportedRole `json:"roles"`
}

type exportedRole struct {
	ID   ID     `json:"id"`
	Name string `json:"name"`
}

type exportedFile struct {
	ID   ID     `json:"id"`
	URL  string `json:"url"`
	Name string `json:"fileName"`
	Size int64  `json:"fileSizeBytes"`
}

type exportedSticker struct {
	ID     ID     `json:"id"`
	Name   string `json:"name"`
	Format string `json:"format"`
}

type exportedReaction struct {
	Emoji struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	} `json:"emoji"`
	Count int            `json:"count"`
	Users []exportedUser `json:"users"`
}

type exportedReference struct {
	Type    string `json:"type"`
	Message ID     `json:"messageId"`
	Channel ID     `json:"channelId"`
	Guild   ID     `json:"guildId"`
}

type exportedForward struct {
	Timestamp   time.Time       `json:"timestamp"`
	Edited      *time.Time      `json:"timestampEdited"`
	Content     string          `json:"content"`
	Attachments []exportedFile  `json:"attachments"`
	Embeds      []exportedEmbed `json:"embeds"`
}

type exportedInvocation struct {
	ID   ID           `json:"id"`
	Name string       `json:"name"`
	User exportedUser `json:"user"`
}

// exportKind is the name of a message or channel type, or its number where the exporter knows no name.
type exportKind string

// UnmarshalJSON takes a string or a bare number.
func (k *exportKind) UnmarshalJSON(data []byte) error {
	*k = exportKind(bytes.Trim(data, `"`))
	return nil
}

// channelKinds are the names exports give to types of channels.
var channelKinds = map[exportKind]ChannelType{"GuildTextChat": Text, "DirectTextChat": DM, "GuildVoiceChat": Voice,
	"GuildCategory": Category, "GuildNews": Announcement, "GuildNewsThread": AnnouncementThread,
	"GuildPublicThread": PublicThread, "GuildPrivateThread": PrivateThread, "GuildStageVoice": Stage,
	"GuildForum": Forum, "GuildMedia": Media, "16": Media}

// messageKinds are the names exports give to types of messages (D3).
var messageKinds = map[exportKind]int{"Default": 0, "RecipientAdd": 1, "RecipientRemove": 2, "Call": 3,
	"ChannelNameChange": 4, "ChannelIconChange": 5, "ChannelPinnedMessage": 6, "GuildMemberJoin": 7,
	"ThreadCreated": 18, "Reply": 19}

// number is the type of a message.
func (k exportKind) number() (int, error) {
	if n, named := messageKinds[k]; named {
		return n, nil
	}
	n := 0
	if k == "" || strings.Trim(string(k), "0123456789") != "" || len(k) > 3 {
		return 0, fmt.Errorf("unknown type %q", string(k))
	}
	for _, digit := range k {
		n = n*10 + int(digit-'0')
	}
	return n, nil
}
