package subprocess

import (
	"encoding/json"
	"fmt"
	"time"

	"gapless"
)

// The types of lines.
const (
	lineDeliver  = "deliver"
	lineCancel   = "cancel"
	lineReady    = "ready"
	lineReply    = "reply"
	lineProgress = "progress"
	lineDone     = "done"
	lineRetry    = "retry"
	lineDiscard  = "discard"
)

// turnKey names a running turn.
type turnKey struct {
	Delivery gapless.DeliveryID `json:"delivery_id"`
	Fence    gapless.Fence      `json:"fence"`
}

// deliverLine hands a delivery over.
type deliverLine struct {
	Type string `json:"type"`
	gapless.Envelope
}

// cancelLine takes a delivery back.
type cancelLine struct {
	Type string `json:"type"`
	turnKey
	Reason string `json:"reason"`
}

// answerLine is any line that a process may write.
type answerLine struct {
	Type string `json:"type"`
	turnKey
	Text   string   `json:"text"`
	After  *float64 `json:"after"` // seconds
	Reason string   `json:"reason"`
}

// encode is the value as one line.
func encode(v any) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return append(b, '\n'), nil
}

// final is the verdict of a line that ends its turn.
func (l answerLine) final() (verdict error, ok bool) {
	switch l.Type {
	case lineDone:
		return nil, true
	case lineDiscard:
		if l.Reason == "" {
			l.Reason = "without a reason"
		}
		return gapless.Discard(l.Reason), true
	case lineRetry:
		if l.After != nil {
			return gapless.RetryAfter(seconds(*l.After)), true
		}
		return fmt.Errorf("command asks to try again: %s", l.Reason), true
	}
	return nil, false
}

// seconds is never negative and at most a day, whatever was written.
func seconds(s float64) time.Duration {
	const day = 24 * time.Hour
	if !(s > 0) { // also not a number
		return 0
	}
	if s > day.Seconds() {
		return day
	}
	return time.Duration(s * float64(time.Second))
}
