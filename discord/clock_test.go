package discord_test

import (
	"net/http"
	"testing"
	"time"

	"gapless/discord"
)

func TestClockOffset(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 700e6, time.UTC)
	for name, c := range map[string]struct {
		ahead, latency time.Duration
		least, most    time.Duration
	}{
		"in step":        {0, 80 * time.Millisecond, 0, 0},
		"noise":          {400 * time.Millisecond, 80 * time.Millisecond, 0, 0},
		"an hour ahead":  {time.Hour, 80 * time.Millisecond, time.Hour - time.Second, time.Hour + time.Second},
		"a minute after": {-time.Minute, time.Second, -time.Minute - time.Second, -time.Minute + time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			var s discord.Skew
			for i := range 20 {
				sent := start.Add(time.Duration(i) * 1370 * time.Millisecond)
				s.Observe(sent.Add(c.latency/2+c.ahead).Format(http.TimeFormat), sent, sent.Add(c.latency))
			}
			if got := s.Offset(); got < c.least || got > c.most {
				t.Errorf("offset %s", got)
			}
		})
	}
	t.Run("one slow answer", func(t *testing.T) {
		var s discord.Skew
		for i := range 9 {
			latency := 50 * time.Millisecond
			if i == 4 {
				latency = time.Minute
			}
			sent := start.Add(time.Duration(i) * time.Minute)
			s.Observe(sent.Format(http.TimeFormat), sent, sent.Add(latency))
		}
		s.Observe("yesterday", start, start)
		if got := s.Offset(); got != 0 {
			t.Errorf("offset %s", got)
		}
	})
}
