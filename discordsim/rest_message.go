package discordsim

import (
	"bytes"
	"encoding/json"
	"io"
	"mime"
	"mime/multipart"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// nonceKey is what enforce_nonce compares (F57).
type nonceKey struct {
	author ID
	nonce  string
}

type sentNonce struct {
	message *message
	at      time.Time
}

// outgoingMessage is the body of a message to be made or edited.
type outgoingMessage struct {
	Content      *string         `json:"content"`
	Nonce        json.RawMessage `json:"nonce"`
	EnforceNonce bool            `json:"enforce_nonce"`
	Embeds       []any           `json:"embeds"`
	Components   []any           `json:"components"`
	Stickers     []ID            `json:"sticker_ids"`
	Flags        *int            `json:"flags"`
	Allowed      json.RawMessage `json:"allowed_mentions"`
	Poll         *pollForm       `json:"poll"`
	Reference    *struct {
		Type    int   `json:"type"`
		Message ID    `json:"message_id"`
		Channel ID    `json:"channel_id"`
		Fail    *bool `json:"fail_if_not_exists"`
	} `json:"message_reference"`
	files []string
}

// text is the content, empty when there is none.
func (m *outgoingMessage) text() string {
	if m.Content == nil {
		return ""
	}
	return *m.Content
}

// readMessage takes a message body as JSON or as a form with payload_json and files (F66).
func (q *request) readMessage(into any) (files []string, err error) {
	kind, params, _ := mime.ParseMediaType(q.r.Header.Get("Content-Type"))
	if !strings.HasPrefix(kind, "multipart/") {
		return nil, q.read(into)
	}
	invalid := &apiError{status: 400, code: 50035, message: "Invalid Form Body"}
	form := multipart.NewReader(bytes.NewReader(q.body), params["boundary"])
	for {
		part, err := form.NextPart()
		if err == io.EOF {
			return files, nil
		}
		if err != nil {
			return nil, invalid
		}
		switch name := part.FormName(); {
		case name == "payload_json":
			if err := json.NewDecoder(part).Decode(into); err != nil {
				return nil, &apiError{status: 400, code: 50109, message: "The request body contains invalid JSON."}
			}
		case strings.HasPrefix(name, "files["):
			files = append(files, part.FileName())
		}
	}
}

// postMessage is Create Message (B5).
func (s *Server) postMessage(q *request) (any, error) {
	c, err := s.myChannel(q)
	if err != nil {
		return nil, err
	}
	if !c.enterable(q.who()) {
		return nil, missingAccess()
	}
	if !c.maySend(q.who()) {
		return nil, missingPermissions()
	}
	var in outgoingMessage
	if in.files, err = q.readMessage(&in); err != nil {
		return nil, err
	}
	if err := in.check(); err != nil {
		return nil, err
	}
	key := nonceKey{author: q.who(), nonce: strings.Trim(string(in.Nonce), `"`)}
	if earlier, err := s.earlier(in, key); earlier != nil || err != nil {
		return q.own(s, earlier), err
	}
	opts, err := s.options(q, c, in)
	if err != nil {
		return nil, err
	}
	m, err := s.post(q.bot.user, c, in.text(), opts)
	if err != nil {
		return nil, err
	}
	if key.nonce != "" {
		s.gate.nonces[key] = sentNonce{message: m, at: s.now()}
	}
	return q.own(s, m), nil
}

// own is the bot's message as the answer to its POST shows it: with the nonce.
func (q *request) own(s *Server, m *message) object {
	if m == nil {
		return nil
	}
	b := m.body(s, q.bot, true)
	if m.nonce != nil {
		b["nonce"] = m.nonce
	}
	return b
}

// earlier finds the message that enforce_nonce must not make again; deleted meanwhile it is 10008 (F57).
func (s *Server) earlier(in outgoingMessage, key nonceKey) (*message, error) {
	window := s.NonceWindow
	if window == 0 {
		window = 3 * time.Minute
	}
	sent, known := s.gate.nonces[key]
	if !in.EnforceNonce || key.nonce == "" || !known || s.now().Sub(sent.at) >= window {
		return nil, nil
	}
	if sent.message.gone() {
		return nil, unknownMessage()
	}
	return sent.message, nil
}

func (m *outgoingMessage) check() error {
	forwards := m.Reference != nil && m.Reference.Type == 1
	empty := m.text() == "" && len(m.Embeds) == 0 && len(m.Components) == 0 && len(m.Stickers) == 0 &&
		len(m.files) == 0 && m.Poll == nil
	var allowed allowedMentions
	bad := m.Allowed != nil && json.Unmarshal(m.Allowed, &allowed) != nil
	switch {
	case utf8.RuneCountInString(m.text()) > 2000:
		return badField("content", "BASE_TYPE_MAX_LENGTH", "Must be 2000 or fewer in length.")
	case empty && !forwards:
		return &apiError{status: 400, code: 50006, message: "Cannot send an empty message"}
	case len(m.Nonce) > 0 && utf8.RuneCountInString(strings.Trim(string(m.Nonce), `"`)) > 25:
		return badField("nonce", "NONCE_TYPE_INVALID", "nonce is not valid")
	case bad:
		return badField("allowed_mentions", "DICT_TYPE_CONVERT", "Only dictionaries may be used in a DictType")
	case slices.Contains(allowed.Parse, "users") && len(allowed.Users) > 0,
		slices.Contains(allowed.Parse, "roles") && len(allowed.Roles) > 0:
		return badField("allowed_mentions", "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE",
			"parse and an explicit list are mutually exclusive.")
	case len(allowed.Users) > 100 || len(allowed.Roles) > 100:
		return badField("allowed_mentions", "BASE_TYPE_MAX_LENGTH", "Must be 100 or fewer in length.")
	case len(m.Embeds) > 10 || len(m.files) > 10:
		return badField("embeds", "BASE_TYPE_MAX_LENGTH", "Must be 10 or fewer in length.")
	}
	return nil
}

// options turns a checked body into what post takes, following the rules for references (F58, F59).
func (s *Server) options(q *request, c *channel, in outgoingMessage) (PostOptions, error) {
	poll, err := in.Poll.poll()
	if err != nil {
		return PostOptions{}, err
	}
	o := PostOptions{byREST: true, Attachments: in.files, Poll: poll}
	if len(in.Nonce) > 0 && string(in.Nonce) != "null" {
		o.raw.nonce = in.Nonce
	}
	o.raw.allowed, o.raw.embeds, o.raw.components = in.Allowed, in.Embeds, in.Components
	if in.Flags != nil {
		o.Flags = *in.Flags & (flagSuppressEmbeds | 1<<12 | 1<<13 | 1<<15)
	}
	ref := in.Reference
	if ref == nil || ref.Message == 0 {
		return o, nil
	}
	target := s.world.messages[ref.Message]
	there := target != nil && target.listable()
	if ref.Type == 1 {
		switch {
		case !there:
			return o, unknownReference()
		case !target.channel.visible(q.who()) || !target.reveals(q.bot, q.bot.content):
			return o, &apiError{status: 403, code: 160014, message: "You cannot forward a message whose content you cannot read"}
		}
		o.Forward = ref.Message
		return o, nil
	}
	switch {
	case !c.permissions(q.who()).has(ReadMessageHistory):
		return o, &apiError{status: 400, code: 160002, message: "Cannot reply without permission to read message history"}
	case !there || target.channel != c:
		if ref.Fail != nil && !*ref.Fail {
			return o, nil
		}
		return o, unknownReference()
	case !replyable(target.kind):
		return o, badField("message_reference", "REPLIES_CANNOT_REPLY_TO_SYSTEM_MESSAGE", "Cannot reply to a system message")
	}
	o.Reply = ref.Message
	return o, nil
}

func replyable(kind int) bool { return slices.Contains([]int{0, 19, 20, 21, 23}, kind) }
