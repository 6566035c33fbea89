package config

import (
	"log/slog"
	"time"

	"gapless"
)

// Config is the whole configuration of a daemon, with every default filled in.
// The token is not part of it; see [FindToken].
type Config struct {
	Name        string  // of a bot of the list, empty for the only one
	File        string  // the file that was read, empty for none
	TokenFile   string  // where the token stands, empty for not said
	TokenEnv    string  // the variable that holds it, empty for not said
	API         string  // base URL of Discord's API or of a server that behaves like it
	Data        string  // directory of the ledgers
	Handler     Handler // what handles deliveries
	Policy      gapless.Policy
	Scope       gapless.Scope
	Recover     Recover
	Late        gapless.LatePolicy
	AskFor      time.Duration
	Question    string
	Backlog     Backlog
	Talk        Conversation
	LookBack    time.Duration // zero: first contact replays nothing
	Budget      gapless.Budget
	Hold        time.Duration
	Audit       Audit
	Retry       gapless.Retry
	Readers     int
	Keep        Keep
	TurnLimit   time.Duration
	Drain       time.Duration
	Concurrency int
	Shards      int // zero: as many as Discord recommends
	Replies     gapless.ReplyMode
	Log         Log
}

// Handler says which command handles deliveries and how.
type Handler struct {
	Exec      []string
	Input     string // json or text
	Mode      string // process or lines
	TimeLimit time.Duration
}

// Recover says what happens with what was missed.
type Recover struct {
	Default   gapless.Recover
	Places    []gapless.RecoverRule // where it is otherwise
	Notice    string                // what a place is told; {from} and {to} stand for the outage
	NoticeAll bool                  // those too where what was missed is handled
}

// Backlog says what a turn takes of what waits in its channel.
type Backlog struct {
	Default  gapless.Backlog
	Places   []gapless.BacklogRule // where it is otherwise
	Join     time.Duration         // zero: texts are not joined
	Merge    bool
	BotTurns int
}

// Conversation says what goes along with turns.
type Conversation struct {
	Reactions  bool
	Typing     bool
	AutoThread bool
	NoThreads  gapless.PlaceList
	Context    int
	Prompts    []Prompt
	Mentions   []string          // whom messages may mention
	Outages    []gapless.Pattern // texts by which a bot says that it does not work; nil: gapless.OutageNotices
}

// Prompt is what the handler is told about a place.
type Prompt struct {
	Place gapless.Ref
	Text  string
}

// Audit says how often what was heard is compared with history.
type Audit struct {
	Interval time.Duration // zero: never
	Calls    int           // REST calls a minute
}

// Keep says how long what is settled stays in the ledger.
type Keep struct {
	Text    time.Duration // of messages
	Settled time.Duration // rows, without text
}

// Log says what is logged, and in which form.
type Log struct {
	Level  slog.Level
	Format string // auto, text or json
}

// defaultNotice is what a place is told.
const defaultNotice = "I was away from {from} to {to} and have not read what was written here in that time."

// defaultQuestion is what the author of a late message is asked.
const defaultQuestion = "This came to me late. Does it still matter? (yes or no)"

// DefaultAPI is Discord.
const DefaultAPI = "https://discord.com/api/v10"

// defaults is the configuration of somebody who said nothing.
func defaults(env Environment) Config {
	budget, retry := gapless.Budget{}.WithDefaults(), gapless.Retry{}.WithDefaults()
	return Config{
		API: DefaultAPI, Data: DefaultData(env),
		Handler:     Handler{Input: "json", Mode: "process", TimeLimit: 10 * time.Minute},
		Policy:      gapless.Policy{Bots: gapless.BotsNone, OnEdit: gapless.EditIgnore},
		Recover:     Recover{Default: gapless.RecoverOn, Notice: defaultNotice},
		Late:        gapless.LatePolicy{}.WithDefaults(),
		AskFor:      day,
		Question:    defaultQuestion,
		Backlog:     Backlog{Default: gapless.BacklogEach, BotTurns: 10},
		Talk:        Conversation{Typing: true, Mentions: []string{"users", "replied_user"}},
		Budget:      budget,
		Hold:        30 * time.Second,
		Audit:       Audit{Interval: 5 * time.Minute, Calls: 30},
		Retry:       retry,
		Readers:     4,
		Keep:        Keep{Text: 10 * time.Minute, Settled: 30 * day},
		TurnLimit:   time.Hour,
		Drain:       30 * time.Second,
		Concurrency: 16,
		Replies:     gapless.ReplyFirst,
		Log:         Log{Level: slog.LevelInfo, Format: "auto"},
	}
}
