package discordsim

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// maxComplaints is how many errors one file is told of; the rest are counted.
const maxComplaints = 100

// Imported says what an import brought into the world.
type Imported struct {
	Files    int  `json:"files"`    // exports read, damaged ones too
	Guilds   []ID `json:"guilds"`   // guilds met, in the order of the files; some may have been there before
	Channels int  `json:"channels"` // new ones, threads and categories included
	Users    int  `json:"users"`    // new ones
	Messages int  `json:"messages"`
	Skipped  int  `json:"skipped"` // messages that could not be taken
}

// Import loads channel exports in the JSON format of DiscordChatExporter: one file, or every *.json below a
// folder. It brings guilds, categories, channels, threads, users and messages with the ids they had; nobody is
// told of it by the gateway, so clients connect afterwards. No bot of the world joins by itself: let it Join the
// guilds of Imported, or take over an account of the export with Adopt.
//
// A file or message that cannot be taken is left out and the rest loaded; the error joins one for each, naming
// file and message. A file is read as a stream, so its size does not matter but for what becomes of it.
func (s *Server) Import(path string) (Imported, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Imported{}, fmt.Errorf("import: %w", err)
	}
	if info.IsDir() {
		return s.ImportFS(os.DirFS(path))
	}
	load := newLoad(s)
	file, err := os.Open(path)
	if err != nil {
		return Imported{}, fmt.Errorf("import: %w", err)
	}
	defer file.Close()
	load.file(filepath.Base(path), file)
	return load.finish()
}

// ImportFS loads every *.json of a file system as Import does. Files are read in lexical order.
func (s *Server) ImportFS(fsys fs.FS) (Imported, error) {
	load := newLoad(s)
	err := fs.WalkDir(fsys, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.EqualFold(filepath.Ext(path), ".json") {
			return err
		}
		file, err := fsys.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		load.file(path, file)
		return nil
	})
	if err != nil {
		load.errs = append(load.errs, fmt.Errorf("import: %w", err))
	}
	return load.finish()
}

// ImportFrom loads one export from a stream as Import does; name stands for the file in errors.
func (s *Server) ImportFrom(name string, r io.Reader) (Imported, error) {
	load := newLoad(s)
	load.file(name, r)
	return load.finish()
}

// load is one import on its way.
type load struct {
	s       *Server
	done    Imported
	errs    []error
	name    string   // of the file being read
	channel *channel // that its messages belong to
	moot    int      // complaints about this file
	threads []*channel
	dms     []*channel
	guesses []*channel // made because a thread or a channel named them
}

func newLoad(s *Server) *load { return &load{s: s} }

// complain notes an error about the current file. about is the message, empty for the file itself.
func (l *load) complain(about string, err error) {
	l.moot++
	switch {
	case l.moot > maxComplaints:
	case about == "":
		l.errs = append(l.errs, fmt.Errorf("import %s: %w", l.name, err))
	default:
		l.errs = append(l.errs, fmt.Errorf("import %s: message %s: %w", l.name, about, err))
	}
}

// file loads one export.
func (l *load) file(name string, r io.Reader) {
	l.name, l.channel, l.moot = name, nil, 0
	l.done.Files++
	last := ""
	err := readExport(r, func(g exportedGuild, c exportedChannel) (err error) {
		l.s.lock()
		defer l.s.mu.Unlock()
		l.channel, err = l.place(g, c)
		return err
	}, func(raw json.RawMessage) { last = l.take(raw) }, func(err error) {
		l.done.Skipped++
		l.after(last, err)
	})
	if err != nil {
		l.after(last, err)
	}
	if more := l.moot - maxComplaints; more > 0 {
		l.errs = append(l.errs, fmt.Errorf("import %s: %d more errors", name, more))
	}
}

// after notes an error about what comes after the last message that could be read.
func (l *load) after(last string, err error) {
	if last != "" {
		err = fmt.Errorf("after it: %w", err)
	}
	l.complain(last, err)
}

// take loads one message and returns its id as it stands in the export.
func (l *load) take(raw json.RawMessage) string {
	var m exportedMessage
	err := json.Unmarshal(raw, &m)
	id := m.ID.String()
	if m.ID == 0 {
		id = rawID(raw)
	}
	if err == nil {
		l.s.lock()
		err = l.message(m)
		l.s.mu.Unlock()
	}
	if err != nil {
		l.done.Skipped++
		l.complain(id, err)
		return id
	}
	l.done.Messages++
	return id
}

// rawID finds what a message that cannot be read calls its id.
func rawID(raw json.RawMessage) string {
	var m struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(raw, &m) != nil || len(m.ID) == 0 {
		return "without an id"
	}
	return string(m.ID)
}

// finish settles what can only be known when everything is read.
func (l *load) finish() (Imported, error) {
	l.s.lock()
	defer l.s.mu.Unlock()
	for _, c := range l.threads {
		l.s.settleThread(c)
	}
	for _, c := range l.guesses {
		l.s.settleParent(c)
	}
	for _, c := range l.dms {
		if err := l.s.settleDM(c); err != nil {
			l.errs = append(l.errs, err)
		}
	}
	return l.done, errors.Join(l.errs...)
}

// Adopt makes a bot's account that an import brought into a bot with a token, so that a client can log in as it.
// It fails where the id is unknown, a person's, or a bot's already.
func (s *Server) Adopt(account ID) (Bot, error) {
	s.lock()
	defer s.mu.Unlock()
	u := s.world.users[account]
	switch {
	case u == nil || !u.bot:
		return Bot{}, fmt.Errorf("adopt %d: no bot account", account)
	case s.findBot(account) != nil:
		return Bot{}, fmt.Errorf("adopt %d: a bot already", account)
	}
	b := &bot{user: u, content: true, members: true}
	s.newToken(b)
	s.world.bots = append(s.world.bots, b)
	for _, g := range s.world.guilds {
		s.lookAround(g)
	}
	s.look(s.world.dms...)
	return Bot{ID: u.id, Name: u.name, Token: b.token}, nil
}

// idle is how long an imported thread stays open after its last message; exports do not tell.
const idle = 24 * time.Hour
