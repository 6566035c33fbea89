package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"gapless/discordsim"
)

// The incidents, by the names they have in reports.
const (
	sessionKept    = "session kept"
	sessionExpired = "session expired"
	channelBorn    = "new channel"
	handlerFails   = "handler fails twice"
	handlerAway    = "handler away"
	daemonKilled   = "daemon killed"
	pageOverflow   = "more than a page"
	apiRough       = "429 and 503"
)

// act is one way to break a bot. Incidents that share an outage share an act,
// as each new session costs up to five seconds of waiting that Discord asks for.
type act struct {
	title     string
	incidents []string
	// strike breaks something and mends it again, noting when; what is said between two
	// calls of stage.missing counts as missed.
	strike func(ctx context.Context, s *stage) error
}

// played is what an incident came to.
type played struct {
	began, mended, closed time.Time
	place                 discordsim.ID // the one channel it is about, or zero
}

// acts are what the demonstration does, in this order.
var acts = []act{
	{"the connection breaks for a moment; the session can be resumed", []string{sessionKept}, shortOutage},
	{"the daemon is killed with SIGKILL in the middle of its work, and started again a second later",
		[]string{daemonKilled}, killed},
	{"Discord is away and the session expires; meanwhile a new channel is made and used",
		[]string{sessionExpired, channelBorn}, longOutage},
	{"the bot fails at the first two attempts of some messages", []string{handlerFails}, failing},
	{"the bot's program is missing for a while", []string{handlerAway}, absent},
	{"the session expires while 150 messages, 5 of them for the bot, are written in one channel, and Discord answers 429 and 503 while they are read",
		[]string{pageOverflow, apiRough}, crowded},
}

// play runs one act and waits until all that was missed in it is answered.
func (s *stage) play(ctx context.Context, a act) error {
	s.show.say("%s", a.title)
	for _, name := range a.incidents {
		s.runs[name] = &played{began: time.Now()}
	}
	if err := a.strike(ctx, s); err != nil {
		return fmt.Errorf("%s: %w", a.title, err)
	}
	mended, open := s.mended, 0
	_ = s.until(ctx, 20*time.Second, "the answers to what was missed", func() bool {
		open = 0
		for _, name := range a.incidents {
			p := s.runs[name]
			p.mended = mended
			if n := s.open(name); n > 0 {
				p.closed, open = time.Now(), open+n
			} else if p.closed.Before(mended) {
				p.closed = time.Now()
			}
		}
		return open == 0
	}) // what is still open is in the report
	if ctx.Err() != nil {
		return errAsked
	}
	s.show.say("   %d missed, %d still without an answer after %.1f s", s.missed(a.incidents), open, time.Since(mended).Seconds())
	return nil
}

// outage takes Discord away; meanwhile is what happens then.
func (s *stage) outage(ctx context.Context, incident string, meanwhile func()) error {
	s.missing(incident)
	s.sim.Pause()
	meanwhile()
	if !pause(ctx, 1500*time.Millisecond) {
		return errAsked
	}
	s.missing("")
	s.sim.Unpause()
	s.mended = time.Now()
	return nil
}

func shortOutage(ctx context.Context, s *stage) error {
	return s.outage(ctx, sessionKept, func() {})
}

func longOutage(ctx context.Context, s *stage) error {
	return s.outage(ctx, sessionExpired, func() {
		s.sim.Expire(s.world.Bot)
		place := s.sim.AddChannel(s.world.Guild, discordsim.Text, "brand-new")
		s.runs[channelBorn].place = place
		for range 4 {
			s.speak(place, channelBorn, "in a new channel")
		}
	})
}

func failing(_ context.Context, s *stage) error {
	for _, place := range s.places[2:6] {
		s.speak(place, handlerFails, failsTwice)
	}
	s.mended = time.Now()
	return nil
}

func absent(ctx context.Context, s *stage) error {
	s.missing(handlerAway)
	if err := s.daemon.takeBot(); err != nil {
		return err
	}
	if !pause(ctx, time.Second) {
		return errAsked
	}
	s.missing("")
	s.mended = time.Now()
	return s.daemon.lendBot()
}

func killed(ctx context.Context, s *stage) error {
	s.missing(daemonKilled)
	s.daemon.kill()
	if !pause(ctx, time.Second) {
		return errAsked
	}
	s.mended = time.Now()
	if err := s.daemon.start(); err != nil {
		return err
	}
	err := s.until(ctx, 10*time.Second, "the daemon to connect again", s.connected)
	s.missing("")
	return err
}

// crowded has one message in thirty meant for the bot: a channel takes only five
// answers in five seconds. It is the last act, so people fall silent at its end.
func crowded(ctx context.Context, s *stage) error {
	page := discordsim.Match{Method: http.MethodGet, Route: "/channels/{channel}/messages"}
	for _, f := range []discordsim.Fault{
		{Kind: discordsim.Limited, Match: page, Count: 2, Delay: time.Second},
		{Kind: discordsim.Fail, Match: page, After: 2, Count: 3, Status: http.StatusServiceUnavailable},
	} {
		if _, err := s.sim.Inject(f); err != nil {
			return err
		}
	}
	defer s.silence()
	return s.outage(ctx, apiRough, func() {
		s.sim.Expire(s.world.Bot)
		place := s.busy
		s.runs[pageOverflow].place = place
		for i := range 150 {
			if i%30 == 0 {
				s.speak(place, pageOverflow, "in a crowd")
				continue
			}
			s.murmur(place)
		}
	})
}
