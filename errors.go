package gapless

import (
	"errors"
	"fmt"
	"time"
)

// What ledgers, histories and repliers answer, for callers that branch on it.
var (
	// ErrStale refuses a deed whose fence or starting point is no longer the
	// current one: somebody else holds the turn, gap or session.
	ErrStale = errors.New("stale: a newer owner exists")
	// ErrUnknownChannel is Discord's 10003: the place is gone for good.
	ErrUnknownChannel = errors.New("unknown channel")
	// ErrUnknownGuild is Discord's 10004.
	ErrUnknownGuild = errors.New("unknown guild")
	// ErrUnknownMessage is Discord's 10008: the message does not exist (any more).
	ErrUnknownMessage = errors.New("unknown message")
	// ErrForbidden is a 403: we may not see or do this now.
	ErrForbidden = errors.New("forbidden")
	// ErrUnavailable means that no definite answer could be had now: the
	// network, a 5xx or an undecodable body, after the client's own retries.
	ErrUnavailable = errors.New("unavailable")
	// ErrNotSent is joined to ErrUnavailable by a Replier that knows that
	// Discord did not take the message.
	ErrNotSent = errors.New("not sent")
	// ErrUnauthorized is a 401 or close 4004: the token is refused.
	ErrUnauthorized = errors.New("token refused")
	// ErrClosed is answered by a ledger after Close.
	ErrClosed = errors.New("ledger closed")
	// ErrLocked is answered when another process holds the ledger.
	ErrLocked = errors.New("ledger is held by another process")
	// ErrStopped is the cause with which a turn's context ends when the
	// engine stops before the handler has finished. It costs no attempt.
	ErrStopped = errors.New("engine stopped")
	// ErrTurnLimit is the cause with which a turn's context ends after
	// Config.TurnLimit without progress.
	ErrTurnLimit = errors.New("turn limit reached without progress")
)

// RefusedError is Discord's definite no to an outgoing message: repeating it
// cannot help. The reply becomes undeliverable with this reason.
type RefusedError struct {
	Status int    // HTTP status
	Code   int    // Discord's JSON error code (protocol D7)
	Reason string // Discord's own message
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("refused by discord: %s (code %d, status %d)", e.Reason, e.Code, e.Status)
}

type retryAfterError struct{ wait time.Duration }

func (e *retryAfterError) Error() string { return fmt.Sprintf("retry after %s", e.wait) }

type discardError struct{ reason string }

func (e *discardError) Error() string { return "discard: " + e.reason }

type unavailableError struct{ cause error }

func (e *unavailableError) Error() string { return "handler unavailable: " + e.cause.Error() }
func (e *unavailableError) Unwrap() error { return e.cause }

// RetryAfter is a verdict: the turn failed and is to be tried again once wait
// has passed. It counts as an attempt.
func RetryAfter(wait time.Duration) error { return &retryAfterError{wait: wait} }

// Discard is a verdict: the message is not worth another attempt. The delivery
// is settled with the reason.
func Discard(reason string) error { return &discardError{reason: reason} }

// Unavailable is a verdict: the handler could not be reached at all. It costs
// no attempt; the lane waits and asks again with back-off.
func Unavailable(cause error) error {
	if cause == nil {
		cause = errors.New("no reason given")
	}
	return &unavailableError{cause: cause}
}
