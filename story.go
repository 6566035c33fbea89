package gapless

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// What an operator's deeds are refused with.
var (
	// ErrUnknownDelivery means that the ledger has no delivery of that id: it
	// never had one, or has pruned it.
	ErrUnknownDelivery = errors.New("no such delivery")
	// ErrWrongState means that the delivery does not stand where the deed needs
	// it; the error around it says where it stands.
	ErrWrongState = errors.New("not possible in this state")
	// ErrNoText means that what the messages said is gone, pruned or deleted: a
	// handler could not be given them again.
	ErrNoText = errors.New("the text is gone")
)

// Story is all that a ledger knows of one message, without its text. What it
// does not know is empty.
type Story struct {
	Message MessageID
	Place   Place         // with its marks, or its ID alone if it has none; zero: nothing says where the message is
	Row     *StoryRow     // nil: it has none
	Refusal *StoryRefusal // nil: none is known
	Edited  bool          // an edit of it was heard, and is kept until the message is decided

	Deliveries []Delivery // those it is a member of or gave its name to, the oldest first, members without text
	Replies    []Reply    // of these deliveries, and letters about it, in the order they were stored, without text

	// Gaps, open or closed, and Ranges are those of its place that contain it,
	// the gaps in the order they were opened. While its place is not known they
	// are those of every place.
	Gaps   []Gap
	Ranges []Range
}

// StoryRow is the row of a message.
type StoryRow struct {
	Item            // without text: of Message its ID and Place
	State    string // as LedgerStatus.Messages counts it
	Answered bool   // an own message refers to it
	Deleted  bool   // it was deleted in Discord
}

// StoryRefusal is a decision against a message.
type StoryRefusal struct {
	Place  ChannelID
	Reason Reason
	Origin Origin    // empty unless the message was meant for us
	At     time.Time // zero unless the message was meant for us
}

// DeliveryFilter says which deliveries to list. Zero values do not restrict.
type DeliveryFilter struct {
	State  DeliveryState
	Reason Reason
	Lane   LaneID
	Limit  int        // at most so many, default 100
	Before DeliveryID // only those that are listed after this one: where the last page ended
}

// DefaultDeliveries is how many deliveries are listed if the filter does not say.
const DefaultDeliveries = 100

// RetryID names an operator's n-th retry, n from 1, of the delivery that is
// named after the message. Zero is the delivery itself.
func RetryID(first MessageID, n int) DeliveryID {
	if n == 0 {
		return DeliveryID(first.String())
	}
	return DeliveryID(fmt.Sprintf("%s-r%d", first, n))
}

// Parts reads what RetryID wrote.
func (id DeliveryID) Parts() (first MessageID, n int, err error) {
	head, tail, again := strings.Cut(string(id), "-r")
	first, err = ParseID[MessageID](head)
	if err == nil && again {
		if n, err = strconv.Atoi(tail); err == nil && n < 1 {
			err = errors.New("retries count from 1")
		}
	}
	if err != nil {
		return 0, 0, fmt.Errorf("read delivery id %q: %w", string(id), err)
	}
	return first, n, nil
}
