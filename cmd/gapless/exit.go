package main

import "errors"

// The exit statuses; doc.go says when.
const (
	exitOK      = 0
	exitFailed  = 1
	exitUsage   = 2
	exitRefused = 3
	exitLocked  = 4
	exitData    = 5
	exitDemo    = 6
)

// exitError is an error with a status of its own.
type exitError struct {
	error
	status int
}

func (e *exitError) Unwrap() error { return e.error }

// failure gives err an exit status.
func failure(status int, err error) error { return &exitError{err, status} }

// statusOf is the exit status for an error.
func statusOf(err error) int {
	if e, ok := errors.AsType[*exitError](err); ok {
		return e.status
	}
	return exitFailed
}
