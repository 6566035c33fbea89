package conversation

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"gapless"
)

// Options says what the room does. The zero Options do nothing.
type Options struct {
	Reactions bool              // 👀 while a message is worked on, then ✅ or ❌ (S45, S46)
	Typing    bool              // show that the bot is typing while a turn takes longer
	Threads   bool              // answer a mention in a text channel in a thread of its own (S47)
	NoThreads gapless.PlaceList // where not
	Free      gapless.PlaceList // channels heard without a mention, where no thread is made either
	Context   int               // how many messages before the trigger the handler is told, at most 100; zero: none (S49)
	Leave     []gapless.Pattern // texts of bots that are left out of it; nil: [gapless.OutageNotices]
	Prompts   []Prompt          // what the handler is told about a place; the first that fits
}

// Discord is what the room does there. Each method is one call or, where it is
// repeated, as good as one. The room passes a context that ends with the turn.
type Discord interface {
	// React sets the bot's reaction; setting it again changes nothing.
	React(ctx context.Context, place gapless.ChannelID, message gapless.MessageID, emoji string) error
	// Typing shows that the bot is typing, for about ten seconds.
	Typing(ctx context.Context, place gapless.ChannelID) error
	// OpenThread makes the thread of a message; one that exists is no error (C110).
	OpenThread(ctx context.Context, place gapless.ChannelID, message gapless.MessageID, name string) (gapless.ChannelID, error)
	// Before reads at most limit messages just below an id, in any order.
	Before(ctx context.Context, place gapless.ChannelID, before gapless.MessageID, limit int) ([]gapless.Message, error)
	// Message reads one message.
	Message(ctx context.Context, place gapless.ChannelID, id gapless.MessageID) (gapless.Message, error)
	// Channel reads one channel.
	Channel(ctx context.Context, id gapless.ChannelID) (gapless.Channel, error)
}

// Room is the conversation around the turns of one engine. Its methods may be
// called from any goroutine.
type Room struct {
	opt     Options
	discord Discord
	log     *slog.Logger
	memory  *memory
}

// New makes a room; a nil logger is silent.
func New(opt Options, discord Discord, log *slog.Logger) *Room {
	opt.Context = min(max(opt.Context, 0), maxContext)
	if opt.Leave == nil {
		opt.Leave = gapless.OutageNotices()
	}
	return &Room{opt: opt, discord: discord, log: cmp.Or(log, slog.New(slog.DiscardHandler)), memory: newMemory()}
}

// Wrap is the handler with the room around it. What the room prepares is in the
// delivery when next gets it.
func (r *Room) Wrap(next gapless.Handler) gapless.Handler {
	return gapless.HandlerFunc(func(ctx context.Context, d *gapless.Delivery) error {
		if len(d.Messages) == 0 {
			return next.Handle(ctx, d)
		}
		stop := r.seen(ctx, d)
		defer stop()
		r.thread(ctx, d)
		quiet := r.typing(ctx, d.AnswersIn())
		defer quiet()
		r.freshen(ctx, d)
		d.Brief.Context = r.before(ctx, d)
		d.Brief.Prompt = r.prompt(ctx, d)
		return next.Handle(ctx, d)
	})
}

// patience is how long a turn waits for one thing that the room prepares.
const patience = 10 * time.Second

// beside runs a deed next to the turn; the function it gives lets it go on for
// so long, ends it and waits until it has ended.
func beside(ctx context.Context, grace time.Duration, deed func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		deed(ctx)
	}()
	return func() {
		if grace > 0 {
			select {
			case <-done:
			case <-ctx.Done():
			case <-time.After(grace):
			}
		}
		cancel()
		<-done
	}
}
